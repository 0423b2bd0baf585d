import type { Steps } from '../../../core/steps.js';
import { isJsonObject, printJson, weigh, type Json, type JsonObject } from '../../../core/json/json.js';
import { listOf, objectOf } from '../read-json.js';
import { inWords } from '../schemas/schema-notes.js';
import { REFUSED } from '../schemas/schema-restrictions.js';
import type { FittedSchema } from '../schemas/schema-unions.js';
import { mapEntries, rewriteSchema, UNRESTRICTIVE } from '../schemas/schema-walk.js';

/** The value of a keyword as Gemini takes it; schemas within are reduced before. Undefined: the keyword is left out. */
type Rewrite = (value: Json) => Json | undefined;

const asItIs: Rewrite = (value) => value;
const ifSchema: Rewrite = (value) => (isJsonObject(value) ? value : undefined);
const eachOfList: Rewrite = (value) => {
  if (!Array.isArray(value)) return undefined;
  const schemas = value as readonly Json[];
  return schemas.every(isJsonObject) ? schemas : schemas.map(schemaOrAny);
};
const eachOfMap: Rewrite = (value) => {
  if (!isJsonObject(value)) return undefined;
  for (const name in value)
    if (!isJsonObject(value[name])) return mapEntries(value, (member) => schemaOrAny(member ?? null));
  return value;
};

/** `true` and `false` are schemas too: of any value, and of none, for which Gemini has no keyword. */
const schemaOrAny = (value: Json): JsonObject => (isJsonObject(value) ? value : {});

/**
 * The keywords of JSON Schema that Gemini takes (ai.google.dev/api/generate-content, `responseJsonSchema`). Any other
 * may fail the whole request with a 400, and is left out (docs/contribute/reasons/translation.md#schemas-of-tools).
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
  // A schema for further properties. Not all forms of the API take a boolean.
  additionalProperties: ifSchema,
  required: asItIs,
  propertyOrdering: asItIs,
};

const NONE: readonly never[] = [];

/** Formats of strings and of numbers; others are refused. */
const FORMATS: ReadonlySet<Json> = new Set(['date-time', 'date', 'time', 'int32', 'int64', 'float', 'double']);

/**
 * The schema in the keywords that the target takes, at every depth, and the others that restrict the value. Those are
 * restated where possible: a constant as an enum of one value, an exclusive bound as the next value, definitions of
 * older drafts, `allOf` as one schema. What cannot be restated goes into the description.
 */
export function* reduceSchema(schema: JsonObject): Steps<FittedSchema> {
  const lost = new Set<string>();
  const reduced = yield* rewriteSchema(schema, (inner) => reduceOne(inner, lost));
  return { schema: reduced, lost: [...lost] };
}

/** @param schema whose inner schemas are reduced */
function reduceOne(schema: JsonObject, lost: Set<string>): JsonObject {
  const gone = goneOf(schema);
  for (const [keyword] of gone) lost.add(keyword);
  const joins = Array.isArray(schema['allOf']);
  if (joins && losesOfAll(schema)) lost.add('allOf');
  const whole = joins ? asOne(restatedAll(schema)) : restated(schema);
  const reduced: { [key: string]: Json } = {};
  let isSame = true;
  for (const key in whole) {
    const value = whole[key];
    const kept = value === undefined || !Object.hasOwn(KEYWORDS, key) ? undefined : KEYWORDS[key]!(value);
    if (kept !== undefined) reduced[key] = kept;
    isSame &&= kept !== undefined && kept === schema[key];
  }
  if (!Object.hasOwn(reduced, '$ref')) return isSame && !joins ? schema : inWords(reduced, gone);
  // Only keywords that begin with a dollar may accompany a reference.
  return Object.fromEntries(Object.entries(reduced).filter(([key]) => key.startsWith('$')));
}

/** The keywords of one schema that restrict the value and that the reduced schema lacks. */
function goneOf(schema: JsonObject): readonly (readonly [string, Json])[] {
  let gone: [string, Json][] | undefined;
  for (const keyword in schema) {
    const value = schema[keyword];
    if (isDropped(keyword, value, schema)) (gone ??= []).push([keyword, value!]);
  }
  return gone ?? NONE;
}

/** The schema, restated as far as possible in keywords that the target knows. */
function restated(schema: JsonObject): JsonObject {
  const { const: constant, exclusiveMinimum, exclusiveMaximum, definitions, items, nullable, type } = schema;
  const { patternProperties, additionalProperties } = schema;
  const result: { [key: string]: Json | undefined } = { ...schema };
  if (constant !== undefined && schema['enum'] === undefined) result['enum'] = [constant];
  const step = type === 'integer' ? 1 : 0;
  if (typeof exclusiveMinimum === 'number')
    result['minimum'] = bound(
      Math.max,
      schema['minimum'],
      step === 0 ? exclusiveMinimum : Math.floor(exclusiveMinimum) + step,
    );
  if (typeof exclusiveMaximum === 'number')
    result['maximum'] = bound(
      Math.min,
      schema['maximum'],
      step === 0 ? exclusiveMaximum : Math.ceil(exclusiveMaximum) - step,
    );
  if (isJsonObject(definitions) && schema['$defs'] === undefined) result['$defs'] = definitions;
  // In older drafts, a list of schemas, one for each index.
  if (Array.isArray(items) && schema['prefixItems'] === undefined) result['prefixItems'] = items as Json[];
  if (nullable === true && typeof type === 'string' && type !== 'null') result['type'] = [type, 'null'];
  // Without a schema of its values, a map may only be empty.
  if (isJsonObject(patternProperties) && !isJsonObject(additionalProperties)) {
    const schemas = Object.values(patternProperties).filter(isJsonObject);
    if (schemas.length > 0) result['additionalProperties'] = schemas.length === 1 ? schemas[0] : { anyOf: schemas };
  }
  return result;
}

/** Keywords of JSON Schema that restrict the value and that Gemini has no word for. */
const RESTRICTIVE: ReadonlySet<string> = new Set([...REFUSED, 'pattern', 'contentEncoding', 'contentMediaType']);
const VOCABULARY: ReadonlySet<string> = new Set([...Object.keys(KEYWORDS), ...RESTRICTIVE, 'const', 'allOf']);

function isDropped(keyword: string, value: Json | undefined, schema: JsonObject): boolean {
  if (value === undefined || value === null || UNRESTRICTIVE.has(keyword)) return false;
  if (typeof schema['$ref'] === 'string' && !keyword.startsWith('$')) return VOCABULARY.has(keyword);
  switch (keyword) {
    case 'allOf':
      return false;
    case 'const':
      return readEnum([value]) === undefined;
    case 'enum':
      return (readEnum(value) as readonly Json[] | undefined)?.length !== listOf(value).length;
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return typeof value === 'number' && schema['type'] !== 'integer';
    case 'uniqueItems':
      return value === true;
    case 'items':
      return value !== true && !isJsonObject(value) && !Array.isArray(value);
    default:
      if (!Object.hasOwn(KEYWORDS, keyword)) return RESTRICTIVE.has(keyword) && value !== true;
      // The schema `true` allows any value.
      return value !== true && KEYWORDS[keyword]!(value) === undefined;
  }
}

/** Whether schemas that all hold have different values of a keyword or a property, of which the first is sent. */
function losesOfAll(schema: JsonObject): boolean {
  const known = new Map<string, Json>();
  const isOther = (path: string, value: Json): boolean => {
    const before = known.get(path);
    if (before === undefined) known.set(path, value);
    return before !== undefined && !isEqual(before, value);
  };
  for (const part of restatedAll(schema)) {
    for (const keyword in part) {
      if (keyword !== 'properties' && !MERGED.has(keyword) && isOther(keyword, part[keyword] ?? null)) return true;
    }
    const properties = objectOf(part['properties']);
    for (const name in properties) if (isOther(`properties ${name}`, properties[name] ?? null)) return true;
  }
  return false;
}

/** Weight of values that are compared. Heavier ones count as different. */
const COMPARED_MAX = 2_000;

const isEqual = (one: Json, other: Json): boolean =>
  one === other || (weigh(one, COMPARED_MAX) < COMPARED_MAX && printJson(one) === printJson(other));

/** Keywords whose values are joined, or restrict nothing. */
const MERGED: ReadonlySet<string> = new Set([...UNRESTRICTIVE, 'required', 'allOf', 'nullable']);

/** The schema and those in its `allOf`, at any depth, in order. */
function* restatedAll(schema: JsonObject): Generator<JsonObject> {
  yield restated(schema);
  for (const part of listOf(schema['allOf'])) if (isJsonObject(part)) yield* restatedAll(part);
}

const bound = (stricter: (...values: number[]) => number, former: Json | undefined, value: number): number =>
  typeof former === 'number' ? stricter(former, value) : value;

/** All of them as one: the properties and descriptions of all, and for other keywords the first value. */
function asOne(schemas: Iterable<JsonObject>): JsonObject {
  const words = new Map<string, Json | undefined>();
  const properties = new Map<string, Json | undefined>();
  const required = new Set<Json>();
  const descriptions: string[] = [];
  for (const schema of schemas) {
    for (const [word, value] of Object.entries(schema)) if (!words.has(word)) words.set(word, value);
    const { description } = schema;
    if (typeof description === 'string') descriptions.push(description);
    for (const [name, inner] of Object.entries(objectOf(schema['properties'])))
      if (!properties.has(name)) properties.set(name, inner);
    for (const name of listOf(schema['required'])) required.add(name);
  }
  if (isJsonObject(words.get('properties'))) words.set('properties', Object.fromEntries(properties));
  if (Array.isArray(words.get('required'))) words.set('required', [...required]);
  if (descriptions.length > 1) words.set('description', [...new Set(descriptions)].join(' '));
  return Object.fromEntries(words);
}

function readReference(value: Json): Json | undefined {
  return typeof value === 'string' ? value.replace('#/definitions/', '#/$defs/') : undefined;
}

function readFormat(value: Json): Json | undefined {
  return FORMATS.has(value) ? value : undefined;
}

/** Values that are texts or numbers: for others the type is sufficient. */
function readEnum(value: Json): Json | undefined {
  if (!Array.isArray(value)) return undefined;
  const known = (value as Json[]).filter((entry) => typeof entry === 'string' || typeof entry === 'number');
  return known.length > 0 ? known : undefined;
}
