import { append } from '../../../core/append.js';
import { blockPath, type Message } from '../../../core/conversation/content.js';
import type { Steps } from '../../../core/steps.js';
import { assertHasTurns } from '../empty-conversation.js';
import type { EncodeContext, PathOf } from '../encode-context.js';
import { encodeAssistant } from './encode-assistant.js';
import { encodeParts, encodeToolResult, withoutEmptyTexts } from './encode-parts.js';
import type { InputItem, InputPart } from './wire.js';

/**
 * The conversation as items. The instructions are its first item, not `instructions`, a field that some providers of
 * this format lack. Every item keeps its position, so that the prefix before it stays the same
 * (docs/contribute/reasons/translation.md#instructions-in-the-middle). Blank turns are left out.
 * @throws Untranslatable naming the block that the target cannot carry, and where no turn is left
 */
export function* encodeInput(context: EncodeContext): Steps<InputItem[]> {
  const { request } = context;
  const items: InputItem[] = [];
  if (request.system.length > 0) {
    append(
      items,
      instructions({ role: 'system', content: request.system }, (blockIndex) => `system.${blockIndex}`, context),
    );
  }
  for (const [index, message] of request.messages.entries()) {
    if (context.steps.isOver()) yield;
    const pathOf = (blockIndex: number): string => blockPath(message, index, blockIndex);
    switch (message.role) {
      case 'system':
        append(items, instructions(message, pathOf, context));
        break;
      case 'assistant':
        append(items, yield* encodeAssistant(message, pathOf, context));
        break;
      case 'user':
        append(items, yield* userItems(message, pathOf, context));
        break;
    }
  }
  assertHasTurns(items);
  return items;
}

function instructions(message: Message, pathOf: PathOf, context: EncodeContext): InputItem[] {
  const texts = context.instructions(message, pathOf);
  const content = withoutEmptyTexts(texts.flatMap((block, index) => encodeParts(block, pathOf(index), context)));
  if (content.length === 0) return [];
  return [{ type: 'message', role: context.target.definition.quirks.systemRole ?? 'system', content }];
}

/**
 * All results of a turn first, then the other blocks in order
 * (docs/contribute/reasons/translation.md#order-in-a-mixed-turn).
 */
function* userItems(message: Message, pathOf: PathOf, context: EncodeContext): Steps<InputItem[]> {
  const items: InputItem[] = [];
  const parts: InputPart[] = [];
  for (const [index, block] of message.content.entries()) {
    if (context.steps.isOver()) yield;
    const path = pathOf(index);
    if (block.type === 'tool-result') items.push(encodeToolResult(block, path, context));
    else append(parts, encodeParts(block, path, context));
  }
  const content = withoutEmptyTexts(parts);
  if (content.length > 0) items.push({ type: 'message', role: 'user', content });
  return items;
}
