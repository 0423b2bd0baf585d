// Goal: no place that a provider names breaks anything. Method: places that there cannot be, and keys of objects' own.
import { ProviderFault } from '../../../core/errors.js';
import { PartialCall } from './partial-call.js';

const put = (jsonPath: string): string => {
  const call = new PartialCall('f', undefined, undefined, { list: [], text: 'x' });
  call.add([{ jsonPath, stringValue: 'v' }]);
  return call.whole();
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
