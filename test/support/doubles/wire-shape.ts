import type { JsonBody } from '../recorded-request.js';

// The closed forms of vendors' bodies: unknown fields are a fault, as at the real vendor. Each vendor words the fault
// in its own way. Every bound has the name of a rule, so that `rules.spec.ts` can require a breach of each.

/** Rules that need no name of their own. */
export const FORM_RULES = {
  unknown: 'an unknown field',
  missing: 'a field that is missing',
  type: 'a value of another type',
  kind: 'a foreign kind',
  union: 'several kinds at once',
} as const;

/** Where a value violates its form. */
export interface ShapeFault {
  /** Keys and indexes, starting at the body. */
  readonly path: readonly (string | number)[];
  readonly problem: 'unknown' | 'missing' | 'invalid';
  /** The expected value, for `invalid`: "a string". */
  readonly wanted: string;
  readonly rule: string;
}

/** The violation of the form, undefined when there is none. */
export interface Shape {
  (value: JsonBody): ShapeFault | undefined;
  /** All rules that its faults may name. */
  readonly rules: readonly string[];
}

/** By field; a name that ends in `?` may be absent. */
export type Fields = Readonly<Record<string, Shape>>;

interface Bounds {
  /** Name of the rule for values out of bounds. */
  readonly rule: string;
  readonly min?: number;
  readonly max?: number;
}

const invalid = (wanted: string, rule: string): ShapeFault => ({ path: [], problem: 'invalid', wanted, rule });

const under = (key: string | number, fault: ShapeFault | undefined): ShapeFault | undefined =>
  fault && { ...fault, path: [key, ...fault.path] };

const isObject = (value: JsonBody): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const within = (value: number, { min = -Infinity, max = Infinity }: Partial<Bounds>): boolean =>
  value >= min && value <= max;

const inBounds = ({ min, max }: Partial<Bounds>): string =>
  [min !== undefined && ` of at least ${min}`, max !== undefined && ` of at most ${max}`].filter(Boolean).join(' and');

const shapeOf = (rules: readonly string[], check: (value: JsonBody) => ShapeFault | undefined): Shape =>
  Object.assign(check, { rules: [...new Set(rules)] });

const rulesOf = (shapes: Iterable<Shape>): string[] => [...shapes].flatMap(({ rules }) => rules);

/** A value of a type, optionally within bounds. */
function bounded(
  wanted: string,
  isOfType: (value: JsonBody) => boolean,
  bounds: Bounds | undefined,
  isWithin: (value: JsonBody, bounds: Bounds) => boolean,
): Shape {
  return shapeOf([FORM_RULES.type, ...(bounds ? [bounds.rule] : [])], (value) => {
    if (!isOfType(value)) return invalid(wanted, FORM_RULES.type);
    return !bounds || isWithin(value, bounds) ? undefined : invalid(wanted, bounds.rule);
  });
}

export const anything: Shape = shapeOf([], (value) =>
  value === undefined ? invalid('a value', FORM_RULES.missing) : undefined,
);

/** An object with any fields. */
export const record: Shape = bounded('an object', isObject, undefined, () => true);

export const boolean: Shape = bounded(
  'a boolean',
  (value) => typeof value === 'boolean',
  undefined,
  () => true,
);

/** Lengths in characters. */
export function string(bounds?: Bounds & { readonly pattern?: RegExp }): Shape {
  const pattern = bounds?.pattern;
  return bounded(
    `a string${inBounds(bounds ?? {})}${pattern ? ` that matches ${pattern.source}` : ''}`,
    (value) => typeof value === 'string',
    bounds,
    (value, limits) => within(value.length, limits) && (pattern?.test(value) ?? true),
  );
}

export const text = string();

/**
 * Base64 as in RFC 4648, with padding; not empty. Decoded, because expressions overflow on large texts: the decoder
 * ignores other characters, and also accepts the URL alphabet.
 */
const isBase64 = (value: string): boolean => {
  const padding = value.endsWith('==') ? 2 : Number(value.endsWith('='));
  const bytes = (value.length / 4) * 3 - padding;
  return bytes > 0 && !/[-_]/.test(value) && Buffer.from(value, 'base64').length === bytes;
};

const BASE64 = 'data that is no base64';
export const base64: Shape = shapeOf([BASE64], (value) =>
  typeof value === 'string' && isBase64(value) ? undefined : invalid('base64 data', BASE64),
);

/** Bytes of one of these media types. */
export const dataUrl = (rule: string, ...types: readonly string[]): Shape =>
  shapeOf([rule], (value) => {
    const [type, data = ''] = typeof value === 'string' ? value.split(';base64,', 2) : [];
    return types.some((one) => type === `data:${one}`) && isBase64(data)
      ? undefined
      : invalid(`a base64-encoded data URL of ${types.join(', ')}`, rule);
  });

export const urlOr = (other: Shape): Shape =>
  shapeOf(other.rules, (value) => (typeof value === 'string' && /^https?:\/\//.test(value) ? undefined : other(value)));

export const number = (bounds?: Bounds): Shape =>
  bounded(`a number${inBounds(bounds ?? {})}`, (value) => typeof value === 'number', bounds, within);

export const integer = (bounds?: Bounds): Shape =>
  bounded(`an integer${inBounds(bounds ?? {})}`, Number.isInteger, bounds, within);

const oneOfThese = (values: readonly JsonBody[]): string => values.map((each) => `'${each}'`).join(' or ');

/** The only allowed value. */
export const constant = (only: JsonBody): Shape =>
  bounded(
    oneOfThese([only]),
    (value) => value === only,
    undefined,
    () => true,
  );

export const oneOf = (rule: string, ...values: readonly JsonBody[]): Shape =>
  shapeOf([rule], (value) => (values.includes(value) ? undefined : invalid(oneOfThese(values), rule)));

export const nullable = (shape: Shape): Shape =>
  shapeOf(shape.rules, (value) => (value === null ? undefined : shape(value)));

export function list(item: Shape, bounds?: Bounds): Shape {
  const itself = bounded(`a list${inBounds(bounds ?? {})} entries`, Array.isArray, bounds, ({ length }, limits) =>
    within(length, limits),
  );
  return shapeOf(rulesOf([itself, item]), (value) => {
    const wrong = itself(value);
    if (wrong) return wrong;
    for (const [index, entry] of value.entries()) {
      const fault = under(index, item(entry));
      if (fault) return fault;
    }
    return undefined;
  });
}

/** A text, or the other form. */
export const textOr = (other: Shape, words: Shape = text): Shape =>
  chosen([words, other], (value) => (typeof value === 'string' ? words : other));

/** One of these, chosen by the value. */
export const chosen = (among: readonly Shape[], choose: (value: JsonBody) => Shape): Shape =>
  shapeOf(rulesOf(among), (value) => choose(value)(value));

/** An object with these fields and no others. */
export const object = (fields: Fields): Shape => objectOf(fields, false);

/** An object with these fields and any others. */
export const openObject = (fields: Fields): Shape => objectOf(fields, true);

function objectOf(fields: Fields, isOpen: boolean): Shape {
  const shapes = new Map(Object.entries(fields).map(([name, shape]) => [name.replace(/\?$/, ''), shape]));
  const required = Object.keys(fields).filter((name) => !name.endsWith('?'));
  const own = [
    FORM_RULES.type,
    ...(isOpen ? [] : [FORM_RULES.unknown]),
    ...(required.length > 0 ? [FORM_RULES.missing] : []),
  ];
  return shapeOf([...own, ...rulesOf(shapes.values())], (value) => {
    if (!isObject(value)) return invalid('an object', FORM_RULES.type);
    for (const key of Object.keys(value)) {
      const shape = shapes.get(key);
      if (!shape && !isOpen) return { path: [key], problem: 'unknown', wanted: '', rule: FORM_RULES.unknown };
      const fault = under(key, shape?.(value[key]));
      if (fault) return fault;
    }
    const missing = required.find((key) => value[key] === undefined);
    return missing === undefined
      ? undefined
      : { path: [missing], problem: 'missing', wanted: '', rule: FORM_RULES.missing };
  });
}

/** An object whose form depends on one of its fields. */
export function tagged(tag: string, cases: Readonly<Record<string, Fields>>): Shape {
  const shapes = new Map(Object.entries(cases).map(([name, fields]) => [name, object({ [tag]: anything, ...fields })]));
  return shapeOf([FORM_RULES.type, FORM_RULES.kind, ...rulesOf(shapes.values())], (value) => {
    if (!isObject(value)) return invalid('an object', FORM_RULES.type);
    const shape = shapes.get(value[tag]);
    return shape ? shape(value) : under(tag, invalid(oneOfThese([...shapes.keys()]), FORM_RULES.kind));
  });
}

/** An object with exactly one of these members, and others besides. */
export function union(members: Fields, beside: Fields = {}): Shape {
  const names = Object.keys(members);
  const optional = Object.fromEntries(Object.entries(members).map(([name, shape]) => [`${name}?`, shape]));
  const shape = object({ ...optional, ...beside });
  return shapeOf([FORM_RULES.union, ...shape.rules], (value) => {
    const fault = shape(value);
    if (fault) return fault;
    return names.filter((name) => value[name] !== undefined).length === 1
      ? undefined
      : invalid(`exactly one of ${names.join(', ')}`, FORM_RULES.union);
  });
}

/** `messages.0.content`, as most vendors write it. */
export const dotted = (path: ShapeFault['path']): string => path.join('.');

/** `messages[0].content`, as OpenAI and Google write it. */
export const bracketed = (path: ShapeFault['path']): string =>
  path.reduce<string>((written, key) => {
    if (typeof key === 'number') return `${written}[${key}]`;
    return written === '' ? key : `${written}.${key}`;
  }, '');
