/**
 * Equal parts of schemas are compiled once, and judge as they would inline. Schemas of some fields, and the schemas
 * compiled under a name.
 */
import { Type, type TSchema } from '@sinclair/typebox';
import {
  closed,
  compile,
  flag,
  integer,
  list,
  nullable,
  oneOf,
  optional,
  text,
  unsupported,
  variant,
} from './schema.js';
import { SharedSchemas } from './shared-schemas.js';

const person = () =>
  Type.Object({ name: Type.String(), age: Type.Number(), tags: Type.Array(Type.String()), is: Type.Boolean() });
const references = (schema: unknown): string[] =>
  [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)].map(String);

function sharing(staysInPlace: (schema: TSchema) => boolean = () => false) {
  const added: [string, TSchema][] = [];
  const shared = new SharedSchemas((schema, name) => added.push([name, schema]), staysInPlace);
  return { shared, added };
}

it('refers to parts that are used twice, within one schema and in a later one', () => {
  const { shared, added } = sharing();
  const first = shared.share(Type.Object({ one: person(), other: person() }));
  const later = shared.share(Type.Array(person()));
  expect([references(first).length, references(later).length, added.length]).toEqual([2, 1, 1]);
});

it('keeps inline what is used once, what is small, and what has to stay', () => {
  const { shared, added } = sharing((schema) => schema['title'] === 'stays');
  const small = () => Type.Object({ name: Type.String() });
  const staying = () => ({ ...person(), title: 'stays' });
  const schema = Type.Object({ once: person(), a: small(), b: small() });
  expect(shared.share(schema)).toEqual(schema);
  expect(references(shared.share(Type.Object({ one: staying(), other: staying() })))).toEqual([]);
  expect(added).toEqual([]);
});

it('separates schemas that differ in a field, even one named like an annotation, but not by their annotations', () => {
  const { shared } = sharing();
  const about = (description: string) => ({ ...person(), description });
  const withField = (field: TSchema) => Type.Object({ ...person().properties, description: field });
  expect(references(shared.share(Type.Object({ a: about('one'), b: about('other') })))).toHaveLength(2);
  const differing = Type.Object({ a: withField(Type.String()), b: withField(Type.Number()) });
  expect(references(shared.share(differing))).toEqual([]);
});

it('does not change the given schema', () => {
  const schema = Type.Object({ one: person(), other: person() });
  const before = JSON.stringify(schema);
  sharing().shared.share(schema);
  expect(JSON.stringify(schema)).toBe(before);
});

describe('compiled', () => {
  const fields = () => ({
    a: integer({ max: 3 }),
    b: optional(flag()),
    c: text(),
    d: oneOf(['x', 'y']),
    e: list(text()),
  });
  const choice = () => variant('type', { one: fields(), other: { ...fields(), f: nullable(text()) } });
  const schema = compile(
    closed({ first: optional(choice()), second: optional(list(choice())), third: optional(choice()) }),
  );
  const good = { type: 'other', a: 1, c: '', d: 'x', e: [], f: null };

  it.each<[string, unknown, string | undefined]>([
    ['what fits', { first: good, second: [good], third: good }, undefined],
    ['a value', { third: { ...good, a: 4 } }, 'third.a must be at most 3'],
    ['one in a list', { second: [good, { ...good, e: ['', 1] }] }, 'second.1.e.1 must be a string'],
    ['a missing field', { third: { type: 'one' } }, 'third.a is required'],
    ['a stranger', { second: [{ type: 'none' }] }, 'second.0.type must be one of one, other; did you mean one?'],
    ['an unknown field', { secund: [] }, 'secund is not a known field; did you mean second?'],
  ])('judges %s', (_what, value, expected) => {
    const fault = schema.fault(value);
    expect(fault && `${fault.path} ${fault.reason}`).toBe(expected);
  });

  it('suggests no field whose every use is refused, however often it occurs', () => {
    const refused = () =>
      optional(unsupported(closed({ a: flag(), b: flag(), c: flag(), d: flag(), e: flag(), f: flag() })));
    const schema = compile(closed({ first: refused(), second: refused() }));
    expect(schema.fault({ secon: 1 })?.reason).not.toContain('second');
  });
});
