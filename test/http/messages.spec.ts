/**
 * Goal: POST /messages answers whole and streamed through both dialects, with everything the format promises, and sends upstream
 * what the caller asked for and nothing of the caller's own. Method: the real application over strict loopback upstreams, the
 * simulated sandbox, a listener nobody may call, its metrics and its log.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { SANDBOX_MODELS } from '../../src/providers/dialects/simulated/models.js';
import { API_KEY, MANAGEMENT_KEY } from '../support/app.js';
import { anthropicReply, anthropicText, anthropicThinking, anthropicToolUse } from '../support/anthropic-upstream.js';
import { describeOnEachDatabase, describeOnEmbedded } from '../support/database.js';
import { openaiReply, openaiText, openaiTools } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readFrames, readMessagesEvents } from '../support/sse.js';
import type { Script } from '../support/upstream-answers.js';
import { ask, askStream, foldMessage, MessagesBench } from './messages-bench.js';

const NATIVE = 'test/native';
const TRANSLATED = 'test/translated';
const GENERATION_ID = /^gen-\d+-[0-9A-Za-z]{20}$/;

const RESULT_KEYS = [
  'id', 'type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'stop_details', 'container', 'usage',
  'context_management', 'provider',
]; // prettier-ignore
const USAGE_KEYS = [
  'input_tokens', 'output_tokens', 'cache_creation', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'inference_geo',
  'server_tool_use', 'service_tier', 'output_tokens_details', 'cost', 'cost_details', 'is_byok', 'iterations', 'speed',
]; // prettier-ignore

const TEXT = 'Grüße, 你好 👋 and a few words more.';
const WEATHER = { name: 'get_weather', input: { city: '京都', days: [1, 2], nested: { metric: true } } };
const TIME = { name: 'get_time', input: {} };
const TOOLS = [WEATHER, TIME].map(({ name }) => ({ name, input_schema: { type: 'object', properties: {} } }));

interface Reply {
  readonly what: string;
  readonly native: Script;
  readonly translated: Script;
  readonly content: readonly object[];
  readonly stopReason?: string;
}

const REPLIES: readonly Reply[] = [
  {
    what: 'text',
    native: anthropicText(TEXT),
    translated: openaiText(TEXT),
    content: [{ type: 'text', text: TEXT, citations: [] }],
  },
  {
    what: 'parallel tool calls',
    native: anthropicToolUse(WEATHER, TIME),
    translated: openaiTools(WEATHER, TIME),
    content: [WEATHER, TIME].map((call) => ({ type: 'tool_use', id: expect.any(String), ...call })),
    stopReason: 'tool_use',
  },
  {
    what: 'text before a tool call',
    native: anthropicReply(
      [
        { type: 'text', text: TEXT },
        { type: 'tool_use', id: 'toolu_0', ...WEATHER },
      ],
      { stopReason: 'tool_use' },
    ),
    translated: openaiReply({
      text: TEXT,
      tools: [{ name: WEATHER.name, arguments: JSON.stringify(WEATHER.input) }],
    }),
    content: [
      { type: 'text', text: TEXT, citations: [] },
      { type: 'tool_use', id: expect.any(String), ...WEATHER },
    ],
    stopReason: 'tool_use',
  },
  {
    what: 'thinking',
    native: anthropicThinking('Let me think.', TEXT),
    translated: openaiReply({ reasoning: 'Let me think.', text: TEXT }),
    content: [
      { type: 'thinking', thinking: 'Let me think.', signature: expect.any(String) },
      { type: 'text', text: TEXT, citations: [] },
    ],
  },
  {
    what: 'an end by the output limit',
    native: anthropicText(TEXT, { stopReason: 'max_tokens' }),
    translated: openaiReply({ text: TEXT, finishReason: 'length' }),
    content: [{ type: 'text', text: TEXT, citations: [] }],
    stopReason: 'max_tokens',
  },
];

describeOnEachDatabase('POST /messages', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 60_000);
  afterAll(() => bench?.close());

  it.each([NATIVE, TRANSLATED])('answers %s whole and streamed with a stored key', async (model) => {
    const whole = await bench.gateway.messages(ask(model));
    expect(await whole.json()).toMatchObject({ type: 'message', content: [{ text: 'Hello from upstream.' }] });
    const stream = await bench.gateway.messages(askStream(model));
    expect(foldMessage(readMessagesEvents(await stream.text())).content).toMatchObject([
      { text: 'Hello from upstream.' },
    ]);
  });
});

describeOnEmbedded('replies of POST /messages', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 60_000);
  afterAll(() => bench?.close());
  beforeEach(() => {
    for (const upstream of [bench.anthropic, bench.openai]) upstream.strict = true;
  });

  const script = (model: string, { native, translated }: Pick<Reply, 'native' | 'translated'>): void =>
    model === NATIVE ? bench.anthropic.script(native) : bench.openai.script(translated);
  const askWhole = async (model: string, more: object = {}): Promise<JsonBody> =>
    (await bench.gateway.messages(ask(model, more))).json();
  const askEvents = async (model: string, more: object = {}): Promise<JsonBody[]> =>
    readMessagesEvents(await (await bench.gateway.messages(askStream(model, more))).text());

  const cases = REPLIES.flatMap((reply) => [NATIVE, TRANSLATED].map((model) => ({ ...reply, model })));

  it.each(cases)('$model: $what, whole with every key and the same when streamed', async (reply) => {
    const { model, content, stopReason = 'end_turn' } = reply;
    script(model, reply);
    const response = await bench.gateway.messages(ask(model, { tools: TOOLS }));
    const whole = (await response.json()) as JsonBody;
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Object.keys(whole).sort()).toEqual([...RESULT_KEYS].sort());
    expect(Object.keys(whole.usage)).toEqual(expect.arrayContaining(USAGE_KEYS));
    expect(whole).toMatchObject({
      type: 'message', role: 'assistant', model, content, stop_reason: stopReason, stop_sequence: null, stop_details: null,
      container: null, context_management: null, provider: expect.stringMatching(/^Provider p\d$/),
    }); // prettier-ignore
    expect(whole.usage).toMatchObject({
      input_tokens: 12,
      output_tokens: 7,
      cost: null,
      is_byok: false,
      iterations: [],
    });
    expect(whole.id).toMatch(GENERATION_ID);
    expect(response.headers.get('x-generation-id')).toBe(whole.id);

    const { id, ...streamed } = foldMessage(await askEvents(model, { tools: TOOLS }));
    const { id: _whole, ...expected } = whole;
    expect(id).toMatch(GENERATION_ID);
    expect(id).not.toBe(whole.id);
    expect(streamed).toEqual(expected);
  });

  it.each([NATIVE, TRANSLATED])(
    '%s: a stream has the headers of one, its id and its unnamed sentinel',
    async (model) => {
      script(model, REPLIES[0]!);
      const response = await bench.gateway.messages(askStream(model));
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(response.headers.get('cache-control')).toMatch(/no-cache.*no-transform/);
      expect(response.headers.get('x-accel-buffering')).toBe('no');
      expect(response.headers.get('content-encoding')).toBeNull();
      expect(response.headers.get('content-length')).toBeNull();
      expect([...response.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
      const text = await response.text();
      expect(readMessagesEvents(text)[0].message.id).toBe(response.headers.get('x-generation-id'));
      expect(text.endsWith('event: message_stop\ndata: {"type":"message_stop"}\n\ndata: [DONE]\n\n')).toBe(true);
      expect(readFrames(text).at(-1)).toEqual({ event: '', data: '[DONE]', comments: [] });
    },
  );

  it('sets no rate limit headers on a whole success', async () => {
    const { headers } = await bench.gateway.messages(ask(NATIVE));
    expect([...headers.keys()].filter((name) => /ratelimit|content-encoding/.test(name))).toEqual([]);
  });

  it.each([
    ['text/event-stream', {}, 'application/json'],
    ['application/json', { stream: true }, 'text/event-stream'],
    ['application/json', { stream: false }, 'application/json'],
    ['text/html', { stream: true }, 'text/event-stream'],
  ])('decides by the body alone: Accept %s with %j gives %s', async (accept, more, type) => {
    const response = await bench.gateway.messages(ask(NATIVE, more), { headers: { accept } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain(type);
    await response.text();
    expect(bench.anthropic.requests.at(-1)!.json.stream ?? false).toBe('stream' in more ? more.stream : false);
  });

  it('answers an Anthropic client of either kind at each of the addresses they use', async () => {
    for (const path of ['/api/v1/messages', '/v1/messages', '/v1/messages?beta=true', '/api/v1/messages?beta=true']) {
      const response = await fetch(bench.gateway.origin + path, {
        method: 'POST',
        headers: { 'x-api-key': API_KEY, 'content-type': 'application/json', 'anthropic-version': '2026-10-21' },
        body: JSON.stringify(ask(NATIVE)),
      });
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('x-generation-id')).toMatch(GENERATION_ID);
    }
  });

  describe('usage (FAILURES A43, D17)', () => {
    const cached = { input_tokens: 40, output_tokens: 9, cache_read_input_tokens: 30, cache_creation_input_tokens: 20 };

    it('is told at the start as far as it is known, and in full at the end: native', async () => {
      bench.anthropic.script(anthropicText(TEXT, { usage: cached }));
      const events = await askEvents(NATIVE);
      expect(events[0].message.usage).toMatchObject({ input_tokens: 40, cache_read_input_tokens: 30 });
      expect(events.find(({ type }) => type === 'message_delta').usage).toMatchObject(cached);
    });

    it('is asked for, and told in full at the end: translated', async () => {
      bench.openai.script(
        openaiReply({
          text: TEXT,
          usage: {
            prompt_tokens: 70,
            completion_tokens: 9,
            total_tokens: 79,
            prompt_tokens_details: { cached_tokens: 30 },
          },
        }),
      );
      const events = await askEvents(TRANSLATED);
      expect(bench.openai.requests.at(-1)!.json.stream_options).toEqual({ include_usage: true });
      expect(events.find(({ type }) => type === 'message_delta').usage).toMatchObject({
        input_tokens: 40,
        cache_read_input_tokens: 30,
        output_tokens: 9,
      });
    });

    it.each([false, true])('is estimated where the provider says nothing (stream: %s)', async (stream) => {
      bench.openai.script(openaiReply({ text: TEXT, usage: null }));
      const { usage } = stream ? foldMessage(await askEvents(TRANSLATED)) : await askWhole(TRANSLATED);
      expect(usage.input_tokens).toBeGreaterThan(0);
      expect(usage.output_tokens).toBeGreaterThan(0);
    });
  });

  describe('arguments of tools that are no object (FAILURES A27)', () => {
    const broken = (finishReason: string): Script =>
      openaiReply({ tools: [{ name: 'get_weather', arguments: '{"city":"Kyo' }], finishReason });

    it('are an empty object where the output limit cut them off', async () => {
      bench.openai.script(broken('length'));
      expect(await askWhole(TRANSLATED, { tools: TOOLS })).toMatchObject({
        stop_reason: 'max_tokens',
        content: [{ type: 'tool_use', name: 'get_weather', input: {} }],
      });
    });

    it('are a 502 in a whole reply, which the log does not call completed', async () => {
      bench.openai.script(broken('tool_calls'));
      const lines = bench.requestLines.length;
      const response = await bench.gateway.messages(ask(TRANSLATED, { tools: TOOLS }));
      expect(response.status).toBe(502);
      expect(await response.json()).toMatchObject({ error: { type: 'api_error', code: 502 } });
      expect(await bench.requestLine(lines)).toMatchObject({ status: 502, outcome: 'malformed-reply' });
    });

    it('pass as they came in a stream', async () => {
      bench.openai.script(broken('length'));
      const events = await askEvents(TRANSLATED, { tools: TOOLS });
      const json = events.map(({ delta }) => delta?.partial_json ?? '').join('');
      expect(json).toBe('{"city":"Kyo');
      expect(events.find(({ type }) => type === 'message_delta').delta.stop_reason).toBe('max_tokens');
    });
  });

  describe('what is sent upstream', () => {
    const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');
    const PDF = Buffer.from('%PDF-1.7\n').toString('base64');
    const SCHEMA = {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    };
    const content = [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF }, title: 'Plan' },
      { type: 'text', text: 'Where?' },
    ];
    const rich = {
      system: 'Be brief.',
      messages: [{ role: 'user', content }],
      output_config: { format: { type: 'json_schema', schema: SCHEMA } },
      temperature: 0.5,
      stop_sequences: ['END'],
      tools: TOOLS,
      tool_choice: { type: 'auto' },
    };

    it('native: images, PDFs, structured output and options in the words of the caller', async () => {
      expect((await bench.gateway.messages(ask(NATIVE, rich))).status).toBe(200);
      const { path, json } = bench.anthropic.requests.at(-1)!;
      expect(path).toBe('/v1/messages');
      const { system, ...words } = rich;
      expect(json).toMatchObject({ ...words, model: 'upstream-native', max_tokens: 100 });
      expect([system, [{ type: 'text', text: system }]]).toContainEqual(json.system);
    });

    it('translated: the same in the words of the chat format', async () => {
      expect((await bench.gateway.messages(ask(TRANSLATED, rich))).status).toBe(200);
      const { path, json } = bench.openai.requests.at(-1)!;
      expect(path).toBe('/v1/chat/completions');
      expect(json).toMatchObject({
        model: 'upstream-translated',
        max_tokens: 100,
        temperature: 0.5,
        stop: ['END'],
        tool_choice: 'auto',
        response_format: { type: 'json_schema', json_schema: { schema: SCHEMA } },
      });
      expect(json.messages).toMatchObject([
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
            { type: 'file', file: { filename: 'Plan.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
            { type: 'text', text: 'Where?' },
          ],
        },
      ]);
      expect(json.tools.map((tool: JsonBody) => tool.function.name)).toEqual(['get_weather', 'get_time']);
    });

    it.each([NATIVE, TRANSLATED])('%s: a PDF of 25 MB arrives unharmed', async (model) => {
      const data = Buffer.alloc(25_000_000, 'fairlead').toString('base64');
      const document = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } };
      const response = await bench.gateway.messages(ask(model, { messages: [{ role: 'user', content: [document] }] }));
      expect(response.status).toBe(200);
      const record = (model === NATIVE ? bench.anthropic : bench.openai).requests.at(-1)!;
      expect(record.rawBody.includes(data)).toBe(true);
    });

    const CALLER_HEADERS = {
      cookie: 'session=leak-canary',
      'x-forwarded-for': '10.1.2.3, leak-canary',
      'x-real-ip': 'leak-canary',
      forwarded: 'for=leak-canary',
      referer: 'https://leak-canary.example',
      'x-title': 'leak-canary',
      'user-agent': 'leak-canary/1.0',
      'x-request-id': 'leak-canary',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'proxy-authorization': 'Basic leak-canary',
      'x-custom': 'leak-canary',
      'openai-organization': 'leak-canary',
      'accept-language': 'leak-canary',
    };
    const OUR_HEADERS = [
      'host',
      'connection',
      'accept',
      'content-type',
      'content-length',
      'accept-encoding',
      'user-agent',
    ];

    it.each([
      { model: NATIVE, credential: ['x-api-key', 'credential-of-p0'], more: ['x-api-key', 'anthropic-version'] },
      { model: TRANSLATED, credential: ['authorization', 'Bearer credential-of-p1'], more: ['authorization'] },
    ])('$model: headers by the list alone, with the right credential', async ({ model, credential, more }) => {
      const upstream = model === NATIVE ? bench.anthropic : bench.openai;
      for (const stream of [false, true]) {
        const response = await bench.gateway.messages(ask(model, { stream }), { headers: CALLER_HEADERS });
        expect(response.status).toBe(200);
        await response.text();
        const { headers } = upstream.requests.at(-1)!;
        expect([...OUR_HEADERS, ...more]).toEqual(expect.arrayContaining(Object.keys(headers)));
        expect(headers[credential[0]!]).toBe(credential[1]);
        expect(headers['accept-encoding']).toBe('identity');
        expect(JSON.stringify(headers)).not.toMatch(new RegExp(`leak-canary|${API_KEY}`));
      }
    });

    it('passes betas from either header, each once', async () => {
      const headers = {
        'anthropic-beta': 'one-2025-01-01, two-2025-02-02',
        'x-anthropic-beta': 'two-2025-02-02,three-2025-03-03',
      };
      await bench.gateway.messages(ask(NATIVE), { headers });
      expect(bench.anthropic.requests.at(-1)!.headers['anthropic-beta']?.toString().split(/, ?/).sort()).toEqual([
        'one-2025-01-01',
        'three-2025-03-03',
        'two-2025-02-02',
      ]);
      await bench.gateway.messages(ask(TRANSLATED), { headers });
      expect(bench.openai.requests.at(-1)!.headers['anthropic-beta']).toBeUndefined();
    });

    it('lets no field and no header name an address (FAILURES E06)', async () => {
      let connections = 0;
      const listener = createServer(() => connections++).listen(0, '127.0.0.1');
      await once(listener, 'listening');
      const host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
      const url = `http://${host}/v1`;
      const headers = {
        'x-portkey-custom-host': url, 'x-custom-host': url, 'x-litellm-custom-host': url, 'x-api-base': url, 'x-base-url': url,
        'x-forwarded-host': host, 'x-original-url': url, 'x-upstream': url,
      }; // prettier-ignore
      const more = { api_base: url, base_url: url, baseURL: url, custom_host: url, endpoint: url, host, proxy: url };
      // The listener's server does not know these fields, and this test is not about what it thinks of them.
      bench.anthropic.strict = false;
      for (const model of [NATIVE, TRANSLATED]) {
        for (const stream of [false, true]) {
          const response = await bench.gateway.messages(ask(model, { stream, ...more }), { headers });
          expect(response.status).toBe(200);
          await response.text();
        }
      }
      expect(bench.openai.requests.at(-1)!.rawBody.includes(host)).toBe(false);
      await new Promise((resolve) => listener.close(resolve));
      expect(connections).toBe(0);
    });
  });

  it('counts requests, attempts, tokens and times, and none of its streams is left open', async () => {
    bench.openai.script(openaiText(TEXT));
    const before = await bench.metrics();
    for (const stream of [false, true]) {
      await (await bench.gateway.messages(ask(TRANSLATED, { stream }))).text();
    }
    await bench.gateway.messages(ask('test/unheard-of'));
    const afterwards = await bench.metrics();
    const rose = (name: string): number => figure(afterwards, name) - figure(before, name);
    const route = 'route="/api/v1/messages"';
    expect(rose(`fairlead_requests_total{${route},method="POST",status="200"}`)).toBe(2);
    expect(rose(`fairlead_requests_total{${route},method="POST",status="404"}`)).toBe(1);
    expect(rose('fairlead_upstream_attempts_total{provider="p1",outcome="answered"}')).toBe(2);
    expect(rose('fairlead_tokens_total{provider="p1",direction="input"}')).toBe(24);
    expect(rose('fairlead_tokens_total{provider="p1",direction="output"}')).toBe(14);
    expect(rose('fairlead_upstream_duration_seconds_count{provider="p1"}')).toBe(2);
    expect(rose('fairlead_time_to_first_token_seconds_count{provider="p1"}')).toBe(1);
    expect(rose(`fairlead_request_duration_seconds_count{${route},streamed="true"}`)).toBe(1);
    expect(figure(afterwards, 'fairlead_open_streams')).toBe(0);
  });

  it('logs each request once, with no word of a body and no key, at the level of debug', async () => {
    const lines = bench.requestLines.length;
    bench.anthropic.script(anthropicText('canary-of-the-reply'));
    const messages = [{ role: 'user', content: 'canary-of-the-prompt' }];
    for (const stream of [false, true]) {
      await (await bench.gateway.messages(ask(NATIVE, { messages, stream, system: 'canary-of-the-system' }))).text();
    }
    bench.anthropic.script(() => ({ status: 400, body: ['{"error":{"type":"x","message":"canary-of-the-refusal"}}'] }));
    await bench.gateway.messages(ask(NATIVE, { messages }));
    await bench.gateway.messages(ask(NATIVE, { messages, max_tokens: 'canary-of-a-field' }));
    await bench.gateway.messages('{"model": canary-of-broken-json');
    await bench.gateway.messages(ask(NATIVE, { messages }), { key: 'canary-of-an-unknown-key' });
    const written = bench.requestLines.slice(lines);
    expect(written.map(({ status, streamed, outcome }) => [status, streamed, outcome])).toEqual([
      [200, false, 'completed'],
      [200, true, 'completed'],
      [400, false, 'invalid-request'],
      [400, undefined, 'completed'],
      [400, undefined, 'completed'],
      [401, undefined, 'completed'],
    ]);
    expect(written[0]).toMatchObject({
      method: 'POST',
      model: NATIVE,
      provider: 'p0',
      generationId: expect.stringMatching(GENERATION_ID),
    });
    const log = JSON.stringify(bench.gateway.log);
    for (const secret of ['canary', API_KEY, MANAGEMENT_KEY, 'credential-of-']) expect(log).not.toContain(secret);
  });

  describe('the sandbox', () => {
    type Outcome = { readonly status: number; readonly error?: string } | { readonly message: object };
    interface Sight {
      readonly whole: Outcome;
      /** Where a stream shows it otherwise: the status is out when it happens. */
      readonly inBand?: string;
      readonly question?: object;
    }
    const SAID = 'Hello there, 你好.';
    const refused = (status: number, error: string): Sight => ({ whole: { status, error } });
    const said = (message: object, question: object = {}): Sight => ({ whole: { message }, question });

    const SIGHTS: Readonly<Record<string, Sight>> = {
      echo: said({ content: [{ type: 'text', text: SAID }], stop_reason: 'end_turn' }),
      tools: said(
        {
          content: [
            { type: 'tool_use', name: 'get_weather' },
            { type: 'tool_use', name: 'get_time' },
          ],
          stop_reason: 'tool_use',
        },
        { tools: TOOLS },
      ),
      thinking: said({
        content: [
          { type: 'thinking', thinking: expect.stringMatching(/./), signature: expect.stringMatching(/./) },
          { type: 'text', text: SAID },
        ],
      }),
      slow: said({ content: [{ type: 'text', text: 'The ' }], stop_reason: 'max_tokens' }, { max_tokens: 1 }),
      overloaded: refused(529, 'overloaded_error'),
      'rate-limited': refused(429, 'rate_limit_error'),
      unavailable: refused(503, 'overloaded_error'),
      'server-error': refused(502, 'api_error'),
      'bad-request': refused(400, 'invalid_request_error'),
      unauthorized: refused(502, 'api_error'),
      malformed: refused(502, 'api_error'),
      cut: { ...refused(502, 'api_error'), inBand: 'api_error' },
      'error-event': { ...refused(529, 'overloaded_error'), inBand: 'overloaded_error' },
      refusal: said({ content: [], stop_reason: 'refusal', stop_details: { type: 'refusal', category: null } }),
      'max-tokens': said({ stop_reason: 'max_tokens', usage: { output_tokens: 3 } }),
      long: said({ stop_reason: 'end_turn', usage: { output_tokens: 2000 } }, { max_tokens: 8192 }),
      json: said({ content: [{ type: 'text', text: JSON.stringify({ text: SAID }) }] }),
      cache: said({ usage: { cache_read_input_tokens: 2, cache_creation_input_tokens: 1 } }),
      // Its whole answer never comes: in `client-gone.spec.ts` callers leave it.
      silent: { whole: { status: 0 } },
    };

    it('has every model under test', () => {
      expect(Object.keys(SIGHTS).sort()).toEqual(SANDBOX_MODELS.map(({ name }) => name).sort());
    });

    const models = Object.entries(SIGHTS).filter(([name]) => name !== 'silent');

    it.each(models)('%s answers whole as its name says', async (name, { whole, question }) => {
      const response = await bench.gateway.messages(
        ask(`sandbox/${name}`, { messages: [{ role: 'user', content: SAID }], ...question }),
      );
      const body = (await response.json()) as JsonBody;
      if ('message' in whole) expect([response.status, body]).toMatchObject([200, whole.message]);
      else
        expect([response.status, body]).toMatchObject([
          whole.status,
          { error: { type: whole.error, code: whole.status } },
        ]);
    });

    it.each(models)('%s streams as its name says', async (name, { whole, inBand, question }) => {
      const response = await bench.gateway.messages(
        askStream(`sandbox/${name}`, { messages: [{ role: 'user', content: SAID }], ...question }),
      );
      const text = await response.text();
      if (inBand !== undefined) {
        const events = readMessagesEvents(text);
        expect(events.some(({ delta }) => delta?.text !== undefined)).toBe(true);
        expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: inBand } });
      } else if ('message' in whole) {
        expect(foldMessage(readMessagesEvents(text))).toMatchObject(whole.message);
      } else {
        expect([response.status, JSON.parse(text)]).toMatchObject([whole.status, { error: { type: whole.error } }]);
      }
    });

    it('rate-limited hints when to come back', async () => {
      expect((await bench.gateway.messages(ask('sandbox/rate-limited'))).headers.get('retry-after')).toBe('2');
    });
  });
});

/** The value of a line of the metrics, 0 when it is not there yet. */
function figure(metrics: string, name: string): number {
  const line = metrics.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}
