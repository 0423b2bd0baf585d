import type { Json, JsonObject } from '../../core/json/json.js';
import { inWords } from './schema-notes.js';
import { hasType } from './schema-walk.js';

/** Keywords whose value is data: null is a value there. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'example', 'examples']);
/** Keywords that were flags in older drafts. */
const FLAGS: ReadonlySet<string> = new Set(['required', 'exclusiveMinimum', 'exclusiveMaximum']);
/** Exclusive bounds: a flag beside the bound in draft 4, a number of their own in later drafts. */
const BOUNDS = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const;

const TYPES: ReadonlySet<unknown> = new Set(['string', 'object', 'array', 'integer', 'number', 'boolean', 'null']);
/** Google's own schemas have types in capitals, and counts as texts (ai.google.dev/api/caching#Schema). */
const NO_TYPE = 'TYPE_UNSPECIFIED';
const COUNTS = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'] as const;

/** Whether one schema names its types as JSON Schema does. */
export function hasPlainType({ type }: JsonObject): boolean {
  if (typeof type === 'string') return TYPES.has(type);
  if (type === undefined || type === null) return true;
  return Array.isArray(type) && type.length > 0 && (type as readonly Json[]).every((one) => TYPES.has(one));
}

/**
 * One schema in the words of JSON Schema, which every format takes. Others are Google's, of which `nullable` is restated
 * too, and words of languages (`int`, `any`): these go into the description, and any value is allowed.
 */
export function inPlainWords(schema: JsonObject): JsonObject {
  if (hasPlainType(schema)) return schema;
  const { type, nullable, ...others } = schema;
  const types = new Set<Json>();
  const strange: Json[] = [];
  for (const one of [type].flat() as readonly Json[]) {
    const word = typeof one === 'string' ? one.toLowerCase() : one;
    if (TYPES.has(word)) types.add(word);
    else if (one !== NO_TYPE) strange.push(one);
  }
  if (nullable === true && types.size > 0) types.add('null');
  const plain: Record<string, Json | undefined> = { ...others };
  for (const keyword of COUNTS) {
    const count = schema[keyword];
    if (typeof count === 'string' && /^\d{1,15}$/.test(count)) plain[keyword] = Number(count);
  }
  if (strange.length > 0) return inWords(plain, [['type', strange.length === 1 ? strange[0]! : strange]]);
  if (types.size === 0) return plain;
  return { type: types.size === 1 ? [...types][0] : [...types], ...plain };
}

/** Whether `completeSchema` would change nothing in one schema. */
export function isComplete(schema: JsonObject): boolean {
  let type: Json | undefined;
  let hasProperties = false;
  let hasItems = false;
  for (const keyword in schema) {
    const value = schema[keyword];
    if (value === null && !DATA.has(keyword)) return false;
    if (keyword === 'type') type = value;
    else if (keyword === 'properties') hasProperties = true;
    else if (keyword === 'items') hasItems = !Array.isArray(value);
    else if (typeof value === 'boolean' && FLAGS.has(keyword)) return false;
  }
  if (type === 'string') return true;
  if (!hasPlainType(schema)) return false;
  if (!hasProperties && hasType(schema, 'object')) return false;
  return hasItems || (!hasType(schema, 'array') && !Array.isArray(schema['items']));
}

/**
 * One schema, completed with what JSON Schema makes optional and OpenAI's formats require. It allows the same values.
 * Added are `properties` of an object ("object schema missing properties", spring-projects/spring-ai, issue 4776) and
 * `items` of an array ("array schema missing items", digitalocean-labs/mcp-digitalocean, issue 265). Nulls for absent
 * keywords are removed. Keywords of older drafts are restated in draft 2020-12 (`items` as a list, flags beside bounds:
 * "Invalid tool schema", SylphxAI/pdf-reader-mcp, issue 63). Read 2026-11-29.
 */
export function completeSchema(schema: JsonObject): JsonObject {
  if (isComplete(schema)) return schema;
  const current = withoutFlags(withoutNulls(inPlainWords(schema)));
  const objectLacks = hasType(current, 'object') && current['properties'] === undefined;
  const hasTuple = Array.isArray(current['items']);
  const arrayLacks = hasTuple || (hasType(current, 'array') && current['items'] === undefined);
  if (!objectLacks && !arrayLacks) return current;
  return {
    ...(hasTuple ? withPrefixItems(current) : current),
    ...(objectLacks && { properties: {} }),
    ...(arrayLacks && !hasTuple && { items: {} }),
  };
}

/** Whether one schema is in the words of draft 2020-12. */
export function isCurrent(schema: JsonObject): boolean {
  for (const keyword in schema) {
    const value = schema[keyword];
    if (value === null ? !DATA.has(keyword) : typeof value === 'boolean' && FLAGS.has(keyword)) return false;
  }
  return !Array.isArray(schema['items']) && hasPlainType(schema);
}

/**
 * One schema in the words of draft 2020-12, which Claude demands ("JSON schema is invalid. It must match JSON Schema
 * draft 2020-12": flags of draft 4, Dokploy/mcp, issue 74; draft 7, anthropics/claude-code, issue 586; read
 * 2026-11-29).
 */
export function inCurrentWords(schema: JsonObject): JsonObject {
  if (isCurrent(schema)) return schema;
  const current = withoutFlags(withoutNulls(inPlainWords(schema)));
  return Array.isArray(current['items']) ? withPrefixItems(current) : current;
}

function withoutNulls(schema: JsonObject): JsonObject {
  let hasNull = false;
  for (const keyword of Object.keys(schema)) hasNull ||= schema[keyword] === null && !DATA.has(keyword);
  if (!hasNull) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([keyword, value]) => value !== null || DATA.has(keyword)));
}

function withoutFlags(schema: JsonObject): JsonObject {
  if (![...FLAGS].some((flag) => typeof schema[flag] === 'boolean')) return schema;
  const plain: Record<string, Json | undefined> = { ...schema };
  if (typeof plain['required'] === 'boolean') delete plain['required'];
  for (const [flag, bound] of BOUNDS) {
    if (typeof plain[flag] !== 'boolean') continue;
    if (plain[flag] && typeof plain[bound] === 'number') {
      plain[flag] = plain[bound];
      delete plain[bound];
    } else delete plain[flag];
  }
  return plain;
}

/** One schema for each place, and one for all later places. */
function withPrefixItems({ items, additionalItems, ...others }: JsonObject): JsonObject {
  const rest = additionalItems === undefined || additionalItems === true ? {} : additionalItems;
  return { ...others, prefixItems: others['prefixItems'] ?? items, items: rest };
}
