import type { Message, ToolUseBlock } from '../../../core/conversation/content.js';
import type { Steps } from '../../../core/steps.js';
import type { PathOf } from '../encode-context.js';
import { printToolInput } from '../encode-tool-input.js';
import { findDroppedCalls, foreignText } from '../foreign-blocks.js';
import { lists } from '../listed-parameters.js';
import { reasoningForm, type ReasoningBlock } from '../reasoning-form.js';
import { TextRun } from '../text-run.js';
import type { CohereContext } from './encode-context.js';
import { COHERE_REASONING } from './reasoning.js';
import type { CohereMessage, CoherePart, CohereToolCall } from './wire.js';

/**
 * One assistant turn as one message. The vendor refuses content beside calls. So models that reason get the text as
 * thinking, and other models get it as the plan of the calls (github.com/vercel/ai, issue 5794).
 * @returns undefined when the rules drop the whole turn
 * @throws Untranslatable for blocks that no assistant message of the format can hold
 */
export function* encodeAssistant(
  message: Message,
  pathOf: PathOf,
  context: CohereContext,
): Steps<CohereMessage | undefined> {
  const texts = new TextRun();
  const thoughts: CoherePart[] = [];
  const calls: CohereToolCall[] = [];
  const droppedCalls = findDroppedCalls(message.content, context);
  for (const [index, block] of message.content.entries()) {
    if (context.steps.isOver()) yield;
    switch (block.type) {
      case 'text':
        texts.add(block.text);
        continue;
      case 'thinking':
      case 'redacted-thinking': {
        const isShown = context.admits(reasoningForm(block, isOwn(block, context)), pathOf(index));
        if (isShown && block.type === 'thinking' && block.thinking !== '') {
          thoughts.push({ type: 'thinking', thinking: block.thinking });
        }
        break;
      }
      case 'tool-use':
        calls.push(yield* encodeToolCall(block, context));
        break;
      case 'opaque':
        texts.interrupt();
        if (!droppedCalls.has(block.opaque.value['id'])) texts.add(foreignText(block, pathOf(index), context));
        break;
      case 'image':
      case 'document':
      case 'audio':
      case 'video':
      case 'search-result':
      case 'tool-result':
        context.refuseIn('an assistant turn', pathOf(index), block);
    }
    texts.interrupt();
  }
  const text = texts.join();
  if (calls.length > 0) return callingMessage(text, thoughts, calls, context);
  if (text === '') return undefined;
  return { role: 'assistant', content: thoughts.length === 0 ? text : [...thoughts, { type: 'text', text }] };
}

function callingMessage(
  text: string,
  thoughts: readonly CoherePart[],
  calls: readonly CohereToolCall[],
  { target }: CohereContext,
): CohereMessage {
  const reasons = thoughts.length > 0 || lists(target, 'reasoning', 'reasoning_effort');
  const content: readonly CoherePart[] =
    reasons && text !== '' ? [...thoughts, { type: 'thinking', thinking: text }] : thoughts;
  return {
    role: 'assistant',
    ...(content.length > 0 && { content }),
    ...(!reasons && text !== '' && { tool_plan: text }),
    tool_calls: calls,
  };
}

/** The vendor neither signs nor encrypts reasoning: its mark identifies its own. */
const isOwn = ({ mark }: ReasoningBlock, { target }: CohereContext): boolean =>
  mark?.format === COHERE_REASONING && mark.provider === target.endpoint.provider.slug;

function* encodeToolCall(block: ToolUseBlock, context: CohereContext): Steps<CohereToolCall> {
  return {
    id: context.callId(block),
    type: 'function',
    function: { name: context.names.toWire(block.name), arguments: yield* printToolInput(block.input) },
  };
}
