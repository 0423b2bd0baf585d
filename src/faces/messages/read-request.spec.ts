// Every field of a body reaches the neutral request, in its fields or as an extra. Bodies pass the pipe, and the whole
// request is compared; a table of header rules; one large body is timed.
import { computedMs, fastest } from '../../../test/support/cpu-time.js';
import 'reflect-metadata';
import { readBody } from '../../shared/http/dto.pipe.js';
import { FULL_BODY } from '../../../test/support/message-body.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { CreateMessageDto } from './create-message.dto.js';
import { readRequestHeaders, type RequestHeaders } from '../common/read-headers.js';
import { readRequest } from './read-request.js';

const BASE = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const read = (fields: object, headers: RequestHeaders = { betas: [] }): ModelRequest =>
  readRequest(readBody({ ...BASE, ...fields }, CreateMessageDto), headers);
const origin = (value: object) => ({ vendor: 'anthropic', value });
const opaque = origin;

describe('readRequest', () => {
  it('contains nothing that the caller did not send', () => {
    expect(read({})).toEqual({
      model: 'm',
      system: [],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }], origin: origin(BASE.messages[0]!) }],
      stream: false,
      sampling: {},
      tools: [],
      preferences: {},
      plugins: [],
      betas: [],
    });
  });

  it.each<[string, object, Partial<ModelRequest>]>([
    ['the limit of tools', { max_tool_calls: 7 }, { maxToolCalls: 7 }],
    ['the output limit', { max_tokens: 7 }, { maxOutputTokens: 7 }],
    ['sampling', { temperature: 0, top_p: 0.5, top_k: 3 }, { sampling: { temperature: 0, topP: 0.5, topK: 3 } }],
    ['stop sequences', { stop_sequences: ['a'] }, { stopSequences: ['a'] }],
    ['stream', { stream: true }, { stream: true }],
    ['instructions as text', { system: 'a' }, { system: [{ type: 'text', text: 'a' }] }],
    ['empty instructions', { system: '' }, { system: [] }],
    [
      'instructions as blocks',
      { system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] },
      {
        system: [
          {
            type: 'text',
            text: 'a',
            cacheMarker: {},
            origin: { vendor: 'anthropic', value: { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } } },
          },
        ],
      },
    ],
    ['the marker', { cache_control: { type: 'ephemeral', ttl: '1h' } }, { cacheMarker: { ttl: '1h' } }],
    [
      'thinking',
      { thinking: { type: 'enabled', budget_tokens: 9, display: 'omitted' } },
      { thinking: { type: 'enabled', budgetTokens: 9, display: 'omitted' } },
    ],
    ['adaptive thinking', { thinking: { type: 'adaptive', display: null } }, { thinking: { type: 'adaptive' } }],
    ['no thinking', { thinking: { type: 'disabled' } }, { thinking: { type: 'disabled' } }],
    ['none but between tools', { thinking: { type: 'between_tools' } }, { thinking: { type: 'disabled' } }],
    [
      'the tool choice',
      {
        tools: [{ name: 'a', input_schema: { type: 'object' } }],
        tool_choice: { type: 'tool', name: 'a', disable_parallel_tool_use: true },
      },
      { toolChoice: { type: 'tool', name: 'a' }, parallelToolCalls: false },
    ],
    [
      'any tool, several at once',
      { tool_choice: { type: 'any', disable_parallel_tool_use: false } },
      { toolChoice: { type: 'any' }, parallelToolCalls: true },
    ],
    ['no tool', { tool_choice: { type: 'none' } }, { toolChoice: { type: 'none' } }],
    ['effort', { output_config: { effort: 'max' } }, { effort: 'max' }],
    [
      'the output format',
      { output_config: { format: { type: 'json_schema', schema: { a: 1 } } } },
      { outputFormat: { type: 'json-schema', schema: { a: 1 } } },
    ],
    [
      'the task budget',
      { output_config: { task_budget: { type: 'tokens', total: 20000, remaining: 0 } } },
      { taskBudget: { totalTokens: 20000, remainingTokens: 0 } },
    ],
    [
      'a task budget without rest',
      { output_config: { task_budget: { type: 'tokens', total: 20000, remaining: null } } },
      { taskBudget: { totalTokens: 20000 } },
    ],
    [
      'context edits',
      { context_management: { edits: [] } },
      { contextManagement: { vendor: 'anthropic', value: { edits: [] } } },
    ],
    ['the user', { user: 'u' }, { user: 'u' }],
    [
      'metadata',
      { metadata: { user_id: 'u', other: 1 } },
      { metadata: { vendor: 'anthropic', value: { user_id: 'u', other: 1 } } },
    ],
    ['the tier and speed', { service_tier: 'flex', speed: 'fast' }, { serviceTier: 'flex', speed: 'fast' }],
    ['the place', { inference_geo: 'us' }, { inferenceGeo: 'us' }],
    ['the trace', { trace: { trace_id: 'a', other: [1] } }, { trace: { trace_id: 'a', other: [1] } }],
    ['models', { models: ['a', 'b'] }, { fallbackModels: { models: ['a', 'b'], onRefusal: false } }],
    ['fallbacks', { fallbacks: [{ model: 'a' }] }, { fallbackModels: { models: ['a'], onRefusal: true } }],
    [
      'models without fallbacks',
      { models: ['a'], fallbacks: null },
      { fallbackModels: { models: ['a'], onRefusal: false } },
    ],
    ['plugins', { plugins: [{ id: 'web', x: 1 }] }, { plugins: [{ id: 'web', x: 1 }] }],
    [
      'stop conditions',
      { stop_server_tools_when: FULL_BODY.stop_server_tools_when },
      {
        stopServerToolsWhen: [
          { type: 'step-count', stepCount: 1 },
          { type: 'tool-call', toolName: 'a' },
          { type: 'tokens-used', maxTokens: 1 },
          { type: 'cost', maxUsd: 0.5 },
          { type: 'finish-reason', reason: 'a' },
        ],
      },
    ],
    [
      'one stop condition',
      { stop_server_tools_when: { type: 'max_cost', max_cost_in_dollars: 2 } },
      { stopServerToolsWhen: [{ type: 'cost', maxUsd: 2 }] },
    ],
    [
      'unknown fields',
      { safeguards: [], container: 'c' },
      { extras: { vendor: 'anthropic', value: { safeguards: [], container: 'c' } } },
    ],
  ])('reads %s', (_name, fields, expected) => {
    expect(read(fields)).toMatchObject(expected);
  });

  it.each(['speed', 'fallbacks', 'context_management', 'provider', 'route'])('reads null %s as absent', (key) => {
    expect(read({ [key]: null })).toEqual(read({}));
  });

  it('takes the choice of a tool that a set of tools may hold', () => {
    const tools = [{ type: 'mcp_toolset', mcp_server_name: 'm' }];
    const choice = { type: 'tool', name: 'b' };
    expect(read({ tools, tool_choice: choice }).toolChoice).toMatchObject(choice);
    expect(() => read({ tool_choice: choice })).toThrow('tool_choice.name: b is no tool of this request');
  });

  it('refuses fallbacks beside models', () => {
    expect(() => read({ models: ['a'], fallbacks: [{ model: 'b' }] })).toThrow(
      'fallbacks: cannot be combined with models; send one of the two',
    );
  });

  it('refuses a dangling tool call', () => {
    expect(() =>
      read({ messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f' }] }] }),
    ).toThrow('messages.0.content.0: tool_use t1 has no tool_result');
  });

  it('reads provider preferences', () => {
    const { provider } = FULL_BODY;
    expect(read({ provider }).preferences).toEqual({
      allowFallbacks: true,
      dataCollection: 'deny',
      enforceDistillableText: true,
      ignore: ['a'],
      only: ['a'],
      order: ['a'],
      maxPrice: { prompt: '1', completion: '2.5', image: '1', audio: '1', request: '1' },
      quantizations: ['fp8'],
      requireParameters: true,
      sort: 'price',
      partition: 'none',
      zeroDataRetention: true,
      preferredMaxLatency: { p50: 1, p75: 1, p90: 1, p99: 1 },
      preferredMinThroughput: { p50: 1, p75: 1, p90: 1, p99: 1 },
    });
  });

  it.each<[object, object]>([
    [{ provider: { sort: 'latency' } }, { sort: 'latency' }],
    [{ provider: { sort: { by: null, partition: null } } }, {}],
    [{ route: 'fallback' }, { partition: 'model' }],
    [{ route: 'sort' }, { partition: 'none' }],
    [{ route: 'sort', provider: { sort: { partition: 'model' } } }, { partition: 'model' }],
    [{ provider: { preferred_max_latency: 2 } }, { preferredMaxLatency: { p50: 2 } }],
    [{ provider: { preferred_max_latency: { p90: 2, p50: null } } }, { preferredMaxLatency: { p90: 2 } }],
    [
      { provider: { max_price: { prompt: 1e-7, completion: 100, request: '0.10' } } },
      { maxPrice: { prompt: '0.0000001', completion: '100', request: '0.10' } },
    ],
    [
      { provider: { max_price: { prompt: 0, completion: 0.1 + 0.2 } } },
      { maxPrice: { prompt: '0', completion: '0.3' } },
    ],
  ])('reads %j as preferences', (fields, expected) => {
    expect(read(fields).preferences).toEqual(expected);
  });

  it('reads every kind of tool', () => {
    const custom = {
      name: 'f',
      description: 'd',
      strict: true,
      input_schema: { type: 'object', x: 1 },
      defer_loading: true,
    };
    const search = { type: 'web_search_20250305', name: 'web_search', cache_control: { type: 'ephemeral', ttl: '5m' } };
    const other = { type: 'memory_1', cache_control: 'odd' };
    const tools = [
      custom,
      search,
      other,
      { type: 'openrouter:datetime', cache_control: { type: 'ephemeral' } },
      { type: 'openrouter:new', parameters: { a: 1 }, cache_control: { type: 'ephemeral', ttl: '1h' } },
    ];
    expect(read({ tools }).tools).toEqual([
      {
        type: 'function',
        name: 'f',
        description: 'd',
        strict: true,
        inputSchema: custom.input_schema,
        origin: origin(custom),
      },
      { type: 'vendor', name: 'web_search', cacheMarker: { ttl: '5m' }, opaque: opaque(search) },
      { type: 'vendor', opaque: opaque(other) },
      { type: 'service', id: 'openrouter:datetime', parameters: {}, cacheMarker: {} },
      { type: 'service', id: 'openrouter:new', parameters: { a: 1 }, cacheMarker: { ttl: '1h' } },
    ]);
  });

  it('gives a tool schema without type its default', () => {
    const tool = { name: 'f', input_schema: { properties: {} }, input_examples: [1] };
    const input_schema = { type: 'object', properties: {} };
    expect(read({ tools: [tool] }).tools).toEqual([
      { type: 'function', name: 'f', inputSchema: input_schema, origin: origin({ ...tool, input_schema }) },
    ]);
  });

  it('reads the phase of a text, which then is passed on unchanged to no target', () => {
    const plain = { type: 'text', text: 'b', phase: '' };
    const message = { role: 'assistant', content: [{ type: 'text', text: 'a', phase: 'commentary' }, plain] };
    expect(read({ messages: [...BASE.messages, message] }).messages[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'text', text: 'a', phase: 'commentary' },
        { type: 'text', text: 'b', origin: origin(plain) },
      ],
    });
  });

  it('reads every block, each with its wire object', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    const linked = { type: 'image', source: { type: 'url', url: 'u' } };
    const text = { type: 'text', text: 'a', citations: null };
    const document = (source: object, rest: object = {}) => ({ type: 'document', source, ...rest });
    const pdf = document(
      { type: 'base64', media_type: 'application/pdf', data: 'AAAA' },
      { title: 't', context: null, citations: { enabled: true } },
    );
    const plain = document({ type: 'text', media_type: 'text/plain', data: 'words' });
    const blocks = document({ type: 'content', content: [text, linked] });
    const words = document({ type: 'content', content: 'words' });
    const file = document({ type: 'file', file_id: 'f' });
    const found = { type: 'search_result', source: 's', title: 't', content: [text], citations: {} };
    const reference = { type: 'tool_reference', tool_name: 'n' };
    const use = { type: 'tool_use', id: 'i', name: 'n', input: { __proto__x: 1 } };
    const serverUse = { type: 'server_tool_use', id: 's', name: 'n' };
    const thinking = { type: 'thinking', thinking: 'h', signature: 's' };
    const redacted = { type: 'redacted_thinking', data: 'd' };
    const result = {
      type: 'tool_result',
      tool_use_id: 'i',
      content: [text, image, pdf, found, reference],
      is_error: false,
      cache_control: { type: 'ephemeral' },
    };
    const assistant = { role: 'assistant', content: [thinking, redacted, use, serverUse] };
    const user = { role: 'user', content: [result, linked, plain, blocks, words, file] };
    const readText = { type: 'text', text: 'a', origin: origin(text) };
    const readLinked = { type: 'image', source: { type: 'url', url: 'u' }, origin: origin(linked) };
    expect(read({ messages: [assistant, user] }).messages).toEqual([
      {
        role: 'assistant',
        origin: origin(assistant),
        content: [
          { type: 'thinking', thinking: 'h', signature: 's', origin: origin(thinking) },
          { type: 'redacted-thinking', data: 'd', origin: origin(redacted) },
          { type: 'tool-use', id: 'i', name: 'n', input: use.input, origin: origin(use) },
          { type: 'opaque', opaque: opaque(serverUse), origin: origin(serverUse) },
        ],
      },
      {
        role: 'user',
        origin: origin(user),
        content: [
          {
            type: 'tool-result',
            toolUseId: 'i',
            isError: false,
            cacheMarker: {},
            origin: origin(result),
            content: [
              readText,
              {
                type: 'image',
                source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' },
                origin: origin(image),
              },
              {
                type: 'document',
                source: { type: 'base64', mediaType: 'application/pdf', data: 'AAAA' },
                title: 't',
                wantsCitations: true,
                origin: origin(pdf),
              },
              { type: 'search-result', source: 's', title: 't', content: [readText], origin: origin(found) },
              { type: 'tool-reference', toolName: 'n', origin: origin(reference) },
            ],
          },
          readLinked,
          { type: 'document', source: { type: 'text', text: 'words' }, origin: origin(plain) },
          { type: 'document', source: { type: 'blocks', blocks: [readText, readLinked] }, origin: origin(blocks) },
          {
            type: 'document',
            source: { type: 'blocks', blocks: [{ type: 'text', text: 'words' }] },
            origin: origin(words),
          },
          { type: 'document', source: { type: 'file', fileId: 'f' }, origin: origin(file) },
        ],
      },
    ]);
  });

  it('prefers the body to the header', () => {
    expect(read({ session_id: 'body' }, { sessionId: 'header', betas: [] }).sessionId).toBe('body');
    expect(read({}, { sessionId: 'header', betas: ['b'] })).toMatchObject({ sessionId: 'header', betas: ['b'] });
    expect(read({ session_id: '' })).not.toHaveProperty('sessionId');
  });

  it('validates and reads 400 messages in less than 5 ms', async () => {
    const body = {
      ...BASE,
      messages: Array.from({ length: 400 }, (_, index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: [{ type: 'text', text: 'x'.repeat(1000) }],
      })),
    };
    const once = (): void => void readRequest(readBody(body, CreateMessageDto), { betas: [] });
    // The first runs are slower: the code is compiled while they run.
    const some = (): number => Math.min(...Array.from({ length: 20 }, () => computedMs(once)));
    expect(await fastest(some, 5)).toBeLessThan(5);
  });
});

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

describe('readRequestHeaders', () => {
  it.each([
    [{}, { betas: [] }],
    [{ 'x-session-id': ' s ' }, { sessionId: 's', betas: [] }],
    [{ 'x-session-id': '' }, { betas: [] }],
    [{ 'x-session-id': 'x'.repeat(256) }, { sessionId: 'x'.repeat(256), betas: [] }],
    // As Node passes it: one character for each byte.
    [{ 'x-session-id': latin1('🌊'.repeat(256)) }, { sessionId: '🌊'.repeat(256), betas: [] }],
    [{ 'anthropic-beta': 'a, b,,', 'x-anthropic-beta': 'b,c' }, { betas: ['a', 'b', 'c'] }],
  ])('reads %j', (headers, expected) => {
    expect(readRequestHeaders(headers)).toEqual(expected);
  });

  it.each(['x'.repeat(257), latin1('🌊'.repeat(257))])('refuses a session id one character too long', (sessionId) => {
    expect(() => readRequestHeaders({ 'x-session-id': sessionId })).toThrow(
      'x-session-id: must be at most 256 characters',
    );
  });
});
