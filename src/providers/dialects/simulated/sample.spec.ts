// Goal: samples follow the common keywords of JSON Schema and stay small whatever the schema. Method: a table, then
// hostile schemas.
import type { Json, JsonObject } from '../../../core/json/json.js';
import { sampleObject } from './sample.js';

const of = (property: JsonObject, more: JsonObject = {}): Json | undefined =>
  sampleObject({ type: 'object', properties: { a: property }, ...more }, 'all')['a'];

describe('sampleObject', () => {
  it.each<[JsonObject, Json]>([
    [{ type: 'string' }, 'sample'],
    [{ type: 'string', minLength: 8 }, 'sample..'],
    [{ type: ['integer', 'null'], minimum: 2 }, 2],
    [{ type: 'number', exclusiveMinimum: 2 }, 3],
    [{ type: 'boolean' }, true],
    [{ type: 'null' }, null],
    [{}, null],
    [{ enum: ['x', 'y'] }, 'x'],
    [{ const: 7 }, 7],
    [{ type: 'string', default: 'd' }, 'd'],
    [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, 1],
    [{ type: 'array', items: { type: 'boolean' }, minItems: 2 }, [true, true]],
    [{ allOf: [{ properties: { b: { const: 1 } } }, { properties: { c: { const: 2 } } }] }, { b: 1, c: 2 }],
  ])('%j → %j', (schema, value) => {
    expect(of(schema)).toEqual(value);
  });

  it('follows references within the schema', () => {
    expect(of({ $ref: '#/$defs/city' }, { $defs: { city: { const: 'Paris' } } })).toBe('Paris');
    expect(of({ $ref: '#/$defs/none' })).toBeNull();
  });

  it('makes only the required properties, when requested', () => {
    const schema = { properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['b', 'undeclared', 3] };
    expect(sampleObject(schema, 'required')).toEqual({ b: 'sample', undeclared: 'sample' });
  });

  it.each<[string, JsonObject]>([
    ['no object', { type: 'string' }],
    ['nothing', {}],
  ])('gives an empty object for a schema of %s', (_name, schema) => {
    expect(sampleObject(schema, 'all')).toEqual({});
  });

  const branches = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}`, { $ref: '#' }]));
  it.each<[string, JsonObject]>([
    ['that refers to itself', { type: 'object', properties: branches }],
    [
      'with a huge constant in a long list',
      { type: 'object', properties: { a: { type: 'array', minItems: 1e9, items: { const: 'x'.repeat(100_000) } } } },
    ],
    ['with a huge bound', { type: 'object', properties: { a: { type: 'string', minLength: 1e9 } } }],
    ['of odd shapes', { type: 7, properties: [], required: {}, allOf: [null, 3], anyOf: 'x' }],
  ])('stays small for a schema %s', (_name, schema) => {
    expect(JSON.stringify(sampleObject(schema, 'all')).length).toBeLessThan(200_000);
  });
});
