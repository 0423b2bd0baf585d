/**
 * The following calls of a loop go to the endpoint that answered. Before such a call has sent anything another endpoint
 * may take over; after that its fault is the error in the middle of the reply. Completed parts are charged to the
 * millionth of a USD, failed ones are not. Two doubles of one model, with every kind of fault at the second call, on
 * every face, whole and streamed.
 */
import { anthropicError, anthropicReply } from '../support/anthropic-upstream.js';
import { readChunks } from '../support/chat-stream.js';
import { describeOnEachDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { CUT, frame, json, resets, sse, type Answer, type Piece, type Script } from '../support/upstream-answers.js';
import { delta, gate, OPEN } from '../http/messages-bench.js';
import { CALL, calls, LoopBench, PRICES, ROUTES, answers, answersAndCalls, USES } from './faults-bench.js';

const FACES = ROUTES.flatMap((route) => [false, true].map((stream) => ({ route, stream })));
/** The second endpoint of `test/pair` costs 10,000 times as much, so that the first is called first. */
const DEARER = 10_000;
const fails = (type: string, status: number): Answer => json(anthropicError(type, 'scripted'), status);
const refuses = anthropicReply([{ type: 'text', text: 'No.' }], {
  stopReason: 'refusal',
  stopDetails: { type: 'refusal', category: null, explanation: null },
});

describeOnEachDatabase('the next call of a loop', (database) => {
  let bench: LoopBench;
  beforeAll(async () => {
    bench = await LoopBench.start(database);
  }, 240_000);
  afterAll(() => bench?.close());

  async function ask(model: string, route: (typeof ROUTES)[number], stream: boolean, fields: object = {}) {
    const { key } = await bench.gateway.newKey();
    const reply = await bench.ask(route, { model, stream, ...fields }, key);
    return { reply, row: await bench.row(reply.id) };
  }
  /** The error that the caller gets, whole or in mid-stream. */
  function errorOf({ status, body, text }: JsonBody): JsonBody {
    if (status !== 200) return body.error;
    const last = text.split('\n').findLast((line: string) => line.startsWith('data: {'));
    const event: JsonBody = JSON.parse(last.slice('data: '.length));
    return event.error ?? event.response.error;
  }

  it.each(FACES)('$route, stream $stream: goes to the endpoint that answered', async ({ route, stream }) => {
    bench.begin(fails('overloaded_error', 529));
    bench.upstreams.second.script((request, index) =>
      (index === 0 ? calls(USES.search) : answers('Done.'))(request, index),
    );
    const { row } = await ask('test/pair', route, stream);
    expect([bench.upstreams.main.requests.length, bench.upstreams.second.requests.length]).toEqual([1, 2]);
    expect(row).toMatchObject({ cost: 2 * CALL * DEARER + PRICES.search, operator_cost: 0 });
  });

  describe.each<[string, Script | Answer]>([
    ['500', fails('api_error', 500)],
    ['429', fails('rate_limit_error', 429)],
    ['529', fails('overloaded_error', 529)],
    ['a reset', resets()],
    [
      'a cut before its first word',
      (request, index) => (request.json.stream === true ? sse([CUT]) : (resets as Script)(request, index)),
    ],
    ['no JSON', { headers: { 'content-type': 'application/json' }, body: ['{'] }],
  ])('whose answer is %s', (_, fault) => {
    it.each(FACES)(
      '$route, stream $stream: another endpoint takes over, and is reported',
      async ({ route, stream }) => {
        bench.begin(calls(USES.search), fault);
        const { reply, row } = await ask('test/pair', route, stream);
        expect(reply.stop_reason ?? reply.finish_reason).toBe(route === '/messages' ? 'end_turn' : 'stop');
        expect(route === '/messages' ? reply.content.at(-1).text : reply.message.content).toBe('The second one.');
        if (route === '/messages') {
          expect(reply.usage.iterations).toMatchObject([{ model: 'test/pair' }, { model: 'test/pair' }]);
        }
        expect(row).toMatchObject({ outcome: 'completed', cost: CALL + CALL * DEARER + PRICES.search });
        expect(row.attempts).toHaveLength(3);
      },
    );

    it.each(FACES)(
      '$route, stream $stream: without another its fault is returned, and what ended is charged',
      async ({ route, stream }) => {
        bench.begin(calls(USES.search), fault);
        const { reply, row } = await ask('test/main', route, stream);
        expect(reply.status === 200).toBe(stream);
        expect(errorOf(reply)).toBeDefined();
        expect(row).toMatchObject({ cost: CALL + PRICES.search, tools_cost: PRICES.search });
        expect(row.outcome).toMatch(/^provider-/);
        // The end of the first call was never sent to the caller.
        expect(row.finish_reason).toBeNull();
      },
    );
  });

  it('is reported with its model where another model takes over', async () => {
    bench.begin(calls(USES.search), fails('api_error', 500));
    const fields = {
      model: 'test/main',
      models: ['test/main', 'test/adviser'],
      tools: [{ type: 'openrouter:web_search' }],
    };
    const { reply, row } = await ask('test/main', '/messages', false, fields);
    expect(reply.usage.iterations.map(({ model }: JsonBody) => model)).toEqual(['test/main', 'test/adviser']);
    expect(reply.content.at(-1).text).toBe('Do it.');
    expect(row).toMatchObject({ cost: 2 * CALL + PRICES.search });
  });

  it('is reported in the chunks of chat from where another model takes over', async () => {
    bench.begin(answersAndCalls('I look.', USES.search), fails('api_error', 500));
    const tools = [{ type: 'openrouter:web_search' }];
    const fields = { models: ['test/main', 'test/adviser'], tools };
    const { reply } = await ask('test/main', '/chat/completions', true, fields);
    const chunks = readChunks(reply.text);
    const texts = chunks.map(({ model, choices }) => [model, choices[0]?.delta?.content ?? ''] as const);
    const wordsOf = (id: string) =>
      texts
        .flatMap(([model, words]) => (model === id ? [words] : []))
        .join('')
        .trim();
    expect([wordsOf('test/main'), wordsOf('test/adviser')]).toEqual(['I look.', 'Do it.']);
    expect(chunks.at(-1)!.model).toBe('test/adviser');
  });

  describe('after its first word', () => {
    const error = frame('error', anthropicError('overloaded_error', 'scripted'));

    it.each(
      ROUTES.flatMap((route) => [
        { route, what: 'a cut stream', ending: CUT as Piece, outcome: /^provider-/ },
        { route, what: 'an error in the stream', ending: error as Piece, outcome: /^provider-overloaded$/ },
      ]),
    )(
      '$route: $what is the error in mid-reply, and no other endpoint is called',
      async ({ route, ending, outcome }) => {
        const { opened, open } = gate();
        const { key } = await bench.gateway.newKey();
        bench.begin(calls(USES.search), sse([OPEN + delta('Half'), opened, ending]));
        const client = await bench.open(route, { model: 'test/pair', stream: true }, key);
        await client.until('Half');
        open();
        const { body, headers } = await client.response();
        expect(errorOf({ status: 200, text: body.toString() })).toBeDefined();
        expect(bench.upstreams.second.requests).toEqual([]);
        const row = await bench.row(headers['x-generation-id']);
        // The usage that the provider had reported by then is the operator's cost.
        expect(row).toMatchObject({ cost: CALL + PRICES.search, outcome: expect.stringMatching(outcome) as string });
        expect(row.operator_cost).toBeGreaterThan(0);
      },
    );
  });

  it.each(FACES)('$route, stream $stream: a refusal ends the reply as one, charged', async ({ route, stream }) => {
    bench.begin(calls(USES.search), refuses);
    const { reply, row } = await ask('test/main', route, stream);
    expect(reply.stop_reason ?? reply.finish_reason).toBe(route === '/messages' ? 'refusal' : 'content_filter');
    expect(row).toMatchObject({ outcome: 'completed', cost: 2 * CALL + PRICES.search });
  });

  it.each(FACES)(
    '$route, stream $stream: a prompt that is too long is reported as such, what ended is charged',
    async ({ route, stream }) => {
      const tooLong = json(
        anthropicError('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
        400,
      );
      bench.begin(calls(USES.search), tooLong);
      const { reply, row } = await ask('test/main', route, stream);
      expect(reply.status).toBe(stream ? 200 : 400);
      expect(JSON.stringify(errorOf(reply))).toMatch(/too long|context/);
      expect(row).toMatchObject({ cost: CALL + PRICES.search });
    },
  );

  it.each(FACES)(
    '$route, stream $stream: a refusal by its provider is reported, and never as the caller’s own',
    async ({ route, stream }) => {
      bench.begin(calls(USES.search), fails('permission_error', 403));
      const { reply, row } = await ask('test/main', route, stream);
      expect(reply.status).toBe(stream ? 200 : 502);
      expect(row).toMatchObject({ cost: CALL + PRICES.search, outcome: 'provider-refused-credential' });
    },
  );

  describe('of a model that was cut off during a tool call', () => {
    it.each(FACES)(
      '$route, stream $stream: is not made: the reply ends there with the reason',
      async ({ route, stream }) => {
        const cutOff = anthropicReply(
          [{ type: 'tool_use', id: 'toolu_0', name: 'web_search', input: { query: 'bo' } }],
          {
            stopReason: 'max_tokens',
          },
        );
        bench.begin(cutOff, answers('Never.'));
        const { reply, row } = await ask('test/main', route, stream);
        expect(reply.stop_reason ?? reply.finish_reason).toBe(route === '/messages' ? 'max_tokens' : 'length');
        expect(bench.upstreams.main.requests).toHaveLength(1);
        expect(bench.upstreams.engine.requests).toEqual([]);
        expect(row).toMatchObject({ outcome: 'completed', cost: CALL });
        // A later turn lacks the call that was not run.
        if (route !== '/messages') return;
        bench.begin(answers('Yes.'));
        const messages = [
          ...bench.body().messages,
          { role: 'assistant', content: [{ type: 'text', text: 'Hm.' }, ...reply.content] },
          { role: 'user', content: 'Go on.' },
        ];
        const again = await ask('test/main', route, stream, { messages });
        expect(again.reply.content).toMatchObject([{ text: 'Yes.' }]);
      },
    );
  });
});
