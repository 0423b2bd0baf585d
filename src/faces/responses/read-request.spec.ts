// A body of the responses format becomes the neutral request that it describes, and what cannot be expressed is refused
// by name: tables of bodies and the parts of the neutral request that they become.
import 'reflect-metadata';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { FunctionTool } from '../../core/conversation/tools.js';
import { readBody } from '../../shared/http/dto.pipe.js';
import type { RequestHeaders } from '../common/read-headers.js';
import { CreateResponseDto } from './create-response.dto.js';
import { readRequest } from './read-request.js';

const readWhole = (more: object, headers: RequestHeaders = { betas: [] }) =>
  readRequest(readBody({ model: 'm', input: 'a', ...more }, CreateResponseDto), headers);
const read = (more: object, headers?: RequestHeaders): ModelRequest => readWhole(more, headers).request;
const text = (words: string) => ({ type: 'text', text: words });
const user = (content: string) => ({ role: 'user', content });
const call = (id: string, more: object = {}) => ({
  type: 'function_call',
  call_id: id,
  name: 'f',
  arguments: '{"a": 1}',
  ...more,
});
const output = (id: string, words = 'r') => ({ type: 'function_call_output', call_id: id, output: words });
const use = (id: string, name = 'f', input: unknown = '{"a": 1}') => ({ type: 'tool-use', id, name, input });
const result = (id: string, words = 'r') => ({ type: 'tool-result', toolUseId: id, content: [text(words)] });

/** The turns without the paths of their blocks. */
const turnsOf = (...input: object[]) => read({ input }).messages.map(({ role, content }) => [role, ...content]);

it('contains nothing that the body does not', () => {
  expect(readWhole({})).toEqual({
    request: {
      model: 'm',
      system: [],
      messages: [{ role: 'user', content: [text('a')], paths: ['input'] }],
      fieldNames: { max_tokens: 'max_output_tokens', messages: 'input', system: 'instructions', thinking: 'reasoning' },
      stream: false,
      sampling: {},
      tools: [],
      preferences: {},
      plugins: [],
      betas: [],
    },
    forms: new Map(),
    lists: [],
  });
});

it.each<[string, object, object]>([
  ['the limit', { max_output_tokens: 5 }, { maxOutputTokens: 5 }],
  ['instructions', { instructions: 'i' }, { system: [text('i')] }],
  ['an effort and a summary', { reasoning: { effort: 'high', summary: 'auto' } }, { effort: 'high', reasoningSummary: 'auto' }],
  ['the older name of the summary', { reasoning: { generate_summary: 'concise' } }, { reasoningSummary: 'concise' }],
  ['a budget', { reasoning: { max_tokens: 2000 } }, { thinking: { type: 'enabled', budgetTokens: 2000 } }],
  ['no reasoning', { reasoning: { enabled: false } }, { thinking: { type: 'disabled' } }],
  ['models alone', { model: null, models: ['x', 'y'] }, { model: 'x', fallbackModels: { models: ['y'], onRefusal: false } }],
  ['models behind a model', { models: ['y'] }, { model: 'm', fallbackModels: { models: ['y'], onRefusal: false } }],
  ['a schema of the answer', { text: { format: { type: 'json_schema', name: 'n', schema: {}, strict: true } } }, { outputFormat: { type: 'json-schema', name: 'n', schema: {}, strict: true } }],
  ['JSON', { text: { format: { type: 'json_object' }, verbosity: 'low' } }, { outputFormat: { type: 'json-object' }, verbosity: 'low' }],
  ['truncation', { truncation: 'auto' }, { plugins: [{ id: 'context-compression' }] }],
  ['no truncation', { truncation: 'disabled' }, { plugins: [{ id: 'context-compression', enabled: false }] }],
  ['a session', { session_id: 's', prompt_cache_key: 'k' }, { sessionId: 's', promptCacheKey: 'k' }],
  ['a key of the cache', { prompt_cache_key: 'k' }, { sessionId: 'k', promptCacheKey: 'k' }],
  ['a user by the newer name', { safety_identifier: 'u' }, { user: 'u' }],
  ['metadata', { metadata: { a: 'b' } }, { metadata: { vendor: 'openai', value: { a: 'b' } } }],
  ['log probabilities', { include: ['message.output_text.logprobs'] }, { sampling: { logprobs: true } }],
  ['likely tokens of none', { top_logprobs: 0 }, { sampling: {} }],
  ['likely tokens, none of them', { top_logprobs: 0, include: ['message.output_text.logprobs'] }, { sampling: { logprobs: true, topLogprobs: 0 } }],
  ['likely tokens', { top_logprobs: 2 }, { sampling: { logprobs: true, topLogprobs: 2 } }],
  ['what is not known', { prompt_cache_options: { mode: 'explicit' } }, { extras: { vendor: 'openai-responses', value: { prompt_cache_options: { mode: 'explicit' } } } }],
  ['search by suffix', { model: 'm:online' }, { plugins: [{ id: 'web' }] }],
  ['a search', { tools: [{ type: 'web_search', search_context_size: 'low' }] }, { tools: [{ type: 'service', id: 'openrouter:web_search', parameters: { search_context_size: 'low' } }] }],
  ['a search that an agent offers by itself', { tools: [{ type: 'web_search', external_web_access: true, search_context_size: 'low' }] }, { tools: [{ type: 'service', id: 'openrouter:web_search', parameters: { search_context_size: 'low' }, isByDefault: true }] }],
  ['a search that may reach nothing', { tools: [{ type: 'web_search', external_web_access: false }] }, { tools: [] }],
  ['a tool of the vendor', { tools: [{ type: 'image_generation', size: 's' }] }, { tools: [{ type: 'vendor', opaque: { vendor: 'openai-responses', value: { type: 'image_generation', size: 's' } } }] }],
  ['tools among the items', { input: [{ type: 'additional_tools', tools: [{ type: 'function', name: 'f' }] }, user('a')] }, { tools: [{ type: 'function', name: 'f', inputSchema: { type: 'object', properties: {} } }] }],
  ['an effort among the items alone', { input: [{ type: 'configuration_update', reasoning: { effort: 'low' } }, user('a')] }, { effort: 'low' }],
  ['an effort among the items', { reasoning: { effort: 'high' }, input: [{ type: 'configuration_update', reasoning: { effort: 'low' } }, user('a')] }, { effort: 'low' }],
  ['a choice of a function', { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'f' }] }], tool_choice: { type: 'function', name: 'f', namespace: 'n' } }, { toolChoice: { type: 'tool', name: 'n__f' } }],
  ['a choice of a shell', { tools: [{ type: 'shell' }], tool_choice: { type: 'shell' } }, { toolChoice: { type: 'tool', name: 'shell' } }],
  ['a choice of a search', { tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search_preview' } }, { toolChoice: { type: 'tool', name: 'openrouter:web_search' } }],
  ['allowed tools', { tools: [{ type: 'custom', name: 'c' }, { type: 'function', name: 'f' }], tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'custom', name: 'c' }] } }, { toolChoice: { type: 'any', allowed: ['c'] } }],
])('reads %s', (_name, body, parts) => {
  expect(read(body)).toMatchObject(parts);
}); // oxfmt-ignore

it('reads files of earlier replies from annotations of their texts, and takes anything else for none', () => {
  const file = { type: 'file', file: { hash: 'a'.repeat(64), name: 'n', content: [text('f')] } };
  const said = (annotations: unknown) => ({
    role: 'assistant',
    content: [{ type: 'output_text', text: 'b', annotations }],
  });
  const filesOf = (annotations: unknown) => read({ input: [user('a'), said(annotations), user('c')] }).parsedFiles;
  const cited = { type: 'url_citation', url: 'https://a.test' };
  expect(filesOf([cited, file])).toEqual([{ hash: 'a'.repeat(64), name: 'n', content: [text('f')] }]);
  const broken = [null, 1, [], {}, [null], [1], [{ type: 'file' }], [{ type: 'file', file: null }], [cited]];
  const parts = [null, [null], [{ type: 'text' }], [{ type: 'image_url' }], [{ type: 'image_url', image_url: {} }]];
  const files = parts.map((content) => [{ type: 'file', file: { ...file.file, content } }]);
  for (const annotations of [...broken, ...files, [{ type: 'file', file: { ...file.file, hash: 5 } }]])
    expect([annotations, filesOf(annotations)]).toEqual([annotations, undefined]);
});

it('keeps the path of each tool whose index is not that of the body', () => {
  const pathsOf = (body: object) => read(body).tools.map((tool) => tool.path);
  const image = { type: 'image_generation' };
  const look = { type: 'function', name: 'look' };
  const members = [look, { type: 'custom', name: 'c' }];
  expect(pathsOf({ tools: [look, image, { type: 'shell' }] })).toEqual([undefined, undefined, undefined]);
  expect(pathsOf({ tools: [{ type: 'web_search', external_web_access: false }, image] })).toEqual(['tools.1']);
  const tools = [{ type: 'namespace', name: 'n', tools: members }, image, { type: 'openrouter:datetime' }];
  const input = [user('a'), { type: 'additional_tools', tools: [{ type: 'function', name: 'more' }] }, user('b')];
  expect(pathsOf({ tools, input })).toEqual([
    'tools.0.tools.0',
    'tools.0.tools.1',
    'tools.1',
    'tools.2',
    'input.1.tools.0',
  ]);
});

it('takes the latest definition of a function that items add again', () => {
  const named = (description: string, parts = {}) => ({ type: 'function', name: 'f', description, ...parts });
  const added = (tool: object) => ({ type: 'additional_tools', tools: [tool] });
  const other = { type: 'function', name: 'g' };
  const { tools } = read({
    tools: [named('one'), other],
    input: [added(named('two')), user('a'), added(named('three'))],
  });
  expect(tools.map((tool) => [(tool as FunctionTool).description, tool.path])).toEqual([
    ['three', 'input.2.tools.0'],
    [undefined, undefined],
  ]);
  const namespace = { type: 'namespace', name: 'n', tools: [named('one')] };
  const { name } = read({ tools: [namespace] }).tools[0] as FunctionTool;
  expect([...readWhole({ tools: [namespace] }).forms.keys()]).toEqual([name]);
  // A call of the later one is no member of the namespace.
  expect(readWhole({ tools: [namespace], input: [added({ ...named('two'), name }), user('a')] }).forms.size).toBe(0);
  // Within one list names are the provider's concern, as on the other routes.
  expect(read({ tools: [named('one'), named('two')] }).tools).toHaveLength(2);
  expect(() => read({ tools: [named('one')], input: [added({ type: 'custom', name: 'f' }), user('a')] })).toThrow(
    /^tools: two tools have the name f/,
  );
});

it('names a tool among the items by its path', () => {
  const broken = { type: 'function', name: 'f', parameters: { type: 'array' } };
  const added = { type: 'additional_tools', tools: [broken] };
  expect(() => read({ tools: [{ type: 'shell' }], input: [added, user('a')] })).toThrow(
    /^input\.0\.tools\.0\.parameters/,
  );
  const service = { type: 'openrouter:datetime', timezone: 'UTC' };
  expect(() => read({ input: [{ ...added, tools: [service] }, user('a')] })).toThrow(/^input\.0\.tools\.0/);
});

it.each([{ max_tokens: 2048 }, { enabled: false }])('an effort among the items replaces %j', (reasoning) => {
  const request = read({
    reasoning,
    input: [{ type: 'configuration_update', reasoning: { effort: 'high' } }, user('a')],
  });
  expect(request).toMatchObject({ effort: 'high' });
  expect(request).not.toHaveProperty('thinking');
});

it('takes the session of the header where the body has none', () => {
  expect(read({}, { betas: [], sessionId: 'h' }).sessionId).toBe('h');
  expect(read({ session_id: 'b' }, { betas: [], sessionId: 'h' }).sessionId).toBe('b');
});

it('reads a custom tool as a function of one text, and keeps the tool itself', () => {
  const tool = { type: 'custom', name: 'c', description: 'd', format: { type: 'grammar', syntax: 'lark', definition: 'start: x' } }; // oxfmt-ignore
  const { request, forms } = readWhole({ tools: [tool] });
  expect(request.tools).toEqual([
    {
      type: 'function',
      name: 'c',
      description: 'd\n\nThe input must match this lark grammar:\nstart: x',
      inputSchema: {
        type: 'object',
        properties: { input: { type: 'string', description: 'The whole input of the tool.' } },
        required: ['input'],
        additionalProperties: false,
      },
      takesText: true,
      origin: { vendor: 'openai-responses', value: tool },
    },
  ]);
  expect([...forms]).toEqual([['c', { type: 'custom_tool_call', name: 'c' }]]);
});

it.each(['shell', 'local_shell', 'apply_patch'])('reads %s as a function with its documented arguments', (type) => {
  const { request, forms } = readWhole({ tools: [{ type }] });
  expect(request.tools).toMatchObject([{ type: 'function', name: type, origin: { value: { type } } }]);
  expect([...forms]).toEqual([[type, { type: `${type}_call` }]]);
});

it('puts instructions first, and later ones at their position', () => {
  const input = [{ role: 'developer', content: 'd' }, user('a'), { role: 'system', content: 's' }];
  const { system, messages } = read({ instructions: 'i', input });
  expect(system).toEqual([text('i'), text('d')]);
  expect(messages.map(({ role }) => role)).toEqual(['user', 'system']);
});

it('joins the items of one reply into one turn, and their results behind it', () => {
  const reasoning = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 't' }] };
  const said = {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'b' }],
    phase: 'commentary',
  };
  expect(turnsOf(user('a'), reasoning, said, call('1'), call('2'), output('1'), output('2', 's'), user('c'))).toEqual([
    ['user', text('a')],
    ['assistant', { type: 'thinking', thinking: 't' }, { ...text('b'), phase: 'commentary' }, use('1'), use('2')],
    ['user', result('1'), result('2', 's'), text('c')],
  ]);
});

it.each<[string, object[], unknown[]]>([
  ['behind the user’s words', [call('1'), user('a'), output('1')], [['assistant', use('1')], ['user', result('1')], ['user', text('a')]]],
  ['one behind the user’s words', [call('1'), call('2'), output('1'), user('a'), output('2')], [['assistant', use('1'), use('2')], ['user', result('1'), result('2'), text('a')]]],
  ['in two turns', [call('1'), output('1'), call('2'), output('2')], [['assistant', use('1')], ['user', result('1')], ['assistant', use('2')], ['user', result('2')]]],
  ['of one id in two turns', [call('1'), output('1'), call('1'), output('1', 's')], [['assistant', use('1')], ['user', result('1')], ['assistant', use('1')], ['user', result('1', 's')]]],
])('puts results with their calls: %s', (_name, input, turns) => {
  expect(turnsOf(...input)).toEqual(turns);
}); // oxfmt-ignore

it('reads calls of client tools with their documented arguments, and keeps their items', () => {
  const items = [
    { type: 'custom_tool_call', call_id: '1', name: 'c', input: 'a"b' },
    { type: 'shell_call', call_id: '2', action: { commands: ['ls'] } },
    { type: 'local_shell_call', id: 'i3', call_id: '3', action: { type: 'exec', command: ['ls'], env: {} } },
    { type: 'apply_patch_call', call_id: '4', operation: { type: 'delete_file', path: 'p' } },
  ];
  const results = [
    { type: 'custom_tool_call_output', call_id: '1', output: 'o' },
    { type: 'shell_call_output', call_id: '2', output: [{ stdout: 's', stderr: '' }] },
    { type: 'local_shell_call_output', id: 'i3', output: 'l' },
    { type: 'apply_patch_call_output', call_id: '4', status: 'failed' },
  ];
  const kept = (item: object | undefined) => ({ origin: { vendor: 'openai-responses', value: item } });
  expect(turnsOf(...items, ...results)).toEqual([
    [
      'assistant',
      { ...use('1', 'c', '{"input":"a\\"b"}'), ...kept(items[0]) },
      { ...use('2', 'shell', '{"commands":["ls"]}'), ...kept(items[1]) },
      { ...use('3', 'local_shell', '{"command":["ls"],"env":{}}'), ...kept(items[2]) },
      { ...use('4', 'apply_patch', '{"operation":{"type":"delete_file","path":"p"}}'), ...kept(items[3]) },
    ],
    [
      'user',
      { ...result('1', 'o'), ...kept(results[0]) },
      { ...result('2', '[{"stdout":"s","stderr":""}]'), ...kept(results[1]) },
      { ...result('3', 'l'), ...kept(results[2]) },
      { ...result('4', 'failed'), ...kept(results[3]), isError: true },
    ],
  ]);
});

it.each<[object, unknown]>([
  [{ type: 'openrouter:datetime', status: 'completed' }, undefined],
  [{ type: 'web_search_call', id: 'srvtoolu_fl0', status: 'completed' }, undefined],
  [{ type: 'web_search_call', id: 'ws_1' }, { type: 'opaque', opaque: { vendor: 'openai-responses', value: { type: 'web_search_call', id: 'ws_1' } } }],
  [{ type: 'image_generation_call', result: '/9j/AA==' }, { type: 'image', source: { type: 'base64', mediaType: 'image/jpeg', data: '/9j/AA==' } }],
  [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 's' }] }, { type: 'thinking', thinking: 's', mark: { format: 'unknown', isSummary: true } }],
  [{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 't' }], signature: 'g', format: 'anthropic-claude-v1' }, { type: 'thinking', thinking: 't', signature: 'g' }],
  [{ type: 'reasoning', summary: [], encrypted_content: 'gAAAA' }, undefined],
])('reads the item %j', (item, block) => {
  expect(turnsOf(item, user('a'))).toEqual([...(block ? [['assistant', block]] : []), ['user', text('a')]]);
}); // oxfmt-ignore

it.each<[string, string]>([
  ['iVBORw0KGgoAAAANSUhEUg==', 'image/png'],
  ['iVBORw0KGgoAAAAN\nSUhEUg', 'image/png'],
  ['/9j_AA', 'image/jpeg'],
  ['R0lGODlhAQABAA==', 'image/gif'],
  ['UklGRiQAAABXRUJQ', 'image/webp'],
  ['data:image/avif;base64,AAAA', 'image/avif'],
])('reads the type of a picture from its bytes: %s', (data, mediaType) => {
  expect(turnsOf({ type: 'image_generation_call', result: data }, user('a'))[0]).toMatchObject(['assistant', { source: { mediaType } }]); // oxfmt-ignore
});

const NO_PICTURE = 'input.1.result: must be an http or https address, or a PNG, JPEG, WebP or GIF in base64';
const NO_MEDIA = 'input.1.result: must be an http or https address, or a data URL in base64';
it.each([
  ['hello', NO_PICTURE],
  ['ftp://a.test/a.png', NO_PICTURE],
  ['aGVsbG8=', NO_PICTURE],
  ['iVBORw', NO_PICTURE],
  ['data:image/png,abc', NO_MEDIA],
  ['data:', NO_MEDIA],
  ['https:a', NO_MEDIA],
])('refuses a picture that is none: %s', (result, message) => {
  expect(() => turnsOf(user('a'), { type: 'image_generation_call', result })).toThrow(message);
});

const PDF = 'JVBERi0=';
it.each<[object, object]>([
  [{ type: 'input_image', image_url: 'https://a.test/a.png', detail: 'low' }, { type: 'image', source: { type: 'url', url: 'https://a.test/a.png' }, detail: 'low' }],
  [{ type: 'input_image', image_url: 'data:image/png;base64,iVBO' }, { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'iVBO' } }],
  [{ type: 'input_file', file_data: PDF, filename: 'a.pdf' }, { type: 'document', source: { type: 'base64', mediaType: 'application/pdf', data: PDF }, title: 'a.pdf' }],
  [{ type: 'input_file', file_url: 'https://a.test/a.pdf' }, { type: 'document', source: { type: 'url', url: 'https://a.test/a.pdf' } }],
  [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }, { type: 'audio', data: 'AA==', format: 'wav' }],
  [{ type: 'input_video', video_url: 'https://a.test/a.mp4' }, { type: 'video', source: { type: 'url', url: 'https://a.test/a.mp4' } }],
])('reads the part %j', (part, block) => {
  expect(turnsOf({ role: 'user', content: [part] })).toEqual([['user', block]]);
}); // oxfmt-ignore

it.each<[object, string]>([
  [{ model: null }, 'model: is required; send model or models'],
  [{ model: '', models: [] }, 'model: is required; send model or models'],
  [{ input: [output('1')] }, 'input.0.call_id: no call before it has the id 1'],
  [{ input: [output('1'), call('1')] }, 'input.0.call_id: no call before it has the id 1'],
  [{ input: [call('1'), user('a')] }, 'input.0: call 1 has no output item after it; send its output or leave the call out'],
  [{ input: [call('1'), call('1'), output('1')] }, 'input.1: another call of this turn has the id 1; use a different id for each call'],
  [{ input: [call('1'), output('1'), output('1')] }, 'input.2.call_id: call 1 has an output already; send one output for each call'],
  [{ input: [{ role: 'developer', content: [{ type: 'input_image', image_url: 'https://a.test/a' }] }] }, 'input.0.content.0.type: must be input_text in instructions'],
  [{ input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] }, 'input.0.content.0.image_url: is required: the gateway keeps no files'],
  [{ input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'ftp://a' }] }] }, 'input.0.content.0.image_url: must be an http or https address, or a data URL in base64'],
  [{ input: [{ role: 'user', content: [{ type: 'input_file' }] }] }, 'input.0.content.0: needs file_data, file_url or file_id'],
  [{ tool_choice: { type: 'function', name: 'f' } }, 'tool_choice: chooses f, which is no tool of this request'],
  [{ tools: [{ type: 'function', name: 'f', parameters: { type: 'string' } }] }, 'tools.0.parameters.type: must be object, as the arguments of a tool are one'],
  [{ tools: [{ type: 'namespace', name: 'n', description: '', tools: [{ type: 'function', name: 'f', parameters: { anyOf: [{ type: 'null' }] } }] }] }, 'tools.0.tools.0.parameters.anyOf: must allow an object, as the arguments of a tool are one'],
  [{ tools: [{ type: 'openrouter:datetim' }] }, 'tools.0.type: is not a known type; did you mean openrouter:datetime?'],
  [{ modalities: ['audio'] }, 'modalities.0: this gateway answers in text and images only'],
  [{ text: { format: { type: 'grammar' } } }, 'text.format.type: grammar is offered by no provider here; send json_schema'],
])('refuses %j', (body, message) => {
  expect(() => read(body)).toThrow(message);
}); // oxfmt-ignore

describe('items of a call and its output', () => {
  const item = (type: string, more: object) => ({ type, call_id: 'c', ...more });
  const outputs: Readonly<Record<string, object>> = {
    function_call_output: item('function_call_output', { output: 'r' }),
    custom_tool_call_output: item('custom_tool_call_output', { output: 'r' }),
    shell_call_output: item('shell_call_output', { output: [{ stdout: 'r', stderr: '' }] }),
  };
  const calls: readonly (readonly [string, object, string])[] = [
    ['function', item('function_call', { name: 'f', arguments: '{}' }), 'function_call_output'],
    ['custom tool', item('custom_tool_call', { name: 'f', input: 'x' }), 'custom_tool_call_output'],
    ['custom tool of a namespace', item('custom_tool_call', { name: 'f', namespace: 'n', input: 'x' }), 'function_call_output'],
    ['shell', item('shell_call', { action: { commands: ['ls'] } }), 'shell_call_output'],
  ]; // oxfmt-ignore

  it.each(calls)('keep their own form together or not at all: %s', (_, call, own) => {
    for (const [type, answer] of Object.entries(outputs)) {
      const { messages } = read({ input: [call, answer] });
      const kept = messages.flatMap(({ content }) => content.map((block) => 'origin' in block));
      expect([type, kept]).toEqual([
        type,
        type === own && own !== 'function_call_output' ? [true, true] : [false, false],
      ]);
    }
  });
});

it('refuses two tools of one name whose calls have different forms', () => {
  const named = (type: string) => ({
    type,
    name: 'shell',
    ...(type === 'function' && { parameters: { type: 'object' } }),
  });
  for (const tools of [
    [{ type: 'shell' }, named('function')],
    [named('function'), named('custom')],
  ])
    expect(() => read({ tools })).toThrow('tools: two tools have the name shell');
  expect(read({ tools: [named('function'), named('function'), { type: 'apply_patch' }] }).tools).toHaveLength(3);
});

it('counts the tools of namespaces and of items', () => {
  const tools = Array.from({ length: 128 }, (_, at) => ({ type: 'custom', name: `t${at}` }));
  const namespaces = Array.from({ length: 79 }, (_, at) => ({ type: 'namespace', name: `n${at}`, tools }));
  const added = { type: 'additional_tools', tools: namespaces.slice(0, 1) };
  expect(() => read({ tools: namespaces, input: [added, user('a')] })).toThrow(/^tools: must be at most 10000/);
  expect(read({ tools: namespaces.slice(2), input: [added, user('a')] }).tools).toHaveLength(78 * 128);
});
