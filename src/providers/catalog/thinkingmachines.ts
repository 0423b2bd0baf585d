import type { ProviderDefinition } from '../../core/provider.js';

/**
 * Thinking Machines, by the Messages format: its other address serves checkpoints that an account trained itself
 * (tinker-docs.thinkingmachines.ai, by way of github.com/anomalyco/models.dev, providers/thinkingmachines; read
 * 2026-11-24).
 */
export const thinkingmachines: ProviderDefinition = {
  slug: 'thinkingmachines',
  credential: 'x-api-key',
  // No source states that other vendors of this format edit the context.
  quirks: { omit: ['context_management'] },
};
