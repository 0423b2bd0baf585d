// Goal: any arguments become an object that the vendor takes. Method: a table; a property over any text in them; the
// limits of the body reader.
import fc from 'fast-check';
import { JSON_DEPTH_MAX, JSON_VALUES_MAX } from '../../core/json/json-scan.js';
import { parseJson, printJson, type Json } from '../../core/json/json.js';
import { doAtOnce } from '../../core/steps.js';
import { encodeToolInput, printToolInput } from './encode-tool-input.js';

const LONG_NUMBER = parseJson('9007199254740993') as Json;

it.each<[string, Json | undefined, object]>([
  ['nothing', undefined, {}],
  ['null', null, {}],
  ['space', ' \t\r\n', {}],
  ['an object', { a: 1 }, { a: 1 }],
  ['an object as text', ' {"a":1} ', { a: 1 }],
  ['a list', [1], { arguments: [1] }],
  ['a list as text', '[1]', { arguments: '[1]' }],
  ['a number that no double holds', LONG_NUMBER, { arguments: LONG_NUMBER }],
  ['a text cut off', '{"a":', { arguments: '{"a":' }],
  ['half an emoji', String.raw`{"a":"x\ud83d"}`, { a: 'x\ufffd' }],
  ['its other half', String.raw`{"a":["\uDE00x"]}`, { a: ['\ufffdx'] }],
  ['both, in the wrong order', String.raw`{"a":"\ude00\ud83d"}`, { a: '\ufffd\ufffd' }],
  ['two first halves and a second', String.raw`{"a":"\ud83d\ud83d\ude00"}`, { a: '\ufffd😀' }],
  ['half of one in a key', String.raw`{"\ud83d":1}`, { '\ufffd': 1 }],
  ['an emoji', String.raw`{"a":"\ud83d\ude00"}`, { a: '😀' }],
  ['words about half of one', String.raw`{"a":"\\ud83d"}`, { a: String.raw`\ud83d` }],
])('takes %s', (_, input, expected) => {
  expect(doAtOnce(encodeToolInput(input))).toEqual(expected);
});

it('holds no lone surrogate, whatever the texts are, and else the same', () => {
  const escaped = (text: string): string =>
    `"${text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;
  const units = fc.array(fc.constantFrom('\ud83d', '\ude00', '\\', 'u', 'd', '"', 'é')).map((all) => all.join(''));
  fc.assert(
    fc.property(units, fc.boolean(), (text, all) => {
      const printed = all ? escaped(text) : JSON.stringify(text);
      expect(doAtOnce(encodeToolInput(`{"a":${printed}}`))).toEqual({ a: text.toWellFormed() });
    }),
  );
});

it.each([
  ['nesting', '{"a":'.repeat(JSON_DEPTH_MAX) + '1' + '}'.repeat(JSON_DEPTH_MAX), true],
  ['nesting', '{"a":'.repeat(JSON_DEPTH_MAX + 1) + '1' + '}'.repeat(JSON_DEPTH_MAX + 1), false],
  ['nesting past the stack', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, false],
  ['values', `{"a":[${'0,'.repeat(JSON_VALUES_MAX)}0]}`, false],
])('reads %s as far as a body may have it', (_, text, isObject) => {
  const input = doAtOnce(encodeToolInput(text));
  expect('arguments' in input).toBe(!isObject);
  expect(printJson(input).length).toBeGreaterThan(text.length - 1);
});

it('reads long arguments in steps, without parting the halves of a letter', () => {
  const text = `{"a":["${'x'.repeat(7)}${String.raw`\ud83d\ude00`.repeat(200_000)}"],"b":"${String.raw`\ud83d`}"}`;
  expect([...encodeToolInput(text)].length).toBeGreaterThan(10);
  expect(doAtOnce(encodeToolInput(text))).toEqual({
    a: [`${'x'.repeat(7)}${'\u{1F600}'.repeat(200_000)}`],
    b: '\ufffd',
  });
});

it('prints long arguments in steps', () => {
  const input = { a: Array.from({ length: 200_000 }, (_, index) => `text ${index}`) };
  expect([...printToolInput(input)].length).toBeGreaterThan(10);
  expect(doAtOnce(printToolInput(input))).toBe(JSON.stringify(input));
});
