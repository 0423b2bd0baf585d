import { GatewayError } from '../core/errors.js';
import type { JsonObject } from '../core/json/json.js';
import { SERVICE_TOOL_PREFIX } from '../core/tool.js';
import { shortened } from '../core/shortened.js';
import { nearestName } from '../shared/http/nearest-name.js';
import { serviceTools } from '../shared/http/service-tools.js';

/** What a tool of the gateway's is made of, on every face. */
const SERVICE_FIELDS: ReadonlySet<string> = new Set(['type', 'parameters', 'cache_control']);
const SERVICE_TYPES = Object.keys(serviceTools);
/** Types of OpenRouter that this gateway does not know to serve: none of them is a slip of the pen. */
const OTHER_SERVICE_TYPES: ReadonlySet<string> = new Set(
  ['subagent', 'fusion', 'files', 'apply_patch'].map((name) => SERVICE_TOOL_PREFIX + name),
);

/**
 * Holds a tool of the gateway's to its form: options beside `parameters` would have no effect.
 * @param path `tools.0`
 * @throws GatewayError `invalid-request` that shows the right form, or names the type that was meant
 */
export function assertServiceForm(tool: JsonObject, type: string, path: string): void {
  if (!SERVICE_TYPES.includes(type) && !OTHER_SERVICE_TYPES.has(type)) {
    const nearest = nearestName(type, SERVICE_TYPES);
    if (nearest !== undefined) throw mistyped(path, nearest);
  }
  const stranger = Object.keys(tool).find((key) => !SERVICE_FIELDS.has(key));
  if (stranger === undefined) return;
  const name = shortened(stranger);
  const meant = nearestName(stranger, SERVICE_FIELDS);
  if (meant !== undefined)
    throw new GatewayError('invalid-request', `${path}.${name}: is not a known field; did you mean ${meant}?`);
  throw new GatewayError(
    'invalid-request',
    `${path}.${name}: is not a known field; options stand in parameters: {"type": "${shortened(type)}", "parameters": {"${name}": …}}`,
  );
}

/** A version of a vendor’s tool: a date, or a number. */
const VERSION = /_?\d[\d_]*$/;
/** Most slips of the pen in the name of a vendor's tool: of other tools' names they are more. */
const SLIPS_MAX = 2;

/**
 * Whether the type of a vendor's tool is a known one but for its letters or a missing version. Another version is one
 * that its vendor may know.
 * @param path `tools.0`
 * @throws GatewayError `invalid-request` that names the type that was meant
 */
export function assertVendorType(type: string, known: readonly string[], path: string): void {
  if (known.includes(type)) return;
  const name = type.replace(VERSION, '');
  const names = known.map((one) => one.replace(VERSION, ''));
  if (names.includes(name) && VERSION.test(type)) return;
  const nearest = nearestName(name, names, SLIPS_MAX);
  const meant = nearest === undefined ? undefined : known[names.indexOf(nearest)];
  if (meant !== undefined) throw mistyped(path, meant);
  const service = SERVICE_TOOL_PREFIX + type.replace(/^openrouter[_.-]/, '');
  if (SERVICE_TYPES.includes(service)) throw mistyped(path, service);
}

const mistyped = (path: string, meant: string): GatewayError =>
  new GatewayError('invalid-request', `${path}.type: is not a known type; did you mean ${meant}?`);
