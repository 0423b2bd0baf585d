// The printed schema is standard JSON Schema, and accepts and refuses the same bodies as the gateway's own check.
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  anything,
  compile,
  either,
  flag,
  integer,
  list,
  literal,
  map,
  named,
  nullable,
  number,
  object,
  oneOf,
  onlyNull,
  optional,
  refused,
  text,
  titled,
  described,
  variant,
  when,
  type TSchema,
} from '../shared/http/schema.js';
import { SchemaPrinter, titleOf } from './schema-printer.js';

const print = (schema: TSchema): unknown => new SchemaPrinter().print(schema);

const branch = (type: string, properties: object = {}) => ({
  type: 'object',
  required: ['type', ...Object.keys(properties)],
  properties: { type: { type: 'string', const: type }, ...properties },
});

describe('SchemaPrinter', () => {
  it.each<[string, TSchema, object]>([
    ['a pattern with its reason', text({ pattern: '^a$', reason: 'must be a' }), { type: 'string', pattern: '^a$', description: 'must be a' }],
    ['words', described('A number.', number({ min: 1 })), { type: 'number', minimum: 1, description: 'A number.' }],
    ['anything', anything(), {}],
    ['text or null', nullable(text({ max: 3 })), { type: ['string', 'null'], maxLength: 3 }],
    ['one of some or null', nullable(oneOf(['a'])), { type: ['string', 'null'], enum: ['a', null] }],
    ['exactly this or null', nullable(literal('a')), { anyOf: [{ type: 'string', const: 'a' }, { type: 'null' }] }],
    ['an object or null', nullable(object({ a: flag() })), { type: ['object', 'null'], required: ['a'], properties: { a: { type: 'boolean' } } }],
    ['text or list', either(text(), list(integer())), { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'integer' } }] }],
    ['text or list or null', nullable(either(text(), list(integer()))), { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'integer' } }, { type: 'null' }] }],
    ['a map', map(number(), { max: 2, keyMax: 4 }), { type: 'object', additionalProperties: { type: 'number' }, maxProperties: 2, propertyNames: { maxLength: 4 } }],
    ['null alone', onlyNull('is not supported'), { type: 'null', description: 'is not supported' }],
    ['nothing', refused('cannot be changed'), { not: {}, description: 'cannot be changed' }],
    ['a union', variant('type', { a: {}, b: { n: integer() } }), { type: 'object', required: ['type'], oneOf: [branch('a'), branch('b', { n: { type: 'integer' } })] }],
    ['a union of one', variant('type', { a: {} }), branch('a')],
    ['a condition', when(object({ a: flag() }), object({ a: flag() }), object({ b: flag() })), {
      type: 'object',
      if: { type: 'object', required: ['a'], properties: { a: { type: 'boolean' } } },
      then: { type: 'object', required: ['a'], properties: { a: { type: 'boolean' } } },
      else: { type: 'object', required: ['b'], properties: { b: { type: 'boolean' } } },
    }],
  ])('prints %s', (_, schema, printed) => {
    expect(print(schema)).toEqual(printed);
  }); // oxfmt-ignore

  it('prints a named schema once, as a component', () => {
    const printer = new SchemaPrinter();
    const thing = titled('a-thing', object({ a: text() }));
    const form = printer.print(object({ one: thing, other: optional(nullable(thing)), many: list(thing) }));
    const $ref = '#/components/schemas/AThing';
    expect(form['properties']).toEqual({
      one: { $ref },
      other: { anyOf: [{ $ref }, { type: 'null' }] },
      many: { type: 'array', items: { $ref } },
    });
    expect(printer.components()).toEqual({
      AThing: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
    });
  });

  it('prints a named union with components of its own and a mapping of its tags', () => {
    const printer = new SchemaPrinter();
    printer.print(named('an-animal', variant('kind', { 'big-cat': {}, dog: {} })));
    const [cat, dog] = ['#/components/schemas/AnAnimalBigCat', '#/components/schemas/AnAnimalDog'];
    expect(printer.components()['AnAnimal']).toEqual({
      type: 'object',
      required: ['kind'],
      oneOf: [{ $ref: cat }, { $ref: dog }],
      discriminator: { propertyName: 'kind', mapping: { 'big-cat': cat, dog } },
    });
    expect(Object.keys(printer.components())).toEqual(['AnAnimal', 'AnAnimalBigCat', 'AnAnimalDog']);
  });

  it('refuses a name without a schema', () => {
    expect(() => print({ $ref: 'nothing' } as unknown as TSchema)).toThrow('There is no schema named nothing.');
    expect(() => titled('a-thing', text())).toThrow('Two schemas have the name a-thing.');
  });

  it('prints names as one word', () => {
    expect(['tool-result-part', 'openrouter:bash', 'ListKeys'].map(titleOf)).toEqual(['ToolResultPart', 'OpenrouterBash', 'ListKeys']);
  }); // oxfmt-ignore

  it("accepts and refuses what the gateway's own check does", () => {
    const schema = object({
      name: nullable(text({ min: 1, max: 3, pattern: '^[a-z]*$', reason: 'must be lower case' })),
      content: either(text(), list(variant('type', { text: { text: text() }, image: { url: optional(nullable(text())) } }))),
      speed: optional(nullable(oneOf(['slow', 'fast']))),
      tool: optional(when(object({ a: flag() }), object({ a: flag(), n: integer({ min: 1 }) }), object({ b: onlyNull('is gone') }))),
    }); // oxfmt-ignore
    const own = compile(schema);
    const printed = new Ajv2020({ strict: false }).compile(print(schema) as object);
    const base = { name: 'abc', content: 'x' };
    const bodies: object[] = [
      base,
      { ...base, name: null },
      { ...base, name: 'abcd' },
      { ...base, name: 'A' },
      { ...base, name: 5 },
      { content: 'x' },
      { ...base, content: [] },
      {
        ...base,
        content: [
          { type: 'text', text: 'x' },
          { type: 'image', url: null },
        ],
      },
      { ...base, content: [{ type: 'text' }] },
      { ...base, content: [{ type: 'sound' }] },
      { ...base, content: null },
      { ...base, speed: null },
      { ...base, speed: 'fast' },
      { ...base, speed: 'none' },
      { ...base, tool: { a: true, n: 1 } },
      { ...base, tool: { a: true, n: 0 } },
      { ...base, tool: { b: null } },
      { ...base, tool: { b: 1 } },
      { ...base, tool: {} },
    ];
    expect(bodies.map((body) => printed(body))).toEqual(bodies.map((body) => own.check(body)));
    expect(new Set(bodies.map((body) => own.check(body))).size).toBe(2);
  });
});
