import type { ProviderDefinition } from '../../core/provider.js';
import { DENIED_FIELDS } from './denied-fields.js';

/**
 * OpenAI: its reasoning models take only the newer name of the output limit. By its guide on moving to responses, new
 * accounts store chat completions unless the request declines it (read 2026-11-23). Efforts: `ReasoningEffort` of
 * openai (npm) 7.59.0, read 2026-11-29; which of them a model takes is in `model-rules/model-rules.ts`.
 */
export const openai: ProviderDefinition = {
  slug: 'openai',
  credential: 'bearer',
  quirks: {
    maxTokensField: 'max_completion_tokens',
    reasoningStyle: 'reasoning_effort',
    efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    acceptsFiles: true,
    namesAllowedTools: true,
    serviceTiers: true,
    storesReplies: true,
    returnsReasoningDetails: false,
    toolCallIdMax: 40,
  },
  undeclared: { allBut: DENIED_FIELDS },
};
