import type { ProviderDefinition } from '../../core/provider.js';
import { DENIED_FIELDS } from './denied-fields.js';

/**
 * Azure, on its platform: OpenAI's models with OpenAI's fields (learn.microsoft.com, Azure OpenAI in Foundry Models,
 * API reference v1; read 2026-11-23). Efforts: learn.microsoft.com, type ReasoningEffort of @azure/ai-projects, read
 * 2026-11-29. It stores replies only where the request asks for it.
 */
export const azure: ProviderDefinition = {
  slug: 'azure',
  credential: 'api-key',
  quirks: {
    maxTokensField: 'max_completion_tokens',
    reasoningStyle: 'reasoning_effort',
    efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    acceptsFiles: true,
    namesAllowedTools: true,
    toolCallIdMax: 40,
  },
  undeclared: { allBut: DENIED_FIELDS },
};
