import type { ProviderDefinition } from '../../core/provider.js';

/**
 * Thinking Machines, by the Messages format: its other address serves checkpoints of one's own training
 * (tinker-docs.thinkingmachines.ai, as github.com/anomalyco/models.dev, providers/thinkingmachines, tells it; read
 * 2026-11-24).
 */
export const thinkingmachines: ProviderDefinition = {
  slug: 'thinkingmachines',
  credential: 'x-api-key',
  // Nothing says that others edit the context who speak this format.
  quirks: { omit: ['context_management'] },
};
