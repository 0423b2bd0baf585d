/**
 * Checks that nothing is spent beyond a counter of account, key or workspace: candidates that cost more than is left
 * are left out, and the request is refused with helpful words when none remains; free variants count by number. The
 * application runs before scripted upstreams, with caps at, over and far below what one call may cost. The model costs
 * 3 USD per million input tokens and 15 USD per million output tokens. Rules: docs/contribute/reasons/money.md,
 * docs/use/errors.md.
 */
import { DataSource } from 'typeorm';
import { hashKey } from '../../src/core/ids.js';
import { DAY_MS } from '../../src/core/time.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY, catalogOf, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { AheadClock } from '../support/ahead-clock.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask, gate, after } from './messages-bench.js';

/** `Hello`: three tokens at most, and 64 of frame. */
const PROMPT_TOKENS = 67;
/** USD; of `ask`, whose `max_tokens` is 100. */
const BOUND = (PROMPT_TOKENS * 3 + 100 * 15) / 1e6;
const COST = 0.000141;
const CREDITS = 1;
/** Amounts have twelve decimals at most. */
const usd = (amount: number): number => Number(amount.toFixed(12));

describeOnEmbedded('spending limits', (database) => {
  const clock = new AheadClock();
  let upstream: Upstream;
  let gateway: TestGateway;
  let ledger: LedgerReader;
  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    const at = [{ url: upstream.url, dialect: 'anthropic-messages' }] as const;
    gateway = await startGateway(database, {
      clock,
      coolsDown: false,
      variables: { FAIRLEAD_INITIAL_CREDITS: String(CREDITS) },
      catalog: catalogOf(
        { id: 'test/paid', at },
        { id: 'test/dear', at, endpoint: { pricing: { prompt: '3000000', completion: '15000000' } } },
        { id: 'test/some:free', at, endpoint: { pricing: undefined, free: true } },
        { id: 'test/other:free', at, endpoint: { pricing: undefined, free: true } },
        { id: 'test/limited', at, model: { limits: { requests_per_minute: 2 } } },
      ),
    });
    ledger = new LedgerReader(gateway);
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });
  beforeEach(() => upstream.script(anthropicText('Hi.')));

  interface Reply {
    readonly status: number;
    readonly headers: Headers;
    readonly body: JsonBody;
  }

  async function send(path: string, init: Parameters<TestGateway['request']>[1]): Promise<Reply> {
    const response = await gateway.request(path, init);
    return { status: response.status, headers: response.headers, body: (await response.json()) as JsonBody };
  }

  const post = (path: string, body: object, key: string): Promise<Reply> =>
    send(path, { method: 'POST', key, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const message = (model: string, key = API_KEY, more: object = {}): Promise<Reply> =>
    post('/messages', ask(model, more), key);

  async function newKey(fields: object = {}): Promise<{ readonly key: string; readonly hash: string }> {
    const { body } = await post('/keys', { name: 'a key', ...fields }, MANAGEMENT_KEY);
    return { key: body.key, hash: body.data.hash };
  }

  const change = (hash: string, fields: object): Promise<Reply> =>
    send(`/keys/${hash}`, {
      method: 'PATCH',
      key: MANAGEMENT_KEY,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    });
  const statusOf = async (key: string): Promise<JsonBody> => {
    await ledger.rest();
    return (await send('/key', { key })).body.data;
  };

  describe('of a key', () => {
    it.each([
      ['just enough', BOUND, 200],
      ['a picodollar less', usd(BOUND - 1e-12), 402],
      ['nothing', 0, 402],
      ['no limit', null, 200],
    ])('%s', async (_, limit, status) => {
      const { key } = await newKey({ limit });
      const calls = upstream.requests.length;
      expect((await message('test/paid', key)).status).toBe(status);
      expect(upstream.requests.length - calls).toBe(status === 200 ? 1 : 0);
    });

    it('reports the requested amount, the amount that is left, and the remedy', async () => {
      const { key } = await newKey({ limit: 0.001 });
      const { status, body } = await message('test/paid', key);
      expect(status).toBe(402);
      const affordable = Math.floor((0.001 * 1e6 - PROMPT_TOKENS * 3) / 15);
      expect(body).toMatchObject({
        type: 'error',
        error: {
          type: 'billing_error',
          code: 402,
          error_type: 'payment_required',
          metadata: {
            provider_name: null,
            limit_source: 'openrouter_key_limit',
            remedy_hint: expect.stringContaining('PATCH /keys/'),
            requested_tokens: 100,
            affordable_tokens: affordable,
          },
        },
      });
      expect(body.error.message).toContain('100 output tokens');
      expect(body.error.message).toContain(`room for ${affordable}`);
      expect((await message('test/paid', key, { max_tokens: affordable })).status).toBe(200);
    });

    it('is what GET /key reports, and is in force the moment it is changed', async () => {
      const { key, hash } = await newKey({ limit: BOUND, limit_reset: 'daily' });
      expect((await message('test/paid', key)).status).toBe(200);
      expect(await statusOf(key)).toMatchObject({ limit_held: 0, usage: COST, usage_daily: COST, usage_weekly: COST, usage_monthly: COST, byok_usage: 0 }); // oxfmt-ignore
      expect((await statusOf(key)).limit_remaining).toBeCloseTo(BOUND - COST, 12);
      expect((await message('test/paid', key)).status).toBe(402);
      await change(hash, { limit: usd(BOUND + COST) });
      expect((await message('test/paid', key)).status).toBe(200);
      expect((await message('test/paid', key)).status).toBe(402);
    });

    it('begins anew with its window', async () => {
      const { key } = await newKey({ limit: BOUND, limit_reset: 'daily' });
      expect((await message('test/paid', key)).status).toBe(200);
      expect((await message('test/paid', key)).status).toBe(402);
      clock.aheadMs += DAY_MS;
      expect((await message('test/paid', key)).status).toBe(200);
      expect(await statusOf(key)).toMatchObject({ usage_daily: COST });
      expect((await statusOf(key)).usage).toBeCloseTo(2 * COST, 12);
    });

    it('holds for calls under way: one that would fit alone is advised to wait', async () => {
      const { key } = await newKey({ limit: usd(BOUND * 1.5) });
      const answered = gate();
      upstream.script(after(answered.opened, anthropicText('Hi.')));
      const arrival = upstream.request();
      const first = message('test/paid', key);
      await arrival;
      const { status, headers, body } = await message('test/paid', key);
      expect([status, body.error.metadata.limit_source, body.error.metadata.reason]).toEqual([
        402,
        'openrouter_in_flight_budget',
        'in_flight_budget_exhausted',
      ]);
      expect(headers.get('retry-after')).toBe('1');
      expect((await send('/key', { key })).body.data.limit_held).toBeCloseTo(BOUND, 12);
      answered.open();
      expect((await first).status).toBe(200);
    });

    it('is never overspent by a burst of first calls', async () => {
      const { key } = await newKey({ limit: usd(BOUND * 3.5) });
      const answered = gate();
      upstream.script(after(answered.opened, anthropicText('Hi.')));
      const calls = upstream.requests.length;
      let replied = 0;
      const replies = Array.from({ length: 20 }, async () => {
        const reply = await message('test/paid', key);
        replied++;
        return reply;
      });
      // Calls beyond the limit are refused before any other call was answered.
      while (replied < 17 || upstream.requests.length - calls < 3)
        await new Promise((resolve) => setTimeout(resolve, 5));
      answered.open();
      const statuses = (await Promise.all(replies)).map(({ status }) => status).sort();
      expect(statuses).toEqual([...new Array<number>(3).fill(200), ...new Array<number>(17).fill(402)]);
      expect(upstream.requests.length - calls).toBe(3);
    });
  });

  it('leave out candidates beyond the limit, and continue with the rest', async () => {
    const { key } = await newKey({ limit: 1 });
    const { status, body } = await message('test/dear', key, { models: ['test/paid'] });
    expect([status, body.model]).toEqual([200, 'test/paid']);
    const explained = await post('/routing/explain', ask('test/dear', { models: ['test/paid'] }), key);
    expect(
      explained.body.data.candidates.map(({ model, would_be_granted: granted, refused_by: by }: JsonBody) => [
        model,
        granted,
        by?.counter ?? null,
      ]),
    ).toEqual([
      ['test/dear', false, 'account'],
      ['test/paid', true, null],
    ]);
  });

  it('of a workspace: 403, naming the interval', async () => {
    const { workspace_id: workspace } = (await send('/key', {})).body.data;
    await ledger.query(
      `insert into budgets (account_id, scope, scope_id, interval, limit_usd)
       select id, 'workspace', $1, 'weekly', 0.0001 from accounts`,
      [workspace],
    );
    const { status, body } = await message('test/paid');
    expect([status, body.error.type, body.error.error_type]).toEqual([403, 'permission_error', 'permission_denied']);
    expect(body.error.message).toContain('weekly budget');
    await ledger.query(`update budgets set limit_usd = $1`, [BOUND]);
    expect((await message('test/paid')).status).toBe(200);
    await ledger.rest();
    const [row] = await ledger.query(`select used, held from spending_windows where scope = 'workspace'`);
    expect([Number(row.used), Number(row.held)]).toEqual([COST, 0]);
    await ledger.query(`delete from budgets`);
  });

  describe('of free variants', () => {
    const free = async (model = 'test/some:free'): Promise<Reply> => message(model);
    const nextMinute = (): void => {
      clock.aheadMs += 60_000;
    };

    it('twenty a minute over all of them, reported by the platform’s headers alone', async () => {
      // Calls of other keys are too old to count as contention.
      clock.aheadMs += 11 * 60_000;
      const statuses: number[] = [];
      let last: Reply | undefined;
      for (let call = 0; call < 21; call++) {
        last = await free(call % 2 ? 'test/some:free' : 'test/other:free');
        statuses.push(last.status);
        if (last.status === 200) expect(last.headers.get('x-ratelimit-limit')).toBeNull();
      }
      // The minute may have changed meanwhile.
      if (!statuses.includes(429)) for (let call = 0; call < 21; call++) last = await free();
      expect(last?.status).toBe(429);
      expect(last?.headers.get('x-ratelimit-limit')).toBe('20');
      expect(last?.headers.get('x-ratelimit-remaining')).toBe('0');
      const reset = Number(last?.headers.get('x-ratelimit-reset'));
      expect(reset % 60_000).toBe(0);
      expect(reset - clock.now()).toBeLessThanOrEqual(60_000);
      expect(last?.body.error.error_type).toBe('rate_limit_exceeded');
    }, 240_000);

    it('fifty a day, which GET /key reports; what was not admitted does not count', async () => {
      clock.aheadMs += DAY_MS;
      let granted = 0;
      for (let call = 0; call < 60; call++) {
        const { status, body, headers } = await free();
        if (status === 200) {
          granted++;
          continue;
        }
        expect(status).toBe(429);
        if (body.error.message.includes('per-min')) {
          nextMinute();
          continue;
        }
        expect(body.error.message).toContain('free-models-per-day');
        expect(body.error.metadata.limit_source).toBe('openrouter_free_tier_daily');
        expect(headers.get('x-ratelimit-limit')).toBe('50');
        expect(Number(headers.get('x-ratelimit-reset')) % DAY_MS).toBe(0);
        break;
      }
      expect(granted).toBe(50);
      expect((await statusOf(API_KEY)).free_model_daily_requests).toEqual({ used: 50, limit: 50, remaining: 0 });
      expect((await message('test/paid')).status).toBe(200);
      expect((await post('/credits', { amount: 10 }, MANAGEMENT_KEY)).status).toBe(201);
      nextMinute();
      expect((await free()).status).toBe(200);
      expect((await statusOf(API_KEY)).free_model_daily_requests).toEqual({ used: 51, limit: 1000, remaining: 949 });
    }, 240_000);
  });

  describe('of free variants, shared by keys', () => {
    const free = (key: string): Promise<Reply> => message('test/some:free', key);

    it('ten a minute and half of the day for a key while another one calls', async () => {
      clock.aheadMs += DAY_MS;
      // In the middle of a minute, so that it does not change during the test.
      clock.aheadMs += 60_000 - (clock.now() % 60_000);
      const made = await post('/keys', { name: 'other' }, MANAGEMENT_KEY);
      const other = made.body.key as string;
      expect((await free(other)).status).toBe(200);
      for (let call = 0; call < 10; call++) expect((await free(API_KEY)).status).toBe(200);
      const refused = await free(API_KEY);
      expect([refused.status, refused.headers.get('x-ratelimit-limit'), refused.headers.get('retry-after')]).toEqual([
        429,
        '10',
        null,
      ]);
      expect(refused.body.error.message).toBe(
        'Rate limit exceeded: free-models-per-min; while other keys of the account make calls, each has half of them',
      );
      // Refused requests count in no day, neither the account's nor the key's.
      const day = (key: string): Promise<unknown> =>
        gateway.gateway.app
          .get(DataSource, { strict: false })
          .query(
            `select used::int from spending_windows where scope = 'free_requests' and scope_id = $1 order by window_start desc limit 1`,
            [hashKey(key)],
          );
      expect([await day(API_KEY), await day(other)]).toEqual([[{ used: 10 }], [{ used: 1 }]]);
      expect((await statusOf(API_KEY)).free_model_daily_requests).toMatchObject({ used: 11 });
      clock.aheadMs += 60_000;
      // 1,000 a day, of which it made ten.
      await gateway.gateway.app
        .get(DataSource, { strict: false })
        .query(`update spending_windows set used = 499 where scope = 'free_requests' and scope_id = $1 and used = 10`, [
          hashKey(API_KEY),
        ]);
      expect((await free(API_KEY)).status).toBe(200);
      const pastHalf = await free(API_KEY);
      expect([pastHalf.status, pastHalf.headers.get('x-ratelimit-limit')]).toEqual([429, '500']);
      expect(pastHalf.body.error.message).toBe(
        'Rate limit exceeded: free-models-per-day-high-balance; while other keys of the account make calls, each has half of them',
      );
      expect(pastHalf.body.error.metadata.limit_source).toBe('openrouter_free_tier_daily');
      expect((await free(other)).status).toBe(200);
      expect((await message('test/paid')).status).toBe(200);
      clock.aheadMs += 10 * 60_000;
      expect((await free(API_KEY)).status).toBe(200);
    }, 240_000);
  });

  it('of a model: 429 with the platform’s headers, and another model steps in', async () => {
    clock.aheadMs += 120_000;
    const statuses: number[] = [];
    let refused: Reply | undefined;
    for (let call = 0; call < 5; call++) {
      const reply = await message('test/limited');
      statuses.push(reply.status);
      if (reply.status === 429) refused = reply;
    }
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(4);
    expect(refused?.headers.get('x-ratelimit-limit')).toBe('2');
    const { status, body } = await message('test/limited', API_KEY, { models: ['test/paid'] });
    expect([status, body.model]).toEqual([200, 'test/paid']);
    await ledger.rest();
    expect(await ledger.openHolds()).toBe(0);
  });

  it('a balance below zero refuses even what is free', async () => {
    const { total_credits: credits, total_usage: used } = (await send('/credits', { key: MANAGEMENT_KEY })).body.data;
    const amount = usd(used - credits - 0.000001);
    expect((await post('/credits', { amount, kind: 'adjustment' }, MANAGEMENT_KEY)).status).toBe(201);
    for (const model of ['test/some:free', 'test/paid']) {
      const { status, body } = await message(model);
      expect([status, body.error.metadata.limit_source]).toEqual([402, 'openrouter_credits']);
    }
    expect((await post('/credits', { amount: 5 }, MANAGEMENT_KEY)).status).toBe(201);
    expect((await message('test/paid')).status).toBe(200);
  });
});
