// Goal: references are inlined, and endless ones are recognised. Method: tables of schemas.
import type { JsonObject } from '../../../core/json/json.js';
import { doAtOnce } from '../../../core/steps.js';
import { endlessReference, withoutReferences } from './schema-references.js';

const inlined = (schema: JsonObject): JsonObject => doAtOnce(withoutReferences(schema));
const text = { type: 'string' };

it.each<[string, JsonObject, object]>([
  ['a definition', { a: 1, properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: text } }, { a: 1, properties: { a: text }, $defs: { x: text } }],
  ['words beside it', { items: { $ref: '#/$defs/x', description: 'd' }, $defs: { x: text } }, { items: { type: 'string', description: 'd' }, $defs: { x: text } }],
  ['a definition of a definition', { items: { $ref: '#/$defs/y' }, $defs: { x: text, y: { items: { $ref: '#/$defs/x' } } } }, { items: { items: text }, $defs: { x: text, y: { items: text } } }],
  ['a schema around it', { properties: { a: { $ref: '#' } } }, { properties: { a: { properties: { a: {} } } } }],
  ['nothing', { properties: { a: { $ref: 'https://a.test/b' } } }, { properties: { a: {} } }],
  ['properties that are called so', { properties: { $ref: text, enum: { $ref: '#/$defs/x' } }, $defs: { x: text } }, { properties: { $ref: text, enum: text }, $defs: { x: text } }],
  ['data', { const: { $ref: '#/$defs/x' } }, { const: { $ref: '#/$defs/x' } }],
])('replaces a reference by its target: %s', (_, schema, expected) => {
  expect(inlined(schema)).toEqual(expected);
}); // oxfmt-ignore

it('is bounded in copies and in depth', () => {
  const twice = (number: number): JsonObject => ({ anyOf: [{ $ref: `#/$defs/d${number}` }, { $ref: `#/$defs/d${number}` }] });
  const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, number) => [`d${number}`, twice(number + 1)]));
  expect(JSON.stringify(inlined({ ...twice(0), $defs })).length).toBeLessThan(4_000_000);
  const chain = Object.fromEntries(Array.from({ length: 5_000 }, (_, number) => [`d${number}`, { items: { $ref: `#/$defs/d${number + 1}` } }]));
  expect(() => inlined({ $ref: '#/$defs/d0', $defs: chain })).not.toThrow();
}); // oxfmt-ignore

it.each<[string, JsonObject, string | undefined]>([
  ['none', { type: 'object' }, undefined],
  ['one that ends', { items: { $ref: '#/$defs/x' }, $defs: { x: text } }, undefined],
  ['the same twice', { anyOf: [{ $ref: '#/$defs/x' }, { $ref: '#/$defs/x' }], $defs: { x: text } }, undefined],
  ['one to itself', { items: { $ref: '#/$defs/x' }, $defs: { x: { items: { $ref: '#/$defs/x' } } } }, 'recursive'],
  ['one to another and back', { $ref: '#/$defs/x', $defs: { x: { items: { $ref: '#/$defs/y' } }, y: { not: { $ref: '#/$defs/x' } } } }, 'recursive'],
  ['one to the whole', { properties: { a: { $ref: '#' } } }, 'recursive'],
  ['one to elsewhere', { properties: { a: { $ref: 'https://a.test/b' } } }, 'external'],
  ['one to nothing', { properties: { a: { $ref: '#/$defs/x' } } }, 'external'],
])('knows references without an end: %s', (_, schema, expected) => {
  expect(endlessReference(schema)).toBe(expected);
}); // oxfmt-ignore

it('follows a long chain', () => {
  const $defs = Object.fromEntries(Array.from({ length: 20_000 }, (_, number) => [`d${number}`, number === 19_999 ? text : { $ref: `#/$defs/d${number + 1}` }]));
  expect(endlessReference({ $ref: '#/$defs/d0', $defs })).toBeUndefined();
}); // oxfmt-ignore
