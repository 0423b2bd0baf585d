import type { Plugin } from '../core/plugin.js';
import { flag, number, oneOf, optional } from '../shared/http/schema.js';

/** Chooses the cheapest model of a tier of coding scores (docs/wire/tools-and-plugins.md#plugins). */
export const paretoRouter: Plugin = {
  id: 'pareto-router',
  options: {
    enabled: optional(flag()),
    min_coding_score: optional(number({ min: 0, max: 1 })),
    price_source: optional(oneOf(['prompt', 'weighted_avg'])),
  },
};
