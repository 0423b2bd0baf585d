import { readBody } from '../../src/shared/http/dto.pipe.js';
import { CreateMessageDto } from '../../src/faces/messages/create-message.dto.js';
import { FULL_BODY } from './message-body.js';

/** The kinds of values of a field. `tag` distinguishes the variants of a union; `mixed` is described in words. */
export type Kind =
  | { type: 'string'; min?: number; max?: number; longest?: string }
  | { type: 'integer' | 'number'; min?: number; max?: number }
  | { type: 'boolean' | 'object' | 'any' }
  | { type: 'array'; min?: number; max?: number; filler?: unknown }
  | { type: 'enum'; values: readonly string[] }
  | { type: 'tag'; values: readonly string[] }
  | { type: 'mixed'; words: string; types: readonly string[] };

/** What the fields of a table belong to. */
export interface Subject {
  /** A valid body with every described field. */
  readonly body: object;
  /** The refusal's message, or `undefined` when the body is accepted. */
  readonly refusalOf: (body: unknown) => string | undefined;
}

/** One field of a subject's body, by its path there, and its properties. */
export interface Field {
  readonly path: string;
  readonly kind: Kind;
  readonly required?: boolean;
  readonly nullable?: boolean;
  /** Null is absence, which refusals do not name. */
  readonly isOmittedByNull?: boolean;
}

const SAMPLES: Readonly<Record<string, unknown>> = {
  string: 'x',
  number: 1.5,
  integer: 3,
  boolean: false,
  object: {},
  array: [],
};
const WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'a boolean',
  object: 'an object',
  array: 'an array',
};

const must = (field: Field): string => {
  const { kind, nullable = false } = field;
  if (kind.type === 'enum') return `must be one of ${[...kind.values, ...(nullable ? ['null'] : [])].join(', ')}`;
  if (kind.type === 'tag') return `must be one of ${kind.values.join(', ')}`;
  if (kind.type === 'mixed') return `must be ${kind.words}`;
  return `must be ${WORDS[kind.type]}${nullable ? ' or null' : ''}`;
};

function at(root: unknown, path: readonly string[]): Record<string, unknown> {
  let value = root as Record<string, unknown>;
  for (const key of path) value = value[key] as Record<string, unknown>;
  return value;
}

/** Entries of arrays cannot be absent; without its type a tool, or an item, is one of another kind. */
const canBeAbsent = (path: string): boolean => !/\.\d+$|^(?:tools|input)\.\d+\.type$/.test(path);

/** A body with another value at the path, or without it where that is undefined. */
export function bodyWith(path: string, value: unknown, full: object = FULL_BODY): unknown {
  // Not a structured clone: that keeps shared objects shared, and a change would affect several fields.
  const body: unknown = JSON.parse(JSON.stringify(full));
  const keys = path.split('.');
  const parent = at(body, keys.slice(0, -1));
  if (value === undefined) delete parent[keys.at(-1)!];
  else parent[keys.at(-1)!] = value;
  return body;
}

/** The refusal's message, or `undefined` when the body is accepted. */
export function refusalOf(body: unknown): string | undefined {
  try {
    readBody(body, CreateMessageDto);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const MESSAGES: Subject = { body: FULL_BODY, refusalOf };

/** `reason` is undefined where the value is legal. */
type Case = [name: string, path: string, value: unknown, reason: string | undefined];

/**
 * The expected and the actual verdicts on all cases of a field. One test per field, because a test costs more than a
 * case.
 */
export function verdictsOn(
  field: Field,
  { body, refusalOf: judge } = MESSAGES,
): { readonly due: readonly string[]; readonly found: readonly string[] } {
  const cases = [...casesOf(field)];
  const verdict = (name: string, refusal: string | undefined): string => `${name} → ${refusal ?? 'taken'}`;
  return {
    due: cases.map(([name, path, , reason]) => verdict(name, reason && `${path}: ${reason}`)),
    found: cases.map(([name, path, value]) => verdict(name, judge(bodyWith(path, value, body)))),
  };
}

function* casesOf(field: Field): Generator<Case> {
  const { path, kind, required = false, nullable = false, isOmittedByNull = false } = field;
  const wrong = must(field);
  if (canBeAbsent(path)) yield [`${path} absent`, path, undefined, required ? 'is required' : undefined];
  yield [`${path} null`, path, null, nullable || isOmittedByNull || kind.type === 'any' ? undefined : wrong];
  const accepted =
    kind.type === 'mixed' ? kind.types : kind.type === 'number' ? ['number', 'integer'] : [kind.type as string];
  for (const [type, sample] of Object.entries(SAMPLES)) {
    if (!accepted.includes(type) && kind.type !== 'any') yield [`${path} of type ${type}`, path, sample, wrong];
  }
  switch (kind.type) {
    case 'enum':
      for (const value of kind.values) yield [`${path} ${value}`, path, value, undefined];
      yield [`${path} in capitals`, path, kind.values[0]!.toUpperCase().replace(/^[^A-Z]*$/, 'X'), wrong];
      break;
    case 'tag':
      yield [`${path} unknown`, path, 'toString', wrong];
      break;
    case 'string':
      if (kind.max !== undefined) {
        const limit = `must be at most ${kind.max} characters`;
        // Characters, not units: each of these is two units long.
        yield [`${path} at its longest`, path, kind.longest ?? '😀'.repeat(kind.max), undefined];
        yield [`${path} one too long`, path, 'x'.repeat(kind.max + 1), limit];
      }
      if (kind.min !== undefined) yield [`${path} empty`, path, '', `must be at least ${kind.min} character`];
      break;
    case 'integer':
    case 'number':
      if (kind.min !== undefined) {
        yield [`${path} at its least`, path, kind.min, undefined];
        yield [`${path} below its least`, path, kind.min - 1, `must be at least ${kind.min}`];
      }
      if (kind.max !== undefined) {
        yield [`${path} at its most`, path, kind.max, undefined];
        yield [`${path} above its most`, path, kind.max + 1, `must be at most ${kind.max}`];
      }
      yield [`${path} endless`, path, JSON.parse('1e999') as number, wrong];
      break;
    case 'array': {
      const fill = (length: number): unknown[] => Array.from({ length }, () => kind.filler ?? 'a');
      if (kind.min !== undefined) {
        yield [`${path} too short`, path, fill(kind.min - 1), `must have at least ${kind.min} entry`];
      }
      if (kind.max !== undefined) {
        yield [`${path} at its longest`, path, fill(kind.max), undefined];
        yield [`${path} too long`, path, fill(kind.max + 1), `must have at most ${kind.max} entries`];
      }
      break;
    }
    case 'boolean':
    case 'object':
    case 'any':
    case 'mixed':
      break;
  }
}

export const TEXT: Kind = { type: 'string' };
export const INTEGER: Kind = { type: 'integer' };
// The values of `shared/http/maxima.ts`, repeated so that a changed maximum is noticed.
const NAME_MAX = 256;
export const NAME = { type: 'string', max: NAME_MAX } as const;
export const WORD: Kind = { type: 'string', max: 128 };
export const COUNT = { type: 'integer', min: 0, max: Number.MAX_SAFE_INTEGER } as const;
export const OPTIONS_MAX = 64;
export const DOMAINS = { max: 1_000, entryMax: 2_048 };
export const NUMBER: Kind = { type: 'number' };
export const FLAG: Kind = { type: 'boolean' };
export const OBJECT: Kind = { type: 'object' };
export const LIST: Kind = { type: 'array' };
export const ANY: Kind = { type: 'any' };
export const TEXT_OR_LIST: Kind = { type: 'mixed', words: 'a string or an array', types: ['string', 'array'] };
export const one = (...values: string[]): Kind => ({ type: 'enum', values });
export const tag = (...values: string[]): Kind => ({ type: 'tag', values });

/** `!` is required, `?` may be null, `-` is absent where it is null. */
export const field = (path: string, kind: Kind, flags = ''): Field => ({
  path,
  kind,
  required: flags.includes('!'),
  nullable: flags.includes('?'),
  isOmittedByNull: flags.includes('-'),
});

/** A text that has one legal value. */
export const fixed = (path: string): Field => {
  const keys = path.split('.');
  return field(path, { type: 'mixed', words: String(at(FULL_BODY, keys.slice(0, -1))[keys.at(-1)!]), types: [] }, '!');
};

export const marked = (path: string): Field[] => [
  field(`${path}.cache_control`, { type: 'mixed', words: 'an object or null', types: ['object'] }, '?'),
  fixed(`${path}.cache_control.type`),
  field(`${path}.cache_control.ttl`, one('5m', '1h')),
];
export const located = (path: string, flags: string): Field[] => [
  field(path, { type: 'mixed', words: 'an object or null', types: ['object'] }, flags),
  fixed(`${path}.type`),
  ...['city', 'country', 'region', 'timezone'].map((key) => field(`${path}.${key}`, NAME, '?')),
];
/** @param limits of the list; `entryMax`: of one of its texts, in characters */
export const texts = (
  path: string,
  flags: string,
  { entryMax = NAME_MAX, longest, ...limits }: { min?: number; max: number; entryMax?: number; longest?: string },
): Field[] => [
  field(path, { type: 'array', ...limits }, flags),
  field(`${path}.0`, { type: 'string', max: entryMax, ...(longest !== undefined && { longest }) }, '!'),
];
export const amount = (path: string, flags = ''): Field[] => [
  field(path, { type: 'mixed', words: `an object${flags.includes('?') ? ' or null' : ''}`, types: ['object'] }, flags),
  fixed(`${path}.type`),
  field(`${path}.value`, COUNT, '!'),
];
/** An object with required keys, so that an empty one is refused for another reason. */
export const thing = (words: string): Kind => ({ type: 'mixed', words, types: ['object'] });

/** Paths of a body under the given top-level keys that no field describes: they have no cases. */
export function undescribed(fields: readonly Field[], keys: readonly string[], body: object = FULL_BODY): string[] {
  const kinds = new Map(fields.map(({ path, kind }) => [path, kind]));
  const holes: string[] = [];
  const visit = (value: unknown, path: string): void => {
    const isEntry = /\.\d+$/.test(path);
    const isLeaf = typeof value !== 'object' || value === null;
    const kind = kinds.get(path);
    if (!kind && (isLeaf || !isEntry)) holes.push(path);
    if (isLeaf || kind?.type === 'any') return;
    for (const [key, inner] of Object.entries(value)) visit(inner, `${path}.${key}`);
  };
  for (const [key, value] of Object.entries(body)) if (keys.includes(key)) visit(value, key);
  return holes;
}
