import type { ProviderDefinition } from '../../core/provider.js';
import type { Quirks } from '../../core/quirks.js';

/**
 * Reasoning is switched on and off, and comes back in the history: without it the next turn
 * after a tool call is refused.
 */
const RETURNED_THINKING: Quirks = { reasoningStyle: 'thinking_object', returnsReasoning: true };

/** Providers of the chat format that one line tells apart. */
export const openaiCompatible: readonly ProviderDefinition[] = [
  compatible('cerebras', {
    maxTokensField: 'max_completion_tokens',
    reasoningStyle: 'reasoning_effort',
    omit: ['frequency_penalty', 'presence_penalty', 'logit_bias'],
  }),
  compatible('deepinfra', { reasoningStyle: 'reasoning_effort' }),
  compatible('deepseek', RETURNED_THINKING),
  compatible('fireworks', { reasoningStyle: 'reasoning_effort' }),
  compatible('groq', {
    maxTokensField: 'max_completion_tokens',
    reasoningStyle: 'reasoning_effort',
    omit: ['logit_bias', 'logprobs', 'top_logprobs'],
  }),
  compatible('moonshotai', RETURNED_THINKING),
  compatible('together', { reasoningStyle: 'reasoning_effort' }),
  // Reasoning is counted beside what the limit holds for (docs/reasons/money.md#plausible-usage).
  compatible('xai', { reasoningStyle: 'reasoning_effort', countsReasoningApart: true }),
  compatible('z-ai', RETURNED_THINKING),
];

function compatible(slug: string, quirks: Quirks): ProviderDefinition {
  return { slug, credential: 'bearer', quirks };
}
