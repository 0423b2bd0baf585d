// Goal: every field and block of a request is mapped to a responses call, is dropped by a rule or refused by name.
// Reasoning returns only to the provider that encrypted it. Method: tables over neutral requests. Rules:
// docs/use/translation/openai-responses.md.
import { modelRequest } from '../../../../test/support/model-request.js';
import { endpoint, model } from '../../../../test/support/route-inputs.js';
import type { ContentBlock, Message } from '../../../core/conversation/content.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import { Untranslatable } from '../../../core/errors.js';
import { printJson, type JsonObject } from '../../../core/json/json.js';
import type { Target } from '../../../core/provider.js';
import type { Quirks } from '../../../core/quirks.js';
import type { Modality } from '../../../core/routing/catalog.js';
import { doAtOnce } from '../../../core/steps.js';
import { openaiResponses } from './dialect.js';

const targetOf = (
  quirks: Quirks = {},
  {
    listed = [],
    inputs = ['text', 'image', 'file'],
  }: { listed?: readonly string[]; inputs?: readonly Modality[] } = {},
): Target => {
  const one = endpoint('acme', { supportedParameters: listed });
  return {
    model: { ...model('acme/model', [one]), inputModalities: inputs },
    endpoint: one,
    tier: 'standard',
    definition: { slug: 'acme', credential: 'bearer', quirks },
  };
};

const bodyOf = (parts: Partial<ModelRequest>, target = targetOf()): JsonObject =>
  JSON.parse(
    printJson(
      doAtOnce(openaiResponses.encode(modelRequest({ messages: [userTurn('Hi')], ...parts }), target, new Map())).body,
    ),
  ) as JsonObject;

const inputOf = (messages: readonly Message[], target = targetOf()): unknown => bodyOf({ messages }, target)['input'];

const userTurn = (...texts: string[]): Message => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
});
const answered = (...content: ContentBlock[]): Message => ({ role: 'assistant', content });
const userItem = (...texts: string[]): unknown => ({
  type: 'message',
  role: 'user',
  content: texts.map((text) => ({ type: 'input_text', text })),
});

const refusalOf = (parts: Partial<ModelRequest>, target = targetOf()): string => {
  try {
    bodyOf(parts, target);
  } catch (error) {
    if (error instanceof Untranslatable) return error.message;
    throw error;
  }
  throw new Error('Nothing was refused.');
};

describe('the call', () => {
  it('is stateless, whatever was requested', () => {
    const call = doAtOnce(
      openaiResponses.encode(
        modelRequest({
          messages: [userTurn('Hi')],
          extras: {
          vendor: 'openai-responses',
          value: { store: true, previous_response_id: 'resp_1', conversation: 'c', background: true, prompt: {}, include: ['x'], max_tool_calls: 3, stream: true },
        }, // oxfmt-ignore
        }),
        targetOf(),
        new Map(),
      ),
    );
    expect(call.path).toBe('/responses');
    expect(call.headers).toEqual({ 'content-type': 'application/json', accept: 'application/json' });
    expect(call.body).toEqual({
      stream: false,
      include: ['x'],
      max_tool_calls: 3,
      model: 'upstream',
      input: [userItem('Hi')],
      store: false,
    });
  });

  it('requests a stream by the header as well', () => {
    const call = doAtOnce(
      openaiResponses.encode(modelRequest({ messages: [userTurn('Hi')], stream: true }), targetOf(), new Map()),
    );
    expect(call.headers['accept']).toBe('text/event-stream');
    expect(call.body).toMatchObject({ stream: true });
  });

  it.each<[string, Partial<ModelRequest>, JsonObject]>([
    ['an output limit', { maxOutputTokens: 500 }, { max_output_tokens: 500 }],
    ['a limit below what the vendor takes', { maxOutputTokens: 1 }, { max_output_tokens: 16 }],
    ['sampling', { sampling: { temperature: 0.5, topP: 0.9, topLogprobs: 3 } }, { temperature: 0.5, top_p: 0.9, top_logprobs: 3 }],
    ['likelihoods', { sampling: { logprobs: true } }, { include: ['message.output_text.logprobs'] }],
    ['likelihoods that are not wanted', { sampling: { logprobs: false } }, {}],
    ['what the format has no field for', { sampling: { topK: 1, topA: 1, minP: 0.1, seed: 1, frequencyPenalty: 1, presencePenalty: 1, repetitionPenalty: 1, logitBias: { 1: 1 } }, stopSequences: ['x'], taskBudget: { totalTokens: 1 }, cacheMarker: {}, metadata: { vendor: 'openai', value: { a: 'b' } } }, {}],
    ['fields of another format', { extras: { vendor: 'openai', value: { prediction: {} } } }, {}],
    ['verbosity', { verbosity: 'max' }, { text: { verbosity: 'high' } }],
    ['JSON', { outputFormat: { type: 'json-object' } }, { text: { format: { type: 'json_object' } } }],
    ['a schema', { outputFormat: { type: 'json-schema', schema: { type: 'object' } } }, { text: { format: { type: 'json_schema', name: 'reply', schema: { type: 'object' }, strict: false } } }],
    ['a schema with all that it can have', { outputFormat: { type: 'json-schema', schema: { type: 'string' }, name: 'n', description: 'd', strict: false } }, { text: { format: { type: 'json_schema', name: 'n', description: 'd', schema: { type: 'string' }, strict: false } } }],
    ['an effort', { effort: 'high' }, { reasoning: { effort: 'high' }, include: ['reasoning.encrypted_content'] }],
    ['an effort that is not known', { effort: 'minimal' }, { reasoning: { effort: 'low' }, include: ['reasoning.encrypted_content'] }],
    ['a budget', { thinking: { type: 'enabled', budgetTokens: 5000 } }, { reasoning: { effort: 'medium' }, include: ['reasoning.encrypted_content'] }],
    ['adaptive thinking', { thinking: { type: 'adaptive', display: 'summarized' } }, { reasoning: { summary: 'auto' }, include: ['reasoning.encrypted_content'] }],
    ['no thinking', { thinking: { type: 'disabled' }, effort: 'high' }, {}],
    ['a summary', { reasoningSummary: 'detailed' }, { reasoning: { summary: 'detailed' } }],
    ['a cache key', { promptCacheKey: 'k' }, { prompt_cache_key: 'k' }],
    ['a user', { user: 'u' }, { user: 'u' }],
    ['a user of the Messages format', { metadata: { vendor: 'anthropic', value: { user_id: 'u' } } }, { user: 'u' }],
  ])('sends %s', (_what, parts, fields) => {
    expect(bodyOf(parts)).toEqual({ stream: false, model: 'upstream', input: [userItem('Hi')], store: false, ...fields });
  }); // oxfmt-ignore

  it.each<[string, readonly string[], Quirks, Partial<ModelRequest>, JsonObject]>([
    ['seals reasoning of a model that reasons', ['reasoning'], {}, {}, { include: ['reasoning.encrypted_content'] }],
    ['seals none of a model that does not', ['temperature'], {}, { effort: 'high', sampling: { temperature: 1 } }, { temperature: 1 }],
    ['leaves out what the list does', ['reasoning'], {}, { sampling: { temperature: 1 }, verbosity: 'low' }, { include: ['reasoning.encrypted_content'] }],
    ['knows the efforts of the provider', [], { efforts: ['none', 'xhigh'] }, { effort: 'none' }, { reasoning: { effort: 'none' } }],
    ['leaves out what the provider refuses', [], { omit: ['store', 'include', 'user'] }, { user: 'u', effort: 'low' }, { reasoning: { effort: 'low' }, store: undefined }],
    ['names the tier of who sells it', [], { serviceTiers: true }, { serviceTier: 'standard_only' }, { service_tier: 'default' }],
  ])('%s', (_what, listed, quirks, parts, fields) => {
    const body = { stream: false, model: 'upstream', input: [userItem('Hi')], store: false, ...fields };
    expect(bodyOf(parts, targetOf(quirks, { listed }))).toEqual(JSON.parse(JSON.stringify(body)));
  }); // oxfmt-ignore
});

describe('tools', () => {
  const f = { type: 'function', name: 'f', inputSchema: { properties: {} } } as const;

  it('state whether they are strict, and their schema', () => {
    expect(bodyOf({ tools: [f, { ...f, name: 'g', description: 'd', strict: true }], parallelToolCalls: false })).toMatchObject({
      tools: [
        { type: 'function', name: 'f', parameters: { type: 'object', properties: {} }, strict: false },
        { type: 'function', name: 'g', description: 'd', parameters: { type: 'object', properties: {} }, strict: true },
      ],
      parallel_tool_calls: false,
    }); // oxfmt-ignore
  });

  it.each([
    [{ type: 'auto' }, 'auto'],
    [{ type: 'none' }, 'none'],
    [{ type: 'any' }, 'required'],
    [
      { type: 'tool', name: 'f' },
      { type: 'function', name: 'f' },
    ],
  ] as const)('choose %j as %j', (toolChoice, choice) => {
    expect(bodyOf({ tools: [f], toolChoice })['tool_choice']).toEqual(choice);
    expect(bodyOf({ toolChoice })['tool_choice']).toBeUndefined();
  });

  it('choose one of the vendor’s own by its type, whatever a function is called', () => {
    const value = { type: 'web_search', search_context_size: 'low' };
    const vendorTool = { type: 'vendor', name: 'web_search', opaque: { vendor: 'openai-responses', value } } as const;
    const toolChoice = { type: 'tool', name: 'web_search', vendorTool } as const;
    const tools = [vendorTool, { ...f, name: 'web_search' }];
    expect(bodyOf({ tools, toolChoice })['tool_choice']).toEqual({ type: 'web_search' });
  });

  it('have names that the vendor takes, one to one', () => {
    const names = ['a'.repeat(70), `${'a'.repeat(64)}b`, 'a.b'];
    const tools = bodyOf({ tools: names.map((name) => ({ ...f, name })) })['tools'] as { name: string }[];
    expect(new Set(tools.map(({ name }) => name)).size).toBe(3);
    for (const { name } of tools) expect(name).toMatch(/^[\w-]{1,64}$/);
  });

  it.each<[JsonObject, boolean]>([
    [{ type: 'web_search' }, true],
    [{ type: 'web_search_2025_08_26' }, true],
    [{ type: 'web_search_preview' }, true],
    [{ type: 'image_generation' }, true],
    [{ type: 'custom', name: 'c' }, true],
    [{ type: 'code_interpreter', container: { type: 'auto' } }, true],
    [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file_1'] } }, false],
    [{ type: 'code_interpreter', container: 'cntr_1' }, false],
    [{ type: 'file_search', vector_store_ids: ['vs_1'] }, false],
    [{ type: 'mcp', server_url: 'https://a.test' }, false],
    [{ type: 'computer_use_preview' }, false],
    [{ type: 'toString' }, false],
    [{}, false],
  ])('of the vendor: %j is sent: %s', (value, isSent) => {
    const tools = [{ type: 'vendor', opaque: { vendor: 'openai-responses', value } }] as const;
    if (isSent) expect(bodyOf({ tools })['tools']).toEqual([value]);
    else expect(refusalOf({ tools })).toMatch(/^tools\.0: the vendor's tool .* cannot be sent to acme\/model at /);
  });
});

describe('the conversation', () => {
  it('keeps its order, instructions at their position', () => {
    const messages: Message[] = [
      userTurn('One', ''),
      answered({ type: 'text', text: 'Two' }, { type: 'text', text: ', cut.' }, { type: 'tool-use', id: 'c1', name: 'f', input: { a: 1 } }, { type: 'text', text: 'Then.' }),
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [{ type: 'text', text: 'And?' }, { type: 'tool-result', toolUseId: 'c1', content: [{ type: 'text', text: 'x' }, { type: 'text', text: 'y' }] }] },
    ]; // oxfmt-ignore
    const target = targetOf({ systemRole: 'developer' });
    expect(bodyOf({ system: [{ type: 'text', text: 'Guide.' }, { type: 'text', text: 'Kindly.' }], messages }, target)['input']).toEqual([
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Guide.' }, { type: 'input_text', text: 'Kindly.' }] },
      userItem('One'),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Two, cut.' }] },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Then.' }] },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] },
      { type: 'function_call_output', call_id: 'c1', output: 'x\n\ny' },
      userItem('And?'),
    ]); // oxfmt-ignore
  });

  it.each([
    ['{"a": 1e400}', '{"a": 1e400}'],
    ['  ', '{}'],
    [undefined, '{}'],
    [{ b: 2 }, '{"b":2}'],
  ])('has the arguments %j as %s', (input, json) => {
    expect(inputOf([answered({ type: 'tool-use', id: 'c', name: 'f', input })])).toEqual([
      { type: 'function_call', call_id: 'c', name: 'f', arguments: json },
    ]);
  });

  it('has ids of calls that the vendor takes, the same in call and result', () => {
    const id = 'x'.repeat(80);
    const [call, result] = inputOf([
      answered({ type: 'tool-use', id, name: 'f', input: {} }),
      { role: 'user', content: [{ type: 'tool-result', toolUseId: id, content: [], isError: true }] },
    ]) as JsonObject[];
    expect(call!['call_id']).toHaveLength(64);
    expect(result).toEqual({ type: 'function_call_output', call_id: call!['call_id'], output: 'Error: ' });
  });

  it('has images and files at their position, also in results', () => {
    const blocks: ContentBlock[] = [
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' }, detail: 'low' },
      { type: 'image', source: { type: 'url', url: 'https://a.test/i.png' } },
      { type: 'document', source: { type: 'base64', mediaType: 'application/pdf', data: 'JVBE' }, title: 'Plan', context: 'Ours' },
      { type: 'document', source: { type: 'url', url: 'https://a.test/d.pdf' } },
      { type: 'document', source: { type: 'text', text: 'words' }, title: 'T' },
      { type: 'document', source: { type: 'blocks', blocks: [{ type: 'text', text: 'in' }] } },
      { type: 'search-result', source: 's', title: 't', content: [{ type: 'text', text: 'found' }] },
    ]; // oxfmt-ignore
    const parts = [
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
      { type: 'input_image', image_url: 'https://a.test/i.png' },
      { type: 'input_text', text: 'Ours' },
      { type: 'input_file', filename: 'Plan.pdf', file_data: 'data:application/pdf;base64,JVBE' },
      { type: 'input_file', file_url: 'https://a.test/d.pdf' },
      { type: 'input_text', text: 'Document: T\n\nwords' },
      { type: 'input_text', text: 'in' },
      { type: 'input_text', text: 'Search result: t\nSource: s\n\nfound' },
    ];
    expect(inputOf([{ role: 'user', content: blocks }])).toEqual([{ type: 'message', role: 'user', content: parts }]);
    const content = blocks as Extract<ContentBlock, { type: 'tool-result' }>['content'];
    const result: ContentBlock = { type: 'tool-result', toolUseId: 'c', content: [...content, { type: 'tool-reference', toolName: 'f' }], isError: true }; // oxfmt-ignore
    expect(inputOf([{ role: 'user', content: [result] }])).toEqual([
      {
        type: 'function_call_output',
        call_id: 'c',
        output: [{ type: 'input_text', text: 'Error: ' }, ...parts, { type: 'input_text', text: '[Tool f is available.]' }],
      },
    ]); // oxfmt-ignore
    expect('requiredMedia' in openaiResponses).toBe(false);
  });

  it('has what other vendors ran in words, and of its own vendor unchanged', () => {
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
    expect(
      inputOf([
        answered(
          { type: 'opaque', opaque: { vendor: 'anthropic', value: { type: 'server_tool_use', name: 'web_search', input: { q: 1 } } } },
          { type: 'opaque', opaque: { vendor: 'openai-responses', value: search } },
          { type: 'text', text: 'Found.' },
        ),
      ]),
    ).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '[Called tool web_search with {"q":1}]' }] },
      search,
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Found.' }] },
    ]); // oxfmt-ignore
  });

  it('keeps texts of different phases apart', () => {
    expect(
      inputOf([
        answered(
          { type: 'text', text: 'Looking', phase: 'commentary' },
          { type: 'text', text: '.', phase: 'commentary' },
          { type: 'text', text: 'Rome.', phase: 'final_answer' },
          { type: 'text', text: 'Bye.' },
        ),
      ]),
    ).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Looking.' }], phase: 'commentary' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Rome.' }], phase: 'final_answer' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Bye.' }] },
    ]);
  });
});

describe('reasoning', () => {
  const FORMAT = 'openai-responses-v1';
  const mark = { format: FORMAT, provider: 'acme', id: 'rs_1' };
  const sealed: ContentBlock = { type: 'redacted-thinking', data: 'SEAL', mark };
  const text: ContentBlock = { type: 'text', text: 'So.' };
  const item = (fields: JsonObject = {}): JsonObject => ({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'SEAL', ...fields }); // oxfmt-ignore
  const reasoningIn = (content: readonly ContentBlock[], quirks: Quirks = {}): unknown =>
    (inputOf([{ role: 'user', content: [text] }, answered(...content)], targetOf(quirks)) as JsonObject[]).filter(
      ({ type }) => type === 'reasoning',
    );
  const think = (thinking: string, more: object = {}): ContentBlock => ({ type: 'thinking', thinking, ...more });

  it.each<[string, readonly ContentBlock[], readonly JsonObject[]]>([
    ['with its summary', [think('a', { mark: { ...mark, isSummary: true } }), think('b', { mark: { ...mark, isSummary: true } }), sealed, text], [item({ summary: [{ type: 'summary_text', text: 'a' }, { type: 'summary_text', text: 'b' }] })]],
    ['with its summary as a face without marks brings it', [think('a', { signature: '' }), sealed, text], [item({ summary: [{ type: 'summary_text', text: 'a' }] })]],
    ['with its own words', [think('a', { mark }), sealed, text], [item({ content: [{ type: 'reasoning_text', text: 'a' }] })]],
    ['without words that are not its own', [think('a', { mark: { ...mark, id: 'rs_0' } }), think('b', { signature: 'anthropic' }), sealed, text], [item()]],
    ['in front of a call', [sealed, { type: 'tool-use', id: 'c', name: 'f', input: {} }], [item()]],
    ['not where nothing follows it', [text, sealed], []],
    ['not where only an empty text does', [sealed, { type: 'text', text: '' }], []],
    ['not without a seal', [think('a', { mark }), text], []],
    ['not when another provider sealed it', [{ ...sealed, mark: { ...mark, provider: 'other' } }, text], []],
    ['not when it was sealed in another format', [{ ...sealed, mark: { ...mark, format: 'anthropic-claude-v1' } }, text], []],
    ['not when Anthropic sealed it', [{ type: 'redacted-thinking', data: 'A' }, text], []],
    ['not of an unknown maker', [{ ...sealed, mark: { format: FORMAT } }, text], []],
  ])('goes back %s', (_what, content, items) => {
    expect(reasoningIn(content)).toEqual(items);
  }); // oxfmt-ignore

  it('goes back on the caller’s word to who takes that', () => {
    expect(reasoningIn([{ ...sealed, mark: { format: FORMAT } }, text], { returnsReasoningDetails: true })).toEqual([
      { type: 'reasoning', summary: [], encrypted_content: 'SEAL' },
    ]);
  });

  it('precedes what it preceded', () => {
    const second = { ...sealed, data: 'TWO', mark: { ...mark, id: 'rs_2' } } as const;
    expect(
      (inputOf([answered(sealed, text, second, { type: 'tool-use', id: 'c', name: 'f', input: {} })]) as JsonObject[]).map(
        ({ type, id }) => id ?? type,
      ),
    ).toEqual(['rs_1', 'message', 'rs_2', 'function_call']);
  }); // oxfmt-ignore
});

it('leaves out the id of a call that is none of the vendor', () => {
  const vendor = 'openai-responses' as const;
  const items = [
    ['custom_tool_call', 'ctc_1'],
    ['shell_call', 'sh_1'],
    ['local_shell_call', 'lsh_1'],
    ['apply_patch_call', 'apc_1'],
  ] as const;
  const calls = items.flatMap(([type, id]) => [id, 'l', 'fc_1', null].map((sent) => ({ type, id: sent })));
  const content = calls.map((value, index): ContentBlock => ({ type: 'tool-use', id: `${index}`, name: 'f', input: '{}', origin: { vendor, value } })); // oxfmt-ignore
  const sent = inputOf([{ role: 'assistant', content }]) as JsonObject[];
  expect(sent.map((item) => item['id'])).toEqual(items.flatMap(([, id]) => [id, undefined, undefined, undefined]));
});

it('sends the tools of a caller of this format, their calls and results unchanged', () => {
  const vendor = 'openai-responses' as const;
  const custom = { type: 'custom', name: 'patch', description: 'd' };
  const call = { type: 'custom_tool_call', call_id: '1', name: 'patch', input: 'a"b', id: 'ctc_1' };
  const shellCall = { type: 'shell_call', call_id: '2', action: { commands: ['ls'] } };
  const output = { type: 'shell_call_output', call_id: '2', output: [{ stdout: 's' }] };
  const tool = (name: string, value: JsonObject) => ({ type: 'function' as const, name, inputSchema: {}, origin: { vendor, value } }); // oxfmt-ignore
  const use = (id: string, name: string, value: JsonObject): ContentBlock => ({ type: 'tool-use', id, name, input: '{}', origin: { vendor, value } }); // oxfmt-ignore
  const result = (toolUseId: string, value: JsonObject): ContentBlock => ({ type: 'tool-result', toolUseId, content: [{ type: 'text', text: 'r' }], origin: { vendor, value } }); // oxfmt-ignore
  const body = bodyOf({
    tools: [tool('patch', custom), tool('shell', { type: 'shell' })],
    toolChoice: { type: 'tool', name: 'patch' },
    messages: [
      userTurn('Hi'),
      { role: 'assistant', content: [use('1', 'patch', call), use('2', 'shell', shellCall)] },
      { role: 'user', content: [result('1', { type: 'custom_tool_call_output' }), result('2', output)] },
    ],
  });
  expect(body).toMatchObject({ tools: [custom, { type: 'shell' }], tool_choice: { type: 'custom', name: 'patch' } });
  expect((body['input'] as unknown[]).slice(1)).toEqual([
    call,
    shellCall,
    { type: 'custom_tool_call_output', call_id: '1', output: 'r' },
    output,
  ]);
  expect(bodyOf({ tools: [tool('shell', { type: 'shell' })], toolChoice: { type: 'tool', name: 'shell' } })).toMatchObject({ tool_choice: { type: 'shell' } }); // oxfmt-ignore
});
