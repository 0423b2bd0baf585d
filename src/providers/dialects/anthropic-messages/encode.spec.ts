// Goal: the right body reaches a Messages provider. Method: encode a neutral request, read the body back; tables for
// fields and rules.
import { modelRequest } from '../../../../test/support/model-request.js';
import { printJson, type JsonObject } from '../../../core/json/json.js';
import type { ContentBlock, Message, TextBlock } from '../../../core/conversation/content.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import type { Tool } from '../../../core/conversation/tools.js';
import { Untranslatable } from '../../../core/errors.js';
import type { Target } from '../../../core/provider.js';
import { doAtOnce } from '../../../core/steps.js';
import { encodeMessages } from './encode.js';

const CLOSED = { type: 'object', properties: {}, additionalProperties: false };
const target = (limits: { endpoint?: number; model?: number } = {}): Target => {
  const endpoint: Target['endpoint'] = {
    tag: 'anthropic',
    provider: {
      slug: 'anthropic',
      name: 'Anthropic',
      dialect: 'anthropic-messages',
      baseUrl: 'https://provider.test',
      policy: { collectsData: false, zeroDataRetention: false },
    },
    upstreamModel: 'claude-upstream',
    pricing: null,
    quantization: 'unknown',
    contextLength: 200_000,
    supportedParameters: [],
    ...(limits.endpoint !== undefined && { maxCompletionTokens: limits.endpoint }),
  };
  return {
    endpoint,
    model: {
      id: 'anthropic/claude',
      name: 'Claude',
      contextLength: 200_000,
      inputModalities: ['text'],
      outputModalities: ['text'],
      scores: {},
      endpoints: [endpoint],
      ...(limits.model !== undefined && { maxCompletionTokens: limits.model }),
    },
    tier: 'standard',
    definition: { slug: 'anthropic', credential: 'x-api-key', quirks: {} },
  };
};

const request = (parts: Partial<ModelRequest> = {}): ModelRequest =>
  modelRequest({
    model: 'anthropic/claude',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    ...parts,
  });

const bodyOf = (parts: Partial<ModelRequest>, where = target()): JsonObject =>
  JSON.parse(printJson(doAtOnce(encodeMessages(request(parts), where)).body)) as JsonObject;

/** A value as the Messages face reads it: neutral fields beside the wire object. */
const wire = <T extends object>(
  neutral: T,
  value: JsonObject,
): T & { origin: { vendor: 'anthropic'; value: JsonObject } } => ({
  ...neutral,
  origin: { vendor: 'anthropic', value },
});

const contentOf = (content: ContentBlock[]): unknown =>
  (bodyOf({ messages: [{ role: 'user', content }] })['messages'] as unknown as { content: unknown }[])[0]?.content;

describe('the call', () => {
  it('goes to /v1/messages with version and accepted type', () => {
    expect(doAtOnce(encodeMessages(request(), target()))).toMatchObject({
      path: '/v1/messages',
      stream: false,
      headers: { 'content-type': 'application/json', accept: 'application/json', 'anthropic-version': '2023-06-01' },
    });
  });

  it('requests a stream in body and header when the client does', () => {
    const call = doAtOnce(encodeMessages(request({ stream: true }), target()));
    expect(call.stream).toBe(true);
    expect(call.headers['accept']).toBe('text/event-stream');
    expect(JSON.parse(printJson(call.body))).toMatchObject({ stream: true });
  });

  it('carries betas in one header, and none without betas', () => {
    expect(doAtOnce(encodeMessages(request({ betas: ['a', 'b'] }), target())).headers['anthropic-beta']).toBe('a,b');
    expect(doAtOnce(encodeMessages(request(), target())).headers).not.toHaveProperty('anthropic-beta');
  });
});

describe('fields', () => {
  it.each<[string, Partial<ModelRequest>, JsonObject]>([
    ['temperature', { sampling: { temperature: 0 } }, { temperature: 0 }],
    ['top_p and top_k', { sampling: { topP: 0.5, topK: 3 } }, { top_p: 0.5, top_k: 3 }],
    ['stop_sequences', { stopSequences: ['a'] }, { stop_sequences: ['a'] }],
    [
      'thinking with a budget',
      { thinking: { type: 'enabled', budgetTokens: 1024, display: 'omitted' } },
      { thinking: { type: 'enabled', budget_tokens: 1024, display: 'omitted' } },
    ],
    ['thinking off', { thinking: { type: 'disabled' } }, { thinking: { type: 'disabled' } }],
    ['adaptive thinking', { thinking: { type: 'adaptive' } }, { thinking: { type: 'adaptive' } }],
    [
      'thinking with a summary',
      { thinking: { type: 'enabled', budgetTokens: 1024 }, reasoningSummary: 'detailed' },
      { thinking: { type: 'enabled', budget_tokens: 1024, display: 'summarized' } },
    ],
    [
      'adaptive thinking with a summary',
      { thinking: { type: 'adaptive' }, reasoningSummary: 'auto' },
      { thinking: { type: 'adaptive', display: 'summarized' } },
    ],
    ['verbosity as effort', { verbosity: 'max' }, { output_config: { effort: 'max' } }],
    ['the effort before verbosity', { verbosity: 'max', effort: 'low' }, { output_config: { effort: 'low' } }],
    ['effort', { effort: 'xhigh' }, { output_config: { effort: 'xhigh' } }],
    ['the least effort', { effort: 'minimal' }, { output_config: { effort: 'low' } }],
    [
      'output format',
      { outputFormat: { type: 'json-schema', schema: CLOSED, name: 'x' } },
      { output_config: { format: { type: 'json_schema', schema: CLOSED } } },
    ],
    [
      'task budget',
      { taskBudget: { totalTokens: 20_000, remainingTokens: 0 } },
      { output_config: { task_budget: { type: 'tokens', total: 20_000, remaining: 0 } } },
    ],
    [
      'context management',
      { contextManagement: { vendor: 'anthropic', value: { edits: [{ type: 'compact_20260112' }] } } },
      { context_management: { edits: [{ type: 'compact_20260112' }] } },
    ],
    [
      'metadata',
      { metadata: { vendor: 'anthropic', value: { user_id: 'm' } }, user: 'u' },
      { metadata: { user_id: 'm' } },
    ],
    ['the user', { user: 'u' }, { metadata: { user_id: 'u' } }],
    [
      'the user where metadata names none',
      { metadata: { vendor: 'anthropic', value: { user_id: null, team: 't' } }, user: 'u' },
      { metadata: { user_id: 'u', team: 't' } },
    ],
    ['a tier the vendor knows', { serviceTier: 'standard_only' }, { service_tier: 'standard_only' }],
    ['that any place will do', { inferenceGeo: 'global' }, { inference_geo: 'global' }],
    ['unmodelled fields', { extras: { vendor: 'anthropic', value: { container: 'c' } } }, { container: 'c' }],
  ])('sends %s', (_name, parts, expected) => {
    expect(bodyOf(parts)).toMatchObject(expected);
  });

  it.each<[string, Partial<ModelRequest>, string]>([
    ['a speed without a price', { speed: 'fast' }, 'speed'],
    ['priority without a price', { serviceTier: 'priority' }, 'service_tier'],
    ['a place without a price', { inferenceGeo: 'us' }, 'inference_geo'],
    ['a tier of another vendor', { serviceTier: 'flex' }, 'service_tier'],
    ['the default tier', { serviceTier: 'default' }, 'service_tier'],
    ['no effort', { effort: 'none' }, 'output_config'],
    ['JSON without a schema', { outputFormat: { type: 'json-object' } }, 'output_config'],
    [
      'context management of another vendor',
      { contextManagement: { vendor: 'openai', value: {} } },
      'context_management',
    ],
    ['extras of another vendor', { extras: { vendor: 'openai', value: { store: true } } }, 'store'],
    ['sampling the vendor lacks', { sampling: { seed: 1 } }, 'seed'],
    ['the absent tools', {}, 'tools'],
    ['the absent system', {}, 'system'],
  ])('leaves out %s', (_name, parts, key) => {
    expect(bodyOf(parts)).not.toHaveProperty(key);
  });

  it('lets no extras override modelled fields', () => {
    const value = JSON.parse(
      '{"__proto__":{"kept":true},"model":"x","max_tokens":1,"temperature":2,"messages":[],"stream":true}',
    ) as JsonObject;
    const call = doAtOnce(
      encodeMessages(request({ extras: { vendor: 'anthropic', value }, maxOutputTokens: 9 }), target()),
    );
    expect(printJson(call.body)).toBe(
      '{"model":"claude-upstream","__proto__":{"kept":true},"max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]}',
    );
  });
});

describe('max_tokens', () => {
  it.each<[string, Partial<ModelRequest>, Target, number]>([
    ["the caller's", { maxOutputTokens: 7 }, target({ endpoint: 100 }), 7],
    ["else the endpoint's", {}, target({ endpoint: 100, model: 200 }), 100],
    ["else the model's", {}, target({ model: 200 }), 200],
    ['else 4096', {}, target(), 4096],
    ['above a thinking budget', { thinking: { type: 'enabled', budgetTokens: 5000 } }, target(), 9096],
  ])('is %s', (_name, parts, where, expected) => {
    expect(bodyOf(parts, where)['max_tokens']).toBe(expected);
  });
});

describe('tool choice', () => {
  const tools: Tool[] = [{ type: 'function', name: 'f', inputSchema: { type: 'object' } }];
  it.each<[Partial<ModelRequest>, unknown]>([
    [{ tools }, undefined],
    [{ tools, toolChoice: { type: 'auto' } }, { type: 'auto' }],
    [
      { tools, toolChoice: { type: 'any' }, parallelToolCalls: false },
      { type: 'any', disable_parallel_tool_use: true },
    ],
    [{ tools, toolChoice: { type: 'none' }, parallelToolCalls: false }, { type: 'none' }],
    [
      { tools, toolChoice: { type: 'tool', name: 'f' } },
      { type: 'tool', name: 'f' },
    ],
    [
      { tools, parallelToolCalls: false },
      { type: 'auto', disable_parallel_tool_use: true },
    ],
    [{ tools, parallelToolCalls: true }, undefined],
    [{ parallelToolCalls: false }, undefined],
  ])('%j', (parts, expected) => {
    expect(bodyOf(parts)['tool_choice']).toEqual(expected);
  });
});

describe('tools', () => {
  it('prints tools of this format unchanged', () => {
    const custom = {
      name: 'f',
      input_schema: { type: 'object' },
      defer_loading: true,
      cache_control: { type: 'ephemeral' },
    };
    const search = { type: 'web_search_20250305', name: 'web_search', max_uses: null };
    const tools: Tool[] = [
      wire({ type: 'function', name: 'f', inputSchema: {} } as const, custom),
      { type: 'vendor', opaque: { vendor: 'anthropic', value: search } },
    ];
    expect(bodyOf({ tools })['tools']).toEqual([custom, search]);
  });

  it('builds others, with the type of schema the vendor demands', () => {
    const tools: Tool[] = [
      {
        type: 'function',
        name: 'f',
        description: 'd',
        inputSchema: { properties: {} },
        strict: true,
        cacheMarker: { ttl: '1h' },
      },
    ];
    expect(bodyOf({ tools })['tools']).toEqual([
      {
        name: 'f',
        description: 'd',
        input_schema: { type: 'object', properties: {}, additionalProperties: false },
        strict: true,
        cache_control: { type: 'ephemeral', ttl: '1h' },
      },
    ]);
  });

  it.each<[string, Tool]>([
    ['openrouter:web_search', { type: 'service', id: 'openrouter:web_search', parameters: {} }],
    ['code_interpreter', { type: 'vendor', opaque: { vendor: 'openai', value: { type: 'code_interpreter' } } }],
  ])('refuses %s by name and target', (name, tool) => {
    const encode = (): unknown => bodyOf({ tools: [tool] });
    expect(encode).toThrow(Untranslatable);
    expect(encode).toThrow(new RegExp(`^tools\\.0: .*${name}.*anthropic|^tools\\.0: anthropic.*${name}`));
  });
});

describe('history', () => {
  it('prints values of this format unchanged, wherever they are', () => {
    const plain = { role: 'user', content: 'Hi' };
    const marked = { role: 'system', content: [{ type: 'text', text: 'Now', cache_control: { type: 'ephemeral' } }] };
    const messages: Message[] = [
      wire({ role: 'user', content: [{ type: 'text', text: 'Hi' }] } as const, plain),
      wire({ role: 'system', content: [{ type: 'text', text: 'Now' }] } as const, marked),
    ];
    const { endpoint, ...rest } = target();
    const taking = { ...rest, endpoint: { ...endpoint, upstreamModel: 'claude-opus-4-8' } };
    expect(bodyOf({ messages }, taking)['messages']).toEqual([plain, marked]);
  });

  const cacheMarker = { ttl: '5m' } as const;
  const cache_control = { type: 'ephemeral', ttl: '5m' };
  it.each<[ContentBlock, JsonObject]>([
    [
      { type: 'text', text: 'a', cacheMarker },
      { type: 'text', text: 'a', cache_control },
    ],
    [
      { type: 'image', source: { type: 'url', url: 'https://x.test/i' }, detail: 'low', cacheMarker: {} },
      { type: 'image', source: { type: 'url', url: 'https://x.test/i' }, cache_control: { type: 'ephemeral' } },
    ],
    [
      {
        type: 'document',
        source: { type: 'base64', mediaType: 'application/pdf', data: 'AA' },
        title: 't',
        context: 'c',
      },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'AA' },
        title: 't',
        context: 'c',
      },
    ],
    [
      { type: 'document', source: { type: 'text', text: 'T' }, wantsCitations: true },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'T' }, citations: { enabled: true } },
    ],
    [
      { type: 'document', source: { type: 'blocks', blocks: [{ type: 'text', text: 'x' }] } },
      { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'x' }] } },
    ],
    [
      { type: 'document', source: { type: 'file', fileId: 'f' } },
      { type: 'document', source: { type: 'file', file_id: 'f' } },
    ],
    [
      { type: 'search-result', source: 's', title: 't', content: [{ type: 'text', text: 'x' }], wantsCitations: false },
      {
        type: 'search_result',
        source: 's',
        title: 't',
        content: [{ type: 'text', text: 'x' }],
        citations: { enabled: false },
      },
    ],
    [
      { type: 'tool-use', id: 'call_1', name: 'f', input: '{"a":1}' },
      { type: 'tool_use', id: 'call_1', name: 'f', input: { a: 1 } },
    ],
    [
      { type: 'tool-use', id: 'call_1', name: 'f', input: '{"a":' },
      { type: 'tool_use', id: 'call_1', name: 'f', input: { arguments: '{"a":' } },
    ],
    [
      { type: 'tool-use', id: 'functions.f:0', name: 'f', input: undefined },
      { type: 'tool_use', id: 'functions_f_0_d6bdd4de', name: 'f', input: {} },
    ],
    [
      { type: 'tool-result', toolUseId: 'functions.f:0', content: [{ type: 'text', text: '' }] },
      { type: 'tool_result', tool_use_id: 'functions_f_0_d6bdd4de' },
    ],
    [
      { type: 'tool-result', toolUseId: 'a', content: [{ type: 'text', text: '' }], isError: true },
      { type: 'tool_result', tool_use_id: 'a', content: 'Error:', is_error: true },
    ],
    [
      wire({ type: 'tool-result', toolUseId: 'a', content: [], isError: true } as const, {
        type: 'tool_result',
        tool_use_id: 'a',
        is_error: true,
      }),
      { type: 'tool_result', tool_use_id: 'a', content: 'Error:', is_error: true },
    ],
    [
      wire({ type: 'tool-use', id: 'a', name: 'multi_tool_use.parallel', input: {} } as const, {
        type: 'tool_use',
        id: 'a',
        name: 'multi_tool_use.parallel',
        input: {},
      }),
      { type: 'tool_use', id: 'a', name: 'multi_tool_use_parallel_41c06c9e', input: {} },
    ],
    [
      { type: 'tool-result', toolUseId: 'a', content: [{ type: 'tool-reference', toolName: 'f' }], cacheMarker },
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'tool_reference', tool_name: 'f' }], cache_control },
    ],
    [
      { type: 'thinking', thinking: 'x', signature: 's' },
      { type: 'thinking', thinking: 'x', signature: 's' },
    ],
    [
      { type: 'redacted-thinking', data: 'd' },
      { type: 'redacted_thinking', data: 'd' },
    ],
    [
      { type: 'opaque', opaque: { vendor: 'anthropic', value: { type: 'compaction', content: null } } },
      { type: 'compaction', content: null },
    ],
  ])('builds %j', (block, expected) => {
    expect(contentOf([block])).toEqual([expected]);
  });

  it('drops reasoning of others without touching the rest of a turn', () => {
    const origin = { role: 'assistant', content: [], name: 'kept' };
    const signed = { type: 'thinking', thinking: 'mine', signature: 's' };
    const content: ContentBlock[] = [
      { type: 'thinking', thinking: 'unsigned' },
      { type: 'thinking', thinking: 'empty', signature: '' },
      { type: 'thinking', thinking: 'x', signature: 's', mark: { format: 'google-gemini-v1', provider: 'p' } },
      wire({ type: 'thinking', thinking: 'mine', signature: 's' } as const, signed),
    ];
    expect(bodyOf({ messages: [wire({ role: 'assistant', content } as const, origin)] })['messages']).toEqual([
      { role: 'assistant', content: [signed], name: 'kept' },
    ]);
  });

  it('prints a lone plain system text as a string, others as blocks', () => {
    const block: TextBlock = wire({ type: 'text', text: 'b' } as const, { type: 'text', text: 'b', x: 1 });
    expect(bodyOf({ system: [{ type: 'text', text: 'a' }] })['system']).toBe('a');
    expect(bodyOf({ system: [block] })['system']).toEqual([{ type: 'text', text: 'b', x: 1 }]);
  });

  it('drops edits that clear thinking when this attempt goes without', () => {
    const clear = { type: 'clear_thinking_20251015' };
    const other = { type: 'clear_tool_uses_20250919' };
    const messages: Message[] = [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'tool-use', id: 'a', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool-result', toolUseId: 'a', content: [] }] },
    ];
    const parts = { messages, thinking: { type: 'enabled', budgetTokens: 1024 } } as const;
    const edits = (...list: JsonObject[]): Partial<ModelRequest> => ({
      contextManagement: { vendor: 'anthropic', value: { edits: list } },
    });
    const body = bodyOf({ ...parts, ...edits(clear, other) });
    expect(body).not.toHaveProperty('thinking');
    expect(body['context_management']).toEqual({ edits: [other] });
    expect(bodyOf({ ...parts, ...edits(clear) })).not.toHaveProperty('context_management');
  });
});

describe('what came in this format, but not from this vendor', () => {
  const call = { type: 'tool_use', id: 'f:0', name: 'f', input: ' ', caller: { type: 'direct' } };
  const result = {
    type: 'tool_result',
    tool_use_id: 'f:0',
    content: [
      { type: 'text', text: '' },
      { type: 'text', text: 'a' },
    ],
  };
  const foreign = { type: 'web_search_result_location', cited_text: '', url: 'u', title: null, encrypted_index: '' };
  const own = { ...foreign, encrypted_index: 'x' };
  const cited = { type: 'text', text: 'b', citations: [foreign, own] };
  const messages: Message[] = [
    wire(
      {
        role: 'assistant',
        content: [
          wire({ type: 'text', text: 'b', citations: [foreign, own] } as const, cited),
          wire({ type: 'tool-use', id: 'f:0', name: 'f', input: ' ' } as const, call),
        ],
      } as const,
      { role: 'assistant', content: [cited, call], kept: 1 },
    ),
    wire(
      {
        role: 'user',
        content: [
          wire(
            {
              type: 'tool-result',
              toolUseId: 'f:0',
              content: [
                { type: 'text', text: '' },
                { type: 'text', text: 'a' },
              ],
            } as const,
            result,
          ),
        ],
      } as const,
      { role: 'user', content: [result] },
    ),
  ];

  it('keeps all but what the vendor would refuse', () => {
    const [assistant, user] = bodyOf({ messages })['messages'] as unknown as { content: { id: string }[] }[];
    expect(assistant!.content[1]!.id).toMatch(/^f_0_[0-9a-f]{8}$/);
    const wireId = assistant!.content[1]!.id;
    expect(assistant).toEqual({
      role: 'assistant',
      kept: 1,
      content: [
        { type: 'text', text: 'b', citations: [own] },
        { ...call, id: wireId, input: {} },
      ],
    });
    expect(user).toEqual({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: wireId, content: [{ type: 'text', text: 'a' }] }],
    });
  });

  it('drops blank instructions', () => {
    const empty: TextBlock = wire({ type: 'text', text: ' ' } as const, { type: 'text', text: ' ' });
    expect(bodyOf({ system: [empty] })).not.toHaveProperty('system');
  });
});

describe('a file that is stored at Anthropic', () => {
  const value = { type: 'document', source: { type: 'file', file_id: 'f' } };
  const file = wire({ type: 'document', source: { type: 'file', fileId: 'f' } } as const, value);
  const resultOf = { type: 'tool_result', tool_use_id: 'c', content: [value] };
  const result = wire({ type: 'tool-result', toolUseId: 'c', content: [file] } as const, resultOf);
  const call = { role: 'assistant', content: [{ type: 'tool-use', id: 'c', name: 'f', input: {} }] } as const;

  it.each<[string, readonly Message[], string]>([
    ['in a turn', [wire({ role: 'user', content: [file] } as const, { role: 'user', content: [value] })], 'messages.0.content.0.source.file_id'],
    ['in a result', [call, wire({ role: 'user', content: [result] } as const, { role: 'user', content: [resultOf] })], 'messages.1.content.0.content.0.source.file_id'],
  ])('%s goes where it is kept, with its beta, and is refused elsewhere', (_, messages, path) => {
    const sent = doAtOnce(encodeMessages(request({ messages }), target()));
    const { messages: turns } = JSON.parse(printJson(sent.body)) as { messages: unknown[] };
    expect(turns.at(-1)).toEqual(messages.at(-1)!.origin!.value);
    expect(sent.headers['anthropic-beta']).toBe('files-api-2025-04-14');
    const here = target();
    for (const platform of ['bedrock', 'vertex'] as const) {
      const endpoint = { ...here.endpoint, provider: { ...here.endpoint.provider, platform } };
      expect(() => bodyOf({ messages }, { ...here, endpoint })).toThrow(expect.objectContaining({ name: 'Untranslatable', path }));
    }
  }); // oxfmt-ignore
});
