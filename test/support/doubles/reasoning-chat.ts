import type { JsonBody } from '../recorded-request.js';
import { chatDouble } from './openai-chat.js';
import { object, oneOf, text } from './wire-shape.js';

// Chat completions of vendors whose models think unless they are told not to, tell it unsigned as `reasoning_content`,
// and want it back: DeepSeek and Moonshot. Everything else is taken to be as at OpenAI. The threads named here were
// read on 2026-11-24.

const RULE = 'a turn without reasoning';

/**
 * DeepSeek's words (Gitlawb/openclaude#878), who wants it in every turn of the assistant's (openclaw/openclaw#73417,
 * earendil-works/pi#3640); Moonshot's refusal names turns with calls (MoonshotAI/kimi-agent-sdk#169). An empty text
 * counts as none at the newer models of both (NousResearch/hermes-agent#17341, theopenco/llmgateway#2093).
 */
export const reasoningChat = chatDouble({
  turn: { 'reasoning_content?': text },
  fields: { 'thinking?': object({ type: oneOf('an unknown way of thinking', 'enabled', 'disabled') }) },
  // No source was found for a bound.
  callId: text,
  rules: [RULE],
  refuse({ body: { messages, thinking } }) {
    const lacks = ({ role, reasoning_content: told }: JsonBody): boolean => role === 'assistant' && !told;
    return thinking?.type !== 'disabled' && messages.some(lacks)
      ? { rule: RULE, message: 'The `reasoning_content` in the thinking mode must be passed back to the API.' }
      : undefined;
  },
  tellsReasoning: true,
});
