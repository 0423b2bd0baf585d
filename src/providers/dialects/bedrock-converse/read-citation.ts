import { webCitation } from '../../../core/conversation/web-citation.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { listOf, nonEmpty, objectOf, readIndex } from '../read-json.js';

/**
 * A location in a document: its name in this format, its type in the Messages format, and that type's keys of start and
 * end.
 */
const LOCATIONS: readonly (readonly [kind: string, type: string, start: string, end: string])[] = [
  ['documentChar', 'char_location', 'start_char_index', 'end_char_index'],
  ['documentPage', 'page_location', 'start_page_number', 'end_page_number'],
  ['documentChunk', 'content_block_location', 'start_block_index', 'end_block_index'],
];

/** A citation in the shape of the Messages format; undefined where the kind of location is unknown. */
export function readCitation(value: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const location = objectOf(value['location']);
  const title = nonEmpty(value['title']);
  const quote = quoteIn(value);
  const url = nonEmpty(objectOf(location['web'])['url']);
  if (url !== undefined) {
    return webCitation({ url, ...(title !== undefined && { title }), ...(quote !== '' && { quote }) });
  }
  for (const [kind, type, startKey, endKey] of LOCATIONS) {
    const found = location[kind];
    if (!isJsonObject(found)) continue;
    return {
      type,
      cited_text: quote,
      document_index: readIndex(found['documentIndex']) ?? 0,
      document_title: title ?? null,
      file_id: null,
      [startKey]: readIndex(found['start']) ?? 0,
      [endKey]: readIndex(found['end']) ?? 0,
    };
  }
  const result = location['searchResultLocation'];
  if (!isJsonObject(result)) return undefined;
  return {
    type: 'search_result_location',
    cited_text: quote,
    title: title ?? null,
    source: nonEmpty(value['source']) ?? '',
    search_result_index: readIndex(result['searchResultIndex']) ?? 0,
    start_block_index: readIndex(result['start']) ?? 0,
    end_block_index: readIndex(result['end']) ?? 0,
  };
}

/** The cited text: a document's comes in pieces. */
function quoteIn({ sourceContent }: JsonObject): string {
  let quote = '';
  for (const piece of listOf(sourceContent)) quote += nonEmpty(objectOf(piece)['text']) ?? '';
  return quote;
}
