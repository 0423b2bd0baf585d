// The text of a custom tool's call is the same however its JSON is cut, and arrives as early as it can.
import fc from 'fast-check';
import { TextInput } from './text-input.js';
import { textArguments, textOf } from './tool-calls.js';

function read(json: string, cuts: readonly number[]): { readonly pieces: string[]; readonly isText: boolean } {
  const input = new TextInput();
  const positions = [...cuts.map((cut) => cut % (json.length + 1)).toSorted((a, b) => a - b), json.length];
  const pieces = positions.map((position, index) => input.add(json.slice(positions[index - 1] ?? 0, position)));
  return { pieces: [...pieces, input.end()], isText: input.isText };
}

it('is what JSON has, cut anywhere', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.boolean(), fc.array(fc.nat()), (text, isEscaped, cuts) => {
      const escaped = [...JSON.stringify(text)].map((one) => (one > '~' ? [...Array(one.length).keys()].map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, '0')}`).join('') : one)); // oxfmt-ignore
      const json = isEscaped ? `{ "input" : ${escaped.join('')} }` : textArguments(text);
      const { pieces, isText } = read(json, cuts);
      expect([isText, pieces.join('')]).toEqual([true, text]);
      expect(!text.isWellFormed() || pieces.every((piece) => piece.isWellFormed())).toBe(true);
      expect(textOf(json)).toBe(text);
    }),
  );
});

it('is read while it arrives', () => {
  const input = new TextInput();
  expect(['{"inp', 'ut":"a', 'b\\', 'nc\\ud83', 'd', '\\udc4b', '"}'].map((piece) => input.add(piece))).toEqual([
    '',
    'a',
    'b',
    '\nc',
    '',
    '👋',
    '',
  ]);
});

it.each([
  ['arguments that were cut off', '{"input":"ab\\', 'ab'],
  ['arguments of another form', '{"text":"a"}', '{"text":"a"}'],
  ['another member before it', '{"a":1,"input":"b"}', 'b'],
  ['an escape that JSON does not have', String.raw`{"input":"\q\uzzzz"}`, String.raw`q\uzzzz`],
  ['a text instead of JSON', '*** Begin', '*** Begin'],
])('of %s', (_what, json, text) => {
  expect(textOf(json)).toBe(text);
});
