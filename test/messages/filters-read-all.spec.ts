/**
 * Checks that content filters read everything that any dialect sends, and that nothing they find is sent. One marked
 * word stands as each text, as a new key of each object and as a number there, one after the other, in bodies of both
 * faces with unknown fields; the encoded bodies of both dialects are searched for the mark.
 */
import { compilePattern } from '../../src/guardrails/custom-pattern.js';
import { inspectorOf } from '../support/inspector-of.js';
import { sentOf } from '../support/sent-bodies.js';
import { CreateChatDto } from '../../src/faces/chat/create-chat.dto.js';
import { readRequest as readChat } from '../../src/faces/chat/read-request.js';
import type { ModelRequest } from '../../src/core/conversation/request.js';
import { CreateMessageDto } from '../../src/faces/messages/create-message.dto.js';
import { readRequest as readMessages } from '../../src/faces/messages/read-request.js';
import { readBody } from '../../src/shared/http/dto.pipe.js';

const WORD = 'SECRET-7';
const NUMBER = 7_777_777_777;
const MARK = /SECRET|7{10}/;

const unknown = { note: ['n', { of: 'any' }] };
const MESSAGES = {
  model: 'm',
  max_tokens: 64,
  system: [{ type: 'text', text: 's', ...unknown }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'u', ...unknown },
        { type: 'image', source: { type: 'url', url: 'https://images.test/a.png', ...unknown } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'd' }, title: 't', context: 'c' },
        { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'r' }] },
      ],
      ...unknown,
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'c2ln', ...unknown },
        { type: 'text', text: 'a', citations: [{ type: 'char_location', cited_text: 'q', document_index: 0, document_title: 't', start_char_index: 0, end_char_index: 1 }] },
        { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'q' } },
        { type: 'web_fetch_tool_result', tool_use_id: 'srv_1', content: { type: 'web_fetch_result', url: 'u', content: { source: { type: 'text', data: 'd' } } } },
        { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'x', more: [{ type: 'text', text: 'y' }] }, ...unknown },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'r', ...unknown }], ...unknown },
        { type: 'text', text: 'more' },
      ],
    },
  ],
  tools: [
    {
      name: 'look',
      description: 'd',
      input_schema: { type: 'object', properties: { at: { type: 'string', description: 'd', enum: ['x'], default: 'x' } }, required: ['at'] },
      input_examples: [{ at: 'x' }],
      ...unknown,
    },
  ],
  tool_choice: { type: 'tool', name: 'look', ...unknown },
  thinking: { type: 'enabled', budget_tokens: 2048, ...unknown },
  output_config: { format: { type: 'json_schema', schema: { type: 'object', description: 'd' } }, ...unknown },
  context_management: { edits: [{ type: 'compact_20260112', instructions: 'i' }] },
  metadata: { user_id: 'u', ...unknown },
  stop_sequences: ['END'],
  user: 'who',
  prediction: { type: 'content', content: 'p' },
  mcp_servers: [{ type: 'url', url: 'https://mcp.test', name: 'n' }],
  ...unknown,
}; // oxfmt-ignore

const CHAT = {
  model: 'm',
  messages: [
    { role: 'system', content: 's', name: 'n' },
    {
      role: 'user',
      name: 'n',
      content: [
        { type: 'text', text: 'u' },
        { type: 'image_url', image_url: { url: 'https://images.test/a.png', detail: 'low' } },
        { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,YQ==' } },
      ],
    },
    {
      role: 'assistant',
      content: 'a',
      reasoning_details: [{ type: 'reasoning.text', text: 'a', signature: 'b', format: 'anthropic-claude-v1', id: 'c' }],
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"x","deep":["y"]}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'r' },
    { role: 'user', content: 'more' },
  ],
  tools: [{ type: 'function', function: { name: 'look', description: 'd', parameters: { type: 'object', properties: { at: { type: 'string' } } } } }],
  tool_choice: { type: 'function', function: { name: 'look' } },
  response_format: { type: 'json_schema', json_schema: { name: 'a', description: 'b', schema: { type: 'object', title: 't' } } },
  user: 'who',
  metadata: { a: 'b' },
  stop: ['END'],
  seed: 7,
  logit_bias: { '50256': -100 },
  prompt_cache_key: 'k',
  prediction: { type: 'content', content: 'p' },
  ...unknown,
}; // oxfmt-ignore

type Change = (holder: Record<string, unknown>) => void;

/** One change for each text of a body, and two for each object of it. */
function changesOf(value: unknown, path: readonly string[] = []): { readonly at: string; readonly make: Change }[] {
  const set =
    (key: string, to: unknown): Change =>
    (body) => {
      let holder = body;
      for (const step of path) holder = holder[step] as Record<string, unknown>;
      holder[key] = to;
    };
  const name = path.join('.');
  return Object.entries(value as object).flatMap(([key, member], index) => {
    const changes = [];
    if (index === 0 && !Array.isArray(value)) {
      changes.push({ at: `${name}: a key`, make: set(WORD, 1) }, { at: `${name}: a number`, make: set('n', NUMBER) });
    }
    if (typeof member === 'string') {
      changes.push({ at: `${name}.${key}`, make: set(key, `${WORD} ${member}`) });
      if (key === 'arguments') {
        changes.push({ at: `${name}.${key}: escaped`, make: set(key, '{"a":"\\u0053ECRET-7"}') });
        changes.push({ at: `${name}.${key}: twice`, make: set(key, `{"a":"${WORD}","a":"x"}`) });
      }
    } else if (typeof member === 'object' && member !== null) {
      changes.push(...changesOf(member, [...path, key]));
    }
    return changes;
  });
}

const inspector = inspectorOf([
  {
    guardrailId: 'g',
    guardrailScope: 'api-key',
    stage: 'content-filter',
    action: 'redact',
    label: 'mark',
    reads: 'everybody',
    matcher: compilePattern('SECRET-\\d+|7{10}'),
  },
]);

describe.each([
  ['messages', MESSAGES, (body: object) => readMessages(readBody(body, CreateMessageDto), { betas: [] })],
  ['chat', CHAT, (body: object) => readChat(readBody(body, CreateChatDto), { betas: [] })],
] as const)('a body of %s', (_, whole, read) => {
  it('is sent by both dialects, and holds nothing that is found', async () => {
    const request = read(structuredClone(whole));
    expect((await inspector.inspect(request)).stages).toEqual([]);
    expect(sentOf(request)).not.toBe('');
  });

  it('sends no mark from any position', async () => {
    let sentMarks = 0;
    for (const { at, make } of changesOf(whole)) {
      const body = structuredClone(whole) as Record<string, unknown>;
      make(body);
      let request: ModelRequest;
      try {
        request = read(body);
      } catch {
        // The gateway refuses such a body.
        continue;
      }
      const isSent = MARK.test(sentOf(request));
      if (isSent) sentMarks++;
      const { request: inspected, blocked } = await inspector.inspect(request);
      const leaks = blocked === undefined && MARK.test(sentOf(inspected));
      expect([at, leaks]).toEqual([at, false]);
    }
    // Most marks are sent: otherwise the test would show nothing.
    expect(sentMarks).toBeGreaterThan(40);
  });
});
