import type { TSchema } from '@sinclair/typebox';

/** Where a schema holds one schema, a list of them, or some by name. */
const ONE = ['items', 'additionalProperties', 'if', 'then', 'else'] as const;
const BRANCHES = 'oneOf';
const BY_NAME = 'properties';
/** For readers of the description; nothing is judged by them. */
const ANNOTATIONS = new Set(['description', 'title', 'examples', 'default']);

/** A call costs about as much as checking a few keywords in place. */
const SCHEMAS_MIN = 6;

/** All schemas that are equal but for their annotations. */
interface Part {
  readonly id: number;
  /** How many schemas it consists of, itself included. */
  readonly size: number;
  uses: number;
  /** The name under which it is compiled, once it is used twice. */
  name?: string;
}

/**
 * Finds what schemas have in common, so that it is compiled once: without, the tools of chat completions alone become a
 * megabyte of code that every start writes, parses and keeps.
 */
export class SharedSchemas {
  private readonly parts = new Map<string, Part>();
  private readonly known = new WeakMap<object, Part>();
  private readonly referenced = new WeakMap<TSchema, TSchema>();

  /**
   * @param add takes what is to be compiled under a name, before anything refers to it
   * @param staysInPlace whether whoever reads the schema around it looks into this one
   */
  constructor(
    private readonly add: (schema: TSchema, name: string) => void,
    private readonly staysInPlace: (schema: TSchema) => boolean,
  ) {}

  /** The same schema, with references where a part of it has been used before. */
  share(schema: TSchema): TSchema {
    this.partOf(schema);
    return this.withReferences(schema);
  }

  /** What a reference of this class stands for; anything else itself. */
  schemaAt(schema: TSchema): TSchema {
    return this.referenced.get(schema) ?? schema;
  }

  private partOf(schema: TSchema): Part {
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

/** A copy with each schema in it replaced, but for those that are `true` or `false`, and lists for tuples. */
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
