// A chat body becomes the neutral request that it describes, and what cannot be expressed is refused by name: tables of
// bodies and the parts of the neutral request that they become.
import 'reflect-metadata';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { RequestHeaders } from '../common/read-headers.js';
import { readBody } from '../../shared/http/dto.pipe.js';
import { CreateChatDto } from './create-chat.dto.js';
import { hidesReasoning, readRequest } from './read-request.js';

const dtoOf = (more: object): CreateChatDto =>
  readBody({ model: 'm', messages: [{ role: 'user', content: 'a' }], ...more }, CreateChatDto);
const read = (more: object, headers: RequestHeaders = { betas: [] }): ModelRequest => readRequest(dtoOf(more), headers);
const readAll = (...messages: object[]): ModelRequest => read({ messages });
const text = (words: string) => ({ type: 'text', text: words });

it('contains nothing that the body does not', () => {
  expect(read({})).toEqual({
    model: 'm',
    system: [],
    messages: [{ role: 'user', content: [text('a')], paths: ['messages.0.content'] }],
    fieldNames: {
      system: 'messages',
      stop_sequences: 'stop',
      thinking: 'reasoning',
      max_tokens: 'max_completion_tokens',
    },
    stream: false,
    sampling: {},
    tools: [],
    preferences: {},
    plugins: [],
    betas: [],
  });
});

it.each<[string, object, object]>([
  ['the newer limit', { max_tokens: 5, max_completion_tokens: 6 }, { maxOutputTokens: 6 }],
  ['the limit of tools', { max_tool_calls: 5 }, { maxToolCalls: 5 }],
  ['the older limit', { max_tokens: 5 }, { maxOutputTokens: 5 }],
  ['one stop', { stop: 'a' }, { stopSequences: ['a'] }],
  ['an effort', { reasoning_effort: 'high' }, { effort: 'high' }],
  ['the same effort twice', { reasoning_effort: 'low', reasoning: { effort: 'low' } }, { effort: 'low' }],
  ['a budget', { reasoning: { max_tokens: 2000 } }, { thinking: { type: 'enabled', budgetTokens: 2000 } }],
  ['reasoning at all', { reasoning: { enabled: true } }, { thinking: { type: 'adaptive' } }],
  ['reasoning with an effort', { reasoning: { enabled: true, effort: 'low' } }, { effort: 'low' }],
  ['no reasoning', { reasoning: { enabled: false } }, { thinking: { type: 'disabled' } }],
  ['a summary of reasoning', { reasoning: { summary: 'concise' } }, { reasoningSummary: 'concise' }],
  ['the verbosity', { verbosity: 'low' }, { verbosity: 'low' }],
  ['the wish to see what is sent', { debug: { echo_upstream_body: true }, stream: true }, { echoesUpstreamBody: true }],
  ['one model after another', { models: ['b'] }, { fallbackModels: { models: ['b'], onRefusal: false } }],
  ['where to go', { provider: { order: ['p'] }, route: 'sort' }, { preferences: { order: ['p'], partition: 'none' } }],
  ['search by suffix', { model: 'm:online' }, { plugins: [{ id: 'web' }] }],
  ['transforms', { transforms: ['middle-out'] }, { plugins: [{ id: 'context-compression' }] }],
  ['no transforms', { transforms: [] }, { plugins: [{ id: 'context-compression', enabled: false }] }],
  ['a session', { session_id: 's', prompt_cache_key: 'k' }, { sessionId: 's', promptCacheKey: 'k' }],
  ['a key of the cache', { prompt_cache_key: 'k' }, { sessionId: 'k', promptCacheKey: 'k' }],
  ['a JSON schema', { response_format: { type: 'json_schema', json_schema: { name: 'n', strict: true } } }, { outputFormat: { type: 'json-schema', name: 'n', schema: {}, strict: true } }],
  ['JSON', { response_format: { type: 'json_object' } }, { outputFormat: { type: 'json-object' } }],
  ['what is not known', { store: true }, { extras: { vendor: 'openai', value: { store: true } } }],
  ['a tool', { tools: [{ type: 'function', function: { name: 'f', description: null } }] }, { tools: [{ type: 'function', name: 'f', inputSchema: { type: 'object', properties: {} } }] }],
  ['a search by another name', { tools: [{ type: 'web_search', search_context_size: 'low' }] }, { tools: [{ type: 'service', id: 'openrouter:web_search', parameters: { search_context_size: 'low' } }] }],
  ['a search in OpenAI’s words', { tools: [{ type: 'web_search', filters: { allowed_domains: ['a.example'], blocked_domains: null }, max_uses: 2, parameters: { max_uses: 1, max_results: 3 } }] }, { tools: [{ type: 'service', id: 'openrouter:web_search', parameters: { allowed_domains: ['a.example'], max_uses: 2, max_results: 3 } }] }],
  ['a search with a marker', { tools: [{ type: 'web_search', max_uses: 2, cache_control: { type: 'ephemeral', ttl: '1h' } }] }, { tools: [{ type: 'service', id: 'openrouter:web_search', parameters: { max_uses: 2 }, cacheMarker: { ttl: '1h' } }] }],
  ['a tool of the gateway with a marker', { tools: [{ type: 'openrouter:datetime', cache_control: { type: 'ephemeral' } }] }, { tools: [{ type: 'service', id: 'openrouter:datetime', parameters: {}, cacheMarker: {} }] }],
  ['a search by a field', { tools: [{ type: 'openrouter:datetime' }], web_search_options: { search_context_size: 'low', user_location: { type: 'approximate', approximate: { city: 'Kiel' } } } }, { tools: [{ type: 'service', id: 'openrouter:datetime', parameters: {} }, { type: 'service', id: 'openrouter:web_search', field: 'web_search_options', parameters: { search_context_size: 'low', user_location: { type: 'approximate', city: 'Kiel' } } }] }],
  ['a search by an empty field', { web_search_options: { user_location: null } }, { tools: [{ type: 'service', id: 'openrouter:web_search', field: 'web_search_options', parameters: {} }] }],
  ['a tool of the gateway', { tools: [{ type: 'openrouter:datetime', parameters: { timezone: 'UTC' } }] }, { tools: [{ type: 'service', id: 'openrouter:datetime', parameters: { timezone: 'UTC' } }] }],
  ['any tool', { tool_choice: 'required' }, { toolChoice: { type: 'any' } }],
  ['one tool', { tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: { type: 'function', function: { name: 'f' } } }, { toolChoice: { type: 'tool', name: 'f' } }],
  ['a search', { tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } }, { toolChoice: { type: 'tool', name: 'openrouter:web_search' } }],
  ['one call at a time', { parallel_tool_calls: false }, { parallelToolCalls: false }],
  ['sampling', { temperature: 0, top_a: 1, min_p: 0.5, seed: 3, logit_bias: { a: 1 }, top_logprobs: 2 }, { sampling: { temperature: 0, topA: 1, minP: 0.5, seed: 3, logitBias: { a: 1 }, topLogprobs: 2 } }],
  ['what the answer is made of', { modalities: ['image', 'text'], image_config: { size: '1K' } }, { modalities: ['image', 'text'], imageConfig: { size: '1K' } }],
  ['a marker', { cache_control: { type: 'ephemeral', ttl: '1h' } }, { cacheMarker: { ttl: '1h' } }],
  ['metadata', { metadata: { a: 'b' } }, { metadata: { vendor: 'openai', value: { a: 'b' } } }],
])('reads %s', (_what, body, request) => {
  expect(read(body)).toMatchObject(request);
}); // oxfmt-ignore

it.each<[object, object]>([
  [{ reasoning: { enabled: false, effort: 'high' } }, { thinking: { type: 'disabled' } }],
  [{ reasoning: { enabled: false, effort: 'none' } }, { thinking: { type: 'disabled' }, effort: 'none' }],
  [{ reasoning: { enabled: false, max_tokens: 5 } }, { thinking: { type: 'disabled' } }],
  [{ reasoning: { enabled: false, effort: 'high' }, reasoning_effort: 'low' }, { thinking: { type: 'disabled' } }],
  [{ reasoning: { effort: 'none', max_tokens: 5 } }, { effort: 'none' }],
])('takes %j for off', (body, wish) => {
  const { thinking, effort } = read(body);
  expect({ thinking, effort }).toEqual(wish);
});

it.each([
  { debug: { echo_upstream_body: true } },
  { debug: { echo_upstream_body: false }, stream: true },
  { debug: {}, stream: true },
  { modalities: [] },
])('reads nothing of %j', (body) => {
  const { stream: _stream, ...request } = read(body);
  const { stream: _none, ...plain } = read({});
  expect(request).toEqual(plain);
});

it('uses the session of the header, and hashes an overlong user', () => {
  expect(read({ prompt_cache_key: 'k' }, { betas: ['b'], sessionId: 'h' })).toMatchObject({
    sessionId: 'h',
    betas: ['b'],
  });
  expect(read({ user: 'u'.repeat(256) }).user).toBe('u'.repeat(256));
  expect(read({ user: 'u'.repeat(257) }).user).toMatch(/^[0-9a-f]{64}$/);
});

it.each<[object, boolean]>([
  [{}, false],
  [{ reasoning: { exclude: true } }, true],
  [{ include_reasoning: false }, true],
  [{ include_reasoning: false, reasoning: { exclude: false } }, false],
])('of %j hides reasoning: %s', (body, hidden) => {
  expect(hidesReasoning(dtoOf(body))).toBe(hidden);
});

it.each<[object, string]>([
  [{ reasoning_effort: 'low', reasoning: { effort: 'high' } }, 'reasoning_effort: contradicts reasoning.effort, which is high; send one of the two'],
  [{ modalities: ['audio'] }, 'modalities.0: this gateway answers in text and images only'],
  [{ response_format: { type: 'python' } }, 'response_format.type: python is offered by no provider here; send json_schema'],
])('refuses %j', (body, message) => {
  expect(() => read(body)).toThrow(message);
}); // oxfmt-ignore

describe('a conversation', () => {
  it('begins with its instructions; later ones keep their position', () => {
    const { system, messages } = readAll(
      { role: 'system', content: 'a' },
      { role: 'developer', content: [{ type: 'text', text: 'b', cache_control: { type: 'ephemeral' } }] },
      { role: 'system', content: '' },
      { role: 'user', content: 'c' },
      { role: 'system', content: 'd' },
    );
    expect(system).toEqual([text('a'), { ...text('b'), cacheMarker: {} }]);
    expect(messages).toEqual([
      { role: 'user', content: [text('c')], paths: ['messages.3.content'] },
      { role: 'system', content: [text('d')], paths: ['messages.4.content'] },
    ]);
  });

  it('joins the results of tools and the text after them into one turn', () => {
    const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{"a": 1}' } });
    const { messages } = readAll(
      { role: 'assistant', content: 'x', reasoning: 'r', tool_calls: [call('1'), call('2')] },
      { role: 'tool', tool_call_id: '1', content: 'one' },
      { role: 'tool', tool_call_id: '2', content: [text('two')] },
      { role: 'user', name: 'ada', content: [text('and')] },
      { role: 'user', content: 'more' },
    );
    const use = (id: string) => ({ type: 'tool-use', id, name: 'f', input: '{"a": 1}' });
    const result = (toolUseId: string, words: string) => ({ type: 'tool-result', toolUseId, content: [text(words)] });
    expect(messages).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'r' }, text('x'), use('1'), use('2')],
        paths: [
          'messages.0.reasoning_details',
          'messages.0.content',
          'messages.0.tool_calls.0',
          'messages.0.tool_calls.1',
        ],
      },
      {
        role: 'user',
        content: [result('1', 'one'), result('2', 'two'), text('and')],
        paths: ['messages.1', 'messages.2', 'messages.3.content.0'],
        origin: { vendor: 'openai', value: { role: 'user', name: 'ada', content: [text('and')] } },
      },
      { role: 'user', content: [text('more')], paths: ['messages.4.content'] },
    ]);
  });

  const file = (more: object) => ({ type: 'file', file: more });
  const image = (url: string) => ({ type: 'image_url', image_url: { url } });

  it.each<[string, object, object]>([
    ['a picture by address', image('HTTPS://a.test/b'), { type: 'image', source: { type: 'url', url: 'HTTPS://a.test/b' } }],
    ['a picture in bytes', image('data:image/PNG;charset=x;base64,AA,A'), { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA,A' } }],
    ['a PDF', file({ file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' }), { type: 'document', source: { type: 'base64', mediaType: 'application/pdf', data: 'AAAA' }, title: 'a.pdf' }],
    ['a PDF by address', file({ file_data: 'https://a.test/b.pdf' }), { type: 'document', source: { type: 'url', url: 'https://a.test/b.pdf' } }],
    ['a text file', file({ file_data: 'data:text/plain;base64,w6k=' }), { type: 'document', source: { type: 'text', text: 'é' } }],
    ['a stored file', file({ file_id: 'f' }), { type: 'document', source: { type: 'file', fileId: 'f' } }],
    ['sound', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }, { type: 'audio', data: 'AAAA', format: 'wav' }],
    ['film', { type: 'input_video', video_url: { url: 'https://a.test/v' } }, { type: 'video', source: { type: 'url', url: 'https://a.test/v' } }],
  ])('holds %s', (_what, part, block) => {
    expect(readAll({ role: 'user', content: [part] }).messages[0]!.content).toEqual([block]);
  }); // oxfmt-ignore

  it.each<[object, string]>([
    [image('ftp://a.test'), 'messages.0.content.0.image_url.url: must be an http or https address, or a data URL in base64'],
    [image('data:image/png,AA'), 'messages.0.content.0.image_url.url: must be an http or https address'],
    [image(''), 'messages.0.content.0.image_url.url: must be an http or https address'],
    [file({}), 'messages.0.content.0.file: needs file_data or file_id'],
    [file({ file_data: 'data:application/zip;base64,AAAA' }), 'messages.0.content.0.file.file_data: must be a PDF or a text, not application/zip'],
  ])('does not hold %j', (part, message) => {
    expect(() => readAll({ role: 'user', content: [part] })).toThrow(message);
  }); // oxfmt-ignore
});

describe('a phase handed back', () => {
  it.each([
    [{ content: 'x', phase: 'commentary' }, [{ type: 'text', text: 'x', phase: 'commentary' }]],
    [{ content: [{ type: 'text', text: 'x' }], phase: 'commentary' }, [{ type: 'text', text: 'x', phase: 'commentary' }]],
    [{ content: 'x', phase: 7 }, [{ type: 'text', text: 'x' }]],
  ])('is that of the texts: %j', (message, blocks) => {
    expect(readAll({ role: 'assistant', ...message }).messages[0]!.content).toEqual(blocks);
  }); // oxfmt-ignore
});

describe('reasoning handed back', () => {
  const detail = (more: object) => ({ type: 'reasoning.text', ...more });

  it.each<[string, object[], object[]]>([
    ['signed', [detail({ text: 'a', signature: 's' })], [{ type: 'thinking', thinking: 'a', signature: 's' }]],
    ['signed by another vendor', [detail({ text: 'a', signature: 's', format: 'google-gemini-v1' })], [{ type: 'thinking', thinking: 'a', signature: 's', mark: { format: 'google-gemini-v1' } }]],
    ['signed by Claude, sent by a provider', [detail({ text: 'a', signature: 's', format: 'anthropic-claude-v1', provider: 'p', id: 'i' })], [{ type: 'thinking', thinking: 'a', signature: 's', mark: { format: 'anthropic-claude-v1', provider: 'p', id: 'i' } }]],
    ['in pieces', [detail({ text: 'a', index: 0 }), detail({ text: 'b', index: 0 }), detail({ signature: 's', index: 0 }), detail({ text: 'c', index: 1 })], [{ type: 'thinking', thinking: 'ab', signature: 's' }, { type: 'thinking', thinking: 'c' }]],
    ['twice under one index', [detail({ text: 'a', signature: 's', index: 0 }), detail({ text: 'b', index: 0 })], [{ type: 'thinking', thinking: 'a', signature: 's' }, { type: 'thinking', thinking: 'b' }]],
    ['without an index', [detail({ text: 'a' }), detail({ text: 'b' })], [{ type: 'thinking', thinking: 'a' }, { type: 'thinking', thinking: 'b' }]],
    ['sealed', [{ type: 'reasoning.encrypted', data: 'd', format: 'anthropic-claude-v1' }], [{ type: 'redacted-thinking', data: 'd' }]],
    ['sealed by another vendor', [{ type: 'reasoning.encrypted', data: 'd', format: 'openai-responses-v1' }], [{ type: 'redacted-thinking', data: 'd', mark: { format: 'openai-responses-v1' } }]],
    ['in short', [{ type: 'reasoning.summary', summary: 'a' }], [{ type: 'thinking', thinking: 'a', mark: { format: 'unknown', isSummary: true } }]],
    ['in short, in pieces', [{ type: 'reasoning.summary', summary: 'a', index: 0, format: 'f' }, { type: 'reasoning.summary', summary: 'b', index: 0 }], [{ type: 'thinking', thinking: 'ab', mark: { format: 'f', isSummary: true } }]],
    ['of a kind that is not known', [{ type: 'reasoning.owl' }], []],
  ])('is read as it was: %s', (_what, reasoning_details, blocks) => {
    const { messages } = readAll({ role: 'assistant', content: 'x', reasoning: 'the same', reasoning_details });
    expect(messages[0]!.content.slice(0, -1)).toEqual(blocks);
  }); // oxfmt-ignore
});
