import type { Plugin } from '../core/plugin.js';
import { flag, freeForm, integer, list, object, oneOf, optional } from '../shared/http/schema.js';
import { name, word } from '../shared/http/bounds.js';

/**
 * Asks a panel of models, has their answers judged, and answers by what the judge found
 * (docs/wire/tools-and-plugins.md#plugins).
 */
export const fusion: Plugin = {
  id: 'fusion',
  options: {
    enabled: optional(flag()),
    analysis_models: optional(list(name(), { min: 1, max: 8 })),
    model: optional(name()),
    preset: optional(oneOf(['general-high', 'general-budget', 'general-fast'])),
    max_tool_calls: optional(integer({ min: 1, max: 16 })),
    tools: optional(list(object({ type: word(), parameters: optional(freeForm()) }), { max: 8 })),
  },
};
