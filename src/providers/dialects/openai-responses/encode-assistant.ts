import { append } from '../../../core/append.js';
import type { Message, ToolUseBlock } from '../../../core/conversation/content.js';
import type { Steps } from '../../../core/steps.js';
import type { EncodeContext, PathOf } from '../encode-context.js';
import { printToolInput } from '../encode-tool-input.js';
import { findDroppedCalls, foreignText } from '../foreign-blocks.js';
import { ReasoningRun } from './encode-reasoning.js';
import type { InputItem } from './wire.js';

/**
 * One assistant turn as items, in its order. Adjacent texts of one phase are one text that citations cut.
 * @throws Untranslatable for blocks that no item of the format holds
 */
export function* encodeAssistant(message: Message, pathOf: PathOf, context: EncodeContext): Steps<InputItem[]> {
  const items: InputItem[] = [];
  const reasoning = new ReasoningRun(context);
  const droppedCalls = findDroppedCalls(message.content, context);
  let said = '';
  let phase: string | undefined;
  const add = (item: InputItem): void => {
    append(items, reasoning.take());
    items.push(item);
  };
  const endText = (): void => {
    if (said === '') return;
    add({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: said }],
      ...(phase !== undefined && { phase }),
    });
    said = '';
  };
  for (const [index, block] of message.content.entries()) {
    if (context.steps.isOver()) yield;
    if (block.type !== 'text' || block.phase !== phase) endText();
    switch (block.type) {
      case 'text':
        said += block.text;
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
          said = foreignText(block, pathOf(index), context);
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

function* encodeCall(block: ToolUseBlock, context: EncodeContext): Steps<InputItem> {
  return {
    type: 'function_call',
    call_id: context.callId(block),
    name: context.names.toWire(block.name),
    arguments: yield* printToolInput(block.input),
  };
}
