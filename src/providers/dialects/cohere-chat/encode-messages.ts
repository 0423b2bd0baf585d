import { append } from '../../../core/append.js';
import { blockPath, type Message, type ToolResultBlock } from '../../../core/conversation/content.js';
import { ToolResultText } from '../tool-result-text.js';
import { encodeAssistant } from './encode-assistant.js';
import type { EncodeContext } from './encode-context.js';
import { contentOf, encodeParts } from './encode-parts.js';
import type { CohereMessage, CoherePart } from './wire.js';

type PathOf = (place: number) => string;

/** What a turn of documents alone says: they stand elsewhere, and a message says something. */
const SEE_DOCUMENTS = '[See the documents.]';

/**
 * The conversation as messages. Turns keep their order; results directly follow the call they answer.
 * @throws Untranslatable naming the block that the target cannot carry
 */
export function encodeMessages(context: EncodeContext): CohereMessage[] {
  const { request } = context;
  const out: CohereMessage[] = [];
  if (request.system.length > 0) {
    out.push(systemMessage({ role: 'system', content: request.system }, (place) => `system.${place}`, context));
  }
  // System turns between a call and its results wait until the results are out.
  let deferred: CohereMessage[] = [];
  let awaitsResults = false;
  for (const [index, message] of request.messages.entries()) {
    const pathOf: PathOf = (place) => blockPath(message, index, place);
    if (message.role === 'system') {
      (awaitsResults ? deferred : out).push(systemMessage(message, pathOf, context));
      continue;
    }
    if (message.role === 'assistant') {
      const encoded = encodeAssistant(message, pathOf, context);
      append(out, deferred);
      if (encoded !== undefined) out.push(encoded);
      awaitsResults = message.content.some((block) => block.type === 'tool-use');
    } else {
      const { results, rest } = userMessages(message, pathOf, context);
      append(out, results);
      append(out, deferred);
      append(out, rest);
      awaitsResults = false;
    }
    deferred = [];
  }
  append(out, deferred);
  return out;
}

function systemMessage(message: Message, pathOf: PathOf, context: EncodeContext): CohereMessage {
  const parts: CoherePart[] = [];
  for (const [index, block] of message.content.entries()) {
    if (block.type !== 'text') context.refuse(pathOf(index), `a ${block.type} block in a system turn`);
    append(parts, encodeParts(block, pathOf(index), context));
  }
  return { role: 'system', content: contentOf(withoutEmptyTexts(parts)) };
}

/** All results of a turn first, then everything else in order, media of results where their result stood. */
function userMessages(
  message: Message,
  pathOf: PathOf,
  context: EncodeContext,
): { results: CohereMessage[]; rest: CohereMessage[] } {
  const results: CohereMessage[] = [];
  const parts: CoherePart[] = [];
  let hasDocuments = false;
  for (const [index, block] of message.content.entries()) {
    if (block.type === 'tool-result') {
      const encoded = toolMessage(block, pathOf(index), context);
      results.push(encoded.message);
      append(parts, encoded.carried);
      continue;
    }
    hasDocuments ||= (block.type === 'document' || block.type === 'search-result') && context.sources.has(block);
    append(parts, encodeParts(block, pathOf(index), context));
  }
  const said = withoutEmptyTexts(parts);
  const isSilent = contentOf(said) === '';
  if (isSilent && results.length > 0) return { results, rest: [] };
  return { results, rest: [{ role: 'user', content: isSilent && hasDocuments ? SEE_DOCUMENTS : contentOf(said) }] };
}

function toolMessage(
  block: ToolResultBlock,
  path: string,
  context: EncodeContext,
): { readonly message: CohereMessage; readonly carried: readonly CoherePart[] } {
  const result = new ToolResultText<CoherePart>(block.toolUseId);
  let hasDocuments = false;
  for (const [index, inner] of block.content.entries()) {
    hasDocuments ||= (inner.type === 'document' || inner.type === 'search-result') && context.sources.has(inner);
    for (const part of encodeParts(inner, `${path}.content.${index}`, context)) {
      if (part.type === 'text') result.addText(part.text);
      else result.addMedium(part);
    }
  }
  if (hasDocuments) result.addText(SEE_DOCUMENTS);
  const content = result.join(block.isError);
  return { message: { role: 'tool', tool_call_id: block.toolUseId, content }, carried: result.carried };
}

const withoutEmptyTexts = (parts: readonly CoherePart[]): readonly CoherePart[] =>
  parts.filter((part) => part.type !== 'text' || part.text !== '');
