// Goal: no path that a provider names breaks anything. Method: impossible paths, and keys of built-in properties.
import { ProviderFault } from '../../../core/errors.js';
import { parseJson, type Json } from '../../../core/json/json.js';
import { doAtOnce } from '../../../core/steps.js';
import { ARGUMENTS_MAX, PartialCall } from './partial-call.js';

const put = (jsonPath: string): string => {
  const call = new PartialCall('f', undefined, undefined, { list: [], text: 'x' });
  call.add([{ jsonPath, stringValue: 'v' }]);
  return doAtOnce(call.whole());
};

it.each([
  '',
  '$',
  'a',
  '$.list[1]',
  '$.list[4294967295]',
  '$.list.length',
  '$[0]',
  '$..a',
  '$.a[',
  `$${'.a'.repeat(200)}`,
])('refuses %j', (path) => {
  expect(() => put(path)).toThrow(ProviderFault);
});

it.each([
  ['$.__proto__.x', '{"list":[],"text":"x","__proto__":{"x":"v"}}'],
  ['$.constructor', '{"list":[],"text":"x","constructor":"v"}'],
  ['$.list[0][0]', '{"list":[["v"]],"text":"x"}'],
  ['$.text', '{"list":[],"text":"xv"}'],
  ['$.text.deep', '{"list":[],"text":{"deep":"v"}}'],
])('puts %s', (path, json) => {
  expect(put(path)).toBe(json);
  expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('x');
});

it.each<[string, (number: number) => string]>([
  ['texts', () => `{"jsonPath":"$.a","stringValue":"${'x'.repeat(10_000)}"}`],
  ['long names', (number) => `{"jsonPath":"$.${'k'.repeat(10_000)}${number}","boolValue":true}`],
  ['numbers of many digits', (number) => `{"jsonPath":"$.n${number}","numberValue":1${'0'.repeat(9_999)}1}`],
])('takes no more of them than its bound: %s', (_, piece) => {
  const call = new PartialCall('f', undefined, undefined, {});
  const pieces = ARGUMENTS_MAX / 10_000;
  expect(() => {
    for (let number = 0; number < pieces; number++) call.add([parseJson(piece(number)) as Json]);
  }).toThrow(/arguments of a tool call that are too long/);
});

it('keeps a number as it was spelt, and takes no list for one', () => {
  const call = new PartialCall('f', undefined, undefined, {});
  call.add([parseJson('{"jsonPath":"$.n","numberValue":12345678901234567890}') as Json]);
  expect(doAtOnce(call.whole())).toBe('{"n":12345678901234567890}');
  expect(() => call.add([{ jsonPath: '$.n', numberValue: [1] }])).toThrow(ProviderFault);
});
