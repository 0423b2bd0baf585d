/**
 * Checks that the watch of the crash tests, which compares the counters while other processes write them, notices
 * each fault it exists for, also a short one, and nothing else (docs/contribute/reliability.md). An account has a cap
 * of each kind, each fully used; then one figure is changed, and restored.
 */
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { LedgerWatch } from '../scripts/crash/ledger-watch.js';
import { describeOnPostgres } from './support/database.js';
import { LedgerBench, type LedgerAccount } from './sql/ledger-bench.js';

const LEAST = '0.000000000001';
const CAP = '0.5';
const BUDGET = '0.75';

describeOnPostgres('the watch of the crash tests', (database) => {
  let source: DataSource;
  let pool: pg.Pool;
  let account: LedgerAccount;
  let watch: LedgerWatch;
  beforeAll(async () => {
    source = await database.connect();
    pool = new pg.Pool({ connectionString: database.settings.databaseUrl!.reveal(), max: 3 });
    const bench = new LedgerBench(source);
    account = await bench.addAccount('1', {
      keys: [
        { limitUsd: CAP, reset: null, includesByok: false },
        { limitUsd: CAP, reset: 'daily', includesByok: true },
      ],
      budgets: [{ interval: 'weekly', limitUsd: BUDGET, includesByok: false }],
    });
    const [lifetime, daily] = account.keys as [string, string];
    await bench.spend(account, lifetime, '0.25');
    await bench.spend(account, daily, '0.25', '0.125');
    await bench.take(
      { id: 'gen-1', account, key: lifetime, bound: '0.125' },
      { id: 'gen-2', account, key: daily, bound: '0.125' },
    );
  });
  afterAll(async () => {
    await source.destroy();
    await pool.end();
  });
  beforeEach(() => {
    watch = new LedgerWatch(pool);
  });

  /** The account's, the keys' and the budget's counter, and what each takes up to its cap. */
  const rows = () =>
    [
      ['account', 'lifetime', account.id, '0.25'],
      ['key', 'lifetime', account.keys[0]!, '0.125'],
      ['key', 'daily', account.keys[1]!, '0'],
      ['workspace', 'weekly', account.workspaceId, '0'],
    ] as const;
  const add = (column: string, amount: string, [scope, interval, id]: readonly string[]): Promise<unknown> =>
    source.query(
      `update spending_windows set ${column} = ${column} + $1 where scope = $2 and scope_id = $3 and interval = $4`,
      [amount, scope, id, interval],
    );

  it('finds nothing where caps are taken to the last of them', async () => {
    for (const row of rows()) await add('held', row[3], row);
    await watch.look();
    await watch.lookForDoubles();
    for (const row of rows()) await add('held', `-${row[3]}`, row);
    expect([watch.looks, watch.overspent, watch.findings]).toEqual([1, 0, []]);
  });

  it.each([0, 1, 2, 3])(
    'finds the least amount above the cap of counter %i, used or held, and that alone',
    async (index) => {
      const row = rows()[index]!;
      await add('held', row[3], row);
      for (const column of ['used', 'held']) {
        const found = watch.findings.length;
        await add(column, LEAST, row);
        await watch.look();
        await add(column, `-${LEAST}`, row);
        await watch.look();
        expect(watch.findings).toHaveLength(found + 1);
        expect(watch.findings.at(-1)).toMatch(new RegExp(`^${row[0]}: used \\d.* and held \\d.* of \\d`));
      }
      await add('held', `-${row[3]}`, row);
      expect(watch.overspent).toBe(2);
    },
  );

  it('counts calls with own credentials where the cap does, and nowhere else', async () => {
    const [, lifetime, daily] = rows();
    await add('byok_held', '10', lifetime);
    await watch.look();
    await add('byok_held', '-10', lifetime);
    expect(watch.findings).toEqual([]);
    await add('byok_used', LEAST, daily);
    await watch.look();
    await add('byok_used', `-${LEAST}`, daily);
    expect(watch.findings).toEqual([expect.stringMatching(/^key: /)]);
  });

  it.each(['used', 'held'])('finds a counter that has less than nothing %s', async (column) => {
    const [row] = await source.query<[Record<string, string>]>(
      `select ${column} as amount from spending_windows where scope = 'account' and scope_id = $1`,
      [account.id],
    );
    const taken = row['amount']!;
    await add(column, `-${taken}`, rows()[0]);
    await watch.look();
    expect(watch.findings).toEqual([]);
    await add(column, `-${LEAST}`, rows()[0]);
    await watch.look();
    await add(column, taken, rows()[0]);
    await add(column, LEAST, rows()[0]);
    expect(watch.findings).toEqual([expect.stringMatching(/^account: /)]);
  });

  it('notices by itself, while it watches, what is put right again, and keeps it', async () => {
    watch.start();
    const [, row] = rows();
    await add('held', '1', row);
    while (watch.overspent === 0) await new Promise((resolve) => setImmediate(resolve));
    await add('held', '-1', row);
    const { overspent } = watch;
    await watch.stop();
    await watch.look();
    expect(overspent).toBeGreaterThan(0);
    expect(watch.findings).toEqual([expect.stringMatching(/^key: used 0\.25.* and held 1\.125.* of 0\.5/)]);
  });

  it('ends with the error that keeps it from looking', async () => {
    await source.query('alter table spending_windows rename to elsewhere');
    watch.start();
    await expect(watch.stop()).rejects.toThrow(/spending_windows/);
    await source.query('alter table elsewhere rename to spending_windows');
  });

  it('finds what was charged twice, and counters that are not what was entered', async () => {
    const [entry] = await source.query<[Record<string, string>]>(`select * from ledger_entries limit 1`);
    await watch.lookForDoubles();
    await watch.compareCounters();
    // Two holds are open: with nothing held at rest their counters are reported as well.
    const atRest = watch.findings.length;
    await source.query(
      `insert into ledger_entries select * from json_populate_record(null::ledger_entries, $1)`,
      [JSON.stringify({ ...entry, held_at: new Date(Date.now() - 1).toISOString() })],
    ); // oxfmt-ignore
    await watch.lookForDoubles();
    expect(watch.findings).toHaveLength(atRest + 1);
    expect(watch.findings.at(-1)).toBe(`${entry['generation_id']}: charged more than once`);
    const before = new Set(watch.findings);
    await watch.compareCounters();
    expect(watch.findings.filter((finding) => !before.has(finding)).length).toBeGreaterThan(0);
  });
});
