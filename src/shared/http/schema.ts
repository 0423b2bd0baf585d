import {
  Type,
  type Static,
  type TLiteral,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnsafe,
} from '@sinclair/typebox';
import { _, Ajv, Name, type Code, type ErrorObject } from 'ajv';
import { isDomainRule } from '../../core/domains.js';
import { characterCount } from '../../core/text/character-count.js';
import { ExactNumber, isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import { shortened } from '../../core/shortened.js';
import { SharedSchemas } from './shared-schemas.js';
import { nearestName, nearestUnderPrefix, suggestField, suggestOrListFields } from './nearest-name.js';
import { undeclaredMembers } from './undeclared-members.js';

/*
 * JSON Schema, written with TypeBox so that the static type is inferred from it, and checked by ajv. Every combinator
 * tries at most one branch of a union: the fault that ajv reports is then the one the caller needs.
 */

export type { Static, TProperties, TSchema };

// `verbose` puts the violated schema on the error, where its allowed values are read; it costs nothing until there is
// one. Named schemas stay functions (`inlineRefs`). Optimising the generated code would double the compile time without
// a measurable gain.
const ajv = new Ajv({
  strict: false,
  // 1e999 is JSON, and parsed as infinity.
  strictNumbers: true,
  discriminator: true,
  verbose: true,
  messages: false,
  inlineRefs: false,
  code: { optimize: false },
});
// To ajv an `ExactNumber` is an object, so every schema of objects excludes it. The keyword's value is `true`, or the
// numbers that are accepted instead of the object. Judged before branches, which only know themselves.
ajv.addKeyword({
  keyword: 'unlikeNumber',
  before: 'if',
  // Inlined into the generated code: a history has hundreds of objects.
  code(context) {
    const exactNumber = context.gen.scopeValue('obj', { ref: ExactNumber });
    context.fail(_`${context.data} instanceof ${exactNumber}`);
  },
});
const UNLIKE_NUMBER = { unlikeNumber: true };

// ajv counts the characters of every bounded text. A character is one or two units, so that only texts near their bound
// need to be counted.
addLengthKeyword(
  'maxLength',
  (text, units, max) => _`${units} > ${max} && (${units} > 2 * ${max} || ${text} > ${max})`,
);
addLengthKeyword(
  'minLength',
  (text, units, min) => _`${units} < 2 * ${min} && (${units} < ${min} || ${text} < ${min})`,
);

/** @param fails the condition of a violation, from the number of characters, that of UTF-16 units, and the bound */
function addLengthKeyword(keyword: string, fails: (characters: Code, units: Code, bound: Name | Code) => Code): void {
  ajv.removeKeyword(keyword);
  ajv.addKeyword({
    keyword,
    type: 'string',
    before: 'pattern',
    error: { message: keyword, params: ({ schemaCode }) => _`{limit: ${schemaCode}}` },
    code(context) {
      const counted = context.gen.scopeValue('func', { ref: characterCount });
      const { data, schemaCode } = context;
      context.fail(fails(_`${counted}(${data})`, _`${data}.length`, schemaCode as Name));
    },
  });
}

// Members that the schema of their object does not name fit it, and are noted: nothing of a request is lost without a
// name (docs/use/translation.md#undeclared-members).
ajv.addKeyword({
  keyword: 'notesUndeclared',
  type: 'object',
  // Inlined: an object without such members costs a look at each of its names.
  code({ gen, data, it, parentSchema }) {
    const { properties } = parentSchema as { readonly properties: TProperties };
    const note = gen.scopeValue('obj', { ref: undeclaredMembers });
    const names = gen.scopeValue('obj', { ref: new Set(Object.keys(properties)) });
    const pointer = _`${new Name('instancePath')} + ${it.errorPath}`;
    gen.forIn('name', data, (name) =>
      gen.if(_`!${names}.has(${name})`, () => gen.code(_`${note}.note(${data}, ${name}, ${pointer})`)),
    );
  },
});
const NOTES = { ...UNLIKE_NUMBER, notesUndeclared: true };

const shared = new SharedSchemas(
  (schema, name) => ajv.addSchema(schema, name),
  (schema) => !canRequest(schema),
);

/** `format` of a domain rule (`core/domains.ts`). */
const DOMAIN = 'domain-rule';
ajv.addFormat(DOMAIN, isDomainRule);

/** A text that is a domain rule. */
export const domainRule = (limits: { max: number }) =>
  Type.String({
    maxLength: limits.max,
    format: DOMAIN,
    reason: 'must be a domain such as example.com or example.com/blog',
  });

/**
 * Text; its length is counted in characters (code points), as in JSON Schema. `reason` describes the requirement of
 * `pattern`.
 */
export const text = (limits: { min?: number; max?: number; pattern?: string; reason?: string } = {}) =>
  Type.String({
    ...(limits.min !== undefined && { minLength: limits.min }),
    ...(limits.max !== undefined && { maxLength: limits.max }),
    ...(limits.pattern !== undefined && { pattern: limits.pattern, reason: limits.reason }),
  });

/** A time as printed in replies: ISO 8601, UTC. */
export const moment = (limits: { max?: number } = {}) =>
  Type.String({ format: 'date-time', ...(limits.max !== undefined && { maxLength: limits.max }) });

/** A whole number; 1.0 is one, as in JSON. */
export const integer = (limits: { min?: number; max?: number } = {}) => Type.Integer(bounds(limits));

/** A finite number. */
export const number = (limits: { min?: number; max?: number } = {}) => Type.Number(bounds(limits));

/** A number that something is compared with: JavaScript numbers hold it exactly. */
export const comparedNumber = () => number({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });

export const flag = () => Type.Boolean();

/** Exactly this text. */
export const literal = <const Value extends string>(value: Value): TLiteral<Value> => Type.Literal(value);

/** One of these texts. */
export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values] });

/** Any JSON value. */
export const anything = () => Type.Unsafe<Json>({});

/** Any value, of unknown form. */
export const unknown = () => Type.Unknown();

/** An object whose keys are the caller's; its contents are never checked. */
export const freeForm = () => Type.Unsafe<JsonObject>({ type: 'object', ...UNLIKE_NUMBER });

/**
 * An object whose keys are the caller's, with values of one kind. `keyMax`: longest key, in characters; `keys`: pattern
 * of each key, and its requirement in words.
 */
export const map = <Value extends TSchema>(
  value: Value,
  limits: { max?: number; keyMax?: number; keys?: { readonly pattern: string; readonly reason: string } } = {},
) =>
  Type.Unsafe<{ readonly [key: string]: Static<Value> }>({
    type: 'object',
    ...UNLIKE_NUMBER,
    additionalProperties: value,
    ...(limits.max !== undefined && { maxProperties: limits.max }),
    ...(limits.keyMax !== undefined && { propertyNames: { maxLength: limits.keyMax } }),
    ...(limits.keys !== undefined && { propertyNames: { ...limits.keys } }),
  });

export const list = <Item extends TSchema>(item: Item, limits: { min?: number; max?: number } = {}) =>
  Type.Array(item, {
    ...(limits.min !== undefined && { minItems: limits.min }),
    ...(limits.max !== undefined && { maxItems: limits.max }),
  });

/** A read-only list in a reply. */
export const rows = <Item extends TSchema>(item: Item) => Type.Unsafe<readonly Static<Item>[]>(Type.Array(item));

/** A text for readers of the description, without effect on validation. */
export const described = <S extends TSchema>(description: string, schema: S): S => ({ ...schema, description });

/** A secret: no reply contains it, and the viewer of the description shows no example for it. */
export const writeOnly = <S extends TSchema>(schema: S): S => ({ ...schema, writeOnly: true });

/** An object with these fields, and any others, which are noted. */
export const object = <Fields extends TProperties>(fields: Fields) => Type.Object(fields, NOTES);

/** An object with these fields, and any others, which its reader knows or keeps. */
export const openObject = <Fields extends TProperties>(fields: Fields) => Type.Object(fields, UNLIKE_NUMBER);

/** An object with these fields, and others of one kind, which are named as they come. */
export const objectAndOthers = <Fields extends TProperties>(fields: Fields, others: TSchema) =>
  Type.Object(fields, { ...UNLIKE_NUMBER, additionalProperties: others });

/** An object with these fields and no others. */
export const closed = <Fields extends TProperties>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false, ...UNLIKE_NUMBER });

/** A field that may be absent; null is not absence. */
export const optional = <S extends TSchema>(schema: S) => Type.Optional(schema);

/** The schema's values, or null. */
export function nullable<S extends TSchema>(schema: S): TUnsafe<Static<S> | null> {
  const type = [...typesOf(schema), 'null'];
  if (Array.isArray(schema['enum'])) return Type.Unsafe({ type, enum: [...(schema['enum'] as unknown[]), null] });
  return Type.Unsafe({ type, if: { type: 'null' }, else: schema, ...unlikeNumber(type) });
}

/** Values of two schemas of different JSON types, such as text or list. */
export function either<First extends TSchema, Second extends TSchema>(
  first: First,
  second: Second,
): TUnsafe<Static<First> | Static<Second>> {
  const firstTypes = typesOf(first);
  const secondTypes = typesOf(second);
  const type = [...firstTypes, ...secondTypes];
  const isNumberOrObject = takesNumbers(firstTypes) && secondTypes.includes('object');
  return Type.Unsafe({
    type,
    if: { type: firstTypes },
    then: first,
    else: isNumberOrObject ? { ...second, unlikeNumber: first } : second,
    ...unlikeNumber(type),
  });
}

/** Objects: those that meet the condition are checked against the first schema, all others against the second. */
export const when = <Then extends TSchema, Else extends TSchema>(
  condition: TSchema,
  then: Then,
  otherwise: Else,
): TUnsafe<Static<Then> | Static<Else>> =>
  Type.Unsafe({ type: 'object', if: asCondition(condition), then, else: otherwise, ...UNLIKE_NUMBER });

/** A schema that is used as a condition reports no undeclared members. */
function asCondition(condition: TSchema): TSchema {
  const { notesUndeclared: _noted, not, ...rest } = condition;
  return not === undefined ? rest : { ...rest, not: asCondition(not as TSchema) };
}

/** A schema that nothing fits, with the reason shown to the caller. */
export const refused = (reason: string) => Type.Unsafe<never>({ not: {}, reason });

/**
 * A field that is known, but has no effect in this gateway: only its neutral values fit.
 * @param neutral those values
 */
export const unsupported = (neutral: TSchema) =>
  neutralOnly(neutral, 'is not supported yet by this gateway; leave it out');

/** `unsupported` with a separate reason. */
export const neutralOnly = (neutral: TSchema, reason: string) =>
  Type.Unsafe<unknown>({ if: neutral, else: refused(reason) });

const refusesAll = (schema: TSchema | undefined): boolean =>
  schema?.['not'] !== undefined && Object.keys(schema['not'] as object).length === 0;

/** Whether a value with an effect fits. A `refused` or `unsupported` schema exists only to give its reason. */
export function canRequest(schema: TSchema): boolean {
  return !refusesAll(schema) && !refusesAll(schema['else'] as TSchema | undefined);
}

/** A schema that only null fits, with the reason shown to the caller. */
export const onlyNull = (reason: string) => Type.Unsafe<null>({ not: { not: { type: 'null' } }, reason });

/**
 * A named schema: compiled once and called wherever it is used. Without names a schema that is used twenty times is
 * compiled twenty times, into one function too long for the engine to optimise.
 */
export function named<S extends TSchema>(name: string, schema: S): TUnsafe<Static<S>> {
  ajv.addSchema(shared.share(schema), name);
  return titled(name, schema);
}

/** A named schema that is only described, as those of replies are, and never compiled. */
export function titled<S extends TSchema>(name: string, schema: S): TUnsafe<Static<S>> {
  if (NAMED.has(name)) throw new Error(`Two schemas have the name ${name}.`);
  NAMED.set(name, schema);
  return Type.Unsafe({ $ref: name, type: schema['type'] as string | string[] });
}

const NAMED = new Map<string, TSchema>();

/** The schema registered by `named` or `titled` under a name. */
export const schemaNamed = (name: string): TSchema | undefined => NAMED.get(name);

type VariantOf<Tag extends string, Cases extends Record<string, TProperties>> = {
  [Value in keyof Cases & string]: { [Key in Tag]: Value } & Static<TObject<Cases[Value]>>;
}[keyof Cases & string];

/**
 * Objects distinguished by the text in `tag`. An unknown tag is refused with the allowed values; members that a case
 * does not name are noted.
 */
export const variant = <Tag extends string, Cases extends Record<string, TProperties>>(tag: Tag, cases: Cases) =>
  variantOf(tag, cases, { notesUndeclared: true });

/** An object whose reader knows or keeps all other members. */
export const openVariant = <Tag extends string, Cases extends Record<string, TProperties>>(tag: Tag, cases: Cases) =>
  variantOf(tag, cases, {});

const variantOf = <Tag extends string, Cases extends Record<string, TProperties>>(
  tag: Tag,
  cases: Cases,
  others: object,
): TUnsafe<VariantOf<Tag, Cases>> =>
  Type.Unsafe({
    type: 'object',
    ...UNLIKE_NUMBER,
    required: [tag],
    discriminator: { propertyName: tag },
    oneOf: Object.entries(cases).map(([value, fields]) =>
      Type.Object({ [tag]: Type.Literal(value), ...fields }, others),
    ),
  });

/** Returns the schema with no object in it accepting additional fields. Free-form objects are unchanged. */
export function closedThroughout<S extends TSchema>(schema: S): S {
  const { properties, items, else: otherwise, oneOf: branches } = schema as Readonly<Record<string, unknown>>;
  const all = (schemas: object): object =>
    Object.fromEntries(Object.entries(schemas).map(([name, inner]) => [name, closedThroughout(inner as TSchema)]));
  return {
    ...schema,
    ...(properties !== undefined && { properties: all(properties as object), additionalProperties: false }),
    ...(items !== undefined && { items: closedThroughout(items as TSchema) }),
    ...(otherwise !== undefined && { else: closedThroughout(otherwise as TSchema) }),
    ...(branches !== undefined && { oneOf: (branches as TSchema[]).map(closedThroughout) }),
  };
}

function bounds(limits: { min?: number; max?: number }): { minimum?: number; maximum?: number } {
  return {
    ...(limits.min !== undefined && { minimum: limits.min }),
    ...(limits.max !== undefined && { maximum: limits.max }),
  };
}

const typesOf = (schema: TSchema): string[] => [schema['type'] as string | string[]].flat();

const takesNumbers = (types: readonly string[]): boolean => types.includes('number') || types.includes('integer');

const unlikeNumber = (types: readonly string[]): object =>
  types.includes('object') && !takesNumbers(types) ? UNLIKE_NUMBER : {};

/** The first fault of a value. `path` is empty for the value itself. */
export interface Fault {
  readonly path: string;
  readonly reason: string;
}

/** The facts about the values that a constraint accepts. */
export interface Described {
  readonly schema: TSchema;
}

/** A compiled schema. Safe to share. Judging never changes the value. */
export interface Compiled<T> extends Described {
  check(value: unknown): value is T;
  fault(value: unknown): Fault | undefined;
}

/** The type a compiled schema proves. */
export type Of<C> = C extends Compiled<infer T> ? T : never;

/** Compiles a schema. Costs milliseconds: done once for each, when a module is loaded. */
export function compile<S extends TSchema>(schema: S): Compiled<Static<S>> {
  const before = compiled.get(schema);
  if (before) return before;
  const validate = ajv.compile<Static<S>>(shared.share(schema));
  const made: Compiled<Static<S>> = {
    schema,
    check: validate,
    fault: (value) => (validate(value) ? undefined : faultOf(causeOf(validate.errors!))),
  };
  compiled.set(schema, made);
  return made;
}

const compiled = new WeakMap<TSchema, Compiled<unknown>>();

/** Keywords that only report that a schema within them was violated. */
const OUTER = new Set(['if', 'propertyNames']);

/** The violation itself. There is one: ajv stops at the first, and each union tries one branch. */
const causeOf = (errors: readonly ErrorObject[]): ErrorObject =>
  errors.find(({ keyword }) => !OUTER.has(keyword)) ?? errors[0]!;

function faultOf(error: ErrorObject): Fault {
  const at = error.instancePath.split('/').slice(1).map(unescapePointer);
  const params = error.params as Record<string, unknown>;
  const schema = (error.parentSchema ?? {}) as Record<string, unknown>;
  const fault = (reason: string, ...keys: unknown[]): Fault => ({
    path: pathText([...at, ...keys.map(String)]),
    reason,
  });
  if (error.propertyName !== undefined) {
    const required =
      error.keyword === 'pattern'
        ? String(schema['reason'])
        : `must be at most ${count(params['limit'], 'character', 'characters')}`;
    return fault(`its name ${required}`, error.propertyName);
  }
  switch (error.keyword) {
    case 'required':
      return fault('is required', params['missingProperty']);
    case 'additionalProperties':
      return fault(
        suggestField(String(params['additionalProperty']), usableFields(schema)),
        params['additionalProperty'],
      );
    case 'discriminator':
      return fault(unknownTag(schema, String(params['tag']), params['tagValue']), params['tag']);
    case 'type':
      if (error.data instanceof ExactNumber) return fault(numberWanted(schema, Number(error.data.toJSON())));
      return fault(expectationOf(schema));
    case 'enum':
    case 'const':
      return fault(expectationOf(schema));
    case 'minimum':
      return fault(`must be at least ${String(params['limit'])}`);
    case 'maximum':
      return fault(`must be at most ${String(params['limit'])}`);
    case 'unlikeNumber':
      return fault(
        numberWanted(
          error.schema === true ? schema : (error.schema as TSchema),
          Number((error.data as ExactNumber).toJSON()),
        ),
      );
    case 'minLength':
      return fault(`must be at least ${count(params['limit'], 'character', 'characters')}`);
    case 'maxLength':
      return fault(`must be at most ${count(params['limit'], 'character', 'characters')}`);
    case 'minItems':
      return fault(`must have at least ${count(params['limit'], 'entry', 'entries')}`);
    case 'maxProperties':
    case 'maxItems':
      return fault(`must have at most ${count(params['limit'], 'entry', 'entries')}`);
    default:
      // `pattern`, `format` and `not`: keywords whose requirement cannot be derived from the schema.
      return fault(String(schema['reason']));
  }
}

/**
 * The first field of a value, at any depth, that is unknown to its closed object, regardless of other faults.
 * Alternatives (`when`, `variant`) are not searched, because the intended one is unknown here.
 * @param at path of the value
 */
export function findUnknownField(schema: TSchema, value: unknown, at: readonly string[]): Fault | undefined {
  for (const [inner, part, key] of partsOf(schema, value)) {
    if (inner === undefined) {
      return { path: pathText([...at, key]), reason: suggestOrListFields(key, usableFields(schema)) };
    }
    const fault = findUnknownField(inner, part, [...at, key]);
    if (fault) return fault;
  }
  const beneath = beneathOf(schema);
  return beneath && findUnknownField(beneath, value, at);
}

/** The inner schema of `nullable` and `unsupported`. */
function beneathOf(schema: TSchema): TSchema | undefined {
  const condition = schema['if'] as TSchema | undefined;
  const otherwise = schema['else'] as TSchema | undefined;
  if (refusesAll(otherwise)) return condition;
  return condition?.['type'] === 'null' ? otherwise : undefined;
}

/** Limit of list entries that are searched: more than any list of management accepts. */
const LOOKED_THROUGH_MAX = 10_000;

/** The parts of an object or a list with their schemas, unknown ones first. */
function partsOf(schema: TSchema, value: unknown): [schema: TSchema | undefined, part: unknown, key: string][] {
  if (Array.isArray(value)) {
    const items = schema['items'] as TSchema | undefined;
    const judged = items ? value.slice(0, LOOKED_THROUGH_MAX) : [];
    return judged.map((item, index) => [items, item, String(index)]);
  }
  const fields = schema['properties'] as TProperties | undefined;
  if (!fields || !isJsonObject(value)) return [];
  const known = Object.keys(value).filter((key) => Object.hasOwn(fields, key));
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(fields, key));
  const isClosedObject = schema['additionalProperties'] === false;
  return [
    ...(isClosedObject ? unknown.map((key): [undefined, unknown, string] => [undefined, value[key], key]) : []),
    ...known.map((key): [TSchema, unknown, string] => [fields[key]!, value[key], key]),
  ];
}

/** The fields that a schema of objects names, those of all its alternatives together. */
export function fieldNames(schema: TSchema): readonly string[] {
  const { properties = {}, then, else: otherwise } = schema as Readonly<Record<string, TSchema | undefined>>;
  const alternatives = [then, otherwise].flatMap((branch) => (branch ? fieldNames(branch) : []));
  return [...new Set([...Object.keys(properties), ...alternatives])];
}

/** The fields of an object that are worth suggesting. */
const usableFields = (schema: TSchema | Record<string, unknown>): string[] =>
  Object.entries((schema['properties'] ?? {}) as Record<string, TSchema>)
    .filter(([, field]) => canRequest(field))
    .map(([name]) => name);

/**
 * The complaint about a number that JavaScript cannot represent (docs/contribute/decisions/0003): it is out of bounds,
 * or has too many digits.
 */
function numberWanted(schema: Record<string, unknown>, value: number): string {
  const { minimum, maximum } = schema as { readonly minimum?: number; readonly maximum?: number };
  if (maximum !== undefined && value >= maximum) return `must be at most ${maximum}`;
  if (minimum !== undefined && value <= minimum) return `must be at least ${minimum}`;
  return [schema['type']].flat().includes('number') ? 'must have fewer digits' : expectationOf(schema);
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

function expectationOf(schema: Record<string, unknown>): string {
  if (typeof schema['const'] === 'string') return `must be ${schema['const']}`;
  if (Array.isArray(schema['enum'])) return `must be one of ${schema['enum'].map(String).join(', ')}`;
  const words = [schema['type']].flat().map((type) => TYPE_WORDS[String(type)]!);
  const last = words.pop()!;
  return words.length === 0 ? `must be ${last}` : `must be ${words.join(', ')} or ${last}`;
}

function unknownTag(schema: Record<string, unknown>, tag: string, value: unknown): string {
  const tags = tagsOf(schema, tag);
  const nearest = typeof value === 'string' ? (nearestUnderPrefix(value, tags) ?? nearestName(value, tags)) : undefined;
  return `must be one of ${tags.join(', ')}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

function tagsOf(schema: Record<string, unknown>, tag: string): string[] {
  const branches = (schema['oneOf'] as TSchema[]).map((branch) => shared.schemaAt(branch) as TObject);
  return branches.map(({ properties }) => String(properties[tag]!['const']));
}

const count = (amount: unknown, singular: string, many: string): string =>
  `${String(amount)} ${amount === 1 ? singular : many}`;

const unescapePointer = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~');

/** A path as shown in errors: `messages.3.content.0.id`. */
export const pathText = (keys: readonly string[]): string => keys.map(shortened).join('.');
