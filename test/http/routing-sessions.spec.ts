/**
 * Checks that a session stays with one provider while it answers, and moves as a whole when it does not
 * (docs/use/choosing-providers.md#sessions), and that conversations without an id stay where their cache was seen.
 * The endpoints are equal, so only the session decides; the clock is moved by hand. Rules:
 * docs/contribute/reasons/routing.md.
 */
import { AheadClock } from '../support/ahead-clock.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import { ask, at, inTurn, model, RoutingBench } from './routing-bench.js';

const ALL = ['alpha', 'beta', 'gamma'];
/** Enough for each of three endpoints to have some: an endpoint without any occurs once in a million runs. */
const SESSIONS = Array.from({ length: 40 }, (_, index) => `session-${index}`);
const PIN_MS = 600_000;
const CACHES = { pricing: { input_cache_read: '0.05' } };

describeOnEmbedded('sessions', (database) => {
  const clock = new AheadClock();
  let bench: RoutingBench;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      clock,
      providers: { alpha: {}, beta: {}, gamma: {} },
      models: [
        model(
          'test/equal',
          ALL.map((slug) => at(slug)),
        ),
        model(
          'test/other',
          ALL.map((slug) => at(slug)),
        ),
        model('test/turns', inTurn(['alpha', 'beta'], CACHES)),
        model('test/uncached', inTurn(['alpha', 'beta'], { pricing: { input_cache_read: '100000' } })),
        model('test/unpriced', inTurn(['alpha', 'beta'])),
      ],
    });
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  /** The provider that answers a request of this session. */
  async function endpointOf(session: string, more: object = {}, to = 'test/equal'): Promise<string> {
    const { status, body } = await bench.ask(ask(to, { session_id: session, ...more }));
    expect(status).toBe(200);
    return body.provider.toLowerCase();
  }

  const endpointsOf = (sessions: readonly string[]): Promise<readonly string[]> =>
    Promise.all(sessions.map((session) => endpointOf(session)));

  it('each stays where it is, and together they use every endpoint', async () => {
    const endpoints = await endpointsOf(SESSIONS);
    expect(new Set(endpoints).size).toBe(ALL.length);
    for (let time = 0; time < 3; time++) expect(await endpointsOf(SESSIONS)).toEqual(endpoints);
    expect(
      await Promise.all(SESSIONS.map((session) => endpointOf(session, { stream: false, temperature: 1 }))),
    ).toEqual(endpoints);
  });

  it('without one, requests are spread', async () => {
    const replies = Array.from({ length: 40 }, () => bench.ask(ask('test/equal')));
    expect(new Set((await Promise.all(replies)).map(({ body }) => body.provider)).size).toBe(ALL.length);
  });

  it("the body's id wins over the header's, which counts where the body has none", async () => {
    const endpoints = await endpointsOf(SESSIONS);
    const byHeader = SESSIONS.map(async (session) => {
      const { body } = await bench.ask(ask('test/equal'), { headers: { 'x-session-id': session } });
      return body.provider.toLowerCase();
    });
    expect(await Promise.all(byHeader)).toEqual(endpoints);
    const byBoth = SESSIONS.map(async (session, index) => {
      const headers = { 'x-session-id': SESSIONS[(index + 1) % SESSIONS.length]! };
      const { body } = await bench.ask(ask('test/equal', { session_id: session }), { headers });
      return body.provider.toLowerCase();
    });
    expect(await Promise.all(byBoth)).toEqual(endpoints);
  });

  /** The provider of a chat, by the fields and headers that name its session. */
  async function endpointOfChat(fields: object, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const response = await bench.gateway.request('/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'test/equal', messages: [{ role: 'user', content: 'Hello' }], ...fields }),
    });
    expect(response.status).toBe(200);
    return ((await response.json()) as { provider: string }).provider.toLowerCase();
  }

  it('the header of Claude Code and the key of the prompt cache are sessions where none is given', async () => {
    const endpoints = await endpointsOf(SESSIONS);
    const other = (index: number): string => SESSIONS[(index + 1) % SESSIONS.length]!;
    const code = 'x-claude-code-session-id';
    const ways: readonly ((session: string, index: number) => Promise<string>)[] = [
      (session) => endpointOfChat({}, { [code]: session }),
      (session) => endpointOfChat({ prompt_cache_key: session }),
      // A session that is given wins over both, and a header over the key.
      (session, index) =>
        endpointOfChat({ session_id: session, prompt_cache_key: other(index) }, { [code]: other(index) }),
      (session, index) => endpointOfChat({ prompt_cache_key: other(index) }, { 'x-session-id': session }),
      (session, index) => endpointOfChat({}, { 'x-session-id': session, [code]: other(index) }),
      (session, index) => endpointOfChat({ prompt_cache_key: other(index) }, { [code]: session }),
    ];
    for (const way of ways) expect(await Promise.all(SESSIONS.map(way))).toEqual(endpoints);
  });

  it('an id past 256 characters is refused by name, in the body and in the header', async () => {
    const long = 'x'.repeat(257);
    const inBody = await bench.ask(ask('test/equal', { session_id: long }));
    expect([inBody.status, inBody.body.error.message]).toEqual([400, expect.stringMatching(/^session_id/)]);
    const inHeader = await bench.ask(ask('test/equal'), { headers: { 'x-session-id': long } });
    expect([inHeader.status, inHeader.body.error.message]).toEqual([400, expect.stringMatching(/^x-session-id/)]);
    expect((await bench.ask(ask('test/equal', { session_id: 'x'.repeat(256) }))).status).toBe(200);
  });

  it("another key's session of the same name is another session, as is another model's", async () => {
    const { key } = await bench.gateway.newKey();
    const seedOf = async (body: object, own?: string): Promise<unknown> =>
      (await bench.explain(body, own === undefined ? {} : { key: own })).data.seed;
    const body = ask('test/equal', { session_id: 'shared-name' });
    expect(await seedOf(body)).toBe(await seedOf(body));
    expect(await seedOf(body, key)).not.toBe(await seedOf(body));
    const endpoints = await Promise.all(SESSIONS.map((session) => endpointOf(session)));
    const others = await Promise.all(SESSIONS.map((session) => endpointOf(session, {}, 'test/other')));
    expect(others).not.toEqual(endpoints);
  });

  it("the caller's order switches it off", async () => {
    const endpoints = SESSIONS.map((session) => endpointOf(session, { provider: { order: ['gamma'] } }));
    expect(new Set(await Promise.all(endpoints))).toEqual(new Set(['gamma']));
  });

  it("the caller's own limits hold", async () => {
    const endpoints = SESSIONS.map((session) => endpointOf(session, { provider: { ignore: ['alpha', 'beta'] } }));
    expect(new Set(await Promise.all(endpoints))).toEqual(new Set(['gamma']));
  });

  it('a restart moves no session that was not bound', async () => {
    const endpoints = await endpointsOf(SESSIONS);
    await bench.restart();
    expect(await endpointsOf(SESSIONS)).toEqual(endpoints);
  });

  describe('that must leave', () => {
    /** A session that starts at this provider. */
    async function sessionAt(slug: string, prefix: string): Promise<string> {
      for (let index = 0; ; index++) if ((await endpointOf(`${prefix}-${index}`)) === slug) return `${prefix}-${index}`;
    }

    it('continues at the next in the same request, and stays there when the first has recovered', async () => {
      const session = await sessionAt('alpha', 'moves');
      for (let call = 0; call < 3; call++) expect(await endpointOf(session)).toBe('alpha');
      bench.fails('alpha', 429);
      bench.calls.length = 0;
      const moved = await endpointOf(session);
      expect(moved).not.toBe('alpha');
      expect(bench.calls).toEqual(['alpha', moved]);
      bench.answers('alpha');
      clock.aheadMs += 60_000;
      for (let call = 0; call < 5; call++) {
        bench.calls.length = 0;
        expect(await endpointOf(session)).toBe(moved);
        expect(bench.calls).toEqual([moved]);
      }
    });

    it('stays there for ten idle minutes, and each success begins them anew', async () => {
      const session = await sessionAt('beta', 'idles');
      bench.fails('beta', 429);
      const moved = await endpointOf(session);
      bench.answers('beta');
      for (let turn = 0; turn < 3; turn++) {
        clock.aheadMs += PIN_MS - 60_000;
        expect(await endpointOf(session)).toBe(moved);
      }
      clock.aheadMs += PIN_MS + 1_000;
      expect(await endpointOf(session)).toBe('beta');
    });

    it('moves on again when the second fails as well', async () => {
      const session = await sessionAt('gamma', 'moves');
      bench.fails('gamma', 429);
      const second = await endpointOf(session);
      bench.fails(second, 429);
      const third = await endpointOf(session);
      expect(new Set(['gamma', second, third]).size).toBe(3);
      bench.reset();
      clock.aheadMs += 60_000;
      expect(await endpointOf(session)).toBe(third);
    });

    it('is bound for its own model alone', async () => {
      const session = await sessionAt('alpha', 'apart');
      const before = await endpointOf(session, {}, 'test/other');
      bench.fails('alpha', 429);
      await endpointOf(session);
      bench.reset();
      clock.aheadMs += 60_000;
      expect(await endpointOf(session, {}, 'test/other')).toBe(before);
    });

    it('is bound nowhere by an explanation', async () => {
      const session = await sessionAt('alpha', 'explained');
      bench.fails('alpha', 429);
      await bench.ask(ask('test/equal', { provider: { only: ['alpha'] } }));
      bench.answers('alpha');
      await bench.explain(ask('test/equal', { session_id: session }));
      clock.aheadMs += 60_000;
      expect(await endpointOf(session)).toBe('alpha');
    });
  });

  describe('conversations without an id', () => {
    const cached = { usage: { cache_read_input_tokens: 900 } };
    const conversation = (name: string, ...later: readonly string[]): object => ({
      system: `You are ${name}.`,
      messages: [name, ...later].map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
    });

    /** The dearer one answers once, because it was requested. */
    async function answerFromBeta(to: string, body: object, stream = false): Promise<void> {
      const { status } = await bench.ask(ask(to, { ...body, stream, provider: { only: ['beta'] } }));
      expect(status).toBe(200);
    }
    const firstOf = async (to: string, body: object): Promise<string | undefined> =>
      (await bench.callsOf(ask(to, body)))[0];

    it.each([false, true])('stay where cached tokens were reported (stream %s)', async (stream) => {
      const name = `Ada ${stream}`;
      bench.script('beta', anthropicText('Cached.', cached));
      await answerFromBeta('test/turns', conversation(name), stream);
      expect(await firstOf('test/turns', conversation(name))).toBe('beta');
      expect(await firstOf('test/turns', conversation(name, 'Well?', 'And on it goes.'))).toBe('beta');
    });

    it.each([1e12, 50_000])('do not stay where %d cached tokens were reported, more than was sent', async (tokens) => {
      const name = `Barbara ${tokens}`;
      bench.script('beta', anthropicText('Cached.', { usage: { cache_read_input_tokens: tokens } }));
      await answerFromBeta('test/turns', conversation(name));
      expect(await firstOf('test/turns', conversation(name))).toBe('alpha');
    });

    it('are distinguished by their instructions and by their first message', async () => {
      bench.script('beta', anthropicText('Cached.', cached));
      await answerFromBeta('test/turns', conversation('Grace'));
      expect(await firstOf('test/turns', conversation('Edsger'))).toBe('alpha');
      expect(await firstOf('test/turns', { ...conversation('Grace'), system: 'You are another.' })).toBe('alpha');
      expect(await firstOf('test/turns', { ...conversation('Grace'), system: undefined })).toBe('alpha');
    });

    it('are bound by nothing else', async () => {
      await answerFromBeta('test/turns', conversation('Alan'));
      expect(await firstOf('test/turns', conversation('Alan'))).toBe('alpha');
    });

    it.each(['test/uncached', 'test/unpriced'])('are not bound where the cache is no cheaper: %s', async (to) => {
      bench.script('beta', anthropicText('Cached.', cached));
      await answerFromBeta(to, conversation('Barbara'));
      expect(await firstOf(to, conversation('Barbara'))).toBe('alpha');
    });

    it('stay for ten idle minutes', async () => {
      bench.script('beta', anthropicText('Cached.', cached));
      await answerFromBeta('test/turns', conversation('Kurt'));
      clock.aheadMs += PIN_MS - 60_000;
      expect(await firstOf('test/turns', conversation('Kurt'))).toBe('beta');
      clock.aheadMs += PIN_MS + 1_000;
      expect(await firstOf('test/turns', conversation('Kurt'))).toBe('alpha');
    });

    it('leave when the provider fails, in the same request', async () => {
      bench.script('beta', anthropicText('Cached.', cached));
      await answerFromBeta('test/turns', conversation('Emmy'));
      bench.fails('beta', 503);
      const { status, body } = await bench.ask(ask('test/turns', conversation('Emmy')));
      expect([status, body.provider, bench.calls.slice(-2)]).toEqual([200, 'Alpha', ['beta', 'alpha']]);
    });

    it("are not bound against the caller's order", async () => {
      bench.script('beta', anthropicText('Cached.', cached));
      await answerFromBeta('test/turns', conversation('Sofja'));
      const body = { ...conversation('Sofja'), provider: { order: ['alpha'] } };
      expect(await firstOf('test/turns', body)).toBe('alpha');
    });
  });
});

describeOnEmbedded('sessions when the catalog changes', (database) => {
  const models = (...slugs: readonly string[]): readonly object[] => [
    model(
      'test/equal',
      slugs.map((slug) => at(slug)),
    ),
  ];
  let bench: RoutingBench;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      providers: { alpha: {}, beta: {}, gamma: {}, delta: {} },
      models: models(...ALL),
    });
  }, 240_000);
  afterAll(() => bench?.close());

  const firsts = async (): Promise<readonly string[]> => {
    const explained = SESSIONS.map((session) => bench.explain(ask('test/equal', { session_id: session })));
    return (await Promise.all(explained)).map(({ data }) => data.candidates[0].provider);
  };

  it('only the sessions that a new endpoint wins move, and those of a removed endpoint', async () => {
    const before = await firsts();
    await bench.changeModels(models(...ALL, 'delta'), ask('test/equal'));
    const joined = await firsts();
    expect(joined.filter((endpoint, index) => endpoint !== before[index] && endpoint !== 'delta')).toEqual([]);
    expect(joined).toContain('delta');
    await bench.changeModels(models('beta', 'gamma', 'delta'), ask('test/equal'));
    const left = await firsts();
    expect(left.filter((endpoint, index) => endpoint !== joined[index] && joined[index] !== 'alpha')).toEqual([]);
    expect(left).not.toContain('alpha');
  });
});
