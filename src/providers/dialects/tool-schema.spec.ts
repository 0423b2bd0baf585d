import { withObjectType } from './tool-schema.js';

it('leaves a schema that says its type as it is', () => {
  const schema = { type: 'object', required: ['a'], properties: { a: {} } };
  expect(withObjectType(schema)).toBe(schema);
});

it('says a type that is missing', () => {
  expect(withObjectType({ required: [] })).toEqual({ type: 'object', required: [] });
});

it('says nothing of what is required where null was said, and leaves the caller’s own object alone', () => {
  const schema = { properties: { required: null }, required: null };
  expect(withObjectType(schema)).toEqual({ type: 'object', properties: { required: null } });
  expect(schema).toHaveProperty('required', null);
});
