// A vendor's tools that callers run are offered to any model with the published names and arguments, which are listed
// here by type.
import { catalogOf } from '../../test/support/route-inputs.js';
import { VENDOR_FUNCTIONS } from './vendor-functions.js';

const setup = {
  catalog: catalogOf(),
  modelOf: () => {
    throw new Error('needs no model');
  },
};
const shown = (type: string) =>
  VENDOR_FUNCTIONS.find(({ types: [own] }) => own === type)!.offer({ type, parameters: {}, path: 'tools.0' }, setup);

it.each([
  ['bash_20250124', 'bash', ['command', 'restart'], undefined],
  [
    'text_editor_20250124',
    'str_replace_editor',
    ['command', 'path', 'file_text', 'old_str', 'new_str', 'insert_line', 'view_range'],
    ['command', 'path'],
  ],
])('hands %s to the caller as the function %s', (type, name, properties, required) => {
  const { runsAt, asFunction: function_ } = shown(type);
  expect([runsAt, function_.name]).toEqual(['caller', name]);
  expect(function_.inputSchema['type']).toBe('object');
  expect(Object.keys(function_.inputSchema['properties'] as object)).toEqual(properties);
  expect(function_.inputSchema['required']).toEqual(required);
});

it('offers the editor of January 2025 with its undo command', () => {
  expect(shown('text_editor_20250124').asFunction.inputSchema).toMatchObject({
    properties: { command: { enum: ['view', 'create', 'str_replace', 'insert', 'undo_edit'] } },
  });
});
