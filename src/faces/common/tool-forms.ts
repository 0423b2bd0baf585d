import { GatewayError } from '../../core/errors.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import { SERVICE_TOOL_PREFIX } from '../../core/tool.js';
import { shortened } from '../../core/shortened.js';
import { nearestName, nearestUnderPrefix, suggestOrListFields } from '../../shared/http/nearest-name.js';
import { fieldNames } from '../../shared/http/schema.js';
import { openParameters, serviceTools } from './schemas/service-tools.js';

/** The schema of a function without one: it takes no arguments. */
export const NO_ARGUMENTS: JsonObject = { type: 'object', properties: {} };

/** The fields of a service tool, on every face. */
const SERVICE_FIELDS: ReadonlySet<string> = new Set(['type', 'parameters', 'cache_control']);
const SERVICE_TYPES = Object.keys(serviceTools);
/** Types of OpenRouter that this gateway does not serve: none of them is a typing error. */
const OTHER_SERVICE_TYPES: ReadonlySet<string> = new Set(
  ['subagent', 'fusion', 'files', 'apply_patch'].map((name) => SERVICE_TOOL_PREFIX + name),
);

const PARAMETERS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(serviceTools).flatMap(([type, { parameters }]) => {
    const open = openParameters.get(type) ?? [];
    return open === 'any' ? [] : [[type, [...fieldNames(parameters), ...open]]];
  }),
);

/**
 * Checks the form of a service tool: options beside `parameters`, and unknown ones in it, would have no effect.
 * @param path `tools.0`
 * @throws GatewayError `invalid-request` that shows the right form, or names the type that was meant
 */
export function assertServiceForm(tool: JsonObject, type: string, path: string): void {
  if (!SERVICE_TYPES.includes(type) && !OTHER_SERVICE_TYPES.has(type)) {
    const nearest = nearestName(type, SERVICE_TYPES);
    if (nearest !== undefined) throw mistyped(path, nearest);
  }
  const unknownField = Object.keys(tool).find((key) => !SERVICE_FIELDS.has(key));
  if (unknownField === undefined) {
    assertParameters(tool['parameters'], PARAMETERS.get(type), `${path}.parameters`);
    return;
  }
  const name = shortened(unknownField);
  const meant = nearestName(unknownField, SERVICE_FIELDS);
  if (meant !== undefined)
    throw new GatewayError('invalid-request', `${path}.${name}: is not a known field; did you mean ${meant}?`);
  throw new GatewayError(
    'invalid-request',
    `${path}.${name}: is not a known field; options stand in parameters: {"type": "${shortened(type)}", "parameters": {"${name}": …}}`,
  );
}

/** @param known undefined: any */
function assertParameters(parameters: Json | undefined, known: readonly string[] | undefined, path: string): void {
  if (known === undefined || !isJsonObject(parameters)) return;
  const unknownField = Object.keys(parameters).find((key) => !known.includes(key));
  if (unknownField === undefined) return;
  const reason = suggestOrListFields(unknownField, known);
  throw new GatewayError('invalid-request', `${path}.${shortened(unknownField)}: ${reason}`);
}

/** Keywords that combine schemas. */
const COMBINING = ['anyOf', 'oneOf', 'allOf'] as const;

/** Whether a schema may hold for an object, by the keywords of JSON Schema or of Google's schemas. */
function mayBeObject(schema: Json): boolean {
  if (!isJsonObject(schema)) return schema === true;
  const { type } = schema;
  if (type === undefined || type === null) return true;
  return [type].flat().some((name) => typeof name === 'string' && name.toLowerCase() === 'object');
}

/**
 * Checks the schema of a tool of the caller's: its arguments are an object in every format.
 * @param path `tools.0.input_schema`
 * @throws GatewayError `invalid-request` for a schema of something else
 */
export function assertObjectSchema(schema: JsonObject, path: string): void {
  if (!mayBeObject(schema)) {
    throw new GatewayError('invalid-request', `${path}.type: must be object, as the arguments of a tool are one`);
  }
  for (const keyword of COMBINING) {
    const list = schema[keyword];
    if (!Array.isArray(list) || list.length === 0) continue;
    const schemas = list as readonly Json[];
    if (keyword === 'allOf' ? schemas.every(mayBeObject) : schemas.some(mayBeObject)) continue;
    const words = 'must allow an object, as the arguments of a tool are one';
    throw new GatewayError('invalid-request', `${path}.${keyword}: ${words}`);
  }
}

/** A version of a vendor’s tool: a date, or a number. */
const VERSION = /_?\d[\d_]*$/;
/** Maximum number of typing errors in the name of a vendor's tool: the names of other tools differ by more. */
const SLIPS_MAX = 2;

/**
 * Rejects a type of a vendor's tool that is misspelt or lacks a version. Another version is accepted, because its
 * vendor may know it.
 * @param path `tools.0`
 * @throws GatewayError `invalid-request` that names the type that was meant
 */
export function assertVendorType(type: string, known: readonly string[], path: string): void {
  if (known.includes(type)) return;
  const name = type.replace(VERSION, '');
  const names = known.map((knownType) => knownType.replace(VERSION, ''));
  if (names.includes(name) && VERSION.test(type)) return;
  const nearest = nearestName(name, names, SLIPS_MAX);
  const meant = nearest === undefined ? undefined : known[names.indexOf(nearest)];
  if (meant !== undefined) throw mistyped(path, meant);
  const service = SERVICE_TOOL_PREFIX + type;
  const meantService = SERVICE_TYPES.includes(service)
    ? service
    : (nearestUnderPrefix(type, SERVICE_TYPES) ?? nearestName(type, SERVICE_TYPES, SLIPS_MAX));
  if (meantService !== undefined) throw mistyped(path, meantService);
}

const mistyped = (path: string, meant: string): GatewayError =>
  new GatewayError('invalid-request', `${path}.type: is not a known type; did you mean ${meant}?`);
