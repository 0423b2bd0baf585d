import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { listOf, objectOf } from '../read-json.js';

type Rewrite = (value: Json) => Json | undefined;

const asItIs: Rewrite = (value) => value;
const ifSchema: Rewrite = (value) => (isJsonObject(value) ? reduceSchema(value) : undefined);
const eachOfList: Rewrite = (value) => (Array.isArray(value) ? (value as Json[]).map(schemaOrAny) : undefined);
const eachOfMap: Rewrite = (value) =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, schemaOrAny(inner ?? null)]))
    : undefined;

/** `true` and `false` are schemas too: of anything, and of nothing, which no word is known for. */
const schemaOrAny = (value: Json): JsonObject => (isJsonObject(value) ? reduceSchema(value) : {});

/**
 * The words of JSON Schema that Gemini knows (ai.google.dev/api/generate-content, `responseJsonSchema`). Any other may
 * be a 400 for the whole request, and is left out (docs/reasons/translation.md#schemas-of-tools).
 */
const KEYWORDS: Readonly<Record<string, Rewrite>> = {
  $id: asItIs,
  $anchor: asItIs,
  $defs: eachOfMap,
  $ref: readReference,
  type: asItIs,
  format: readFormat,
  title: asItIs,
  description: asItIs,
  enum: readEnum,
  items: ifSchema,
  prefixItems: eachOfList,
  minItems: asItIs,
  maxItems: asItIs,
  minimum: asItIs,
  maximum: asItIs,
  anyOf: eachOfList,
  oneOf: eachOfList,
  properties: eachOfMap,
  // What may stand beside the properties: whether anything may is no word that all of the API's forms know.
  additionalProperties: ifSchema,
  required: asItIs,
  propertyOrdering: asItIs,
};

/** Of strings and of numbers; others are refused. */
const FORMATS: ReadonlySet<Json> = new Set(['date-time', 'date', 'time', 'int32', 'int64', 'float', 'double']);

/**
 * The schema in the words that the target takes, at every depth. What can be said otherwise is: a constant as the one
 * value there is, a bound that is no value itself as the next one that is, definitions of older drafts, lists of
 * schemas that all hold as one.
 */
export function reduceSchema(schema: JsonObject): JsonObject {
  const reduced: { [key: string]: Json } = {};
  const said = Array.isArray(schema['allOf']) ? asOne(restatedAll(schema)) : restated(schema);
  for (const [key, value] of Object.entries(said)) {
    const rewrite = Object.hasOwn(KEYWORDS, key) ? KEYWORDS[key] : undefined;
    const kept = value === undefined ? undefined : rewrite?.(value);
    if (kept !== undefined) reduced[key] = kept;
  }
  // Beside a reference only words that begin with a dollar may stand.
  if (!Object.hasOwn(reduced, '$ref')) return reduced;
  return Object.fromEntries(Object.entries(reduced).filter(([key]) => key.startsWith('$')));
}

/** The same schema, as far as it can be said, without words that the target does not know. */
function restated(schema: JsonObject): JsonObject {
  const { const: constant, exclusiveMinimum, exclusiveMaximum, definitions, items, nullable, type } = schema;
  const said: { [key: string]: Json | undefined } = { ...schema };
  if (constant !== undefined && schema['enum'] === undefined) said['enum'] = [constant];
  const step = type === 'integer' ? 1 : 0;
  if (typeof exclusiveMinimum === 'number')
    said['minimum'] = bound(
      Math.max,
      schema['minimum'],
      step === 0 ? exclusiveMinimum : Math.floor(exclusiveMinimum) + step,
    );
  if (typeof exclusiveMaximum === 'number')
    said['maximum'] = bound(
      Math.min,
      schema['maximum'],
      step === 0 ? exclusiveMaximum : Math.ceil(exclusiveMaximum) - step,
    );
  if (isJsonObject(definitions) && schema['$defs'] === undefined) said['$defs'] = definitions;
  // A list of schemas, one for each place, in older drafts.
  if (Array.isArray(items) && schema['prefixItems'] === undefined) said['prefixItems'] = items as Json[];
  if (nullable === true && typeof type === 'string') said['type'] = [type, 'null'];
  return said;
}

/** The schema and those that hold besides it, at any depth, in their order. */
function* restatedAll(schema: JsonObject): Generator<JsonObject> {
  yield restated(schema);
  for (const part of listOf(schema['allOf'])) if (isJsonObject(part)) yield* restatedAll(part);
}

const bound = (stricter: (...values: number[]) => number, given: Json | undefined, value: number): number =>
  typeof given === 'number' ? stricter(given, value) : value;

/** All of them as one: the properties of all, and of words that several say, the first. Each is looked at once. */
function asOne(schemas: Iterable<JsonObject>): JsonObject {
  const words = new Map<string, Json | undefined>();
  const properties = new Map<string, Json | undefined>();
  const required = new Set<Json>();
  for (const schema of schemas) {
    for (const [word, value] of Object.entries(schema)) if (!words.has(word)) words.set(word, value);
    for (const [name, inner] of Object.entries(objectOf(schema['properties'])))
      if (!properties.has(name)) properties.set(name, inner);
    for (const name of listOf(schema['required'])) required.add(name);
  }
  if (isJsonObject(words.get('properties'))) words.set('properties', Object.fromEntries(properties));
  if (Array.isArray(words.get('required'))) words.set('required', [...required]);
  return Object.fromEntries(words);
}

function readReference(value: Json): Json | undefined {
  return typeof value === 'string' ? value.replace('#/definitions/', '#/$defs/') : undefined;
}

function readFormat(value: Json): Json | undefined {
  return FORMATS.has(value) ? value : undefined;
}

/** Of texts and numbers: the type says all there is to say of others. */
function readEnum(value: Json): Json | undefined {
  if (!Array.isArray(value)) return undefined;
  const known = (value as Json[]).filter((one) => typeof one === 'string' || typeof one === 'number');
  return known.length > 0 ? known : undefined;
}
