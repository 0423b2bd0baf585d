import { append } from '../../../core/append.js';
import { blockPath, type Message } from '../../../core/conversation/content.js';
import { encodeAssistant, type PathOf } from './encode-assistant.js';
import type { EncodeContext } from './encode-context.js';
import { encodeParts, encodeToolResult, withoutEmptyTexts } from './encode-parts.js';
import type { InputItem, InputPart } from './wire.js';

/**
 * The conversation as items. The instructions are its first item, not `instructions`: some upstreams of this format
 * have no such field. Everything stays where it stands, so that the prefix before it stays the same
 * (docs/reasons/translation.md#instructions-in-the-middle).
 * @throws Untranslatable naming the block that the target cannot carry
 */
export function encodeInput(context: EncodeContext): InputItem[] {
  const { request } = context;
  const items: InputItem[] = [];
  if (request.system.length > 0) {
    items.push(instructions({ role: 'system', content: request.system }, (place) => `system.${place}`, context));
  }
  for (const [index, message] of request.messages.entries()) {
    const pathOf = (place: number): string => blockPath(message, index, place);
    switch (message.role) {
      case 'system':
        items.push(instructions(message, pathOf, context));
        break;
      case 'assistant':
        append(items, encodeAssistant(message, pathOf, context));
        break;
      case 'user':
        append(items, userItems(message, pathOf, context));
        break;
    }
  }
  return items;
}

function instructions(message: Message, pathOf: PathOf, context: EncodeContext): InputItem {
  const parts: InputPart[] = [];
  for (const [index, block] of message.content.entries()) {
    if (block.type !== 'text') context.refuse(pathOf(index), `a ${block.type} block in a system turn`);
    append(parts, encodeParts(block, pathOf(index), context));
  }
  return { type: 'message', role: context.target.definition.quirks.systemRole ?? 'system', content: saidOf(parts) };
}

/** All results of a turn first, then everything else in order (docs/reasons/translation.md#order-in-a-mixed-turn). */
function userItems(message: Message, pathOf: PathOf, context: EncodeContext): InputItem[] {
  const items: InputItem[] = [];
  const parts: InputPart[] = [];
  for (const [index, block] of message.content.entries()) {
    const path = pathOf(index);
    if (block.type === 'tool-result') items.push(encodeToolResult(block, path, context));
    else append(parts, encodeParts(block, path, context));
  }
  const content = items.length > 0 ? withoutEmptyTexts(parts) : saidOf(parts);
  if (content.length > 0 || items.length === 0) items.push({ type: 'message', role: 'user', content });
  return items;
}

/** A turn that says nothing is one empty text, which the vendor judges. */
function saidOf(parts: readonly InputPart[]): readonly InputPart[] {
  const said = withoutEmptyTexts(parts);
  return said.length > 0 ? said : parts.slice(0, 1);
}
