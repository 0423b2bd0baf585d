// Goal: lists of numbers keep their spelling, all else its value, and no string is taken for a list. Method: a table,
// random documents and their damaged copies against `JSON.parse`, and documents that are no JSON.
import { doAtOnce } from '../steps.js';
import { ExactNumber, NumberList, printJson, type Json } from './json.js';
import { parseWithNumberLists } from './number-lists.js';
import { printInSlices } from './print-in-slices.js';

const NAMES = ['embedding', 'a', 'b', 'float', 'e', 'toString'];

/** The value, with its lists in the positions of the texts that represent them. */
function parse(text: string): unknown {
  const { value, lists } = doAtOnce(parseWithNumberLists(Buffer.from(text), NAMES));
  const walk = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(walk);
    if (typeof inner !== 'object' || inner === null || inner instanceof ExactNumber) return lists.find(inner) ?? inner;
    return Object.fromEntries(Object.entries(inner).map(([key, member]) => [key, walk(member)]));
  };
  return walk(value);
}

/** A value with its lists as arrays, and how many there were. */
function plain(value: unknown): { readonly value: unknown; readonly lists: number } {
  let lists = 0;
  const walk = (inner: unknown): unknown => {
    if (inner instanceof NumberList) {
      lists++;
      const numbers = inner.toNumbers();
      expect(numbers).toHaveLength(inner.length);
      return numbers;
    }
    if (inner instanceof ExactNumber) return Number(inner.toJSON());
    if (Array.isArray(inner)) return inner.map(walk);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, member]) => [key, walk(member)]));
  };
  return { value: walk(value), lists };
}

const NUMBERS = '0.1,-0.006929283495992422,1e-7,-0,0,12,3.5E+2,-1E-30,0.10000000000000000555,7,8,9,10,11,12,13';

it.each([
  ['a member', `{"embedding":[${NUMBERS}]}`, 1],
  ['two members', `{"a":[${NUMBERS}],"b":[${NUMBERS}],"c":[${NUMBERS}]}`, 2],
  ['a name that ends like one', `{"an a":[${NUMBERS}],"an \\"a":[${NUMBERS}]}`, 1],
  ['lists in a list', `{"float":[[${NUMBERS}],[${NUMBERS}] , [${NUMBERS}]]}`, 3],
  ['lists three deep', `{"float":[[[${NUMBERS}]]]}`, 0],
  ['a list behind an empty one', `{"float":[[],[${NUMBERS}]]}`, 0],
  ['a list behind a short one', `{"float":[[1],[${NUMBERS}]]}`, 0],
  ['lists and other things', `{"float":[[${NUMBERS}],7,[${NUMBERS}]],"a":[${NUMBERS}]}`, 2],
  ['too much whitespace', `{"embedding":[${' '.repeat(300)}${NUMBERS}],"a":[${NUMBERS}]}`, 1],
  ['a number of many digits', `{"embedding":[0.${'1'.repeat(300)},${NUMBERS}],"a":[${NUMBERS}]}`, 1],
  ['a list of many bytes', `{"embedding":[${`${NUMBERS},`.repeat(3_000)}1],"a":[${NUMBERS}]}`, 1],
  [
    'names beyond one step of a search',
    `{"x":"${'x'.repeat(600_000)}","a":[${NUMBERS}],"y":"${'x'.repeat(1_100_000)}","e":[${NUMBERS}]}`,
    2,
  ],
  ['names at the end of a step', `{"x":"${'x'.repeat(524_280)}","embedding":[${NUMBERS}]}`, 1],
  ['whitespace', `{"embedding" :\n [ ${NUMBERS.replaceAll(',', ' ,\r\n\t')} ]\n}`, 1],
  ['a short list', '{"embedding":[0.1,0.2]}', 0],
  ['an empty list', '{"embedding":[]}', 0],
  ['a list of other things', `{"embedding":[${NUMBERS},"x"]}`, 0],
  ['a list that is no member', `[${NUMBERS}]`, 0],
  ['a number above float32', `{"embedding":[${NUMBERS},3.5e38]}`, 0],
  ['a long number above float32', `{"embedding":[${NUMBERS},${'9'.repeat(39)}]}`, 0],
  ['the largest float32', `{"embedding":[${NUMBERS},3.4028234663852886e+38]}`, 1],
  ['a list in a string', JSON.stringify({ text: `"embedding":[${NUMBERS}]`, more: `:[${NUMBERS}]` }), 0],
  ['a string that begins like the end of a name', JSON.stringify(['a', `:[${NUMBERS}]`]), 0],
  ['a name that ends with a quote', JSON.stringify({ 'embedding"': 1 }).replace('1}', `[${NUMBERS}]}`), 0],
  ['a name that ends with a backslash', JSON.stringify({ 'a\\': 1 }).replace('1}', `[${NUMBERS}]}`), 0],
  ['letters of several bytes', `{"é":"[${NUMBERS}]","e":[${NUMBERS}]}`, 1],
  ['a name of the prototype', `{"__proto__":[${NUMBERS}],"toString":[${NUMBERS}]}`, 1],
])('reads %s', (_, text, lists) => {
  expect(plain(parse(text))).toEqual({ value: JSON.parse(text), lists });
});

it('prints lists as they were written, without whitespace', async () => {
  const print = async (value: unknown): Promise<string> =>
    Buffer.concat(await printInSlices(value as object)).toString();
  const text = `{"data":[{"embedding":[${NUMBERS}],"index":0}],"other":12345678901234567890}`;
  expect(await print(parse(text))).toBe(text);
  const long = `{"embedding":[${`${NUMBERS},`.repeat(1_000)}1]}`;
  expect(await print(parse(long))).toBe(long);
  expect(printJson(parse(text) as Json)).toBe(text);
  expect(await print(parse(text.replaceAll(',', ' , ')))).toBe(text);
  expect(JSON.stringify(parse(text))).toBe(JSON.stringify(JSON.parse(text)));
});

it.each([
  `{"embedding":[${NUMBERS},]}`,
  `{"embedding":[${NUMBERS}`,
  `{"embedding":[${NUMBERS}]`,
  `{"embedding":[01,${NUMBERS}]}`,
  `{"embedding":[.5,${NUMBERS}]}`,
  `{"embedding":[5.,${NUMBERS}]}`,
  `{"embedding":[1e,${NUMBERS}]}`,
  `{"embedding":[--1,${NUMBERS}]}`,
  `{"embedding":[NaN,${NUMBERS}]}`,
  `{"embedding":[${NUMBERS}][${NUMBERS}]}`,
  `{"embedding":[${NUMBERS}],[${NUMBERS}]:5}`,
  `{"embedding":[[${NUMBERS}],[${NUMBERS}]:5]}`,
  `{"embedding":[[${NUMBERS}],[${NUMBERS}]}`,
  `{a1":[${NUMBERS}],"b":"}`,
  '{',
])('refuses what is no JSON: %s', (text) => {
  expect(() => parse(text)).toThrow(SyntaxError);
});

it('agrees with JSON.parse on random documents and on their damaged copies', () => {
  let seed = 7;
  const draw = (below: number): number => (seed = (seed * 16_807) % 2_147_483_647) % below;
  const number = (): number => [draw(1e9) / 1e10 - 0.05, draw(100) - 50, draw(9) * 1e-12, -0][draw(4)]!;
  const value = (depth: number): unknown => {
    switch (draw(depth > 3 ? 3 : 5)) {
      case 0:
        return Array.from({ length: 10 + draw(40) }, number);
      case 1:
        return [`"a":[${NUMBERS}]`, `\\":[${NUMBERS}]`, 'é"', ':['][draw(4)];
      case 2:
        return number();
      case 3:
        return Array.from({ length: draw(4) }, () => value(depth + 1));
      default:
        return Object.fromEntries(Array.from({ length: draw(4) }, () => [['a', 'b"', 'c\\', 'd1', ''][draw(5)]!, value(depth + 1)])); // oxfmt-ignore
    }
  };
  const outcome = (read: () => unknown): unknown => {
    try {
      return read();
    } catch (error) {
      return (error as Error).name;
    }
  };
  let lists = 0;
  for (let round = 0; round < 3_000; round++) {
    const text = JSON.stringify({ a: value(1), d1: value(1), 'b"': value(1) }, undefined, draw(3));
    const at = draw(text.length + 1);
    const damaged = text.slice(0, at) + ['[', ']', '"', ',', ':', '1', '\\', ''][draw(8)]! + text.slice(at + draw(2));
    for (const document of [text, damaged]) {
      const read = outcome(() => {
        const found = plain(parse(document));
        lists += found.lists;
        return found.value;
      });
      expect([document, read]).toEqual([document, outcome(() => JSON.parse(document))]);
    }
  }
  expect(lists).toBeGreaterThan(800);
});
