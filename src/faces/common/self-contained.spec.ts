// A body whose conversation is not entirely in `messages` is refused: every such field in any case and with white
// space, and values without effect.
import { GatewayError } from '../../core/errors.js';
import type { Json } from '../../core/json/json.js';
import { assertSelfContained, CONVERSATION_FIELDS } from './self-contained.js';

function refusalOf(field: string, value: Json): GatewayError | undefined {
  try {
    assertSelfContained({ owl: 1, [field]: value });
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

it.each([...CONVERSATION_FIELDS.keys()])('%s', (field) => {
  for (const name of [field, field.toUpperCase(), ` ${field}`])
    expect(refusalOf(name, { id: 'x' })).toMatchObject({ kind: 'invalid-request' });
  expect(refusalOf(field, 'x')!.message).toMatch(new RegExp(`^${field}: .*messages?\\b|^${field}: .*system prompt`));
  for (const nothing of [null, '', [], {}]) expect(refusalOf(field, nothing)).toBeUndefined();
});

it('names the field of the caller’s own format', () => {
  for (const field of ['thread', 'previous_message_id', 'prompt'])
    expect(() => assertSelfContained({ [field]: 'x' }, 'input')).toThrow(/send (?:all of it|their text) in input$/);
});

it('reports a thread as the clients that start threads read it', () => {
  expect(refusalOf('thread', { type: 'create' })!.detail.details).toEqual({
    error_code: 'thread_unsupported_request',
    unsupported: ['thread'],
  });
  expect(refusalOf('conversation', 'c')!.detail.details).toBeUndefined();
});

it('refuses no other field', () => {
  for (const field of ['threads', 'toString', '__proto__', 'prompt_cache_key', 'container', 'documents', 'metadata'])
    expect(refusalOf(field, 'x')).toBeUndefined();
});
