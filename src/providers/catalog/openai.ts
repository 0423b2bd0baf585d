import type { ProviderDefinition } from '../../core/provider.js';
import { DENIED_FIELDS } from './denied-fields.js';

/**
 * OpenAI: its reasoning models take only the newer name of the output limit. By its guide on moving to responses,
 * new accounts keep chat completions unless told otherwise (read 2026-11-23).
 */
export const openai: ProviderDefinition = {
  slug: 'openai',
  credential: 'bearer',
  quirks: {
    maxTokensField: 'max_completion_tokens',
    reasoningStyle: 'reasoning_effort',
    efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
    acceptsFiles: true,
    serviceTiers: true,
    storesReplies: true,
    returnsReasoningDetails: false,
    toolCallIdMax: 40,
  },
  undeclared: { allBut: DENIED_FIELDS },
};
