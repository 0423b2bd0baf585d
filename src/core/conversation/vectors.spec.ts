// Goal: vectors keep their numbers in either encoding, and nothing else passes for a vector. Method: a table, both
// ways.
import { encodedVector, floatVector } from './vectors.js';

const base64 = (...numbers: number[]): string => Buffer.from(Float32Array.from(numbers).buffer).toString('base64');

it('converts numbers to little-endian float32 and back', () => {
  const numbers = [0, -0, 1, -1.5, 3.4e38, 1e-45, 0.1];
  const rounded = numbers.map(Math.fround);
  const text = encodedVector(numbers, 'base64');
  expect(text).toBe(base64(...numbers));
  expect(encodedVector(text, 'float')).toEqual(rounded);
  expect(encodedVector(rounded, 'float')).toBe(rounded);
  expect(encodedVector(text, 'base64')).toBe(text);
});

it.each<readonly [what: string, text: string, isVector: boolean]>([
  ['numbers', base64(1, 2, 3), true],
  ['the largest', base64(3.4028234663852886e38), true],
  ['NaN', base64(1, NaN), false],
  ['infinity', base64(Infinity), false],
  ['minus infinity', base64(-Infinity), false],
  ['five bytes', Buffer.alloc(5).toString('base64'), false],
  ['no base64', 'hello!', false],
  ['another alphabet', 'AA-_AA==', false],
  ['no padding', base64(1, 2).replace(/=+$/, ''), true],
  ['padding alone', '====', false],
  ['padding within', base64(1) + base64(2), false],
  ['padding too long', `${base64(1)}=`, false],
  ...[0, 1, 2, 3, 5, 8].map(
    (at) => [`a space at ${at}`, `${base64(1, 2, 3).slice(0, at)} ${base64(1, 2, 3).slice(at)}`, false] as const,
  ),
  ...[1, 2, 3, 4].map((count) => [`${count} line ends`, base64(1, 2, 3) + '\n'.repeat(count), false] as const),
  ['a letter whose low byte is one of the alphabet', base64(1, 2, 3).replace('A', '\u0141'), false],
  ['half of its padding', base64(1).slice(0, -1), false],
  ['another script', `${base64(1, 2, 3)}é`, false],
  ['nothing', '', false],
])('judges %s', (_what, text, expected) => {
  expect(floatVector(text)).toBe(expected ? text.padEnd(Math.ceil(text.length / 4) * 4, '=') : undefined);
});
