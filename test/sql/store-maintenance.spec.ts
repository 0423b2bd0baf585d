/**
 * The tables and the log of the embedded database are no larger after many rounds of writing and removing than after a
 * few, and no caller waits long for that; a server is left alone. Holds through the ledger's statements and containers
 * through their store, with rounds of the job in between.
 */
import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { Cancellation } from '../../src/core/cancellation.js';
import { newUuid } from '../../src/core/ids.js';
import { SystemClock } from '../../src/core/time.js';
import { Statements } from '../../src/shared/database/statements.js';
import { StoreMaintenance } from '../../src/shared/database/store-maintenance.js';
import type { Environment } from '../../src/shared/environment.js';
import { ToolContainers } from '../../src/tools/containers/tool-containers.js';
import { ToolContainersRepository } from '../../src/tools/containers/tool-containers.repository.js';
import { DataKeys } from '../../src/vault/data-keys.js';
import { SealRing } from '../../src/vault/seal-ring.js';
import { localKeys } from '../support/audit-log.js';
import { describeOnEachDatabase, describeOnEmbedded } from '../support/database.js';
import { LedgerBench } from './ledger-bench.js';

const MiB = 1024 * 1024;

describeOnEmbedded('the maintenance of the store', (database) => {
  let source: DataSource;
  let maintenance: StoreMaintenance;
  beforeAll(async () => {
    source = await database.connect();
    maintenance = new StoreMaintenance(database.settings as Environment, source);
  }, 240_000);
  afterAll(() => source?.destroy());

  const sizeOf = async (table: string): Promise<number> => {
    const [row] = await source.query<{ size: number }[]>(
      'select pg_total_relation_size($1::regclass)::float8 as size',
      [table],
    );
    return row!.size;
  };
  const logBytes = async (): Promise<number> => {
    const [row] = await source.query<{ bytes: number }[]>(
      'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()',
    );
    return row!.bytes;
  };

  it('keeps the size of holds constant, however many there were', async () => {
    const ledger = new LedgerBench(source);
    const account = await ledger.addAccount('1000000');
    const round = async (): Promise<void> => {
      for (let number = 0; number < 150; number++) {
        const { id } = await ledger.hold(account, account.keys[0]!, '1');
        await ledger.release(id);
        await ledger.post(id);
      }
      await maintenance.look();
    };
    for (let number = 0; number < 6; number++) await round();
    const before = await sizeOf('holds');
    for (let number = 0; number < 12; number++) await round();
    expect(await sizeOf('holds')).toBeLessThanOrEqual(before);
    expect(before).toBeLessThan(MiB);
  }, 240_000);

  it('keeps a container that is written again and again at the size of a few', async () => {
    const clock = new SystemClock();
    const accountId = newUuid(Date.now());
    await source.query(`insert into accounts (id, name, free_tier, created_at) values ($1, 'one', true, now())`, [
      accountId,
    ]);
    const rows = new ToolContainersRepository(new Statements(source), source, clock);
    const ring = new SealRing(new DataKeys(source, localKeys('test'), clock));
    const store = new ToolContainers(rows, ring, clock).of({ accountId, keyHash: 'a'.repeat(64) });
    const { signal } = new Cancellation();
    for (let number = 0; number < 15; number++) {
      await store.save('c', new Uint8Array(randomBytes(4 * MiB)), 900, signal);
      await maintenance.look();
    }
    // The current state and the one that replaces it, with what belongs to them.
    expect(await sizeOf('tool_container_pieces')).toBeLessThan(3 * 4 * MiB);
    expect(await logBytes()).toBeLessThan(40 * MiB);
  }, 240_000);

  it('freezes old rows before the engine would stop because of them', async () => {
    const age = async (): Promise<number> =>
      (await source.query<{ age: number }[]>(`select age(relfrozenxid) from pg_class where relname = 'budgets'`))[0]!
        .age;
    await source.query(
      `update pg_class set relfrozenxid = ((txid_current() - 300000000 + 4294967296) % 4294967296)::text::xid
       where relname = 'budgets'`,
    );
    expect(await age()).toBeGreaterThan(200_000_000);
    await maintenance.look();
    expect(await age()).toBeLessThan(200_000_000);
  });

  it('neither delays a transaction nor runs within one, and does nothing where there is nothing to do', async () => {
    const queries = jest.spyOn(source, 'query');
    await maintenance.look();
    const statements = queries.mock.calls.map(([statement]) => String(statement));
    expect(statements.filter((statement) => /^(vacuum|checkpoint)/i.test(statement))).toEqual([]);
    const runner = source.createQueryRunner();
    await runner.startTransaction();
    const looked = maintenance.look();
    await runner.query('select 1');
    await runner.commitTransaction();
    await runner.release();
    await looked;
  });

  it('logs a failure once a round, and continues; an outage is logged elsewhere', async () => {
    const failed = jest.spyOn(maintenance['logger'], 'error').mockImplementation();
    const query = jest.spyOn(source, 'query');
    query.mockRejectedValueOnce(Object.assign(new Error('no room'), { code: '53100' }));
    await maintenance.look();
    query.mockRejectedValueOnce(Object.assign(new Error('gone'), { code: '57P02' }));
    await maintenance.look();
    expect(failed.mock.calls.map(([error]) => (error as Error).message)).toEqual(['no room']);
    query.mockRestore();
    await maintenance.look();
  });
});

describeOnEachDatabase('the job of the maintenance', (database) => {
  it('runs on the embedded database only, keeps no process alive, and ends with it', async () => {
    const timers = jest.spyOn(globalThis, 'setInterval').mockClear();
    const maintenance = new StoreMaintenance(database.settings as Environment, {} as DataSource);
    maintenance.onApplicationBootstrap();
    const begun = timers.mock.results.map(({ value }) => value as NodeJS.Timeout);
    expect(begun).toHaveLength(database.kind === 'embedded' ? 1 : 0);
    for (const timer of begun) expect(timer.hasRef()).toBe(false);
    await maintenance.beforeApplicationShutdown();
    for (const timer of begun) expect((timer as unknown as { _destroyed: boolean })._destroyed).toBe(true);
  });
});
