// The path of a field in the words of another format: the first member alone, and nothing that only begins alike.
import { inWordsOf } from './field-names.js';

const NAMES = { messages: 'input', max_tokens: 'max_output_tokens' };

it.each([
  ['max_tokens', 'max_output_tokens'],
  ['messages.3.content.0', 'input.3.content.0'],
  ['messages', 'input'],
  ['messages_', 'messages_'],
  ['tools.0.messages', 'tools.0.messages'],
  ['temperature', 'temperature'],
  ['', ''],
  ['toString', 'toString'],
  ['__proto__.x', '__proto__.x'],
])('%s is %s', (path, name) => {
  expect(inWordsOf(NAMES, path)).toBe(name);
  expect(inWordsOf(undefined, path)).toBe(path);
});
