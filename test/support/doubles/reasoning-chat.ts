import type { JsonBody } from '../recorded-request.js';
import { chatDouble } from './openai-chat.js';
import { object, oneOf, text } from './wire-shape.js';

// Chat completions of vendors whose models think unless that is disabled, emit it unsigned as `reasoning_content`, and
// require it back: DeepSeek and Moonshot. Everything else is assumed to be as at OpenAI. The threads named here were
// read on 2026-11-24.

const RULE = 'a turn without reasoning';

/**
 * The wording is DeepSeek's (Gitlawb/openclaude#878), which requires it in every assistant turn
 * (openclaw/openclaw#73417, earendil-works/pi#3640); Moonshot's refusal names turns with calls
 * (MoonshotAI/kimi-agent-sdk#169). The newer models of both treat an empty text as absent
 * (NousResearch/hermes-agent#17341, theopenco/llmgateway#2093).
 */
export const reasoningChat = chatDouble({
  turn: { 'reasoning_content?': text },
  fields: { 'thinking?': object({ type: oneOf('an unknown way of thinking', 'enabled', 'disabled') }) },
  // No source was found for a bound.
  callId: text,
  rules: [RULE],
  refuse({ body: { messages, thinking } }) {
    const lacks = ({ role, reasoning_content: reasoning }: JsonBody): boolean => role === 'assistant' && !reasoning;
    return thinking?.type !== 'disabled' && messages.some(lacks)
      ? { rule: RULE, message: 'The `reasoning_content` in the thinking mode must be passed back to the API.' }
      : undefined;
  },
  emitsReasoning: true,
});
