// A long text has the same value as by `parseJson`, or is refused likewise. Random values and mutated texts, made long
// by blanks or by their contents.
import fc from 'fast-check';
import { doAtOnce } from '../steps.js';
import { parseInSteps } from './parse-in-steps.js';
import { parseJson, printJson } from './json.js';

const MIB = 1024 * 1024;
const read = (text: string): unknown => doAtOnce(parseInSteps(Buffer.from(text)));
const outcome = (act: () => unknown): unknown => {
  try {
    return { value: act() };
  } catch (error) {
    return (error as Error).name;
  }
};

/** Long enough to be read in steps, whatever it contains. */
const WORDS = 'word '.repeat(MIB / 4);
const NEST = JSON.stringify({ list: Array.from({ length: 3_000 }, (_, index) => ({ index, text: 'x'.repeat(40) })) });
const TEXT = 'é\u{1F600}\\u00e9\\n\\\\\\"\\ud83d\\ude00'.repeat(20_000);

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.string({ unit: 'binary' }), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie('any'), { maxLength: 5 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('any'), { maxKeys: 5 }),
    fc.constantFrom('@words@', '@nest@', '@text@'),
  ),
})).any;

/** A text with long strings instead of their names. */
const longText = (one: unknown, gap: number): string =>
  JSON.stringify([one, '@words@'], undefined, gap)
    .replaceAll('"@words@"', () => `"${WORDS}"`)
    .replaceAll('"@nest@"', () => NEST)
    .replaceAll('"@text@"', () => `"${TEXT}"`);

describe('parseInSteps', () => {
  it('reads the same as parseJson', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(0, 2), (one, gap) => {
        const text = longText(one, gap);
        expect(printJson(read(text) as object)).toBe(printJson(parseJson(text) as object));
      }),
      { numRuns: 20 },
    );
  });

  it('refuses the same as parseJson', () => {
    const characters = [...'[]{},:"\\ 1x'];
    fc.assert(
      fc.property(
        value,
        fc.array(fc.tuple(fc.nat(), fc.constantFrom(...characters, '')), { minLength: 1, maxLength: 3 }),
        fc.constantFrom(0, 1),
        (one, edits, removed) => {
          // Mutated while it is short, so that mutations hit the structure.
          let short = JSON.stringify([one, '@words@']);
          for (const [at, character] of edits) {
            const position = at % short.length;
            short = short.slice(0, position) + character + short.slice(position + removed);
          }
          // A character that was cut becomes an invalid one.
          const text = Buffer.from(short)
            .toString()
            .replaceAll('"@words@"', () => `"${WORDS}"`)
            .replaceAll('"@nest@"', () => NEST)
            .replaceAll('"@text@"', () => `"${TEXT}"`);
          const expected = outcome(() => printJson(parseJson(text) as object));
          expect(outcome(() => printJson(read(text) as object))).toEqual(expected);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('keeps numbers that no double can hold, wherever they are', () => {
    const text = `{"a":[${`12345678901234567890,`.repeat(60_000)}1],"b":1e999}`;
    expect(printJson(read(text) as object)).toBe(text);
  });

  it('takes the last of two members with the same name', () => {
    expect(read(`{"a":"${WORDS}","a":${NEST},"a":1}`)).toEqual({ a: 1 });
  });

  it.each([
    ['too deep', '['.repeat(2 * MIB)],
    ['an object of too many members', `{${Array.from({ length: 200_000 }, (_, index) => `"k${index}":1`).join()}}`],
    ['blanks without end', `[1]${' '.repeat(2 * MIB)}`],
    ['figures without end', `[${'1'.repeat(40 * MIB)}]`],
  ])('refuses what is %s', (_, text) => {
    expect(outcome(() => read(text))).toBe('SyntaxError');
  });
});
