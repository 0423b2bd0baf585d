// Goal: the top of a schema has no keyword that a vendor refuses, and every property is kept. Method: tables of
// schemas.
import type { JsonObject } from '../../../core/json/json.js';
import { mergeTop } from './schema-unions.js';

const ALL = ['anyOf', 'oneOf', 'allOf', '$ref', 'enum', 'not'] as const;
const a = { type: 'string' };

it.each<[string, JsonObject, JsonObject, readonly string[]]>([
  ['what all hold', { allOf: [{ properties: { a } }, { properties: { b: {} }, required: ['b'] }] }, { type: 'object', properties: { a, b: {} }, required: ['b'] }, []],
  ['a property that is defined twice', { properties: { a }, allOf: [{ properties: { a: { minLength: 1 } } }] }, { type: 'object', properties: { a: { allOf: [a, { minLength: 1 }] } } }, []],
  ['one schema alone', { description: 'd', anyOf: [{ properties: { a }, additionalProperties: false }] }, { type: 'object', description: 'd', properties: { a }, additionalProperties: false }, []],
  ['closed schemas', { oneOf: [{ properties: { a }, additionalProperties: false }, { properties: { b: {} }, additionalProperties: false }] }, { type: 'object', properties: { a, b: {} }, additionalProperties: false }, ['oneOf']],
  ['null beside it', { anyOf: [{ type: 'null' }, { type: 'object', properties: { a } }] }, { type: 'object', properties: { a } }, []],
  ['unions of unions', { anyOf: [{ oneOf: [{ required: ['a'] }, { required: ['a', 'b'] }] }, { required: ['a', 'c'] }] }, { type: 'object', properties: {}, required: ['a'], description: 'Requires one of these sets of properties: b. Requires one of these sets of properties: c.' }, ['oneOf', 'anyOf']],
  ['a reference', { $ref: '#/$defs/x~1y', $defs: { 'x/y': { properties: { a }, required: ['a'] } } }, { type: 'object', $defs: { 'x/y': { properties: { a }, required: ['a'] } }, properties: { a }, required: ['a'] }, []],
  ['a reference to itself', { $ref: '#', properties: { a } }, { type: 'object', properties: { a } }, []],
  ['a reference to nothing', { $ref: '#/$defs/x', properties: { a } }, { type: 'object', properties: { a } }, []],
  ['values', { type: 'object', properties: { a }, enum: [{ a: 'x' }], not: { required: ['b'] } }, { type: 'object', properties: { a } }, ['enum', 'not']],
])('merges %s', (_, schema, expected, lost) => {
  expect(mergeTop(schema, ALL)).toEqual({ schema: expected, lost });
}); // oxfmt-ignore

it('leaves alone what fits, and what this vendor takes', () => {
  const plain = { type: 'object', properties: { a: { anyOf: [{}] } } };
  expect(mergeTop(plain, ALL).schema).toBe(plain);
  const not = { ...plain, not: {} };
  expect(mergeTop(not, ['anyOf']).schema).toBe(not);
});

it('is bounded where schemas refer to one another twice at each level', () => {
  const level = (number: number): JsonObject => ({
    allOf: [{ $ref: `#/$defs/d${number}` }, { $ref: `#/$defs/d${number}` }],
  });
  const $defs = Object.fromEntries(Array.from({ length: 60 }, (_, number) => [`d${number}`, level(number + 1)]));
  expect(mergeTop({ ...level(0), $defs }, ALL).schema).toMatchObject({ type: 'object', properties: {} });
});
