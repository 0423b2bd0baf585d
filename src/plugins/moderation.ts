import type { Plugin } from '../core/plugin.js';

/** Refuses what is asked or answered that may not be (docs/wire/tools-and-plugins.md#plugins). */
export const moderation: Plugin = {
  id: 'moderation',
  options: {},
};
