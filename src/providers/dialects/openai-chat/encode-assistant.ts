import type { ContentBlock, Message, ThinkingBlock, ToolUseBlock } from '../../../core/conversation/content.js';
import { isAnthropicReasoning } from '../../../core/conversation/reasoning-mark.js';
import { printJson, type JsonObject } from '../../../core/json/json.js';
import { BLOCK_SEPARATOR } from '../block-text.js';
import type { EncodeContext } from './encode-context.js';
import { encodeReasoningDetail } from './encode-reasoning-details.js';
import { findDroppedCalls, ruleForForeign } from '../foreign-blocks.js';
import { TextRun } from '../text-run.js';
import type { ChatMessage, ChatToolCall, WireCacheControl } from './wire.js';

/** A block of a turn as errors name it. */
export type PathOf = (place: number) => string;

/**
 * One assistant turn as one message: its text, its reasoning where the target wants it back, and its tool calls.
 * @returns undefined for a turn of which the written rules keep nothing
 * @throws Untranslatable for blocks that no assistant message of the format holds
 */
export function encodeAssistant(message: Message, pathOf: PathOf, context: EncodeContext): ChatMessage | undefined {
  const texts = new TextRun();
  const reasoning: string[] = [];
  const details: JsonObject[] = [];
  const calls: ChatToolCall[] = [];
  const droppedCalls = findDroppedCalls(message.content);
  let marker: WireCacheControl | undefined;
  for (const [index, block] of message.content.entries()) {
    marker = context.cacheControl(block.cacheMarker).cache_control ?? marker;
    switch (block.type) {
      case 'text':
        texts.add(block.text);
        continue;
      case 'thinking':
      case 'redacted-thinking': {
        const detail = encodeReasoningDetail(block, details.length, context.target);
        if (detail !== undefined) details.push(detail);
        else if (block.type === 'thinking' && isWantedBack(block, context)) reasoning.push(block.thinking);
        break;
      }
      case 'tool-use':
        calls.push(encodeToolCall(block, context));
        break;
      case 'opaque':
        texts.interrupt();
        if (!droppedCalls.has(block.opaque.value['id'])) texts.add(foreignText(block, pathOf(index), context));
        break;
      default:
        context.refuse(pathOf(index), `a ${block.type} block in an assistant turn`);
    }
    texts.interrupt();
  }
  const text = texts.join();
  if (text === '' && calls.length === 0) return undefined;
  return {
    role: 'assistant',
    content: text === '' ? null : marker === undefined ? text : [{ type: 'text', text, cache_control: marker }],
    ...(reasoning.length > 0 && { reasoning_content: reasoning.join(BLOCK_SEPARATOR) }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...nameOf(message),
  };
}

/** The speaker's name, which only this format knows. */
export function nameOf({ origin }: Message): { name?: string } {
  const name = origin?.vendor === 'openai' ? origin.value['name'] : undefined;
  return typeof name === 'string' ? { name } : {};
}

/** A signature is another vendor's: signed reasoning goes only to the family that signed it. */
function isWantedBack(block: ThinkingBlock, context: EncodeContext): boolean {
  const isUnsigned = block.signature === undefined || block.signature === '' || !isAnthropicReasoning(block.mark);
  return context.target.definition.quirks.returnsReasoning === true && isUnsigned && block.thinking !== '';
}

function encodeToolCall(block: ToolUseBlock, context: EncodeContext): ChatToolCall {
  const { input } = block;
  return {
    id: context.toolCallId(block.id),
    type: 'function',
    function: {
      name: context.names.toWire(block.name),
      // Text is the caller's own JSON, kept byte for byte.
      arguments: typeof input !== 'string' ? printJson(input ?? {}) : input.trim() === '' ? '{}' : input,
    },
  };
}

function foreignText(block: ContentBlock & { type: 'opaque' }, path: string, context: EncodeContext): string {
  const rule = ruleForForeign(block.opaque);
  if (rule.type === 'text') return rule.text;
  if (rule.type === 'drop') return '';
  return context.refuse(path, `a block of type ${rule.blockType}`);
}
