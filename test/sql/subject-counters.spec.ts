/**
 * Counters of users, members and tags are bounded, whatever ids callers make: those of ended windows go, and beyond a
 * number of them those with the least use, which is noted and verified; and the first request of a new user costs the
 * same however many there are. The ledger's statements on both databases; the cost is read from PostgreSQL's own counts
 * of rows that a statement looked at, with 10^5 rows that `generate_series` makes.
 */
import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { newGenerationId } from '../../src/core/ids.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { describeOnEachDatabase, describeOnPostgres } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { LedgerBench, type LedgerAccount } from './ledger-bench.js';

const DAY = `interval '1 day'`;
const idOf = (user: string): string => createHash('sha256').update(user).digest('hex');

async function setDefault(source: DataSource, { id }: LedgerAccount, interval: string): Promise<void> {
  await source.query(
    `insert into budgets (account_id, scope, scope_id, interval, limit_usd, include_byok, subject)
     values ($1, 'users', $1::uuid::text, $2, 1000000, false, 'default')`,
    [id, interval],
  );
}

/** A request of a user, from its hold to its posting. */
async function spend(bench: LedgerBench, account: LedgerAccount, user: string, cost: string): Promise<void> {
  const id = newGenerationId(Date.now());
  const [taken] = await bench.take({
    id,
    account,
    key: account.keys[0]!,
    bound: cost,
    subjects: [['users', idOf(user)]],
  });
  expect(taken).toMatchObject({ scope: null });
  await bench.ensureMonth(taken!.held_at!);
  await bench.settle({ id, heldAt: taken!.held_at!, account, key: account.keys[0]!, cost });
  await bench.post(id);
}

describeOnEachDatabase('counters of users', (database) => {
  let source: DataSource;
  let bench: LedgerBench;
  beforeAll(async () => {
    source = await database.connect();
    bench = new LedgerBench(source);
  }, 240_000);
  afterAll(() => source?.destroy());

  const usersOf = async ({ id }: LedgerAccount, of: readonly string[]): Promise<string[]> => {
    const rows = await source.query<JsonBody[]>(
      `select scope_id from spending_windows where account_id = $1 and scope = 'users'`,
      [id],
    );
    const kept = new Set(rows.map(({ scope_id }) => scope_id));
    return of.filter((user) => kept.has(idOf(user)));
  };
  const forget = async (kept: number, most: number): Promise<number> =>
    (await source.query<JsonBody[]>('select forget_counters_1($1, $2) as removed', [kept, most]))[0].removed;
  const differencesOf = async (): Promise<string[]> =>
    (await verifyLedger(source)).differences.map(({ what }) => what.replace(/^users \w+/, 'users'));

  it('are kept up to a number of them: then those with the least use go, but none that is held or has its own budget', async () => {
    const account = await bench.addAccount('1000');
    const other = await bench.addAccount('1000');
    for (const one of [account, other]) await setDefault(source, one, 'lifetime');
    const users = ['own', 'held', 'idle', 'a', 'b', 'c', 'd', 'e'];
    await source.query(
      `insert into budgets (account_id, scope, scope_id, interval, limit_usd, include_byok, subject)
       values ($1, 'users', $2, 'lifetime', 5, false, 'own')`,
      [account.id, idOf('own')],
    );
    for (const [index, user] of users.entries()) await spend(bench, account, user, `0.0${index + 1}`);
    await spend(bench, other, 'stranger', '0.01');
    const [open] = await bench.take({
      id: newGenerationId(Date.now()),
      account,
      key: account.keys[0]!,
      bound: '0.001',
      subjects: [['users', idOf('held')]],
    });
    expect(open).toMatchObject({ scope: null });
    expect(await forget(8, 100)).toBe(0);
    expect(await differencesOf()).toEqual([]);
    // One at a time, as the number of one statement is bounded too.
    expect(await forget(5, 1)).toBe(1);
    expect(await usersOf(account, users)).toEqual(['own', 'held', 'a', 'b', 'c', 'd', 'e']);
    expect(await forget(5, 100)).toBe(2);
    expect(await usersOf(account, users)).toEqual(['own', 'held', 'c', 'd', 'e']);
    expect(await usersOf(other, ['stranger'])).toEqual(['stranger']);
    expect(await forget(0, 100)).toBe(4);
    expect(await usersOf(account, users)).toEqual(['own', 'held']);
    const [{ noted }] = await source.query<JsonBody[]>(
      'select counters_forgotten_at is not null as noted from accounts where id = $1',
      [account.id],
    );
    expect(noted).toBe(true);
    // What is lacking is explained; they count anew; too much is still a difference, and any loss of an own budget.
    await spend(bench, account, 'a', '0.5');
    expect(await differencesOf()).toEqual([]);
    await source.query(`update spending_windows set used = used + 1000 where scope_id = $1`, [idOf('a')]);
    expect(await differencesOf()).toEqual(['users, lifetime: used']);
    await source.query(`update spending_windows set used = used - 1000 where scope_id = $1`, [idOf('a')]);
    await source.query(`update spending_windows set used = used - 0.001 where scope_id = $1`, [idOf('own')]);
    expect(await differencesOf()).toEqual(['users, lifetime: used']);
    await source.query(`update spending_windows set used = used + 0.001 where scope_id = $1`, [idOf('own')]);
  }, 240_000);

  it('go with their windows, a bounded number at a time, the oldest first', async () => {
    const account = await bench.addAccount('1000');
    await source.query(
      `insert into spending_windows (account_id, scope, scope_id, interval, window_start, used)
       select $1, 'users', 'passed ' || n, 'daily', date_trunc('day', now(), 'UTC') - (2 + n % 3) * ${DAY}, 1
       from generate_series(1, 3000) as n`,
      [account.id],
    );
    await source.query(
      `insert into spending_windows (account_id, scope, scope_id, interval, window_start, used)
       select $1, scope, 'kept ' || n, interval, window_start_of(interval, now()), 1
       from generate_series(1, 50) as n, unnest(array['users', 'members', 'tags']) as scope, unnest(array['daily', 'lifetime']) as interval`,
      [account.id],
    );
    const remove = async (): Promise<number> =>
      (await source.query<JsonBody[]>('select remove_idle_counters_1(0, 1000) as removed'))[0].removed;
    const left = async (): Promise<JsonBody> =>
      (
        await source.query<JsonBody[]>(
          `select count(*) filter (where scope_id like 'passed %')::int as passed, count(*) filter (where scope_id like 'kept %')::int as kept,
             extract(day from date_trunc('day', now(), 'UTC') - min(window_start) filter (where scope_id like 'passed %'))::int as oldest
           from spending_windows where account_id = $1`,
          [account.id],
        )
      )[0];
    expect(await left()).toEqual({ passed: 3_000, kept: 300, oldest: 4 });
    expect(await remove()).toBe(1_000);
    expect(await left()).toEqual({ passed: 2_000, kept: 300, oldest: 3 });
    expect([await remove(), await remove(), await remove()]).toEqual([1_000, 1_000, 0]);
    expect(await left()).toEqual({ passed: 0, kept: 300, oldest: null });
    await source.query('delete from spending_windows where account_id = $1 and scope <> $2', [account.id, 'account']);
  }, 240_000);
});

describeOnPostgres('the first request of a new user', (database) => {
  it('looks at as many rows as ever, however many users there are', async () => {
    const source = await database.connect();
    const bench = new LedgerBench(source);
    const account = await bench.addAccount('1000');
    for (const interval of ['daily', 'lifetime']) await setDefault(source, account, interval);
    await bench.openEpoch();
    /** Rows of the counters and budgets that one transaction has looked at for a hold of a new user. */
    const rowsFor = async (user: string): Promise<number> => {
      let rows = NaN;
      const undone = source.transaction(async (manager) => {
        const members = [
          {
            place: 0, id: newGenerationId(Date.now()), replica: null, account_id: account.id, workspace_id: account.workspaceId,
            key_hash: account.keys[0], model: 'test/one', bound: '0.001', byok_bound: '0', free: false, shared: false, extends: false,
            guardrails: [], subjects: [['users', idOf(user)]],
          },
        ]; // oxfmt-ignore
        const [{ taken }] = await manager.query('select take_holds_4($1, 0, 60000) as taken', [
          JSON.stringify(members),
        ]);
        expect(Array.isArray(taken[0])).toBe(true);
        const [seen] = await manager.query(
          `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables
           where relname in ('spending_windows', 'budgets')`,
        );
        rows = seen.rows;
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      return rows;
    };
    // The first hold of a connection, and the first after an analysis, also reads what it plans by.
    const fewestFor = async (users: string): Promise<number> => {
      const rows: number[] = [];
      for (const number of [1, 2, 3, 4]) {
        // Each hold that was undone leaves dead versions of the account's counter, which are looked at as well.
        await source.query('vacuum (analyze) spending_windows, budgets');
        rows.push(await rowsFor(`${users}, ${number}`));
      }
      return Math.min(...rows);
    };
    const few = await fewestFor('one of few');
    await source.query(
      `insert into spending_windows (account_id, scope, scope_id, interval, window_start, used)
       select $1, 'users', encode(sha256(n::text::bytea), 'hex'), interval, window_start_of(interval, now()), 0.01
       from generate_series(1, 50000) as n, unnest(array['daily', 'lifetime']) as interval`,
      [account.id],
    );
    const many = await fewestFor('one of many');
    expect(few).toBeGreaterThan(0);
    expect(many).toBeLessThanOrEqual(few);
    expect(many).toBeGreaterThan(0);
    await source.destroy();
  }, 240_000);
});
