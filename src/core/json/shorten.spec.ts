/** A shortened value states what is missing, and costs only what is shown. */
import { Base64Builder, Base64Text } from './base64-text.js';
import { parseJson, printJson, type Json } from './json.js';
import { shorten } from './shorten.js';

const MIB = 1024 * 1024;

it('shows a short value as printed', () => {
  const value = parseJson('{"a":[1,"b",null,{"__proto__":12345678901234567890}],"":{}}') as Json;
  expect(printJson(shorten(value))).toBe(printJson(value));
  expect(printJson(shorten({ a: undefined, b: [undefined], c: Base64Text.EMPTY }))).toBe('{"b":[null],"c":""}');
});

it.each([
  [8_192, ''],
  [8_193, '… (1 more characters)'],
])('cuts a text of %i characters', (length, more) => {
  expect(shorten(['é'.repeat(length)])).toEqual(['é'.repeat(8_192) + more]);
});

it('does not convert media to text', () => {
  const builder = new Base64Builder();
  for (let mebibytes = 0; mebibytes < 30; mebibytes++) builder.push(Buffer.alloc(MIB));
  const media = builder.finish().after('data:application/pdf;base64,');
  const whole = jest.spyOn(media, 'toString');
  const lead = 'data:application/pdf;base64,';
  expect(shorten({ media })).toEqual({
    media: `${lead}${'A'.repeat(8_192 - lead.length)}… (${40 * MIB + lead.length - 8_192} more characters)`,
  });
  expect(whole).not.toHaveBeenCalled();
});

it.each<[string, Json]>([
  ['texts', Array.from({ length: 4_000 }, () => 'x'.repeat(8_000))],
  ['numbers', Array.from({ length: 2_000_000 }, () => 1)],
  ['keys', Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`${index}`.padEnd(20_000, 'k'), 1]))],
  ['one key', { ['k'.repeat(4 * MIB)]: 1 }],
  ['depth', Array.from({ length: 300 }, () => [[['x'.repeat(8_000), 'y'.repeat(8_000)]]])],
])('shows a bounded part of many %s, and states that', (_, value) => {
  const shown = printJson(shorten({ value, after: 1 }));
  expect(shown.length).toBeLessThan(2.2 * MIB);
  expect(shown).toMatch(/more( characters)?\)/);
});
