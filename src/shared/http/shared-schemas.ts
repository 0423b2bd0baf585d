import type { TSchema } from '@sinclair/typebox';

/** Keywords that contain one schema, a list of schemas, or schemas by name. */
const ONE = ['items', 'additionalProperties', 'if', 'then', 'else'] as const;
const BRANCHES = 'oneOf';
const BY_NAME = 'properties';
/** For readers of the description; without effect on validation. */
const ANNOTATIONS = new Set(['description', 'title', 'examples', 'default']);

/** A call costs about as much as checking a few keywords inline. */
const SCHEMAS_MIN = 6;

/** All schemas that are equal except for their annotations. */
interface CommonSchema {
  readonly id: number;
  /** Number of schemas it consists of, including itself. */
  readonly size: number;
  uses: number;
  /** The name under which it is compiled, once it is used twice. */
  name?: string;
}

/**
 * Finds common parts of schemas, so that each is compiled once: otherwise the tools of chat completions alone become a
 * megabyte of code that every start generates, parses and keeps.
 */
export class SharedSchemas {
  private readonly parts = new Map<string, CommonSchema>();
  private readonly known = new WeakMap<object, CommonSchema>();
  private readonly referenced = new WeakMap<TSchema, TSchema>();

  /**
   * @param add receives a schema to be compiled under a name, before anything refers to it
   * @param staysInPlace whether readers of the surrounding schema read this one directly
   */
  constructor(
    private readonly add: (schema: TSchema, name: string) => void,
    private readonly staysInPlace: (schema: TSchema) => boolean,
  ) {}

  /** Returns the schema with references in place of the parts that were used before. */
  share(schema: TSchema): TSchema {
    this.partOf(schema);
    return this.withReferences(schema);
  }

  /** The schema behind a reference of this class; any other schema is returned unchanged. */
  schemaAt(schema: TSchema): TSchema {
    return this.referenced.get(schema) ?? schema;
  }

  private partOf(schema: TSchema): CommonSchema {
    let size = 1;
    const idOf = (inner: TSchema): number => {
      const part = this.partOf(inner);
      size += part.size;
      return part.id;
    };
    const known = this.known.get(schema);
    if (known) {
      known.uses++;
      return known;
    }
    const judged = Object.entries(mapSchemas(schema, idOf)).filter(([keyword]) => !ANNOTATIONS.has(keyword));
    const key = JSON.stringify(judged);
    const part = this.parts.get(key) ?? { id: this.parts.size, size, uses: 0 };
    part.uses++;
    this.parts.set(key, part);
    this.known.set(schema, part);
    return part;
  }

  private withReferences(schema: TSchema): TSchema {
    return mapSchemas(schema, (inner) => this.reference(inner)) as TSchema;
  }

  private reference(schema: TSchema): TSchema {
    const part = this.known.get(schema)!;
    if (part.uses < 2 || part.size < SCHEMAS_MIN || this.staysInPlace(schema)) return this.withReferences(schema);
    if (part.name === undefined) {
      part.name = `shared-${part.id}`;
      this.add(this.withReferences(schema), part.name);
    }
    const reference = { $ref: part.name } as unknown as TSchema;
    this.referenced.set(reference, schema);
    return reference;
  }
}

/** A copy with each schema in it replaced, except those that are `true` or `false`, and lists for tuples. */
function mapSchemas(schema: TSchema, replaceObject: (inner: TSchema) => unknown): object {
  const replace = (inner: TSchema | boolean | readonly TSchema[]): unknown =>
    typeof inner === 'object' && !Array.isArray(inner) ? replaceObject(inner as TSchema) : inner;
  const copy: Record<string, unknown> = { ...schema };
  for (const keyword of ONE) if (typeof copy[keyword] === 'object') copy[keyword] = replace(copy[keyword] as TSchema);
  const branches = copy[BRANCHES] as readonly TSchema[] | undefined;
  if (branches) copy[BRANCHES] = branches.map(replace);
  const fields = copy[BY_NAME] as Readonly<Record<string, TSchema>> | undefined;
  if (fields) copy[BY_NAME] = Object.fromEntries(Object.entries(fields).map(([name, inner]) => [name, replace(inner)]));
  return copy;
}
