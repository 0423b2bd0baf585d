/**
 * Checks that POST /messages answers whole and streamed through both dialects, with everything the format promises,
 * measured and logged. The real application runs over strict loopback upstreams; its metrics and its log are read.
 * Rules: docs/contribute/reasons/money.md, docs/contribute/reasons/translation.md.
 */
import { API_KEY, MANAGEMENT_KEY } from '../support/app.js';
import { anthropicReply, anthropicText, anthropicThinking, anthropicToolUse } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import { openaiReply, openaiText, openaiTools } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readFrames, readMessagesEvents } from '../support/sse.js';
import type { Script } from '../support/upstream-answers.js';
import { ask, askStream, buildMessage, MessagesBench, TOOLS } from './messages-bench.js';

const NATIVE = 'test/native';
const TRANSLATED = 'test/translated';
const GENERATION_ID = /^gen-\d+-[0-9A-Za-z]{20}$/;
/** USD: twelve tokens at 3 and seven at 15 per million. */
const COST = 0.000141;

const RESULT_KEYS = [
  'id', 'type', 'role', 'model', 'content', 'stop_reason', 'stop_sequence', 'stop_details', 'container', 'usage',
  'context_management', 'provider',
]; // oxfmt-ignore
const USAGE_KEYS = [
  'input_tokens', 'output_tokens', 'cache_creation', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'inference_geo',
  'server_tool_use', 'service_tier', 'output_tokens_details', 'cost', 'cost_details', 'is_byok', 'iterations', 'speed',
]; // oxfmt-ignore

const TEXT = 'Grüße, 你好 👋 and a few words more.';
const WEATHER = { name: 'get_weather', input: { city: '京都', days: [1, 2], nested: { metric: true } } };
const TIME = { name: 'get_time', input: {} };

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

describeOnEmbedded('POST /messages', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  it.each([NATIVE, TRANSLATED])('answers %s whole and streamed with a stored key', async (model) => {
    const whole = await bench.gateway.messages(ask(model));
    expect(await whole.json()).toMatchObject({ type: 'message', content: [{ text: 'Hello from upstream.' }] });
    const stream = await bench.gateway.messages(askStream(model));
    expect(buildMessage(readMessagesEvents(await stream.text())).content).toMatchObject([
      { text: 'Hello from upstream.' },
    ]);
  });
});

describeOnEmbedded('replies of POST /messages', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

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
    }); // oxfmt-ignore
    expect(whole.usage).toMatchObject({
      input_tokens: 12,
      output_tokens: 7,
      cost: COST,
      cost_details: { upstream_inference_cost: null },
      is_byok: false,
      iterations: [{ type: 'message', input_tokens: 12, output_tokens: 7 }],
    });
    expect(whole.id).toMatch(GENERATION_ID);
    expect(response.headers.get('x-generation-id')).toBe(whole.id);

    const { id, ...streamed } = buildMessage(await askEvents(model, { tools: TOOLS }));
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

  describe('usage', () => {
    const cached = { input_tokens: 40, output_tokens: 9, cache_read_input_tokens: 30, cache_creation_input_tokens: 20 };

    it('is reported at the start as far as it is known, and in full at the end: native', async () => {
      bench.anthropic.script(anthropicText(TEXT, { usage: cached }));
      const events = await askEvents(NATIVE);
      expect(events[0].message.usage).toMatchObject({ input_tokens: 40, cache_read_input_tokens: 30 });
      expect(events.find(({ type }) => type === 'message_delta').usage).toMatchObject(cached);
    });

    it('is requested, and reported in full at the end: translated', async () => {
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

    it.each([false, true])('is estimated where the provider reports none (stream: %s)', async (stream) => {
      bench.openai.script(openaiReply({ text: TEXT, usage: null }));
      const { usage } = stream ? buildMessage(await askEvents(TRANSLATED)) : await askWhole(TRANSLATED);
      expect(usage.input_tokens).toBeGreaterThan(0);
      expect(usage.output_tokens).toBeGreaterThan(0);
    });
  });

  describe('arguments of tools that are no object', () => {
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
      expect(await response.json()).toMatchObject({
        error: { type: 'api_error', code: 502, metadata: { provider_name: expect.stringMatching(/\S/) } },
      });
      expect(await bench.requestLine(lines)).toMatchObject({
        level: 'warn',
        status: 502,
        outcome: 'provider-malformed-reply',
      });
    });

    it('pass unchanged in a stream', async () => {
      bench.openai.script(broken('length'));
      const events = await askEvents(TRANSLATED, { tools: TOOLS });
      const json = events.map(({ delta }) => delta?.partial_json ?? '').join('');
      expect(json).toBe('{"city":"Kyo');
      expect(events.find(({ type }) => type === 'message_delta').delta.stop_reason).toBe('max_tokens');
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

  it('logs each request once, without content and without a key, at the level of debug', async () => {
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
      [400, false, 'provider-rejected-request'],
      [400, undefined, 'invalid-request'],
      [400, undefined, 'invalid-request'],
      [401, undefined, 'unauthenticated'],
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
});

/** The value of a line of the metrics, 0 when it is not there yet. */
function figure(metrics: string, name: string): number {
  const line = metrics.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}
