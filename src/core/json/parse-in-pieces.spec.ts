/**
 * A text read in pieces has the same value as the whole, and anything that is not JSON, or has a key twice, is left to
 * the whole. A property against JSON itself, over whole and damaged texts, in minimal pieces; tables.
 */
import fc from 'fast-check';
import { parseInPieces } from './parse-in-pieces.js';
import { JsonScan } from './json-scan.js';

const PIECE = 12;

/** @returns undefined where the whole text must be parsed; the number of pieces counts the rest as one */
function read(text: string, pieceBytes = PIECE): { value: unknown; pieces: number } {
  const bytes = Buffer.from(text);
  const scan = new JsonScan(bytes, pieceBytes);
  while (scan.walk(bytes.length));
  let pieces = 0;
  const reading = parseInPieces(bytes, scan, (piece) => {
    pieces++;
    return JSON.parse(piece) as unknown;
  });
  let step = reading.next();
  while (!step.done) step = reading.next();
  return { value: step.value, pieces };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const bodies = fc.dictionary(
  fc.oneof(
    fc.constantFrom('messages', '__proto__', 'a"b\\', '\\', 'é😀', '1'),
    fc.string({ unit: 'binary', maxLength: 5 }),
  ),
  fc.oneof(fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 30 }), fc.jsonValue({ maxDepth: 3 })),
  { maxKeys: 5, noNullPrototype: true },
);
const spaces = fc.constantFrom('', ' ', '\n\t ');

describe('parseInPieces', () => {
  it('reads the same value as the whole', () => {
    let cut = 0;
    fc.assert(
      fc.property(bodies, spaces, (body, space) => {
        const text = JSON.stringify(body, undefined, space);
        const { value, pieces } = read(text);
        expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
        if (pieces > 2) cut++;
      }),
      { numRuns: 500 },
    );
    expect(cut).toBeGreaterThan(100);
  });

  it('reads strings of escapes in pieces, wherever they are', () => {
    const escaped = fc.array(
      fc.constantFrom('\\n', '\\"', '\\\\', '\\u00e9', '\\ud83d\\ude00', '\\ud83d', 'é', '😀', 'word '),
      {
        minLength: 1,
        maxLength: 60,
      },
    );
    let pieceCount = 0;
    fc.assert(
      fc.property(fc.array(escaped, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 40 }), (all, piece) => {
        const strings = all.map((parts) => `"${parts.join('')}"`);
        const text = `{"a":[{"b":[${strings.join()}]},[],1],"messages":[${strings.join()},{"c":${strings[0]}}],"d":${strings[0]}}`;
        const { value, pieces } = read(text, piece);
        expect(value).toEqual(JSON.parse(text));
        pieceCount += pieces;
      }),
      { numRuns: 500 },
    );
    expect(pieceCount).toBeGreaterThan(5_000);
  });

  it('reads such a string as a name, and leaves one that is given twice to the whole', () => {
    const string = '\\t'.repeat(40);
    const text = `{"${string}" : "${string}","b":1}`;
    expect(read(text, 8).value).toEqual({ ['\t'.repeat(40)]: '\t'.repeat(40), b: 1 });
    expect(read(`{"a":"${string}","a":"${string}"}`, 8).value).toBeUndefined();
  });

  it('accepts nothing that the whole does not accept', () => {
    const marks = fc.constantFrom(...'[]{},:"\\ 1a', '');
    const damaged = fc.tuple(bodies, fc.nat(), fc.nat({ max: 2 }), marks).map(([body, index, taken, mark]) => {
      const text = JSON.stringify(body);
      const from = index % (text.length + 1);
      return (text.slice(0, from) + mark + text.slice(from + taken)).toWellFormed();
    });
    fc.assert(
      fc.property(damaged, (text) => {
        let value: unknown;
        try {
          ({ value } = read(text));
        } catch {
          // Nested too deeply.
        }
        if (value !== undefined) expect(JSON.stringify(value)).toBe(JSON.stringify(parsed(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads no duplicate key differently from the whole', () => {
    const lists = fc.array(fc.constantFrom('[]', '[[false],false,{}]', '["0123456789ab","0123456789ab"]', '1'), {
      minLength: 2,
      maxLength: 3,
    });
    fc.assert(
      fc.property(lists, (values) => {
        const text = `{${values.map((value) => `"a":${value}`).join()}}`;
        const { value } = read(text);
        if (value !== undefined) expect(value).toEqual(JSON.parse(text));
      }),
      { numRuns: 200 },
    );
  });

  it('cuts long lists, but only those of the outermost object', () => {
    const list = '[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]';
    expect(read(`{"a":${list},"b" : ${list} }`).pieces).toBe(7);
    expect(read(`{"a":{"b":${list}}}`).pieces).toBe(1);
    expect(read(list).pieces).toBe(1);
    expect(read(`{"a":${list}}`, 1_000).pieces).toBe(1);
  });

  it.each([
    ['a missing entry in the middle', '{"a":["0123456789ab",,"0123456789ab",1]}'],
    ['a missing entry at the end', '{"a":["0123456789ab","0123456789ab",]}'],
    ['a brace for a bracket', '{"a":["0123456789ab","0123456789ab"}}'],
    ['a list without a key', '{["0123456789ab","0123456789ab"]}'],
    ['a list whose key has no colon', '{"a" ["0123456789ab","0123456789ab"]}'],
    ['a list after a value', '{"a":1["0123456789ab","0123456789ab"]}'],
    ['a key given twice, both long', '{"a":["0123456789ab","0123456789ab"],"a":["0123456789ab","0123456789ab"],"a":1}'],
    ['a key given twice, the second empty', '{"a":["0123456789ab","0123456789ab"],"a":[]}'],
    ['a key given twice, the first empty', '{"a":[],"a":["0123456789ab","0123456789ab"],"a":[]}'],
    ['a list in a list', '[["0123456789ab","0123456789ab"]]'],
    ['a text that ends early', '{"a":["0123456789ab","0123456789ab"'],
  ])('leaves %s to the whole', (_, text) => {
    expect(read(text).value).toBeUndefined();
  });
});
