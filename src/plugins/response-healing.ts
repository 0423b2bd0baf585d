import type { Plugin } from '../core/plugin.js';
import { flag, optional } from '../shared/http/schema.js';

/** Repairs JSON that was asked for and did not come out whole (docs/wire/tools-and-plugins.md#plugins). */
export const responseHealing: Plugin = {
  id: 'response-healing',
  options: {
    enabled: optional(flag()),
  },
};
