// Goal: strict mode is requested only where providers take it. Method: table of schemas.
import type { JsonObject } from '../../../core/json/json.js';
import { fitsStrictMode } from './strict-schema.js';

const closed = (properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

describe('strict mode', () => {
  it.each<[string, JsonObject, boolean]>([
    ['a closed object', closed({ a: { type: 'string' } }), true],
    ['a closed object without properties', { type: 'object', additionalProperties: false }, true],
    ['a plain value', { type: 'string' }, false],
    ['a choice at the top', { ...closed({}), anyOf: [] }, false],
    ['a choice within', closed({ a: { anyOf: [{ type: 'null' }, { type: 'string' }] } }), true],
    ['schemas that all hold', closed({ a: { allOf: [{ type: 'string' }] } }), false],
    ['a format of the vendor', closed({ a: { type: 'string', format: 'email' } }), true],
    ['another format', closed({ a: { type: 'string', format: 'uri' } }), false],
    ['bounds', closed({ a: { type: 'string', minLength: 1, maxLength: 9, pattern: '^a' } }), true],
    ['a value of any type', closed({ a: { description: 'Anything.' } }), false],
    ['an open object', { type: 'object' }, false],
    ['an optional property', closed({ a: {}, b: {} }, ['a']), false],
    ['no required list', { type: 'object', properties: { a: {} }, additionalProperties: false }, false],
    ['an open object in a list', closed({ a: { type: 'array', items: { type: 'object' } } }), false],
    ['an open object in a union', closed({ a: { anyOf: [{ type: 'null' }, { type: 'object' }] } }), false],
    ['an open object among definitions', { ...closed({}), $defs: { x: { type: ['object', 'null'] } } }, false],
    ['an open object under a property named like a keyword', closed({ default: { type: 'object' } }), false],
    ['data that looks like a schema', closed({ a: { enum: [{ type: 'object' }], const: { type: 'object' } } }), true],
  ])('for %s', (_, schema, expected) => {
    expect(fitsStrictMode(schema)).toBe(expected);
  });

  it('judges any depth', () => {
    let schema: JsonObject = { type: 'string' };
    for (let depth = 0; depth < 50_000; depth++) schema = { type: 'array', items: schema };
    expect(fitsStrictMode(closed({ a: schema }))).toBe(true);
  });
});
