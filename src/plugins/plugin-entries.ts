import type { PluginEntry } from '../core/conversation/request.js';
import type { TProperties } from '../shared/http/schema.js';
import { ALL_PLUGINS } from './plugin-list.js';

/** Options of every plugin by its id, in alphabetical order. */
export const PLUGIN_OPTIONS: Readonly<Record<string, TProperties>> = Object.fromEntries(
  ALL_PLUGINS.map(({ id, options }) => [id, options as TProperties] as const).sort(([one], [other]) =>
    one < other ? -1 : 1,
  ),
);

/** The fault of the second of two entries of one plugin; `at` is its index. Undefined where no plugin has two. */
export function repeatedEntry(
  entries: readonly PluginEntry[],
): { readonly at: number; readonly reason: string } | undefined {
  const at = entries.findIndex(({ id }, index) => entries.findIndex((entry) => entry.id === id) < index);
  return at === -1 ? undefined : { at, reason: `${entries[at]!.id} has an entry already; send one` };
}
