import type { PluginEntry } from './conversation/request.js';

/**
 * What the account and the workspace of a caller say of plugins, as it is stored: entries as a request has them, which
 * may have `prevent_overrides` (docs/wire/tools-and-plugins.md#defaults). The same object for as long as the store's
 * last answer is in use: what is made of it may be kept by it.
 */
export interface PluginDefaults {
  readonly account: readonly PluginEntry[];
  readonly workspace: readonly PluginEntry[];
}

const NONE: readonly never[] = Object.freeze([]);

/** Of nearly every caller. */
export const NO_DEFAULTS: PluginDefaults = Object.freeze({ account: NONE, workspace: NONE });
