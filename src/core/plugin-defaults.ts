import type { PluginEntry } from './conversation/request.js';

/**
 * The stored plugin defaults of a caller's account and workspace: entries as in a request, which may have
 * `prevent_overrides` (docs/use/tools-and-plugins.md#defaults). The same object for as long as the latest result of the
 * store is in use, so that results can be memoised by it.
 */
export interface PluginDefaults {
  readonly account: readonly PluginEntry[];
  readonly workspace: readonly PluginEntry[];
}

const NONE: readonly never[] = Object.freeze([]);

/** The defaults of nearly every caller. */
export const NO_DEFAULTS: PluginDefaults = Object.freeze({ account: NONE, workspace: NONE });
