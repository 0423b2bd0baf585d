/**
 * Goal: A14, no keyword of JSON Schema that Gemini does not know reaches it, at any depth, and keywords are restated
 * where possible. Method: a table; a property over schemas of any keywords, nested in every way, that checks each key.
 */
import fc from 'fast-check';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { doAtOnce } from '../../../core/steps.js';
import { reduceSchema } from './reduce-schema.js';

const reduce = (schema: JsonObject): JsonObject => doAtOnce(reduceSchema(schema)).schema;

it.each<[string, JsonObject, JsonObject]>([
  ['a constant', { const: 'x' }, { enum: ['x'] }],
  ['a constant that is no text or number', { type: 'boolean', const: true }, { type: 'boolean', description: '(const: true)' }],
  ['an open bound of integers', { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 }, { type: 'integer', minimum: 1, maximum: 9 }],
  ['an open bound of fractions', { type: 'number', exclusiveMinimum: 0.5 }, { type: 'number', minimum: 0.5, description: '(exclusiveMinimum: 0.5)' }],
  ['an open bound between integers', { type: 'integer', exclusiveMaximum: 2.5 }, { type: 'integer', maximum: 2 }],
  ['the stricter of two bounds', { type: 'integer', minimum: 5, exclusiveMinimum: 1 }, { type: 'integer', minimum: 5 }],
  ['an open bound of older drafts', { type: 'integer', minimum: 5, exclusiveMinimum: true }, { type: 'integer', minimum: 5 }],
  ['definitions of older drafts', { definitions: { a: { $schema: 'x', type: 'string' } }, $ref: '#/definitions/a' }, { $defs: { a: { type: 'string' } }, $ref: '#/$defs/a' }],
  ['words beside a reference', { $ref: '#/$defs/a', description: 'x' }, { $ref: '#/$defs/a' }],
  ['a tuple of older drafts', { items: [{ type: 'string' }, true] }, { prefixItems: [{ type: 'string' }, {}] }],
  ['schemas that all hold', { allOf: [{ properties: { a: { const: 1 } }, required: ['a'] }, { allOf: [{ properties: { b: {} }, required: ['b'] }] }], type: 'object' }, { type: 'object', properties: { a: { enum: [1] }, b: {} }, required: ['a', 'b'] }],
  ['what may be null', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
  ['formats', { properties: { a: { format: 'date-time' }, b: { format: 'uri' } } }, { properties: { a: { format: 'date-time' }, b: { description: '(format: "uri")' } } }],
  ['whether other properties are allowed', { additionalProperties: false }, {}],
  ['a schema of other properties', { additionalProperties: { const: 1 } }, { additionalProperties: { enum: [1] } }],
  ['properties by their names', { patternProperties: { '^a': { const: 1 } } }, { additionalProperties: { enum: [1] }, description: '(patternProperties: {"^a":{"enum":[1]}})' }],
  ['properties of several names', { patternProperties: { '^a': { type: 'string' }, '^b': {} }, additionalProperties: false }, { additionalProperties: { anyOf: [{ type: 'string' }, {}] }, description: '(patternProperties: {"^a":{"type":"string"},"^b":{}})' }],
  ['a property of the name of a word', { properties: { $schema: { type: 'string' }, const: {} } }, { properties: { $schema: { type: 'string' }, const: {} } }],
  ['what it has no word for', { description: 'A name.', minLength: 1, pattern: 'a', default: 'x', 'x-order': 1 }, { description: 'A name. (minLength: 1; pattern: "a")' }],
  ['what allows any value', { items: true, additionalProperties: true, uniqueItems: false }, {}],
  ['values of every kind', { enum: ['a', 1, null, true] }, { enum: ['a', 1], description: '(enum: ["a",1,null,true])' }],
])('restates %s', (_, schema, reduced) => {
  expect(reduce(schema)).toEqual(reduced);
}); // oxfmt-ignore

it.each<[JsonObject, readonly string[]]>([
  [{ $schema: 's', type: 'object', properties: { a: { type: 'string', default: 'x' } }, required: ['a'], additionalProperties: false }, []],
  [{ allOf: [{ const: 1, nullable: true }], type: 'integer', exclusiveMinimum: 0, minimum: 1 }, []],
  [{ items: { minLength: 1, pattern: 'a' }, uniqueItems: true }, ['uniqueItems', 'minLength', 'pattern']],
  [{ format: 'uri', exclusiveMaximum: 1, patternProperties: { a: {} } }, ['format', 'exclusiveMaximum', 'patternProperties']],
  [{ const: true, anyOf: [{ enum: ['a', null] }] }, ['const', 'enum']],
  [{ $ref: '#/$defs/a', minimum: 1, description: 'x', constructor: {} }, ['minimum']],
  [{ 'x-order': 1, items: true, uniqueItems: false, unevaluatedProperties: true }, []],
  [{ allOf: [{ minimum: 1 }, { minimum: 5 }] }, ['allOf']],
  [{ allOf: [{ properties: { a: { type: 'string' } } }, { properties: { a: { enum: ['x'] } } }] }, ['allOf']],
  [{ allOf: [{ properties: { a: {} }, required: ['a'] }, { properties: { a: {}, b: {} }, required: ['b'], title: 'x' }], title: 'y' }, []],
  [{ properties: { constructor: { type: 'string' } } }, []],
  [{ properties: { a: { minLength: 1 }, b: { not: { pattern: 'a' } } } }, ['minLength', 'not', 'pattern']],
])('of %j %j are dropped', (schema, dropped) => {
  expect([...doAtOnce(reduceSchema(schema)).lost].sort()).toEqual([...dropped].sort());
}); // oxfmt-ignore

it('joins what descriptions state of schemas that all hold', () => {
  const schema = { description: 'One.', allOf: [{ minLength: 1 }, { description: 'One.', type: 'string' }] };
  expect(reduce(schema)).toEqual({ type: 'string', description: 'One. (minLength: 1)' });
});

it('leaves a schema that fits as it is', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  expect(reduce(schema)).toBe(schema);
});

const KNOWN = ['$defs', '$ref', 'type', 'description', 'enum', 'items', 'prefixItems', 'minimum', 'maximum', 'anyOf', 'oneOf', 'properties', 'additionalProperties', 'required']; // oxfmt-ignore
const UNKNOWN = ['$schema', 'propertyNames', 'patternProperties', 'not', 'if', 'then', 'exclusiveMinimum', 'uniqueItems', 'default', 'examples', 'const', 'constructor']; // oxfmt-ignore

/** Every keyword of a schema and of those inside it. */
function wordsOf(schema: Json): string[] {
  if (!isJsonObject(schema)) return [];
  const inner: Json[] = [];
  for (const key of ['items', 'additionalProperties']) inner.push(schema[key] ?? null);
  for (const key of ['anyOf', 'oneOf', 'prefixItems']) inner.push(...((schema[key] ?? []) as Json[]));
  for (const key of ['properties', '$defs'])
    inner.push(...Object.values((schema[key] ?? {}) as JsonObject).map((one) => one!));
  return [...Object.keys(schema), ...inner.flatMap(wordsOf)];
}

it('holds no other words, whatever the schema, and leaves the schema as it was', () => {
  const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => {
    const inner = tie('schema');
    return {
      // Mostly leaves: a schema with all keywords has a dozen others inside it.
      schema: fc.oneof(
        { maxDepth: 3, depthIdentifier: 'schema' },
        { weight: 5, arbitrary: fc.constantFrom<JsonObject>({ const: 'x' }, { $schema: 'x' }, { type: 'string' }) },
        {
          weight: 1,
          arbitrary: fc.record(
            {
              type: fc.constantFrom('object', 'string', 'integer'),
              description: fc.string(),
              const: fc.constantFrom<Json>(1, 'x', null),
              exclusiveMinimum: fc.constantFrom<Json>(0, true),
              $schema: fc.constant('https://json-schema.org/draft/2020-12/schema'),
              default: fc.constant('x'),
              constructor: fc.constant('x'),
              uniqueItems: fc.boolean(),
              propertyNames: inner,
              not: inner,
              items: fc.oneof(inner, fc.array(inner, { maxLength: 2 })),
              additionalProperties: fc.oneof(fc.boolean(), inner),
              patternProperties: fc.dictionary(fc.string(), inner, { maxKeys: 2 }),
              anyOf: fc.array(inner, { maxLength: 2 }),
              oneOf: fc.array(inner, { maxLength: 2 }),
              allOf: fc.array(inner, { maxLength: 2 }),
              properties: fc.dictionary(fc.constantFrom('a', ...UNKNOWN), inner, { maxKeys: 3 }),
              $defs: fc.dictionary(fc.string(), inner, { maxKeys: 2 }),
            },
            { requiredKeys: [] },
          ),
        },
      ),
    };
  });
  fc.assert(
    fc.property(schema, (given) => {
      const before = JSON.stringify(given);
      const words = wordsOf(reduce(given));
      expect(words.filter((word) => !KNOWN.includes(word))).toEqual([]);
      expect(JSON.stringify(given)).toBe(before);
    }),
    { numRuns: 500 },
  );
});
