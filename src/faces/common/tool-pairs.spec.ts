// Short conversations, written as turns: a call without its result, and a result without its call, are refused by name
// before a call is sent (docs/contribute/reasons/translation.md#calls-without-results).
import type { ContentBlock, Message } from '../../core/conversation/content.js';
import { assertToolPairs, type ToolPairMessages } from './tool-pairs.js';

const WORDS: ToolPairMessages = {
  field: 'id',
  unmatched: (id) => `no call ${id}`,
  unanswered: (id) => `no result ${id}`,
  duplicate: (id) => `${id} is called twice`,
  answeredTwice: (id) => `${id} is answered twice`,
};

const user = (...content: ContentBlock[]): Message => ({ role: 'user', content });
const assistant = (...content: ContentBlock[]): Message => ({ role: 'assistant', content });
const text = { type: 'text', text: 'a' } as const;
const system: Message = { role: 'system', content: [text] };
const use = (id: string) => ({ type: 'tool-use', id, name: 'f', input: {} }) as const;
const result = (toolUseId: string) => ({ type: 'tool-result', toolUseId, content: [] }) as const;
const serverUse = (id: string) =>
  ({
    type: 'opaque',
    opaque: { vendor: 'anthropic', value: { type: 'server_tool_use', id, name: 'web_search' } },
  }) as const;

const dangling = (path: string, id: string): string => `${path}: no result ${id}`;
const unmatched = (path: string, id: string): string => `${path}.id: no call ${id}`;

describe('assertToolPairs', () => {
  it.each<[string, Message[]]>([
    ['no tools', [user(text), assistant(text)]],
    ['one pair', [user(text), assistant(use('t1')), user(result('t1'))]],
    ['parallel calls in any order', [assistant(use('t1'), use('t2')), user(text, result('t2'), result('t1'))]],
    ['results over several user messages', [assistant(use('t1'), use('t2')), user(result('t1')), user(result('t2'))]],
    [
      'calls over several assistant messages',
      [assistant(use('t1')), assistant(use('t2')), user(result('t1'), result('t2'))],
    ],
    ['a system message between', [assistant(use('t1')), system, user(result('t1'))]],
    [
      'two rounds with the same id',
      [assistant(use('t1')), user(result('t1')), assistant(use('t1')), user(result('t1'))],
    ],
    ['a call that the vendor answers', [user(text), assistant(serverUse('s1'), text)]],
    ['a result of a call that the vendor began', [assistant(serverUse('s1')), user(result('s1'))]],
  ])('accepts %s', (_name, messages) => {
    expect(() => assertToolPairs(messages, WORDS)).not.toThrow();
  });

  it.each<[string, Message[], string]>([
    ['no result', [assistant(use('t1')), user(text)], dangling('messages.0.content.0', 't1')],
    [
      'one of two results',
      [assistant(text, use('t1'), use('t2')), user(result('t2'))],
      dangling('messages.0.content.1', 't1'),
    ],
    ['text only', [assistant(use('t1')), user(text)], dangling('messages.0.content.0', 't1')],
    ['a call at the end', [user(text), assistant(use('t1'))], dangling('messages.1.content.0', 't1')],
    [
      'a result one turn late',
      [assistant(use('t1')), user(text), assistant(text), user(result('t1'))],
      dangling('messages.0.content.0', 't1'),
    ],
    ['a result of nothing', [user(result('t9'))], unmatched('messages.0.content.0', 't9')],
    [
      'a result of an earlier turn',
      [assistant(use('t1')), user(result('t1')), assistant(text), user(text, result('t1'))],
      unmatched('messages.3.content.1', 't1'),
    ],
    [
      'a call whose turn was joined from several messages',
      [{ ...assistant(text, use('t1')), paths: ['messages.4.content', 'messages.4.tool_calls.0'] }],
      dangling('messages.4.tool_calls.0', 't1'),
    ],
    [
      'two results of one call',
      [assistant(use('t1')), user(result('t1'), text, result('t1'))],
      'messages.1.content.2.id: t1 is answered twice',
    ],
    [
      'two results of one call, in two messages',
      [assistant(use('t1')), user(result('t1')), user(result('t1'))],
      'messages.2.content.0.id: t1 is answered twice',
    ],
    [
      'two results of a call that the vendor began',
      [assistant(serverUse('s1')), user(result('s1'), result('s1'))],
      'messages.1.content.1.id: s1 is answered twice',
    ],
    [
      'two calls of one id in a turn',
      [assistant(use('t1')), assistant(text, use('t1')), user(result('t1'))],
      'messages.1.content.1: t1 is called twice',
    ],
    ['a long id', [user(result('x'.repeat(100)))], unmatched('messages.0.content.0', `${'x'.repeat(64)}…`)],
  ])('refuses %s', (_name, messages, message) => {
    expect(() => assertToolPairs(messages, WORDS)).toThrow(message);
  });
});
