import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { Steps } from '../../../core/steps.js';
import { completeSchema } from './schema-completion.js';
import { endlessReference } from './schema-references.js';
import { inWords } from './schema-notes.js';
import type { FittedSchema } from './schema-unions.js';
import { hasType, resolveReference, rewriteSchema, schemasWithin } from './schema-walk.js';

/*
 * The schemas that Claude enforces, of answers (`output_config.format`) and of strict tools: every object closed, and
 * none of the keywords below. Sources: "JSON Schema limitations" of
 * platform.claude.com/docs/en/build-with-claude/structured-outputs (through its copies, and through the schema
 * transformation of the vendor's SDK, @anthropic-ai/sdk lib/transform-json-schema); refusals by keyword:
 * agentjido/req_llm, issue 302; earendil-works/pi, issue 9953; ghostlobster/memorize-everything, issue 93. Bedrock
 * documents the same for all models for which it enforces schemas
 * (docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html). Read 2026-11-29.
 */

/** Keywords that fail the whole request. */
export const REFUSED: ReadonlySet<string> = new Set([
  'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'maxItems',
  'uniqueItems', 'contains', 'minContains', 'maxContains', 'minProperties', 'maxProperties', 'patternProperties',
  'propertyNames', 'dependentRequired', 'dependentSchemas', 'dependencies', 'if', 'then', 'else', 'not', 'oneOf',
  'unevaluatedProperties', 'unevaluatedItems', 'prefixItems',
]); // oxfmt-ignore

/** Formats of texts that the vendor enforces. */
const FORMATS: ReadonlySet<Json> = new Set([
  'date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid',
]); // oxfmt-ignore

/** Parts of expressions that are refused: special groups (lookahead, lookbehind), back references, word boundaries. */
const SPECIAL_PATTERN = /\(\?|\\[1-9bB]/;

/** Maximum number of schemas that are copied instead of references. */
const COPIES_MAX = 20_000;

/*
 * Claude's limits on the schemas of one request: "explicit limits" of the same page, which count the strict tools and
 * the answer's schema together (pydantic/pydantic-ai, issue 5579; elizaOS/eliza, pull request 16516;
 * elie222/inbox-zero, issue 2323; at Bedrock: vercel/ai, pull request 17268; read 2026-11-29). A request above a limit
 * fails.
 */
export const OPTIONAL_PROPERTIES_MAX = 24;
export const UNIONS_MAX = 16;

/** Schemas within one from which on each look through all of them is a separate step. */
const LARGE_SCHEMAS = 500;

/** A schema for a vendor that enforces schemas. */
export interface RestrictedSchema extends FittedSchema {
  /**
   * Whether the vendor has a form for it. It has none for references that do not end in it, nor for objects of any
   * properties (maps): closed, they would be empty ("field can only ever be {}": anthropics/anthropic-sdk-python, issue
   * 1817; ax-llm/ax, pull request 459; read 2026-11-29).
   */
  readonly fits: boolean;
  /** The number that counts towards the vendor's limits (`strict-limits.ts`). */
  readonly optionalProperties: number;
  readonly unions: number;
}

/** The schema closed, with its other bounds as text in descriptions; the same object where it fits. */
export function* restrictSchema(schema: JsonObject): Steps<RestrictedSchema> {
  const lost = new Set<string>();
  const joining = schemasWithin(schema).filter(joinsReferences);
  if (joining.length > 0 && copiesFor(joining, schema) > COPIES_MAX) return unfit(schema);
  const whole = joining.length > 0 ? yield* rewriteSchema(schema, (inner) => joined(inner, schema)) : schema;
  const within = schemasWithin(whole);
  if (within.some(isMap)) return unfit(schema);
  const isLarge = within.length > LARGE_SCHEMAS;
  if (isLarge) yield;
  const restricted = yield* rewriteSchema(whole, (inner) => closed(restated(plain(inner), lost), lost));
  if (isLarge) yield;
  if (endlessReference(restricted) !== undefined) return unfit(schema);
  return { schema: restricted, lost: [...lost], fits: true, ...complexityOf(restricted) };
}

const unfit = (schema: JsonObject): RestrictedSchema => ({
  schema,
  lost: [],
  fits: false,
  optionalProperties: 0,
  unions: 0,
});

const isReference = (schema: Json): schema is JsonObject => isJsonObject(schema) && typeof schema['$ref'] === 'string';

/** Whether an `allOf` of several schemas contains references, which the vendor refuses. */
const joinsReferences = ({ allOf }: JsonObject): boolean =>
  Array.isArray(allOf) && allOf.length > 1 && (allOf as readonly Json[]).some(isReference);

/** The number of schemas that would be copied instead of references. */
function copiesFor(joining: readonly JsonObject[], root: JsonObject): number {
  const sizes = new Map<JsonObject, number>();
  let copies = 0;
  for (const { allOf } of joining) {
    for (const part of allOf as readonly Json[]) {
      const target = isReference(part) ? resolveReference(root, part['$ref'] as string) : undefined;
      if (target === undefined) continue;
      let size = sizes.get(target);
      if (size === undefined) sizes.set(target, (size = schemasWithin(target).length));
      copies += size;
      if (copies > COPIES_MAX) return copies;
    }
  }
  return copies;
}

/** The schema with the references in its `allOf` inlined. */
function joined(schema: JsonObject, root: JsonObject): JsonObject {
  if (!joinsReferences(schema)) return schema;
  const parts = (schema['allOf'] as readonly Json[]).map((part) =>
    isReference(part) ? (resolveReference(root, part['$ref'] as string) ?? part) : part,
  );
  return { ...schema, allOf: parts };
}

/** The schema in the vendor's keywords, as far as that leaves the allowed values unchanged. */
function plain(schema: JsonObject): JsonObject {
  const complete = isOlder(schema) ? completeSchema(schema) : schema;
  const { nullable, type } = complete;
  const mayBeNull = nullable === true && typeof type === 'string' && type !== 'null';
  const stated = mayBeNull ? { ...complete, type: [type, 'null'] } : complete;
  const { oneOf, allOf } = stated;
  if (Array.isArray(oneOf) && stated['anyOf'] === undefined) return renamed(stated, 'oneOf', 'anyOf');
  const [only] = Array.isArray(allOf) && allOf.length === 1 ? (allOf as readonly Json[]) : [];
  if (!isJsonObject(only)) return stated;
  const { allOf: _one, ...others } = stated;
  return Object.keys(only).every((keyword) => others[keyword] === undefined) ? { ...others, ...only } : stated;
}

/** Null, and keywords of older drafts. The vendor does not require the other additions of `completeSchema`. */
const isOlder = (schema: JsonObject): boolean =>
  Array.isArray(schema['items']) ||
  Object.values(schema).some((value) => value === null) ||
  ['exclusiveMinimum', 'exclusiveMaximum', 'required'].some((keyword) => typeof schema[keyword] === 'boolean');

const renamed = (schema: JsonObject, from: string, to: string): JsonObject =>
  Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword === from ? to : keyword, value]));

/** The schema without refused keywords, which its description restates. */
function restated(schema: JsonObject, lost: Set<string>): JsonObject {
  const gone: [string, Json][] = [];
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword];
    if (value !== undefined && isRefused(keyword, value)) gone.push([keyword, value]);
  }
  if (gone.length === 0) return schema;
  const kept: Record<string, Json | undefined> = { ...schema };
  for (const [keyword, value] of gone) {
    lost.add(keyword);
    delete kept[keyword];
    if (keyword === 'prefixItems') kept['items'] = { anyOf: value };
    // The nearest value that the vendor takes.
    if (keyword === 'minItems') kept['minItems'] = 1;
  }
  return inWords(kept, gone);
}

function isRefused(keyword: string, value: Json): boolean {
  switch (keyword) {
    case 'minItems':
      return value !== 0 && value !== 1;
    case 'format':
      return !FORMATS.has(value);
    case 'pattern':
      return typeof value === 'string' && SPECIAL_PATTERN.test(value);
    case 'enum':
      return (
        Array.isArray(value) && (value as readonly Json[]).some((entry) => typeof entry === 'object' && entry !== null)
      );
    case 'const':
      return typeof value === 'object' && value !== null;
    default:
      return REFUSED.has(keyword);
  }
}

/** Keywords that describe an object by other schemas. */
const ELSEWHERE = ['$ref', 'allOf', 'anyOf', 'oneOf'] as const;

const refersElsewhere = (schema: JsonObject): boolean => ELSEWHERE.some((keyword) => schema[keyword] !== undefined);

/** Whether an object should hold properties that the schema does not name. */
function isMap(schema: JsonObject): boolean {
  const { properties, additionalProperties: additional, patternProperties } = schema;
  if (isJsonObject(patternProperties) && Object.keys(patternProperties).length > 0) return true;
  if (additional === false) return false;
  if (isJsonObject(additional) && Object.keys(additional).length > 0) return true;
  if (refersElsewhere(schema)) return false;
  // An empty list of properties allows none, unless others are allowed explicitly.
  if (additional === undefined) return hasType(schema, 'object') && !isJsonObject(properties);
  // An object with named properties is valid without any of the other properties.
  return !isJsonObject(properties) || Object.keys(properties).length === 0;
}

/** A closed object allows no other properties; a rule for them is lost. */
function closed(schema: JsonObject, lost: Set<string>): JsonObject {
  const { properties, additionalProperties: additional, type } = schema;
  const isObject = hasType(schema, 'object') || isJsonObject(properties);
  if (!isObject || additional === false) return schema;
  if (additional !== undefined) lost.add('additionalProperties');
  if (type === 'object' && !isJsonObject(properties) && refersElsewhere(schema)) {
    // A closed schema would exclude the properties that the other schemas name.
    const { type: _type, additionalProperties: _open, ...others } = schema;
    return others;
  }
  return { ...schema, ...(type === undefined && { type: 'object' }), additionalProperties: false };
}

function complexityOf(schema: JsonObject): Pick<RestrictedSchema, 'optionalProperties' | 'unions'> {
  let optionalProperties = 0;
  let unions = 0;
  for (const { properties, required, type, anyOf } of schemasWithin(schema)) {
    if (Array.isArray(anyOf) || (Array.isArray(type) && type.length > 1)) unions++;
    if (!isJsonObject(properties)) continue;
    const names = new Set(Array.isArray(required) ? (required as readonly Json[]) : []);
    for (const name of Object.keys(properties)) if (!names.has(name)) optionalProperties++;
  }
  return { optionalProperties, unions };
}
