/**
 * Checks that POST /chat/completions answers whole and streamed through both dialects, means the same as POST
 * /messages, and carries a conversation to either kind of upstream. The real application runs over strict loopback
 * upstreams.
 */
import { MANAGEMENT_KEY } from '../support/app.js';
import { anthropicReply, anthropicText, anthropicThinking, anthropicToolUse } from '../support/anthropic-upstream.js';
import { joinChunks, readChunks } from '../support/chat-stream.js';
import { describeOnEmbedded } from '../support/database.js';
import { seal, signatureOf } from '../support/doubles/double.js';
import { openaiReply, openaiText, openaiTools } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readFrames } from '../support/sse.js';
import { CUT, frame, HANG, json, neverAnswers, sse, type Script } from '../support/upstream-answers.js';
import { ask as askMessage, delta, gate, MessagesBench, OPEN } from './messages-bench.js';

const NATIVE = 'test/native';
const TRANSLATED = 'test/translated';
const BOTH = [NATIVE, TRANSLATED];
const GENERATION_ID = /^gen-(\d+)-[0-9A-Za-z]{20}$/;
/** USD: twelve tokens at 3 and seven at 15 per million. */
const COST = 0.000141;
const TEXT = 'Grüße, 你好 👋 and a few words more.';
const WEATHER = { name: 'get_weather', input: { city: '京都', days: [1, 2], nested: { metric: true } } };
const TIME = { name: 'get_time', input: {} };

const TOOLS = ['get_weather', 'get_time'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
}));

const ask = (model: string, more: object = {}): { [key: string]: JsonBody } => ({
  model,
  messages: [{ role: 'user', content: 'Hello' }],
  ...more,
});
const askStream = (model: string, more: object = {}) => ask(model, { stream: true, ...more });

const openChat = (bench: MessagesBench, body: object, init: RequestInit & { key?: string | null } = {}) =>
  bench.gateway.request('/chat/completions', {
    method: 'POST',
    body: JSON.stringify(body),
    ...init,
    headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
  });

interface Reply {
  readonly what: string;
  readonly native: Script;
  readonly translated: Script;
  readonly message: object;
  readonly finish?: string;
}

const calls = (...tools: { name: string; input: unknown }[]) =>
  tools.map(({ name, input }, index) => ({
    id: expect.any(String),
    type: 'function',
    index,
    function: { name, arguments: JSON.stringify(input) },
  }));

const REPLIES: readonly Reply[] = [
  { what: 'text', native: anthropicText(TEXT), translated: openaiText(TEXT), message: { content: TEXT } },
  {
    what: 'parallel tool calls',
    native: anthropicToolUse(WEATHER, TIME),
    translated: openaiTools(WEATHER, TIME),
    message: { content: null, tool_calls: calls(WEATHER, TIME) },
    finish: 'tool_calls',
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
    message: { content: TEXT, tool_calls: calls(WEATHER) },
    finish: 'tool_calls',
  },
  {
    what: 'thinking',
    native: anthropicThinking('Let me think.', TEXT),
    translated: openaiReply({ reasoning: 'Let me think.', text: TEXT }),
    message: {
      content: TEXT,
      reasoning: 'Let me think.',
      reasoning_details: [expect.objectContaining({ type: 'reasoning.text', text: 'Let me think.', index: 0 })],
    },
  },
  {
    what: 'an end by the output limit',
    native: anthropicText(TEXT, { stopReason: 'max_tokens' }),
    translated: openaiReply({ text: TEXT, finishReason: 'length' }),
    message: { content: TEXT },
    finish: 'length',
  },
];

const STOPS: readonly [string, string][] = [
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content_filter'],
  ['pause_turn', 'stop'],
];

describeOnEmbedded('POST /chat/completions', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database, { aborts: { whole: 'stops' } });
  }, 240_000);
  afterAll(() => bench?.close());

  it.each(BOTH)('answers %s whole and streamed, and keeps a record of each', async (model) => {
    for (const stream of [false, true]) {
      const response = await openChat(bench, ask(model, { stream }));
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('"provider":"Provider p');
      const id = response.headers.get('x-generation-id')!;
      const { data } = (await (await bench.gateway.request(`/generation?id=${id}`)).json()) as JsonBody;
      expect(data).toMatchObject({
        id,
        api_type: 'completions',
        model,
        streamed: stream,
        total_cost: COST,
        finish_reason: 'stop',
      });
    }
  });
});

describeOnEmbedded('replies of POST /chat/completions', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database, { aborts: { whole: 'stops' } });
  }, 240_000);
  afterAll(() => bench?.close());

  const chat = (body: object, init: RequestInit & { key?: string | null } = {}) => openChat(bench, body, init);
  const script = (model: string, { native, translated }: Pick<Reply, 'native' | 'translated'>): void =>
    model === NATIVE ? bench.anthropic.script(native) : bench.openai.script(translated);
  const askWhole = async (model: string, more: object = {}): Promise<JsonBody> => (await chat(ask(model, more))).json();
  const askChunks = async (model: string, more: object = {}): Promise<JsonBody[]> =>
    readChunks(await (await chat(askStream(model, more))).text());

  const cases = REPLIES.flatMap((reply) => BOTH.map((model) => ({ ...reply, model })));

  it.each(cases)('$model: $what, whole with every key and the same when streamed', async (reply) => {
    const { model, message, finish = 'stop' } = reply;
    script(model, reply);
    const response = await chat(ask(model, { tools: TOOLS }));
    const whole = (await response.json()) as JsonBody;
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('x-generation-id')).toBe(whole.id);
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 7,
      total_tokens: 19,
      cost: COST,
      cost_details: {
        upstream_inference_cost: null,
        upstream_inference_prompt_cost: 0.000036,
        upstream_inference_completions_cost: 0.000105,
        server_tool_cost: 0,
      },
      is_byok: false,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0, audio_tokens: 0, video_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 0,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    };
    const choice = {
      index: 0,
      logprobs: null,
      finish_reason: finish,
      native_finish_reason: expect.any(String),
      message: { role: 'assistant', refusal: null, reasoning: null, ...message },
    };
    expect(whole).toEqual({
      id: expect.stringMatching(GENERATION_ID),
      object: 'chat.completion',
      created: Number(GENERATION_ID.exec(whole.id)![1]),
      model,
      provider: expect.stringMatching(/^Provider p\d$/),
      system_fingerprint: null,
      choices: [choice],
      usage,
      ...(model === NATIVE && { service_tier: whole.service_tier }),
    });

    const chunks = await askChunks(model, { tools: TOOLS });
    const folded = joinChunks(chunks);
    expect(folded).toEqual({
      usage,
      finish_reason: finish,
      native_finish_reason: whole.choices[0].native_finish_reason,
      message: whole.choices[0].message,
    });
    expect(chunks[0].choices[0].delta).toEqual({ role: 'assistant', content: '' });
    // The finish reason, then the usage, and nothing after that.
    expect(chunks.at(-2).choices[0].finish_reason).toBe(finish);
    expect(chunks.at(-1).usage).toEqual(usage);
    expect(chunks.slice(0, -1).some((chunk) => 'usage' in chunk)).toBe(false);
  });

  it.each(cases)('$model: $what means the same on /messages', async (reply) => {
    const { model, finish = 'stop' } = reply;
    script(model, reply);
    const tools = ['get_weather', 'get_time'].map((name) => ({ name, input_schema: { type: 'object' } }));
    const returned = (await (await bench.gateway.messages(askMessage(model, { tools }))).json()) as JsonBody;
    const { message, finish_reason } = (await askWhole(model, { tools: TOOLS })).choices[0];
    const blocks = (type: string): JsonBody[] => returned.content.filter((block: JsonBody) => block.type === type);
    expect(message.content ?? '').toBe(
      blocks('text')
        .map(({ text }) => text)
        .join(''),
    );
    expect(message.reasoning ?? '').toBe(
      blocks('thinking')
        .map(({ thinking }) => thinking)
        .join(''),
    );
    expect(
      (message.tool_calls ?? []).map((call: JsonBody) => [
        call.id,
        call.function.name,
        JSON.parse(call.function.arguments),
      ]),
    ).toEqual(blocks('tool_use').map(({ id, name, input }) => [id, name, input]));
    expect(finish_reason).toBe(finish);
    expect(returned.stop_reason).toBe({ stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens' }[finish]);
  });

  it.each(STOPS)("returns the stop reason %s as %s and keeps the vendor's value", async (native, shown) => {
    bench.anthropic.script(anthropicText(TEXT, { stopReason: native }));
    expect((await askWhole(NATIVE)).choices[0]).toMatchObject({ finish_reason: shown, native_finish_reason: native });
    expect(joinChunks(await askChunks(NATIVE))).toMatchObject({ finish_reason: shown, native_finish_reason: native });
  });

  it('returns a refusal of a chat upstream in its own field', async () => {
    bench.openai.script(openaiReply({ refusal: 'I cannot help with that.' }));
    const { message, finish_reason } = (await askWhole(TRANSLATED)).choices[0];
    expect([message.content, message.refusal, finish_reason]).toEqual([null, 'I cannot help with that.', 'stop']);
    expect(joinChunks(await askChunks(TRANSLATED)).message).toEqual(message);
  });

  it('returns the log probabilities of the tokens where the caller requests them', async () => {
    const piece = (token: string) => ({
      content: [{ token, logprob: -0.5, bytes: null, top_logprobs: [] }],
      refusal: null,
    });
    const chunkOf = (choice: object): string =>
      frame('', { id: 'c', model: 'm', choices: [{ index: 0, finish_reason: null, ...choice }] });
    const tokens = { content: ['a', 'b'].flatMap((token) => piece(token).content), refusal: null };
    bench.openai.script((request) =>
      request.json.stream
        ? sse([
            chunkOf({ delta: { content: 'a' }, logprobs: piece('a') }),
            chunkOf({ delta: { content: 'b' }, logprobs: piece('b') }),
            chunkOf({ delta: {}, finish_reason: 'stop' }),
            'data: [DONE]\n\n',
          ])
        : json({ choices: [{ index: 0, message: { content: 'ab' }, logprobs: tokens, finish_reason: 'stop' }] }),
    );
    const more = { logprobs: true, top_logprobs: 1 };
    expect((await askWhole(TRANSLATED, more)).choices[0]).toMatchObject({
      logprobs: tokens,
      message: { content: 'ab' },
    });
    const shown = (await askChunks(TRANSLATED, more)).flatMap(
      ({ choices: [choice] }) => choice?.logprobs?.content ?? [],
    );
    expect(shown).toEqual(tokens.content);
    expect(bench.openai.requests.at(-1)!.json).toMatchObject(more);
    expect((await askWhole(TRANSLATED)).choices[0].logprobs).toBeNull();
  });

  it('has a prompt that adds up, cached or not', async () => {
    bench.anthropic.script(
      anthropicText(TEXT, {
        usage: { input_tokens: 100, cache_read_input_tokens: 900, cache_creation_input_tokens: 50, output_tokens: 10 },
      }),
    );
    const figures = {
      prompt_tokens: 1050,
      completion_tokens: 10,
      total_tokens: 1060,
      prompt_tokens_details: { cached_tokens: 900, cache_write_tokens: 50 },
    };
    expect((await askWhole(NATIVE)).usage).toMatchObject(figures);
    expect(joinChunks(await askChunks(NATIVE)).usage).toMatchObject(figures);
  });

  it.each([
    [{}, 1],
    [{ stream_options: { include_usage: false } }, 1],
    [{ stream_options: { include_usage: true } }, 0],
  ])('with %j the chunk of the usage has %i choices', async (more, choices) => {
    script(NATIVE, REPLIES[0]!);
    const last = (await askChunks(NATIVE, more)).at(-1);
    expect(last.choices).toHaveLength(choices);
    expect(last.usage.total_tokens).toBe(19);
  });

  it('passes each piece of arguments on at once, under the index of its call', async () => {
    const { opened, open } = gate();
    const piece = (partial_json: string): string =>
      frame('content_block_delta', {
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json },
      });
    bench.anthropic.script(
      sse(
        (async function* () {
          yield OPEN + delta('Looking.') + frame('content_block_stop', { type: 'content_block_stop', index: 0 });
          yield (
            frame('content_block_start', {
              type: 'content_block_start',
              index: 1,
              content_block: { type: 'tool_use', id: 'toolu_9', name: 'get_weather', input: {} },
            }) + piece('{"ci')
          );
          await opened;
          yield piece('ty":"x"}') + frame('content_block_stop', { type: 'content_block_stop', index: 1 });
          yield HANG;
        })(),
      ),
    );
    const client = await bench.open(askStream(NATIVE, { tools: TOOLS }), [], '/api/v1/chat/completions');
    await client.until('{\\"ci');
    open();
    const text = (await client.until('ty\\":')).toString();
    expect(text).toContain(
      '"tool_calls":[{"index":0,"id":"toolu_9","type":"function","function":{"name":"get_weather","arguments":""}}]',
    );
  });

  it.each(BOTH)('%s: router metadata is in the body and in the last chunk under both names', async (model) => {
    script(model, REPLIES[0]!);
    const headers = { 'x-openrouter-metadata': 'enabled' };
    const whole = (await (await chat(ask(model), { headers })).json()) as JsonBody;
    expect(whole.router_metadata).toMatchObject({ requested: model, attempt: 1 });
    expect(whole.openrouter_metadata).toEqual(whole.router_metadata);
    const chunks = readChunks(await (await chat(askStream(model), { headers })).text());
    expect(chunks.at(-1).router_metadata).toMatchObject({ requested: model, attempt: 1 });
    expect(chunks.at(-1).openrouter_metadata).toEqual(chunks.at(-1).router_metadata);
    expect(chunks.slice(0, -1).some((chunk) => 'router_metadata' in chunk)).toBe(false);
  });

  it('omits reasoning where the caller excludes it', async () => {
    bench.anthropic.script(anthropicThinking('Let me think.', TEXT));
    for (const more of [{ reasoning: { exclude: true } }, { include_reasoning: false }]) {
      const { message } = (await askWhole(NATIVE, more)).choices[0];
      expect(message).toEqual({ role: 'assistant', content: TEXT, refusal: null, reasoning: null });
      expect(joinChunks(await askChunks(NATIVE, more)).message).toEqual(message);
    }
  });

  it('returns signed reasoning to its vendor unchanged, whole, merged or in pieces', async () => {
    const words = 'Let me think, 京都.';
    const thinking = { type: 'thinking', thinking: words, signature: signatureOf('anthropic', words) };
    const sealed = { type: 'redacted_thinking', data: seal('anthropic', 'More.') };
    const call = { type: 'tool_use', id: 'toolu_0', ...WEATHER };
    bench.anthropic.script(anthropicReply([thinking, sealed, call], { stopReason: 'tool_use' }));
    const whole = (await askWhole(NATIVE, { tools: TOOLS })).choices[0].message;
    const chunks = await askChunks(NATIVE, { tools: TOOLS });
    const merged = joinChunks(chunks).message;
    const pieces = {
      ...merged,
      reasoning_details: chunks.flatMap(({ choices: [choice] }) => choice?.delta.reasoning_details ?? []),
    };
    expect(pieces.reasoning_details.length).toBeGreaterThan(3);
    for (const message of [whole, merged, pieces]) {
      bench.anthropic.script(anthropicText(TEXT));
      const answer = await chat(
        ask(NATIVE, {
          tools: TOOLS,
          messages: [
            { role: 'user', content: 'Hello' },
            message,
            { role: 'tool', tool_call_id: 'toolu_0', content: 'rain' },
          ],
        }),
      );
      expect(answer.status).toBe(200);
      expect(bench.anthropic.requests.at(-1)!.json.messages.slice(1)).toEqual([
        { role: 'assistant', content: [thinking, sealed, call] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'toolu_0', content: [{ type: 'text', text: 'rain' }] }],
        },
      ]);
    }
  });

  it.each(BOTH)('%s: shows a stream the body that its provider was sent, and no credential', async (model) => {
    script(model, REPLIES[0]!);
    const upstream = model === NATIVE ? bench.anthropic : bench.openai;
    const debug = { echo_upstream_body: true };
    const [first, ...rest] = await askChunks(model, { debug, user: 'u-1', verbosity: 'low', image_config: { a: 1 } });
    const { json: sent, headers } = upstream.requests.at(-1)!;
    expect([first.choices, first.debug]).toEqual([[], { echo_upstream_body: sent }]);
    const credential = String(headers['x-api-key'] ?? headers.authorization);
    expect(credential).toContain('credential-of-');
    expect(JSON.stringify(first)).not.toContain(credential.replace('Bearer ', ''));
    expect(JSON.stringify(first)).not.toMatch(/127\.0\.0\.1|credential-of/);
    expect(rest.some((chunk) => 'debug' in chunk)).toBe(false);
    // The rest equals the request without them.
    const { usage: _usage, ...plain } = joinChunks(await askChunks(model));
    expect(joinChunks(rest)).toMatchObject(plain);
    for (const more of [{}, { debug: {} }, { debug: { echo_upstream_body: false } }])
      expect((await askChunks(model, more))[0].debug).toBeUndefined();
    expect(await askWhole(model, { debug })).not.toHaveProperty('debug');
  });

  it.each(BOTH)('%s: shows a large body whole, though it was sent in parts', async (model) => {
    script(model, REPLIES[0]!);
    const upstream = model === NATIVE ? bench.anthropic : bench.openai;
    const messages = Array.from({ length: 3_001 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `${index} ${'é"😀 '.repeat(100)}`,
    }));
    const [first] = await askChunks(`${model}-roomy`, { debug: { echo_upstream_body: true }, messages });
    const { json: sent } = upstream.requests.at(-1)!;
    expect(sent.messages).toHaveLength(3_001);
    // Not compared as values: a mismatch would be printed at length.
    expect(JSON.stringify(first.debug.echo_upstream_body) === JSON.stringify(sent)).toBe(true);
  });

  it('shows the body of the attempt that answered, not of one that failed', async () => {
    bench.openai.script(() => json({ error: { message: 'No luck' } }, 503));
    bench.second.script(anthropicText(TEXT));
    const [first] = await askChunks('test/translated-pair', { debug: { echo_upstream_body: true } });
    expect(first.debug.echo_upstream_body).toEqual(bench.second.requests.at(-1)!.json);
    expect(first.debug.echo_upstream_body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    ]);
  });

  it('sends verbosity and the request of a summary in the form of each, and no modalities', async () => {
    script(NATIVE, REPLIES[0]!);
    script(TRANSLATED, REPLIES[0]!);
    const wishes = {
      verbosity: 'high',
      image_config: { aspect_ratio: '1:1' },
      reasoning: { max_tokens: 1_024, summary: 'auto' },
    };
    for (const model of BOTH) await askWhole(model, { ...wishes, max_tokens: 2_000 });
    const [native, translated] = [bench.anthropic, bench.openai].map(({ requests }) => requests.at(-1)!.json);
    expect(native).toMatchObject({
      output_config: { effort: 'high' },
      thinking: { type: 'enabled', budget_tokens: 1_024, display: 'summarized' },
    });
    expect(translated).toMatchObject({ verbosity: 'high' });
    for (const sent of [native, translated]) expect(JSON.stringify(sent)).not.toMatch(/image_config|aspect_ratio/);
  });

  const CONVERSATION = {
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: [{ type: 'text', text: 'And kind.' }] },
      {
        role: 'user',
        name: 'ada',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
          { type: 'image_url', image_url: { url: 'https://images.test/a.png' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_a', type: 'function', function: { name: 'get_weather', arguments: '{"city": "x"}' } },
          { id: 'call_b', type: 'function', function: { name: 'get_time', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_a', content: 'rain' },
      { role: 'tool', tool_call_id: 'call_b', content: [{ type: 'text', text: 'noon' }] },
      { role: 'user', content: 'Thanks' },
    ],
    tools: TOOLS,
    tool_choice: 'auto',
    parallel_tool_calls: false,
    max_tokens: 5,
    max_completion_tokens: 50,
    stop: 'END',
    user: 'u-1',
    seed: 7,
  };

  it('carries a conversation to an Anthropic upstream', async () => {
    bench.anthropic.script(anthropicText(TEXT));
    expect((await chat(ask(NATIVE, CONVERSATION))).status).toBe(200);
    const { json: sent } = bench.anthropic.requests.at(-1)!;
    expect(sent).toEqual({
      model: 'upstream-native',
      max_tokens: 50,
      stop_sequences: ['END'],
      metadata: { user_id: 'u-1' },
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      tools: TOOLS.map(({ function: { name, parameters } }) => ({ name, input_schema: parameters })),
      system: [
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: 'And kind.' },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            { type: 'image', source: { type: 'url', url: 'https://images.test/a.png' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'call_a', name: 'get_weather', input: { city: 'x' } },
            { type: 'tool_use', id: 'call_b', name: 'get_time', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_a', content: [{ type: 'text', text: 'rain' }] },
            { type: 'tool_result', tool_use_id: 'call_b', content: [{ type: 'text', text: 'noon' }] },
            { type: 'text', text: 'Thanks' },
          ],
        },
      ],
    });
  });

  it('carries a conversation to a chat upstream', async () => {
    bench.openai.script(openaiText(TEXT));
    expect((await chat(ask(TRANSLATED, CONVERSATION))).status).toBe(200);
    const [, , user, assistant] = CONVERSATION.messages;
    expect(bench.openai.requests.at(-1)!.json).toEqual({
      model: 'upstream-translated',
      max_tokens: 50,
      stop: ['END'],
      user: 'u-1',
      seed: 7,
      tools: TOOLS,
      tool_choice: 'auto',
      parallel_tool_calls: false,
      stream: false,
      messages: [
        { role: 'system', content: 'Be brief.\n\nAnd kind.' },
        user,
        assistant,
        { role: 'tool', tool_call_id: 'call_a', content: 'rain' },
        { role: 'tool', tool_call_id: 'call_b', content: 'noon' },
        { role: 'user', content: 'Thanks' },
      ],
    });
  });

  it.each([
    [
      'json_schema',
      { type: 'json_schema', json_schema: { name: 'a', description: 'd', schema: { type: 'object' }, strict: false } },
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'a', description: 'd', schema: { type: 'object' }, strict: false },
        },
      },
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    ],
    ['json_object', { type: 'json_object' }, { response_format: { type: 'json_object' } }, {}],
    ['text', { type: 'text' }, {}, {}],
  ])('requests %s of either kind of upstream', async (_type, response_format, translated, native) => {
    script(NATIVE, REPLIES[0]!);
    script(TRANSLATED, REPLIES[0]!);
    await askWhole(TRANSLATED, { response_format });
    await askWhole(NATIVE, { response_format });
    const { response_format: sentFormat } = bench.openai.requests.at(-1)!.json;
    expect(sentFormat && { response_format: sentFormat }).toEqual(
      'response_format' in translated ? translated : undefined,
    );
    expect(bench.anthropic.requests.at(-1)!.json.output_config).toEqual((native as JsonBody).output_config);
  });

  it.each<[string, object, string]>([
    ['no model', { model: undefined }, 'model: is required'],
    ['no messages', { messages: undefined }, 'messages: is required'],
    ['empty messages', { messages: [] }, 'messages: must have at least 1 entry'],
    ['a strange role', { messages: [{ role: 'owl', content: 'a' }] }, 'messages.0.role: must be one of system, developer, user, assistant, tool'],
    ['a part of no kind', { messages: [{ role: 'user', content: [{ type: 'owl' }] }] }, 'messages.0.content.0.type: must be one of text, image_url, input_audio, video_url, input_video, file'],
    ['a picture that is no URL', { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] }] }, 'messages.0.content.0.image_url.url: must be an http or https address, or a data URL in base64'],
    ['a strange provider field', { provider: { owl: 1 } }, 'provider.owl: is not a known field'],
    ['too warm', { temperature: 2.1 }, 'temperature: must be at most 2'],
    ['two efforts', { reasoning_effort: 'low', reasoning: { effort: 'high' } }, 'reasoning_effort: contradicts reasoning.effort, which is high; send one of the two'],
    ['two answers', { n: 2 }, 'n: must be at most 1'],
    ['sounds', { modalities: ['text', 'audio'] }, 'modalities.1: this gateway answers in text and images only'],
    ['an unanswered call', { messages: [{ role: 'assistant', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '' } }] }, { role: 'user', content: 'a' }] }, 'messages.0.tool_calls.0: tool call c1 has no tool message that follows it; send its result or leave the call out'],
    ['an answer to no call', { messages: [{ role: 'user', content: 'a' }, { role: 'tool', tool_call_id: 'c9', content: 'b' }] }, 'messages.1.tool_call_id: the assistant message before it has no tool call c9'],
    ['functions', { functions: [] }, 'functions: is not supported; send tools and tool_choice'],
  ])('refuses %s in the generic form, before any provider is called', async (_what, more, message) => {
    const callsBefore = bench.anthropic.requests.length;
    const response = await chat(ask(NATIVE, more));
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: { code: 400, message, metadata: { error_type: 'invalid_request' } } });
    expect(bench.anthropic.requests).toHaveLength(callsBefore);
  }); // oxfmt-ignore

  it('names what a target cannot carry as the caller wrote it', async () => {
    const file = { type: 'file', file: { file_id: 'file_1' } };
    const response = await chat(
      ask(TRANSLATED, {
        messages: [
          { role: 'system', content: 'a' },
          { role: 'user', content: [file] },
        ],
      }),
    );
    expect(response.status).toBe(400);
    expect(((await response.json()) as JsonBody).error.message).toContain('messages.1.content.0');
  });

  it.each([
    ['no key', { key: null }, 401, 'authentication'],
    ['a management key', { key: MANAGEMENT_KEY }, 403, 'permission_denied'],
  ])('answers %s in the generic form', async (_what, init, status, error_type) => {
    const response = await chat(ask(NATIVE), init);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      error: { code: status, message: expect.any(String), metadata: { error_type } },
    });
  });

  it('answers an unknown model with 404', async () => {
    const response = await chat(ask('test/unknown'));
    expect(response.status).toBe(404);
    expect(((await response.json()) as JsonBody).error).toMatchObject({
      code: 404,
      metadata: { error_type: 'not_found' },
    });
  });

  it.each([400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529])(
    'returns an upstream %i, whole and before the first token of a stream, as JSON with an integer code',
    async (status) => {
      bench.openai.script(() => json({ error: { message: 'No luck', type: 'x', code: 'their_code' } }, status));
      for (const stream of [false, true]) {
        const response = await chat(ask(TRANSLATED, { stream }));
        const { error } = (await response.json()) as JsonBody;
        expect(response.headers.get('content-type')).toContain('application/json');
        expect(error.code).toBe(response.status);
        expect(response.status).toBeGreaterThanOrEqual(400);
        expect(error.metadata.error_type).toEqual(expect.any(String));
      }
    },
  );

  const NATIVE_WORD = OPEN + delta('word');
  const CHAT_WORD = frame('', { choices: [{ index: 0, delta: { content: 'word' } }] });
  const NATIVE_ERROR = frame('error', { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } });
  const CHAT_ERROR = frame('', { error: { message: 'Busy', code: 503 } });

  it.each([
    [NATIVE, 'a cut', NATIVE_WORD, CUT],
    [TRANSLATED, 'a cut', CHAT_WORD, CUT],
    [NATIVE, 'an error', NATIVE_WORD, NATIVE_ERROR],
    [TRANSLATED, 'an error', CHAT_WORD, CHAT_ERROR],
  ] as const)('%s: emits %s mid-stream in a chunk of its own, and ends', async (model, _what, word, ending) => {
    const { opened, open } = gate();
    (model === NATIVE ? bench.anthropic : bench.openai).script(sse([word, opened, ending]));
    const response = await chat(askStream(model), { headers: { 'x-router-metadata': 'enabled' } });
    open();
    expect(response.status).toBe(200);
    const chunks = readChunks(await response.text());
    const last = chunks.at(-1);
    expect(last).toEqual({
      id: response.headers.get('x-generation-id'),
      object: 'chat.completion.chunk',
      created: expect.any(Number),
      model,
      provider: expect.stringMatching(/^Provider p\d$/),
      error: {
        code: expect.any(Number),
        message: expect.any(String),
        metadata: expect.objectContaining({ error_type: expect.any(String) }),
      },
      router_metadata: expect.objectContaining({ requested: model }),
      openrouter_metadata: expect.objectContaining({ requested: model }),
      choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error', native_finish_reason: null }],
    });
    expect(chunks.slice(0, -1).every((chunk) => !chunk.error && !chunk.choices[0]?.finish_reason)).toBe(true);
  });

  it.each([
    ['before an answer', ask(TRANSLATED), neverAnswers(), undefined],
    ['in mid-stream', askStream(NATIVE), sse([OPEN + delta('word'), HANG]), 'word'],
  ])('ends the upstream when the client leaves %s', async (_when, body, answer, sees) => {
    const upstream = body['model'] === NATIVE ? bench.anthropic : bench.openai;
    upstream.script(answer);
    const arrival = upstream.request();
    const client = await bench.open(body, [], '/api/v1/chat/completions');
    const record = await arrival;
    if (sees) await client.until(sees);
    client.destroy();
    await record.closed;
  });

  it('answers at both base paths, and decides by the body alone', async () => {
    script(NATIVE, REPLIES[0]!);
    for (const path of ['/api/v1/chat/completions', '/v1/chat/completions?x=1']) {
      const response = await fetch(bench.gateway.origin + path, {
        method: 'POST',
        headers: {
          authorization: 'Bearer test-inference-key-0123456789',
          'content-type': 'application/json',
          accept: 'application/json',
        },
        body: JSON.stringify(askStream(NATIVE)),
      });
      expect([path, response.status]).toEqual([path, 200]);
      expect(readFrames(await response.text()).at(-1)?.data).toBe('[DONE]');
    }
  });

  it('costs what the same request costs on /messages, streamed or not', async () => {
    script(NATIVE, REPLIES[0]!);
    const usage = async (): Promise<number> =>
      ((await (await bench.gateway.request('/key')).json()) as JsonBody).data.usage;
    const spent: number[] = [];
    for (const run of [
      () => bench.gateway.messages(askMessage(NATIVE)),
      () => bench.gateway.messages(askMessage(NATIVE, { stream: true })),
      () => chat(ask(NATIVE)),
      () => chat(askStream(NATIVE)),
    ]) {
      const before = await usage();
      await (await run()).text();
      spent.push(Number(((await usage()) - before).toFixed(9)));
    }
    expect(spent).toEqual([COST, COST, COST, COST]);
  });
});
