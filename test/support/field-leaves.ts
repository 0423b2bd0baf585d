import type { JsonBody } from './recorded-request.js';

/** Placeholder in a body for a value that is too large for its field, or as large as allowed. */
export const FILLING = '@@filling@@';

/** The kinds of long values that a leaf accepts. `object`: with fields of its own; `any`: all of them. */
export type LeafKind = 'string' | 'number' | 'array' | 'map' | 'object' | 'any';

/** One leaf of a schema, and a valid body that contains `FILLING` there. */
export interface Leaf {
  /** `messages.0.content.0.text`; `*` is any name. */
  readonly path: string;
  readonly kind: LeafKind;
  readonly schema: JsonBody;
  readonly body: JsonBody;
  /** A valid entry of an array, a valid member of a map. */
  readonly entry?: JsonBody;
}

/** Texts of which at least one fits each pattern in use. */
const CANDIDATES = [
  'a',
  '1',
  'openrouter:later',
  'operator',
  '2030-01-31',
  'team=search',
  '00000000-0000-4000-8000-000000000000',
  '0'.repeat(64),
];

/**
 * Every leaf of a described schema that holds a text, a number, a list, an object or anything at all. The leaves of a
 * component are reported at its first occurrence.
 */
export class Leaves {
  private readonly visited = new Set<string>();

  constructor(private readonly document: JsonBody) {}

  /** @param base valid; its fields are in the bodies of all leaves that do not replace them */
  of(schema: JsonBody, base: JsonBody): Leaf[] {
    return [...this.walk(schema, [], (value) => ({ ...base, ...value }))];
  }

  /** One parameter of a query. */
  ofParameter(name: string, schema: JsonBody): Leaf[] {
    return [...this.walk(schema, [name], (value) => ({ [name]: value }))];
  }

  private *walk(schema: JsonBody, path: readonly string[], wrap: (value: JsonBody) => JsonBody): Generator<Leaf> {
    if (schema.$ref !== undefined) {
      if (this.visited.has(schema.$ref)) return;
      this.visited.add(schema.$ref);
      yield* this.walk(this.resolve(schema), path, wrap);
      return;
    }
    for (const branch of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) yield* this.walk(branch, path, wrap);
    if (schema.anyOf || schema.oneOf || schema.not) return;
    if (schema.if) {
      const condition = this.sample(schema.if);
      // Without a `then` schema, anything that meets the condition is accepted.
      if (schema.then) yield* this.walk(schema.then, path, (value) => wrap(meeting(condition, value)));
      else yield* this.walk(schema.if, path, wrap);
      if (schema.else) yield* this.walk(schema.else, path, wrap);
      return;
    }
    const leaf = (kind: LeafKind, more: Partial<Leaf> = {}): Leaf => ({
      path: path.join('.'),
      kind,
      schema,
      body: wrap(FILLING),
      ...more,
    });
    const types: string[] = [schema.type ?? (schema.const === undefined ? [] : typeof schema.const)].flat();
    if (types.length === 0) yield leaf('any');
    for (const type of types) {
      switch (type) {
        case 'string':
          yield leaf('string');
          break;
        case 'integer':
        case 'number':
          yield leaf('number');
          break;
        case 'array':
          yield leaf('array', { entry: this.sample(schema.items) });
          yield* this.walk(schema.items, [...path, '0'], (value) => wrap([value]));
          break;
        case 'object':
          yield* this.walkObject(schema, path, wrap, leaf);
      }
    }
  }

  private *walkObject(
    schema: JsonBody,
    path: readonly string[],
    wrap: (value: JsonBody) => JsonBody,
    leaf: (kind: LeafKind, more?: Partial<Leaf>) => Leaf,
  ): Generator<Leaf> {
    // The caller gives a valid whole body.
    const required = path.length === 0 ? {} : this.sample(schema);
    for (const [name, field] of Object.entries<JsonBody>(schema.properties ?? {}))
      yield* this.walk(field, [...path, name], (value) => wrap({ ...required, [name]: value }));
    const others = schema.additionalProperties;
    if (path.length > 0 && typeof others !== 'object') yield leaf('object');
    if (others === false) return;
    const at = [...path, '*'].join('.');
    const body = wrap({ ...required, undeclared: FILLING });
    if (others === undefined) yield leaf('any', { path: at, body });
    else {
      yield leaf('map', { entry: this.sample(others) });
      yield* this.walk(others, [...path, '*'], (value) => wrap({ ...required, a: value }));
    }
  }

  private resolve(schema: JsonBody): JsonBody {
    if (schema.$ref === undefined) return schema;
    return this.document.components.schemas[(schema.$ref as string).split('/').at(-1)!];
  }

  /** The minimal valid value. */
  sample(given: JsonBody): JsonBody {
    const schema = this.resolve(given);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return schema.enum[0];
    const [branch] = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
    if (branch) return this.sample(branch);
    if (schema.if) return this.sample(schema.else?.not ? schema.if : schema.else);
    switch ([schema.type].flat()[0]) {
      case 'string':
        return sampleText(schema);
      case 'integer':
      case 'number':
        return Math.max(schema.minimum ?? 0, 0);
      case 'boolean':
        return false;
      case 'array':
        return Array.from({ length: schema.minItems ?? 0 }, () => this.sample(schema.items));
      case 'object':
        return Object.fromEntries(
          (schema.required ?? []).map((name: string) => [name, this.sample(schema.properties?.[name] ?? {})]),
        );
      default:
        return {};
    }
  }
}

/** The value with the requirements of a condition, except at the placeholder. */
function meeting(condition: JsonBody, value: JsonBody): JsonBody {
  if (value === FILLING) return value;
  const isFilled = (name: string): boolean => JSON.stringify(value[name] ?? '').includes(FILLING);
  const required = Object.entries(condition).filter(([name]) => !isFilled(name));
  return { ...value, ...Object.fromEntries(required) };
}

function sampleText({ pattern, format, minLength = 0 }: JsonBody): string {
  if (format === 'date-time') return '2030-01-31T00:00:00Z';
  const isFit = (text: string): boolean =>
    (pattern === undefined || new RegExp(pattern, 'u').test(text)) && text.length >= minLength;
  const found = CANDIDATES.find(isFit);
  if (found === undefined) throw new Error(`No sample fits ${pattern}.`);
  return found;
}
