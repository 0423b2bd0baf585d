// Goal: Claude's schemas contain no keyword that it refuses; removed keywords are described and named. Method: tables.
import type { JsonObject } from '../../../core/json/json.js';
import { doAtOnce } from '../../../core/steps.js';
import { restrictSchema } from './schema-restrictions.js';

const restricted = (schema: JsonObject) => doAtOnce(restrictSchema(schema));
const CLOSED = { additionalProperties: false };

it.each<[string, JsonObject, object, readonly string[]]>([
  ['an object', { type: 'object', properties: {} }, { type: 'object', properties: {}, ...CLOSED }, []],
  ['an object without a type', { properties: { a: {} } }, { type: 'object', properties: { a: {} }, ...CLOSED }, []],
  ['an object or null', { type: ['object', 'null'], properties: {} }, { type: ['object', 'null'], properties: {}, ...CLOSED }, []],
  ['an object that is one of several', { type: 'object', oneOf: [{ properties: { a: {} } }] }, { anyOf: [{ type: 'object', properties: { a: {} }, ...CLOSED }] }, []],
  ['an object that is elsewhere', { type: 'object', $ref: '#/$defs/x', additionalProperties: true, $defs: { x: {} } }, { $ref: '#/$defs/x', $defs: { x: {} } }, ['additionalProperties']],
  ['an open object', { properties: { a: {} }, additionalProperties: true }, { type: 'object', properties: { a: {} }, ...CLOSED }, ['additionalProperties']],
  ['bounds', { type: 'string', minLength: 1, maxLength: 2 }, { type: 'string', description: '(minLength: 1; maxLength: 2)' }, ['minLength', 'maxLength']],
  ['one entry', { type: 'array', minItems: 1 }, { type: 'array', minItems: 1 }, []],
  ['two entries', { type: 'array', minItems: 2, description: 'd' }, { type: 'array', minItems: 1, description: 'd (minItems: 2)' }, ['minItems']],
  ['named places', { type: 'array', prefixItems: [{ type: 'string' }] }, { type: 'array', items: { anyOf: [{ type: 'string' }] }, description: '(prefixItems: [{"type":"string"}])' }, ['prefixItems']],
  ['exactly one', { oneOf: [{ const: 1 }] }, { anyOf: [{ const: 1 }] }, []],
  ['all of one', { description: 'd', allOf: [{ $ref: '#/$defs/x' }], $defs: { x: {} } }, { description: 'd', $ref: '#/$defs/x', $defs: { x: {} } }, []],
  ['all of a reference and more', { allOf: [{ $ref: '#/$defs/x' }, { title: 't' }], $defs: { x: { type: 'string' } } }, { allOf: [{ type: 'string' }, { title: 't' }], $defs: { x: { type: 'string' } } }, []],
  ['null by a flag', { type: 'string', nullable: true }, { type: ['string', 'null'], nullable: true }, []],
  ['values that are objects', { enum: [{ a: 1 }] }, { description: '(enum: [{"a":1}])' }, ['enum']],
  ['a format', { type: 'string', format: 'uri' }, { type: 'string', format: 'uri' }, []],
  ['another format', { type: 'string', format: 'byte' }, { type: 'string', description: '(format: "byte")' }, ['format']],
  ['an expression', { type: 'string', pattern: '^[a-z]+$' }, { type: 'string', pattern: '^[a-z]+$' }, []],
  ['one that looks ahead', { type: 'string', pattern: '^(?=a)' }, { type: 'string', description: '(pattern: "^(?=a)")' }, ['pattern']],
  ['a long keyword', { type: 'string', not: { enum: ['x'.repeat(300)] } }, { type: 'string' }, ['not']],
])('restricts %s', (_, schema, expected, lost) => {
  expect(restricted(schema)).toMatchObject({ schema: expected, lost });
  expect(restricted(schema).schema).toEqual(expected);
}); // oxfmt-ignore

it('leaves a schema that fits as it is', () => {
  const fits = {
    $schema: 's',
    type: 'object',
    properties: { a: { type: 'string', default: 'x' } },
    required: ['a'],
    ...CLOSED,
  };
  expect(restricted(fits).schema).toBe(fits);
  expect(restricted(fits)).toEqual({ schema: fits, lost: [], fits: true, optionalProperties: 0, unions: 0 });
});

it('counts what vendors limit', () => {
  const schema = { type: 'object', properties: { a: { type: ['string', 'null'] }, b: { anyOf: [{ type: 'object', properties: { c: {} } }] } }, required: ['a'] };
  expect(restricted(schema)).toMatchObject({ optionalProperties: 2, unions: 2 });
}); // oxfmt-ignore

it.each<[JsonObject, boolean]>([
  [{ type: 'object', properties: {} }, true],
  [{ type: 'object', additionalProperties: false }, true],
  [{ type: 'object', properties: { a: {} }, additionalProperties: true }, true],
  [{ type: 'object', properties: { a: {} }, additionalProperties: {} }, true],
  [{ type: 'object', properties: { a: {} }, patternProperties: {} }, true],
  [{ type: 'object', allOf: [{ properties: { a: {} } }], additionalProperties: true }, true],
  [{ type: 'object' }, false],
  [{ type: ['object', 'null'] }, false],
  [{ type: 'object', properties: { a: {} }, additionalProperties: { type: 'number' } }, false],
  [{ type: 'object', additionalProperties: true }, false],
  [{ type: 'object', properties: {}, additionalProperties: {} }, false],
  [{ type: 'object', patternProperties: { '^a': {} } }, false],
  [
    { type: 'array', items: { properties: { a: { type: 'object', additionalProperties: { type: 'number' } } } } },
    false,
  ],
  [{ properties: { a: { $ref: '#' } } }, false],
  [{ properties: { a: { $ref: 'https://a.test/schema' } } }, false],
])('the vendor has a form for %j: %s', (schema, fits) => {
  expect(restricted(schema)).toMatchObject(fits ? { fits } : { schema, lost: [], fits });
});
