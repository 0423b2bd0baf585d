// Calls of tools that are no functions get items that can be sent back, whatever the model wrote.
import { callFields } from './tool-calls.js';

const patch = (json: string) => callFields({ type: 'apply_patch_call' }, json)['operation'];

describe('a patch', () => {
  const create = { type: 'create_file', path: 'a', diff: '+x' };

  it.each([
    ['its operation', { operation: create }, create],
    ['the operation itself', create, create],
    ['a deletion without a diff', { operation: { type: 'delete_file', path: 'a' } }, { type: 'delete_file', path: 'a' }],
  ])('is %s', (_, value, expected) => {
    expect(patch(JSON.stringify(value))).toEqual(expected);
  }); // oxfmt-ignore

  it.each([
    '{}',
    '{"operation":5}',
    '{"operation":{"type":"update_file","path":"a"}}',
    '{"operation":{"type":"cre',
    'words',
  ])('that is none cannot be applied, and keeps the words: %s', (json) => {
    expect(patch(json)).toEqual({ type: 'update_file', path: '', diff: json });
  });
});
