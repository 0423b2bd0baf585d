import { isJsonObject, type Json, type JsonObject } from '../core/json/json.js';
import { schemaNamed, type TSchema } from '../shared/http/schema.js';

/** Path of the schemas in the document. */
const COMPONENTS = '#/components/schemas/';

/**
 * Keywords of the combinators themselves, which mean nothing to readers of the document. The `const` and `required` of
 * every branch already state what the discriminator does.
 */
const OWN_KEYWORDS = new Set(['reason', 'discriminator', 'description', 'unlikeNumber', 'notesUndeclared']);
/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const HOLDS_ONE = new Set(['items', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else']);
const HOLDS_MANY = new Set(['oneOf', 'anyOf', 'allOf']);
const HOLDS_NAMED = 'properties';

/**
 * Prints the schemas of `shared/http/schema.ts` as JSON Schema 2020-12, the dialect of OpenAPI 3.1. What the
 * combinators do for good error messages (trying at most one branch, the reason of a pattern) is printed as the
 * standard `anyOf` and `description`. Named schemas become components, each printed once, when it is first met.
 */
export class SchemaPrinter {
  private readonly printed = new Map<string, JsonObject>();

  /** All referenced components by name, in alphabetical order. */
  components(): JsonObject {
    return Object.fromEntries([...this.printed].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A reference to the component of this name; `make` returns its schema the first time. */
  refer(name: string, make: () => TSchema): JsonObject {
    const title = titleOf(name);
    if (!this.printed.has(title)) {
      // Registered before it is printed: it may refer to itself.
      this.printed.set(title, {});
      this.printed.set(title, this.printComponent(title, make()));
    }
    return { $ref: COMPONENTS + title };
  }

  print(schema: TSchema): JsonObject {
    const { description } = schema;
    const words = typeof description === 'string' ? { description } : {};
    return { ...this.printForm(schema), ...words };
  }

  private printForm(schema: TSchema): JsonObject {
    const {
      $ref: name,
      if: condition,
      then,
      else: otherwise,
      not,
      oneOf: branches,
    } = schema as Readonly<Record<string, unknown>>;
    if (typeof name === 'string') return this.refer(name, () => known(name));
    const tested = typeTested(condition);
    if (tested === 'null') return orNull(this.print(otherwise as TSchema));
    if (tested !== undefined) return anyOf(this.print(then as TSchema), this.print(otherwise as TSchema));
    // A union with one member is that member.
    if (Array.isArray(branches) && branches.length === 1) return this.printForm(branches[0] as TSchema);
    // `onlyNull`: a double negation that only null passes.
    if (isDoubleNegation(not)) return { type: 'null', ...reasonOf(schema) };
    return { ...this.printKeywords(schema), ...reasonOf(schema) };
  }

  private printKeywords(schema: TSchema): JsonObject {
    const form: { [key: string]: Json } = {};
    for (const [key, value] of Object.entries(schema) as [string, Json | undefined][]) {
      if (value === undefined || OWN_KEYWORDS.has(key)) continue;
      if (HOLDS_MANY.has(key)) form[key] = (value as unknown as TSchema[]).map((inner) => this.print(inner));
      else if (key === HOLDS_NAMED) form[key] = this.printEach(value as unknown as Readonly<Record<string, TSchema>>);
      else if (HOLDS_ONE.has(key) && typeof value === 'object') form[key] = this.print(value as unknown as TSchema);
      else form[key] = value;
    }
    return form;
  }

  private printEach(schemas: Readonly<Record<string, TSchema>>): JsonObject {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.print(schema)]));
  }

  /** Only a component can have a discriminator: OpenAPI allows only references in it. */
  private printComponent(title: string, schema: TSchema): JsonObject {
    const tag = (schema['discriminator'] as { readonly propertyName: string } | undefined)?.propertyName;
    const cases = schema['oneOf'] as TSchema[] | undefined;
    if (tag === undefined || cases === undefined || cases.length === 1) return this.print(schema);
    const branches = cases.map((branch): [string, string] => {
      const value = (branch['properties'] as Readonly<Record<string, TSchema>>)[tag]!['const'] as string;
      return [value, this.refer(`${title}-${value}`, () => branch)['$ref'] as string];
    });
    return {
      ...this.print({ ...schema, oneOf: undefined }),
      oneOf: branches.map(([, $ref]) => ({ $ref })),
      discriminator: { propertyName: tag, mapping: Object.fromEntries(branches) },
    };
  }
}

/** `tool-result-part` → `ToolResultPart` */
export const titleOf = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

function known(name: string): TSchema {
  const schema = schemaNamed(name);
  if (!schema) throw new Error(`There is no schema named ${name}.`);
  return schema;
}

/**
 * The type by which `nullable` and `either` select a branch; undefined for the condition of `when`, which is printed
 * unchanged.
 */
function typeTested(condition: unknown): Json | undefined {
  const [[key, value] = [], ...others] = Object.entries(condition ?? {}) as [string, Json][];
  return key === 'type' && others.length === 0 ? value : undefined;
}

const isDoubleNegation = (not: unknown): boolean => isJsonObject(not) && 'not' in not;

const reasonOf = ({ reason }: TSchema): JsonObject => (typeof reason === 'string' ? { description: reason } : {});

/** Keywords that also apply to null. */
const SPEAKS_OF_NULL = ['$ref', 'const', 'not', 'if', 'oneOf', 'allOf'];

/** Makes the form accept null too. */
function orNull(form: JsonObject): JsonObject {
  const { type, not, description } = form;
  if (isJsonObject(not) && Object.keys(not).length === 0) return { type: 'null', ...(description && { description }) };
  const types = listOf(type);
  const branches = listOf(form['anyOf']);
  if (types.includes('null') || branches.some((branch) => isJsonObject(branch) && branch['type'] === 'null'))
    return form;
  if (branches.length > 0) return { ...form, anyOf: [...branches, NULL] };
  if ('enum' in form) return { ...form, type: [...types, 'null'], enum: [...listOf(form['enum']), null] };
  if (types.length === 0 || SPEAKS_OF_NULL.some((key) => key in form)) return { anyOf: [form, NULL] };
  return { ...form, type: [...types, 'null'] };
}

const NULL: JsonObject = { type: 'null' };

/** An `anyOf` of schemas; a schema that is only an `anyOf` is replaced by its branches. */
const anyOf = (...forms: readonly JsonObject[]): JsonObject => ({
  anyOf: forms.flatMap((form) => (Object.keys(form).join() === 'anyOf' ? listOf(form['anyOf']) : [form])),
});

const listOf = (value: Json | undefined): readonly Json[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as readonly Json[]) : [value];
