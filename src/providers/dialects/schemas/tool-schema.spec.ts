import { withObjectType } from './tool-schema.js';

it('leaves a schema with a type as it is', () => {
  const schema = { type: 'object', required: ['a'], properties: { a: {} } };
  expect(withObjectType(schema)).toBe(schema);
});

it('states a missing type', () => {
  expect(withObjectType({ required: [] })).toEqual({ type: 'object', required: [] });
});

it('removes null requirements, and leaves the caller’s own object unchanged', () => {
  const schema = { properties: { required: null }, required: null };
  expect(withObjectType(schema)).toEqual({ type: 'object', properties: { required: null } });
  expect(schema).toHaveProperty('required', null);
});

it('leaves out properties that are null, and names one type of several', () => {
  expect(withObjectType({ type: null, properties: null, title: 't' })).toEqual({ type: 'object', title: 't' });
  expect(withObjectType({ type: ['object', 'null'], properties: {} })).toEqual({ type: 'object', properties: {} });
});
