import { append } from '../../../core/append.js';
import type { Message, ToolUseBlock } from '../../../core/conversation/content.js';
import type { Json } from '../../../core/json/json.js';
import type { Steps } from '../../../core/steps.js';
import type { EncodeContext, PathOf } from '../encode-context.js';
import { printToolInput } from '../encode-tool-input.js';
import { findDroppedCalls, foreignText } from '../foreign-blocks.js';
import { ownValue } from './own-tools.js';
import { ReasoningRun } from './encode-reasoning.js';
import type { InputItem } from './wire.js';

/**
 * One assistant turn as items, in its order. Adjacent texts of one phase are one text that citations divided.
 * @throws Untranslatable for blocks that no item of the format can hold
 */
export function* encodeAssistant(message: Message, pathOf: PathOf, context: EncodeContext): Steps<InputItem[]> {
  const items: InputItem[] = [];
  const reasoning = new ReasoningRun(context);
  const droppedCalls = findDroppedCalls(message.content, context);
  let pendingText = '';
  let phase: string | undefined;
  const add = (item: InputItem): void => {
    append(items, reasoning.take());
    items.push(item);
  };
  const endText = (): void => {
    if (pendingText === '') return;
    add({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: pendingText }],
      ...(phase !== undefined && { phase }),
    });
    pendingText = '';
  };
  for (const [index, block] of message.content.entries()) {
    if (context.steps.isOver()) yield;
    if (block.type !== 'text' || block.phase !== phase) endText();
    switch (block.type) {
      case 'text':
        pendingText += block.text;
        phase = block.phase;
        break;
      case 'thinking':
      case 'redacted-thinking':
        reasoning.add(block, pathOf(index));
        break;
      case 'tool-use':
        add(yield* encodeCall(block, context));
        break;
      case 'opaque':
        if (block.opaque.vendor === 'openai-responses') add(block.opaque.value);
        else if (!droppedCalls.has(block.opaque.value['id'])) {
          pendingText = foreignText(block, pathOf(index), context);
          phase = undefined;
          endText();
        }
        break;
      default:
        context.refuseIn('an assistant turn', pathOf(index), block);
    }
  }
  endText();
  return items;
}

/** Whether an item has an id of the vendor, which begins with letters for its type. The vendor refuses others. */
const isItemId = (id: Json | undefined, type: Json | undefined): boolean =>
  typeof id === 'string' && id.startsWith(CALL_ID_PREFIXES[type as string] ?? '');

/** First letters of the ids of calls; those of functions are not sent. */
const CALL_ID_PREFIXES: Readonly<Record<string, string>> = {
  custom_tool_call: 'ctc_',
  shell_call: 'sh_',
  local_shell_call: 'lsh_',
  apply_patch_call: 'apc_',
};

function* encodeCall(block: ToolUseBlock, context: EncodeContext): Steps<InputItem> {
  const own = ownValue(block.origin);
  if (own !== undefined) {
    const name = own['name'] === undefined ? {} : { name: context.names.toWire(block.name) };
    const { id, ...rest } = own;
    return { ...rest, ...name, call_id: context.callId(block), ...(isItemId(id, own['type']) && { id }) };
  }
  return {
    type: 'function_call',
    call_id: context.callId(block),
    name: context.names.toWire(block.name),
    arguments: yield* printToolInput(block.input),
  };
}
