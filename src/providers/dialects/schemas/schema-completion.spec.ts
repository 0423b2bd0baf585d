// Goal: schemas get what JSON Schema makes optional, and those that fit stay unchanged. Method: tables of schemas.
import type { JsonObject } from '../../../core/json/json.js';
import { parseJson } from '../../../core/json/json.js';
import { completeSchema } from './schema-completion.js';

it.each<[string, JsonObject, JsonObject]>([
  ['an object', { type: 'object' }, { type: 'object', properties: {} }],
  ['an object or null', { type: ['object', 'null'] }, { type: ['object', 'null'], properties: {} }],
  ['an array', { type: 'array' }, { type: 'array', items: {} }],
  ['an array of named places', { type: 'array', prefixItems: [{}] }, { type: 'array', prefixItems: [{}], items: {} }],
  ['both', { type: ['object', 'array'] }, { type: ['object', 'array'], properties: {}, items: {} }],
  ['null for nothing', { type: 'object', properties: null, required: null, title: null }, { type: 'object', properties: {} }],
  ['places of an older draft', { type: 'array', items: [{ type: 'string' }], additionalItems: false }, { type: 'array', prefixItems: [{ type: 'string' }], items: {}, maxItems: 1 }],
  ['flags beside bounds', { minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false }, { exclusiveMinimum: 0, maximum: 9 }],
  ['a flag for what is required', { type: 'string', required: true }, { type: 'string' }],
  ['types in capitals', { type: 'ARRAY', items: { type: 'STRING' }, minItems: '1' }, { type: 'array', items: { type: 'STRING' }, minItems: 1 }],
  ['what may be null at Google', { type: 'STRING', nullable: true }, { type: ['string', 'null'] }],
  ['several types in capitals', { type: ['STRING', 'null', 'string'] }, { type: ['string', 'null'] }],
  ['no type of Google’s', { type: 'TYPE_UNSPECIFIED', title: 'A' }, { title: 'A' }],
  ['a word of a language', { type: 'int', description: 'A.' }, { description: 'A. (type: "int")' }],
  ['types that are none', { type: [] }, {}],
  ['a type twice', { type: ['string', 'string'] }, { type: 'string' }],
  ['properties without a schema', { properties: { a: 'string', b: null, c: {} } }, { properties: { a: {}, b: {}, c: {} } }],
  ['unions of nothing', { anyOf: [], oneOf: null, allOf: [null, {}], prefixItems: ['a'] }, { allOf: [{}] }],
  ['no items', { type: 'array', items: false }, { type: 'array', items: {}, maxItems: 0 }],
  ['none after the described ones', { type: 'array', prefixItems: [{}, {}], items: false, maxItems: 1 }, { type: 'array', prefixItems: [{}, {}], items: {}, maxItems: 1 }],
  ['any items', { type: 'array', items: true }, { type: 'array', items: {} }],
  ['places of nothing', { type: 'array', items: [] }, { type: 'array', items: {} }],
  ['names twice', { required: ['a', 'a', 5] }, { required: ['a'] }],
  ['values of other forms', { title: 5, minLength: -1, minimum: '1', exclusiveMinimum: '1', enum: [], uniqueItems: 'yes', additionalProperties: 'no', examples: null, required: 'a' }, {}],
])('completes %s', (_, schema, expected) => {
  expect(completeSchema(schema)).toEqual(expected);
}); // oxfmt-ignore

it.each<[JsonObject]>([
  [{ type: 'object', properties: {} }],
  [{ default: null, const: null, example: null }],
  [{ type: ['string', 'null'], enum: ['a', null], examples: ['a'], uniqueItems: true, minLength: 0, multipleOf: 0.1 }],
  [{ properties: { a: true, type: { type: 'string' } }, anyOf: [false, {}], $defs: {}, additionalProperties: false }],
  [{ exclusiveMinimum: 0, required: ['a'] }],
  [parseJson('{ "maximum": 18446744073709551615, "maxLength": 18446744073709551615 }') as JsonObject],
])('leaves %j alone', (schema) => {
  expect(completeSchema(schema)).toBe(schema);
});
