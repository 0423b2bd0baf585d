/**
 * Checks that real, unmodified clients of the responses format work, whole and streamed: loops of tools, answers by a
 * schema, reasoning that comes back, and failures. `openai` and `callModel` of OpenRouter's client call the real
 * application over scripted upstreams of three formats.
 */
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import type { OpenRouter } from '@openrouter/sdk';
import { z } from 'zod';
import { API_KEY, MANAGEMENT_KEY, extendedCatalogOf, startGateway, type TestGateway } from '../support/app.js';
import { anthropicReply, anthropicText, anthropicThinking } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import { seal } from '../support/doubles/double.js';
import { importNatively } from '../support/native-import.js';
import { openaiFrames, openaiText, openaiTools } from '../support/openai-upstream.js';
import type { JsonBody } from '../support/recorded-request.js';
import { messageItem, responsesCut, responsesReply, responsesText } from '../support/responses-upstream.js';
import { CUT, json, sse, type Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { delta, OPEN } from '../http/messages-bench.js';

const CITY = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const WEATHER = { type: 'function', name: 'get_weather', description: 'd', parameters: CITY, strict: false } as const;
const INPUT = { city: '京都' };

interface Provider {
  readonly model: string;
  readonly text: (text: string) => Script;
  readonly call: Script;
  /** A stream that breaks off after these words. */
  readonly cut: (text: string) => Script;
}
const PROVIDERS: readonly Provider[] = [
  {
    model: 'test/anthropic',
    text: anthropicText,
    call: anthropicReply([{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: INPUT }], { stopReason: 'tool_use' }),
    cut: (text) => () => sse([OPEN, delta(text), CUT]),
  },
  {
    model: 'test/openai',
    text: openaiText,
    call: openaiTools({ name: 'get_weather', input: INPUT }),
    cut: (text) => () => sse([...openaiFrames({ text }, 'upstream', false).slice(0, 2), CUT]),
  },
  {
    model: 'test/responses',
    text: responsesText,
    call: responsesReply([{ id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: JSON.stringify(INPUT), status: 'completed' }]),
    cut: responsesCut,
  },
]; // oxfmt-ignore

const BUSY = json({ error: { message: 'slow down', type: 'rate_limit_error' } }, 429, { 'retry-after': '1' });
/** Words that agents take for a failure after which they ask again. */
const TRANSIENT = /provider.?returned.?error|connection.?error/i;

describeOnEmbedded('clients of responses', (database) => {
  let gateway: TestGateway;
  let openai: OpenAI;
  const upstreams = new Map<string, Upstream>();

  beforeAll(async () => {
    const dialects = { anthropic: 'anthropic-messages', openai: 'openai-chat', responses: 'openai-responses' } as const;
    for (const kind of ['anthropic', 'openai', 'responses'] as const)
      upstreams.set(`test/${kind}`, await startUpstream(kind));
    const entries = Object.entries(dialects).map(([kind, dialect]) => ({
      id: `test/${kind}`,
      at: [{ url: upstreams.get(`test/${kind}`)!.url, dialect }],
    }));
    gateway = await startGateway(database, { catalog: extendedCatalogOf(...entries), coolsDown: false });
    openai = new OpenAI({ apiKey: API_KEY, baseURL: `${gateway.origin}/api/v1`, maxRetries: 0 });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    for (const upstream of upstreams.values()) await upstream.close();
  });

  const scriptOf = (model: string, script: Script | ReturnType<typeof json>): void =>
    upstreams.get(model)!.script(script);

  const request = (body: JsonBody, stream: boolean): Promise<JsonBody> =>
    stream ? openai.responses.stream(body).finalResponse() : openai.responses.create(body);

  describe.each(PROVIDERS.flatMap((provider) => [false, true].map((stream) => ({ ...provider, stream }))))(
    'openai: $model, stream $stream',
    ({ model, text, call, stream }) => {
      it('reads a text', async () => {
        scriptOf(model, text('Grüße, 你好 👋'));
        const response = await request({ model, input: 'Hello' }, stream);
        expect(response).toMatchObject({ status: 'completed', output_text: 'Grüße, 你好 👋', error: null });
      });

      it('runs a loop of tools to its end', async () => {
        scriptOf(model, call);
        const input: JsonBody[] = [{ role: 'user', content: 'Weather?' }];
        const first = await request({ model, input, tools: [WEATHER] }, stream);
        const [called] = first.output;
        expect([called.type, JSON.parse(called.arguments)]).toEqual(['function_call', INPUT]);
        input.push(...first.output, { type: 'function_call_output', call_id: called.call_id, output: 'rain' });
        scriptOf(model, text('It rains.'));
        const second = await request({ model, input, tools: [WEATHER] }, stream);
        expect(second.output_text).toBe('It rains.');
        expect(JSON.stringify(upstreams.get(model)!.requests.at(-1)!.json)).toContain('rain');
      });

      it('parses an answer by its schema', async () => {
        scriptOf(model, text('{"city":"Kiel"}'));
        const format = zodTextFormat(z.object({ city: z.string() }), 'city');
        const body = { model, input: 'Where?', text: { format } };
        const response: JsonBody = stream
          ? await openai.responses.stream(body).finalResponse()
          : await openai.responses.parse(body);
        expect(response.output_parsed).toEqual({ city: 'Kiel' });
      });
    },
  );

  it('openai: iterates events, and gives reasoning back', async () => {
    const model = 'test/anthropic';
    scriptOf(model, anthropicThinking('Let me see.', 'Here.'));
    const body = { model, input: 'Hello', stream: true, include: ['reasoning.encrypted_content'] } as const;
    let last: JsonBody;
    const pieces: string[] = [];
    for await (const event of await openai.responses.create({ ...body, include: [...body.include] })) {
      if (event.type === 'response.output_text.delta') pieces.push(event.delta);
      last = event;
    }
    expect([pieces.join(''), last.type]).toEqual(['Here.', 'response.completed']);
    const input = [{ role: 'user', content: 'Hello' }, ...last.response.output, { role: 'user', content: 'And?' }];
    await openai.responses.create({ model, input: input as never });
    expect(upstreams.get(model)!.requests.at(-1)!.json.messages[1].content[0]).toMatchObject({ type: 'thinking', thinking: 'Let me see.' }); // oxfmt-ignore
  });

  it('openai: retries a 429 once', async () => {
    let tries = 0;
    scriptOf(
      'test/openai',
      (...args) =>
      ++tries === 1 ? json({ error: { message: 'slow down', type: 'rate_limit_error' } }, 429, { 'retry-after': '0' }) : openaiText('Hi.')(...args), // oxfmt-ignore
    );
    const patient = openai.withOptions({ maxRetries: 1 });
    expect((await patient.responses.create({ model: 'test/openai', input: 'Hello' })).output_text).toBe('Hi.');
    expect(tries).toBe(2);
  });

  it('openai: sees a cut in mid-stream as a failed response, in words that agents know', async () => {
    scriptOf('test/anthropic', sse([OPEN, delta('Hal'), CUT]));
    const response: JsonBody = await openai.responses
      .stream({ model: 'test/anthropic', input: 'Hello' })
      .finalResponse();
    expect(response).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    expect(response.error.message).toMatch(TRANSIENT);
  });

  /** A key that may spend nothing. */
  async function poorKey(): Promise<string> {
    const body = JSON.stringify({ name: 'poor', limit: 0 });
    const headers = { 'content-type': 'application/json' };
    const made = await gateway.request('/keys', { method: 'POST', key: MANAGEMENT_KEY, headers, body });
    return ((await made.json()) as JsonBody).key;
  }

  it('openai: throws its own errors', async () => {
    const poor = new OpenAI({ apiKey: await poorKey(), baseURL: `${gateway.origin}/api/v1`, maxRetries: 0 });
    const statusOf = (promise: Promise<unknown>): Promise<unknown> => promise.then(() => 200, (error: { status: unknown }) => error.status); // oxfmt-ignore
    expect(await statusOf(poor.responses.create({ model: 'test/openai', input: 'Hello' }))).toBe(402);
    expect(await statusOf(openai.responses.create({ model: 'test/none', input: 'Hello' }))).toBe(404);
    expect(await statusOf(openai.responses.create({ model: 'test/openai', input: 'Hello', store: true }))).toBe(400);
  });

  describe('@openrouter/sdk', () => {
    let client: OpenRouter;
    let connect: (apiKey: string) => OpenRouter;
    beforeAll(async () => {
      const module = await importNatively<{ OpenRouter: typeof OpenRouter }>('@openrouter/sdk');
      connect = (apiKey) =>
        new module.OpenRouter({
          apiKey,
          serverURL: `${gateway.origin}/api/v1`,
          retryConfig: { strategy: 'none' },
        });
      client = connect(API_KEY);
    });

    const WEATHER_TOOL = {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'd',
        inputSchema: z.object({ city: z.string() }),
        execute: () => Promise.resolve({ weather: 'rain' }),
      },
    };
    interface Result {
      getText(): Promise<string>;
      getResponse(): Promise<JsonBody>;
      getFullResponsesStream(): AsyncIterable<JsonBody>;
    }
    const call = (model: string, more: object = {}, options: object = {}, by = client): Result =>
      by.callModel({ model, input: 'Weather?', ...more }, options);
    const failureOf = (promise: Promise<unknown>): Promise<JsonBody> =>
      promise.then(
        (value) => ({ value }),
        (error: unknown) => error,
      );

    describe.each(PROVIDERS)('callModel fails: $model', ({ model, text, call: calls, cut }) => {
      it('with the status of a 429, its code as a number, and the time to wait', async () => {
        scriptOf(model, BUSY);
        const error = await failureOf(call(model).getText());
        expect(error).toMatchObject({ name: 'TooManyRequestsResponseError', statusCode: 429, error: { code: 429 } });
        expect(error.headers.get('retry-after')).toBe('1');
      });

      it('not where it tries again after a 429', async () => {
        let tries = 0;
        scriptOf(model, (...args) => (++tries === 1 ? BUSY : text('It rains.')(...args)));
        const retries = { strategy: 'backoff', backoff: { initialInterval: 1, maxInterval: 1, exponent: 1, maxElapsedTime: 30_000 } }; // oxfmt-ignore
        const result = call(model, {}, { retries, retryCodes: ['429'] });
        expect([await result.getText(), tries]).toEqual(['It rains.', 2]);
      });

      it('at a cut in mid-stream, with the words before it and a failed response', async () => {
        scriptOf(model, cut('It ra'));
        const { message } = await failureOf(call(model).getText());
        const [, shown] = /^Response failed: (.*)$/.exec(message)!;
        expect(JSON.parse(shown!)).toEqual({ code: 'server_error', message: expect.stringMatching(TRANSIENT) });

        const events: JsonBody[] = [];
        for await (const event of call(model).getFullResponsesStream()) events.push(event);
        const words = events.filter(({ type }) => type === 'response.output_text.delta').map(({ delta: piece }) => piece); // oxfmt-ignore
        expect(words.join('')).toBe('It ra');
        expect(events.at(-1)).toMatchObject({
          type: 'response.failed',
          response: { status: 'failed', error: { code: 'server_error' } },
        });
        expect(events.map(({ sequenceNumber }) => sequenceNumber)).toEqual(events.map((_, index) => index));
      });

      it('at a cut after a tool has run', async () => {
        let step = 0;
        scriptOf(model, (...args) => (step++ === 0 ? calls : cut('It ra'))(...args));
        const error = await failureOf(call(model, { tools: [WEATHER_TOOL] }).getText());
        expect([error.message, step]).toEqual([expect.stringContaining('failed'), 2]);
      });

      it('with a 402 for a key without credit, before anything is sent', async () => {
        scriptOf(model, text('Hi.'));
        const { requests } = upstreams.get(model)!;
        const sent = requests.length;
        const error = await failureOf(call(model, {}, {}, connect(await poorKey())).getText());
        expect(error).toMatchObject({ name: 'PaymentRequiredResponseError', statusCode: 402, error: { code: 402 } });
        expect(requests).toHaveLength(sent);
      });
    });

    it.each(PROVIDERS)('callModel runs a loop of tools to its end: $model', async ({ model, text, call }) => {
      let step = 0;
      scriptOf(model, (...args) => (step++ === 0 ? call : text('It rains.'))(...args));
      const ran: unknown[] = [];
      const tool = {
        type: 'function',
        function: {
          name: 'get_weather',
          description: 'd',
          inputSchema: z.object({ city: z.string() }),
          execute: (input: unknown) => {
            ran.push(input);
            return Promise.resolve({ weather: 'rain' });
          },
        },
      };
      const result = client.callModel({ model, input: 'Weather?', tools: [tool] } as never);
      expect(await (result as { getText(): Promise<string> }).getText()).toBe('It rains.');
      expect(ran).toEqual([INPUT]);
      expect(step).toBe(2);
    });

    it('callModel receives items of every kind, and returns them with their outputs', async () => {
      const model = 'test/responses';
      const cited = [
        { type: 'url_citation', url: 'https://a.test/', title: 'A', start_index: 0, end_index: 4 },
        { type: 'file_citation', file_id: 'file_1', filename: 'a.pdf', index: 2 },
      ];
      const thought = { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: seal('openai', 'Hm.') };
      const items: JsonBody[] = [
        thought,
        { id: 'ws_1', type: 'web_search_call', status: 'failed', action: { type: 'search', query: 'q', queries: ['q'] } },
        messageItem('', { content: [{ type: 'output_text', text: 'Text.', annotations: cited }], phase: 'commentary' }),
        { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":"京都"}', status: 'completed' },
        { id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: 'a "b" 👋' },
        { id: 'sh_1', type: 'shell_call', call_id: 'call_3', action: { commands: ['ls'], timeout_ms: 5, max_output_length: 9 }, status: 'completed' },
        { id: 'apc_1', type: 'apply_patch_call', call_id: 'call_4', operation: { type: 'update_file', path: 'a', diff: '@@\n+👋' }, status: 'completed' },
      ];
      scriptOf(model, responsesReply(items));
      const first: JsonBody = await call(model, { include: ['reasoning.encrypted_content'] }).getResponse();
      expect(first.output.map(({ type, id }: JsonBody) => [type, id])).toEqual(items.map(({ type, id }) => [type, id]));
      expect(first.output[2].content[0].annotations).toEqual([
        { type: 'url_citation', url: 'https://a.test/', title: 'A', startIndex: 0, endIndex: 4 },
        { type: 'file_citation', fileId: 'file_1', filename: 'a.pdf', index: 2 },
      ]);
      const outputs = [
        { type: 'function_call_output', callId: 'call_1', output: 'one' },
        { type: 'custom_tool_call_output', callId: 'call_2', output: 'two' },
        { type: 'shell_call_output', callId: 'call_3', output: [{ stdout: 's', stderr: '', outcome: { type: 'exit', exitCode: 0 } }] },
        { type: 'apply_patch_call_output', callId: 'call_4', status: 'completed', output: 'four' },
      ];
      scriptOf(model, responsesText('Done.'));
      const input = [{ role: 'user', content: 'Hello' }, ...first.output, ...outputs];
      expect(await call(model, { input }).getText()).toBe('Done.');
      const sent: JsonBody[] = upstreams.get(model)!.requests.at(-1)!.json.input;
      const { content: _content, id: _id, status: _status, ...message } = items[2]!;
      expect(sent.slice(1)).toMatchObject([
        thought,
        items[1],
        { ...message, content: [{ type: 'output_text', text: 'Text.' }] },
        { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":"京都"}' },
        ...items.slice(4),
        { type: 'function_call_output', call_id: 'call_1', output: 'one' },
        { type: 'custom_tool_call_output', call_id: 'call_2', output: 'two' },
        { type: 'shell_call_output', call_id: 'call_3', output: [{ stdout: 's', stderr: '', outcome: { type: 'exit', exit_code: 0 } }] },
        { type: 'apply_patch_call_output', call_id: 'call_4', status: 'completed', output: 'four' },
      ]);
    }); // oxfmt-ignore

    it('reads whole responses of every kind of item', async () => {
      const kinds = [
        { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 's' }], encrypted_content: 'e' },
        messageItem('a'),
      ];
      scriptOf('test/responses', responsesReply(kinds));
      const responsesRequest = { model: 'test/responses', input: 'Hello', include: ['reasoning.encrypted_content'] };
      const send = client.responses.send.bind(client.responses) as unknown as (body: object) => Promise<JsonBody>;
      const response = await send({ responsesRequest });
      expect(response.output.map(({ type }: JsonBody) => type)).toEqual(['reasoning', 'message']);
      scriptOf('test/openai', json({ error: { message: 'no', type: 'server_error' } }, 400));
      await expect(send({ responsesRequest: { model: 'test/openai', input: 'Hello' } })).rejects.toMatchObject({ statusCode: 400 }); // oxfmt-ignore
    });
  });
});
