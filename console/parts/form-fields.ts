import type { ApiFailure } from '../api/transport.js';

/** A toggle is yes or no; a flag may also be neither. */
export type FieldKind =
  | 'text'
  | 'secret'
  | 'money'
  | 'number'
  | 'lines'
  | 'pairs'
  | 'json'
  | 'choice'
  | 'toggle'
  | 'flag'
  | 'time';

/** A field of a form, which is a field of the body that the API takes. */
export interface Field {
  /** Name of the field in the API, with a dot for each level: `rate_limits.requests_per_minute`. */
  readonly name: string;
  readonly label: string;
  readonly kind: FieldKind;
  readonly description?: string;
  readonly placeholder?: string;
  /** Options of a choice. An empty value is null. */
  readonly options?: readonly { readonly value: string; readonly label: string }[];
  /** Unit or remark that is displayed after the input. */
  readonly unit?: string;
  readonly isRequired?: boolean;
  /** For a list of lines: the one word that represents an empty list, where it differs from none. */
  readonly emptyWord?: string;
  /** Value that is sent for an empty input; null unless it is set. */
  readonly absent?: unknown;
}

/** The choices of a flag. */
export const FLAG_OPTIONS = [
  { value: '', label: 'not stated' },
  { value: 'true', label: 'yes' },
  { value: 'false', label: 'no' },
];

/** Values of a form: the text of each field by its name. */
export type Draft = Readonly<Record<string, string>>;

/** The text of a value in its field. */
export function textOf({ kind, emptyWord }: Field, value: unknown): string {
  if (value === null || value === undefined) return kind === 'toggle' ? 'false' : '';
  switch (kind) {
    case 'lines':
      return (value as readonly string[]).length === 0 && emptyWord
        ? emptyWord
        : (value as readonly string[]).join('\n');
    case 'pairs':
      return Object.entries(value as Readonly<Record<string, string>>)
        .map(([name, one]) => `${name}=${one}`)
        .join('\n');
    case 'json':
      return JSON.stringify(value, null, 2);
    case 'time':
      return plain(value).slice(0, 19);
    case 'money':
      // Without an exponent, which no one reads.
      return typeof value === 'number' ? value.toFixed(12).replace(/\.?0+$/, '') : plain(value);
    default:
      return plain(value);
  }
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The value of a text, for the API. What is no value of its kind stays a text, which the API refuses in its words. */
export function valueOf({ kind, emptyWord, absent = null }: Field, text: string): unknown {
  const trimmed = text.trim();
  if (kind === 'toggle') return text === 'true';
  if (kind === 'flag' && trimmed !== '') return trimmed === 'true';
  if (trimmed === '') return absent;
  switch (kind) {
    case 'money':
    case 'number':
      return /^-?\d*\.?\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
    case 'lines':
      return trimmed === emptyWord ? [] : linesOf(trimmed);
    case 'pairs':
      return Object.fromEntries(linesOf(trimmed).map(pairOf));
    case 'json':
      return parsed(trimmed);
    case 'time':
      return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(trimmed) ? `${trimmed}:00Z` : `${trimmed.replace(/Z$/, '')}Z`;
    case 'text':
      return text;
    default:
      return trimmed;
  }
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function pairOf(line: string): readonly [string, string] {
  const at = line.indexOf('=');
  return at === -1 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Values of a form, from an object of the API. */
export const draftOf = (fields: readonly Field[], thing: object = {}): Draft =>
  Object.fromEntries(fields.map((field) => [field.name, textOf(field, read(thing, field.name))]));

const read = (thing: object, name: string): unknown =>
  name
    .split('.')
    .reduce<unknown>((at, part) => (at as Readonly<Record<string, unknown>> | null | undefined)?.[part], thing);

/** The fields whose values differ, which their letters may do without. */
export const changedFields = (fields: readonly Field[], one: Draft, other: Draft): readonly Field[] =>
  fields.filter((field) => printed(field, one) !== printed(field, other));

const printed = (field: Field, draft: Draft): string => JSON.stringify(valueOf(field, draft[field.name] ?? ''));

/** The body that makes something: fields without an entry are left out. */
export function newBody(fields: readonly Field[], draft: Draft): Readonly<Record<string, unknown>> {
  const entered = fields.filter((field) => {
    const text = (draft[field.name] ?? '').trim();
    return field.kind === 'toggle' ? text === 'true' : text !== '';
  });
  return nested(entered, draft);
}

/** The body that changes something: what differs, each member of the body as a whole. */
export function changeBody(fields: readonly Field[], before: Draft, after: Draft): Readonly<Record<string, unknown>> {
  const changed = new Set(changedFields(fields, before, after).map(({ name }) => memberOf(name)));
  return nested(
    fields.filter(({ name }) => changed.has(memberOf(name))),
    after,
  );
}

const memberOf = (name: string): string => name.split('.', 1)[0]!;

function nested(fields: readonly Field[], draft: Draft): Readonly<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    const parts = field.name.split('.');
    const last = parts.pop()!;
    let at = body;
    for (const part of parts) at = (at[part] ??= {}) as Record<string, unknown>;
    at[last] = valueOf(field, draft[field.name] ?? '');
  }
  return body;
}

/** The field that a refusal names, and the reason; undefined if it names none of these fields. */
export function refusedField(
  fields: readonly Field[],
  failure: ApiFailure | undefined,
): { readonly name: string; readonly words: string } | undefined {
  if (failure?.status !== 400) return undefined;
  const path = /^([\w.]+): /.exec(failure.message)?.[1];
  if (path === undefined) return undefined;
  const field =
    fields.find(({ name }) => path === name || path.startsWith(`${name}.`)) ??
    fields.find(({ name }) => name.startsWith(`${path}.`));
  return field && { name: field.name, words: failure.message };
}
