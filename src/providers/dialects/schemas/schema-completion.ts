import { ExactNumber, isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { inWords } from './schema-notes.js';
import { hasType, HOLDING, mapEntries, type Holding } from './schema-walk.js';

/** Keywords whose value is data: null is a value there. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'example']);
/** Keywords that were flags in older drafts. */
const FLAGS: ReadonlySet<string> = new Set(['required', 'exclusiveMinimum', 'exclusiveMaximum']);
/** Exclusive bounds: a flag beside the bound in draft 4, a separate number in later drafts. */
const BOUNDS = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const;

const TYPES: ReadonlySet<unknown> = new Set(['string', 'object', 'array', 'integer', 'number', 'boolean', 'null']);
/** Google's own schemas have types in capitals, and counts as texts (ai.google.dev/api/caching#Schema). */
const COUNTS: ReadonlySet<string> = new Set([
  'minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties', 'minContains', 'maxContains',
]); // oxfmt-ignore
const NUMBERS: ReadonlySet<string> = new Set([
  'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf',
]); // oxfmt-ignore
const TEXTS: ReadonlySet<string> = new Set([
  'title', 'description', 'format', 'pattern', '$ref', '$id', '$schema', '$anchor', '$comment',
]); // oxfmt-ignore
const SWITCHES: ReadonlySet<string> = new Set(['uniqueItems', 'deprecated', 'readOnly', 'writeOnly']);
const LISTS: ReadonlySet<string> = new Set(['enum', 'examples']);
const NO_TYPE = 'TYPE_UNSPECIFIED';

/** Whether one schema names its types as JSON Schema does. */
export function hasPlainType({ type }: JsonObject): boolean {
  if (typeof type === 'string') return TYPES.has(type);
  if (type === undefined || type === null) return true;
  if (!Array.isArray(type) || type.length === 0) return false;
  return (
    new Set(type as readonly Json[]).size === type.length && (type as readonly Json[]).every((name) => TYPES.has(name))
  );
}

/**
 * One schema in keywords of JSON Schema, which every format takes. Others are Google's, of which `nullable` is restated
 * too, and words of languages (`int`, `any`): these go into the description, and any value is allowed.
 */
export function inPlainWords(schema: JsonObject): JsonObject {
  if (hasPlainType(schema)) return schema;
  const { type, nullable, ...others } = schema;
  const types = new Set<Json>();
  const strange: Json[] = [];
  for (const name of [type].flat() as readonly Json[]) {
    const word = typeof name === 'string' ? name.toLowerCase() : name;
    if (TYPES.has(word)) types.add(word);
    else if (name !== NO_TYPE) strange.push(name);
  }
  if (nullable === true && types.size > 0) types.add('null');
  if (strange.length > 0) return inWords(others, [['type', strange.length === 1 ? strange[0]! : strange]]);
  if (types.size === 0) return others;
  return { type: types.size === 1 ? [...types][0] : [...types], ...others };
}

/** Whether `completeSchema` would change nothing in one schema. */
export function isComplete(schema: JsonObject): boolean {
  let type: Json | undefined;
  let hasProperties = false;
  let hasItems = false;
  for (const keyword in schema) {
    const value = schema[keyword];
    if (
      formed(keyword, value) !== value ||
      (keyword === 'items' && (typeof value === 'boolean' || Array.isArray(value)))
    )
      return false;
    if (keyword === 'type') type = value;
    else if (keyword === 'properties') hasProperties = true;
    else if (keyword === 'items') hasItems = true;
    else if (typeof value === 'boolean' && FLAGS.has(keyword)) return false;
  }
  if (type === 'string') return true;
  if (!hasPlainType(schema)) return false;
  if (!hasProperties && hasType(schema, 'object')) return false;
  return hasItems || !hasType(schema, 'array');
}

/**
 * One schema, completed with keywords that JSON Schema makes optional and OpenAI's formats require. It allows the same
 * values. Sources read 2026-11-29:
 * - added: `properties` of an object ("object schema missing properties", spring-projects/spring-ai, issue 4776), and
 *   `items` of an array ("array schema missing items", digitalocean-labs/mcp-digitalocean, issue 265)
 * - removed: keywords with a value of a wrong type
 * - rewritten: keywords of older drafts, in draft 2020-12: `items` as a list, flags besides bounds ("Invalid tool
 *   schema", SylphxAI/pdf-reader-mcp, issue 63)
 */
export function completeSchema(schema: JsonObject): JsonObject {
  if (isComplete(schema)) return schema;
  const current = withoutFlags(wellFormed(inPlainWords(schema)));
  const objectLacks = hasType(current, 'object') && current['properties'] === undefined;
  const hasTuple = Array.isArray(current['items']);
  const arrayLacks = hasType(current, 'array') && typeof (current['items'] ?? true) === 'boolean';
  if (!objectLacks && !arrayLacks && !hasTuple) return current;
  const plain = hasTuple ? withPrefixItems(current) : current;
  return {
    ...plain,
    ...(objectLacks && { properties: {} }),
    ...(typeof plain['items'] === 'boolean' || arrayLacks ? withItems(plain) : {}),
  };
}

/** Any items; none after the described ones where there may be no others. */
function withItems({ items, prefixItems, maxItems }: JsonObject): JsonObject {
  if (items !== false) return { items: {} };
  const described = Array.isArray(prefixItems) ? prefixItems.length : 0;
  return { items: {}, maxItems: isNumber(maxItems) ? Math.min(Number(maxItems), described) : described };
}

/** Whether one schema is in keywords of draft 2020-12. */
export function isCurrent(schema: JsonObject): boolean {
  for (const keyword in schema) {
    const value = schema[keyword];
    if (formed(keyword, value) !== value || (typeof value === 'boolean' && FLAGS.has(keyword))) return false;
  }
  return !Array.isArray(schema['items']) && hasPlainType(schema);
}

/**
 * One schema in keywords of draft 2020-12, which Claude demands ("JSON schema is invalid. It must match JSON Schema
 * draft 2020-12": flags of draft 4, Dokploy/mcp, issue 74; draft 7, anthropics/claude-code, issue 586; read
 * 2026-11-29).
 */
export function inCurrentWords(schema: JsonObject): JsonObject {
  if (isCurrent(schema)) return schema;
  const current = withoutFlags(wellFormed(inPlainWords(schema)));
  return Array.isArray(current['items']) ? withPrefixItems(current) : current;
}

const isSchema = (value: Json | undefined): value is JsonObject | boolean =>
  isJsonObject(value) || typeof value === 'boolean';
const isText = (value: Json): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber;

/**
 * The value of a keyword in the form that JSON Schema demands, as far as it has one: null, which several formats take
 * for an absent keyword, has none. Undefined: the keyword has no meaning.
 */
function formed(keyword: string, value: Json | undefined): Json | undefined {
  if (value === null || value === undefined) return DATA.has(keyword) ? value : undefined;
  const holding = HOLDING.get(keyword);
  if (holding !== undefined) return formedSchemas(keyword, value, holding);
  if (TEXTS.has(keyword)) return typeof value === 'string' ? value : undefined;
  if (SWITCHES.has(keyword)) return typeof value === 'boolean' ? value : undefined;
  if (NUMBERS.has(keyword)) return isNumber(value) ? value : formedFlag(keyword, value);
  if (COUNTS.has(keyword)) {
    if (typeof value === 'string' && /^\d{1,15}$/.test(value)) return Number(value);
    return isNumber(value) && (typeof value === 'object' || (Number.isInteger(value) && value >= 0))
      ? value
      : undefined;
  }
  if (LISTS.has(keyword)) return Array.isArray(value) && value.length > 0 ? value : undefined;
  if (keyword !== 'required') return value;
  if (!Array.isArray(value)) return formedFlag(keyword, value);
  const list = value as readonly Json[];
  const names = new Set(list.filter(isText));
  return names.size === list.length ? list : [...names];
}

const formedFlag = (keyword: string, value: Json): Json | undefined =>
  typeof value === 'boolean' && FLAGS.has(keyword) ? value : undefined;

function formedSchemas(keyword: string, value: Json, holding: Holding): Json | undefined {
  if (holding === 'map') {
    if (!isJsonObject(value)) return undefined;
    // In older drafts lists of names too.
    if (keyword === 'dependencies') return value;
    for (const name in value)
      if (!isSchema(value[name])) return mapEntries(value, (member) => (isSchema(member) ? member : {}));
    return value;
  }
  if (holding === 'one' || !Array.isArray(value)) return holding !== 'list' && isSchema(value) ? value : undefined;
  const list = value as readonly Json[];
  const schemas = list.filter(isSchema);
  if (schemas.length === 0) return undefined;
  return schemas.length === list.length ? list : schemas;
}

function wellFormed(schema: JsonObject): JsonObject {
  let isFormed = true;
  for (const keyword in schema) isFormed &&= formed(keyword, schema[keyword]) === schema[keyword];
  if (isFormed) return schema;
  const entries = Object.entries(schema).map(([keyword, value]) => [keyword, formed(keyword, value)] as const);
  return Object.fromEntries(entries.filter(([keyword, value]) => value !== undefined || DATA.has(keyword)));
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

/** One schema for each index, and one for all later ones. */
function withPrefixItems({ items, additionalItems, ...others }: JsonObject): JsonObject {
  const rest = additionalItems === undefined || additionalItems === true ? {} : additionalItems;
  return { ...others, prefixItems: others['prefixItems'] ?? items, items: rest };
}
