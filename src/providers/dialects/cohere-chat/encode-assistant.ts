import type { ContentBlock, Message, ThinkingBlock, ToolUseBlock } from '../../../core/conversation/content.js';
import { printJson } from '../../../core/json/json.js';
import { findDroppedCalls, ruleForForeign } from '../foreign-blocks.js';
import { lists } from '../listed-parameters.js';
import { TextRun } from '../text-run.js';
import type { EncodeContext } from './encode-context.js';
import { COHERE_REASONING } from './reasoning.js';
import type { CohereMessage, CoherePart, CohereToolCall } from './wire.js';

/**
 * One assistant turn as one message. Its text beside calls is no content there, which the vendor refuses: models that
 * reason take it as thinking, and the others as the plan of their calls (github.com/vercel/ai, issue 5794).
 * @returns undefined for a turn of which the written rules keep nothing
 * @throws Untranslatable for blocks that no assistant message of the format holds
 */
export function encodeAssistant(
  message: Message,
  pathOf: (place: number) => string,
  context: EncodeContext,
): CohereMessage | undefined {
  const texts = new TextRun();
  const thoughts: CoherePart[] = [];
  const calls: CohereToolCall[] = [];
  const droppedCalls = findDroppedCalls(message.content);
  for (const [index, block] of message.content.entries()) {
    switch (block.type) {
      case 'text':
        texts.add(block.text);
        continue;
      case 'thinking':
        if (isWantedBack(block, context)) thoughts.push({ type: 'thinking', thinking: block.thinking });
        break;
      case 'redacted-thinking':
        // The vendor seals nothing: it is another's.
        break;
      case 'tool-use':
        calls.push(encodeToolCall(block, context));
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
        context.refuse(pathOf(index), `a ${block.type} block in an assistant turn`);
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
  { target }: EncodeContext,
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

/**
 * Its own, which it does not sign: known again by its mark, or by having neither mark nor signature, where a format had
 * no place for one.
 */
function isWantedBack({ thinking, signature = '', mark }: ThinkingBlock, { target }: EncodeContext): boolean {
  if (thinking === '' || signature !== '') return false;
  return mark === undefined || (mark.format === COHERE_REASONING && mark.provider === target.endpoint.provider.slug);
}

function encodeToolCall({ id, name, input }: ToolUseBlock, context: EncodeContext): CohereToolCall {
  return {
    id,
    type: 'function',
    function: {
      name: context.names.toWire(name),
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
