// Each combinator accepts the right values and reports the first fault with its path. Tables of values per combinator.
import { parseJson } from '../../core/json/json.js';
import {
  anything,
  closed,
  compile,
  either,
  flag,
  freeForm,
  integer,
  list,
  literal,
  map,
  named,
  nullable,
  number,
  object,
  oneOf,
  optional,
  refused,
  text,
  unsupported,
  variant,
  when,
  type TSchema,
} from './schema.js';

const shape = variant('type', {
  circle: { radius: number({ min: 0 }) },
  square: { side: integer(), label: optional(text()) },
});

const CASES: [name: string, schema: TSchema, value: unknown, fault: string | undefined][] = [
  ['text', text(), 'a', undefined],
  ['text', text(), null, ': must be a string'],
  ['text, counted in characters', text({ max: 2 }), '😀😀', undefined],
  ['text of two units a character, too long', text({ max: 2 }), '😀😀😀', ': must be at most 2 characters'],
  ['text of too many characters in few units', text({ max: 2 }), '😀ab', ': must be at most 2 characters'],
  ['text of too many units', text({ max: 2 }), 'abcde', ': must be at most 2 characters'],
  ['text of unpaired surrogates', text({ max: 2 }), '\udc00\ud800\udc00', undefined],
  ['text of more unpaired surrogates', text({ max: 2 }), '\ud800\ud800a', ': must be at most 2 characters'],
  ['text of one character in two units', text({ min: 2 }), '😀', ': must be at least 2 characters'],
  ['text of one character and half', text({ min: 2 }), '😀\ud83d', undefined],
  ['text just long enough in units', text({ min: 2 }), '😀😀', undefined],
  ['text too long', text({ max: 2 }), 'abc', ': must be at most 2 characters'],
  ['text too short', text({ min: 1 }), '', ': must be at least 1 character'],
  ['text of a pattern', text({ pattern: '^a$', reason: 'must be a' }), 'b', ': must be a'],
  ['integer', integer(), 1.0, undefined],
  ['integer', integer(), 1.5, ': must be an integer'],
  ['integer', integer(), NaN, ': must be an integer'],
  ['integer', integer(), Infinity, ': must be an integer'],
  ['integer, not coerced', integer(), '1', ': must be an integer'],
  ['number', number(), Infinity, ': must be a number'],
  ['number at least', number({ min: 1 }), 0.9, ': must be at least 1'],
  ['number at most', number({ max: 1 }), 1.1, ': must be at most 1'],
  ['flag', flag(), 0, ': must be a boolean'],
  ['literal', literal('a'), 'b', ': must be a'],
  ['one of', oneOf(['a', 'b']), 1, ': must be one of a, b'],
  ['nullable one of', nullable(oneOf(['a', 'b'])), null, undefined],
  ['nullable one of', nullable(oneOf(['a', 'b'])), 'c', ': must be one of a, b, null'],
  ['nullable', nullable(object({ a: text() })), null, undefined],
  ['nullable', nullable(object({ a: text() })), 1, ': must be an object or null'],
  ['nullable', nullable(object({ a: text() })), {}, 'a: is required'],
  ['nullable either', nullable(either(text(), list(text()))), 1, ': must be a string, an array or null'],
  ['either, first', either(text({ max: 1 }), list(text())), 'ab', ': must be at most 1 character'],
  ['either, second', either(text(), list(text())), ['a', 1], '1: must be a string'],
  ['list too short', list(text(), { min: 1 }), [], ': must have at least 1 entry'],
  ['list too long', list(text(), { max: 1 }), ['a', 'b'], ': must have at most 1 entry'],
  ['list', list(text()), {}, ': must be an array'],
  ['object', object({ a: text() }), [], ': must be an object'],
  ['object, open', object({ a: text() }), { a: '', b: 1 }, undefined],
  ['object, absent is not null', object({ a: optional(text()) }), { a: null }, 'a: must be a string'],
  ['closed', closed({ a: optional(text()) }), { b: 1 }, 'b: is not a known field'],
  [
    'closed, misspelt',
    closed({ alpha: optional(text()) }),
    { alpa: 1 },
    'alpa: is not a known field; did you mean alpha?',
  ],
  [
    'closed, misspelt, refused',
    closed({ alpha: optional(refused('is gone')) }),
    { alpa: 1 },
    'alpa: is not a known field',
  ],
  [
    'closed, misspelt, not supported',
    closed({ alpha: optional(unsupported(nullable(text()))) }),
    { alpa: 1 },
    'alpa: is not a known field',
  ],
  ['closed, long key', closed({}), { ['x'.repeat(1000)]: 1 }, `${'x'.repeat(64)}…: is not a known field`],
  ['closed, pointer characters', closed({}), { 'a/b~c': 1 }, 'a/b~c: is not a known field'],
  ['path through pointer characters', compileUnder('a/b~1'), { 'a/b~1': 1 }, 'a/b~1: must be a string'],
  ['variant', shape, { type: 'circle', radius: 1 }, undefined],
  ['variant, its case', shape, { type: 'square', side: 1, label: 2 }, 'label: must be a string'],
  ['variant, stranger', shape, { type: 'line' }, 'type: must be one of circle, square'],
  ['variant, inherited name', shape, { type: 'constructor' }, 'type: must be one of circle, square'],
  ['variant, no tag', shape, {}, 'type: is required'],
  ['variant, bad tag', shape, { type: 1 }, 'type: must be one of circle, square'],
  ['variant', shape, [], ': must be an object'],
  [
    'when, held',
    when(object({ a: anything() }), object({ b: text() }), object({ c: text() })),
    { a: 1 },
    'b: is required',
  ],
  [
    'when, not held',
    when(object({ a: anything() }), object({ b: text() }), object({ c: text() })),
    {},
    'c: is required',
  ],
  ['refused', object({ a: optional(refused('must go')) }), { a: 1 }, 'a: must go'],
  ['named', list(named('spec-point', object({ x: integer() }))), [{ x: 1 }, { x: 'a' }], '1.x: must be an integer'],
  ['free-form', freeForm(), JSON.parse('{"__proto__": {"a": [1]}, "constructor": 1}'), undefined],
  ['free-form', freeForm(), [], ': must be an object'],
];

/** A number that no double can hold is an object to ajv, and a number to all other code. */
const LONG_NUMBER = parseJson('9'.repeat(150));
const OF_A_LONG_NUMBER: [name: string, schema: TSchema, fault: string | undefined][] = [
  ['free-form', freeForm(), ': must be an object'],
  ['a map', map(text()), ': must be an object'],
  ['an object', object({ a: optional(text()) }), ': must be an object'],
  ['an object with a field', object({ a: text() }), ': must be an object'],
  ['a closed object', closed({}), ': must be an object'],
  ['an object by its name', named('spec-hollow', closed({})), ': must be an object'],
  ['a variant', shape, ': must be an object'],
  ['a condition', when(object({ a: text() }), freeForm(), freeForm()), ': must be an object'],
  ['an object or null', nullable(freeForm()), ': must be an object or null'],
  ['a text or an object', either(text(), freeForm()), ': must be a string or an object'],
  ['a number or an object', either(number({ max: 9 }), freeForm()), ': must be at most 9'],
  ['an integer or an object', either(integer({ max: 9 }), freeForm()), ': must be at most 9'],
  ['a neutral value', unsupported(freeForm()), ': is not supported yet by this gateway; leave it out'],
  ['a list', list(text()), ': must be an array'],
  ['a text', text(), ': must be a string'],
  ['a flag', flag(), ': must be a boolean'],
  ['a literal', literal('a'), ': must be a'],
  ['null or one of', nullable(oneOf(['a'])), ': must be one of a, null'],
  ['anything', anything(), undefined],
];

function compileUnder(key: string): TSchema {
  return object({ [key]: text() });
}

describe('compile', () => {
  it.each(OF_A_LONG_NUMBER)(
    'treats a number of 150 digits as a number where %s is expected',
    (_name, schema, expected) => {
      const fault = compile(schema).fault(LONG_NUMBER);
      expect(fault && `${fault.path}: ${fault.reason}`).toBe(expected);
    },
  );

  it.each(CASES)('judges %s', (_name, schema, value, expected) => {
    const compiled = compile(schema);
    const fault = compiled.fault(value);
    expect(fault && `${fault.path}: ${fault.reason}`).toBe(expected);
    expect(compiled.check(value)).toBe(expected === undefined);
  });

  it('does not check free-form JSON, at any depth', () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`);
    expect(compile(freeForm()).check(deep)).toBe(true);
  });

  it('does not change the value', () => {
    const value = Object.freeze({ type: 'square', side: 1 });
    expect(compile(shape).check(value)).toBe(true);
    expect(value).toEqual({ type: 'square', side: 1 });
  });
});
