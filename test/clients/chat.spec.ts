/**
 * Checks that real, unmodified clients of the chat-completions format work, whole and streamed, with tools,
 * reasoning, structured output and each class of error, with every kind of provider. The clients call the real
 * application over scripted upstreams, without retries.
 */
import OpenAI from 'openai';
import { API_KEY } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { importNatively } from '../support/native-import.js';
import type { JsonBody } from '../support/recorded-request.js';
import { openai, openRouterNewest, openRouterOldest, type ChatClient, type ChatClientKind } from './chat-clients.js';
import { langchainOpenai, openRouterAi } from './chat-frameworks.js';
import { answersInShape, OVERLOADED_MESSAGE, PROVIDERS, refuses } from './scripted-upstream.js';
import { TestBench } from './test-bench.js';

const CHAT_CLIENTS: readonly ChatClientKind[] = [
  openai,
  openRouterNewest,
  openRouterOldest,
  openRouterAi,
  langchainOpenai,
];

const TEXT = 'Grüße, 你好 👋 and a few words more.';
const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const TOOLS = ['get_weather', 'get_time'].map((name) => ({
  type: 'function',
  function: { name, description: 'a', parameters: SCHEMA },
}));
const CALLS = [
  { name: 'get_weather', input: { city: '京都' } },
  { name: 'get_time', input: { city: 'x' } },
];
const USER = { role: 'user', content: 'Hello' };

describeOnEmbedded('clients of chat completions', (database) => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await TestBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  const cases = CHAT_CLIENTS.flatMap((client) =>
    PROVIDERS.flatMap((provider) =>
      [false, true].map((streamed) => ({
        client,
        provider,
        streamed,
        title: `${client.name}, ${provider.kind}, ${streamed ? 'streamed' : 'whole'}`,
      })),
    ),
  );
  const send = (client: ChatClient, streamed: boolean, body: JsonBody) =>
    streamed ? client.askStream(body) : client.ask(body);

  const failureOf = (answer: Promise<unknown>): Promise<JsonBody> =>
    answer.then(
      () => undefined,
      (reason: unknown) => reason,
    );

  it.each(cases)('$title: words, reasoning and figures', async ({ client: kind, provider, streamed }) => {
    const client = await kind.connect(bench.origin, API_KEY);
    const usage = { input: 12, output: 7, cacheRead: 0, cacheWrite: 0 };
    const model = bench.script(provider, provider.answers({ thinking: 'Let me think.', text: TEXT, usage }));
    const sight = await send(client, streamed, { model, messages: [{ role: 'system', content: 'a' }, USER] });
    expect(sight).toEqual({
      text: TEXT,
      reasoning: kind.reportsReasoning ? 'Let me think.' : '',
      calls: [],
      finish: 'stop',
      usage: { input: 12, output: 7 },
    });
  });

  it.each(cases)('$title: two calls of tools and their results', async ({ client: kind, provider, streamed }) => {
    const client = await kind.connect(bench.origin, API_KEY);
    const model = bench.script(provider, provider.answers({ text: 'Looking.', calls: CALLS }));
    const sight = await send(client, streamed, { model, messages: [USER], tools: TOOLS });
    expect(sight).toMatchObject({ text: 'Looking.', calls: CALLS, finish: 'tool_calls' });
    const messages = [
      USER,
      {
        role: 'assistant',
        content: sight.text,
        tool_calls: sight.calls.map(({ id, name, input }) => ({
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(input) },
        })),
      },
      ...sight.calls.map(({ id, name }) => ({ role: 'tool', tool_call_id: id, content: `result of ${name}` })),
    ];
    bench.script(provider, (request, index) =>
      provider.answers({ text: provider.received(request.json).join(' and ') })(request, index),
    );
    expect((await send(client, streamed, { model, messages, tools: TOOLS })).text).toBe(
      'result of get_weather and result of get_time',
    );
  });

  it.each(cases)('$title: an answer in a shape', async ({ client: kind, provider, streamed }) => {
    const client = await kind.connect(bench.origin, API_KEY);
    const model = bench.script(provider, (request, index) => {
      expect(provider.wantedShape(request.json)).toEqual(SCHEMA);
      return provider.answers({ text: '{"city":"京都"}' })(request, index);
    });
    const response_format = { type: 'json_schema', json_schema: { name: 'place', schema: SCHEMA, strict: true } };
    const { text } = await send(client, streamed, { model, messages: [USER], response_format });
    expect(JSON.parse(text)).toEqual({ city: '京都' });
  });

  const errors = CHAT_CLIENTS.flatMap((client) =>
    [400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529].flatMap((status) =>
      [false, true].map((streamed) => ({ client, status, streamed, title: `${client.name}, ${status}, ${streamed}` })),
    ),
  );

  it.each(errors)('$title: the class of the returned status', async ({ client: kind, status, streamed }) => {
    const client = await kind.connect(bench.origin, API_KEY);
    const [provider] = PROVIDERS;
    const model = bench.script(provider!, refuses(provider!, status, 'api_error', 'No luck'));
    const error = await failureOf(send(client, streamed, { model, messages: [USER] }));
    const shownStatus: number = error.status ?? error.statusCode;
    expect(error.constructor.name).toBe(kind.errorName(shownStatus));
    expect(shownStatus).toBeGreaterThanOrEqual(400);
    expect(String(error.message)).toMatch(/\w/);
  });

  it.each(CHAT_CLIENTS)('$name: a wrong key and a wrong body', async (kind) => {
    const messages = [USER];
    const stranger = await kind.connect(bench.origin, 'sk-wrong');
    const unknown = await failureOf(stranger.ask({ model: 'test/openai', messages }));
    expect(unknown.constructor.name).toBe(kind.errorName(401));
    const client = await kind.connect(bench.origin, API_KEY);
    const wrong = await failureOf(client.ask({ model: 'test/openai', messages, temperature: 3 }));
    expect(wrong.constructor.name).toBe(kind.errorName(400));
    expect(wrong.message).toContain('temperature: must be at most 2');
  });

  it.each(CHAT_CLIENTS.flatMap((client) => PROVIDERS.map((provider) => ({ client, provider, kind: provider.kind }))))(
    '$client.name, $kind: an error in mid-stream is one',
    async ({ client: kind, provider }) => {
      const client = await kind.connect(bench.origin, API_KEY);
      const model = bench.script(provider, provider.breaksOff('Some words', 'error'));
      await expect(client.askStream({ model, messages: [USER] })).rejects.toThrow(OVERLOADED_MESSAGE);
    },
  );

  it.each(PROVIDERS)('openai, $kind: parses what fits a schema', async (provider) => {
    const client = new OpenAI({ apiKey: API_KEY, baseURL: `${bench.origin}/v1`, maxRetries: 0 });
    const model = bench.script(provider, provider.answers({ text: '{"city":"x"}' }));
    const { choices } = await client.chat.completions.parse({
      model,
      messages: [{ role: 'user', content: 'Hello' }],
      response_format: { type: 'json_schema', json_schema: { name: 'place', schema: SCHEMA, strict: true } },
    });
    expect(choices[0]!.finish_reason).toBe('stop');
  });

  it.each(PROVIDERS)('@langchain/openai, $kind: parses what fits a schema', async (provider) => {
    const { ChatOpenAI } = await importNatively<JsonBody>('@langchain/openai');
    const model = new ChatOpenAI({
      model: bench.script(provider, answersInShape(provider, { city: 'x' })),
      apiKey: API_KEY,
      configuration: { baseURL: `${bench.origin}/api/v1` },
      maxRetries: 0,
    });
    for (const method of ['jsonSchema', 'functionCalling'])
      expect(await model.withStructuredOutput(SCHEMA, { name: 'place', method }).invoke('Hello')).toEqual({
        city: 'x',
      });
  });
});
