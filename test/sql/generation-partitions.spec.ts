// Months exist before they are written to, in any time zone, and are dropped whole after their retention; their totals
// stay, exactly; requests are not affected. A ledger of many months is built by the gateway's statements at a moved
// time, on both databases; on PostgreSQL beside writers, readers and other replicas.
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { GenerationPartitions } from '../../src/ledger/generations/generation-partitions.js';
import { GenerationPartitionsRepository } from '../../src/ledger/generations/generation-partitions.repository.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { Statements } from '../../src/shared/database/statements.js';
import type { Environment } from '../../src/shared/environment.js';
import { AheadClock } from '../support/ahead-clock.js';
import { describeOnEachDatabase, describeOnPostgres } from '../support/database.js';
import { LedgerBench, type LedgerAccount } from './ledger-bench.js';

const CLEAN = { differences: [], unlisted: 0, warnings: [] };
const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
jest.spyOn(Logger.prototype, 'log').mockImplementation();
const failed = jest.spyOn(Logger.prototype, 'error').mockImplementation();
beforeEach(() => jest.clearAllMocks());

interface Kept {
  readonly generations: number | null;
  readonly ledgerEntries: number | null;
}

/** The partition job of one replica. */
function keeperOf(database: DataSource, clock: AheadClock, kept: Kept): GenerationPartitions {
  const environment = { retentionDays: { ...kept, audit: null } } as Environment;
  return new GenerationPartitions(
    new GenerationPartitionsRepository(database, new Statements(database), clock),
    environment,
  );
}

async function listMonths(database: DataSource, table: string): Promise<string[]> {
  const rows = await database.query<{ name: string }[]>(
    `select right(inhrelid::regclass::text, 7) as name from pg_inherits where inhparent = $1::regclass order by 1`,
    [table],
  );
  return rows.map(({ name }) => name);
}

async function usedOf(database: DataSource, scope: string, id: string): Promise<readonly string[]> {
  const rows = await database.query<{ window: string }[]>(
    `select interval || ' ' || to_char(window_start at time zone 'UTC', 'YYYY-MM-DD') || ' ' || trim_scale(used) as window
     from spending_windows where scope = $1 and scope_id = $2 order by window_start, interval`,
    [scope, id],
  );
  return rows.map(({ window }) => window);
}

describeOnEachDatabase('months', (database) => {
  const clock = new AheadClock();
  let dataSource: DataSource;
  let bench: LedgerBench;
  const open = async (): Promise<void> => {
    dataSource = await database.connect();
    bench = new LedgerBench(dataSource);
  };
  beforeAll(open);
  afterAll(() => dataSource?.destroy());

  function moveTo(time: string): void {
    clock.aheadMs = Date.parse(time) - Date.now();
    bench.aheadMs = clock.aheadMs;
  }
  const keeping = (kept: Partial<Kept>): GenerationPartitions =>
    keeperOf(dataSource, clock, { generations: null, ledgerEntries: null, ...kept });
  const drop = async (kept: Partial<Kept>): Promise<void> => {
    await keeping(kept).keep();
    expect(failed).not.toHaveBeenCalled();
  };
  const newAccount = (): Promise<LedgerAccount> =>
    bench.addAccount('100', {
      keys: [
        { limitUsd: '90', reset: 'weekly', includesByok: false },
        { limitUsd: null, reset: null, includesByok: false },
      ],
      budgets: [
        { interval: 'weekly', limitUsd: '90', includesByok: false },
        { interval: 'lifetime', limitUsd: '90', includesByok: false },
      ],
    });

  it('are made two ahead of the present one, by the moved time of the database', async () => {
    moveTo('2031-01-31T12:00:00Z');
    const months = keeping({});
    await months.onModuleInit();
    await months.beforeApplicationShutdown();
    for (const table of ['generations', 'ledger_entries']) {
      expect(await listMonths(dataSource, table)).toEqual(expect.arrayContaining(['2031_01', '2031_02', '2031_03']));
    }
    expect(months.isReady(Date.UTC(2031, 2, 31, 23, 59))).toBe(true);
    expect(months.isReady(Date.UTC(2031, 3, 1))).toBe(false);
    await months.ensure(new Date('2031-04-15T00:00:00Z'));
    expect(await listMonths(dataSource, 'generations')).toContain('2031_04');
  });

  it('are those of UTC, whatever the session’s time zone', async () => {
    const [database] = await dataSource.query<[{ name: string }]>('select current_database() as name');
    // Where it is still the last of January: a month after that would be the last of February.
    const zone = `'America/New_York'`;
    await dataSource.query(`alter database "${database.name}" set time zone ${zone}`);
    await dataSource.query(`set time zone ${zone}`);
    await dataSource.destroy();
    await open();
    try {
      moveTo('2033-02-01T02:00:00Z');
      await keeping({}).keep();
      expect(await listMonths(dataSource, 'generations')).toEqual(
        expect.arrayContaining(['2033_02', '2033_03', '2033_04']),
      );
      const one = await newAccount();
      await bench.spend(one, one.keys[0]!, '1');
      moveTo('2033-03-01T23:59:00Z');
      await drop({ ledgerEntries: 1, generations: 1 });
      expect((await listMonths(dataSource, 'ledger_entries'))[0]).toBe('2033_02');
      moveTo('2033-03-02T00:01:00Z');
      await drop({ ledgerEntries: 1, generations: 1 });
      expect((await listMonths(dataSource, 'ledger_entries'))[0]).toBe('2033_03');
      expect((await listMonths(dataSource, 'generations'))[0]).toBe('2033_03');
      expect(await verifyLedger(dataSource)).toMatchObject(CLEAN);
    } finally {
      await dataSource.query(`alter database "${database.name}" reset time zone`);
      await dataSource.query(`reset time zone`);
      await dataSource.destroy();
      await open();
    }
  });

  it('are dropped whole, after their retention and not before, per table; their totals stay', async () => {
    const one = await newAccount();
    const [weekly, open] = one.keys as [string, string];
    for (const [time, cost] of [
      ['2034-01-02T10:00:00Z', '1.000000000001'],
      ['2034-01-31T10:00:00Z', '2'],
      ['2034-02-01T10:00:00Z', '4'],
      ['2034-02-20T10:00:00Z', '8'],
      ['2034-03-05T10:00:00Z', '16'],
    ] as const) {
      moveTo(time);
      await bench.spend(one, weekly, cost, '0.5');
    }
    await bench.spend(one, open, '0.25');
    const before = await dataSource.query(
      `select * from spending_windows where interval = 'lifetime' order by 1, 2, 3`,
    );

    moveTo('2034-03-01T23:00:00Z');
    await drop({ ledgerEntries: 29, generations: 365 });
    expect(await listMonths(dataSource, 'ledger_entries')).toContain('2034_01');
    await drop({ ledgerEntries: 28, generations: 30 });
    expect((await listMonths(dataSource, 'ledger_entries'))[0]).toBe('2034_02');
    expect(await listMonths(dataSource, 'generations')).toContain('2034_01');

    const closings = await dataSource.query(
      `select scope, scope_id, trim_scale(amount)::text as amount, trim_scale(byok_amount)::text as byok_amount, entries
       from ledger_closings where month = '2034-01-01T00:00:00Z' order by 1`,
    );
    const sum = { amount: '3.000000000001', byok_amount: '1', entries: '2' };
    expect(closings).toEqual([
      { scope: 'account', scope_id: one.id, ...sum },
      { scope: 'key', scope_id: weekly, ...sum },
      { scope: 'workspace', scope_id: one.workspaceId, ...sum },
    ]);
    expect(await verifyLedger(dataSource)).toMatchObject(CLEAN);

    // The week of 30 January reaches into February: it stays until that is dropped.
    expect(await usedOf(dataSource, 'key', weekly)).toEqual([
      'lifetime 1970-01-01 31.000000000001',
      'weekly 2034-01-30 6',
      'daily 2034-02-01 4',
      'monthly 2034-02-01 12',
      'daily 2034-02-20 8',
      'weekly 2034-02-20 8',
      'weekly 2034-02-27 16',
      'monthly 2034-03-01 16',
      'daily 2034-03-05 16',
    ]);
    moveTo('2034-03-10T00:00:00Z');
    await drop({ ledgerEntries: 1, generations: 1 });
    expect(await usedOf(dataSource, 'key', weekly)).toEqual([
      'lifetime 1970-01-01 31.000000000001',
      'weekly 2034-02-27 16',
      'monthly 2034-03-01 16',
      'daily 2034-03-05 16',
    ]);
    expect(await listMonths(dataSource, 'generations')).toEqual(await listMonths(dataSource, 'ledger_entries'));
    expect(await verifyLedger(dataSource)).toMatchObject(CLEAN);
    expect(
      await dataSource.query(`select * from spending_windows where interval = 'lifetime' order by 1, 2, 3`),
    ).toEqual(before);

    // Closings are compared with the counters, too.
    const tampered = (sign: string): string =>
      `update ledger_closings set amount = amount ${sign} 1 where scope_id = $1 and month = '2034-01-01T00:00:00Z'`;
    await dataSource.query(tampered('+'), [weekly]);
    expect((await verifyLedger(dataSource)).differences).toMatchObject([
      { expected: '32.000000000001', found: '31.000000000001' },
    ]);
    await dataSource.query(tampered('-'), [weekly]);
  });

  it('stay for ever where the operator specifies it', async () => {
    moveTo('2099-01-01T00:00:00Z');
    const [generations, entries] = [
      await listMonths(dataSource, 'generations'),
      await listMonths(dataSource, 'ledger_entries'),
    ];
    await drop({});
    expect(await listMonths(dataSource, 'generations')).toEqual(expect.arrayContaining(generations));
    expect(await listMonths(dataSource, 'ledger_entries')).toEqual(expect.arrayContaining(entries));
  });

  it('wait for the last hold of their time, and leave no gap behind them', async () => {
    const one = await newAccount();
    const key = one.keys[0]!;
    moveTo('2100-01-20T00:00:00Z');
    const held = await bench.hold(one, key, '5');
    await bench.ensureMonth(held.heldAt);
    moveTo('2100-02-20T00:00:00Z');
    await bench.spend(one, key, '1');
    moveTo('2101-01-01T00:00:00Z');
    await drop({ ledgerEntries: 30, generations: 30 });
    const stay = expect.arrayContaining(['2100_01', '2100_02']);
    expect(await listMonths(dataSource, 'ledger_entries')).toEqual(stay);
    expect(await listMonths(dataSource, 'generations')).toEqual(stay);
    expect(warned).toHaveBeenCalledTimes(2);

    await bench.settle({ ...held, account: one, key, cost: '3' });
    await drop({ ledgerEntries: 30, generations: 30 });
    expect(await listMonths(dataSource, 'ledger_entries')).toEqual(stay);
    expect(await verifyLedger(dataSource)).toMatchObject(CLEAN);

    await bench.post();
    await drop({ ledgerEntries: 30, generations: 30 });
    expect((await listMonths(dataSource, 'ledger_entries'))[0]).toBe('2101_01');
    expect(await verifyLedger(dataSource)).toMatchObject(CLEAN);
  });

  it('accept late entries: these are closed in the next round', async () => {
    const one = await newAccount();
    const key = one.keys[0]!;
    moveTo('2102-01-20T00:00:00Z');
    await bench.spend(one, key, '1');
    moveTo('2102-06-01T00:00:00Z');
    await drop({ ledgerEntries: 30, generations: 30 });
    const heldAt = new Date('2102-01-25T00:00:00Z');
    await keeping({}).ensure(heldAt);
    const counters = {
      keyInterval: 'lifetime' as const,
      budgets: [
        ['workspace', one.workspaceId, 'weekly'],
        ['workspace', one.workspaceId, 'lifetime'],
      ] as const,
    };
    await bench.settle({ id: 'gen-1-late', heldAt, account: one, key, cost: '2', counters });
    await bench.post();
    expect(await verifyLedger(dataSource)).toMatchObject(CLEAN);
    await drop({ ledgerEntries: 30, generations: 30 });
    expect(await verifyLedger(dataSource)).toMatchObject(CLEAN);
    expect(
      await dataSource.query(
        `select trim_scale(amount)::text as amount, entries from ledger_closings where scope_id = $1`,
        [key],
      ),
    ).toEqual([{ amount: '3', entries: '2' }]);
  });
});

describeOnPostgres('months of several replicas', (database) => {
  const clock = new AheadClock();
  const KEPT: Kept = { generations: 400, ledgerEntries: 400 };
  /** Far above what a request waits for a lock, far below what would be noticed as an outage. */
  const WAIT_MS_MAX = 2_000;
  let dataSource: DataSource;
  let bench: LedgerBench;
  let one: LedgerAccount;
  beforeAll(async () => {
    dataSource = await database.connect();
    bench = new LedgerBench(dataSource);
    one = await bench.addAccount('1000');
  });
  afterAll(() => dataSource?.destroy());

  /** Spends in a month that is past its retention. @returns its name */
  async function addPast(time: string): Promise<string> {
    bench.aheadMs = Date.parse(time) - Date.now();
    await bench.spend(one, one.keys[0]!, '1');
    bench.aheadMs = 0;
    return time.slice(0, 7).replace('-', '_');
  }

  it('are made and dropped once, however many replicas do it', async () => {
    const names = [await addPast('2020-05-05T00:00:00Z'), await addPast('2020-07-07T00:00:00Z')];
    const replicas = await Promise.all([1, 2, 3].map(() => database.connect()));
    await Promise.all(replicas.map((replica) => keeperOf(replica, clock, KEPT).keep()));
    // A replica that found another one at work leaves the rest for its next hour.
    await keeperOf(dataSource, clock, KEPT).keep();
    expect(failed).not.toHaveBeenCalled();
    for (const name of names) expect(await listMonths(dataSource, 'ledger_entries')).not.toContain(name);
    expect(await dataSource.query(`select entries from ledger_closings where scope = 'account'`)).toEqual([
      { entries: '1' },
      { entries: '1' },
    ]);
    expect(await verifyLedger(dataSource)).toMatchObject(CLEAN);
    await Promise.all(replicas.map((replica) => replica.destroy()));
  });

  it('are dropped while others write to other months, without failures or losses', async () => {
    const names: string[] = [];
    for (const month of ['01', '02', '03', '04', '05', '06']) names.push(await addPast(`2021-${month}-10T00:00:00Z`));
    let goes = true;
    let spent = 0;
    async function write(): Promise<void> {
      while (goes) {
        await bench.spend(one, one.keys[0]!, '0.001');
        spent++;
      }
    }
    const writing = Promise.all([write(), write(), write()]);
    const keeper = keeperOf(dataSource, clock, KEPT);
    const endsAt = performance.now() + 20_000;
    const remaining = async (): Promise<string[]> =>
      (await listMonths(dataSource, 'ledger_entries')).filter((name) => names.includes(name));
    while (performance.now() < endsAt && (spent < 20 || (await remaining()).length > 0)) await keeper.keep();
    goes = false;
    await writing;
    expect(await remaining()).toEqual([]);
    expect(failed).not.toHaveBeenCalled();
    const { counted, ...rest } = await verifyLedger(dataSource);
    expect(rest).toEqual(CLEAN);
    expect(counted.entries).toBe(spent);
  });

  it('wait for another hour while they are read, and delay no request behind them', async () => {
    const name = await addPast('2022-01-10T00:00:00Z');
    const reader = (await database.connect()).createQueryRunner();
    await reader.startTransaction();
    await reader.query('select count(*) from ledger_entries');

    const dropped = keeperOf(dataSource, clock, KEPT).keep();
    const begunAt = performance.now();
    await bench.spend(one, one.keys[0]!, '0.001');
    expect(performance.now() - begunAt).toBeLessThan(WAIT_MS_MAX);
    await dropped;
    expect(await listMonths(dataSource, 'ledger_entries')).toContain(name);
    expect(failed).not.toHaveBeenCalled();
    expect(await dataSource.query(`select 1 from ledger_closings where month = '2022-01-01T00:00:00Z'`)).toEqual([]);

    await reader.rollbackTransaction();
    await reader.release();
    await reader.connection.destroy();
    await keeperOf(dataSource, clock, KEPT).keep();
    expect(await listMonths(dataSource, 'ledger_entries')).not.toContain(name);
    expect(await verifyLedger(dataSource)).toMatchObject(CLEAN);
  });

  it('lose no entry that comes at the same time as the drop', async () => {
    await addPast('2023-01-10T00:00:00Z');
    const late = (await database.connect()).createQueryRunner();
    await late.startTransaction();
    const heldAt = new Date('2023-01-20T00:00:00Z');
    await late.query('select settle_generations_2($1)', [
      bench.print({ id: 'gen-1-late', heldAt, account: one, key: one.keys[0]!, cost: '0.5' }),
    ]);
    const kept = keeperOf(dataSource, clock, { generations: null, ledgerEntries: 400 }).keep();
    let hasEnded = false;
    void kept.then(() => (hasEnded = true));
    // It must end while the drop waits for it.
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while (!hasEnded && (await dataSource.query<unknown[]>(waiting)).length === 0);
    await late.commitTransaction();
    await kept;
    await late.release();
    await late.connection.destroy();
    expect(await listMonths(dataSource, 'ledger_entries')).toContain('2023_01');
    expect(await verifyLedger(dataSource)).toMatchObject(CLEAN);
    await bench.post();
    await keeperOf(dataSource, clock, KEPT).keep();
    expect(await listMonths(dataSource, 'ledger_entries')).not.toContain('2023_01');
    expect(await verifyLedger(dataSource)).toMatchObject(CLEAN);
  });
});
