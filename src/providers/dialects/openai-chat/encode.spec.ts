// Goal: the right body reaches a chat provider. Method: encode a neutral request, read the body back; tables for fields
// and rules. Rules: docs/contribute/reasons/money.md, docs/contribute/reasons/translation.md,
// docs/use/choosing-providers.md.
import { modelRequest } from '../../../../test/support/model-request.js';
import { printJson, type JsonObject } from '../../../core/json/json.js';
import type { ContentBlock, Message, ToolResultContent } from '../../../core/conversation/content.js';
import type { ModelRequest } from '../../../core/conversation/request.js';
import type { Tool } from '../../../core/conversation/tools.js';
import { Untranslatable } from '../../../core/errors.js';
import { Base64Builder, type Base64Text } from '../../../core/json/base64-text.js';
import type { FetchedMedia, Target } from '../../../core/provider.js';
import type { Quirks } from '../../../core/quirks.js';
import type { Modality } from '../../../core/routing/catalog.js';
import { doAtOnce } from '../../../core/steps.js';
import { openaiChat } from './dialect.js';

interface TargetParts extends Quirks {
  readonly supports?: readonly string[];
  readonly modalities?: readonly Modality[];
}

function target({ supports = [], modalities = ['text'], ...quirks }: TargetParts = {}): Target {
  const endpoint: Target['endpoint'] = {
    tag: 'acme',
    provider: {
      slug: 'acme',
      name: 'Acme',
      dialect: 'openai-chat',
      baseUrl: 'https://provider.test/v1',
      policy: { collectsData: false, zeroDataRetention: false },
    },
    upstreamModel: 'acme-upstream',
    pricing: null,
    quantization: 'unknown',
    contextLength: 128_000,
    supportedParameters: supports,
  };
  return {
    endpoint,
    model: {
      id: 'acme/model',
      name: 'Acme Model',
      contextLength: 128_000,
      inputModalities: modalities,
      outputModalities: ['text'],
      scores: {},
      endpoints: [endpoint],
    },
    tier: 'standard',
    definition: { slug: 'acme', credential: 'bearer', quirks },
  };
}

const request = (parts: Partial<ModelRequest> = {}): ModelRequest =>
  modelRequest({
    model: 'acme/model',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    ...parts,
  });

const NO_MEDIA: FetchedMedia = new Map();

function base64Of(text: string): Base64Text {
  const base64 = new Base64Builder();
  base64.push(Buffer.from(text));
  return base64.finish();
}

const bodyOf = (parts: Partial<ModelRequest>, where = target(), media = NO_MEDIA): JsonObject =>
  JSON.parse(printJson(doAtOnce(openaiChat.encode(request(parts), where, media)).body)) as JsonObject;

const messagesOf = (messages: readonly Message[], where = target(), media = NO_MEDIA): unknown =>
  bodyOf({ messages }, where, media)['messages'];

const text = (value: string): ContentBlock & { type: 'text' } => ({ type: 'text', text: value });
const user = (...content: ContentBlock[]): Message => ({ role: 'user', content });
const assistant = (...content: ContentBlock[]): Message => ({ role: 'assistant', content });
const call = (id: string, name = 'look', input: JsonObject | string | undefined = {}): ContentBlock => ({
  type: 'tool-use',
  id,
  name,
  input,
});
const result = (toolUseId: string, ...content: ToolResultContent[]): ContentBlock & { type: 'tool-result' } => ({
  type: 'tool-result',
  toolUseId,
  content,
});
const opaque = (value: JsonObject): ContentBlock => ({ type: 'opaque', opaque: { vendor: 'anthropic', value } });
const tool = (name: string, inputSchema: JsonObject = { type: 'object' }): Tool => ({
  type: 'function',
  name,
  inputSchema,
});
const png = { type: 'base64', mediaType: 'image/png', data: 'AAAA' } as const;
const pdf = { type: 'base64', mediaType: 'application/pdf', data: 'JVBERg==' } as const;
const wirePng = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const wireCall = (id: string, name = 'look', args = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

function refusalOf(run: () => unknown): { path: string; message: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof Untranslatable) return { path: error.path, message: error.message };
    throw error;
  }
  throw new Error('It was not refused.');
}

describe('the call', () => {
  it('requests a whole reply', () => {
    const sent = doAtOnce(openaiChat.encode(request(), target(), NO_MEDIA));
    expect(sent).toMatchObject({
      path: '/chat/completions',
      stream: false,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
    });
    expect(JSON.parse(printJson(sent.body))).toEqual({
      model: 'acme-upstream',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: false,
    });
  });

  it('requests usage of streamed replies', () => {
    const sent = doAtOnce(openaiChat.encode(request({ stream: true }), target(), NO_MEDIA));
    expect(sent.headers['accept']).toBe('text/event-stream');
    expect(JSON.parse(printJson(sent.body))).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it.each([true, false])('lets no unknown field override modelled ones: a stream %s', (stream) => {
    const value = { stream: !stream, model: 'x', messages: 'x' };
    const body = bodyOf({ stream, extras: { vendor: 'openai', value } });
    expect(body).toEqual(bodyOf({ stream }));
  });

  it('leaves out what the provider refuses', () => {
    const body = bodyOf({ stream: true, user: 'u' }, target({ omit: ['stream_options', 'user'] }));
    expect(Object.keys(body)).toEqual(['stream', 'model', 'messages']);
  });

  it('gives equal bytes for equal requests', () => {
    const parts = { tools: [tool('a b')], messages: [user(text('x'), { type: 'image', source: png })] };
    const encode = (): string => printJson(doAtOnce(openaiChat.encode(request(parts), target(), NO_MEDIA)).body);
    const first = encode();
    expect(encode()).toBe(first);
  });
});

describe('fields', () => {
  it.each<[string, Partial<ModelRequest>, JsonObject, TargetParts?]>([
    ['the output limit', { maxOutputTokens: 9 }, { max_tokens: 9 }],
    [
      'the output limit by its newer name',
      { maxOutputTokens: 9 },
      { max_completion_tokens: 9 },
      { maxTokensField: 'max_completion_tokens' },
    ],
    [
      'sampling',
      { sampling: { temperature: 0, topP: 0.5, seed: 7, logprobs: true, topLogprobs: 2, logitBias: { 5: -1 } } },
      { temperature: 0, top_p: 0.5, seed: 7, logprobs: true, top_logprobs: 2, logit_bias: { 5: -1 } },
    ],
    ['stop sequences at the limit', { stopSequences: ['a', 'b', 'c', 'd'] }, { stop: ['a', 'b', 'c', 'd'] }],
    ['no stop for an empty list', { stopSequences: [] }, {}],
    [
      'the extensions an endpoint lists',
      { sampling: { topK: 5, minP: 0.1, topA: 0.2, repetitionPenalty: 1.1 } },
      { top_k: 5, min_p: 0.1, top_a: 0.2, repetition_penalty: 1.1 },
      { supports: ['top_k', 'min_p', 'top_a', 'repetition_penalty'] },
    ],
    [
      'not what an endpoint leaves out',
      { sampling: { temperature: 1, topP: 1 }, stopSequences: ['a', 'b', 'c', 'd', 'e'], maxOutputTokens: 3 },
      { top_p: 1, max_tokens: 3 },
      { supports: ['top_p'] },
    ],
    ['verbosity', { verbosity: 'low' }, { verbosity: 'low' }],
    ['no more than the most the format knows', { verbosity: 'max' }, { verbosity: 'high' }],
    ['the user', { user: 'u1' }, { user: 'u1' }],
    ['the user of the metadata', { metadata: { vendor: 'anthropic', value: { user_id: 'm1' } } }, { user: 'm1' }],
    ['no user for null metadata', { metadata: { vendor: 'anthropic', value: { user_id: null } } }, {}],
    ['the service tier of the plain price', { serviceTier: 'auto' }, { service_tier: 'auto' }, { serviceTiers: true }],
    ['what its prompt cache goes by', { promptCacheKey: 'k' }, { prompt_cache_key: 'k' }],
    [
      'standard_only as the default tier',
      { serviceTier: 'standard_only' },
      { service_tier: 'default' },
      { serviceTiers: true },
    ],
    [
      'fields of the chat format it does not know',
      { extras: { vendor: 'openai', value: { store: true, model: 'x' } } },
      { store: true },
    ],
    ['no fields of other formats', { extras: { vendor: 'anthropic', value: { safeguards: [] } } }, {}],
    [
      'nothing of what is the gateway’s own',
      {
        sessionId: 's',
        trace: { a: 1 },
      },
      {},
    ],
  ])('sends %s', (_, parts, expected, where = {}) => {
    const { messages: _messages, stream: _stream, model, ...rest } = bodyOf(parts, target(where));
    expect(model).toBe('acme-upstream');
    expect(rest).toEqual(expected);
  });

  it('refuses more stop sequences than the format holds', () => {
    const refusal = refusalOf(() => bodyOf({ stopSequences: ['a', 'b', 'c', 'd', 'e'] }));
    expect(refusal.path).toBe('stop_sequences');
    expect(refusal.message).toContain('at most 4');
  });

  it.each([
    [64, true],
    [65, false],
  ])('sends a user of %d characters as it is: %s', (length, isKept) => {
    const name = 'u'.repeat(length);
    const { user: sent } = bodyOf({ user: name }) as { user: string };
    expect(sent === name).toBe(isKept);
    expect(sent).toHaveLength(64);
  });

  it('requests JSON', () => {
    expect(bodyOf({ outputFormat: { type: 'json-object' } })['response_format']).toEqual({ type: 'json_object' });
  });

  const closed = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  it.each<[string, ModelRequest['outputFormat'] & object, JsonObject]>([
    [
      'a closed schema strictly',
      { type: 'json-schema', schema: closed },
      { name: 'reply', schema: closed, strict: true },
    ],
    [
      'an open schema loosely, since strict mode refuses it',
      { type: 'json-schema', schema: { type: 'object' } },
      { name: 'reply', schema: { type: 'object' }, strict: false },
    ],
    [
      'the caller’s own word',
      { type: 'json-schema', schema: closed, name: 'mine', strict: false },
      { name: 'mine', schema: closed, strict: false },
    ],
  ])('requests %s', (_, outputFormat, expected) => {
    expect(bodyOf({ outputFormat })['response_format']).toEqual({ type: 'json_schema', json_schema: expected });
  });
});

describe('reasoning', () => {
  const effort: TargetParts = { reasoningStyle: 'reasoning_effort' };
  const object: TargetParts = {
    reasoningStyle: 'reasoning_object',
    efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  };
  const toggle: TargetParts = { reasoningStyle: 'thinking_object' };

  it.each<[string, Partial<ModelRequest>, TargetParts, JsonObject]>([
    ['nothing without a style', { effort: 'high' }, {}, {}],
    ['nothing where the endpoint does not reason', { effort: 'high' }, { ...effort, supports: ['temperature'] }, {}],
    ['the effort', { effort: 'medium' }, { ...effort, supports: ['reasoning'] }, { reasoning_effort: 'medium' }],
    ['the nearest lower effort', { effort: 'max' }, effort, { reasoning_effort: 'high' }],
    ['the lowest effort below all', { effort: 'minimal' }, effort, { reasoning_effort: 'low' }],
    [
      'xhigh where it is known',
      { effort: 'max' },
      { ...effort, efforts: ['low', 'xhigh'] },
      { reasoning_effort: 'xhigh' },
    ],
    [
      'low for 1,024 tokens',
      { thinking: { type: 'enabled', budgetTokens: 1024 } },
      effort,
      { reasoning_effort: 'low' },
    ],
    [
      'low for 4,095 tokens',
      { thinking: { type: 'enabled', budgetTokens: 4095 } },
      effort,
      { reasoning_effort: 'low' },
    ],
    [
      'medium from 4,096 on',
      { thinking: { type: 'enabled', budgetTokens: 4096 } },
      effort,
      { reasoning_effort: 'medium' },
    ],
    [
      'high from 16,384 on',
      { thinking: { type: 'enabled', budgetTokens: 16_384 } },
      effort,
      { reasoning_effort: 'high' },
    ],
    [
      'the effort before the budget',
      { effort: 'low', thinking: { type: 'enabled', budgetTokens: 50_000 } },
      effort,
      { reasoning_effort: 'low' },
    ],
    ['nothing when thinking is off', { effort: 'high', thinking: { type: 'disabled' } }, effort, {}],
    ['nothing when it is left to the model', { thinking: { type: 'adaptive' } }, effort, {}],
    [
      'a budget as it is',
      { thinking: { type: 'enabled', budgetTokens: 2000 } },
      object,
      { reasoning: { max_tokens: 2000 } },
    ],
    [
      'an effort in an object',
      { effort: 'max', thinking: { type: 'adaptive' } },
      object,
      { reasoning: { effort: 'max' } },
    ],
    ['on', { thinking: { type: 'adaptive' } }, object, { reasoning: { enabled: true } }],
    ['off', { thinking: { type: 'disabled' } }, object, { reasoning: { enabled: false } }],
    [
      'the wish for a summary',
      { effort: 'low', reasoningSummary: 'concise' },
      object,
      { reasoning: { effort: 'low', summary: 'concise' } },
    ],
    ['a summary alone', { reasoningSummary: 'auto' }, object, { reasoning: { summary: 'auto' } }],
    [
      'no summary of nothing',
      { thinking: { type: 'disabled' }, reasoningSummary: 'auto' },
      object,
      { reasoning: { enabled: false } },
    ],
    ['no summary by effort alone', { effort: 'low', reasoningSummary: 'auto' }, effort, { reasoning_effort: 'low' }],
    ['nothing missing', {}, object, {}],
    ['the switch on', { thinking: { type: 'enabled', budgetTokens: 2000 } }, toggle, { thinking: { type: 'enabled' } }],
    ['the switch off', { thinking: { type: 'disabled' } }, toggle, { thinking: { type: 'disabled' } }],
    ['the switch off for no effort', { effort: 'none' }, toggle, { thinking: { type: 'disabled' } }],
    ['the switch on for any other effort', { effort: 'high' }, toggle, { thinking: { type: 'enabled' } }],
    ['no switch missing', {}, toggle, {}],
  ])('sends %s', (_, parts, where, expected) => {
    const { messages: _messages, stream: _stream, model: _model, ...rest } = bodyOf(parts, target(where));
    expect(rest).toEqual(expected);
  });
});

describe('tools', () => {
  it('keeps the schema as it is', () => {
    const schema: JsonObject = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { a: { anyOf: [{ type: 'number', exclusiveMinimum: 0 }, { const: null }] } },
      patternProperties: { '^x': {} },
      propertyNames: { pattern: 'a' },
      additionalProperties: false,
    };
    const body = bodyOf({
      tools: [{ type: 'function', name: 'f', description: 'd', inputSchema: schema, strict: true, cacheMarker: {} }],
    });
    expect(body['tools']).toEqual([
      { type: 'function', function: { name: 'f', description: 'd', parameters: schema, strict: true } },
    ]);
  });

  it('states the type that the schema leaves out', () => {
    expect(bodyOf({ tools: [tool('f', { properties: {} })] })['tools']).toMatchObject([
      { function: { parameters: { type: 'object', properties: {} } } },
    ]);
  });

  it.each<[string, Partial<ModelRequest>, JsonObject]>([
    ['auto', { toolChoice: { type: 'auto' } }, { tool_choice: 'auto' }],
    ['any', { toolChoice: { type: 'any' } }, { tool_choice: 'required' }],
    ['none', { toolChoice: { type: 'none' } }, { tool_choice: 'none' }],
    [
      'tool',
      { toolChoice: { type: 'tool', name: 'f' } },
      { tool_choice: { type: 'function', function: { name: 'f' } } },
    ],
    ['no parallel calls', { parallelToolCalls: false }, { parallel_tool_calls: false }],
    ['nothing missing', {}, {}],
  ])('sends the choice %s, whatever the endpoint lists', (_, parts, expected) => {
    const {
      tools,
      messages: _messages,
      stream: _stream,
      model: _model,
      ...rest
    } = bodyOf({ tools: [tool('f')], ...parts }, target({ supports: ['temperature'] }));
    expect(tools).toHaveLength(1);
    expect(rest).toEqual(expected);
  });

  it('sends no choice without tools', () => {
    expect(bodyOf({ toolChoice: { type: 'none' }, parallelToolCalls: false })).not.toHaveProperty('tool_choice');
  });

  it.each<[string, Tool]>([
    [
      'web_search',
      { type: 'vendor', name: 'web_search', opaque: { vendor: 'anthropic', value: { type: 'web_search_20250305' } } },
    ],
    [
      'bash_20250124',
      { type: 'vendor', name: 'bash', opaque: { vendor: 'anthropic', value: { type: 'bash_20250124' } } },
    ],
    [
      'advisor',
      { type: 'vendor', name: 'advisor', opaque: { vendor: 'anthropic', value: { type: 'advisor_20260301' } } },
    ],
    ['openrouter:web_fetch', { type: 'service', id: 'openrouter:web_fetch', parameters: {} }],
  ])('refuses %s, naming it and the target', (name, refused) => {
    const { path, message } = refusalOf(() => bodyOf({ tools: [tool('f'), refused] }));
    expect(path).toBe('tools.1');
    expect(message).toContain(name);
    expect(message).toContain('acme/model at Acme');
  });

  it('passes the chat format’s own vendor tools', () => {
    const value = { type: 'web_search_preview' };
    expect(bodyOf({ tools: [{ type: 'vendor', opaque: { vendor: 'openai', value } }] })['tools']).toEqual([value]);
  });
});

describe('tool names', () => {
  const long = (end: string): string => 'n'.repeat(69) + end;
  const namesOf = (body: JsonObject): string[] =>
    (body['tools'] as { function: { name: string } }[]).map((entry) => entry.function.name);

  it.each([
    ['64 characters', 'n'.repeat(64), true],
    ['65 characters', 'n'.repeat(65), false],
    ['a dot', 'files.read', false],
    ['letters beyond ASCII', 'été', false],
  ])('a name of %s is kept: %s', (_, name, isKept) => {
    const [sent] = namesOf(bodyOf({ tools: [tool(name)] }));
    expect(sent === name).toBe(isKept);
    expect(sent).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  it('keeps names distinct that begin alike, wherever they are', () => {
    const body = bodyOf({
      tools: [tool(long('1')), tool(long('2'))],
      toolChoice: { type: 'tool', name: long('2') },
      messages: [user(text('a')), assistant(call('t1', long('2'))), user(result('t1', text('r')))],
    });
    const [first, second] = namesOf(body);
    expect(first).not.toBe(second);
    expect(body['tool_choice']).toEqual({ type: 'function', function: { name: second } });
    expect(body['messages']).toMatchObject([{}, { tool_calls: [{ function: { name: second } }] }, {}]);
  });

  it('never takes a name that another tool has', () => {
    const [mapped] = namesOf(bodyOf({ tools: [tool('a.b')] }));
    const [, both] = namesOf(bodyOf({ tools: [tool(mapped!), tool('a.b')] }));
    expect(both).not.toBe(mapped);
  });

  it('follows the provider’s own limit', () => {
    expect(namesOf(bodyOf({ tools: [tool('n'.repeat(33))] }, target({ toolNameMax: 32 })))[0]).toHaveLength(32);
  });
});

describe('system texts', () => {
  it('joins the system prompt', () => {
    expect(bodyOf({ system: [text('A'), { ...text('B'), cacheMarker: {} }], messages: [] })['messages']).toEqual([
      { role: 'system', content: 'A\n\nB' },
    ]);
  });

  it('uses the role the provider wants', () => {
    expect(bodyOf({ system: [text('A')], messages: [] }, target({ systemRole: 'developer' }))['messages']).toEqual([
      { role: 'developer', content: 'A' },
    ]);
  });

  it('keeps system turns in place, and what precedes them unchanged', () => {
    const before = [user(text('1')), assistant(text('2'))];
    const first = messagesOf(before) as unknown[];
    const later = messagesOf([...before, { role: 'system', content: [text('S')] }, user(text('3'))]) as unknown[];
    expect(later.slice(0, 2)).toEqual(first);
    expect(later.slice(2)).toEqual([
      { role: 'system', content: 'S' },
      { role: 'user', content: '3' },
    ]);
  });

  it('keeps results directly behind their call when a system turn is between them', () => {
    const sent = messagesOf([
      assistant(call('t1')),
      { role: 'system', content: [text('S')] },
      user(result('t1'), text('A')),
    ]);
    expect(sent).toMatchObject([
      { role: 'assistant' },
      { role: 'tool', tool_call_id: 't1' },
      { role: 'system', content: 'S' },
      { role: 'user', content: 'A' },
    ]);
  });

  it('refuses tool changes in system turns', () => {
    const turn: Message = { role: 'system', content: [opaque({ type: 'tool_addition', tool: {} })] };
    expect(refusalOf(() => messagesOf([turn])).path).toBe('messages.0.content.0');
  });
});

describe('user turns', () => {
  it.each<[string, ContentBlock[], unknown]>([
    ['one text as a string', [text('A')], 'A'],
    ['several texts as a string', [text('A'), text('B')], 'A\n\nB'],
    ['a base64 image', [{ type: 'image', source: png }, text('A')], [wirePng, { type: 'text', text: 'A' }]],
    [
      'an image by address',
      [{ type: 'image', source: { type: 'url', url: 'https://a.test/x.png' }, detail: 'low' }],
      [{ type: 'image_url', image_url: { url: 'https://a.test/x.png', detail: 'low' } }],
    ],
    [
      'audio',
      [{ type: 'audio', format: 'wav', data: 'AA' }],
      [{ type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } }],
    ],
    [
      'video',
      [{ type: 'video', source: { type: 'url', url: 'https://a.test/v' } }],
      [{ type: 'video_url', video_url: { url: 'https://a.test/v' } }],
    ],
    ['a text document', [{ type: 'document', source: { type: 'text', text: 'T' } }], 'T'],
    [
      'a text document with title and context',
      [{ type: 'document', source: { type: 'text', text: 'T' }, title: 'N', context: 'C', wantsCitations: true }],
      'Document: N\nContext: C\n\nT',
    ],
    [
      'a document of blocks, flattened',
      [
        {
          type: 'document',
          title: 'N',
          source: { type: 'blocks', blocks: [text('T'), { type: 'image', source: png }] },
        },
      ],
      [{ type: 'text', text: 'Document: N' }, { type: 'text', text: 'T' }, wirePng],
    ],
    [
      'a search result',
      [{ type: 'search-result', source: 'https://a.test', title: 'N', content: [text('X'), text('Y')] }],
      'Search result: N\nSource: https://a.test\n\nX\n\nY',
    ],
  ])('sends %s', (_, content, expected) => {
    expect(messagesOf([user(...content)])).toEqual([{ role: 'user', content: expected }]);
  });

  const filePart = (filename: string) => ({
    type: 'file',
    file: { filename, file_data: 'data:application/pdf;base64,JVBERg==' },
  });

  it.each<[string, TargetParts, boolean]>([
    ['a provider that takes files', { acceptsFiles: true }, true],
    ['a model that reads files', { modalities: ['text', 'file'] }, true],
    ['any other', {}, false],
  ])('sends a PDF to %s: %#', (_, where, isSent) => {
    const turn = user({ type: 'document', source: pdf, context: 'C' });
    if (isSent) {
      expect(messagesOf([turn], target(where))).toEqual([
        { role: 'user', content: [{ type: 'text', text: 'C' }, filePart('document.pdf')] },
      ]);
    } else {
      const { path, message } = refusalOf(() => messagesOf([turn], target(where)));
      expect(path).toBe('messages.0.content.0.source');
      expect(message).toContain('application/pdf');
    }
  });

  it.each([
    ['report', 'report.pdf'],
    ['report.PDF', 'report.PDF'],
    ['', 'document.pdf'],
  ])('names a PDF titled "%s" %s', (title, expected) => {
    const turn = user({ type: 'document', source: pdf, title });
    expect(messagesOf([turn], target({ acceptsFiles: true }))).toEqual([
      { role: 'user', content: [filePart(expected)] },
    ]);
  });

  it('wants documents by address as bytes, each once, and sends them', () => {
    const source = { type: 'url', url: 'https://a.test/d.pdf' } as const;
    const messages = [
      user({ type: 'document', source }, { type: 'image', source: { type: 'url', url: 'https://a.test/i.png' } }),
      assistant(call('t1')),
      user(
        result(
          't1',
          { type: 'document', source },
          { type: 'document', source: { ...source, url: 'https://a.test/e' } },
        ),
      ),
    ];
    expect(openaiChat.requiredMedia!(request({ messages }), target())).toEqual([
      { url: 'https://a.test/d.pdf', accept: 'document', path: 'messages.0.content.0.source.url' },
      { url: 'https://a.test/e', accept: 'document', path: 'messages.2.content.0.content.1.source.url' },
    ]);
    const media = new Map([['https://a.test/d.pdf', { mediaType: 'application/pdf', base64: base64Of('%PDF') }]]);
    expect(messagesOf([user({ type: 'document', source })], target({ acceptsFiles: true }), media)).toEqual([
      { role: 'user', content: [filePart('document.pdf')] },
    ]);
  });

  it('reads a fetched text document', () => {
    const source = { type: 'url', url: 'https://a.test/t' } as const;
    const media = new Map([['https://a.test/t', { mediaType: 'text/plain; charset=utf-8', base64: base64Of('é') }]]);
    expect(messagesOf([user({ type: 'document', source })], target(), media)).toEqual([{ role: 'user', content: 'é' }]);
  });
});

describe('tool results', () => {
  it('puts all results first, then the texts in order', () => {
    const sent = messagesOf([
      assistant(call('t1'), call('t2')),
      user(text('0'), result('t1', text('x'), text('y')), text('A'), result('t2'), text('B')),
    ]);
    expect(sent).toEqual([
      { role: 'assistant', content: null, tool_calls: [wireCall('t1'), wireCall('t2')] },
      { role: 'tool', tool_call_id: 't1', content: 'x\n\ny' },
      { role: 'tool', tool_call_id: 't2', content: '' },
      { role: 'user', content: '0\n\nA\n\nB' },
    ]);
  });

  it('adds no user message after results alone', () => {
    expect(messagesOf([user(result('t1', text('x')))])).toEqual([{ role: 'tool', tool_call_id: 't1', content: 'x' }]);
  });

  it('leaves out empty texts, but for their markers', () => {
    const empty = { ...text(''), cacheMarker: {} };
    const marked = target({ acceptsCacheMarkers: true });
    expect(messagesOf([user(result('t1', text(''), text('x'), text('')), result('t2', text('')))])).toEqual([
      { role: 'tool', tool_call_id: 't1', content: 'x' },
      { role: 'tool', tool_call_id: 't2', content: '' },
    ]);
    expect(messagesOf([user(result('t1', text('x'), empty))], marked)).toMatchObject([
      { content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] },
    ]);
  });

  it('carries images and documents behind the result, in order and by name', () => {
    const sent = messagesOf(
      [
        user(
          result('t1', text('see'), { type: 'image', source: png }, { type: 'document', source: pdf }),
          result('t2', { type: 'image', source: png }),
          text('A'),
        ),
      ],
      target({ acceptsFiles: true }),
    );
    const name = (count: number, id: string): string => `Attachment ${count} of tool result ${id}`;
    expect(sent).toEqual([
      {
        role: 'tool',
        tool_call_id: 't1',
        content: `see\n\n[${name(1, 't1')}: see the next user message]\n\n[${name(2, 't1')}: see the next user message]`,
      },
      { role: 'tool', tool_call_id: 't2', content: `[${name(1, 't2')}: see the next user message]` },
      {
        role: 'user',
        content: [
          { type: 'text', text: `[${name(1, 't1')}]` },
          wirePng,
          { type: 'text', text: `[${name(2, 't1')}]` },
          { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,JVBERg==' } },
          { type: 'text', text: `[${name(1, 't2')}]` },
          wirePng,
          { type: 'text', text: 'A' },
        ],
      },
    ]);
  });

  it('keeps text documents, search results and tool references in the result', () => {
    const sent = messagesOf([
      user(
        result(
          't1',
          { type: 'document', source: { type: 'text', text: 'T' } },
          { type: 'search-result', source: 's', title: 'N', content: [text('X')] },
          { type: 'tool-reference', toolName: 'f' },
        ),
      ),
    ]);
    expect(sent).toMatchObject([{ content: 'T\n\nSearch result: N\nSource: s\n\nX\n\n[Tool f is available.]' }]);
  });

  it.each([
    [true, 'Error: boom'],
    [false, 'boom'],
  ])('marks a failed call: %s', (isError, content) => {
    expect(messagesOf([user({ ...result('t1', text('boom')), isError })])).toMatchObject([{ content }]);
  });

  it('names the block inside a result that it refuses', () => {
    const turn = user(result('t1', text('a'), { type: 'document', source: { type: 'file', fileId: 'f' } }));
    expect(refusalOf(() => messagesOf([turn])).path).toBe('messages.0.content.0.content.1.source.file_id');
  });

  it('maps ids for a provider that wants them short, alike in call and result', () => {
    const where = target({ toolCallIdLength: 9 });
    const sent = messagesOf([assistant(call('toolu_01'), call('abcDEF123')), user(result('toolu_01'))], where) as {
      tool_calls: { id: string }[];
      tool_call_id: string;
    }[];
    const [first, second] = sent[0]!.tool_calls;
    expect(first!.id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(second!.id).toBe('abcDEF123');
    expect(sent[1]!.tool_call_id).toBe(first!.id);
  });
});

describe('assistant turns', () => {
  const ofTurn = (content: ContentBlock[], where = target()): unknown => messagesOf([assistant(...content)], where);

  it.each<[string, unknown, string]>([
    ['an object', { a: 1 }, '{"a":1}'],
    ['nothing', undefined, '{}'],
    ['the caller’s own text', '{"a": 1.0}', '{"a": 1.0}'],
    ['an empty text', '', '{}'],
    ['a list', [1], '[1]'],
  ])('sends %s as arguments', (_, input, expected) => {
    expect(ofTurn([{ type: 'tool-use', id: 't', name: 'look', input: input as JsonObject }])).toMatchObject([
      { tool_calls: [{ function: { arguments: expected } }] },
    ]);
  });

  it('joins text that citations cut, and keeps texts apart that other blocks part', () => {
    const sent = ofTurn([text('A'), { ...text('B'), citations: [{}] }, call('t1'), text('C')]);
    expect(sent).toEqual([{ role: 'assistant', content: 'AB\n\nC', tool_calls: [wireCall('t1')] }]);
  });

  const thoughts: ContentBlock[] = [
    { type: 'thinking', thinking: 'own' },
    { type: 'thinking', thinking: '' },
    { type: 'thinking', thinking: 'unsigned', signature: '' },
    { type: 'thinking', thinking: 'signed', signature: 'sig' },
    { type: 'redacted-thinking', data: 'x' },
    text('A'),
  ];
  it('drops reasoning', () => {
    expect(ofTurn(thoughts)).toEqual([{ role: 'assistant', content: 'A' }]);
  });
  it('returns unsigned reasoning where it is wanted, never what another vendor signed', () => {
    expect(ofTurn(thoughts, target({ returnsReasoning: true }))).toEqual([
      { role: 'assistant', content: 'A', reasoning_content: 'own\n\nunsigned' },
    ]);
  });
  it.each<[string, ContentBlock, object]>([
    ['sends back text that it emitted', { type: 'thinking', thinking: 't', mark: { format: 'f', provider: 'acme' } }, { reasoning_content: 't' }],
    ['puts a space for words of another provider', { type: 'thinking', thinking: 't', mark: { format: 'f', provider: 'other' } }, { reasoning_content: ' ' }],
    ['puts a space for signed words of another provider', { type: 'thinking', thinking: 't', signature: 's', mark: { format: 'f', provider: 'other' } }, { reasoning_content: ' ' }],
    ['puts a space for none', text('B'), { content: 'BA', reasoning_content: ' ' }],
  ])('where reasoning is wanted %s', (_, block, sent) => {
    const quirks = { returnsReasoning: true, returnsReasoningDetails: false };
    expect(ofTurn([block, text('A')], target(quirks))).toEqual([{ role: 'assistant', content: 'A', ...sent }]);
  }); // oxfmt-ignore

  const marked = (format: string, provider?: string) => ({
    mark: { format, ...(provider !== undefined && { provider }) },
  });
  const CLAUDE = 'anthropic-claude-v1';
  const signed: ContentBlock = { type: 'thinking', thinking: 't', signature: 's' };
  const wireSigned = { type: 'reasoning.text', text: 't', signature: 's', format: CLAUDE };
  it.each<[string, ContentBlock, Quirks, object | undefined]>([
    ['its own, signed by Claude', { ...signed, ...marked(CLAUDE, 'acme') }, {}, wireSigned],
    [
      'its own, sealed',
      { type: 'redacted-thinking', data: 'd', mark: { format: 'f', provider: 'acme', id: 'rs_1' } },
      {},
      { type: 'reasoning.encrypted', data: 'd', format: 'f', id: 'rs_1' },
    ],
    [
      'its own, in short',
      { type: 'thinking', thinking: 't', mark: { format: 'f', provider: 'acme', isSummary: true } },
      {},
      { type: 'reasoning.summary', summary: 't', format: 'f' },
    ],
    ['its own, of a format that has no details', { type: 'redacted-thinking', data: 'd', mark: { format: 'openai-responses-v1', provider: 'acme' } }, { returnsReasoningDetails: false }, undefined],
    ['of another provider, though it takes details', { ...signed, ...marked('f', 'other') }, { returnsReasoningDetails: true }, undefined],
    ['of another provider, signed by Claude', { ...signed, ...marked(CLAUDE, 'other') }, { returnsReasoningDetails: true }, wireSigned],
    ['of another provider, signed by Claude, without a mark', { ...signed, ...marked(CLAUDE, 'other') }, {}, undefined],
    ['of Anthropic', signed, { returnsReasoningDetails: true }, wireSigned],
    ['without a maker', { type: 'thinking', thinking: 't' }, { returnsReasoningDetails: true }, undefined],
    ['of an unknown maker', { ...signed, ...marked('f') }, { returnsReasoningDetails: true }, { ...wireSigned, format: 'f' }],
  ])('shows reasoning as details to its signer only: %s', (_, block, quirks, detail) => {
    const sent = ofTurn([block, text('A')], target(quirks));
    const expected = detail && { reasoning_details: [{ ...detail, index: 0 }] };
    expect(sent).toEqual([{ role: 'assistant', content: 'A', ...expected }]);
  }); // oxfmt-ignore

  it.each<[string, JsonObject, string | undefined]>([
    [
      'a server call',
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } },
      '[Called tool web_search with {"query":"q"}]',
    ],
    [
      'search results, without what only the vendor reads',
      {
        type: 'web_search_tool_result',
        content: [{ type: 'web_search_result', title: 'T', url: 'https://a.test', encrypted_content: 'secret' }],
      },
      '[Web search results]\n- T (https://a.test)',
    ],
    [
      'a failed search',
      {
        type: 'web_search_tool_result',
        content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
      },
      '[Web search failed: max_uses_exceeded]',
    ],
    [
      'a fetched page',
      {
        type: 'web_fetch_tool_result',
        content: {
          type: 'web_fetch_result',
          url: 'https://a.test',
          content: { source: { type: 'text', data: 'page' } },
        },
      },
      '[Web page https://a.test]\npage',
    ],
    [
      'a fetched PDF by its address',
      {
        type: 'web_fetch_tool_result',
        content: {
          type: 'web_fetch_result',
          url: 'https://a.test',
          content: { source: { type: 'base64', data: 'JVBE' } },
        },
      },
      '[Web page https://a.test]',
    ],
    [
      'advice',
      { type: 'advisor_tool_result', content: { type: 'advisor_result', text: 'do' } },
      '[Result of advisor]\ndo',
    ],
    [
      'other results',
      { type: 'code_execution_tool_result', content: { stdout: 'x' } },
      '[Result of code_execution]\n{"stdout":"x"}',
    ],
    ['a compaction summary', { type: 'compaction', content: 'sum' }, 'sum'],
    ['no empty compaction', { type: 'compaction', content: null }, undefined],
    ['no result of a gateway’s own tool', { type: 'openrouter_bash_tool_result', content: {} }, undefined],
  ])('sends %s', (_, value, expected) => {
    expect(ofTurn([text('A'), opaque(value), text('B')])).toEqual([
      { role: 'assistant', content: expected === undefined ? 'A\n\nB' : `A\n\n${expected}\n\nB` },
    ]);
  });

  it('sends no call whose result is dropped', () => {
    const used = opaque({ type: 'server_tool_use', id: 's1', name: 'bash', input: {} });
    const dropped = opaque({ type: 'openrouter_bash_tool_result', tool_use_id: 's1', content: {} });
    expect(ofTurn([used, dropped, text('A')])).toEqual([{ role: 'assistant', content: 'A' }]);
  });

  it('refuses blocks that have no rule, naming block and target', () => {
    const { path, message } = refusalOf(() => ofTurn([text('A'), opaque({ type: 'container_upload', file_id: 'f' })]));
    expect(path).toBe('messages.0.content.1');
    expect(message).toContain('container_upload');
    expect(message).toContain('acme/model at Acme');
    const sound = { type: 'audio', format: 'wav', data: 'AAAA' } as const;
    expect(refusalOf(() => ofTurn([sound])).path).toBe('messages.0.content.0');
  });
});

describe('cache markers', () => {
  const marked = { cacheMarker: { ttl: '1h' } } as const;
  const wire = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  const everywhere: Partial<ModelRequest> = {
    system: [{ ...text('S'), ...marked }],
    tools: [{ ...tool('f'), ...marked }],
    messages: [
      user({ ...text('U'), ...marked }),
      assistant({ ...text('A'), ...marked }, call('t1')),
      user({ ...result('t1', text('R')), ...marked }, { type: 'image', source: png, ...marked }),
    ],
  };

  it('sends none where the provider takes none', () => {
    expect(JSON.stringify(bodyOf({ ...everywhere, ...marked }))).not.toContain('cache_control');
  });

  it('sends each, with its time, where the provider takes them', () => {
    expect(bodyOf(everywhere, target({ acceptsCacheMarkers: true }))).toMatchObject({
      tools: [{ type: 'function', ...wire }],
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'S', ...wire }] },
        { role: 'user', content: [{ type: 'text', text: 'U', ...wire }] },
        { role: 'assistant', content: [{ type: 'text', text: 'A', ...wire }] },
        { role: 'tool', content: [{ type: 'text', text: 'R', ...wire }] },
        { role: 'user', content: [{ ...wirePng, ...wire }] },
      ],
    });
  });

  it('keeps the marker of a carried image with its result', () => {
    const messages = [user(result('t1', { type: 'image', source: png, ...marked }))];
    const body = bodyOf({ messages }, target({ acceptsCacheMarkers: true }));
    expect(body['messages']).toMatchObject([
      { role: 'tool', content: [wire] },
      { role: 'user', content: [{}, wirePng] },
    ]);
    expect(countIn(body)).toBe(1);
  });

  const countIn = (body: JsonObject): number => JSON.stringify(body).split('cache_control').length - 1;
  const users = (markers: number): Message[] =>
    Array.from({ length: 6 }, (_, index) => user(index < markers ? { ...text('x'), cacheMarker: {} } : text('x')));

  it.each([
    [0, 1],
    [3, 4],
    [4, 4],
  ])('with %d markers of the caller’s and the top-level one sends %d', (own, expected) => {
    const body = bodyOf({ messages: users(own), cacheMarker: {} }, target({ acceptsCacheMarkers: true }));
    expect(countIn(body)).toBe(expected);
    const last = (body['messages'] as JsonObject[]).at(-1)!;
    expect(JSON.stringify(last).includes('cache_control')).toBe(own < 4);
  });

  it('does not mark the last block twice', () => {
    const messages = [user({ ...text('x'), ...marked })];
    const body = bodyOf({ messages, cacheMarker: {} }, target({ acceptsCacheMarkers: true }));
    expect(body['messages']).toEqual([{ role: 'user', content: [{ type: 'text', text: 'x', ...wire }] }]);
  });
});

describe('blank texts', () => {
  it('are left out where other parts remain, also behind results', () => {
    expect(
      messagesOf([user(text(''), text('a'), text('')), assistant(call('t')), user(result('t'), text(''))]),
    ).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: null, tool_calls: [wireCall('t')] },
      { role: 'tool', tool_call_id: 't', content: '' },
    ]);
  });

  it.each([' ', '\n\t', ''])('mean no arguments: %j', (input) => {
    expect(messagesOf([assistant(call('t', 'look', input)), user(result('t'))])).toMatchObject([
      { tool_calls: [wireCall('t')] },
      {},
    ]);
  });

  it('do not bear the marker, nor do media', () => {
    const where = target({ acceptsCacheMarkers: true });
    const image: ContentBlock = { type: 'image', source: png };
    const messages = [user(text('a'), image, { ...text(' '), cacheMarker: {} }), user(image)];
    expect(bodyOf({ messages, cacheMarker: { ttl: '1h' } }, where)['messages']).toMatchObject([
      { content: [{ text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } }, wirePng, {}] },
      { content: [wirePng] },
    ]);
  });
});

describe('ids of tool calls that are too long', () => {
  it('become shorter ones, the same in call and result, and no two the same', () => {
    const long = 'call_'.padEnd(60, 'x');
    const ids = [long, `${long}y`, 'call_1'];
    const sent = messagesOf(
      [assistant(...ids.map((id) => call(id))), user(...ids.map((id) => result(id)))],
      target({ toolCallIdMax: 40 }),
    ) as { tool_calls: { id: string }[]; tool_call_id: string }[];
    const sentIds = sent[0]!.tool_calls.map(({ id }) => id);
    expect(sentIds[2]).toBe('call_1');
    expect(new Set(sentIds).size).toBe(3);
    for (const id of sentIds) expect(id.length).toBeLessThanOrEqual(40);
    expect(sent.slice(1).map((message) => message.tool_call_id)).toEqual(sentIds);
  });
});
