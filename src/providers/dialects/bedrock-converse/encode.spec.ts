// Goal: each part of a request reaches Converse, is dropped by a rule, or is refused with the caller's path
// (docs/use/translation/bedrock-converse.md). Method: hand-written whole bodies, field by field and block by block; a
// property over conversations for the alternation of turns.
import fc from 'fast-check';
import { modelRequest } from '../../../../test/support/model-request.js';
import { endpoint, model } from '../../../../test/support/route-inputs.js';
import type { ContentBlock, Message } from '../../../core/conversation/content.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import { Base64Text } from '../../../core/json/base64-text.js';
import type { JsonObject } from '../../../core/json/json.js';
import type { FetchedMedia, Target } from '../../../core/provider.js';
import type { Quirks } from '../../../core/quirks.js';
import type { Endpoint } from '../../../core/routing/catalog.js';
import { doAtOnce } from '../../../core/steps.js';
import { decodeCount, encodeCount } from './count.js';
import { bedrockConverse } from './dialect.js';

const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const NEWER_CLAUDE = 'us.anthropic.claude-opus-4-6-v1';
const NOVA = 'us.amazon.nova-2-lite-v1:0';
const LLAMA = 'us.meta.llama4-maverick-17b-instruct-v1:0';
const UNKNOWN = 'arn:aws:bedrock:us-east-1:1:application-inference-profile/abc';

function targetOf(
  upstreamModel: string,
  parts: Partial<Target> = {},
  more: Partial<Endpoint> = {},
  quirks: Quirks = {},
): Target {
  const one = endpoint('amazon-bedrock', { upstreamModel, ...more });
  const definition = { slug: 'amazon-bedrock', credential: 'bearer', quirks } as const;
  const known = model('acme/m', [one], { inputModalities: ['text', 'image', 'file'] });
  return { model: known, endpoint: one, tier: 'standard', definition, ...parts };
}

function encode(
  parts: Partial<ModelRequest>,
  target: Target | string = CLAUDE,
  media: FetchedMedia = new Map(),
): JsonObject {
  const request = modelRequest({ messages: [user({ type: 'text', text: 'Hello' })], ...parts });
  const call = doAtOnce(bedrockConverse.encode(request, typeof target === 'string' ? targetOf(target) : target, media));
  return JSON.parse(JSON.stringify(call.body)) as JsonObject;
}

const user = (...content: ContentBlock[]): Message => ({ role: 'user', content });
const assistant = (...content: ContentBlock[]): Message => ({ role: 'assistant', content });
const text = (words: string, cacheMarker?: { ttl?: '5m' | '1h' }): ContentBlock => ({
  type: 'text', text: words, ...(cacheMarker && { cacheMarker }),
}); // oxfmt-ignore
const call = (id: string, name = 'f'): ContentBlock => ({ type: 'tool-use', id, name, input: { a: 1 } });
const result = (toolUseId: string, words = 'ok', isError?: boolean): ContentBlock => ({
  type: 'tool-result', toolUseId, content: [{ type: 'text', text: words }], ...(isError && { isError }),
}); // oxfmt-ignore
const messagesOf = (messages: readonly Message[], target?: Target | string, media?: FetchedMedia) =>
  encode({ messages }, target, media)['messages'];
const partsOf = (block: ContentBlock, target?: Target | string, media?: FetchedMedia) =>
  (messagesOf([user(block, text('?'))], target, media) as { content: object[] }[])[0]!.content.slice(0, -1);
const TOOL = { type: 'function', name: 'f', description: 'd', inputSchema: { type: 'object' } } as const;
const SPEC = { toolSpec: { name: 'f', description: 'd', inputSchema: { json: { type: 'object' } } } };
const CLOSED = { type: 'object', additionalProperties: false };
const POINT = { cachePoint: { type: 'default' } };

describe('the call', () => {
  it.each([
    [false, 'converse', 'application/json'],
    [true, 'converse-stream', 'application/vnd.amazon.eventstream'],
  ])('streamed %s', (stream, verb, accept) => {
    const encoded = doAtOnce(
      bedrockConverse.encode(modelRequest({ stream, messages: [user(text('x'))] }), targetOf(UNKNOWN), new Map()),
    );
    expect(encoded).toMatchObject({ stream, headers: { accept, 'content-type': 'application/json' } });
    const name = 'arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aapplication-inference-profile%2Fabc';
    expect(encoded.path).toBe(`/model/${name}/${verb}`);
  });

  it('has nothing that the request does not have', () => {
    expect(encode({})).toEqual({ messages: [{ role: 'user', content: [{ text: 'Hello' }] }] });
  });

  it('has every field at its path', () => {
    const sampling = { temperature: 0.5, topK: 7, seed: 1, frequencyPenalty: 1 };
    const body = encode({
      system: [{ type: 'text', text: 'Be brief.' }, { type: 'text', text: ' ' }],
      maxOutputTokens: 9, sampling, stopSequences: ['END'], user: 'u', metadata: { vendor: 'anthropic', value: {} },
      verbosity: 'high', contextManagement: { vendor: 'anthropic', value: {} }, serviceTier: 'default',
      outputFormat: { type: 'json-schema', schema: CLOSED, name: 'n', description: 'd' },
    });
    expect(body).toEqual({
      system: [{ text: 'Be brief.' }],
      inferenceConfig: { maxTokens: 9, temperature: 0.5, stopSequences: ['END'] },
      additionalModelRequestFields: { top_k: 7 },
      additionalModelResponseFieldPaths: ['/stop_sequence', '/delta/stop_sequence'],
      outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: '{"type":"object","additionalProperties":false}', name: 'n', description: 'd' } } } },
      serviceTier: { type: 'default' },
      messages: [{ role: 'user', content: [{ text: 'Hello' }] }],
    });
  }); // oxfmt-ignore

  it('leaves out what the endpoint does not list', () => {
    const target = targetOf(CLAUDE, {}, { supportedParameters: ['temperature'] });
    const body = encode(
      { sampling: { temperature: 1, topP: 1, topK: 1 }, stopSequences: ['x'], effort: 'high' },
      target,
    );
    expect(body).toEqual({ inferenceConfig: { temperature: 1 }, messages: expect.anything() });
  });

  it.each([
    ['priority', { serviceTier: { type: 'priority' } }],
    ['flex', { serviceTier: { type: 'flex' } }],
    ['fast', { performanceConfig: { latency: 'optimized' } }],
    ['standard', {}],
  ] as const)('requests the tier %s', (tier, expected) => {
    const { messages: _messages, ...fields } = encode({}, targetOf(CLAUDE, { tier }));
    expect(fields).toEqual(expected);
  });
});

describe('fields of the model behind it', () => {
  const fieldsOf = (parts: Partial<ModelRequest>, target: string) =>
    encode(parts, target)['additionalModelRequestFields'];
  const budget = { type: 'enabled', budgetTokens: 2_000 } as const;

  it.each<[string, Partial<ModelRequest>, object | undefined]>([
    [CLAUDE, { thinking: budget }, { thinking: { type: 'enabled', budget_tokens: 2_000 } }],
    [CLAUDE, { thinking: budget, reasoningSummary: 'auto' }, { thinking: { type: 'enabled', budget_tokens: 2_000, display: 'summarized' } }],
    [CLAUDE, { thinking: { type: 'disabled' } }, { thinking: { type: 'disabled' } }],
    [NEWER_CLAUDE, { thinking: { type: 'adaptive' }, effort: 'max' }, { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }],
    [NEWER_CLAUDE, { effort: 'minimal' }, { output_config: { effort: 'low' } }],
    [NEWER_CLAUDE, { effort: 'none' }, undefined],
    [NOVA, { effort: 'xhigh' }, { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } }],
    [NOVA, { thinking: budget }, { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } }],
    [NOVA, { thinking: { type: 'disabled' } }, { reasoningConfig: { type: 'disabled' } }],
    ['openai.gpt-oss-120b-1:0', { effort: 'minimal' }, { reasoning_effort: 'low' }],
    [NOVA, { sampling: { topK: 5 } }, { inferenceConfig: { topK: 5 } }],
    ['cohere.command-r-v1:0', { sampling: { topK: 5 } }, { k: 5 }],
  ])('%s: %j', (target, parts, expected) => {
    expect(fieldsOf(parts, target)).toEqual(expected);
  }); // oxfmt-ignore

  it('requests no thinking of Claude in a loop that others began', () => {
    const loop = [user(text('x')), assistant(call('c')), user(result('c'))];
    expect(fieldsOf({ messages: loop, thinking: budget }, CLAUDE)).toEqual({ tool_choice: { type: 'none' } });
    const own = [
      user(text('x')),
      assistant({ type: 'thinking', thinking: 't', signature: 's' }, call('c')),
      user(result('c')),
    ];
    expect(fieldsOf({ messages: own, thinking: budget, tools: [TOOL] }, CLAUDE)).toEqual({
      thinking: { type: 'enabled', budget_tokens: 2_000 },
    });
  });
});

describe('turns', () => {
  it('A15: puts the results of parallel calls into one turn behind them, before its words', () => {
    const messages = [
      user(text('Compare.')),
      assistant(call('a'), call('b')),
      user(result('a')),
      user(result('b', 'no', true)),
      user(text('And?')),
      { role: 'system', content: [text('Be brief.')] } as Message,
    ];
    const content = [{ text: 'ok' }];
    expect(messagesOf(messages)).toEqual([
      { role: 'user', content: [{ text: 'Compare.' }] },
      {
        role: 'assistant',
        content: ['a', 'b'].map((toolUseId) => ({ toolUse: { toolUseId, name: 'f', input: { a: 1 } } })),
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'a', content } },
          { toolResult: { toolUseId: 'b', content: [{ text: 'no' }], status: 'error' } },
          { text: 'And?' },
          { text: 'System: Be brief.' },
        ],
      },
    ]);
  });

  it('marks an error without text as one', () => {
    const [, , turn] = messagesOf([
      user(text('Hi')),
      assistant(call('a'), call('b')),
      user(result('a', '', true), result('b', '')),
    ]) as { content: object[] }[];
    expect(turn!.content).toEqual([
      { toolResult: { toolUseId: 'a', content: [{ text: 'Error:' }], status: 'error' } },
      { toolResult: { toolUseId: 'b', content: [] } },
    ]);
  });

  it('marks an error with text for models without a status', () => {
    const [, , turn] = messagesOf(
      [user(text('x')), assistant(call('a')), user(result('a', 'no', true))],
      LLAMA,
    ) as object[];
    expect(turn).toEqual({
      role: 'user',
      content: [{ toolResult: { toolUseId: 'a', content: [{ text: 'Error: no' }] } }],
    });
  });

  it('alternate, whatever the conversation is, and keep its words in order', () => {
    const role = fc.constantFrom('user', 'assistant', 'system');
    fc.assert(
      fc.property(fc.array(fc.tuple(role, fc.array(fc.constantFrom('', ' ', 'a', 'b')))), (turns) => {
        const messages = turns.map(([who, words]) => ({
          role: who,
          content: words.map((word) => text(word)),
        })) as Message[];
        fc.pre(turns.some(([, words]) => words.some((word) => word.trim() !== '')));
        const sent = messagesOf(messages) as { role: string; content: { text: string }[] }[];
        for (let index = 1; index < sent.length; index++) expect(sent[index]!.role).not.toBe(sent[index - 1]!.role);
        const texts = sent.flatMap(({ content }) => content.map((part) => part.text.replace('System: ', '')));
        const first = turns.find(([, words]) => words.some((word) => word.trim() !== ''))![0];
        const before = first === 'assistant' ? ['[The assistant begins.]'] : [];
        const words = turns.flatMap(([, own]) => own).filter((word) => word.trim() !== '');
        expect(texts).toEqual([...before, ...words]);
        expect(sent[0]!.role).toBe('user');
        for (const { content } of sent) expect(content.length).toBeGreaterThan(0);
      }),
    );
  });

  it('maps ids and names one to one', () => {
    const odd = 'toolu:1/ä';
    const messages = [user(text('x')), assistant(call(odd, 'a name'), call('ok')), user(result(odd), result('ok'))];
    const [, turn, back] = messagesOf(messages) as { content: Record<string, { toolUseId: string; name: string }>[] }[];
    const [one, two] = turn!.content.map(({ toolUse }) => toolUse!);
    expect(one!.toolUseId).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(one!.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(two!.toolUseId).toBe('ok');
    expect(back!.content.map(({ toolResult }) => toolResult!.toolUseId)).toEqual([one!.toolUseId, 'ok']);
  });
});

describe('blocks', () => {
  const DATA = Buffer.from('x').toString('base64');

  it.each<[string, ContentBlock, object[]]>([
    ['an image', { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: DATA } }, [{ image: { format: 'png', source: { bytes: DATA } } }]],
    ['a video', { type: 'video', source: { type: 'base64', mediaType: 'video/quicktime', data: DATA } }, [{ video: { format: 'mov', source: { bytes: DATA } } }]],
    ['a PDF', { type: 'document', source: { type: 'base64', mediaType: 'application/pdf', data: DATA }, title: 'Q1/Q2  é.pdf', context: 'why', wantsCitations: true }, [{ document: { format: 'pdf', name: 'Q1-Q2 --pdf', source: { bytes: DATA }, context: 'why', citations: { enabled: true } } }]],
    ['a text', { type: 'document', source: { type: 'text', text: 'x' } }, [{ document: { format: 'txt', name: 'Document', source: { bytes: DATA } } }]],
    ['texts to be cited', { type: 'document', source: { type: 'blocks', blocks: [{ type: 'text', text: 'a' }] }, wantsCitations: true }, [{ document: { format: 'txt', name: 'Document', source: { content: [{ text: 'a' }] }, citations: { enabled: true } } }]],
    ['blocks', { type: 'document', title: 'T', source: { type: 'blocks', blocks: [{ type: 'text', text: 'a' }] } }, [{ text: 'Document: T' }, { text: 'a' }]],
    ['a search result', { type: 'search-result', source: 's', title: 't', content: [{ type: 'text', text: 'a' }] }, [{ searchResult: { source: 's', title: 't', content: [{ text: 'a' }], citations: { enabled: false } } }]],
  ])('%s', (_, block, expected) => {
    expect(partsOf(block)).toEqual(expected);
  }); // oxfmt-ignore

  it('sends as text what the model does not read as such', () => {
    const found: ContentBlock = {
      type: 'search-result',
      source: 's',
      title: 't',
      content: [{ type: 'text', text: 'a' }],
    };
    expect(partsOf(found, LLAMA)).toEqual([{ text: 'Search result: t\nSource: s\n\na' }]);
    const plain = targetOf(LLAMA);
    const target = { ...plain, model: { ...plain.model, inputModalities: ['text'] as const } };
    expect(partsOf({ type: 'document', title: 'T', source: { type: 'text', text: 'x' } }, target)).toEqual([
      { text: 'Document: T\n\nx' },
    ]);
  });

  it('takes what was fetched', () => {
    const url = 'https://a.test/x.png';
    const source = { type: 'url', url } as const;
    const request = modelRequest({ messages: [user({ type: 'image', source })] });
    expect(bedrockConverse.requiredMedia!(request, targetOf(CLAUDE))).toEqual([
      { url, accept: 'image', path: 'messages.0.content.0.source.url' },
    ]);
    const base64 = new Base64Text([Buffer.from(DATA)]);
    expect(partsOf({ type: 'image', source }, CLAUDE, new Map([[url, { mediaType: 'image/jpeg', base64 }]]))).toEqual([
      { image: { format: 'jpeg', source: { bytes: DATA } } },
    ]);
  });

  it('names documents apart, whatever comes later, and puts words beside those that have none', () => {
    const pdf: ContentBlock = {
      type: 'document',
      title: 'T',
      source: { type: 'base64', mediaType: 'application/pdf', data: DATA },
    };
    const [turn] = messagesOf([user(pdf, pdf)]) as { content: { document?: { name: string }; text?: string }[] }[];
    expect(turn!.content.map(({ document, text: words }) => document?.name ?? words)).toEqual([
      'See the attached document.',
      'T',
      'T (2)',
    ]);
  });

  it.each<[string, ContentBlock, string]>([
    ['an image of another type', { type: 'image', source: { type: 'base64', mediaType: 'image/tiff', data: '' } }, 'messages.0.content.0.source'],
  ])('refuses %s', (_, block, path) => {
    expect(() => partsOf(block)).toThrow(expect.objectContaining({ name: 'Untranslatable', path }));
  }); // oxfmt-ignore
});

describe('reasoning', () => {
  const thinking = (mark?: { format: string; provider?: string }, signature = 's'): ContentBlock => ({
    type: 'thinking', thinking: 't', signature, ...(mark && { mark }),
  }); // oxfmt-ignore
  const sealed = (mark?: { format: string; provider?: string }): ContentBlock => ({
    type: 'redacted-thinking', data: 'd', ...(mark && { mark }),
  }); // oxfmt-ignore
  const nova = { format: 'bedrock-amazon', provider: 'amazon-bedrock' };
  const sent = (block: ContentBlock, target: string) =>
    (messagesOf([user(text('x')), assistant(block, text('y'))], target) as { content: object[] }[])[1]!.content.slice(
      0,
      -1,
    );
  const SIGNED = { reasoningContent: { reasoningText: { text: 't', signature: 's' } } };
  const SEALED = { reasoningContent: { redactedContent: 'd' } };

  it.each<[string, ContentBlock, string, object[]]>([
    ['of Claude', thinking(), CLAUDE, [SIGNED]],
    ['of Claude elsewhere', thinking({ format: 'anthropic-claude-v1', provider: 'anthropic' }), CLAUDE, [SIGNED]],
    ['of Claude, sealed', sealed(), CLAUDE, [SEALED]],
    ['of Claude to Nova', thinking(), NOVA, []],
    ['of Nova', thinking(nova), NOVA, [SIGNED]],
    ['of Nova, sealed', sealed(nova), NOVA, [SEALED]],
    ['of Nova to Claude', thinking(nova), CLAUDE, []],
    ['of Nova at another provider', thinking({ ...nova, provider: 'other' }), NOVA, []],
  ])('%s', (_, block, target, expected) => {
    expect(sent(block, target)).toEqual(expected);
  });
});

describe('cache points', () => {
  const marked = { ttl: '1h' } as const;
  const HOUR = { cachePoint: { type: 'default', ttl: '1h' } };
  const request: Partial<ModelRequest> = {
    tools: [{ ...TOOL, cacheMarker: marked }],
    system: [{ type: 'text', text: 's', cacheMarker: {} }],
    messages: [
      user({ type: 'image', source: { type: 'base64', mediaType: 'image/png', data: '' }, cacheMarker: {} }),
      assistant({ ...call('a'), cacheMarker: marked }),
      user(
        { type: 'tool-result', toolUseId: 'a', content: [{ type: 'text', text: 'r', cacheMarker: {} }] },
        text('y', marked),
      ),
    ],
  };

  it('A31: follow whatever was marked, with their times', () => {
    const body = encode(request);
    expect(body).toMatchObject({ toolConfig: { tools: [SPEC, HOUR] }, system: [{ text: 's' }, POINT] });
    const contents = (body['messages'] as { content: object[] }[]).map(({ content }) => content);
    expect(contents.map((content) => content.filter((part) => 'cachePoint' in part))).toEqual([
      [POINT],
      [HOUR],
      [POINT, HOUR],
    ]);
    for (const content of contents) expect(content.at(-1)).toHaveProperty('cachePoint');
  });

  it.each([
    // No cache point directly after a result.
    [NOVA, 4, 0],
    [LLAMA, 0, 0],
    [UNKNOWN, 6, 3],
  ])('at %s', (target, points, hours) => {
    const printed = JSON.stringify(encode(request, target));
    expect([printed.split('cachePoint').length - 1, printed.split('1h').length - 1]).toEqual([points, hours]);
  });

  it('of the whole request follows the last part, unless there are four or one is there', () => {
    expect(messagesOf([user(text('x'))])).toEqual([{ role: 'user', content: [{ text: 'x' }] }]);
    const last = (parts: Partial<ModelRequest>) => (encode({ cacheMarker: {}, ...parts })['messages'] as { content: object[] }[]).at(-1)!.content;
    expect(last({})).toEqual([{ text: 'Hello' }, POINT]);
    expect(last({ messages: [user(text('x', marked))] })).toEqual([{ text: 'x' }, HOUR]);
    const four = [1, 2, 3, 4].map((number) => text(`${number}`, marked));
    expect(last({ messages: [user(...four, text('y'))] }).filter((part) => 'cachePoint' in part)).toHaveLength(4);
    const thought: ContentBlock = { type: 'thinking', thinking: 't', signature: 's' };
    expect(last({ messages: [user(text('x')), assistant(text('y'), thought)] })).toEqual([
      { text: 'y' }, POINT, { reasoningContent: { reasoningText: { text: 't', signature: 's' } } },
    ]);
  }); // oxfmt-ignore

  it('can be set and unset by the catalog', () => {
    expect(JSON.stringify(encode(request, targetOf(CLAUDE, {}, {}, { acceptsCacheMarkers: false })))).not.toContain(
      'cachePoint',
    );
    expect(JSON.stringify(encode(request, targetOf(LLAMA, {}, {}, { acceptsCacheMarkers: true })))).toContain(
      'cachePoint',
    );
  });
});

describe('tools', () => {
  const history = [user(text('x')), assistant(call('c')), user(result('c'))];
  const STAND_IN = { toolSpec: { name: 'f', inputSchema: { json: { type: 'object' } } } };
  const of = (parts: Partial<ModelRequest>, target: string) => {
    const { toolConfig, additionalModelRequestFields: own } = encode(parts, target);
    return { toolConfig, own };
  };

  it.each<[string, Partial<ModelRequest>, string, object]>([
    ['no choice', { tools: [TOOL] }, CLAUDE, { toolConfig: { tools: [SPEC] } }],
    ['auto', { tools: [TOOL], toolChoice: { type: 'auto' } }, LLAMA, { toolConfig: { tools: [SPEC], toolChoice: { auto: {} } } }],
    ['any', { tools: [TOOL], toolChoice: { type: 'any' }, parallelToolCalls: false }, CLAUDE, { toolConfig: { tools: [SPEC], toolChoice: { any: {} } } }],
    ['one', { tools: [TOOL], toolChoice: { type: 'tool', name: 'f' } }, CLAUDE, { toolConfig: { tools: [SPEC], toolChoice: { tool: { name: 'f' } } } }],
    ['none', { tools: [TOOL], toolChoice: { type: 'none' } }, CLAUDE, { toolConfig: { tools: [SPEC] }, own: { tool_choice: { type: 'none' } } }],
    ['none, without the word', { tools: [TOOL], toolChoice: { type: 'none' } }, LLAMA, {}],
    ['none, with calls behind', { tools: [TOOL], toolChoice: { type: 'none' }, messages: history }, LLAMA, { toolConfig: { tools: [SPEC] } }],
    ['no tools, with calls behind', { messages: history }, LLAMA, { toolConfig: { tools: [STAND_IN] } }],
    ['no tools, with calls behind, at Claude', { messages: history }, CLAUDE, { toolConfig: { tools: [STAND_IN] }, own: { tool_choice: { type: 'none' } } }],
    ['one at a time', { tools: [TOOL], parallelToolCalls: false }, CLAUDE, { toolConfig: { tools: [SPEC] }, own: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } } }],
    ['one at a time, without the word', { tools: [TOOL], parallelToolCalls: false }, LLAMA, { toolConfig: { tools: [SPEC] } }],
  ])('%s', (_, parts, target, expected) => {
    expect(of(parts, target)).toEqual(expected);
  }); // oxfmt-ignore

  it('state the type that a schema leaves out, and no empty description', () => {
    const tool = { ...TOOL, description: '', inputSchema: {}, strict: true };
    expect(encode({ tools: [tool] })['toolConfig']).toEqual({
      tools: [{ toolSpec: { name: 'f', inputSchema: { json: { ...CLOSED, properties: {} } }, strict: true } }],
    });
  });
});

describe('a count', () => {
  it('sends what the request would send', () => {
    const request = modelRequest({
      system: [{ type: 'text', text: 's' }],
      messages: [user(text('x'))],
      maxOutputTokens: 5,
    });
    const { path, body, stream } = doAtOnce(encodeCount(request, targetOf(NOVA)));
    expect([path, stream]).toEqual(['/model/amazon.nova-2-lite-v1%3A0/count-tokens', false]);
    expect(JSON.parse(JSON.stringify(body))).toEqual({
      input: { converse: { system: [{ text: 's' }], messages: [{ role: 'user', content: [{ text: 'x' }] }] } },
    });
  });

  it('is a figure', () => {
    expect(decodeCount({ inputTokens: 12 })).toEqual({ inputTokens: 12 });
    for (const body of [{}, null, { inputTokens: -1 }, { inputTokens: 'x' }]) {
      expect(() => decodeCount(body)).toThrow(expect.objectContaining({ kind: 'malformed-reply' }));
    }
  });
});
