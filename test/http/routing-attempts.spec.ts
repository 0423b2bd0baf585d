/**
 * Checks that one request becomes a bounded number of upstream calls, each built anew from what the caller sent,
 * until one of them emits content, and none after that. Scripted providers of both formats record what they receive;
 * limits are shortened by variables. Rules: docs/contribute/reasons/routing.md, docs/use/streaming.md.
 */
import { anthropicError, anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import { signatureOf } from '../support/doubles/double.js';
import { openaiError, openaiText } from '../support/openai-upstream.js';
import { readMessagesEvents } from '../support/sse.js';
import {
  CUT,
  frame,
  HANG,
  json,
  neverAnswers,
  sse,
  type Answer,
  type Piece,
  type Script,
} from '../support/upstream-answers.js';
import { delta, END, buildMessage, gate, OPEN, START } from './messages-bench.js';
import { ask, at, inTurn, model, RoutingBench } from './routing-bench.js';

const MODES = [false, true];

describeOnEmbedded('attempts of one request', (database) => {
  let bench: RoutingBench;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      coolsDown: false,
      providers: { alpha: {}, beta: { kind: 'openai' }, gamma: {}, delta: { kind: 'openai' } },
      models: [
        model('test/mixed', inTurn(['alpha', 'beta', 'gamma'])),
        model('test/turned', inTurn(['beta', 'alpha'])),
        model('test/chats', inTurn(['beta', 'delta', 'alpha'])),
        model('test/next', [at('gamma')]),
      ],
    });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  describe('is built anew from what the caller sent', () => {
    const SIGNED = { type: 'thinking', thinking: 'Let me see.', signature: signatureOf('anthropic', 'Let me see.') };
    const TOOL = {
      name: 'get_weather',
      description: 'Tells the weather.',
      input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    };
    const QUESTION = {
      max_tokens: 3000,
      system: 'Be brief.',
      temperature: 1,
      tools: [TOOL],
      thinking: { type: 'enabled', budget_tokens: 2000, display: 'summarized' },
      messages: [
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: [SIGNED, { type: 'tool_use', id: 'toolu_1', name: TOOL.name, input: { city: 'Bern' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sunny' }] },
      ],
    };

    it.each(MODES)('with the model, credential, address and rules of its own target (stream %s)', async (stream) => {
      bench.fails('alpha', 529);
      bench.fails('beta', 500);
      const { status } = await bench.ask(ask('test/mixed', { ...QUESTION, stream }));
      expect([status, bench.calls]).toEqual([200, ['alpha', 'beta', 'gamma']]);
      const [alpha, beta, gamma] = ['alpha', 'beta', 'gamma'].map((slug) => bench.sent(slug));

      expect(alpha!.path).toBe('/v1/messages');
      expect(alpha!.headers).toMatchObject({ 'x-api-key': 'credential-of-alpha' });
      expect(alpha!.headers['authorization']).toBeUndefined();
      expect(alpha!.json).toMatchObject({ ...QUESTION, model: 'upstream-alpha' });

      // The other format: its names and its shapes, and no reasoning that another provider has signed.
      expect(beta!.path).toBe('/v1/chat/completions');
      expect(beta!.headers).toMatchObject({ authorization: 'Bearer credential-of-beta' });
      expect(beta!.headers['x-api-key']).toBeUndefined();
      expect(beta!.headers['anthropic-version']).toBeUndefined();
      expect(beta!.json).toMatchObject({
        model: 'upstream-beta',
        tools: [{ type: 'function', function: { name: TOOL.name, parameters: TOOL.input_schema } }],
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Weather?' },
          {
            role: 'assistant',
            tool_calls: [{ id: 'toolu_1', function: { name: TOOL.name, arguments: '{"city":"Bern"}' } }],
          },
          { role: 'tool', tool_call_id: 'toolu_1', content: 'Sunny' },
        ],
      });
      expect(beta!.rawBody.toString()).not.toContain(SIGNED.signature);
      expect(beta!.rawBody.toString()).not.toMatch(/summarized|input_schema/);

      // And back: nothing of the omitted part is lost.
      expect(gamma!.headers).toMatchObject({ 'x-api-key': 'credential-of-gamma' });
      expect(gamma!.json).toEqual({ ...alpha!.json, model: 'upstream-gamma' });
      for (const sent of [alpha!, beta!, gamma!])
        expect(JSON.stringify(sent.headers)).not.toContain('test-inference-key');
    });

    it('whatever the other format made of it before', async () => {
      bench.fails('beta', 503);
      await bench.ask(ask('test/turned', QUESTION));
      expect(bench.sent('alpha').json).toMatchObject({ ...QUESTION, model: 'upstream-alpha' });
    });

    it('on a connection of its own provider', async () => {
      bench.fails('alpha', 500);
      bench.fails('beta', 500);
      await bench.ask(ask('test/mixed', QUESTION));
      const hosts = ['alpha', 'beta', 'gamma'].map((slug) => bench.sent(slug).headers.host);
      expect(hosts).toEqual(['alpha', 'beta', 'gamma'].map((slug) => new URL(bench.upstream(slug).origin).host));
    });
  });

  it.each(MODES)('three failures of three kinds, and the fourth model answers (stream %s)', async (stream) => {
    bench.script('beta', json(openaiError('Too busy', 'overloaded_error', 'overloaded_error')));
    bench.script('delta', limits(stream));
    bench.script('alpha', { raw: true, body: [CUT] });
    const outcome = await bench.ask(ask('test/chats', { stream, models: ['test/next'] }));
    expect([outcome.status, bench.calls]).toEqual([200, ['beta', 'delta', 'alpha', 'gamma']]);
    const message = stream ? buildMessage(outcome.events) : outcome.body;
    expect(message).toMatchObject({ model: 'test/next', content: [{ text: 'From gamma.' }] });
  });

  it('a rejected request ends it, whatever failed before: the first cause is kept', async () => {
    bench.fails('alpha', 529);
    bench.fails('beta', 422);
    const { status, body } = await bench.ask(ask('test/mixed'));
    expect([status, bench.calls]).toEqual([422, ['alpha', 'beta']]);
    expect(body.error.metadata).toMatchObject({
      provider_code: 'code_of_beta',
      previous_errors: [{ provider: 'Alpha', code: 529, message: 'Refused by alpha' }],
    });
  });

  describe('after the first committing event', () => {
    const TOOL_START = frame('content_block_start', {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} },
    });
    const inputDelta = (partial_json: string): string =>
      frame('content_block_delta', {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json },
      });
    const failure = frame('error', anthropicError('api_error', 'Broken'));
    it.each<[string, readonly Piece[], readonly Piece[]]>([
      ['a word, then a cut', [OPEN + delta('one')], [CUT]],
      ['three words, then a cut', [OPEN + delta('one'), delta('two'), delta('three')], [CUT]],
      ['a word, then an error', [OPEN + delta('one')], [failure]],
      ['a word, then the end of the body', [OPEN + delta('one')], []],
      ['a piece of an argument, then a cut', [START + TOOL_START + inputDelta('{"ci')], [CUT]],
    ])('no other provider is called: %s', async (_, first, rest) => {
      const going = gate();
      bench.script('alpha', sse([...first, going.opened, ...rest]));
      const response = await bench.gateway.messages(ask('test/mixed', { stream: true, models: ['test/next'] }));
      going.open();
      const events = readMessagesEvents(await response.text());
      expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error', code: 502 } });
      expect(bench.calls).toEqual(['alpha']);
    });

    it.each<[string, readonly Piece[]]>([
      ['a start', [START]],
      ['a block without a word', [OPEN]],
      ['an empty word', [OPEN + delta('')]],
      ['a call without an argument', [START + TOOL_START + inputDelta('')]],
    ])('but before it: %s, then a cut', async (_, empty) => {
      bench.script('alpha', sse([...empty, CUT]));
      const { events } = await bench.ask(ask('test/mixed', { stream: true }));
      expect(buildMessage(events)).toMatchObject({ provider: 'Beta', content: [{ text: 'From beta.' }] });
      expect(bench.calls).toEqual(['alpha', 'beta']);
    });
  });
});

/** Answers as if no stream had been requested. */
const unstreamed =
  (script: Script): Script =>
  (request, index) =>
    script(Object.create(request, { json: { value: {} } }), index);

/** Rate limited: in the first event of a 200, or by the status. */
const limits = (stream: boolean): Answer =>
  stream
    ? sse([frame('', openaiError('Too many', 'rate_limit_error', 'rate_limit_exceeded'))])
    : json(openaiError('Too many'), 429);

describeOnEmbedded('the time of one request', (database) => {
  const FIRST_MS = 450;
  const TOTAL_MS = 1_600;
  let bench: RoutingBench;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      coolsDown: false,
      variables: { FAIRLEAD_TIMEOUTS: `first=${FIRST_MS}ms,total=${TOTAL_MS}ms` },
      providers: { alpha: {}, beta: { kind: 'openai' }, gamma: {} },
      models: [
        model('test/mixed', inTurn(['alpha', 'beta', 'gamma'])),
        model(
          'test/many',
          ['a', 'b', 'c', 'd', 'e'].map((variant) => at(`alpha/${variant}`)),
        ),
        model('test/patient', [at('alpha', { timeouts: { first: '3s' } }), at('gamma', { usd: 10_000 })]),
        model('test/next', [at('gamma')]),
      ],
    });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  it('each attempt has its own limit to the first content, and is closed at it', async () => {
    bench.script('alpha', neverAnswers());
    bench.script('beta', sse([': alive\n\n', HANG]));
    const startedAt = performance.now();
    const { events } = await bench.ask(ask('test/mixed', { stream: true }));
    const tookMs = performance.now() - startedAt;
    expect(buildMessage(events)).toMatchObject({ content: [{ text: 'From gamma.' }] });
    expect(bench.calls).toEqual(['alpha', 'beta', 'gamma']);
    expect(tookMs).toBeGreaterThanOrEqual(2 * FIRST_MS - 50);
    for (const slug of ['alpha', 'beta']) {
      await bench.sent(slug).closed;
      expect(bench.sent(slug).aborted).toBe(true);
    }
  });

  it('an endpoint may have a longer one of its own', async () => {
    const waited = new Promise<void>((resolve) => setTimeout(resolve, 1.5 * FIRST_MS));
    bench.script('alpha', sse([waited, OPEN + delta('At last.') + END]));
    const { events } = await bench.ask(ask('test/patient', { stream: true }));
    expect([buildMessage(events).provider, bench.calls]).toEqual(['Alpha', ['alpha']]);
  });

  it('all attempts together have one limit: a 504, and no further call', async () => {
    bench.script('alpha', neverAnswers());
    const startedAt = performance.now();
    const { status, body } = await bench.ask(ask('test/many', { stream: true, models: ['test/next'] }));
    const tookMs = performance.now() - startedAt;
    expect([status, body.error.type, body.error.error_type]).toEqual([504, 'timeout_error', 'timeout']);
    expect(tookMs).toBeGreaterThanOrEqual(TOTAL_MS - 50);
    // Three that used their time, and one that was cut short, where no timer is late; five would not have been in time.
    expect(bench.calls.length).toBeGreaterThanOrEqual(2);
    expect(bench.calls.length).toBeLessThan(5);
    expect(new Set(bench.calls)).toEqual(new Set(['alpha']));
    await Promise.all(
      bench
        .upstream('alpha')
        .requests.slice(-bench.calls.length)
        .map(({ closed }) => closed),
    );
  });

  it('a hint to wait is not followed: the next endpoint is called at once', async () => {
    bench.fails('alpha', 429, { 'retry-after': '30' });
    bench.fails('beta', 503, { 'retry-after': '30' });
    const startedAt = performance.now();
    const { body } = await bench.ask(ask('test/mixed'));
    expect(body.provider).toBe('Gamma');
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

describeOnEmbedded('a failure at the start of a stream', (database) => {
  const KINDS = { alpha: 'anthropic', beta: 'openai' } as const;
  let bench: RoutingBench;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      coolsDown: false,
      providers: { alpha: { kind: KINDS.alpha }, beta: { kind: KINDS.beta }, gamma: {} },
      models: [model('test/alpha', inTurn(['alpha', 'gamma'])), model('test/beta', inTurn(['beta', 'gamma']))],
    });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  it.each(Object.entries(KINDS).flatMap(([slug, kind]) => [401, 429].map((status) => ({ slug, kind, status }))))(
    'is an attempt like any other: $status of $kind',
    async ({ slug, status }) => {
      bench.fails(slug, status);
      const { events } = await bench.ask(ask(`test/${slug}`, { stream: true }));
      expect(buildMessage(events)).toMatchObject({ provider: 'Gamma', content: [{ text: 'From gamma.' }] });
      expect(bench.calls).toEqual([slug, 'gamma']);
    },
  );

  it('may come with a reply that is whole, although a stream was requested', async () => {
    bench.script('alpha', unstreamed(anthropicText('Whole.')));
    bench.script('beta', unstreamed(openaiText('Whole.')));
    for (const slug of Object.keys(KINDS)) {
      const { events } = await bench.ask(ask(`test/${slug}`, { stream: true }));
      expect(buildMessage(events)).toMatchObject({ content: [{ text: 'Whole.' }] });
    }
  });
});
