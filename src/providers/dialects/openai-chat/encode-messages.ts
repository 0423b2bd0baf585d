import { append } from '../../../core/append.js';
import type { Message } from '../../../core/conversation/content.js';
import type { Steps } from '../../../core/steps.js';
import { assertHasTurns } from '../empty-conversation.js';
import type { PathOf } from '../encode-context.js';
import { encodeInOrder, type UserTurn } from '../turn-order.js';
import { encodeAssistant, nameOf } from './encode-assistant.js';
import type { ChatContext } from './encode-context.js';
import { contentOf, encodeParts } from './encode-parts.js';
import { encodeToolResult } from './encode-tool-result.js';
import type { ChatMessage, ChatPart } from './wire.js';

/**
 * The conversation as chat messages. Turns keep their order, except that tool messages directly follow the call that
 * they answer, as the format requires. Blank turns are left out.
 * @throws Untranslatable naming the block that the target cannot carry, and where no turn is left
 */
export function* encodeMessages(context: ChatContext): Steps<ChatMessage[]> {
  const { system } = context.request;
  const { returnsReasoning } = context.target.definition.quirks;
  const out: ChatMessage[] = [];
  if (system.length > 0) {
    const instructions = systemMessage({ role: 'system', content: system }, (index) => `system.${index}`, context);
    if (instructions !== undefined) out.push(instructions);
  }
  yield* encodeInOrder<ChatMessage>(
    context,
    {
      // An answer carries its reasoning, where the target requires it back.
      plain: (message) => (returnsReasoning && message.role === 'assistant' ? undefined : plainMessage(message)),
      system: (message, pathOf) => systemMessage(message, pathOf, context),
      assistant: (message, pathOf) => encodeAssistant(message, pathOf, context),
      user: (message, pathOf) => userMessages(message, pathOf, context),
    },
    (message) => out.push(message),
  );
  assertHasTurns(out);
  return out;
}

/**
 * A turn of the user or the assistant that is a single text without anything else. Nearly all turns are. A conversation
 * may have a hundred thousand turns, and the garbage of one array for each would delay other requests.
 */
function plainMessage(message: Message): ChatMessage | undefined {
  const { role, content } = message;
  const [block] = content;
  if (role === 'system' || content.length !== 1 || block?.type !== 'text' || block.cacheMarker) return undefined;
  return block.text === '' ? undefined : { role, content: block.text, ...nameOf(message) };
}

/**
 * A system text keeps its position in the conversation, so that the prefix before it stays the same
 * (docs/contribute/reasons/translation.md#instructions-in-the-middle).
 */
function systemMessage(message: Message, pathOf: PathOf, context: ChatContext): ChatMessage | undefined {
  const texts = context.instructions(message, pathOf);
  const kept = withoutEmptyTexts(texts.flatMap((block, index) => encodeParts(block, pathOf(index), context)));
  if (kept.length === 0) return undefined;
  return {
    role: context.target.definition.quirks.systemRole ?? 'system',
    content: contentOf(kept),
    ...nameOf(message),
  };
}

/** Media of a result replace the result. */
function* userMessages(message: Message, pathOf: PathOf, context: ChatContext): Steps<UserTurn<ChatMessage>> {
  const results: ChatMessage[] = [];
  const parts: ChatPart[] = [];
  for (const [index, block] of message.content.entries()) {
    if (context.steps.isOver()) yield;
    const path = pathOf(index);
    if (block.type === 'tool-result') {
      const encoded = encodeToolResult(block, path, context);
      results.push(encoded.message);
      append(parts, encoded.carried);
    } else {
      append(parts, encodeParts(block, path, context));
    }
  }
  const kept = withoutEmptyTexts(parts);
  return { results, rest: kept.length > 0 ? [{ role: 'user', content: contentOf(kept), ...nameOf(message) }] : [] };
}

const withoutEmptyTexts = (parts: readonly ChatPart[]): ChatPart[] =>
  parts.filter((part) => part.type !== 'text' || part.text !== '');
