import type { PluginEntry } from '../core/conversation/request.js';
import { ExactNumber, printJson, weigh } from '../core/json/json.js';
import { optionList } from '../shared/http/bounds.js';
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
 * Bytes, as JSON, of what an account or a workspace says of plugins: a process has it at hand for each workspace whose
 * keys are in use. Chosen.
 */
export const PLUGIN_DEFAULTS_BYTES_MAX = 32 * 1024;
/** No text that is short enough weighs as much: `weigh` has at most four bytes for one. */
const WEIGHT_MAX = 4 * PLUGIN_DEFAULTS_BYTES_MAX;

const preventOverrides = optional(
  described('Nobody below says otherwise: neither a workspace nor a request, `enabled: false` among it.', flag()),
);
const cases = Object.fromEntries(
  Object.entries(PLUGIN_OPTIONS).map(([id, options]) => [id, { ...options, prevent_overrides: preventOverrides }]),
);
const shape = compile(
  described(
    'What plugins do where a request says nothing of them.',
    optionList(named('plugin-default', closedThroughout(variant('id', cases)))),
  ),
);

/**
 * What bodies of management say of plugins: entries as `plugins` of a request has them, but that nothing unknown is
 * taken, for nobody would see that it does nothing.
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
  // What certainly is too long is not looked through to learn it.
  const isNear = weigh(entries, WEIGHT_MAX + 1) <= WEIGHT_MAX;
  if (!isNear || Buffer.byteLength(printJson(entries)) > PLUGIN_DEFAULTS_BYTES_MAX) {
    return { path: '', reason: `must have at most ${PLUGIN_DEFAULTS_BYTES_MAX} bytes as JSON` };
  }
  return unstorable(entries, []);
}

const STORABLE_TEXT = new RegExp(STORABLE.pattern, 'u');

/** The first part that the database has no place for. Bodies are at most so deep that this ends. */
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
