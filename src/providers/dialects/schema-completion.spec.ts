// Goal: schemas get what JSON Schema makes optional, and those that fit stay unchanged. Method: tables of schemas.
import type { JsonObject } from '../../core/json/json.js';
import { completeSchema } from './schema-completion.js';

it.each<[string, JsonObject, JsonObject]>([
  ['an object', { type: 'object' }, { type: 'object', properties: {} }],
  ['an object or null', { type: ['object', 'null'] }, { type: ['object', 'null'], properties: {} }],
  ['an array', { type: 'array' }, { type: 'array', items: {} }],
  ['an array of named places', { type: 'array', prefixItems: [{}] }, { type: 'array', prefixItems: [{}], items: {} }],
  ['both', { type: ['object', 'array'] }, { type: ['object', 'array'], properties: {}, items: {} }],
  ['null for nothing', { type: 'object', properties: null, required: null, title: null }, { type: 'object', properties: {} }],
  ['places of an older draft', { type: 'array', items: [{ type: 'string' }], additionalItems: false }, { type: 'array', prefixItems: [{ type: 'string' }], items: false }],
  ['flags beside bounds', { minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false }, { exclusiveMinimum: 0, maximum: 9 }],
  ['a flag for what is required', { type: 'string', required: true }, { type: 'string' }],
])('completes %s', (_, schema, expected) => {
  expect(completeSchema(schema)).toEqual(expected);
}); // oxfmt-ignore

it.each<[JsonObject]>([
  [{ type: 'object', properties: {} }],
  [{ type: 'array', items: true }],
  [{ default: null, const: null, examples: null }],
  [{ exclusiveMinimum: 0, required: ['a'] }],
])('leaves %j alone', (schema) => {
  expect(completeSchema(schema)).toBe(schema);
});
