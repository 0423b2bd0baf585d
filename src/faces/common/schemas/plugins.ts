import { Type } from '@sinclair/typebox';
import type { PluginEntry } from '../../../core/conversation/request.js';
import { PLUGIN_OPTIONS } from '../../../plugins/plugin-entries.js';
import { optionList } from '../../../shared/http/maxima.js';
import { variant } from '../../../shared/http/schema.js';

/** Options of the plugins, by id (docs/use/tools-and-plugins.md#plugins). Later additions to them are tolerated. */
export const plugins = optionList(Type.Unsafe<PluginEntry>(variant('id', PLUGIN_OPTIONS)));
