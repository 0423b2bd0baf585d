/**
 * Checks that no request is refused while the money is there: successive calls near a limit all pass, whatever ended
 * before them; of nested limits the leg passes that `POST /routing/explain` names; a request answered by a paid leg
 * does not count as a free one. The application runs before scripted upstreams; the limits allow exactly one call at a
 * time. The model costs 3 USD per million input tokens and 15 USD per million output tokens. Rules:
 * docs/contribute/ledger.md, docs/contribute/decisions/0038-a-refusal-is-true.md.
 */
import { MINUTE_MS } from '../../src/core/time.js';
import { anthropicError, anthropicText } from '../support/anthropic-upstream.js';
import { catalogOf, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { AheadClock } from '../support/ahead-clock.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { json } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { after, ask, gate } from './messages-bench.js';

/** USD; of `ask`, whose `max_tokens` is 100: 67 tokens in at most. */
const BOUND = (67 * 3 + 100 * 15) / 1e6;
const COST = 0.000141;
const CALLS = 30;
/** Amounts have twelve decimals at most. */
const usd = (amount: number): number => Number(amount.toFixed(12));
const failing = () => json(anthropicError('api_error', 'scripted'), 500);

interface Reply {
  readonly status: number;
  readonly body: JsonBody;
}

describeOnEmbedded('a refusal is true', (database) => {
  const clock = new AheadClock();
  let upstream: Upstream;
  let broken: Upstream;
  let gateway: TestGateway;
  let ledger: LedgerReader;
  let made = 0;

  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    broken = await startUpstream('anthropic');
    broken.script(failing);
    const at = [{ url: upstream.url, dialect: 'anthropic-messages' }] as const;
    const times = (factor: number) => ({ pricing: { prompt: String(3 * factor), completion: String(15 * factor) } });
    gateway = await startGateway(database, {
      clock,
      coolsDown: false,
      variables: { FAIRLEAD_INITIAL_CREDITS: '1', FAIRLEAD_BYOK_FEE_PERCENT: '5' },
      catalog: catalogOf(
        { id: 'test/paid', at },
        { id: 'test/n0', at, endpoint: times(1_000_000) },
        ...[5, 4, 3, 2].map((factor, index) => ({ id: `test/n${index + 1}`, at, endpoint: times(factor) })),
        { id: 'test/gift:free', at: [{ url: broken.url, dialect: 'anthropic-messages' as const }], endpoint: { pricing: undefined, free: true } },
        { id: 'test/good:free', at, endpoint: { pricing: undefined, free: true } },
        { id: 'test/own', at: [{ url: upstream.url, dialect: 'anthropic-messages' as const }] },
      ),
    }); // oxfmt-ignore
    ledger = new LedgerReader(gateway);
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
    await broken?.close();
  });
  beforeEach(() => upstream.script(anthropicText('Hi.')));

  async function send(method: string, path: string, body?: object, key = MANAGEMENT_KEY): Promise<Reply> {
    const headers = { 'content-type': 'application/json' };
    const response = await gateway.request(path, { method, key, ...(body && { headers, body: JSON.stringify(body) }) });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
  }

  const message = (key: string, model = 'test/paid', more: object = {}): Promise<Reply> =>
    send('POST', '/messages', ask(model, more), key);

  /** A separate workspace with a key, and budgets. */
  async function open(
    limits: {
      readonly key?: number;
      readonly budgets?: Readonly<Record<string, number>>;
      readonly byok?: boolean;
    } = {},
  ): Promise<{ readonly key: string; readonly id: string }> {
    const { body } = await send('POST', '/workspaces', { name: 'n', slug: `true-${made++}` });
    const { id } = body.data;
    for (const [interval, limit] of Object.entries(limits.budgets ?? {})) {
      const budget = { limit_usd: usd(limit), ...(limits.byok && { include_byok_in_budgets: true }) };
      expect((await send('PUT', `/workspaces/${id}/budgets/${interval}`, budget)).status).toBe(200);
    }
    const fields = {
      ...(limits.key !== undefined && { limit: usd(limits.key) }),
      ...(limits.byok && { include_byok_in_limit: true }),
    };
    const reply = await send('POST', '/keys', { name: 'n', workspace_id: id, ...fields });
    expect(reply.status).toBe(201);
    return { key: reply.body.key, id };
  }

  describe('of successive calls near a limit that allows one at a time', () => {
    const all = BOUND + (CALLS - 1) * COST;

    it.each([
      ['the limit of a key', { key: all }],
      ['a budget of a workspace', { budgets: { weekly: all } }],
      ['both, nested', { key: all, budgets: { daily: all, monthly: all + COST / 4 } }],
    ])(
      'by %s: none is refused before the limit is really used up',
      async (_, limits) => {
        const { key } = await open(limits);
        const statuses: number[] = [];
        for (let call = 0; call < CALLS; call++)
          statuses.push((await message(key, 'test/paid', { stream: call % 2 === 0 })).status);
        expect(statuses).toEqual(statuses.map(() => 200));
        const last = await message(key);
        expect(last.status).toBe('key' in limits ? 402 : 403);
        // No hold is left, so the message mentions none, and waiting does not help.
        expect(last.body.error.message).not.toMatch(/reserved|used up|Retry/);
        expect(last.body.error.metadata.reason).toBeUndefined();
      },
      60_000,
    );

    it('also where each of them failed: what it reserved was not spent', async () => {
      const { key } = await open({ key: BOUND });
      upstream.script(failing);
      const statuses: number[] = [];
      for (let call = 0; call < CALLS; call++) statuses.push((await message(key)).status);
      expect(statuses).toEqual(statuses.map(() => 502));
    }, 240_000);

    it('in a burst as well: as many pass as the limit allows, and more when they have ended', async () => {
      const { key } = await open({ key: 3 * BOUND + COST });
      const answered = gate();
      upstream.script(after(answered.opened, anthropicText('Hi.')));
      const replies = Array.from({ length: 12 }, () => message(key));
      let refused = 0;
      for (const reply of replies) void reply.then(({ status }) => (refused += status === 402 ? 1 : 0));
      while (refused < 9) await Promise.race(replies).then(() => new Promise((resolve) => setImmediate(resolve)));
      answered.open();
      const ended = await Promise.all(replies);
      expect(ended.filter(({ status }) => status === 200)).toHaveLength(3);
      const shown = ended.find(({ status }) => status === 402)!.body.error;
      expect(shown.metadata).toMatchObject({ limit_source: 'openrouter_in_flight_budget', requested_tokens: 100 });
      expect(shown.message).toContain(`${usd(3 * BOUND)} USD reserved`);
      for (let call = 0; call < 2; call++) expect((await message(key)).status).toBe(200);
    }, 240_000);
  });

  describe('of nested limits', () => {
    const explain = async (key: string, body: object): Promise<[string, string, boolean, string | null][]> =>
      (await send('POST', '/routing/explain', body, key)).body.data.candidates.map((one: JsonBody) => [
        one.model,
        one.credential,
        one.would_be_granted,
        one.refused_by?.counter ?? null,
      ]);

    it('each of which refuses another leg, the leg is granted that all allow', async () => {
      const { key } = await open({
        key: 4.5 * BOUND,
        budgets: { lifetime: 3.5 * BOUND, monthly: 2.5 * BOUND, weekly: 1.5 * BOUND },
      });
      const models = ['test/n1', 'test/n2', 'test/n3', 'test/n4', 'test/paid'];
      const shown = await explain(key, ask('test/n0', { models }));
      expect(shown.map(([model, , granted, by]) => [model, granted, by])).toEqual([
        ['test/n0', false, 'account'],
        ['test/n1', false, 'key'],
        ['test/n2', false, 'workspace'],
        ['test/n3', false, 'workspace'],
        ['test/n4', false, 'workspace'],
        ['test/paid', true, null],
      ]);
      const { status, body } = await message(key, 'test/n0', { models });
      expect([status, body.model ?? body.error.message]).toEqual([200, 'test/paid']);
    });

    it('all that refuse are named at once: after they are raised, the call passes', async () => {
      const { key, id } = await open({ key: BOUND / 2, budgets: { weekly: BOUND / 4, monthly: 2 * BOUND } });
      const refused = await message(key);
      expect(refused.status).toBe(402);
      const { message: words, metadata } = refused.body.error;
      expect(words).toContain("The key's lifetime limit has no room");
      expect(words).toContain("The workspace's weekly budget");
      expect(words).not.toContain('monthly');
      expect(metadata).toMatchObject({
        limit_source: 'openrouter_key_limit',
        also_refused_by: [{ limit_source: 'workspace_budget', interval: 'weekly', remedy_hint: expect.any(String) }],
      });
      const [hash] = (await ledger.query('select hash from api_keys where workspace_id = $1', [id])) as JsonBody[];
      expect((await send('PATCH', `/keys/${hash.hash}`, { limit: usd(BOUND) })).status).toBe(200);
      const again = await message(key);
      expect([again.status, again.body.error.metadata.limit_source]).toEqual([403, 'workspace_budget']);
      expect(again.body.error.metadata).not.toHaveProperty('also_refused_by');
      const raised = await send('PUT', `/workspaces/${id}/budgets/weekly`, { limit_usd: usd(BOUND) });
      expect(raised.status).toBe(200);
      expect((await message(key)).status).toBe(200);
    });

    it('a leg is granted that fits the limits, though the one with the caller’s own credential does not', async () => {
      const own = { key: 'an-own-credential', provider: 'p0' };
      // Each alone fits the key, not both; only the operator's, without a fee on top, fits the budget.
      const { key, id } = await open({ key: 1.5 * BOUND, budgets: { weekly: 1.02 * BOUND }, byok: true });
      expect((await send('POST', '/byok', { ...own, workspace_id: id })).status).toBe(201);
      expect(await explain(key, ask('test/own'))).toMatchObject([
        ['test/own', expect.anything(), false, 'workspace'],
        ['test/own', 'shared', true, null],
      ]);
      const { status, body } = await message(key, 'test/own');
      expect([status, status === 200 ? body.usage.is_byok : body.error.message]).toEqual([200, false]);
    });
  });

  it('never mentions a requested amount to a caller that sent no max_tokens', async () => {
    const { key } = await open({ key: BOUND });
    const body = { model: 'test/paid', messages: [{ role: 'user', content: 'Hello' }] };
    const refused = await send('POST', '/chat/completions', body, key);
    expect(refused.status).toBe(402);
    expect(refused.body.error.message).not.toMatch(/were requested|used up/);
    expect(refused.body.error.message).toContain(
      "Without max_completion_tokens the model's most is reserved, 8192 output tokens",
    );
    const { affordable_tokens: room } = refused.body.error.metadata;
    expect((await send('POST', '/chat/completions', { ...body, max_tokens: room + 1 }, key)).status).toBe(402);
    expect((await send('POST', '/chat/completions', { ...body, max_tokens: room }, key)).status).toBe(200);
  });

  describe('a free request', () => {
    const used = async (key: string): Promise<number> =>
      (await send('GET', '/key', undefined, key)).body.data.free_model_daily_requests.used;
    const both = (key: string) => message(key, 'test/gift:free', { models: ['test/paid'] });
    /** At the beginning of a separate minute, when no other key counts as contention. */
    const nextMinute = (): void => {
      clock.aheadMs += 12 * MINUTE_MS - (clock.now() % MINUTE_MS) + 1_000;
    };

    it('answered by a paid leg counts neither in the day nor in the minute', async () => {
      const { key } = await open();
      nextMinute();
      const before = await used(key);
      for (let call = 0; call < 25; call++) {
        const { status, body } = await both(key);
        expect([status, body.model]).toEqual([200, 'test/paid']);
      }
      expect(broken.requests.length).toBeGreaterThanOrEqual(25);
      expect(await used(key)).toBe(before);
      for (let call = 0; call < 20; call++) expect((await message(key, 'test/good:free')).status).toBe(200);
      expect((await message(key, 'test/good:free')).status).toBe(429);
      expect(await used(key)).toBe(before + 20);
      // The minute is full: paid requests continue, and are not counted.
      expect((await both(key)).body.model).toBe('test/paid');
      expect(await used(key)).toBe(before + 20);
    }, 240_000);

    it('without an answer counts', async () => {
      const { key } = await open();
      nextMinute();
      const before = await used(key);
      expect((await message(key, 'test/gift:free')).status).toBe(502);
      expect(await used(key)).toBe(before + 1);
      await ledger.rest();
      expect(await ledger.openHolds()).toBe(0);
    });
  });
});
