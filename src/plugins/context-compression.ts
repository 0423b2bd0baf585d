import type { Plugin } from '../core/plugin.js';
import { flag, oneOf, optional } from '../shared/http/schema.js';

/**
 * Leaves out of the middle of a conversation what its model has no room for
 * (docs/wire/tools-and-plugins.md#plugins).
 */
export const contextCompression: Plugin = {
  id: 'context-compression',
  options: {
    enabled: optional(flag()),
    engine: optional(oneOf(['middle-out'])),
  },
};
