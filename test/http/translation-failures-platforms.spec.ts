/**
 * Checks that the rows of docs/contribute/reasons/translation.md hold over every dialect on every platform that
 * serves it, through both faces. The real application runs before one strict double of each platform, which answers
 * what its vendor refuses with the vendor's own 400 and records it; the sent request is read where the double cannot
 * know the intention. Rows that two dialects alone can show are in `translation-failures.spec.ts`.
 */
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { DoubleFailureKind, DoublePart, DoubleStop } from '../support/doubles/double.js';
import { startDouble, type Double, type DoubleCall } from '../support/doubles/start-double.js';
import type { JsonBody } from '../support/recorded-request.js';
import { readMessagesEvents } from '../support/sse.js';
import { promptBytes, toolNamesIn } from '../support/provider-changes/sent-prompt.js';
import { PLATFORM_IDS, type PlatformId } from '../../src/core/routing/catalog.js';
import { PLATFORM_ENDPOINTS, platformCatalog, type PlatformEndpoint } from './platform-endpoints.js';
import { FACES, type SeenReply, type TestFace } from './translation-bench.js';

interface Case {
  readonly face: TestFace;
  readonly endpoint: PlatformEndpoint;
  /** The title of the pair. */
  readonly pair: string;
}
const CASES: readonly Case[] = FACES.flatMap((face) =>
  PLATFORM_ENDPOINTS.map((endpoint) => ({
    face,
    endpoint,
    pair: `${face.name} over ${endpoint.dialect} on ${endpoint.platform}`,
  })),
);
const isClaude = ({ dialect }: PlatformEndpoint): boolean =>
  dialect === 'anthropic-messages' || dialect === 'bedrock-converse';
const CLAUDE_CASES = CASES.filter(({ endpoint }) => isClaude(endpoint));
const REASONING_CASES = CASES.filter(({ endpoint }) => endpoint.dialect !== 'openai-chat');
const MODES = [false, true] as const;

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==';
const ANY = { type: 'object', properties: {} };
const WEATHER = { id: 'call_a', name: 'get_weather', input: { city: '京都' } };
const TIME = { id: 'call_b', name: 'get_time', input: {} };
const CALLS: readonly DoublePart[] = [WEATHER, TIME].map((called) => ({ type: 'call', ...called }));
const MARKER = { type: 'ephemeral', ttl: '1h' };
const THOUGHT = 'First this, then that.';
/** The suffix of a model whose parameters the catalog lists. */
const LISTED = '-listed';

describeOnEmbedded('failures of translation on every platform', (database) => {
  let gateway: TestGateway;
  const doubles = new Map<PlatformId, Double>();
  beforeAll(async () => {
    for (const platform of PLATFORM_IDS) doubles.set(platform, await startDouble(platform));
    gateway = await startGateway(database, { catalog: catalogOf(doubles), coolsDown: false });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    for (const double of doubles.values()) await double.close();
  });
  beforeEach(() => {
    for (const double of doubles.values()) {
      double.violations.length = 0;
      double.script({ parts: [{ type: 'text', text: 'Fine.' }] });
    }
  });

  const at = ({ endpoint }: Case): Double => doubles.get(endpoint.platform)!;
  const sentTo = (one: Case): DoubleCall => at(one).calls.at(-1)!;
  const toolsOf = (face: TestFace) => [WEATHER, TIME].map(({ name }) => face.tool(name, ANY));

  const send = ({ face, endpoint }: Case, more: object, headers: Record<string, string> = {}): Promise<Response> =>
    gateway.request(face.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: endpoint.model, max_tokens: 4_000, messages: face.user('Hello'), ...more }),
    });

  /** The answer to a request that no double had to refuse. */
  async function sendWell(one: Case, more: object, headers?: Record<string, string>): Promise<Response> {
    const response = await send(one, more, headers);
    if (response.status !== 200) throw new Error(`${one.pair}: ${response.status} ${await response.text()}`);
    expect(at(one).violations).toEqual([]);
    return response;
  }

  async function ask(one: Case, stream: boolean, more: object = {}): Promise<SeenReply> {
    const response = await sendWell(one, { stream, ...more });
    return stream ? one.face.streamed(await response.text()) : one.face.whole(await response.json());
  }

  async function refusalOf(one: Case, more: object): Promise<string> {
    const calls = at(one).calls.length;
    const response = await send(one, more);
    const body = (await response.json()) as JsonBody;
    expect({ status: response.status, body }).toEqual({ status: 400, body: one.face.error(400, expect.any(String)) });
    expect(at(one).calls).toHaveLength(calls);
    return body.error.message;
  }

  it.each(REASONING_CASES)('A02, A20: $pair: thoughts are thinking in front of the text, and never text', async (one) => {
    const parts = [
      { type: 'thinking', text: THOUGHT },
      { type: 'text', text: '{"a":1}' },
    ] as const;
    at(one).script({ parts });
    const stream = await (await sendWell(one, { stream: true, ...one.face.thinking(2_000) })).text();
    const kinds = one.face.kinds(stream).map((kind) => kind.split(' ')[1]);
    expect(kinds.filter((kind) => kind !== 'redacted_thinking')).toEqual(['thinking', 'text']);
    for (const shown of [one.face.streamed(stream), await ask(one, false, one.face.thinking(2_000))])
      expect(shown).toMatchObject({ thinking: THOUGHT, text: '{"a":1}' });
  }); // oxfmt-ignore

  it.each(CASES)("A36, A43: $pair: the figures are the vendor's and add up", async (one) => {
    const usage = { input: 200, cached: 800, output: 5, reasoning: 0 };
    at(one).script({ parts: [{ type: 'text', text: 'Hi' }], usage });
    // Cohere's figure of cached tokens counts a template that is not paid
    // (docs/use/translation/cohere-chat.md#replies).
    const reportsCache = one.endpoint.dialect !== 'cohere-chat';
    const prompt = one.face.name === 'chat' || !reportsCache ? 1_000 : 200;
    for (const stream of MODES) {
      const cached = reportsCache ? 800 : one.face.name === 'chat' ? 0 : null;
      expect((await ask(one, stream)).usage).toEqual({ prompt, cached, output: 5 });
    }
  });

  const FIRST_KEYS = [
    'input_tokens',
    'output_tokens',
    'cache_read_input_tokens',
    'cache_creation_input_tokens',
    'cache_creation',
  ];

  it.each(CASES.filter(({ face }) => face.name === 'messages'))('A04: $pair: the first event has every key of usage', async (one) => {
    const [first] = readMessagesEvents(await (await sendWell(one, { stream: true })).text());
    for (const key of FIRST_KEYS) expect([key, first.message.usage[key]]).not.toEqual([key, undefined]);
  }); // oxfmt-ignore

  it.each(CLAUDE_CASES)('A09: $pair: thinking is left out where another provider began the loop', async (one) => {
    const elsewhere = CASES.find(({ face, endpoint }) => face === one.face && endpoint.dialect === 'openai-responses')!;
    at(elsewhere).script({ parts: [{ type: 'thinking', text: THOUGHT }, ...CALLS] });
    const options = { tools: toolsOf(one.face), ...one.face.thinking(2_000) };
    const { turn, calls } = await ask(elsewhere, true, options);
    at(one).script({ parts: [{ type: 'text', text: 'Fine.' }] });
    const results = one.face.results(calls.map(({ id }) => ({ id, text: 'rain' })));
    await sendWell(one, { ...options, messages: [...one.face.user('Weather?'), turn, ...results] });
    expect(JSON.stringify(sentTo(one).body)).not.toMatch(/"thinking":|First this/);
    await sendWell(one, options);
    expect(JSON.stringify(sentTo(one).body)).toContain('"thinking":{"type":"enabled","budget_tokens":2000');
  });

  it.each(CASES)('A13, A15, A16: $pair: results with images are together behind their calls, texts in order', async (one) => {
    const { face } = one;
    const image = face.name === 'chat'
      ? { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }
      : { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
    const [turn, ...further] = face.results([{ id: WEATHER.id, text: 'rain' }, { id: TIME.id, text: 'noon' }], 'Words A', 'Words B');
    if (face.name === 'chat') turn!.content = [{ type: 'text', text: 'rain' }, image];
    else turn!.content[0].content = [{ type: 'text', text: 'rain' }, image];
    await sendWell(one, { tools: toolsOf(face), messages: [...face.user('Hello'), ...face.calls(WEATHER, TIME), turn, ...further] });
    const text = JSON.stringify(sentTo(one).body);
    const positions = ['rain', 'noon', 'Words A', 'Words B'].map((word) => text.indexOf(word));
    expect(positions.every((position, index) => position > (positions[index - 1] ?? 0))).toBe(true);
    expect(text).toContain(PNG);
  }); // oxfmt-ignore

  const DEEP_SCHEMA = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    additionalProperties: false,
    propertyNames: { pattern: '^[a-z]+$' },
    properties: {
      list: { type: 'array', items: { anyOf: [{ type: 'number', exclusiveMinimum: 0 }, { const: 'a' }] } },
    },
  };

  it.each(CASES)('A14: $pair: a schema is reduced where it must be, and nowhere else', async (one) => {
    await sendWell(one, { tools: [one.face.tool('get_weather', DEEP_SCHEMA)] });
    const text = JSON.stringify(sentTo(one).body);
    if (one.endpoint.dialect === 'google-gemini') expect(text).toContain('{"anyOf":[{"type":"number","minimum":0');
    else expect(text).toContain(JSON.stringify(DEEP_SCHEMA));
  });

  it.each(CASES.filter(({ face }) => face.name === 'messages'))(
    'A14: $pair: nothing is required where the caller sends null',
    async (one) => {
      await sendWell(one, { tools: [{ name: 'get_weather', input_schema: { ...ANY, required: null } }] });
      // The vendor of the format receives it unchanged.
      if (one.endpoint.dialect !== 'anthropic-messages')
        expect(JSON.stringify(sentTo(one).body)).not.toContain('"required"');
    },
  );

  const dangling = (face: TestFace): readonly (readonly [string, JsonBody[], string])[] => {
    const [both] = [face.results([{ id: WEATHER.id, text: 'a' }, { id: WEATHER.id, text: 'b' }])];
    return [
      ['no result', [...face.user('Hello'), ...face.calls(WEATHER), ...face.user('And?')], 'messages.1.'],
      ['a result of nothing', [...face.user('Hello'), ...face.results([{ id: WEATHER.id, text: 'a' }])], 'messages.1'],
      ['two results', [...face.user('Hello'), ...face.calls(WEATHER), ...both], face.name === 'chat' ? 'messages.3' : 'messages.2.'],
      ['two calls of one id', [...face.user('Hello'), ...face.calls(WEATHER, WEATHER), ...both], 'messages.1.'],
    ];
  }; // oxfmt-ignore

  it.each(CASES)('A18: $pair: calls and results that do not pair are one 400 with path and id', async (one) => {
    for (const [name, messages, path] of dangling(one.face)) {
      const message = await refusalOf(one, { tools: toolsOf(one.face), messages });
      expect([name, message.startsWith(path), message.includes(WEATHER.id)]).toEqual([name, true, true]);
    }
  });

  const STOPS: readonly (readonly [DoubleStop, string, string])[] = [
    ['end', 'end_turn', 'stop'],
    ['output-limit', 'max_tokens', 'length'],
    ['refusal', 'refusal', 'content_filter'],
  ];

  it.each(CASES)('A24: $pair: stops keep their meaning', async (one) => {
    for (const [stop, messages, chat] of STOPS) {
      at(one).script({ parts: [{ type: 'text', text: 'So far' }], stop });
      for (const stream of MODES) {
        const shown = await ask(one, stream);
        // OpenAI's chat format has a field for a refusal, and the word of an ordinary end.
        const hasRefusalField = stop === 'refusal' && one.endpoint.dialect === 'openai-chat';
        expect([stop, shown.stop]).toEqual([
          stop,
          one.face.name === 'messages' ? messages : hasRefusalField ? 'stop' : chat,
        ]);
      }
    }
  });

  it.each(CASES)("A25: $pair: fields and betas of one vendor's are no reason to be refused", async (one) => {
    const own =
      one.face.name === 'chat'
        ? { prompt_cache_key: 'k', seed: 7, logit_bias: { 1: 1 }, verbosity: 'low', top_a: 0.5 }
        : {
            context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
            output_config: { effort: 'low', task_budget: { type: 'tokens', total: 20_000 } },
            tools: [{ name: 'f', input_schema: ANY, defer_loading: true }],
          };
    await sendWell(one, own, { 'anthropic-beta': 'one-2026-01-01,two-2026-01-01' });
    if (!isClaude(one.endpoint)) expect(JSON.stringify(sentTo(one).body)).not.toMatch(/context_management|defer_loading|2026-01-01/);
  }); // oxfmt-ignore

  it.each(CASES.filter(({ face }) => face.name === 'messages'))(
    'A25: $pair: a field that it would drop leaves it out, where all are required',
    async (one) => {
      const own = { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } };
      const calls = at(one).calls.length;
      const model = `${one.endpoint.model}${LISTED}`;
      const response = await send(one, { ...own, model, provider: { require_parameters: true } });
      const isSent = at(one).calls.length > calls;
      expect(response.status).toBe(isSent ? 200 : 404);
      if (isSent) expect(sentTo(one).body).toMatchObject(own);
      // The field is of this format, and of the vendor's own address.
      if (one.endpoint.dialect !== 'anthropic-messages') expect(isSent).toBe(false);
      else if (one.endpoint.platform === 'direct') expect(isSent).toBe(true);
    },
  );

  it.each(CASES)('A30, A31: $pair: markers reach the dialects that support them, and none is added to four', async (one) => {
    const { face } = one;
    const part = (text: string) => ({ type: 'text', text, cache_control: MARKER });
    const [result] = face.results([{ id: WEATHER.id, text: 'rain' }]);
    if (face.name === 'chat') result!.content = [part('rain')];
    else Object.assign(result!.content[0], { cache_control: MARKER });
    const user = { role: 'user', content: [part('One')] };
    await sendWell(one, {
      tools: [{ ...face.tool('get_weather', ANY), cache_control: MARKER }],
      ...(face.name === 'messages' && { system: [part('Be brief.')] }),
      messages: [...(face.name === 'chat' ? [{ role: 'system', content: [part('Be brief.')] }] : []), user, ...face.calls(WEATHER), result],
      cache_control: { type: 'ephemeral' },
    });
    const form = one.endpoint.dialect === 'bedrock-converse' ? { cachePoint: { type: 'default', ttl: '1h' } } : { cache_control: MARKER };
    const text = JSON.stringify(sentTo(one).body);
    const found = text.split(JSON.stringify(form).slice(1, -1)).length - 1;
    expect([found, text.match(/"(?:cachePoint|cache_control)":/g)?.length ?? 0]).toEqual(isClaude(one.endpoint) ? [4, 4] : [0, 0]);
  }); // oxfmt-ignore

  it.each(CASES)("A30: $pair: a fifth marker is the caller's error where the vendor counts them", async (one) => {
    const texts = ['1st', '2nd', '3rd', '4th', '5th'];
    const content = texts.map((text) => ({ type: 'text', text, cache_control: MARKER }));
    const calls = at(one).calls.length;
    const response = await send(one, { messages: [{ role: 'user', content }], cache_control: { type: 'ephemeral' } });
    const body = await response.json();
    // None is dropped: the gateway cannot know which one the caller could spare.
    const refused = { status: 400, body: one.face.error(400, expect.stringContaining('Found 5')) };
    const taken = { status: 200, body: expect.anything() };
    expect({ status: response.status, body }).toEqual(isClaude(one.endpoint) ? refused : taken);
    expect(at(one).calls).toHaveLength(calls + 1);
    if (!isClaude(one.endpoint)) expect(JSON.stringify(sentTo(one).body)).not.toMatch(/cache_control|cachePoint/);
  });

  const NAMES = ['get.weather', 'get weather', `${'look_up_'.repeat(8)}`.slice(0, 64)];

  it.each(CASES)('A34: $pair: names that the target refuses are mapped, there and back', async (one) => {
    const tools = NAMES.map((name) => one.face.tool(name, ANY));
    at(one).script((call) => ({
      parts: toolNamesIn(call.dialect, call.body).map((name, position) => ({ type: 'call', id: `call_${position}`, name, input: {} })),
    }));
    for (const stream of MODES) {
      const { calls, turn } = await ask(one, stream, { tools });
      expect(calls.map(({ name }) => name)).toEqual(NAMES);
      const results = one.face.results(calls.map(({ id }) => ({ id, text: 'ok' })));
      await sendWell(one, { tools, messages: [...one.face.user('Hello'), turn, ...results] });
    }
  }); // oxfmt-ignore

  it.each(CASES.filter(({ endpoint }) => endpoint.dialect !== 'anthropic-messages'))(
    "A38: $pair: another vendor's tool is a 400 that names it",
    async (one) => {
      const search = { type: 'web_search_20250305', name: 'web_search' };
      const message = await refusalOf(one, { tools: [one.face.name === 'chat' ? { type: 'web_search' } : search] });
      expect(message).toMatch(/^tools\.0: .*web_search/);
    },
  );

  it.each(CASES)('A39: $pair: what is derived from an effort or a budget is valid', async (one) => {
    const isChat = one.face.name === 'chat';
    await sendWell(one, { ...one.face.effort('high'), max_tokens: 500, temperature: 0.5 });
    await sendWell(one, { ...one.face.effort('high'), max_tokens: isChat ? undefined : 500 });
    if (isChat) await sendWell(one, { ...one.face.thinking(5_000), max_tokens: undefined });
  });

  it.each(CASES)('A40: $pair: two calls with ids, names, arguments, and why it ended', async (one) => {
    at(one).script({ parts: CALLS });
    for (const stream of MODES) {
      const shown = await ask(one, stream, { tools: toolsOf(one.face) });
      expect(shown.calls).toMatchObject([WEATHER, TIME].map(({ name, input }) => ({ name, input })));
      expect(new Set(shown.calls.map(({ id }) => id)).size).toBe(2);
      expect(shown.stop).toBe(one.face.name === 'chat' ? 'tool_calls' : 'tool_use');
    }
  });

  const FAILURES: readonly (readonly [DoubleFailureKind, readonly number[]])[] = [
    ['invalid', [400]],
    ['unauthorised', [502]],
    ['rate-limited', [429]],
    ['overloaded', [503, 529]],
    ['server-error', [502]],
  ];

  it.each(CASES)("A44: $pair: the vendor's errors are returned in the form of the face", async (one) => {
    for (const [fails, statuses] of FAILURES) {
      at(one).script({ fails, message: 'No luck' });
      for (const stream of MODES) {
        const response = await send(one, { stream });
        const body = (await response.json()) as JsonBody;
        expect([fails, statuses.includes(response.status)]).toEqual([fails, true]);
        expect(body).toMatchObject(one.face.error(response.status, expect.stringMatching(/\S/)));
      }
    }
  });

  it.each(REASONING_CASES)('A45: $pair: reasoning is emitted once, and its signer takes it back', async (one) => {
    const { face } = one;
    const options = { tools: toolsOf(face), ...face.thinking(2_000) };
    for (const stream of MODES) {
      at(one).script({ parts: [{ type: 'thinking', text: THOUGHT }, ...CALLS] });
      const { thinking, turn, calls } = await ask(one, stream, options);
      expect(thinking).toBe(THOUGHT);
      at(one).script({ parts: [{ type: 'text', text: 'Fine.' }] });
      const results = face.results(calls.map(({ id }) => ({ id, text: 'rain' })));
      await sendWell(one, { ...options, messages: [...face.user('Weather?'), turn, ...results] });
      // Gemini's own thoughts are not read again: the signature of the call goes back.
      const sent = JSON.stringify(sentTo(one).body);
      const own = one.endpoint.dialect === 'google-gemini' ? /"thoughtSignature":"(?!skip)/g : new RegExp(THOUGHT, 'g');
      expect(sent.match(own)).toHaveLength(1);
    }
  });

  it.each(CASES)(
    'A46: $pair: instructions in the middle keep their index, and what is before them its bytes',
    async (one) => {
      const { face, endpoint } = one;
      const messages: JsonBody[] = [...face.user('One')];
      let before = '';
      for (const turn of ['1st', '2nd', '3rd']) {
        await sendWell(one, { messages: [...messages, ...face.system(`Note ${turn}`), ...face.user(`Ask ${turn}`)] });
        const bytes = promptBytes(endpoint.dialect, sentTo(one).body);
        expect(bytes.slice(0, before.length)).toBe(before);
        const positions = ['One', `Note ${turn}`, `Ask ${turn}`].map((word) => bytes.indexOf(word));
        expect(positions.every((position, index) => position > (positions[index - 1] ?? 0))).toBe(true);
        // The note belongs to this turn alone: everything before it stays.
        messages.push({ role: 'assistant', content: `Said ${turn}` }, ...face.user(`And ${turn}`));
        await sendWell(one, { messages });
        before = promptBytes(endpoint.dialect, sentTo(one).body);
      }
    },
  );
});

/** Every endpoint as a model at a separate provider, in the form of an operator's catalog. */
function catalogOf(doubles: ReadonlyMap<PlatformId, Double>): object {
  const listed = PLATFORM_ENDPOINTS.map((endpoint) => ({
    ...endpoint,
    model: `${endpoint.model}${LISTED}`,
    lists: ['max_tokens', 'tools'],
  }));
  return platformCatalog(doubles, [...PLATFORM_ENDPOINTS, ...listed]);
}
