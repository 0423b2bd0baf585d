/**
 * Checks that a failing endpoint is not called for the time that it requested or the operator set, is tried with one
 * call afterwards, and that a caller learns the end of the wait when all endpoints are in a cool-down. The test moves
 * the clock and counts the calls of the providers. Rules: docs/contribute/reasons/routing.md.
 */
import { StandingClock } from '../support/ahead-clock.js';
import { anthropicError, anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import { json, neverAnswers, type Script } from '../support/upstream-answers.js';
import { after, gate } from './messages-bench.js';
import { ask, at, inTurn, model, RoutingBench } from './routing-bench.js';

const SECOND = 1_000;
const BASE_S = 5;
/** A hint that is a date has whole seconds, and follows the provider's clock, not the test's. */
const LAG_S = 2;
const PAIR = ['alpha', 'beta'];

/** Models of their own for each test, so that none inherits a pause. */
const NAMES = Array.from({ length: 40 }, (_, index) => index);

describeOnEmbedded('endpoints in a cool-down', (database) => {
  const clock = new StandingClock();
  let bench: RoutingBench;
  let next = 0;
  let pair: string;
  let single: string;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      clock,
      variables: { FAIRLEAD_COOLDOWN: `base=${BASE_S}s,max=60s`, FAIRLEAD_TIMEOUTS: 'first=600ms' },
      providers: { alpha: { aborts: { whole: 'stops' } }, beta: {}, gamma: { kind: 'openai' }, delta: {} },
      models: NAMES.flatMap((name) => [
        model(`test/pair-${name}`, inTurn(PAIR)),
        model(`test/single-${name}`, [at('alpha')]),
        model(`test/all-${name}`, inTurn(['alpha', 'beta', 'gamma'])),
        model(`test/billing-${name}`, inTurn(['delta', 'beta'])),
      ]),
    });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => {
    bench.reset();
    next++;
    pair = `test/pair-${next}`;
    single = `test/single-${next}`;
  });

  const pass = (seconds: number): void => void (clock.aheadMs += seconds * SECOND);

  it('are counted in the metrics while they last, by their provider', async () => {
    const paused = async (): Promise<string[]> => {
      const text = await bench.gateway.metrics();
      return text.match(/^fairlead_endpoints_unavailable\{provider="(?:alpha|beta)",state="paused"\} \d+$/gm) ?? [];
    };
    const shown = (alpha: number): string[] => [
      `fairlead_endpoints_unavailable{provider="alpha",state="paused"} ${alpha}`,
      'fairlead_endpoints_unavailable{provider="beta",state="paused"} 0',
    ];
    expect(await paused()).toEqual(shown(0));
    bench.script('alpha', json(anthropicError('rate_limit_error', 'Slow down.'), 429, { 'retry-after': `${BASE_S}` }));
    expect((await bench.ask(ask(pair))).status).toBe(200);
    expect(await paused()).toEqual(shown(1));
    pass(2 * BASE_S);
    expect(await paused()).toEqual(shown(0));
  });

  /**
   * Sends a request every second, and returns the seconds at which the first provider was called. Every caller must be
   * answered.
   */
  async function secondsOfCalls(seconds: number): Promise<readonly number[]> {
    const called: number[] = [];
    for (let second = 0; second < seconds; second++) {
      bench.calls.length = 0;
      const { status } = await bench.ask(ask(pair));
      expect(status).toBe(200);
      if (bench.calls.includes('alpha')) called.push(second);
      pass(1);
    }
    return called;
  }

  /** Refuses with these hints one after another, and repeats the last. */
  const hinting = (...hints: readonly (number | string)[]): Script => {
    let call = 0;
    return () => {
      const hint = hints[Math.min(call++, hints.length - 1)]!;
      return json(anthropicError('rate_limit_error', 'Wait'), 429, { 'retry-after': String(hint) });
    };
  };

  it('a longer hint after a pause is followed', async () => {
    bench.script('alpha', hinting(1, 30));
    const [first, second, third] = await secondsOfCalls(40);
    expect([first, second]).toEqual([0, 1]);
    expect(third! - second!).toBeGreaterThanOrEqual(30 - LAG_S);
  });

  it('a hint shorter than our own pause is the pause, also where nothing else is left', async () => {
    bench.script('alpha', hinting(1));
    const askSingle = async (): Promise<[number, string | null]> => {
      const { status, headers } = await bench.gateway.messages(ask(single));
      return [status, headers.get('retry-after')];
    };
    expect([await askSingle(), await askSingle()]).toEqual([
      [429, '1'],
      [429, '1'],
    ]);
    expect(bench.calls).toEqual(['alpha']);
    bench.answers('alpha');
    pass(1);
    expect(await askSingle()).toEqual([200, null]);
  });

  it('of two refusals that were on their way together the later end counts', async () => {
    const answered = [gate(), gate()];
    const hints = hinting(8, 30);
    let call = 0;
    bench.script('alpha', (request, index) => after(answered[call++]!.opened, hints)(request, index));
    const replies = [0, 1].map(() => bench.ask(ask(pair)));
    await bench.called(2);
    answered[0]!.open();
    await Promise.race(replies);
    answered[1]!.open();
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 200]);
    bench.answers('alpha');
    pass(29);
    expect(await bench.callsOf(ask(pair))).toEqual(['beta']);
    pass(1);
    expect(await bench.callsOf(ask(pair))).toEqual(['alpha']);
  });

  it('failures again and again cost few calls, and no caller', async () => {
    bench.fails('alpha', 500);
    const called = await secondsOfCalls(60);
    // Three faults, at least half of the calls, begin a pause, and so does each trial that fails.
    expect(called.slice(0, 3)).toEqual([0, 1, 2]);
    expect(called[3]).toBeGreaterThanOrEqual(2 + BASE_S);
    expect(called.length).toBeLessThanOrEqual(8);
  });

  it('is called again as soon as a trial has succeeded', async () => {
    bench.fails('alpha', 503);
    await secondsOfCalls(3);
    bench.answers('alpha');
    // While it is in outage it is behind the other, which answers.
    pass(30);
    expect(await secondsOfCalls(10)).toHaveLength(10);
    // One fault among many calls begins no pause.
    bench.fails('alpha', 503);
    await secondsOfCalls(1);
    bench.answers('alpha');
    expect(await secondsOfCalls(2)).toEqual([0, 1]);
  });

  it('each hint is followed separately', async () => {
    const hints = [1, 7, 30];
    bench.script('alpha', hinting(...hints));
    const called = await secondsOfCalls(80);
    const gaps = called.slice(1).map((second, index) => second - called[index]!);
    expect(gaps.length).toBeGreaterThanOrEqual(3);
    gaps.forEach((gap, index) => expect(gap).toBeGreaterThanOrEqual(Math.min(hints[Math.min(index, 2)]!, 30) - LAG_S));
    expect(gaps.slice(0, 2)).toEqual([1, 7]);
  });

  it('a hint that is a date is understood', async () => {
    bench.script('alpha', hinting(new Date(Date.now() + 20_000).toUTCString()));
    const called = await secondsOfCalls(25);
    expect(called[0]).toBe(0);
    expect(called[1]).toBeGreaterThanOrEqual(18);
    expect(called[1]).toBeLessThanOrEqual(21);
  });

  it('a hint of a day is limited to an hour', async () => {
    bench.script('alpha', hinting(86_400));
    await bench.ask(ask(pair));
    pass(3_599);
    expect(await bench.callsOf(ask(pair))).toEqual(['beta']);
    pass(1);
    expect(await bench.callsOf(ask(pair))).toEqual(['alpha', 'beta']);
  });

  it.each([
    [429, 1],
    [500, 3],
    [401, 3],
    [402, 3],
    [404, 3],
  ])(
    '%i leaves the credential alone after %i, and the next request starts at the next provider',
    async (status, calls) => {
      bench.fails('alpha', status);
      expect(await secondsOfCalls(4)).toEqual(Array.from({ length: calls }, (_, index) => index));
      const { data } = await bench.explain(ask(pair));
      expect(data.excluded).toMatchObject([
        {
          tag: 'alpha',
          reason: 'cooling-down',
          credential: 'shared',
          cooling_by: status === 429 ? 'rate-limit' : 'faults',
        },
      ]);
      // Another model at the same provider is not affected.
      expect(await bench.callsOf(ask(single))).toEqual(['alpha']);
    },
  );

  it.each([400, 403, 413, 422])('%i does not count against the endpoint', async (status) => {
    bench.fails('alpha', status);
    for (let call = 0; call < 4; call++) expect((await bench.callsOf(ask(pair)))[0]).toBe('alpha');
  });

  it('a provider that stays silent is in a cool-down after three', async () => {
    bench.script('alpha', neverAnswers());
    const both = ['alpha', 'beta'];
    for (const expected of [both, both, both, ['beta']]) {
      expect(await bench.callsOf(ask(pair, { stream: true }))).toEqual(expected);
    }
  });

  it('a stream that breaks off after its first content counts as well', async () => {
    const broken: Script = (request, index) => {
      const answer = anthropicText('Some words that never come to their end.')(request, index) as { body: string[] };
      return { headers: { 'content-type': 'text/event-stream' }, body: answer.body.slice(0, 5) };
    };
    bench.script('alpha', broken);
    for (let call = 0; call < 3; call++) {
      const { events } = await bench.ask(ask(pair, { stream: true }));
      expect(events.at(-1)).toMatchObject({
        type: 'error',
        error: { message: expect.stringMatching(/^provider returned error: connection error: /) },
      });
    }
    expect(await bench.callsOf(ask(pair, { stream: true }))).toEqual(['beta']);
  });

  it('of many requests after a pause one is the trial, and the others go elsewhere', async () => {
    bench.script('alpha', hinting(1));
    await bench.ask(ask(pair));
    pass(BASE_S);
    const answered = gate();
    bench.script('alpha', after(answered.opened, anthropicText('Well again.')));
    const arrival = bench.upstream('alpha').request();
    bench.calls.length = 0;
    const trial = Promise.all(Array.from({ length: 10 }, () => bench.ask(ask(pair))));
    await arrival;
    await bench.called(10);
    answered.open();
    expect((await trial).map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(bench.calls.filter((slug) => slug === 'alpha')).toHaveLength(1);
  });

  it('a trial whose caller left frees its slot for the next', async () => {
    bench.script('alpha', hinting(1));
    await bench.ask(ask(pair));
    pass(BASE_S);
    bench.script('alpha', neverAnswers());
    const arrival = bench.upstream('alpha').request();
    const leaving = new AbortController();
    const trial = bench.gateway.messages(ask(pair), { signal: leaving.signal }).catch(() => undefined);
    const record = await arrival;
    expect(await bench.callsOf(ask(pair))).toEqual(['beta']);
    leaving.abort();
    await Promise.all([trial, record.closed]);
    bench.answers('alpha');
    let calls = await bench.callsOf(ask(pair));
    // The gateway is notified by an event of its own.
    for (let turn = 0; turn < 20 && calls[0] !== 'alpha'; turn++) calls = await bench.callsOf(ask(pair));
    expect(calls).toEqual(['alpha']);
  });

  it('a trial that continues without its caller frees its slot for the next', async () => {
    const billing = `test/billing-${next}`;
    bench.script('delta', hinting(1));
    await bench.ask(ask(billing));
    pass(BASE_S);
    const answered = gate();
    bench.script('delta', after(answered.opened, anthropicText('Too late.')));
    const arrival = bench.upstream('delta').request();
    const leaving = new AbortController();
    const trial = bench.gateway.messages(ask(billing), { signal: leaving.signal }).catch(() => undefined);
    const record = await arrival;
    expect(await bench.callsOf(ask(billing))).toEqual(['beta']);
    leaving.abort();
    await trial;
    bench.answers('delta');
    let calls = await bench.callsOf(ask(billing));
    // The gateway is notified by an event of its own.
    for (let turn = 0; turn < 20 && calls[0] !== 'delta'; turn++) calls = await bench.callsOf(ask(billing));
    expect([calls, record.aborted]).toEqual([['delta'], false]);
    answered.open();
  });

  describe('when no endpoint is left', () => {
    it('429 until the pause ends, with one call made', async () => {
      bench.script('alpha', hinting(BASE_S));
      expect((await bench.ask(ask(single))).status).toBe(429);
      bench.answers('alpha');
      bench.calls.length = 0;
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => bench.ask(ask(single))));
      for (const { status, headers, body } of outcomes) {
        expect([status, body.error.type]).toEqual([429, 'rate_limit_error']);
        expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(BASE_S - 1);
        expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(BASE_S);
        expect(body.error.availability).toMatchObject({ code: 'capacity_exhausted', retryable: true });
      }
      expect(bench.calls).toEqual([]);
      // The gateway's own refusals did not extend it.
      pass(BASE_S);
      expect((await bench.ask(ask(single))).status).toBe(200);
    });

    it('an endpoint that only failed is tried in its cool-down, and its answer ends that', async () => {
      const all = `test/all-${next}`;
      bench.fails('alpha', 429, { 'retry-after': '40' });
      bench.fails('beta', 503);
      bench.fails('gamma', 503);
      for (let call = 0; call < 3; call++) await bench.ask(ask(all));
      bench.calls.length = 0;
      expect((await bench.ask(ask(all))).status).toBe(503);
      expect(bench.calls).toEqual(['beta', 'gamma']);
      bench.answers('beta');
      expect((await bench.ask(ask(all))).status).toBe(200);
      expect(await bench.callsOf(ask(all))).toEqual(['beta']);
    });

    it('after the reported wait no caller is refused, not even beside the trial', async () => {
      bench.script('alpha', hinting(BASE_S));
      const refused = await bench.ask(ask(single));
      expect(Number(refused.headers.get('retry-after'))).toBe(BASE_S);
      pass(BASE_S);
      const answered = gate();
      bench.script('alpha', after(answered.opened, anthropicText('Well again.')));
      const arrival = bench.upstream('alpha').request();
      const trial = bench.ask(ask(single));
      await arrival;
      bench.calls.length = 0;
      const others = Array.from({ length: 3 }, () => bench.ask(ask(single)));
      await bench.called(3);
      answered.open();
      expect((await Promise.all([trial, ...others])).map(({ status }) => status)).toEqual(Array(4).fill(200));
    });

    it('refuses no caller after a 429 without a hint: the client retries at any time', async () => {
      let calls = 0;
      bench.script('alpha', (request, index) =>
        calls++ === 0 ? json(anthropicError('rate_limit_error', 'Wait'), 429) : anthropicText('Here.')(request, index),
      );
      const { status, headers } = await bench.ask(ask(single));
      expect([status, headers.get('retry-after')]).toEqual([429, null]);
      expect((await bench.ask(ask(single))).status).toBe(200);
    });

    it('a further model that is not in a cool-down answers', async () => {
      bench.script('alpha', hinting(30));
      await bench.ask(ask(single));
      bench.answers('alpha');
      const { body } = await bench.ask(ask(single, { models: [pair] }));
      expect([body.model, body.provider]).toEqual([pair, 'Alpha']);
    });

    it("the caller's own limits hold: a pause does not lift them", async () => {
      bench.script('alpha', hinting(30));
      await bench.ask(ask(pair));
      bench.calls.length = 0;
      const { status } = await bench.ask(ask(pair, { provider: { only: ['alpha'] } }));
      expect([status, bench.calls]).toEqual([429, []]);
    });
  });
});
