/**
 * Checks that known faults of other gateways between two formats (docs/contribute/reasons/translation.md) do not
 * occur here, with either face and any dialect. Every row runs by its name over every pair of face and dialect that
 * it applies to, in the real application before strict upstreams that keep what they receive.
 */
import { anthropicReply } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import { openaiReply } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readChunks } from '../support/chat-stream.js';
import { readMessagesEvents } from '../support/sse.js';
import { sse, type Answer, type Piece, type Script } from '../support/upstream-answers.js';
import { PROVIDERS, type Provider } from '../clients/scripted-upstream.js';
import { gate, MessagesBench } from './messages-bench.js';
import { CALL_FRAMES, FACES, type TestFace, type SeenReply } from './translation-bench.js';

interface Pair {
  readonly face: TestFace;
  readonly provider: Provider;
  /** The title of the pair. */
  readonly pair: string;
}

const PAIRS: readonly Pair[] = FACES.flatMap((face) =>
  PROVIDERS.map((provider) => ({ face, provider, pair: `${face.name} over ${provider.dialect}` })),
);
const pairsOf = (of: { face?: TestFace['name']; dialect?: Provider['dialect'] }): readonly Pair[] =>
  PAIRS.filter(
    ({ face, provider }) =>
      (of.face === undefined || face.name === of.face) && (of.dialect === undefined || provider.dialect === of.dialect),
  );
const MODES = [false, true] as const;

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==';
const PDF = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');
const MARKER = { type: 'ephemeral', ttl: '1h' };
const WEATHER = { id: 'call_a', name: 'get_weather', input: { city: '京都' } };
const TIME = { id: 'call_b', name: 'get_time', input: {} };
const ANY = { type: 'object', properties: {} };

describeOnEmbedded('failures of translation', (database) => {
  let bench: MessagesBench;
  beforeAll(async () => {
    bench = await MessagesBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());
  afterEach(() => {
    bench.anthropic.strict = true;
  });

  const upstreamOf = ({ kind }: Provider) => bench[kind];
  const modelOf = ({ kind }: Provider): string => (kind === 'anthropic' ? 'test/native' : 'test/translated');
  const sentTo = (provider: Provider): JsonBody => upstreamOf(provider).requests.at(-1)!.json;
  const countMarkers = (provider: Provider): number =>
    upstreamOf(provider).requests.at(-1)!.rawBody.toString().split('"cache_control":{').length - 1;

  const toolsOf = (face: TestFace) => [WEATHER, TIME].map(({ name }) => face.tool(name, ANY));

  const send = ({ face, provider }: Pair, more: object, headers: Record<string, string> = {}): Promise<Response> =>
    bench.gateway.request(face.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: modelOf(provider), max_tokens: 4_000, messages: face.user('Hello'), ...more }),
    });

  async function sendWell(pair: Pair, more: object, headers?: Record<string, string>): Promise<Response> {
    const response = await send(pair, more, headers);
    if (response.status !== 200) throw new Error(`${pair.pair}: ${response.status} ${await response.text()}`);
    return response;
  }

  async function ask(pair: Pair, stream: boolean, more: object = {}): Promise<SeenReply> {
    const response = await sendWell(pair, { stream, ...more });
    return stream ? pair.face.streamed(await response.text()) : pair.face.whole(await response.json());
  }

  const script = ({ provider }: Pair, answer: Script | Answer): void => upstreamOf(provider).script(answer);

  /** The message of the 400, which was returned without a call of an upstream. */
  async function refusalOf(pair: Pair, more: object): Promise<string> {
    const calls = upstreamOf(pair.provider).requests.length;
    const response = await send(pair, more);
    const body = (await response.json()) as JsonBody;
    expect({ status: response.status, body }).toEqual({ status: 400, body: pair.face.error(400, expect.any(String)) });
    expect(upstreamOf(pair.provider).requests).toHaveLength(calls);
    return body.error.message;
  }

  it.each(PAIRS)('A02: $pair: reasoning is emitted in a block of its own, before the text', async (pair) => {
    script(pair, pair.provider.answers({ thinking: 'One two three.', text: 'Four five six.' }));
    // The grammar of either face is checked by what reads it: one start, deltas in blocks of their kind.
    const text = await (await sendWell(pair, { stream: true })).text();
    expect(pair.face.kinds(text)).toEqual(['0 thinking', '1 text']);
    expect(pair.face.streamed(text)).toMatchObject({ thinking: 'One two three.', text: 'Four five six.' });
  });

  const USAGE = { input: 200, output: 5, cacheRead: 800, cacheWrite: 0 };

  it.each(pairsOf({ face: 'messages' }))('A04: $pair: the first event has every key of usage', async (pair) => {
    script(pair, pair.provider.answers({ text: 'Hi', usage: USAGE }));
    const events = readMessagesEvents(await (await sendWell(pair, { stream: true })).text());
    const { usage } = events[0].message;
    for (const key of [
      'input_tokens',
      'output_tokens',
      'cache_read_input_tokens',
      'cache_creation_input_tokens',
      'cache_creation',
    ])
      expect([key, usage[key] === null || ['number', 'object'].includes(typeof usage[key])]).toEqual([key, true]);
    if (pair.provider.reportsPromptTokensFirst)
      expect(usage).toMatchObject({ input_tokens: 200, cache_read_input_tokens: 800 });
    expect(events.find(({ type }) => type === 'message_delta').usage).toMatchObject({
      input_tokens: 200,
      cache_read_input_tokens: 800,
      output_tokens: 5,
    });
  });

  it.each(PAIRS)("A36, A43: $pair: the figures are the provider's and add up, whole and streamed", async (pair) => {
    script(pair, pair.provider.answers({ text: 'Hi', usage: USAGE }));
    const prompt = pair.face.name === 'chat' ? 1_000 : 200;
    for (const stream of MODES) expect((await ask(pair, stream)).usage).toEqual({ prompt, cached: 800, output: 5 });
  });

  it.each(PAIRS)('A06: $pair: each piece of arguments is passed on at once', async (pair) => {
    const { begin, piece, end } = CALL_FRAMES[pair.provider.kind];
    const marks = Array.from({ length: 16 }, (_, index) => `piece-${index};`);
    const gates = marks.map(gate);
    const pieces = marks.flatMap((mark, index): Piece[] => [gates[index]!.opened, piece(mark)]);
    script(pair, sse([begin + piece('{"a":"'), ...pieces, piece('"}') + end]));
    const body = {
      model: modelOf(pair.provider),
      max_tokens: 100,
      stream: true,
      messages: pair.face.user('Hello'),
      tools: toolsOf(pair.face),
    };
    const client = await bench.open(body, [], `/api/v1${pair.face.path}`);
    await client.until('get_weather');
    // Each piece is written only after the preceding one has arrived.
    for (const [index, { open }] of gates.entries()) {
      open();
      await client.until(marks[index]!);
    }
    const { calls } = pair.face.streamed((await client.response()).body.toString());
    expect(calls).toEqual([{ id: 'call_0', name: 'get_weather', input: { a: marks.join('') } }]);
  });

  it.each(pairsOf({ dialect: 'anthropic-messages' }))(
    'A09: $pair: thinking is left out where another provider began the loop of tools',
    async (pair) => {
      const elsewhere = PAIRS.find(({ face, provider }) => face === pair.face && provider.kind === 'openai')!;
      script(elsewhere, elsewhere.provider.answers({ thinking: 'Hm.', calls: [WEATHER] }));
      script(pair, pair.provider.answers({ text: 'Fine.' }));
      const options = { tools: toolsOf(pair.face), ...pair.face.thinking(2_000) };
      for (const stream of MODES) {
        const { turn, calls } = await ask(elsewhere, stream, options);
        const messages = [
          ...pair.face.user('Weather?'),
          turn,
          ...pair.face.results([{ id: calls[0].id, text: 'rain' }]),
        ];
        expect((await ask(pair, stream, { ...options, messages })).text).toBe('Fine.');
        const sent = sentTo(pair.provider);
        expect([sent.thinking, sent.messages[1].content[0].type]).toEqual([undefined, 'tool_use']);
      }
      // Without open calls, thinking is requested.
      await ask(pair, false, options);
      expect(sentTo(pair.provider).thinking).toMatchObject({ type: 'enabled', budget_tokens: 2_000 });
    },
  );

  const RESULT_PARTS: Readonly<Record<TestFace['name'], readonly JsonBody[]>> = {
    messages: [
      { type: 'text', text: 'rain' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
      { type: 'image', source: { type: 'url', url: 'https://images.test/a.png' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'rain' } },
      { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'rain' }] },
      { type: 'tool_reference', tool_name: 'get_time' },
    ],
    chat: [
      { type: 'text', text: 'rain' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
      { type: 'image_url', image_url: { url: 'https://images.test/a.png' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
    ],
  };
  const withResult = (face: TestFace, content: readonly JsonBody[]) => {
    const result =
      face.name === 'chat'
        ? { role: 'tool', tool_call_id: WEATHER.id, content }
        : { role: 'user', content: [{ type: 'tool_result', tool_use_id: WEATHER.id, content }] };
    return { tools: toolsOf(face), messages: [...face.user('Weather?'), ...face.calls(WEATHER), result] };
  };

  it.each(PAIRS)('A13: $pair: results of tools hold every kind of content, and others are named', async (pair) => {
    script(pair, pair.provider.answers({ text: 'Fine.' }));
    for (const part of RESULT_PARTS[pair.face.name]) {
      await sendWell(pair, withResult(pair.face, [part]));
      const [key] = [PNG, PDF, 'images.test', 'rain', 'get_time'].filter((word) => JSON.stringify(part).includes(word));
      expect(JSON.stringify(sentTo(pair.provider).messages)).toContain(key);
    }
    expect(await refusalOf(pair, withResult(pair.face, [{ type: 'owl' }]))).toMatch(
      pair.face.name === 'chat' ? /^messages\.2\.content\.0\.type: / : /^messages\.2\.content\.0\.content\.0\.type: /,
    );
  });

  const SCHEMA_WORDS = {
    type: 'object',
    additionalProperties: false,
    propertyNames: { pattern: '^[a-z]+$' },
    patternProperties: { '^x-': { const: 1 } },
    properties: { depth: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 9 }, kind: { const: 'a' } },
  };
  const DEEP_SCHEMA = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...SCHEMA_WORDS,
    $defs: { inner: SCHEMA_WORDS },
    properties: { list: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/inner' }, SCHEMA_WORDS] } } },
  };

  it.each(PAIRS)('A14: $pair: the schema of a tool arrives as it is', async (pair) => {
    script(pair, pair.provider.answers({ text: 'Fine.' }));
    await sendWell(pair, { tools: [pair.face.tool('get_weather', DEEP_SCHEMA)] });
    expect(pair.provider.firstTool(sentTo(pair.provider)).schema).toEqual(DEEP_SCHEMA);
  });

  const RESULTS = [
    { id: WEATHER.id, text: 'rain' },
    { id: TIME.id, text: 'noon' },
  ];

  it.each(PAIRS)('A15: $pair: the results of parallel calls are together directly behind them', async (pair) => {
    const { face, provider } = pair;
    script(pair, provider.answers({ text: 'Fine.' }));
    const messages = [...face.user('Hello'), ...face.calls(WEATHER, TIME), ...face.results(RESULTS, 'Thanks')];
    await sendWell(pair, { tools: toolsOf(face), messages });
    const sent: JsonBody[] = sentTo(provider).messages;
    if (provider.kind === 'anthropic') {
      expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
      expect(sent[2].content).toMatchObject([
        { type: 'tool_result', tool_use_id: WEATHER.id },
        { type: 'tool_result', tool_use_id: TIME.id },
        { type: 'text', text: 'Thanks' },
      ]);
    } else {
      expect(sent.map(({ role, tool_call_id: id }) => id ?? role)).toEqual([
        'user',
        'assistant',
        WEATHER.id,
        TIME.id,
        'user',
      ]);
    }
    expect(provider.received(sentTo(provider))).toEqual(['rain', 'noon']);
  });

  it.each(PAIRS)('A16: $pair: texts among results keep their order, behind the results', async (pair) => {
    const { face, provider } = pair;
    script(pair, provider.answers({ text: 'Fine.' }));
    const [first, second] = RESULTS as [(typeof RESULTS)[0], (typeof RESULTS)[0]];
    // The chat format cannot have text between results.
    const turns =
      face.name === 'chat'
        ? face.results(RESULTS, 'Words A', 'Words B')
        : [
            {
              role: 'user',
              content: [face.results([first], 'Words A'), face.results([second], 'Words B')].flatMap(
                ([turn]) => turn.content,
              ),
            },
          ];
    const messages = [...face.user('Hello'), ...face.calls(WEATHER, TIME), ...turns];
    await sendWell(pair, { tools: toolsOf(face), messages });
    const sent: JsonBody[] = sentTo(provider).messages;
    const text = JSON.stringify(sent);
    const positions = ['get_time', 'rain', 'noon', 'Words A', 'Words B'].map((word) => text.indexOf(word));
    expect(positions.every((position, index) => position > (positions[index - 1] ?? 0))).toBe(true);
    if (provider.kind === 'openai') expect(sent.slice(2, 4).map(({ role }) => role)).toEqual(['tool', 'tool']);
    else if (face.name === 'messages') {
      // Claude requires the results in front of all other content of the turn.
      const results = turns[0].content.filter(({ type }: JsonBody) => type === 'tool_result');
      const texts = turns[0].content.filter(({ type }: JsonBody) => type === 'text');
      expect([results.length, texts.length]).toEqual([2, 2]);
      expect(sent[2]).toEqual({ role: 'user', content: [...results, ...texts] });
    }
  });

  it.each(PAIRS)(
    'A18: $pair: a call without its result is a 400 that names it, and no provider is called',
    async (pair) => {
      const { face } = pair;
      const usage = async (): Promise<number> =>
        ((await (await bench.gateway.request('/key')).json()) as JsonBody).data.usage;
      const before = await usage();
      const others = ['test/native-pair', 'test/translated-pair'];
      const message = await refusalOf(pair, {
        ...(face.name === 'chat' ? { models: others } : { fallbacks: others.map((model) => ({ model })) }),
        tools: toolsOf(face),
        messages: [...face.user('Hello'), ...face.calls(WEATHER), ...face.user('And?')],
      });
      expect(message).toMatch(/^messages\.1\./);
      expect(message).toContain(WEATHER.id);
      expect(await usage()).toBe(before);
    },
  );

  interface Stop {
    readonly dialect: Provider['dialect'];
    /** The provider's own value. */
    readonly native: string;
    readonly messages: string;
    readonly chat: string;
  }
  const STOPS: readonly Stop[] = [
    { dialect: 'anthropic-messages', native: 'end_turn', messages: 'end_turn', chat: 'stop' },
    { dialect: 'anthropic-messages', native: 'pause_turn', messages: 'pause_turn', chat: 'stop' },
    { dialect: 'anthropic-messages', native: 'refusal', messages: 'refusal', chat: 'content_filter' },
    { dialect: 'anthropic-messages', native: 'max_tokens', messages: 'max_tokens', chat: 'length' },
    {
      dialect: 'anthropic-messages',
      native: 'model_context_window_exceeded',
      messages: 'model_context_window_exceeded',
      chat: 'length',
    },
    { dialect: 'openai-chat', native: 'stop', messages: 'end_turn', chat: 'stop' },
    { dialect: 'openai-chat', native: 'length', messages: 'max_tokens', chat: 'length' },
    { dialect: 'openai-chat', native: 'model_length', messages: 'model_context_window_exceeded', chat: 'length' },
    { dialect: 'openai-chat', native: 'content_filter', messages: 'refusal', chat: 'content_filter' },
  ];

  it.each(PAIRS.flatMap((pair) => STOPS.filter(({ dialect }) => dialect === pair.provider.dialect).map((stop) => ({ ...pair, stop, native: stop.native }))))(
    'A24: $pair: the stop $native is returned in the form of the face, whole and streamed',
    async ({ stop: { native, ...shown }, ...pair }) => {
      const stopDetails = { type: 'refusal', category: 'cyber', explanation: 'No.' };
      const text = [{ type: 'text', text: 'So far' }];
      script(
        pair,
        pair.provider.kind === 'anthropic'
          ? anthropicReply(text, { stopReason: native, ...(native === 'refusal' && { stopDetails }) })
          : openaiReply({ text: 'So far', finishReason: native }),
      );
      for (const stream of MODES) {
        const body = await (await sendWell(pair, { stream })).text();
        const { stop, text: words } = stream ? pair.face.streamed(body) : pair.face.whole(JSON.parse(body));
        expect([stop, words]).toEqual([shown[pair.face.name], 'So far']);
        const keepsDetails = native === 'refusal' && pair.face.name === 'messages';
        expect(body.includes(JSON.stringify(stopDetails))).toBe(keepsDetails);
      }
    },
  ); // oxfmt-ignore

  it.each(pairsOf({ face: 'messages' }))('A24: $pair: a refusal moves on to the fallback', async (pair) => {
    script(
      pair,
      pair.provider.kind === 'anthropic'
        ? anthropicReply([{ type: 'text', text: '' }], { stopReason: 'refusal' })
        : openaiReply({ text: '', finishReason: 'content_filter' }),
    );
    const other = PAIRS.find(({ face, provider }) => face === pair.face && provider !== pair.provider)!;
    script(other, other.provider.answers({ text: 'From the other.' }));
    for (const stream of MODES) {
      const shown = await ask(pair, stream, { fallbacks: [{ model: modelOf(other.provider) }] });
      expect(shown.text).toBe('From the other.');
    }
  });

  it.each(PAIRS)("A25: $pair: fields of one vendor's go to that vendor and to no other", async (pair) => {
    const { face, provider } = pair;
    script(pair, provider.answers({ text: 'Fine.' }));
    const own =
      face.name === 'chat'
        ? { prompt_cache_key: 'k', seed: 7 }
        : {
            context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
            output_config: { effort: 'low', task_budget: { type: 'tokens', total: 20_000 } },
            tools: [{ name: 'f', input_schema: ANY, defer_loading: true }],
          };
    // Strict upstreams answer an unknown field with a 400, and nothing more is known of these providers.
    await sendWell(pair, { ...own, owl: 1 }, { 'anthropic-beta': 'one-2026-01-01,two-2026-01-01' });
    const { headers, json: sent } = upstreamOf(provider).requests.at(-1)!;
    const isHome = (face.name === 'chat') === (provider.kind === 'openai');
    if (isHome) expect(sent).toMatchObject(own);
    else for (const word of ['context_management', 'task_budget', 'defer_loading', 'seed', 'prompt_cache_key'])
      expect(JSON.stringify(sent)).not.toContain(word); // oxfmt-ignore
    const betas = headers['anthropic-beta'];
    // The fields bring betas of their own.
    const ofFields = isHome ? ',context-management-2025-06-27,task-budgets-2026-03-13' : '';
    expect(betas).toBe(provider.kind === 'anthropic' ? `one-2026-01-01,two-2026-01-01${ofFields}` : undefined);
  });

  const CUT_ARGUMENTS = '{"city":"Kyo';

  it.each(PAIRS)('A27: $pair: arguments that were cut off pass as they are in a stream', async (pair) => {
    const { begin, piece, end } = CALL_FRAMES[pair.provider.kind];
    script(pair, sse([begin + piece('{"city":') + piece('"Kyo') + end]));
    const body = await (await sendWell(pair, { stream: true, tools: toolsOf(pair.face) })).text();
    const pieces =
      pair.face.name === 'chat'
        ? readChunks(body).map(({ choices: [choice] }) => choice?.delta.tool_calls?.[0].function.arguments ?? '')
        : readMessagesEvents(body).map(({ delta }) => delta?.partial_json ?? '');
    expect(pieces.join('')).toBe(CUT_ARGUMENTS);
    expect(body).toContain(pair.face.name === 'chat' ? '"finish_reason":"length"' : '"stop_reason":"max_tokens"');
  });

  // An Anthropic upstream has no whole reply whose input is text.
  it.each(pairsOf({ dialect: 'openai-chat' }))('A27: $pair: and are an object or a text in a whole reply', async (pair) => {
    script(pair, openaiReply({ tools: [{ name: 'get_weather', arguments: CUT_ARGUMENTS }], finishReason: 'length' }));
    const body = (await (await sendWell(pair, { tools: toolsOf(pair.face) })).json()) as JsonBody;
    if (pair.face.name === 'messages') {
      expect(body).toMatchObject({ stop_reason: 'max_tokens', content: [{ type: 'tool_use', input: {} }] });
    } else {
      expect(body.choices[0]).toMatchObject({
        finish_reason: 'length',
        message: { tool_calls: [{ function: { name: 'get_weather', arguments: CUT_ARGUMENTS } }] },
      });
    }
  }); // oxfmt-ignore

  /** Four markers, and one more for the whole. */
  const marked = ({ name, tool }: TestFace, more: readonly JsonBody[] = []) => {
    const part = (text: string) => ({ type: 'text', text, cache_control: MARKER });
    const system = [part('Be brief.')];
    return {
      tools: [{ ...tool('get_weather', ANY), cache_control: MARKER }],
      ...(name === 'messages' && { system }),
      messages: [
        ...(name === 'chat' ? [{ role: 'system', content: system }] : []),
        { role: 'user', content: [part('One'), part('Two'), ...more] },
        { role: 'assistant', content: 'Yes?' },
        { role: 'user', content: 'Go on.' },
      ],
    };
  };

  it.each(PAIRS)("A30: $pair: no marker is added to the caller's four, and a fifth is the caller's error", async (pair) => {
    script(pair, pair.provider.answers({ text: 'Fine.' }));
    const isNative = pair.provider.kind === 'anthropic';
    await sendWell(pair, { ...marked(pair.face), cache_control: { type: 'ephemeral' } });
    expect(countMarkers(pair.provider)).toBe(isNative ? 4 : 0);
    // With one fewer, the request's own marker is the fourth.
    const { tools: _tools, ...three } = marked(pair.face);
    await sendWell(pair, { ...three, cache_control: { type: 'ephemeral' } });
    expect(countMarkers(pair.provider)).toBe(isNative ? 4 : 0);
    const five = marked(pair.face, [{ type: 'text', text: 'Three', cache_control: MARKER }]);
    const calls = upstreamOf(pair.provider).requests.length;
    const response = await send(pair, five);
    expect([response.status, upstreamOf(pair.provider).requests.length - calls]).toEqual([isNative ? 400 : 200, 1]);
    const body = (await response.json()) as JsonBody;
    if (isNative) expect(body).toMatchObject(pair.face.error(400, expect.stringContaining('Found 5')));
  }); // oxfmt-ignore

  it.each(PAIRS)(
    'A31: $pair: markers reach the dialects that support them, with their times, wherever they are',
    async (pair) => {
      const { face, provider } = pair;
      // More markers than the vendor accepts, so that every field has one.
      bench.anthropic.strict = false;
      script(pair, provider.answers({ text: 'Fine.' }));
      const cache_control = MARKER;
      const media =
        face.name === 'chat'
          ? RESULT_PARTS.chat.filter(({ type }) => type !== 'text')
          : RESULT_PARTS.messages.filter(({ type }) => type === 'image' || type === 'document');
      const body: JsonBody = marked(
        face,
        media.map((part) => ({ ...part, cache_control })),
      );
      // In the chat format, neither calls nor messages have markers.
      const [result] = face.results([{ id: WEATHER.id, text: 'rain' }]);
      const loop =
        face.name === 'chat'
          ? [...face.calls(WEATHER), { ...result, content: [{ type: 'text', text: 'rain', cache_control }] }]
          : [
              { role: 'assistant', content: [{ ...face.calls(WEATHER)[0].content[0], cache_control }] },
              { role: 'user', content: [{ ...result.content[0], cache_control }] },
            ];
      body.messages.splice(-1, 1, ...loop);
      body.messages.splice(-loop.length - 1, 1);
      await sendWell(pair, body);
      const sent = upstreamOf(provider).requests.at(-1)!.rawBody.toString();
      const expected =
        provider.kind === 'anthropic' ? JSON.stringify(body).split(JSON.stringify(MARKER)).length - 1 : 0;
      expect(sent.split(`"cache_control":${JSON.stringify(MARKER)}`).length - 1).toBe(expected);
      expect(countMarkers(provider)).toBe(expected);
    },
  );

  const LONG = 'look_up_'.repeat(8);
  const LONG_NAMES = [`${LONG}first_`, `${LONG}second`];

  it.each(pairsOf({ face: 'messages' }))(
    'A34: $pair: a name that is too long is restored in the reply',
    async (pair) => {
      const tools = LONG_NAMES.map((name) => pair.face.tool(name, ANY));
      script(pair, (request, index) => {
        const names: string[] = request.json.tools.map(({ name, function: called }: JsonBody) => name ?? called.name);
        expect(new Set(names).size).toBe(2);
        return pair.provider.answers({ calls: [{ name: names[1]!, input: {} }] })(request, index);
      });
      for (const stream of MODES)
        expect((await ask(pair, stream, { tools })).calls).toMatchObject([{ name: LONG_NAMES[1] }]);
    },
  );

  it.each(pairsOf({ face: 'chat' }))('A34: $pair: the format itself sets the limit', async (pair) => {
    expect(await refusalOf(pair, { tools: [pair.face.tool(LONG_NAMES[0]!, ANY)] })).toMatch(
      /^tools\.0\.function\.name: /,
    );
  });

  it.each(PAIRS)('A38: $pair: a tool that the target has not is a 400 that names it', async (pair) => {
    const { face, provider } = pair;
    const search = { type: 'web_search_20250305', name: 'web_search' };
    if (face.name === 'messages' && provider.kind === 'anthropic') {
      script(pair, provider.answers({ text: 'Fine.' }));
      await sendWell(pair, { tools: [search] });
      expect(sentTo(provider).tools).toEqual([search]);
    } else {
      const message = await refusalOf(pair, { tools: [face.name === 'chat' ? { type: 'web_search' } : search] });
      expect(message).toMatch(/^tools\.0: .*web_search/);
    }
  });

  it.each(PAIRS)('A39: $pair: what is derived from an effort or a budget is always valid', async (pair) => {
    const { face, provider } = pair;
    script(pair, provider.answers({ text: 'Fine.' }));
    // Strict upstreams know the rules of budgets.
    await sendWell(pair, { ...face.effort('high'), max_tokens: 500, temperature: 0.5 });
    await sendWell(pair, { ...face.effort('high'), max_tokens: face.name === 'chat' ? undefined : 500 });
    if (face.name === 'chat') await sendWell(pair, { ...face.thinking(5_000), max_tokens: undefined });
    // The caller's value is passed on, and the provider's own value is returned.
    const response = await send(pair, { ...face.thinking(5_000), max_tokens: 500 });
    expect(response.status).toBe(provider.kind === 'anthropic' ? 400 : 200);
    if (provider.kind === 'anthropic') {
      expect(sentTo(provider)).toMatchObject({ thinking: { budget_tokens: 5_000 }, max_tokens: 500 });
      expect(await response.json()).toMatchObject(face.error(400, expect.stringContaining('must be greater than')));
    }
  });

  it.each(PAIRS)('A40: $pair: text and two calls, with their ids, names and arguments, and why it ended', async (pair) => {
    script(pair, pair.provider.answers({ text: 'Looking.', calls: [WEATHER, TIME] }));
    const stop = pair.face.name === 'chat' ? 'tool_calls' : 'tool_use';
    const ids = pair.provider.kind === 'anthropic' ? ['toolu_0', 'toolu_1'] : ['call_0', 'call_1'];
    const calls = [WEATHER, TIME].map(({ name, input }, index) => ({ id: ids[index], name, input }));
    for (const stream of MODES) {
      const shown = await ask(pair, stream, { tools: toolsOf(pair.face) });
      expect(shown).toMatchObject({ text: 'Looking.', calls, stop });
      if (pair.face.name === 'chat')
        expect(shown.turn.tool_calls.map(({ index, type }: JsonBody) => [index, type])).toEqual([
          [0, 'function'],
          [1, 'function'],
        ]);
    }
  }); // oxfmt-ignore

  const BODIES: Readonly<Record<string, (provider: Provider) => string>> = {
    'its own form': (provider) => JSON.stringify(provider.error('api_error', 'No luck')),
    "another's form": () => JSON.stringify({ message: 'No luck', __type: 'ThrottlingException' }),
    'no JSON': () => '<html>502 Bad Gateway</html>',
    nothing: () => '',
  };

  it.each(PAIRS.flatMap((pair) => Object.keys(BODIES).map((form) => ({ ...pair, form }))))(
    'A44: $pair: errors in $form are returned in the form of the face',
    async ({ form, ...pair }) => {
      for (const status of [400, 403, 404, 424, 429, 500, 503]) {
        script(pair, { status, headers: { 'content-type': 'application/json' }, body: [BODIES[form]!(pair.provider)] });
        for (const stream of MODES) {
          const response = await send(pair, { stream });
          const shown = { 403: 502, 404: 502, 424: 502, 500: 502 }[status] ?? status;
          const body = (await response.json()) as JsonBody;
          expect([status, response.status]).toEqual([status, shown]);
          expect(body).toMatchObject(pair.face.error(shown, expect.stringMatching(/\S/)));
          if (form === 'its own form') expect(body.error.metadata).toMatchObject({ provider_code: 'api_error' });
        }
      }
    },
  );

  const THOUGHT = 'First this, then that, and 京都 last of all.';

  it.each(PAIRS)('A45: $pair: reasoning is emitted once, and returns to its signer unchanged', async (pair) => {
    const { face, provider } = pair;
    for (const stream of MODES) {
      script(pair, provider.answers({ thinking: THOUGHT, calls: [WEATHER, TIME] }));
      const options = { tools: toolsOf(face), ...face.thinking(2_000) };
      const { thinking, turn, calls } = await ask(pair, stream, options);
      expect(thinking).toBe(THOUGHT);
      if (face.name === 'chat') expect(turn.reasoning_details).toHaveLength(1);
      script(pair, provider.answers({ text: 'Fine.' }));
      const results = face.results(calls.map(({ id }) => ({ id, text: 'rain' })));
      await sendWell(pair, { ...options, messages: [...face.user('Weather?'), turn, ...results] });
      const sent: JsonBody = sentTo(provider).messages[1];
      if (provider.kind === 'anthropic') {
        const blocks = sent.content.filter(({ type }: JsonBody) => type === 'thinking');
        expect(blocks).toEqual([{ type: 'thinking', thinking: THOUGHT, signature: provider.signature(THOUGHT) }]);
      } else {
        expect(JSON.stringify(sent)).not.toContain('京都 last');
      }
      expect(provider.received(sentTo(provider)).filter((words) => words === 'rain')).toHaveLength(2);
    }
  });

  it.each(PAIRS)('A46: $pair: instructions in the middle keep their index, and what is before them its bytes', async (pair) => {
    const { face, provider } = pair;
    script(pair, provider.answers({ text: 'Fine.' }));
    const messages: JsonBody[] = [...face.user('One')];
    let before: string[] = [];
    for (const turn of ['1st', '2nd', '3rd']) {
      const turns = [...face.system(`Note ${turn}`), ...face.user(`Ask ${turn}`)];
      const system = face.name === 'chat' ? {} : { system: 'Be brief.' };
      await sendWell(pair, { ...system, messages: [...messages, ...turns] });
      const sent = sentTo(provider);
      const bytes: string[] = [sent.system ?? null, ...sent.messages].map((part) => JSON.stringify(part));
      expect(bytes.slice(0, before.length)).toEqual(before);
      const note = sent.messages.at(-2);
      // A model of no known rules, and an instruction before another turn: it becomes a turn of the user.
      const role = provider.kind === 'anthropic' ? 'user' : 'system';
      expect([note.role, JSON.stringify(note.content)]).toEqual([role, expect.stringContaining(`Note ${turn}`)]);
      expect(JSON.stringify(note).includes(JSON.stringify(MARKER))).toBe(provider.kind === 'anthropic');
      // The note belongs to this turn alone: everything before it stays.
      before = bytes.slice(0, -2);
      messages.push(...face.user(`Ask ${turn}`).map((message) => ({ ...message, role: 'assistant' })));
      messages.push(...face.user(`And ${turn}`));
    }
  }); // oxfmt-ignore
});
