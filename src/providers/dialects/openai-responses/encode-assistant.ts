import { append } from '../../../core/append.js';
import type { ContentBlock, Message, ToolUseBlock } from '../../../core/conversation/content.js';
import { printJson } from '../../../core/json/json.js';
import { findDroppedCalls, ruleForForeign } from '../foreign-blocks.js';
import type { EncodeContext } from './encode-context.js';
import { ReasoningRun } from './encode-reasoning.js';
import type { InputItem } from './wire.js';

/** A block of a turn as errors name it. */
export type PathOf = (place: number) => string;

/**
 * One assistant turn as items, in its order. Adjacent texts of one phase are one text that citations cut.
 * @throws Untranslatable for blocks that no item of the format holds
 */
export function encodeAssistant(message: Message, pathOf: PathOf, context: EncodeContext): InputItem[] {
  const items: InputItem[] = [];
  const reasoning = new ReasoningRun(context.target);
  const droppedCalls = findDroppedCalls(message.content);
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
    if (block.type !== 'text' || block.phase !== phase) endText();
    switch (block.type) {
      case 'text':
        said += block.text;
        phase = block.phase;
        break;
      case 'thinking':
      case 'redacted-thinking':
        reasoning.add(block);
        break;
      case 'tool-use':
        add(encodeCall(block, context));
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
        context.refuse(pathOf(index), `a ${block.type} block in an assistant turn`);
    }
  }
  endText();
  return items;
}

function encodeCall(block: ToolUseBlock, context: EncodeContext): InputItem {
  const { input } = block;
  return {
    type: 'function_call',
    call_id: context.callId(block.id),
    name: context.names.toWire(block.name),
    // Text is the caller's own JSON, kept byte for byte.
    arguments: typeof input !== 'string' ? printJson(input ?? {}) : input.trim() === '' ? '{}' : input,
  };
}

function foreignText(block: ContentBlock & { type: 'opaque' }, path: string, context: EncodeContext): string {
  const rule = ruleForForeign(block.opaque);
  if (rule.type === 'text') return rule.text;
  if (rule.type === 'drop') return '';
  return context.refuse(path, `a block of type ${rule.blockType}`);
}
