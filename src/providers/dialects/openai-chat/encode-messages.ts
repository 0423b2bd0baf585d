import { append } from '../../../core/append.js';
import { blockPath, type Message } from '../../../core/conversation/content.js';
import { encodeAssistant, nameOf, type PathOf } from './encode-assistant.js';
import type { EncodeContext } from './encode-context.js';
import { contentOf, encodeParts } from './encode-parts.js';
import { encodeToolResult } from './encode-tool-result.js';
import type { ChatMessage, ChatPart } from './wire.js';

/**
 * The conversation as chat messages. Turns keep their order; the one exception is the format's own rule that tool
 * messages directly follow the call they answer.
 * @throws Untranslatable naming the block that the target cannot carry
 */
export function encodeMessages(context: EncodeContext): ChatMessage[] {
  const { request } = context;
  const out: ChatMessage[] = [];
  if (request.system.length > 0) {
    out.push(systemMessage({ role: 'system', content: request.system }, (place) => `system.${place}`, context));
  }
  // System turns between a call and its results wait until the results are out.
  let deferred: ChatMessage[] = [];
  let awaitsResults = false;
  for (const [index, message] of request.messages.entries()) {
    const text = onlyText(message);
    if (text !== undefined) {
      append(out, deferred);
      deferred = [];
      awaitsResults = false;
      out.push({ role: message.role, content: text, ...nameOf(message) });
      continue;
    }
    const pathOf = (place: number): string => blockPath(message, index, place);
    switch (message.role) {
      case 'system':
        (awaitsResults ? deferred : out).push(systemMessage(message, pathOf, context));
        break;
      case 'assistant': {
        const encoded = encodeAssistant(message, pathOf, context);
        append(out, deferred);
        deferred = [];
        if (encoded !== undefined) out.push(encoded);
        awaitsResults = message.content.some((block) => block.type === 'tool-use');
        break;
      }
      case 'user': {
        const { results, rest } = userMessages(message, pathOf, context);
        append(out, results);
        append(out, deferred);
        append(out, rest);
        deferred = [];
        awaitsResults = false;
        break;
      }
    }
  }
  append(out, deferred);
  return out;
}

/**
 * What a turn of the user or the assistant says, where it is one text that nothing else goes with. Nearly all turns are
 * that; of a hundred thousand, each array that is made on the way is collected while others wait.
 */
function onlyText({ role, content }: Message): string | undefined {
  const [block] = content;
  if (role === 'system' || content.length !== 1 || block?.type !== 'text' || block.cacheMarker) return undefined;
  return block.text === '' ? undefined : block.text;
}

/**
 * A system text stays where it stands in the conversation, so that the prefix before it stays the same
 * (docs/reasons/translation.md#instructions-in-the-middle).
 */
function systemMessage(message: Message, pathOf: PathOf, context: EncodeContext): ChatMessage {
  const parts: ChatPart[] = [];
  for (const [index, block] of message.content.entries()) {
    if (block.type !== 'text') context.refuse(pathOf(index), `a ${block.type} block in a system turn`);
    append(parts, encodeParts(block, pathOf(index), context));
  }
  return {
    role: context.target.definition.quirks.systemRole ?? 'system',
    content: contentOf(withoutEmptyTexts(parts)),
    ...nameOf(message),
  };
}

/**
 * All results of a turn first, then everything else in order, media of results where their result stood
 * (docs/reasons/translation.md#order-in-a-mixed-turn).
 */
function userMessages(
  message: Message,
  pathOf: PathOf,
  context: EncodeContext,
): { results: ChatMessage[]; rest: ChatMessage[] } {
  const results: ChatMessage[] = [];
  const parts: ChatPart[] = [];
  for (const [index, block] of message.content.entries()) {
    const path = pathOf(index);
    if (block.type === 'tool-result') {
      const encoded = encodeToolResult(block, path, context);
      results.push(encoded.message);
      append(parts, encoded.carried);
    } else {
      append(parts, encodeParts(block, path, context));
    }
  }
  const said = withoutEmptyTexts(parts, results.length > 0);
  const hasRest = said.length > 0 || results.length === 0;
  return { results, rest: hasRest ? [{ role: 'user', content: contentOf(said), ...nameOf(message) }] : [] };
}

/** @param hasMore whether the turn says something besides: else its last text stays, though it is empty */
function withoutEmptyTexts(parts: ChatPart[], hasMore = false): ChatPart[] {
  const said = parts.filter((part) => part.type !== 'text' || part.text !== '');
  return said.length > 0 || hasMore ? said : parts.slice(0, 1);
}
