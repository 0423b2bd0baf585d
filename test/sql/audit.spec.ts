// Goal: the audit log only grows, its chains hold however many write at once, every tampering with them is found, and
// retention removes whole months without breaking them. Method: entries by the class the gateway uses, on both
// databases; then one change by hand after another; on PostgreSQL from two pools at once.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { AuditLog, FIRST_HASH, operatorOf, type AuditChange } from '../../src/audit/audit-log.js';
import { AuditRetention } from '../../src/audit/audit-retention.js';
import { AuditRepository, listChain, type StoredEntry } from '../../src/audit/audit.repository.js';
import { runAuditVerification } from '../../src/audit/verify-audit-command.js';
import { verifyAudit, type ChainReport } from '../../src/audit/verify-audit.js';
import { newUuid } from '../../src/core/ids.js';
import type { Environment } from '../../src/shared/environment.js';
import { AheadClock } from '../support/ahead-clock.js';
import { expectUsage, outputOf, type CommandOutput } from '../support/command-output.js';
import { describeOnEachDatabase, describeOnEmptyPostgres, describeOnPostgres } from '../support/database.js';

jest.spyOn(Logger.prototype, 'log').mockImplementation();
const failed = jest.spyOn(Logger.prototype, 'error').mockImplementation();
beforeEach(() => jest.clearAllMocks());

const CHANGE: AuditChange = { action: 'thing.update', target: 'it', before: { name: 'old' }, after: { name: 'new' } };

/** A log over one pool, with accounts of its own. */
class AuditBench {
  readonly clock = new AheadClock();
  readonly log = new AuditLog(this.clock);

  constructor(readonly dataSource: DataSource) {}

  async addAccount(): Promise<string> {
    const id = newUuid(Date.now());
    await this.dataSource.query(
      `insert into accounts (id, name, free_tier, created_at) values ($1, 'one', true, now())`,
      [id],
    );
    return id;
  }

  async record(accountId: string, change: Partial<AuditChange> = {}): Promise<void> {
    await this.dataSource.transaction('READ COMMITTED', (manager) =>
      this.log.record(manager, operatorOf(accountId), [{ ...CHANGE, ...change }]),
    );
  }

  async recordMany(accountId: string, count: number): Promise<void> {
    const changes = Array.from({ length: count }, (_, index) => ({ ...CHANGE, target: `it ${index}` }));
    await this.dataSource.transaction('READ COMMITTED', (manager) =>
      this.log.record(manager, operatorOf(accountId), changes),
    );
  }

  chain(accountId: string): Promise<readonly StoredEntry[]> {
    return listChain(this.dataSource.manager, accountId, Number.MIN_SAFE_INTEGER, 10_000);
  }

  /** As somebody would who owns the database. */
  async tamper(statement: string, accountId: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await manager.query('alter table audit_entries disable trigger audit_entries_append_only');
      for (const part of statement.split(';')) await manager.query(part.replaceAll('$account', `'${accountId}'`));
      await manager.query('alter table audit_entries enable trigger audit_entries_append_only');
    });
  }

  async verify(accountId: string): Promise<ChainReport> {
    const reports: ChainReport[] = [];
    await verifyAudit(this.dataSource, (report) => void reports.push(report));
    return reports.find((report) => report.accountId === accountId)!;
  }

  /** One replica's. */
  retention(days: number | null, dataSource = this.dataSource): AuditRetention {
    const environment = { retentionDays: { audit: days } } as Environment;
    return new AuditRetention(new AuditRepository(dataSource, this.clock), environment);
  }

  moveTo(time: string): void {
    this.clock.aheadMs = Date.parse(time) - Date.now();
  }
}

const sequence = (entries: readonly StoredEntry[]): number[] => entries.map(({ seq }) => seq);

describeOnEachDatabase('the audit log', (database) => {
  let bench: AuditBench;
  beforeAll(async () => {
    bench = new AuditBench(await database.connect());
  });
  afterAll(() => bench?.dataSource.destroy());

  it('keeps an entry as it was recorded, in a chain for each account', async () => {
    const [one, other] = [await bench.addAccount(), await bench.addAccount()];
    const workspaceId = newUuid(Date.now());
    // As a caller may spell it.
    await bench.record(one, {
      workspaceId: workspaceId.toUpperCase(),
      after: { name: 'ß 🧾 " \\ \u2028', one: 1.5e-12 },
    });
    await bench.record(other);
    await bench.record(one, { before: undefined, after: undefined });
    const [first, second, ...rest] = await bench.chain(one);
    expect(rest).toEqual([]);
    expect(first).toEqual({
      accountId: one,
      seq: 1,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      actor: 'operator',
      actorUser: null,
      action: 'thing.update',
      target: 'it',
      workspaceId,
      before: '{"name":"old"}',
      after: '{"name":"ß 🧾 \\" \\\\ \u2028","one":1.5e-12}',
      previousHash: FIRST_HASH,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(second).toMatchObject({ seq: 2, workspaceId: null, before: null, after: null, previousHash: first!.hash });
    expect(sequence(await bench.chain(other))).toEqual([1]);
    for (const [account, entries] of [
      [one, 2],
      [other, 1],
    ] as const)
      expect(await bench.verify(account)).toMatchObject({ entries, last: { seq: entries }, broken: undefined });
  });

  it('has no entry and no gap where the change was rolled back', async () => {
    const account = await bench.addAccount();
    await bench.record(account);
    const undone = bench.dataSource.transaction('READ COMMITTED', async (manager) => {
      await manager.query(`update accounts set name = 'undone' where id = $1`, [account]);
      await bench.log.record(manager, operatorOf(account), [CHANGE]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(sequence(await bench.chain(account))).toEqual([1]);
    await bench.record(account);
    expect(sequence(await bench.chain(account))).toEqual([1, 2]);
    expect(await bench.verify(account)).toMatchObject({ entries: 2, broken: undefined });
  });

  it('cannot be changed, and nothing is deleted from it but by retention', async () => {
    const account = await bench.addAccount();
    await bench.recordMany(account, 2);
    const attempt = (statement: string, setting?: string): Promise<unknown> =>
      bench.dataSource.transaction(async (manager: EntityManager) => {
        if (setting !== undefined)
          await manager.query(`select set_config('fairlead.audit_retention', $1, true)`, [setting]);
        await manager.query(statement, [account]);
      });
    const deletion = 'delete from audit_entries where account_id = $1';
    for (const [statement, setting] of [
      [`update audit_entries set target = 'other' where account_id = $1`],
      [`update audit_entries set target = 'other' where account_id = $1`, 'on'],
      [`update audit_entries set hash = hash where account_id = $1`, 'on'],
      [deletion],
      [deletion, 'off'],
      [deletion, ''],
    ] as const)
      await expect(attempt(statement, setting)).rejects.toThrow('The audit log only grows.');
    expect(await bench.verify(account)).toMatchObject({ entries: 2, broken: undefined });
    await attempt(deletion, 'on');
    expect(await bench.chain(account)).toEqual([]);
    // It was for that transaction only.
    await bench.record(account);
    await expect(attempt(deletion)).rejects.toThrow('The audit log only grows.');
  });

  describe('that is verified', () => {
    it('is whole where nothing was ever recorded', async () => {
      const account = await bench.addAccount();
      expect(await bench.verify(account)).toEqual({
        accountId: account,
        entries: 0,
        last: { seq: 0, hash: FIRST_HASH },
        broken: undefined,
      });
    });

    it('is read page by page, and to its last entry', async () => {
      const account = await bench.addAccount();
      await bench.recordMany(account, 500);
      expect(await bench.verify(account)).toMatchObject({ entries: 500, last: { seq: 500 }, broken: undefined });
      await bench.record(account);
      expect(await bench.verify(account)).toMatchObject({ entries: 501, last: { seq: 501 }, broken: undefined });
      await bench.tamper(
        `update audit_entries set action = 'thing.delete' where account_id = $account and seq = 501`,
        account,
      );
      expect(await bench.verify(account)).toMatchObject({ entries: 500, broken: { seq: 501 } });
    });

    const CHANGED = 'is not as it was recorded';
    const APART = 'does not follow the one before it';
    it.each([
      [
        'another target',
        `update audit_entries set target = 'other' where seq = 3 and account_id = $account`,
        3,
        CHANGED,
      ],
      [
        'another action',
        `update audit_entries set action = 'other' where seq = 3 and account_id = $account`,
        3,
        CHANGED,
      ],
      ['another actor', `update audit_entries set actor = 'other' where seq = 3 and account_id = $account`, 3, CHANGED],
      ['a user', `update audit_entries set actor_user = 'other' where seq = 3 and account_id = $account`, 3, CHANGED],
      [
        'another time',
        `update audit_entries set at = at + interval '1 millisecond' where seq = 3 and account_id = $account`,
        3,
        CHANGED,
      ],
      [
        'a workspace',
        `update audit_entries set workspace_id = account_id where seq = 3 and account_id = $account`,
        3,
        CHANGED,
      ],
      [
        'another "before"',
        `update audit_entries set before = '{}' where seq = 3 and account_id = $account`,
        3,
        CHANGED,
      ],
      ['no "after"', `update audit_entries set after = null where seq = 3 and account_id = $account`, 3, CHANGED],
      [
        'another hash',
        `update audit_entries set hash = repeat('a', 64) where seq = 3 and account_id = $account`,
        3,
        CHANGED,
      ],
      [
        'another previous hash',
        `update audit_entries set previous_hash = repeat('a', 64) where seq = 3 and account_id = $account`,
        3,
        APART,
      ],
      ['an entry less', `delete from audit_entries where seq = 3 and account_id = $account`, 3, 'is missing'],
      [
        'an entry less, and those after it renumbered',
        `delete from audit_entries where seq = 3 and account_id = $account;
         update audit_entries set seq = 3 where seq = 4 and account_id = $account;
         update audit_entries set seq = 4 where seq = 5 and account_id = $account`,
        3,
        APART,
      ],
      [
        'two entries in the wrong order',
        `update audit_entries set seq = 9 where seq = 3 and account_id = $account;
         update audit_entries set seq = 3 where seq = 4 and account_id = $account;
         update audit_entries set seq = 4 where seq = 9 and account_id = $account`,
        3,
        APART,
      ],
      ['its beginning cut off', `delete from audit_entries where seq < 3 and account_id = $account`, 1, 'is missing'],
      [
        'its beginning cut off, and renumbered',
        `delete from audit_entries where seq < 3 and account_id = $account;
         update audit_entries set seq = seq - 10 where account_id = $account;
         update audit_entries set seq = seq + 8 where account_id = $account`,
        1,
        APART,
      ],
      [
        'an anchor that was made up',
        `delete from audit_entries where seq < 3 and account_id = $account;
         insert into audit_anchors select $account, 2, repeat('a', 64)`,
        3,
        APART,
      ],
      [
        'entries before its anchor',
        `insert into audit_anchors select account_id, seq, hash from audit_entries where seq = 2 and account_id = $account`,
        1,
        'stands before the beginning',
      ],
    ])('is broken by %s', async (_, statement, seq, reason) => {
      const [account, other] = [await bench.addAccount(), await bench.addAccount()];
      await bench.recordMany(account, 5);
      await bench.recordMany(other, 2);
      expect((await bench.verify(account)).broken).toBeUndefined();
      await bench.tamper(statement, account);
      expect((await bench.verify(account)).broken).toEqual({ seq, reason: expect.stringContaining(reason) });
      expect(await bench.verify(other)).toMatchObject({ entries: 2, broken: undefined });
    });

    it('cannot show that its newest entries are gone, but its last hash does', async () => {
      const account = await bench.addAccount();
      await bench.recordMany(account, 3);
      const { last } = await bench.verify(account);
      await bench.tamper(`delete from audit_entries where seq = 3 and account_id = $account`, account);
      const cut = await bench.verify(account);
      expect(cut.broken).toBeUndefined();
      expect(cut.last).not.toEqual(last);
    });
  });

  describe('past its time', () => {
    async function recordAt(account: string, ...times: readonly string[]): Promise<void> {
      for (const time of times) {
        bench.moveTo(time);
        await bench.record(account, { target: time });
      }
    }
    const targets = async (account: string): Promise<string[]> =>
      (await bench.chain(account)).map(({ target }) => target);
    async function keep(days: number | null): Promise<void> {
      await bench.retention(days).keep();
      expect(failed).not.toHaveBeenCalled();
    }
    afterEach(() => (bench.clock.aheadMs = 0));

    it('goes by whole months of UTC, after their time and not before, and its chain holds', async () => {
      const [account, other] = [await bench.addAccount(), await bench.addAccount()];
      const january = ['2031-01-05T00:00:00Z', '2031-01-31T23:59:59Z'];
      const february = ['2031-02-01T00:00:00Z', '2031-02-20T00:00:00Z'];
      const march = ['2031-03-10T00:00:00Z'];
      await recordAt(account, ...january, ...february, ...march);
      await recordAt(other, ...march);
      const whole = await bench.chain(account);

      bench.moveTo('2031-03-02T23:59:00Z');
      await keep(30);
      expect(await targets(account)).toEqual([...january, ...february, ...march]);
      bench.moveTo('2031-03-03T00:01:00Z');
      await keep(30);
      expect(await targets(account)).toEqual([...february, ...march]);
      expect(await bench.verify(account)).toMatchObject({ entries: 3, last: { seq: 5 }, broken: undefined });
      expect(await bench.chain(account)).toEqual(whole.slice(2));

      // The next one moves the anchor on.
      bench.moveTo('2031-04-01T00:01:00Z');
      await keep(30);
      expect(await targets(account)).toEqual(march);
      expect(await bench.verify(account)).toMatchObject({ entries: 1, broken: undefined });
      expect(await targets(other)).toEqual(march);
    });

    it('goes whole and is written on where all of it is past its time', async () => {
      const account = await bench.addAccount();
      await recordAt(account, '2032-01-05T00:00:00Z', '2032-02-05T00:00:00Z', '2032-05-05T00:00:00Z');
      const { last } = await bench.verify(account);
      bench.moveTo('2033-01-01T00:00:00Z');
      await keep(1);
      expect(await targets(account)).toEqual([]);
      expect(await bench.verify(account)).toEqual({ accountId: account, entries: 0, last, broken: undefined });
      await bench.record(account);
      expect(await bench.chain(account)).toMatchObject([{ seq: 4, previousHash: last.hash }]);
      expect(await bench.verify(account)).toMatchObject({ entries: 1, last: { seq: 4 }, broken: undefined });
    });

    it('keeps what stands behind an entry that is not past its time: clocks differ', async () => {
      const account = await bench.addAccount();
      await recordAt(
        account,
        '2034-01-05T00:00:00Z',
        '2034-02-01T00:00:00Z',
        '2034-01-31T23:59:59Z',
        '2034-03-01T00:00:00Z',
      );
      bench.moveTo('2034-03-05T00:00:00Z');
      await keep(30);
      expect((await targets(account))[0]).toBe('2034-02-01T00:00:00Z');
      expect(await bench.verify(account)).toMatchObject({ entries: 3, broken: undefined });
      bench.moveTo('2034-04-01T00:00:00Z');
      await keep(30);
      expect(await targets(account)).toEqual(['2034-03-01T00:00:00Z']);
      expect(await bench.verify(account)).toMatchObject({ entries: 1, broken: undefined });
    });

    it('stays for ever where the operator says nothing', async () => {
      const account = await bench.addAccount();
      await recordAt(account, '2035-01-05T00:00:00Z');
      bench.moveTo('2099-01-01T00:00:00Z');
      await keep(null);
      expect(await targets(account)).toHaveLength(1);
    });

    it('is taken by the round that a start begins', async () => {
      const account = await bench.addAccount();
      await recordAt(account, '2036-01-05T00:00:00Z');
      bench.moveTo('2037-01-01T00:00:00Z');
      const retention = bench.retention(30);
      retention.onApplicationBootstrap();
      await retention.beforeApplicationShutdown();
      expect(await targets(account)).toEqual([]);
    });
  });
});

describeOnPostgres('an audit log that many write', (database) => {
  let one: AuditBench;
  let other: AuditBench;
  beforeAll(async () => {
    [one, other] = [new AuditBench(await database.connect()), new AuditBench(await database.connect())];
  });
  afterAll(async () => {
    await one?.dataSource.destroy();
    await other?.dataSource.destroy();
  });

  it('has one unbroken chain of all changes that were made, and of no others', async () => {
    const account = await one.addAccount();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? one : other).dataSource.transaction('READ COMMITTED', async (manager) => {
          const bench = index % 2 === 0 ? one : other;
          await bench.log.record(manager, operatorOf(account), [{ ...CHANGE, target: `${index}` }]);
          if (index % 5 === 4) throw new Error('undone');
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(4);
    const chain = await one.chain(account);
    expect(sequence(chain)).toEqual(Array.from({ length: 16 }, (_, index) => index + 1));
    expect(chain.map(({ target }) => Number(target) % 5)).not.toContain(4);
    expect(new Set(chain.map(({ target }) => target)).size).toBe(16);
    expect(await one.verify(account)).toMatchObject({ entries: 16, broken: undefined });
  });

  it('holds nobody up who has the account itself', async () => {
    const account = await one.addAccount();
    const first = one.dataSource.createQueryRunner();
    await first.startTransaction('READ COMMITTED');
    await first.query('select id from accounts where id = $1 for update', [account]);
    const second = other.record(account);
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await one.dataSource.query<unknown[]>(waiting)).length === 0);
    // It would wait for the other, which waits for it, if the entry came before the account's row.
    await one.log.record(first.manager, operatorOf(account), [CHANGE]);
    await first.commitTransaction();
    await first.release();
    await second;
    expect(await one.verify(account)).toMatchObject({ entries: 2, broken: undefined });
  });

  it('is verified while it is written', async () => {
    const account = await one.addAccount();
    const writing = Promise.all(Array.from({ length: 40 }, () => other.record(account)));
    const reports: ChainReport[] = [];
    for (let round = 0; round < 5; round++) reports.push(await one.verify(account));
    await writing;
    expect(reports.filter(({ broken }) => broken)).toEqual([]);
    expect(await one.verify(account)).toMatchObject({ entries: 40, broken: undefined });
  });

  it('loses a month once, however many replicas keep it, and goes on meanwhile', async () => {
    const account = await one.addAccount();
    one.moveTo('2026-01-10T00:00:00Z');
    await one.recordMany(account, 30);
    one.clock.aheadMs = 0;
    await Promise.all([
      one.retention(30).keep(),
      one.retention(30, other.dataSource).keep(),
      ...Array.from({ length: 10 }, () => other.record(account)),
    ]);
    // One that came while another was at it leaves the rest for its next round.
    await one.retention(30).keep();
    expect(failed).not.toHaveBeenCalled();
    expect(sequence(await one.chain(account))).toEqual(Array.from({ length: 10 }, (_, index) => index + 31));
    expect(await one.verify(account)).toMatchObject({ entries: 10, broken: undefined });
  });
});

const run = (words: readonly string[], variables: NodeJS.ProcessEnv): Promise<CommandOutput> =>
  outputOf(runAuditVerification, { words, variables });

describe('npm run audit:verify', () => {
  it('shows how it is used: when asked, and when the words are wrong', () =>
    expectUsage(runAuditVerification, 'last hash'));

  it('makes no database where there is none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-audit-'));
    expect(await run([], { DATA_DIR: join(folder, 'none') })).toEqual({
      code: 1,
      out: '',
      error: expect.stringMatching(/^audit:verify: .*contains no database[^\n]*\n$/),
    });
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it('tells what is wrong with the settings or the server, and no secret', async () => {
    const unreachable = await run([], { DATABASE_URL: 'postgres://user:canary-password@127.0.0.1:1/store' });
    expect(unreachable).toMatchObject({ code: 1, error: expect.stringContaining('does not answer') });
    const wrong = await run([], { DATABASE_URL: 'mysql://user:canary-password@127.0.0.1:1/store' });
    expect(wrong).toMatchObject({ code: 1, error: expect.stringContaining('DATABASE_URL') });
    expect(unreachable.error + wrong.error).not.toContain('canary');
  });
});

describeOnEmptyPostgres('npm run audit:verify', (database) => {
  it('prints a line for each account, names the first break, and ends with 1 where there is one', async () => {
    const variables = { DATABASE_URL: database.settings.databaseUrl!.reveal() };
    expect(await run([], variables)).toMatchObject({ code: 1, error: expect.stringContaining('older release') });

    const bench = new AuditBench(await database.connect());
    const [account, other] = [await bench.addAccount(), await bench.addAccount()].sort() as [string, string];
    await bench.recordMany(account, 3);
    await bench.record(other);
    const hashes = [(await bench.chain(account))[2]!.hash, (await bench.chain(other))[0]!.hash];
    const lines = [
      `account ${account}: 3 entries, unbroken, last seq 3, last hash ${hashes[0]}\n`,
      `account ${other}: 1 entry, unbroken, last seq 1, last hash ${hashes[1]}\n`,
    ];
    expect(await run([], variables)).toEqual({ code: 0, out: lines.join(''), error: '' });

    await bench.tamper(`update audit_entries set target = 'other' where seq = 2 and account_id = $account`, account);
    const broken = `account ${account}: 1 entry, then BROKEN at seq 2: the entry is not as it was recorded: its hash is another\n`;
    expect(await run([], variables)).toEqual({ code: 1, out: broken + lines[1]!, error: '' });

    await bench.dataSource.query(
      `insert into migrations (timestamp, name) values (1999999999999, 'Newer1999999999999')`,
    );
    expect(await run([], variables)).toMatchObject({ code: 1, error: expect.stringContaining('newer release') });
    await bench.dataSource.destroy();
  });
});
