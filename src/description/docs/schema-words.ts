import type { Json, JsonObject } from '../../core/json/json.js';

/** A schema of the document, as far as its pages show it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly not?: Schema;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly writeOnly?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** The forms of values of one document, and their words. */
export class SchemaWords {
  private readonly known = new WeakMap<Schema, boolean>();

  constructor(private readonly document: JsonObject) {}

  /** The value that a reference names. All references are within the document. */
  follow<T extends { readonly $ref?: string }>(value: T): T {
    if (value.$ref === undefined) return value;
    const found = value.$ref
      .slice('#/'.length)
      .split('/')
      .reduce<Json | undefined>((node, key) => (node as JsonObject | undefined)?.[key], this.document);
    return this.follow(found as unknown as T);
  }

  /** The forms that a value may have, as a flat list. */
  formsOf(schema: Schema): readonly Schema[] {
    const form = this.follow(schema);
    const alternatives = form.anyOf ?? form.oneOf ?? (form.if && [form.then ?? {}, form.else ?? {}]);
    return alternatives ? alternatives.flatMap((alternative) => this.formsOf(alternative)) : [schema];
  }

  /** Whether it has fields, or its entries or alternatives have. */
  hasFields(schema: Schema): boolean {
    const known = this.known.get(schema);
    if (known !== undefined) return known;
    // A recursive schema adds no fields where it contains itself.
    this.known.set(schema, false);
    const form = this.follow(schema);
    const [first, ...others] = this.formsOf(form);
    const has = form.properties
      ? Object.keys(form.properties).length > 0
      : first !== form || others.length > 0
        ? [first!, ...others].some((alternative) => this.hasFields(alternative))
        : this.hasFieldsOf(form.items) || this.hasFieldsOf(form.additionalProperties);
    this.known.set(schema, has);
    return has;
  }

  private hasFieldsOf(inner: Schema | boolean | undefined): boolean {
    return typeof inner === 'object' && this.hasFields(inner);
  }

  /** The form of a value in a few words. */
  wordsFor(schema: Schema): string {
    if (schema.$ref !== undefined) return nameIn(schema)!;
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
    if (schema.not) return 'nothing';
    if (schema.anyOf ?? schema.oneOf ?? schema.if) {
      const words = [...new Set(this.formsOf(schema).map((form) => this.wordsFor(form)))];
      return words.length > 4 ? `one of ${words.length} forms` : words.join(' or ');
    }
    const types = [schema.type ?? []].flat();
    return types.length === 0 ? 'anything' : types.map((type) => this.wordsForType(schema, type)).join(' or ');
  }

  private wordsForType(schema: Schema, type: string): string {
    if (type === 'array' && schema.items) return `list of ${this.wordsFor(schema.items)}`;
    if (type !== 'object') return TYPE_WORDS[type] ?? type;
    // The constant that distinguishes the objects of a union.
    const [name, property] =
      Object.entries(schema.properties ?? {}).find(([, { const: value }]) => value !== undefined) ?? [];
    return name === undefined ? 'object' : `${name} ${JSON.stringify(property!.const)}`;
  }
}

const TYPE_WORDS: Readonly<Record<string, string>> = { array: 'list', integer: 'whole number' };

/** The name of the component that it refers to. */
export const nameIn = ({ $ref }: Schema): string | undefined => $ref?.split('/').at(-1);

const shown = (value: number | undefined): string | undefined =>
  value === undefined || value >= Number.MAX_SAFE_INTEGER ? undefined : value.toLocaleString('en');

function span(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  const limit = shown(most);
  if (least !== undefined && limit !== undefined) return `${least.toLocaleString('en')} to ${limit}${unit}`;
  if (least !== undefined) return `${least.toLocaleString('en')}${unit} or more`;
  return limit && `at most ${limit}${unit}`;
}

/** The least of nothing is no bound. */
const some = (least: number | undefined): number | undefined => least || undefined;

/** The bounds of a value, in words. */
export const boundsOf = (schema: Schema): string =>
  [
    span(some(schema.minLength), schema.maxLength, ' characters'),
    span(schema.minimum, schema.maximum, ''),
    span(some(schema.minItems), schema.maxItems, ' entries'),
    span(some(schema.minProperties), schema.maxProperties, ' keys'),
  ]
    .filter((words) => words !== undefined)
    .join(', ');
