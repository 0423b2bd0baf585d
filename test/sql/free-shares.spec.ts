// A key has all free requests of a day while it is alone and half of them under contention, and all keys together never
// exceed the account's number. Uses the ledger's function on both databases: several keys, concurrent holds, ends of
// days.
import type { DataSource } from 'typeorm';
import { DAY_MS } from '../../src/core/time.js';
import { describeOnEachDatabase } from '../support/database.js';
import { LedgerBench, type Claim, type LedgerAccount } from './ledger-bench.js';

describeOnEachDatabase('free requests of a day', (database) => {
  let dataSource: DataSource;
  let bench: LedgerBench;
  let account: LedgerAccount;
  let made = 0;
  beforeAll(async () => {
    dataSource = await database.connect();
    bench = new LedgerBench(dataSource);
  });
  afterAll(() => dataSource?.destroy());
  beforeEach(async () => {
    const cap = { limitUsd: null, reset: null, includesByok: false };
    account = await bench.addAccount('100', { keys: [cap, cap, cap] });
  });

  const claim = (key: number, shared: boolean): Claim => ({
    id: `gen-${made++}`,
    account,
    key: account.keys[key]!,
    bound: '0',
    free: true,
    shared,
  });
  /** How many of so many are granted, and what refused the others. */
  async function take(key: number, times: number, shared: boolean): Promise<[granted: number, refusedBy: string[]]> {
    let granted = 0;
    const refusedBy = new Set<string>();
    for (let time = 0; time < times; time++) {
      const [answer] = await bench.take(claim(key, shared));
      if (answer!.held_at) granted++;
      else for (const counter of answer!.refusedBy) refusedBy.add(counter);
    }
    return [granted, [...refusedBy]];
  }
  const used = async (): Promise<Record<string, number>> => {
    const rows = await dataSource.query<{ scope_id: string; used: string }[]>(
      `select scope_id, used from spending_windows where scope = 'free_requests' and account_id = $1`,
      [account.id],
    );
    const names = new Map([
      [account.id, 'account'],
      ...account.keys.map((key, index) => [key, `key ${index}`] as const),
    ]);
    return Object.fromEntries(rows.map((row) => [names.get(row.scope_id)!, Number(row.used)]));
  };

  it('belong completely to a key that is alone', async () => {
    expect(await take(0, 52, false)).toEqual([50, ['free_requests daily']]);
    expect(await used()).toEqual({ account: 50, 'key 0': 50 });
  });

  it('belong by half to a key under contention, and the rest to the others', async () => {
    expect(await take(0, 27, true)).toEqual([25, ['free_requests daily']]);
    expect(await take(1, 24, true)).toEqual([24, []]);
    expect(await take(2, 2, true)).toEqual([1, ['free_requests daily']]);
    expect(await used()).toEqual({ account: 50, 'key 0': 25, 'key 1': 24, 'key 2': 1 });
  });

  it('count what a key took while it was alone, and all belong to it when it is alone again', async () => {
    await take(0, 30, false);
    expect((await take(0, 1, true))[0]).toBe(0);
    expect((await take(1, 5, true))[0]).toBe(5);
    expect((await take(0, 16, false))[0]).toBe(15);
    expect(await used()).toEqual({ account: 50, 'key 0': 45, 'key 1': 5 });
  });

  it('are 500 of 1,000 where credits were bought', async () => {
    await bench.grant(account, '9', 'purchase');
    const day = `window_start_of('daily', now())`;
    await bench.take(claim(0, true));
    await dataSource.query(
      `update spending_windows set used = 499 where scope = 'free_requests' and scope_id = $1 and window_start = ${day}`,
      [account.keys[0]],
    );
    expect((await take(0, 2, true))[0]).toBe(1);
  });

  it('are halved exactly for holds of one batch', async () => {
    const answers = await bench.take(...Array.from({ length: 40 }, (_, index) => claim(index % 2, true)));
    expect(answers.filter(({ held_at: heldAt }) => heldAt)).toHaveLength(40);
    const more = await bench.take(...Array.from({ length: 20 }, () => claim(0, true)));
    expect(more.filter(({ held_at: heldAt }) => heldAt)).toHaveLength(5);
    expect(await used()).toEqual({ account: 45, 'key 0': 25, 'key 1': 20 });
  });

  it('report the account’s limit first where both refuse', async () => {
    await take(0, 25, true);
    await take(1, 25, true);
    const [answer] = await bench.take(claim(0, true));
    expect(answer!.refusedBy).toEqual(['free_requests daily', 'free_requests daily']);
  });

  it('reset with the day', async () => {
    await take(0, 25, true);
    bench.aheadMs += DAY_MS;
    expect((await take(0, 26, true))[0]).toBe(25);
    bench.aheadMs -= DAY_MS;
  });

  it('count nothing for requests that are not free', async () => {
    await bench.take({ ...claim(0, true), free: false });
    expect(await used()).toEqual({});
  });
});
