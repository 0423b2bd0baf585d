import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';

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
  const said = restated(schema);
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
  const { const: constant, exclusiveMinimum, exclusiveMaximum, definitions, allOf, items, nullable, type } = schema;
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
  if (!Array.isArray(allOf)) return said;
  return (allOf as readonly Json[]).reduce<JsonObject>(
    (whole, part) => (isJsonObject(part) ? both(whole, restated(part)) : whole),
    said,
  );
}

const bound = (stricter: (...values: number[]) => number, given: Json | undefined, value: number): number =>
  typeof given === 'number' ? stricter(given, value) : value;

/** Both schemas as one: the properties of both, and of words that both say, the first. */
function both(one: JsonObject, other: JsonObject): JsonObject {
  const properties = isJsonObject(one['properties']) && isJsonObject(other['properties']);
  const required = Array.isArray(one['required']) && Array.isArray(other['required']);
  return {
    ...other,
    ...one,
    ...(properties && { properties: { ...(other['properties'] as JsonObject), ...(one['properties'] as JsonObject) } }),
    ...(required && { required: [...new Set([...(one['required'] as Json[]), ...(other['required'] as Json[])])] }),
  };
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
