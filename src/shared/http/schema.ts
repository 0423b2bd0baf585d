import {
  Type,
  type Static,
  type TLiteral,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnsafe,
} from '@sinclair/typebox';
import { _, Ajv, type ErrorObject } from 'ajv';
import { isDomainRule } from '../../core/domains.js';
import { ExactNumber, isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import { shortened } from '../../core/shortened.js';
import { SharedSchemas } from './shared-schemas.js';
import { nearestName, suggestField, suggestOrListFields } from './nearest-name.js';

/*
 * JSON Schema, written with TypeBox so that the static type is inferred from it, and checked by ajv. Every
 * combinator is made so that at most one branch of a union is ever tried: the first fault that ajv reports is then
 * the one the caller needs.
 */

export type { Static, TProperties, TSchema };

// `verbose` puts the violated schema on the error, where its allowed values are read; it costs nothing until there is
// one. Named schemas stay functions (`inlineRefs`). Optimising the generated code would double the time to compile it,
// for nothing that can be measured afterwards.
const ajv = new Ajv({
  strict: false,
  // 1e999 is JSON, and read as infinity.
  strictNumbers: true,
  discriminator: true,
  verbose: true,
  messages: false,
  inlineRefs: false,
  code: { optimize: false },
});
// To ajv an `ExactNumber` is an object: whatever takes objects says that it takes none. Its value is `true`, or the
// numbers that are taken in the object's stead. Judged before branches, which know of themselves only.
ajv.addKeyword({
  keyword: 'unlikeNumber',
  before: 'if',
  // Printed into the code that judges: a history has hundreds of objects.
  code(context) {
    const exactNumber = context.gen.scopeValue('obj', { ref: ExactNumber });
    context.fail(_`${context.data} instanceof ${exactNumber}`);
  },
});
const UNLIKE_NUMBER = { unlikeNumber: true };

const shared = new SharedSchemas(
  (schema, name) => ajv.addSchema(schema, name),
  (schema) => !canAsk(schema),
);

/** A domain that can be held to (`core/domains.ts`): what `format` says of it. */
const DOMAIN = 'domain-rule';
ajv.addFormat(DOMAIN, isDomainRule);

/** Text that is one. */
export const domainRule = (limits: { max: number }) =>
  Type.String({
    maxLength: limits.max,
    format: DOMAIN,
    reason: 'must be a domain such as example.com or example.com/blog',
  });

/**
 * Text; its length is counted in characters (code points), as JSON Schema does. `reason` tells what `pattern` wants.
 */
export const text = (limits: { min?: number; max?: number; pattern?: string; reason?: string } = {}) =>
  Type.String({
    ...(limits.min !== undefined && { minLength: limits.min }),
    ...(limits.max !== undefined && { maxLength: limits.max }),
    ...(limits.pattern !== undefined && { pattern: limits.pattern, reason: limits.reason }),
  });

/** A moment as replies print it: ISO 8601, UTC. */
export const moment = (limits: { max?: number } = {}) =>
  Type.String({ format: 'date-time', ...(limits.max !== undefined && { maxLength: limits.max }) });

/** A whole number; 1.0 is one, as in JSON. */
export const integer = (limits: { min?: number; max?: number } = {}) => Type.Integer(bounds(limits));

/** A finite number. */
export const number = (limits: { min?: number; max?: number } = {}) => Type.Number(bounds(limits));

export const flag = () => Type.Boolean();

/** Exactly this text. */
export const literal = <const Value extends string>(value: Value): TLiteral<Value> => Type.Literal(value);

/** One of these texts. */
export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values] });

/** Any JSON value. */
export const anything = () => Type.Unsafe<Json>({});

/** Any value, of which nothing is known here. */
export const unknown = () => Type.Unknown();

/** An object whose keys are the caller's; what is in it is never looked at. */
export const freeForm = () => Type.Unsafe<JsonObject>({ type: 'object', ...UNLIKE_NUMBER });

/** An object whose keys are the caller's, with values of one kind. `keyMax`: longest key, in characters. */
export const map = <Value extends TSchema>(value: Value, limits: { max?: number; keyMax?: number } = {}) =>
  Type.Unsafe<{ readonly [key: string]: Static<Value> }>({
    type: 'object',
    ...UNLIKE_NUMBER,
    additionalProperties: value,
    ...(limits.max !== undefined && { maxProperties: limits.max }),
    ...(limits.keyMax !== undefined && { propertyNames: { maxLength: limits.keyMax } }),
  });

export const list = <Item extends TSchema>(item: Item, limits: { min?: number; max?: number } = {}) =>
  Type.Array(item, {
    ...(limits.min !== undefined && { minItems: limits.min }),
    ...(limits.max !== undefined && { maxItems: limits.max }),
  });

/** A list in a reply: nobody changes it. */
export const rows = <Item extends TSchema>(item: Item) => Type.Unsafe<readonly Static<Item>[]>(Type.Array(item));

/** Words for those who read the description; nothing is judged by them. */
export const described = <S extends TSchema>(description: string, schema: S): S => ({ ...schema, description });

/** A secret: no reply has it, and the viewer of the description fills it with no example. */
export const writeOnly = <S extends TSchema>(schema: S): S => ({ ...schema, writeOnly: true });

/** An object with these fields, and any others beside them. */
export const object = <Fields extends TProperties>(fields: Fields) => Type.Object(fields, UNLIKE_NUMBER);

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

/** Objects: those that meet the condition are held to the first schema, all others to the second. */
export const when = <Then extends TSchema, Else extends TSchema>(
  condition: TSchema,
  then: Then,
  otherwise: Else,
): TUnsafe<Static<Then> | Static<Else>> =>
  Type.Unsafe({ type: 'object', if: condition, then, else: otherwise, ...UNLIKE_NUMBER });

/** A schema that nothing fits, with the reason the caller is told. */
export const refused = (reason: string) => Type.Unsafe<never>({ not: {}, reason });

/**
 * A field that is known, and whose effect this gateway lacks: only values that ask for nothing fit it.
 * @param neutral those values
 */
export const unsupported = (neutral: TSchema) =>
  Type.Unsafe<unknown>({ if: neutral, else: refused('is not supported yet by this gateway; leave it out') });

const refusesAll = (schema: TSchema | undefined): boolean =>
  schema?.['not'] !== undefined && Object.keys(schema['not'] as object).length === 0;

/**
 * Whether a value fits that asks for something. A schema that is `refused`, or `unsupported`, is known only for its
 * reason to be told.
 */
export function canAsk(schema: TSchema): boolean {
  return !refusesAll(schema) && !refusesAll(schema['else'] as TSchema | undefined);
}

/** A schema that null fits and nothing else, with the reason the caller is told. */
export const onlyNull = (reason: string) => Type.Unsafe<null>({ not: { not: { type: 'null' } }, reason });

/**
 * A schema under a name of its own: compiled once and called wherever it stands. Without names a schema that is used in
 * twenty places is compiled twenty times over, into one function too long for the engine to optimise.
 */
export function named<S extends TSchema>(name: string, schema: S): TUnsafe<Static<S>> {
  ajv.addSchema(shared.share(schema), name);
  return titled(name, schema);
}

/** A schema under a name of its own that is only described, as those of replies are, and never compiled. */
export function titled<S extends TSchema>(name: string, schema: S): TUnsafe<Static<S>> {
  if (NAMED.has(name)) throw new Error(`Two schemas have the name ${name}.`);
  NAMED.set(name, schema);
  return Type.Unsafe({ $ref: name, type: schema['type'] as string | string[] });
}

const NAMED = new Map<string, TSchema>();

/** What `named` and `titled` have put under a name. */
export const schemaNamed = (name: string): TSchema | undefined => NAMED.get(name);

type VariantOf<Tag extends string, Cases extends Record<string, TProperties>> = {
  [Value in keyof Cases & string]: { [Key in Tag]: Value } & Static<TObject<Cases[Value]>>;
}[keyof Cases & string];

/** Open objects told apart by the text in `tag`. A stranger is refused at the tag, with the allowed values. */
export function variant<Tag extends string, Cases extends Record<string, TProperties>>(
  tag: Tag,
  cases: Cases,
): TUnsafe<VariantOf<Tag, Cases>> {
  return Type.Unsafe({
    type: 'object',
    ...UNLIKE_NUMBER,
    required: [tag],
    discriminator: { propertyName: tag },
    oneOf: Object.entries(cases).map(([value, fields]) => Type.Object({ [tag]: Type.Literal(value), ...fields })),
  });
}

/** The same schema, but that no object in it takes fields beside its own; free-form ones stay as they are. */
export function closedThroughout<S extends TSchema>(schema: S): S {
  const { properties, items, else: otherwise, oneOf: branches } = schema as Readonly<Record<string, unknown>>;
  const all = (schemas: object): object =>
    Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, closedThroughout(one as TSchema)]));
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

/** The first thing wrong with a value. `path` is empty for the value itself. */
export interface Fault {
  readonly path: string;
  readonly reason: string;
}

/** What can be told of the values that a constraint takes. */
export interface Described {
  readonly schema: TSchema;
}

/** A schema ready to judge. Safe to share. Judging never changes the value. */
export interface Compiled<T> extends Described {
  check(value: unknown): value is T;
  fault(value: unknown): Fault | undefined;
}

/** What a compiled schema proves. */
export type Of<C> = C extends Compiled<infer T> ? T : never;

/** Compiles a schema. Costs milliseconds: done once for each, when a module is loaded. */
export function compile<S extends TSchema>(schema: S): Compiled<Static<S>> {
  const before = compiled.get(schema);
  if (before) return before;
  const validate = ajv.compile<Static<S>>(shared.share(schema));
  const made: Compiled<Static<S>> = {
    schema,
    check: validate,
    fault: (value) => (validate(value) ? undefined : faultOf(validate.errors![0]!)),
  };
  compiled.set(schema, made);
  return made;
}

const compiled = new WeakMap<TSchema, Compiled<unknown>>();

function faultOf(error: ErrorObject): Fault {
  const at = error.instancePath.split('/').slice(1).map(unescapePointer);
  const params = error.params as Record<string, unknown>;
  const schema = (error.parentSchema ?? {}) as Record<string, unknown>;
  const fault = (reason: string, ...keys: unknown[]): Fault => ({
    path: pathText([...at, ...keys.map(String)]),
    reason,
  });
  if (error.propertyName !== undefined) {
    return fault(`its name must be at most ${count(params['limit'], 'character', 'characters')}`, error.propertyName);
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
      // `pattern`, `format` and `not`, the keywords whose wish cannot be read off the schema.
      return fault(String(schema['reason']));
  }
}

/**
 * The first field of a value, at any depth, that the closed object it stands in does not know; whatever else is wrong
 * with the value. Alternatives (`when`, `variant`) are not looked into: which of them is meant is not known here.
 * @param at where the value stands
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

/** What `nullable` and `unsupported` are made of. */
function beneathOf(schema: TSchema): TSchema | undefined {
  const condition = schema['if'] as TSchema | undefined;
  const otherwise = schema['else'] as TSchema | undefined;
  if (refusesAll(otherwise)) return condition;
  return condition?.['type'] === 'null' ? otherwise : undefined;
}

/** Entries of a list whose fields are looked through: more than any list of management takes. */
const LOOKED_THROUGH_MAX = 10_000;

/** The parts of an object or a list with their schemas, those first that are unknown. */
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

/** Those of an object that are worth being suggested. */
const usableFields = (schema: TSchema | Record<string, unknown>): string[] =>
  Object.entries((schema['properties'] ?? {}) as Record<string, TSchema>)
    .filter(([, field]) => canAsk(field))
    .map(([name]) => name);

/** What is wrong with a number that is no double (docs/decisions/0011): it is out of bounds, or has too many digits. */
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
  const nearest = typeof value === 'string' ? nearestName(value, tags) : undefined;
  return `must be one of ${tags.join(', ')}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

function tagsOf(schema: Record<string, unknown>, tag: string): string[] {
  const branches = (schema['oneOf'] as TSchema[]).map((branch) => shared.schemaAt(branch) as TObject);
  return branches.map(({ properties }) => String(properties[tag]!['const']));
}

const count = (amount: unknown, one: string, many: string): string => `${String(amount)} ${amount === 1 ? one : many}`;

const unescapePointer = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~');

/** A path as errors show it: `messages.3.content.0.id`. */
export const pathText = (keys: readonly string[]): string => keys.map(shortened).join('.');
