import { Type, type TProperties } from '@sinclair/typebox';
import type { PluginEntry } from '../../core/conversation/request.js';
import { ALL_PLUGINS } from '../../plugins/plugin-list.js';
import { optionList } from '../../shared/http/bounds.js';
import { variant } from '../../shared/http/schema.js';

/** In the order in which callers look them up. */
const cases = Object.fromEntries(
  ALL_PLUGINS.map(({ id, options }) => [id, options as TProperties] as const).sort(([one], [other]) =>
    one < other ? -1 : 1,
  ),
);

/** Options of the plugins, by id (docs/wire/tools-and-plugins.md#plugins). Later additions to them are tolerated. */
export const plugins = optionList(Type.Unsafe<PluginEntry>(variant('id', cases)));
