import type { Message, ToolUseBlock } from '../../../core/conversation/content.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { Steps } from '../../../core/steps.js';
import { BLOCK_SEPARATOR } from '../block-text.js';
import type { PathOf } from '../encode-context.js';
import { printToolInput } from '../encode-tool-input.js';
import { findDroppedCalls, foreignText } from '../foreign-blocks.js';
import type { ChatContext } from './encode-context.js';
import { encodeReasoningDetail, isOwn } from './encode-reasoning-details.js';
import { reasoningForm } from '../reasoning-form.js';
import { TextRun } from '../text-run.js';
import { KNOWS_DETAILS } from './table.js';
import type { ChatMessage, ChatToolCall, WireCacheControl } from './wire.js';

/**
 * Stands for reasoning that is missing or another vendor's. Targets that require reasoning back refuse a turn without
 * it, and an empty text counts as missing (theopenco/llmgateway#2093, NousResearch/hermes-agent#17341; read
 * 2026-11-24). Every turn gets the same text, whatever else the request has, so that equal prefixes stay equal bytes.
 */
const NO_REASONING = ' ';

/**
 * One assistant turn as one message: its text, its reasoning where the target requires it back, and its tool calls.
 * @returns undefined when the rules drop the whole turn
 * @throws Untranslatable for blocks that no assistant message of the format can hold
 */
export function* encodeAssistant(
  message: Message,
  pathOf: PathOf,
  context: ChatContext,
): Steps<ChatMessage | undefined> {
  const texts = new TextRun();
  const reasoning: string[] = [];
  const details: JsonObject[] = [];
  const calls: ChatToolCall[] = [];
  const droppedCalls = findDroppedCalls(message.content, context);
  let marker: WireCacheControl | undefined;
  for (const [index, block] of message.content.entries()) {
    if (context.steps.isOver()) yield;
    marker = context.cacheControl(block.cacheMarker).cache_control ?? marker;
    switch (block.type) {
      case 'text':
        texts.add(block.text);
        continue;
      case 'thinking':
      case 'redacted-thinking': {
        const form = reasoningForm(block, isOwn(block, context.target));
        if (!context.admits(form, pathOf(index))) break;
        const isInWords = form === 'thinking_unsigned' || !KNOWS_DETAILS.holds(context.target);
        if (!isInWords) details.push(encodeReasoningDetail(block, details.length));
        else if (block.type === 'thinking' && block.thinking !== '') reasoning.push(block.thinking);
        break;
      }
      case 'tool-use':
        calls.push(yield* encodeToolCall(block, context));
        break;
      case 'opaque':
        texts.interrupt();
        if (!droppedCalls.has(block.opaque.value['id'])) texts.add(foreignText(block, pathOf(index), context));
        break;
      default:
        context.refuseIn('an assistant turn', pathOf(index), block);
    }
    texts.interrupt();
  }
  const text = texts.join();
  if (text === '' && calls.length === 0) return undefined;
  const reasoningText = reasoning.join(BLOCK_SEPARATOR);
  return {
    role: 'assistant',
    content: text === '' ? null : marker === undefined ? text : [{ type: 'text', text, cache_control: marker }],
    ...(context.target.definition.quirks.returnsReasoning && { reasoning_content: reasoningText || NO_REASONING }),
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

function* encodeToolCall(block: ToolUseBlock, context: ChatContext): Steps<ChatToolCall> {
  return {
    id: context.callId(block),
    type: 'function',
    function: { name: context.names.toWire(block.name), arguments: yield* printToolInput(block.input) },
  };
}
