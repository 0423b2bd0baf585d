import type { PluginEntry } from '../core/conversation/request.js';
import { ExactNumber, printJson, weigh } from '../core/json/json.js';
import { optionList } from '../shared/http/maxima.js';
import { STORABLE } from '../shared/http/field-patterns.js';
import {
  closedThroughout,
  compile,
  described,
  flag,
  named,
  optional,
  pathText,
  variant,
  type Compiled,
  type Fault,
} from '../shared/http/schema.js';
import { PLUGIN_OPTIONS, repeatedEntry } from './plugin-entries.js';

/**
 * Bytes, as JSON, of the plugin defaults of an account or a workspace. A process caches them for each workspace whose
 * keys are in use. Chosen.
 */
export const PLUGIN_DEFAULTS_BYTES_MAX = 32 * 1024;
/** `weigh` counts at most four bytes for one, so no permitted value weighs more. */
const WEIGHT_MAX = 4 * PLUGIN_DEFAULTS_BYTES_MAX;

const preventOverrides = optional(
  described('Neither a workspace nor a request can override it, not even with `enabled: false`.', flag()),
);
const cases = Object.fromEntries(
  Object.entries(PLUGIN_OPTIONS).map(([id, options]) => [id, { ...options, prevent_overrides: preventOverrides }]),
);
const shape = compile(
  described(
    'Options of plugins for requests that do not set them.',
    optionList(named('plugin-default', closedThroughout(variant('id', cases)))),
  ),
);

/**
 * The plugin defaults of management bodies: entries as in `plugins` of a request, but unknown members are refused,
 * since their lack of effect would go unnoticed.
 */
export const pluginDefaults: Compiled<readonly PluginEntry[]> = {
  schema: shape.schema,
  check: (value): value is readonly PluginEntry[] => faultOf(value) === undefined,
  fault: faultOf,
};

function faultOf(value: unknown): Fault | undefined {
  if (!shape.check(value)) return shape.fault(value);
  const entries: readonly PluginEntry[] = value;
  const repeated = repeatedEntry(entries);
  if (repeated) return { path: `${repeated.at}.id`, reason: repeated.reason };
  // A value that is surely too long is not printed to find out.
  const isNear = weigh(entries, WEIGHT_MAX + 1) <= WEIGHT_MAX;
  if (!isNear || Buffer.byteLength(printJson(entries)) > PLUGIN_DEFAULTS_BYTES_MAX) {
    return { path: '', reason: `must have at most ${PLUGIN_DEFAULTS_BYTES_MAX} bytes as JSON` };
  }
  return unstorable(entries, []);
}

const STORABLE_TEXT = new RegExp(STORABLE.pattern, 'u');

/** The first part that the database cannot store. The depth of bodies is limited, so the recursion ends. */
function unstorable(value: unknown, at: readonly string[]): Fault | undefined {
  if (typeof value === 'string') {
    return STORABLE_TEXT.test(value) ? undefined : { path: pathText(at), reason: STORABLE.reason };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof ExactNumber) return { path: pathText(at), reason: 'must have fewer digits' };
  for (const [key, part] of Object.entries(value)) {
    const fault = unstorable(part, [...at, key]) ?? unstorable(key, at);
    if (fault) return fault;
  }
  return undefined;
}
