// Checks that each grant of credits is added exactly once and exactly as written, and that the displayed balance is
// the counter that is enforced. The real app is called over HTTP; the ledger is read and changed by its own
// statements.
import { DataSource } from 'typeorm';
import { hashKey } from '../../src/core/ids.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { addStrangers, generationRow, ownerOf, settle } from './generation-rows.js';

interface Reply {
  readonly status: number;
  readonly body: {
    readonly data: { readonly [key: string]: unknown };
    readonly error: { readonly code: number; readonly message: string };
  };
}

interface LedgerReader {
  readonly limit: string;
  readonly used: string;
  readonly purchased: string;
  readonly free_tier: boolean;
  readonly grants: number;
}

describeOnEachDatabase('credits', (database) => {
  let gateway: TestGateway;
  let store: DataSource;

  beforeAll(async () => {
    gateway = await startGateway(database, { variables: { FAIRLEAD_INITIAL_CREDITS: '12.5' } });
    store = gateway.gateway.app.get(DataSource, { strict: false });
  }, 240_000);
  afterAll(() => gateway?.close());

  async function call(method: string, body?: unknown, key = MANAGEMENT_KEY): Promise<Reply> {
    const response = await gateway.request('/credits', {
      method,
      key,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    });
    return { status: response.status, body: (await response.json()) as Reply['body'] };
  }

  const enter = async (body: unknown): Promise<Reply> => call('POST', body);

  async function balance(): Promise<unknown> {
    const { status, body } = await call('GET');
    expect(status).toBe(200);
    return body.data;
  }

  /** The stored state; the sums must always be those of the single entries. */
  async function ledger(): Promise<LedgerReader> {
    const [row] = await store.query<(LedgerReader & { entered: string; bought: string })[]>(
      `select w."limit", w.used, a.purchased_usd as purchased, a.free_tier,
         (select count(*)::int from credit_grants g where g.account_id = a.id) as grants,
         (select sum(amount) from credit_grants g where g.account_id = a.id) as entered,
         (select coalesce(sum(amount), 0) from credit_grants g where g.account_id = a.id and kind in ('purchase', 'refund')) as bought
       from accounts a join spending_windows w on w.scope = 'account' and w.scope_id = a.id::text
       where a.name = 'Default account'`,
    );
    const { entered, bought, ...stored } = row!;
    expect(Number(stored.limit)).toBe(Number(entered));
    expect(stored.limit).toBe(entered);
    expect(Number(stored.purchased)).toBe(Number(bought));
    return stored;
  }

  it('begin with the initial grant, which is no purchase', async () => {
    expect(await call('GET')).toEqual({ status: 200, body: { data: { total_credits: 12.5, total_usage: 0 } } });
    expect(await ledger()).toMatchObject({ grants: 1, free_tier: true, purchased: '0.000000000000' });
  });

  it('rise by a purchase, which ends the free tier', async () => {
    const reply = await enter({ amount: 20.25, note: 'Invoice 7, für März 🧾' });
    expect(reply).toEqual({
      status: 201,
      body: {
        data: {
          id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
          kind: 'purchase',
          amount: 20.25,
          note: 'Invoice 7, für März 🧾',
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      },
    });
    expect(Math.abs(Date.parse(String(reply.body.data['created_at'])) - Date.now())).toBeLessThan(60_000);
    expect(await balance()).toEqual({ total_credits: 32.75, total_usage: 0 });
    expect(await ledger()).toMatchObject({ free_tier: false, purchased: '20.250000000000' });
    const key = (await (await gateway.request('/key')).json()) as Reply['body'];
    expect(key.data).toMatchObject({ is_free_tier: false, free_model_daily_requests: { limit: 1000 } });
  });

  describe('that are refunded', () => {
    const freeTier = async (): Promise<unknown> => {
      const { data } = (await (await gateway.request('/key')).json()) as JsonBody;
      const { is_free_tier: isFreeTier, free_model_daily_requests: day } = data;
      return [isFreeTier, day.limit];
    };

    it('end the free requests that they bought, once the bought amount is too small', async () => {
      const before = await ledger();
      expect((await enter({ amount: -11.25, kind: 'refund', note: 'Invoice 7' })).body.data).toMatchObject({
        kind: 'refund',
        amount: -11.25,
        note: 'Invoice 7',
      });
      // 9 USD are left of the bought amount.
      expect(await freeTier()).toEqual([false, 1000]);
      await enter({ amount: -0.000000000001, kind: 'refund' });
      expect(await freeTier()).toEqual([false, 50]);
      const rest = await enter('{"amount":-8.999999999999,"kind":"refund","idempotency_key":"all"}');
      expect(await freeTier()).toEqual([true, 50]);
      expect(await ledger()).toMatchObject({ free_tier: true, purchased: '0.000000000000', grants: before.grants + 3 });
      expect(await balance()).toEqual({ total_credits: 12.5, total_usage: 0 });
      // A repetition deducts nothing more.
      expect(await enter('{"amount":-8.999999999999,"kind":"refund","idempotency_key":"all"}')).toEqual(rest);
      await enter({ amount: 20.25 });
      expect(await ledger()).toMatchObject({ free_tier: false, purchased: '20.250000000000' });
      expect((await verifyLedger(store)).differences).toEqual([]);
    });

    it('never exceed the bought amount together, with twenty requests at once', async () => {
      const before = await ledger();
      await enter({ amount: 5 });
      const bought = Number(before.purchased) + 5;
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => enter({ amount: -bought / 4, kind: 'refund' })),
      );
      expect(replies.filter(({ status }) => status === 201)).toHaveLength(4);
      expect(replies.filter(({ status }) => status === 400)).toHaveLength(16);
      expect(await ledger()).toMatchObject({ free_tier: true, purchased: '0.000000000000' });
      await enter({ amount: bought - 5 });
    });
  });

  it('are adjusted both ways without being bought', async () => {
    const before = await ledger();
    expect((await enter({ amount: -40, kind: 'adjustment', note: null })).body.data).toMatchObject({
      kind: 'adjustment',
      amount: -40,
      note: null,
    });
    // Below zero as well: then nothing passes until credits are added.
    expect(await balance()).toEqual({ total_credits: -7.25, total_usage: 0 });
    await enter({ amount: 40, kind: 'adjustment' });
    expect(await ledger()).toEqual({ ...before, grants: before.grants + 2 });
  });

  it('show what was charged, from the same counter', async () => {
    const owner = await ownerOf(store, hashKey(API_KEY));
    await settle(store, generationRow(owner, { cost: '0.000000000123' }), generationRow(owner, { cost: '1.5' }));
    // Calls through the caller's own credential are not paid by credits.
    await settle(store, generationRow(owner, { is_byok: true, byok_cost: '7' }));
    expect(await balance()).toEqual({ total_credits: 32.75, total_usage: 1.500000000123 });
  });

  it.each([
    ['0.1', '0.100000000000'],
    ['1e-12', '0.000000000001'],
    ['1.50000000000000000000', '1.500000000000'],
    // More than a double holds.
    ['1234567.123456789012', '1234567.123456789012'],
    ['12345678901234567890e-12', '12345678.901234567890'],
    ['200000000000000.000000000001', '200000000000000.000000000001'],
  ])('are entered exactly: %s', async (amount, stored) => {
    const { status, body } = await enter(`{"amount":${amount}}`);
    expect([status, body.data['amount']]).toEqual([201, Number(amount)]);
    const rows = await store.query('select amount from credit_grants where id = $1', [body.data['id']]);
    expect(rows).toEqual([{ amount: stored }]);
    await enter(`{"amount":-${amount},"kind":"adjustment"}`);
    await ledger();
  });

  const AMOUNT = 'amount: must be a number of USD other than 0, below 10^15, with at most 12 decimals';
  const REFUSED = [
    ['{}', 'amount: is required'],
    ['{"amount":null}', AMOUNT],
    ['{"amount":"5"}', AMOUNT],
    ['{"amount":true}', AMOUNT],
    ['{"amount":[5]}', AMOUNT],
    ['{"amount":{}}', AMOUNT],
    ['{"amount":0}', AMOUNT],
    ['{"amount":-0.0}', AMOUNT],
    ['{"amount":0,"kind":"adjustment"}', AMOUNT],
    ['{"amount":1e-400}', AMOUNT],
    ['{"amount":1e400}', AMOUNT],
    ['{"amount":1e15}', AMOUNT],
    ['{"amount":1000000000000000.5}', AMOUNT],
    ['{"amount":0.0000000000001}', AMOUNT],
    ['{"amount":0.30000000000000004}', AMOUNT],
    ['{"amount":1.0000000000001,"kind":"adjustment"}', AMOUNT],
    ['{"amount":NaN}', 'body: is not valid JSON'],
    ['{"amount":-5}', 'amount: must be above 0, unless the kind is adjustment or refund'],
    ['{"amount":-5,"kind":"purchase"}', 'amount: must be above 0, unless the kind is adjustment or refund'],
    ['{"amount":5,"kind":"refund"}', 'amount: must be below 0 where the kind is refund'],
    ['{"amount":-900000000000000,"kind":"refund"}', 'amount: a refund takes back no more than was bought'],
    // Together with the existing credits, which would be unreadable.
    ['{"amount":999999999999999}', 'amount: would take the credits of the account beyond 10^15 USD'],
    ['{"amount":5,"kind":"grant"}', 'kind: must be one of purchase, adjustment, refund'],
    ['{"amount":5,"kind":null}', 'kind: must be one of purchase, adjustment, refund'],
    ['{"amount":5,"note":7}', 'note: must be a string'],
    ['{"amount":5,"note":"a\\u0000b"}', 'note: must not contain NUL characters'],
    [JSON.stringify({ amount: 5, note: 'x'.repeat(1_001) }), 'note: must be at most 1000 characters'],
    ['{"amount":5,"idempotency_key":""}', 'idempotency_key: must be at least 1 character'],
    ['{"amount":5,"idempotency_key":null}', 'idempotency_key: must be a string'],
    ['{"amount":5,"idempotency_key":"\\u0000"}', 'idempotency_key: must not contain NUL characters'],
    [
      JSON.stringify({ amount: 5, idempotency_key: 'x'.repeat(256) }),
      'idempotency_key: must be at most 255 characters',
    ],
    ['[]', 'body: must be an object'],
  ] as const;
  it.each(REFUSED.map(([body, message]) => [body.slice(0, 60), message, body]))(
    'refuse %s: %s',
    async (_, message, body) => {
      const before = await ledger();
      const reply = await enter(body);
      expect([reply.status, reply.body.error.code]).toEqual([400, 400]);
      expect(reply.body.error.message).toContain(message);
      expect(await ledger()).toEqual(before);
    },
  );

  it('take a note and a key of the greatest length', async () => {
    const note = 'ß'.repeat(1_000);
    const reply = await enter({ amount: 1, note, idempotency_key: '🔑'.repeat(255) });
    expect([reply.status, reply.body.data['note']]).toEqual([201, note]);
  });

  describe('with an idempotency key', () => {
    it('are added once, with the same answer each time', async () => {
      const body = { amount: 3.5, note: 'first', idempotency_key: 'order-1' };
      const first = await enter(body);
      const after = await ledger();
      expect(first.status).toBe(201);
      await enter({ amount: 1 });
      expect(await enter(body)).toEqual(first);
      // Only the amount counts, not its spelling, nor the note.
      expect(await enter('{"idempotency_key":"order-1","kind":"purchase","amount":3.50}')).toEqual(first);
      expect((await ledger()).grants).toBe(after.grants + 1);
    });

    it('conflict with another amount or kind', async () => {
      await enter({ amount: 5, idempotency_key: 'order-2' });
      const before = await ledger();
      for (const body of [{ amount: 5.000000000001 }, { amount: 5, kind: 'adjustment' }]) {
        const reply = await enter({ ...body, idempotency_key: 'order-2' });
        expect(reply).toEqual({
          status: 409,
          body: { error: { code: 409, message: 'idempotency_key: was used before, with another amount or kind' } },
        });
      }
      expect(await ledger()).toEqual(before);
    });

    it('are separate from those of another account', async () => {
      const strangers = await addStrangers(store);
      await store.query(
        `insert into credit_grants (id, account_id, kind, amount, idempotency_key, created_at)
         values (gen_random_uuid(), $1, 'purchase', 99, 'order-3', now())`,
        [strangers.account_id],
      );
      expect((await enter({ amount: 5, idempotency_key: 'order-3' })).status).toBe(201);
    });

    it('are added once with twenty requests at once', async () => {
      const before = await ledger();
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => enter({ amount: 7, idempotency_key: 'order-4' })),
      );
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
      expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      const after = await ledger();
      expect(after.grants).toBe(before.grants + 1);
      expect(Number(after.limit)).toBe(Number(before.limit) + 7);
    });

    it('are added with one of the amounts in twenty requests at once for different ones', async () => {
      const before = await ledger();
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, index) => enter({ amount: index + 1, idempotency_key: 'order-5' })),
      );
      const [winner, ...others] = replies.filter(({ status }) => status === 201);
      expect(others).toEqual([]);
      expect(replies.filter(({ status }) => status === 409)).toHaveLength(19);
      const after = await ledger();
      expect(Number(after.limit)).toBe(Number(before.limit) + Number(winner!.body.data['amount']));
    });
  });

  it('are all added when many are entered at once without a key', async () => {
    const before = await ledger();
    const replies = await Promise.all(Array.from({ length: 20 }, () => enter({ amount: 0.25 })));
    expect(new Set(replies.map(({ body }) => body.data['id'])).size).toBe(20);
    const after = await ledger();
    expect(after.grants).toBe(before.grants + 20);
    expect(Number(after.limit)).toBe(Number(before.limit) + 5);
    expect(Number(after.purchased)).toBe(Number(before.purchased) + 5);
  });

  it('are not for inference keys', async () => {
    const before = await ledger();
    for (const reply of [await call('GET', undefined, API_KEY), await call('POST', { amount: 5 }, API_KEY)]) {
      expect(reply).toEqual({
        status: 403,
        body: { error: { code: 403, message: 'Only management keys can perform this operation' } },
      });
    }
    expect(await ledger()).toEqual(before);
  });
});
