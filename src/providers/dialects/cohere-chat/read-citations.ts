import { webCitation } from '../../../core/conversation/web-citation.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { listOf, nonEmpty, objectOf, readIndex } from '../read-json.js';
import type { CitedSource, CitedSources } from './cited-sources.js';
import type { IndexedText } from './indexed-text.js';

/** The part of a text that a source supports. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The sources of one citation: those with an address as pages, and the caller's own blocks in the form of the Messages
 * format. Others, such as the output of a caller's tool, have no form here and are dropped.
 * @param text the text so far of the cited block
 * @param offset units of the reply's text before that block
 */
export function readCitation(
  citation: JsonObject,
  text: IndexedText,
  offset: number,
  sources: CitedSources,
): JsonObject[] {
  const span = readSpan(citation, text);
  const textSpan = span && { start: offset + span.start, end: offset + span.end };
  return listOf(citation['sources']).flatMap((source): JsonObject[] => {
    if (!isJsonObject(source)) return [];
    const data = objectOf(source['document'] ?? source['tool_output']);
    const own = sources.find(nonEmpty(source['id']) ?? '');
    if (own !== undefined) return [citationOf(own, textSpan)];
    const url = nonEmpty(data['url']);
    if (url === undefined || !/^https?:/i.test(url)) return [];
    const title = nonEmpty(data['title']);
    const quote = nonEmpty(data['text']) ?? nonEmpty(data['snippet']);
    return [
      webCitation({ url, ...(title && { title }), ...(quote && { quote }), ...(textSpan && { span: textSpan }) }),
    ];
  });
}

/** The vendor counts characters and repeats the text at that position; the position is searched for there. */
function readSpan({ start, end, text: words }: JsonObject, text: IndexedText): Span | undefined {
  const first = readIndex(start);
  if (first === undefined || typeof end !== 'number' || typeof words !== 'string' || words === '') return undefined;
  if (text.has(words, first)) return { start: first, end: first + words.length };
  // Characters beyond the first plane are two units here.
  const before = text.unitOf(first);
  return text.has(words, before) ? { start: before, end: before + words.length } : undefined;
}

/**
 * The vendor cites a block as a whole, without a location in it. The quote is empty, which distinguishes the citation
 * from Anthropic's (`isForeignCitation`).
 */
function citationOf({ block, index, text }: CitedSource, textSpan: Span | undefined): JsonObject {
  if (block.type === 'document') {
    return {
      type: 'char_location',
      cited_text: '',
      document_index: index,
      document_title: block.title ?? null,
      start_char_index: 0,
      end_char_index: text.length,
    };
  }
  if (/^https?:/i.test(block.source))
    return webCitation({ url: block.source, title: block.title, ...(textSpan && { span: textSpan }) });
  return {
    type: 'search_result_location',
    cited_text: '',
    source: block.source,
    title: block.title,
    search_result_index: index,
    start_block_index: 0,
    end_block_index: block.content.length,
  };
}

/** The citations of an event or a message, which has one or a list. */
export const citationsIn = (value: Json | undefined): readonly JsonObject[] =>
  isJsonObject(value) ? [value] : listOf(value).filter((entry) => isJsonObject(entry));
