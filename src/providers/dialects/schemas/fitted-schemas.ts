import type { OutputFormat } from '../../../core/conversation/request.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import type { Steps } from '../../../core/steps.js';
import { modelFamilyOf } from '../../model-rules/model-family.js';
import { reduceSchema } from '../google-gemini/reduce-schema.js';
import { listOf } from '../read-json.js';
import { completeSchema, inCurrentWords, isComplete, isCurrent } from './schema-completion.js';
import { hasLegalKeys, LEGAL_KEY, withLegalKeys } from './schema-keys.js';
import { withoutReferences } from './schema-references.js';
import { OPTIONAL_PROPERTIES_MAX, restrictSchema, UNIONS_MAX, type RestrictedSchema } from './schema-restrictions.js';
import { mergeTop, type FittedSchema, type TopKeyword } from './schema-unions.js';
import { hasType, holdsOfAll, UNRESTRICTIVE, rewriteSchema, schemasWithin } from './schema-walk.js';
import { withObjectType } from './tool-schema.js';

/*
 * The schemas of a request in the form of each target. Each is made once for a request and a rule, however many calls
 * use it. A schema that fits unchanged is the caller's own object.
 */

type Fit<Result> = (schema: JsonObject) => Steps<Result>;

/** A weak map suffices: each request is parsed anew, so a schema lives as long as its request. */
function once<Result>(fit: Fit<Result>): Fit<Result> {
  const known = new WeakMap<JsonObject, Result>();
  return function* (schema) {
    const before = known.get(schema);
    if (before !== undefined) return before;
    const result = yield* fit(schema);
    known.set(schema, result);
    return result;
  };
}

/** Steps that count for fitting the schema of one tool. */
export const SCHEMA_STEPS = 20;

const asItCame = (schema: JsonObject): FittedSchema => ({ schema, lost: [] });

/** "input_schema does not support oneOf, allOf, or anyOf at the top level": anthropics/claude-code, issue 27337. */
const CLAUDE_REFUSES: readonly TopKeyword[] = ['anyOf', 'oneOf', 'allOf', '$ref'];

/**
 * "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level":
 * langchain-ai/langchainjs, issue 9804, read 2026-11-29.
 */
const GPT_REFUSES: readonly TopKeyword[] = [...CLAUDE_REFUSES, 'enum', 'not'];

const restated = once(function* (schema) {
  return yield* rewriteSchema(schema, inCurrentWords);
});
/** A schema in keywords of JSON Schema: most are only checked. */
export function* currentSchema(schema: JsonObject): Steps<JsonObject> {
  return holdsOfAll(schema, isCurrent) ? schema : yield* restated(schema);
}

const completed = once(function* (schema) {
  return yield* rewriteSchema(schema, completeSchema);
});
/** Fast path: most schemas are already complete and are returned unchanged. */
function* complete(schema: JsonObject): Steps<JsonObject> {
  return holdsOfAll(schema, isComplete) ? schema : yield* completed(schema);
}
const restrict = once(function* (schema) {
  return yield* restrictSchema(yield* currentSchema(schema));
});
const restrictOfTool = once(function* (schema): Steps<RestrictedSchema> {
  const plain = mergeTop(yield* currentSchema(schema), CLAUDE_REFUSES);
  const typed = withObjectType(plain.schema);
  const { nullable, ...others } = typed;
  // Arguments are never null.
  const object = nullable === undefined ? typed : others;
  // A tool without properties takes no arguments.
  const named = object['properties'] === undefined ? { ...object, properties: {} } : object;
  const restricted = yield* restrict(named);
  const fits = restricted.fits && hasLegalKeys(named);
  return { ...restricted, fits, lost: [...plain.lost, ...restricted.lost] };
});
const currentOfTool = once(function* (schema): Steps<FittedSchema> {
  const merged = mergeTop(withObjectType(yield* currentSchema(schema)), CLAUDE_REFUSES);
  const keyed = withLegalKeys(merged.schema);
  return { schema: keyed.schema, lost: [...merged.lost, ...keyed.lost] };
});

/** The form of an answer with its schema in such keywords. */
export function* currentFormat(format: OutputFormat): Steps<OutputFormat> {
  if (format.type !== 'json-schema') return format;
  const schema = yield* currentSchema(format.schema);
  return schema === format.schema ? format : { ...format, schema };
}

/** The schema of a tool in one of OpenAI's formats: completed, and merged for OpenAI's own models. */
export function* openaiToolSchema(schema: JsonObject, target: Target): Steps<FittedSchema> {
  const plain = yield* complete(withObjectType(schema));
  if (modelFamilyOf(target) !== 'gpt') return asItCame(plain);
  // Merging is one step, which takes some milliseconds for the largest schema.
  if (GPT_REFUSES.some((keyword) => plain[keyword] !== undefined)) yield;
  return mergeTop(plain, GPT_REFUSES);
}

/** Keywords whose value may be a text, and those besides at the top of a tool whose properties are plain values. */
const TEXTS: ReadonlySet<string> = new Set(['type', 'description', 'title', 'format', 'pattern', 'default', '$schema']);
const FLAT: ReadonlySet<string> = new Set(['properties', 'required', 'additionalProperties']);
/** Required properties that are compared with one another. */
const FLAT_NAMES_MAX = 50;
const NONE: readonly never[] = [];

/**
 * Whether the schema of a tool that is not strict goes to Claude, or to another model in its format, unchanged. Each
 * tool of a request is examined: most are objects of plain values, for which this is one look at each.
 */
export function isTakenByClaude(schema: JsonObject): boolean {
  for (const keyword of CLAUDE_REFUSES) if (schema[keyword] !== undefined) return false;
  let isFlat = schema['type'] === 'object';
  for (const keyword in schema) isFlat &&= (typeof schema[keyword] === 'string' ? TEXTS : FLAT).has(keyword);
  const { required, additionalProperties: open } = schema;
  isFlat &&= open === undefined || typeof open === 'boolean';
  isFlat &&= (required ?? null) === null || (Array.isArray(required) && required.length <= FLAT_NAMES_MAX);
  const names = isFlat ? ((required ?? NONE) as readonly Json[]) : NONE;
  for (let at = 0; at < names.length; at++) isFlat &&= names.indexOf(names[at]!) === at;
  const properties = schema['properties'] as JsonObject | undefined;
  isFlat &&= properties === undefined || isJsonObject(properties);
  for (const name in properties) {
    if (!LEGAL_KEY.test(name)) return false;
    const property = properties[name] as JsonObject;
    const type = isFlat ? property?.['type'] : undefined;
    isFlat = type === 'string' || type === 'number' || type === 'integer' || type === 'boolean';
    if (!isFlat) continue;
    for (const keyword in property) {
      const value = property[keyword];
      if (typeof value === 'string') isFlat &&= TEXTS.has(keyword);
      else if (typeof value === 'number')
        isFlat &&= keyword === 'default' || keyword === 'minimum' || keyword === 'maximum';
      else isFlat &&= keyword === 'enum' && Array.isArray(value) && value.length > 0;
    }
  }
  return isFlat || holdsOfAll(schema, isCurrent);
}

/**
 * The schema of a tool in a format of Claude's.
 * @param isStrict whether the vendor enforces the schema
 */
export function* claudeToolSchema(schema: JsonObject, target: Target, isStrict: boolean): Steps<FittedSchema> {
  if (modelFamilyOf(target) !== 'claude') return asItCame(yield* currentSchema(schema));
  if (isStrict) return yield* restrictOfTool(schema);
  if (isTakenByClaude(schema)) return asItCame(schema);
  yield;
  return yield* currentOfTool(schema);
}

/** The schema of a strict tool of Claude's, and whether the tool can be strict. */
export const strictToolSchema: Fit<RestrictedSchema> = restrictOfTool;

/**
 * The schema that Claude, or at Bedrock any model, must follow in its answer. Undefined: the vendor has no form for it.
 */
export function* heldAnswer(schema: JsonObject): Steps<RestrictedSchema | undefined> {
  const restricted = yield* restrict(schema);
  const { fits, optionalProperties, unions } = restricted;
  return fits && optionalProperties <= OPTIONAL_PROPERTIES_MAX && unions <= UNIONS_MAX ? restricted : undefined;
}

/**
 * Whether Cohere enforces a schema of an answer: it describes an object, and each object in it has a required property,
 * which a map has not (docs.cohere.com/v2/docs/structured-outputs, schema constraints; read 2026-11-29).
 */
export const isTakenByCohere = (schema: JsonObject): boolean =>
  schema['type'] === 'object' && schemasWithin(schema).every(requiresSome);

const requiresSome = (schema: JsonObject): boolean =>
  (!hasType(schema, 'object') && schema['properties'] === undefined) || listOf(schema['required']).length > 0;

/** A schema for Gemini, of a tool or of the answer. */
export const geminiSchema: Fit<FittedSchema> = once(function* (schema) {
  return yield* reduceSchema(yield* currentSchema(schema));
});

/**
 * Keywords that Nova takes at the top of a tool's schema
 * (docs.aws.amazon.com/nova/latest/userguide/tool-use-definition.html).
 */
const NOVA_TAKES: ReadonlySet<string> = new Set(['type', 'properties', 'required']);

/**
 * The schema of a tool of Nova's. Its top level may have only three keywords, so nothing can be referred to
 * ("extraneous key [definitions] is not permitted": zed-industries/zed, issue 28521; pydantic/pydantic-ai, issue 1623,
 * which names the vendor's note; read 2026-11-29).
 */
export const novaToolSchema: Fit<FittedSchema> = once(function* (schema) {
  const words = yield* currentSchema(schema);
  const hasReferences = !holdsOfAll(words, ({ $ref }) => $ref === undefined);
  const inlined = hasReferences ? yield* withoutReferences(words) : words;
  const { schema: plain, lost } = mergeTop(withObjectType(inlined), GPT_REFUSES);
  const others = Object.keys(plain).filter((keyword) => !NOVA_TAKES.has(keyword));
  if (others.length === 0) return { schema: plain, lost };
  const kept = Object.fromEntries(Object.entries(plain).filter(([keyword]) => NOVA_TAKES.has(keyword)));
  return { schema: kept, lost: [...lost, ...others.filter((keyword) => !UNRESTRICTIVE.has(keyword))] };
});

/**
 * The schema of a tool at Converse, in the form of the model's family.
 * @param isStrict whether the vendor enforces the schema
 */
export function* converseToolSchema(schema: JsonObject, target: Target, isStrict: boolean): Steps<FittedSchema> {
  if (modelFamilyOf(target) === 'nova') return yield* novaToolSchema(schema);
  return isStrict ? yield* restrictOfTool(schema) : yield* claudeToolSchema(schema, target, isStrict);
}
