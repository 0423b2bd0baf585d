// The verification finds nothing in a ledger that was changed by its own statements, at every stage, and every
// manipulation of it. The ledger is built by the gateway's statements on both databases; then one change by hand after
// another is made and undone.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { runVerification } from '../../src/ledger/verify/verify-ledger-command.js';
import { verifyLedger, type LedgerDifference, type LedgerReport } from '../../src/ledger/verify/verify-ledger.js';
import { findVerification } from '../../src/ledger/verify/kept-verification.js';
import { lockDirectory } from '../../src/shared/database/directory-lock.js';
import { expectUsage, outputOf, type CommandOutput } from '../support/command-output.js';
import { describeOnEachDatabase, describeOnEmptyPostgres, describeOnPostgres } from '../support/database.js';
import { LedgerBench, type LedgerAccount } from './ledger-bench.js';

const CLEAN = { differences: [], unlisted: 0, warnings: [] };

describeOnEachDatabase('a verified ledger', (database) => {
  let dataSource: DataSource;
  let bench: LedgerBench;
  beforeAll(async () => {
    dataSource = await database.connect();
    // The first week of a month may have begun in the month before: only windows within kept months are verified.
    await dataSource.query(`select ensure_month_1(now() - interval '7 days')`);
    bench = new LedgerBench(dataSource);
  });
  afterAll(() => dataSource?.destroy());

  const account = (): Promise<LedgerAccount> =>
    bench.addAccount('100', {
      keys: [
        { limitUsd: '50', reset: 'daily', includesByok: true },
        { limitUsd: null, reset: null, includesByok: false },
      ],
      budgets: [
        { interval: 'weekly', limitUsd: '60', includesByok: false },
        { interval: 'lifetime', limitUsd: '90', includesByok: true },
      ],
    });

  it('is clean when empty', async () => {
    expect(await verifyLedger(dataSource)).toEqual({
      ...CLEAN,
      counted: { accounts: 0, windows: 0, entries: 0, generations: 0, holds: 0 },
    });
  });

  it('is clean at every stage: held, extended, settled, posted, recovered, corrected', async () => {
    const one = await account();
    const [daily, open] = one.keys as [string, string];
    const stages: LedgerReport[] = [];
    const stage = async (): Promise<void> => void stages.push(await verifyLedger(dataSource));

    await stage();
    const first = await bench.hold(one, daily, '0.5', '0.25');
    await bench.take({ ...first, account: one, key: daily, bound: '0.25', byokBound: '0', extends: true });
    const second = await bench.hold(one, open, '0.3');
    await stage();
    await bench.settle({ ...first, account: one, key: daily, cost: '0.123456789012', byokCost: '0.2' });
    await stage();
    await bench.settle({ ...second, account: one, key: open, cost: '0.1', recovered: true });
    await stage();
    await bench.settle({ ...second, account: one, key: open, cost: '0.25' });
    await stage();
    expect(await bench.post()).toBe(2);
    await stage();

    const third = await bench.hold(one, open, '1');
    await bench.settle({ ...third, account: one, key: open, cost: '0', recovered: true });
    await bench.post();
    await bench.settle({ ...third, account: one, key: open, cost: '0.9' });
    await stage();
    await bench.settle({ ...third, account: one, key: open, cost: '0.9' });
    await bench.post();
    await stage();
    await bench.grant(one, '20', 'purchase');
    await bench.grant(one, '-1.5', 'adjustment');
    await stage();

    for (const { counted: _, ...rest } of stages) expect(rest).toEqual(CLEAN);
    expect(stages.at(-1)!.counted).toMatchObject({ accounts: 1, entries: 5, generations: 3, holds: 0 });
  });

  it('is clean where a settlement found no hold, and where a request was free', async () => {
    const one = await account();
    const id = 'gen-1-aaaaaaaaaaaaaaaaaaaa';
    await bench.settle({ id, heldAt: new Date(), account: one, key: one.keys[0]!, cost: '0.5' });
    await bench.take({ id: 'gen-2-a', account: one, key: one.keys[1]!, bound: '0', free: true });
    expect(await verifyLedger(dataSource)).toMatchObject(CLEAN);
    await bench.post();
    expect(await verifyLedger(dataSource)).toMatchObject(CLEAN);
  });

  it('may be overdrawn by credits taken back after they were spent: a warning', async () => {
    const one = await bench.addAccount('5');
    await bench.spend(one, one.keys[0]!, '4');
    await bench.grant(one, '-2', 'adjustment');
    const { differences, warnings } = await verifyLedger(dataSource);
    expect(differences).toEqual([]);
    expect(warnings).toEqual([
      {
        what: `account ${one.id}: used and held (adjusted after it was spent)`,
        expected: 'at most 3',
        found: '4',
      },
    ]);
    await bench.grant(one, '2', 'adjustment');
  });

  it('is not overdrawn by a correction: the operator pays the amount beyond it', async () => {
    const one = await bench.addAccount('5');
    const key = one.keys[0]!;
    const lost = await bench.hold(one, key, '3');
    await bench.settle({ ...lost, account: one, key, cost: '1', recovered: true });
    await bench.post();
    await bench.spend(one, key, '3.5');
    expect(await bench.settle({ ...lost, account: one, key, cost: '3' })).toBe(1);
    await bench.post();
    expect(await verifyLedger(dataSource)).toMatchObject(CLEAN);
    const [row] = await dataSource.query<Record<string, string>[]>(
      `select trim_scale(cost)::text as cost, trim_scale(operator_cost)::text as operator from generations where id = $1`,
      [lost.id],
    );
    expect(row).toEqual({ cost: '1.5', operator: '1.5' });
  });

  it('shows an entry that lacks a budget of its key’s workspace, once that existed for a minute', async () => {
    const one = await bench.addAccount('5');
    await bench.spend(one, one.keys[0]!, '0.5');
    const addBudget = (interval: string, created: string): Promise<unknown> =>
      dataSource.query(
        `insert into budgets (account_id, scope, scope_id, interval, limit_usd, created_at)
         values ($1, 'workspace', $2, $3, 9, now() - $4::interval)`,
        [one.id, one.workspaceId, interval, created],
      );
    await addBudget('daily', '0 seconds');
    expect(await verifyLedger(dataSource)).toMatchObject(CLEAN);
    await addBudget('weekly', '2 minutes');
    const { differences } = await verifyLedger(dataSource);
    expect(differences.map(({ what }) => what)).toEqual([
      expect.stringMatching(`counts in the weekly budget of workspace ${one.workspaceId}`),
    ]);
    await dataSource.query('delete from budgets where account_id = $1', [one.id]);
  });

  describe('after a manipulation', () => {
    let one: LedgerAccount;
    let key: string;
    let generation: string;
    let day: string;
    beforeAll(async () => {
      one = await account();
      key = one.keys[0]!;
      generation = await bench.spend(one, key, '1.5', '0.5');
      day = new Date((await bench.hold(one, key, '2', '1')).heldAt).toISOString().slice(0, 10);
    });

    /**
     * The report after a statement that is then undone. `$account`, `$key` and `$generation` stand for those of the
     * suite.
     */
    async function reportAfter(statement: string): Promise<LedgerReport> {
      // The verification has its own transaction and, on the embedded database, the only connection: so the
      // manipulation is committed.
      const tables = ['accounts', 'spending_windows', 'ledger_entries', 'generations', 'credit_grants', 'holds'];
      for (const table of tables) await dataSource.query(`create table kept_${table} as table ${table}`);
      try {
        await dataSource.query(
          statement
            .replaceAll('$account', `'${one.id}'`)
            .replaceAll('$key', `'${key}'`)
            .replaceAll('$generation', `'${generation}'`),
        );
        return await verifyLedger(dataSource);
      } finally {
        for (const table of tables.slice(1)) {
          await dataSource.query(`truncate ${table}`);
          await dataSource.query(`insert into ${table} table kept_${table}`);
        }
        await dataSource.query(
          `update accounts a set purchased_usd = k.purchased_usd from kept_accounts k where k.id = a.id`,
        );
        for (const table of tables) await dataSource.query(`drop table kept_${table}`);
      }
    }
    const differencesAfter = async (statement: string): Promise<readonly LedgerDifference[]> =>
      (await reportAfter(statement)).differences;
    const accountCounter = `update spending_windows set %s where scope = 'account' and scope_id = $account`;
    const keyCounter = `update spending_windows set %s where scope = 'key' and scope_id = $key and interval = 'daily'`;
    const budgetCounter = `update spending_windows set %s where scope = 'workspace' and account_id = $account and interval = 'weekly'`;
    const set = (counter: string, change: string): string => counter.replace('%s', change);
    const shortKey = (): string => `key ${key.slice(0, 12)}…`;

    it.each<[string, string, () => Partial<LedgerDifference>[]]>([
      [
        'used of the account',
        set(accountCounter, 'used = used + 0.000000000001'),
        () => [{ what: `account ${one.id}, lifetime: used`, expected: '1.5', found: '1.500000000001' }],
      ],
      [
        'held of the account',
        set(accountCounter, 'held = held - 0.5'),
        () => [{ what: `account ${one.id}, lifetime: held`, expected: '2', found: '1.5' }],
      ],
      [
        'limit of the account',
        set(accountCounter, '"limit" = 101'),
        () => [{ what: `account ${one.id}: limit`, expected: '100', found: '101' }],
      ],
      [
        'no limit of the account',
        set(accountCounter, '"limit" = null'),
        () => [{ what: `account ${one.id}: limit`, expected: '100', found: 'none' }],
      ],
      [
        'used of a key',
        set(keyCounter, 'used = 0'),
        () => [{ what: `${shortKey()}, daily from ${day}: used`, expected: '1.5', found: '0' }],
      ],
      [
        'byok_used of a key',
        set(keyCounter, 'byok_used = 7'),
        () => [{ what: `${shortKey()}, daily from ${day}: byok_used`, expected: '0.5', found: '7' }],
      ],
      ['byok_held of a key', set(keyCounter, 'byok_held = 0'), () => [{ expected: '1', found: '0' }]],
      ['used of a budget', set(budgetCounter, 'used = 1'), () => [{ expected: '1.5', found: '1' }]],
      ['held of a budget', set(budgetCounter, 'held = 0'), () => [{ expected: '2', found: '0' }]],
      [
        'a negative counter',
        set(budgetCounter, 'held = -0.5'),
        () => [
          { expected: '2', found: '-0.5' },
          { expected: '0 or more', found: '-0.5' },
        ],
      ],
      [
        'a window that is gone',
        `delete from spending_windows where scope = 'key' and scope_id = $key and interval = 'monthly'`,
        () => [
          { expected: '0.5', found: '0' },
          { expected: '1.5', found: '0' },
        ],
      ],
      [
        'a window from nowhere',
        `insert into spending_windows (account_id, scope, scope_id, interval, window_start, used)
         values ($account, 'key', $key, 'daily', now() + interval '40 days', 3)`,
        () => [{ expected: '0', found: '3' }],
      ],
      [
        'credits that were not granted',
        `insert into credit_grants (id, account_id, kind, amount, created_at)
         values (gen_random_uuid(), $account, 'grant', 5, now())`,
        () => [{ what: `account ${one.id}: limit`, expected: '105', found: '100' }],
      ],
      [
        'purchases that were not made',
        `update accounts set purchased_usd = 9 where id = $account`,
        () => [{ what: `account ${one.id}: purchased`, expected: '0', found: '9' }],
      ],
      [
        'the cost of a generation',
        `update generations set cost = 1 where id = $generation`,
        () => [{ what: `generation ${generation}: cost`, expected: '1.5', found: '1' }],
      ],
      [
        'the byok_cost of a generation',
        `update generations set byok_cost = 1 where id = $generation`,
        () => [{ what: `generation ${generation}: byok_cost`, expected: '0.5', found: '1' }],
      ],
      [
        'a correction that was not entered',
        `update generations set is_corrected = true where id = $generation`,
        () => [{ what: `generation ${generation}: corrections`, expected: '1', found: '0' }],
      ],
    ])('show it: %s', async (_, statement, expected) => {
      expect(await differencesAfter(statement)).toEqual(expected().map((part) => expect.objectContaining(part)));
    });

    const counters = (): string[] => [
      `account ${one.id}, lifetime`,
      ...['daily', 'lifetime', 'monthly', 'weekly'].map((interval) => `${shortKey()}, ${interval}`),
      ...['lifetime', 'weekly'].map((interval) => `workspace ${one.workspaceId}, ${interval}`),
    ];
    /** Names of what differs, without the starts of windows. */
    const namesOf = (differences: readonly LedgerDifference[]): string[] =>
      differences.map(({ what }) => what.replace(/ from [\d-]{10}/, ''));

    it('shows a missing entry: in every counter it counted for, and at its generation', async () => {
      const differences = await differencesAfter(`delete from ledger_entries where generation_id = $generation`);
      expect(namesOf(differences).toSorted()).toEqual(
        [
          ...counters().flatMap((name) => [`${name}: used`, `${name}: byok_used`]),
          `generation ${generation}: charges`,
        ].toSorted(),
      );
    });

    it('shows a duplicate entry, under another name or as a correction', async () => {
      const copy = (id: string, kind: string): string =>
        `insert into ledger_entries
         select held_at, ${id}, '${kind}', account_id, workspace_id, key_hash, budgets, amount, byok_amount, entered_at
         from ledger_entries where generation_id = $generation`;
      const twice = counters().flatMap((name) => [`${name}: used`, `${name}: byok_used`]);
      expect(namesOf(await differencesAfter(copy(`'gen-1-x'`, 'charge'))).toSorted()).toEqual(
        [...twice, 'generation gen-1-x: rows'].toSorted(),
      );
      expect(namesOf(await differencesAfter(copy('generation_id', 'correction'))).toSorted()).toEqual(
        [
          ...twice,
          `generation ${generation}: corrections`,
          `generation ${generation}: cost`,
          `generation ${generation}: byok_cost`,
        ].toSorted(),
      );
    });

    it('shows a missing generation, and one that was never charged', async () => {
      expect(namesOf(await differencesAfter(`delete from generations where id = $generation`))).toEqual([
        `generation ${generation}: rows`,
      ]);
      expect(
        namesOf(
          await differencesAfter(
            `create temp table one on commit preserve rows as select * from generations where id = $generation;
             update one set id = 'gen-1-y'; insert into generations table one; drop table one`,
          ),
        ),
      ).toEqual(['generation gen-1-y: charges']);
    });

    it('shows a missing hold, a larger one, and one that was settled at another amount', async () => {
      const held = counters().filter((name) => !/key .* (lifetime|monthly|weekly)$/.test(name));
      const names = (figures: readonly string[], of: readonly string[]): string[] =>
        of.flatMap((name) => figures.map((figure) => `${name}: ${figure}`)).toSorted();
      const own = `account_id = $account`;
      expect(namesOf(await differencesAfter(`delete from holds where ${own}`)).toSorted()).toEqual(
        names(['held', 'byok_held'], held),
      );
      expect(namesOf(await differencesAfter(`update holds set bound = bound + 1 where ${own}`)).toSorted()).toEqual(
        names(['held'], held),
      );
      expect(
        namesOf(await differencesAfter(`update holds set cost = 1, byok_cost = 0 where ${own}`)).toSorted(),
      ).toEqual(names(['used'], counters()));
    });

    it('shows an account with more under way than it has', async () => {
      const differences = await differencesAfter(
        `update spending_windows set "limit" = 1 where scope = 'account' and scope_id = $account;
         update credit_grants set amount = 1 where account_id = $account`,
      );
      expect(differences).toEqual([{ what: `account ${one.id}: used and held`, expected: 'at most 1', found: '3.5' }]);
    });

    it('lists a thousand of a kind, counts the others, and is clean again when all is undone', async () => {
      const { differences, unlisted } = await reportAfter(
        `insert into ledger_entries
         select held_at, 'gen-1-' || number, kind, account_id, workspace_id, key_hash, null, 0, 0, entered_at
         from ledger_entries, generate_series(1, 1234) as number where generation_id = $generation`,
      );
      expect([differences.length, unlisted]).toEqual([1_000, 234]);
      expect(await verifyLedger(dataSource)).toMatchObject(CLEAN);
    });
  });
});

describeOnPostgres('a ledger that is verified while it is written', (database) => {
  const RACE_MS = 3_000;

  it('is clean in every snapshot', async () => {
    const [writers, reader] = await Promise.all([database.connect(), database.connect()]);
    const bench = new LedgerBench(writers);
    const one = await bench.addAccount('1000', {
      budgets: [{ interval: 'weekly', limitUsd: '1000', includesByok: false }],
    });
    const key = one.keys[0]!;
    const endsAt = performance.now() + RACE_MS;
    const reports: LedgerReport[] = [];
    const counts = new Set<number>();
    /** On a slow machine it continues until it has seen the ledger change. */
    const goes = (): boolean => performance.now() < endsAt || counts.size < 2;
    async function write(): Promise<void> {
      while (goes()) {
        const held = await bench.hold(one, key, '0.01');
        await bench.settle({ ...held, account: one, key, cost: '0.001', recovered: true });
        await bench.settle({ ...held, account: one, key, cost: '0.002' });
        await bench.post(held.id);
      }
    }
    async function verify(): Promise<void> {
      while (goes()) {
        const report = await verifyLedger(reader);
        reports.push(report);
        counts.add(report.counted.entries);
      }
    }
    await Promise.all([write(), write(), write(), verify()]);
    expect(reports.filter(({ differences, warnings }) => differences.length + warnings.length > 0)).toEqual([]);
    expect(counts.size).toBeGreaterThan(1);
    await Promise.all([writers.destroy(), reader.destroy()]);
  });
});

const run = (words: readonly string[], variables: NodeJS.ProcessEnv): Promise<CommandOutput> =>
  outputOf(runVerification, { words, variables });

describe('npm run ledger:verify', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-verify-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('prints its usage on request, and for wrong arguments', () => expectUsage(runVerification, '--json'));

  it('makes no database where there is none', async () => {
    const DATA_DIR = join(folder, 'none');
    expect(await run([], { DATA_DIR })).toEqual({
      code: 1,
      out: '',
      error: expect.stringMatching(/^ledger:verify: .*contains no database[^\n]*\n$/),
    });
    expect(await readdir(folder)).not.toContain('none');
  });

  it('refuses the embedded database of a running gateway', async () => {
    const DATA_DIR = join(folder, 'locked');
    await mkdir(join(DATA_DIR, 'database'), { recursive: true });
    const lock = await lockDirectory(join(DATA_DIR, 'lock'));
    const { code, error } = await run([], { DATA_DIR });
    await lock.release();
    expect(code).toBe(1);
    expect(error).toMatch(/in use by another process \(pid \d+\)/);
  });

  it('reports a fault of the settings or the server, without a secret', async () => {
    const unreachable = await run([], { DATABASE_URL: 'postgres://user:canary-password@127.0.0.1:1/store' });
    expect(unreachable).toMatchObject({ code: 1, error: expect.stringContaining('does not answer') });
    const wrong = await run([], { DATABASE_URL: 'mysql://user:canary-password@127.0.0.1:1/store' });
    expect(wrong).toMatchObject({ code: 1, error: expect.stringContaining('DATABASE_URL') });
    expect(unreachable.error + wrong.error).not.toContain('canary');
  });
});

describeOnEmptyPostgres('npm run ledger:verify', (database) => {
  it('prints a line for each difference and a summary, and ends with 1 where there is one', async () => {
    const variables = { DATABASE_URL: database.settings.databaseUrl!.reveal() };
    expect(await run([], variables)).toMatchObject({ code: 1, error: expect.stringContaining('older release') });

    const dataSource = await database.connect();
    expect(await findVerification(dataSource)).toBeNull();
    const bench = new LedgerBench(dataSource);
    const one = await bench.addAccount('10');
    await bench.spend(one, one.keys[0]!, '1');
    const counted = '1 account, 5 windows, 1 generation, 1 entry, 0 holds';
    expect(await run([], variables)).toEqual({
      code: 0,
      out: `${counted}: 0 differences, 0 warnings\n`,
      error: '',
    });
    const result = { verified_at: expect.stringMatching(/Z$/), differences: 0, warnings: 0 };
    expect(await findVerification(dataSource)).toEqual(result);

    await bench.grant(one, '-9.5', 'adjustment');
    await dataSource.query(`update spending_windows set held = 0.25 where scope = 'account'`);
    const { code, out } = await run([], variables);
    expect({ code, lines: out.split('\n') }).toEqual({
      code: 1,
      lines: [
        `warning: account ${one.id}: used and held (adjusted after it was spent): expected at most 0.5, found 1.25`,
        `difference: account ${one.id}, lifetime: held: expected 0, found 0.25`,
        `${counted}: 1 difference, 1 warning`,
        '',
      ],
    });
    expect(await findVerification(dataSource)).toEqual({ ...result, differences: 1, warnings: 1 });
    const printed = await run(['--json'], variables);
    expect(printed.code).toBe(1);
    expect(JSON.parse(printed.out)).toEqual(await verifyLedger(dataSource));

    // A copy that can only be read is verified as well.
    const [{ name }] = await dataSource.query('select quote_ident(current_database()) as name');
    await dataSource.query(`alter database ${name} set default_transaction_read_only = on`);
    expect(await run([], variables)).toEqual({
      code: 1,
      out,
      error: expect.stringMatching(/^ledger:verify: The result is not kept: .*read-only/),
    });
    await dataSource.query(`alter database ${name} reset default_transaction_read_only`);
    await dataSource.query(`insert into migrations (timestamp, name) values (1999999999999, 'Newer1999999999999')`);
    expect(await run([], variables)).toMatchObject({ code: 1, error: expect.stringContaining('newer release') });
    await dataSource.destroy();
  });
});
