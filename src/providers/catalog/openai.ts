import type { ProviderDefinition } from '../../core/provider.js';

/** OpenAI: its reasoning models take only the newer name of the output limit. */
export const openai: ProviderDefinition = {
  slug: 'openai',
  credential: 'bearer',
  quirks: {
    maxTokensField: 'max_completion_tokens',
    reasoningStyle: 'reasoning_effort',
    efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
    acceptsFiles: true,
    serviceTiers: true,
    toolCallIdMax: 40,
  },
};
