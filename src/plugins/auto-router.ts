import type { Plugin } from '../core/plugin.js';
import { flag, integer, optional } from '../shared/http/schema.js';
import { modelNames } from '../shared/http/bounds.js';

/** Chooses the model by the prompt, its quality and its price (docs/wire/tools-and-plugins.md#plugins). */
export const autoRouter: Plugin = {
  id: 'auto-router',
  options: {
    enabled: optional(flag()),
    allowed_models: optional(modelNames()),
    cost_quality_tradeoff: optional(integer({ min: 0, max: 10 })),
  },
};
