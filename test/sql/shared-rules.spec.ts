/**
 * A rule that exists both in the database and in the gateway is the same on both sides, and the columns of a generation
 * are those of its table. The functions of the ledger are called on both databases and compared with the code.
 */
import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { AccountDirectory } from '../../src/accounts/account-directory.js';
import { HIGHER_FREE_REQUESTS_A_DAY } from '../../src/core/money/free-requests.js';
import { INTERVALS, RESET_INTERVALS, SystemClock, type Interval } from '../../src/core/time.js';
import { LedgerRepository } from '../../src/ledger/ledger.repository.js';
import { GENERATION_COLUMNS } from '../../src/ledger/generations/generation-columns.js';
import { NOTHING_OBSERVED } from '../../src/ledger/generations/generation-row.js';
import type { HoldRefusal } from '../../src/ledger/hold.js';
import { Statements } from '../../src/shared/database/statements.js';
import { describeOnEachDatabase } from '../support/database.js';
import { LedgerBench, type KeyCap } from './ledger-bench.js';

/** In the order in which a caller is shown them. */
const SCOPES: readonly HoldRefusal['scope'][] = ['account', 'key', 'workspace', 'guardrail', 'free_requests'];
const LONGEST_FIRST = INTERVALS.toReversed();

describeOnEachDatabase('a rule of the database and of the gateway', (database) => {
  let source: DataSource;
  beforeAll(async () => {
    source = await database.connect();
  }, 240_000);
  afterAll(() => source?.destroy());

  it.each([
    ['0', 50],
    ['8.999999999999', 50],
    ['9', HIGHER_FREE_REQUESTS_A_DAY],
    ['9.000000000001', HIGHER_FREE_REQUESTS_A_DAY],
    ['100000', HIGHER_FREE_REQUESTS_A_DAY],
  ])('shows an account that bought %s USD the %d free requests a day that it has', async (purchased, expected) => {
    const { id } = await new LedgerBench(source).addAccount('0');
    await source.query('update accounts set purchased_usd = $2 where id = $1', [id, purchased]);
    expect((await new AccountDirectory(source).getFreeTier(id)).freeRequestsADay).toBe(expected);
  });

  it('counts a charge for the account, for the key in every interval, and in its budgets', async () => {
    const account = randomUUID();
    const budgets = [['workspace', 'w', 'weekly']];
    const counters = (interval: Interval | null, of: unknown): Promise<Record<string, unknown>[]> =>
      source.query('select * from counters_of_1($1, $2, $3, $4::jsonb)', [
        account,
        'k',
        interval,
        of === null ? null : JSON.stringify(of),
      ]);
    for (const reset of INTERVALS) {
      expect(await counters(reset, budgets)).toEqual([
        { scope: 'account', scope_id: account, window_interval: 'lifetime', is_held: true },
        ...INTERVALS.map((window_interval) => ({
          scope: 'key',
          scope_id: 'k',
          window_interval,
          is_held: window_interval === reset,
        })),
        { scope: 'workspace', scope_id: 'w', window_interval: 'weekly', is_held: true },
      ]);
    }
    expect(await counters(null, null)).toHaveLength(1 + INTERVALS.length);
  });

  it('reports the same counter first: by scope, then the longest interval', async () => {
    const rows = await source.query<{ scope: string; interval: string }[]>(
      `select s.scope, i.interval from unnest($1::text[]) as s (scope), unnest($2::text[]) as i (interval)
       order by counter_rank_2(s.scope, i.interval)`,
      [SCOPES.toReversed(), INTERVALS],
    );
    expect(rows).toEqual(SCOPES.flatMap((scope) => LONGEST_FIRST.map((interval) => ({ scope, interval }))));
  });

  it('uses the same intervals wherever a table does', async () => {
    const checks = await source.query<{ name: string; text: string }[]>(
      `select conname as name, pg_get_constraintdef(oid) as text from pg_constraint
       where contype = 'c' and pg_get_constraintdef(oid) like '%''daily''%' order by 1`,
    );
    expect(checks.map(({ name, text }) => [name, [...text.matchAll(/'(\w+)'/g)].map(([, word]) => word)])).toEqual([
      ['api_keys_limit_reset_check', [...RESET_INTERVALS]],
      ['budgets_interval_check', [...INTERVALS]],
      ['guardrails_reset_interval_check', [...RESET_INTERVALS]],
      ['spending_windows_interval_check', [...INTERVALS]],
    ]);
  });

  it.each<[name: string, credits: string, cap: KeyCap, budget: string]>([
    ['account', '1', { limitUsd: null, reset: null, includesByok: false }, '50'],
    ['key', '100', { limitUsd: '1', reset: 'daily', includesByok: false }, '1'],
    ['workspace', '100', { limitUsd: '50', reset: 'weekly', includesByok: true }, '2'],
  ])('shows the counters that refuse, that of the %s first', async (name, credits, cap, limitUsd) => {
    const ledger = new LedgerBench(source);
    const account = await ledger.addAccount(credits, {
      keys: [cap],
      budgets: [{ interval: 'monthly', limitUsd, includesByok: true }],
    });
    const repository = new LedgerRepository(new Statements(source), new SystemClock());
    const caller = { accountId: account.id, workspaceId: account.workspaceId, keyHash: account.keys[0]! };
    const request = { id: 'gen-1-room', caller, guardrails: [], model: 'm', bound: amounts(9n), isFree: false };
    const room = await repository.listCounters(caller as never, [], []);
    await ledger.openEpoch();
    const member = { request: request as never, amounts: amounts(9n), extends: false };
    const [taken] = await repository.take(randomUUID(), [member], 600_000);
    const tight = room.filter(({ limit }) => limit < 9n * PICO);
    expect(taken).toEqual({ refused: tight });
    expect(tight[0]?.scope).toBe(name);
  });
});

const PICO = 10n ** 12n;
const amounts = (usd: bigint) => ({ credits: usd * PICO, byok: 0n });

describeOnEachDatabase('the columns of a generation', (database) => {
  let source: DataSource;
  beforeAll(async () => {
    source = await database.connect();
  }, 240_000);
  afterAll(() => source?.destroy());

  it('are those of its table, in their order, with the same types and nulls', async () => {
    const columns = await source.query<{ name: string; type: string; nullable: boolean }[]>(
      `select column_name as name, udt_name::regtype::text as type, is_nullable = 'YES' as nullable
       from information_schema.columns where table_name = 'generations' and table_schema = 'public'
       order by ordinal_position`,
    );
    const types: Record<string, string> = { timestamptz: 'timestamp with time zone' };
    expect(columns).toEqual(
      Object.entries(GENERATION_COLUMNS).map(([name, { options }]) => ({
        name,
        type: types[String(options.type)] ?? options.type,
        nullable: options.nullable ?? false,
      })),
    );
  });

  it('have a default value that the table accepts', async () => {
    const known = { id: 'x', account_id: randomUUID(), workspace_id: randomUUID() };
    await source.query(`select ensure_month_1('epoch')`);
    await source.query(`insert into accounts (id, name) values ($1, 'one')`, [known.account_id]);
    await source.query('select settle_generations_2($1)', [JSON.stringify([{ ...NOTHING_OBSERVED, ...known }])]);
    expect(await source.query(`select id, is_estimated, cost, trace from generations`)).toEqual([
      { id: 'x', is_estimated: true, cost: '0.000000000000', trace: null },
    ]);
  });
});
