// The audit log only grows, its chains stay whole under concurrent writers, every manipulation is detected, and
// retention removes whole months without breaking them. Entries are written by the gateway's class on both databases
// and then changed by hand, one change at a time; on PostgreSQL two pools write at once.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { AuditLog, FIRST_HASH, hashEntry, operatorOf, type AuditChange } from '../../src/audit/audit-log.js';
import { AuditRetention } from '../../src/audit/audit-retention.js';
import { SealKeyNeeded, type AuditSeals } from '../../src/audit/audit-seals.js';
import { AuditRepository, listChain, type StoredEntry } from '../../src/audit/audit.repository.js';
import { AuditVerification } from '../../src/audit/audit-verification.js';
import { runAuditVerification } from '../../src/audit/verify-audit-command.js';
import { verifyAudit, verifyChain, type ChainReport } from '../../src/audit/verify-audit.js';
import type { ManagedChanges } from '../../src/management/managed-changes.js';
import { runRotation } from '../../src/byok/rotate-command.js';
import { GatewayError } from '../../src/core/errors.js';
import { newUuid } from '../../src/core/ids.js';
import type { Environment } from '../../src/shared/environment.js';
import { DataKeys } from '../../src/vault/data-keys.js';
import { KeyService, KeyServiceUnavailable, type WrappedKey } from '../../src/vault/key-service.js';
import { AheadClock } from '../support/ahead-clock.js';
import { auditSeals, keyText, localKeys, managedChanges } from '../support/audit-log.js';
import { expectUsage, outputOf, type CommandOutput } from '../support/command-output.js';
import { describeOnEachDatabase, describeOnEmptyPostgres, describeOnPostgres } from '../support/database.js';

const logged = jest.spyOn(Logger.prototype, 'log').mockImplementation();
jest.spyOn(Logger.prototype, 'warn').mockImplementation();
const failed = jest.spyOn(Logger.prototype, 'error').mockImplementation();
beforeEach(() => jest.clearAllMocks());

const CHANGE: AuditChange = { action: 'thing.update', target: 'it', before: { name: 'old' }, after: { name: 'new' } };

/** A log over one pool, with accounts of its own. */
class AuditBench {
  readonly clock = new AheadClock();
  readonly seals: AuditSeals;
  readonly log: AuditLog;

  private constructor(
    readonly dataSource: DataSource,
    readonly keys: KeyService,
  ) {
    this.seals = auditSeals(dataSource, this.clock, keys);
    this.log = new AuditLog(this.clock, this.seals);
  }

  static async open(dataSource: DataSource, keys: KeyService = localKeys('test')): Promise<AuditBench> {
    const bench = new AuditBench(dataSource, keys);
    await bench.seals.prepare();
    return bench;
  }

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

  /** Changes rows as an owner of the database could. */
  async tamper(statement: string, accountId: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await manager.query('alter table audit_entries disable trigger audit_entries_append_only');
      await manager.query('set local session_replication_role = replica');
      for (const part of statement.split(';')) await manager.query(part.replaceAll('$account', `'${accountId}'`));
      await manager.query('alter table audit_entries enable trigger audit_entries_append_only');
    });
  }

  /** @param keys available to the verification; `null` for none */
  async verify(accountId: string, keys: KeyService | null = this.keys, newest?: string): Promise<ChainReport> {
    const reports: ChainReport[] = [];
    await verifyAudit(this.dataSource, {
      ...(keys && { keys: new DataKeys(this.dataSource, keys, this.clock) }),
      newest,
      onReport: (report) => void reports.push(report),
    });
    return reports.find((report) => report.accountId === accountId)!;
  }

  /** The retention job of one replica. */
  retention(days: number | null, dataSource = this.dataSource): AuditRetention {
    const environment = { retentionDays: { audit: days } } as Environment;
    const seals = auditSeals(dataSource, this.clock, this.keys);
    return new AuditRetention(new AuditRepository(dataSource, seals, this.clock), seals, environment);
  }

  moveTo(time: string): void {
    this.clock.aheadMs = Date.parse(time) - Date.now();
  }
}

const sequence = (entries: readonly StoredEntry[]): number[] => entries.map(({ seq }) => seq);

describeOnEachDatabase('the audit log', (database) => {
  let bench: AuditBench;
  beforeAll(async () => {
    bench = await AuditBench.open(await database.connect());
  });
  afterAll(() => bench?.dataSource.destroy());

  it('stores an entry as it was recorded, in a chain for each account', async () => {
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
      seal: { seal: expect.stringMatching(/^[0-9a-f]{64}$/), sealKey: expect.stringMatching(/^[0-9a-f-]{36}$/) },
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

  it('cannot be changed, and only retention deletes from it', async () => {
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
    // Valid for that transaction only.
    await bench.record(account);
    await expect(attempt(deletion)).rejects.toThrow('The audit log only grows.');
  });

  describe('that is verified', () => {
    it('is whole where nothing was ever recorded', async () => {
      const account = await bench.addAccount();
      expect(await bench.verify(account)).toEqual({
        accountId: account,
        entries: 0,
        unsealed: 0,
        unchecked: 0,
        last: { seq: 0, hash: FIRST_HASH },
        broken: undefined,
      });
    });

    it('is read page by page, up to its last entry', async () => {
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

    const CHANGED = 'was changed after it was recorded';
    const APART = 'does not follow the previous entry';
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
        'is before the beginning',
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

    it('cannot show the loss of its newest entries, but its last hash does', async () => {
      const account = await bench.addAccount();
      await bench.recordMany(account, 3);
      const { last } = await bench.verify(account);
      await bench.tamper(`delete from audit_entries where seq = 3 and account_id = $account`, account);
      const cut = await bench.verify(account);
      expect(cut.broken).toBeUndefined();
      expect(cut.last).not.toEqual(last);
    });
  });

  describe('that is sealed', () => {
    /** An attack that a chain alone cannot show: every hash from there on is recomputed. */
    async function rewrite(account: string, seq: number, changes: Partial<StoredEntry>): Promise<void> {
      let previousHash = '';
      for (const entry of (await bench.chain(account)).filter((each) => each.seq >= seq)) {
        const forged = { ...entry, ...(entry.seq === seq ? changes : { previousHash }) };
        previousHash = hashEntry(forged);
        await bench.tamper(
          `update audit_entries set target = '${forged.target}', previous_hash = '${forged.previousHash}',
             hash = '${previousHash}' where account_id = $account and seq = ${entry.seq}`,
          account,
        );
      }
    }

    it('reveals recomputed hashes to an owner of the key', async () => {
      const account = await bench.addAccount();
      await bench.recordMany(account, 5);
      await rewrite(account, 3, { target: 'other' });
      expect(await bench.verify(account, null)).toMatchObject({ entries: 5, unchecked: 5, broken: undefined });
      expect(await bench.verify(account)).toMatchObject({
        entries: 2,
        broken: { seq: 3, reason: expect.stringContaining('its seal differs') },
      });
    });

    const SEALS = `update audit_entries e set seal = o.seal, seal_key = o.seal_key from audit_entries o where e.account_id = $account`;
    it.each([
      [
        'no seal',
        'update audit_entries set seal = null, seal_key = null where seq > 2 and account_id = $account',
        3,
        'is not sealed',
      ],
      [
        'the seal of another entry',
        `${SEALS} and o.account_id = $account and e.seq = 3 and o.seq = 4`,
        3,
        'its seal differs',
      ],
      [
        'a seal that was made up',
        `update audit_entries set seal = repeat('a', 64) where seq = 3 and account_id = $account`,
        3,
        'its seal differs',
      ],
      [
        'a seal under a key that is not there',
        `update audit_entries set seal_key = account_id where seq = 3 and account_id = $account`,
        3,
        'a missing key',
      ],
      [
        'the seal of an entry on its anchor',
        `insert into audit_anchors select account_id, seq, hash, true, seal, seal_key from audit_entries where seq = 2 and account_id = $account;
         delete from audit_entries where seq < 3 and account_id = $account`,
        2,
        'its seal differs',
      ],
    ])('is broken by %s', async (_, statement, seq, reason) => {
      const account = await bench.addAccount();
      await bench.recordMany(account, 5);
      expect((await bench.verify(account)).broken).toBeUndefined();
      await bench.tamper(statement, account);
      expect((await bench.verify(account)).broken).toEqual({ seq, reason: expect.stringContaining(reason) });
    });

    it('reports how many entries are from before there were seals, and continues from them', async () => {
      const account = await bench.addAccount();
      await bench.recordMany(account, 3);
      await bench.tamper('update audit_entries set seal = null, seal_key = null where account_id = $account', account);
      await bench.recordMany(account, 2);
      expect(await bench.verify(account)).toMatchObject({ entries: 5, unsealed: 3, unchecked: 0, broken: undefined });
    });

    it('is reported as unchecked where the wrapping key is another, or the wrapped one was changed', async () => {
      const account = await bench.addAccount();
      await bench.recordMany(account, 2);
      expect(await bench.verify(account, localKeys('other'))).toMatchObject({ unchecked: 2, broken: undefined });
      const [{ wrapped_key: kept }] = await bench.dataSource.query('select wrapped_key from data_keys');
      await bench.dataSource.query(
        `update data_keys set wrapped_key = set_byte(wrapped_key, 40, 7 # get_byte(wrapped_key, 40))`,
      );
      expect(await bench.verify(account)).toMatchObject({ unchecked: 2, broken: undefined });
      await bench.dataSource.query('update data_keys set wrapped_key = $1', [kept]);
      expect(await bench.verify(account)).toMatchObject({ unchecked: 0, broken: undefined });
    });

    it('reveals, by the newest seal of the operator’s log, that its newest entries were cut off', async () => {
      const account = await bench.addAccount();
      await bench.recordMany(account, 3);
      const { lastSeal } = await bench.verify(account);
      await bench.record(account);
      expect(await bench.verify(account, bench.keys, lastSeal!.seal)).toMatchObject({ newestAt: 3 });
      await bench.tamper(`delete from audit_entries where seq >= 3 and account_id = $account`, account);
      expect(await bench.verify(account, bench.keys, lastSeal!.seal)).toMatchObject({
        entries: 2,
        newestAt: undefined,
        broken: undefined,
      });
    });

    it('is sealed under a new key from the next change on, and older seals stay', async () => {
      const account = await bench.addAccount();
      await bench.record(account);
      await new DataKeys(bench.dataSource, bench.keys, bench.clock).create('audit-seal', 2);
      await expect(bench.record(account)).rejects.toThrow(SealKeyNeeded);
      await bench.seals.prepare();
      await bench.record(account);
      const [first, second] = await bench.chain(account);
      expect(first!.seal!.sealKey).not.toBe(second!.seal!.sealKey);
      expect(await bench.verify(account)).toMatchObject({ entries: 2, unchecked: 0, broken: undefined });
    });
  });

  describe('past its retention', () => {
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

    it('is verified while the retention removes what was read', async () => {
      const account = await bench.addAccount();
      bench.moveTo('2031-01-05T00:00:00Z');
      await bench.recordMany(account, 1_200);
      await recordAt(account, '2031-03-10T00:00:00Z');
      const { manager } = bench.dataSource;
      let pages = 0;
      const meddling: EntityManager = Object.create(manager, {
        query: {
          value: async (text: string, values: unknown[]): Promise<unknown> => {
            const rows: unknown = await manager.query(text, values);
            if (text.includes('audit_entries') && ++pages === 1) await keep(30);
            return rows;
          },
        },
      });
      const report = await verifyChain(meddling, account, new DataKeys(bench.dataSource, bench.keys, bench.clock));
      expect(await targets(account)).toEqual(['2031-03-10T00:00:00Z']);
      expect([report.broken, report.entries, report.last.seq]).toEqual([undefined, 1, 1_201]);
      expect(pages).toBe(3);
    });

    it('loses whole months of UTC, after their retention and not before, and its chain stays whole', async () => {
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

      // The anchor of the removed entries is sealed, so that it cannot be moved without the key.
      const anchors: object[] = await bench.dataSource.query('select * from audit_anchors where account_id = $1', [
        account,
      ]);
      expect(anchors).toEqual([expect.objectContaining({ seq: '4', was_sealed: true, seal: expect.any(String) })]);
      await bench.tamper(`update audit_anchors set was_sealed = false where account_id = $account`, account);
      expect((await bench.verify(account)).broken).toMatchObject({ seq: 4 });
      await bench.tamper(`update audit_anchors set was_sealed = true where account_id = $account`, account);
      await bench.tamper('update audit_entries set seal = null, seal_key = null where account_id = $account', account);
      expect((await bench.verify(account)).broken).toEqual({
        seq: 5,
        reason: 'is not sealed, although an earlier one is',
      });
    });

    it('is removed completely and continued where all of it is past its retention', async () => {
      const account = await bench.addAccount();
      await recordAt(account, '2032-01-05T00:00:00Z', '2032-02-05T00:00:00Z', '2032-05-05T00:00:00Z');
      const { last } = await bench.verify(account);
      bench.moveTo('2033-01-01T00:00:00Z');
      await keep(1);
      expect(await targets(account)).toEqual([]);
      expect(await bench.verify(account)).toMatchObject({ entries: 0, unsealed: 0, last, broken: undefined });
      await bench.record(account);
      expect(await bench.chain(account)).toMatchObject([{ seq: 4, previousHash: last.hash }]);
      expect(await bench.verify(account)).toMatchObject({ entries: 1, last: { seq: 4 }, broken: undefined });
    });

    it('keeps entries behind one that is not past its retention: clocks differ', async () => {
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

    it('stays for ever where the operator sets no retention', async () => {
      const account = await bench.addAccount();
      await recordAt(account, '2035-01-05T00:00:00Z');
      bench.moveTo('2099-01-01T00:00:00Z');
      await keep(null);
      expect(await targets(account)).toHaveLength(1);
    });

    it('is processed by the round that a start begins', async () => {
      const account = await bench.addAccount();
      await recordAt(account, '2036-01-05T00:00:00Z');
      bench.moveTo('2037-01-01T00:00:00Z');
      const retention = bench.retention(30);
      retention.onApplicationBootstrap();
      // The end of a process does not wait for long.
      while ((await targets(account)).length > 0) await sleep(20);
      await retention.beforeApplicationShutdown();
    });
  });
});

/** A key service that can be unavailable. */
class Flaky extends KeyService {
  isDown = true;
  calls = 0;
  private readonly keys = localKeys('far');

  override readonly currentKeyId = this.keys.currentKeyId;

  override wrap(dataKey: Buffer, context: string): Promise<WrappedKey> {
    return this.ask(() => this.keys.wrap(dataKey, context));
  }

  override unwrap(key: WrappedKey, context: string): Promise<Buffer> {
    return this.ask(() => this.keys.unwrap(key, context));
  }

  private async ask<T>(call: () => Promise<T>): Promise<T> {
    this.calls++;
    if (this.isDown) throw new KeyServiceUnavailable('down');
    return call();
  }
}

describeOnEachDatabase('the key that seals', (database) => {
  const clock = new AheadClock();
  let dataSource: DataSource;
  let account: string;

  beforeAll(async () => {
    dataSource = await database.connect();
  });
  afterAll(() => dataSource?.destroy());
  beforeEach(async () => {
    await dataSource.query('truncate audit_entries, audit_anchors, data_keys');
    account = newUuid(Date.now());
    await dataSource.query(`insert into accounts (id, name, free_tier, created_at) values ($1, 'one', true, now())`, [
      account,
    ]);
  });

  /** One process. */
  function replica(keys: KeyService): { seals: AuditSeals; change: (name?: string) => Promise<string> } {
    const seals = auditSeals(dataSource, clock, keys);
    const changes = managedChanges(dataSource, clock, seals);
    const change = (name?: string): Promise<string> =>
      changes.run(operatorOf(account), async (manager) => {
        if (name !== undefined) await manager.query('update accounts set name = $2 where id = $1', [account, name]);
        return { result: 'done', entries: name === undefined ? [] : [{ ...CHANGE, target: name }] };
      });
    return { seals, change };
  }
  const nameNow = async (): Promise<string> =>
    (await dataSource.query<{ name: string }[]>('select name from accounts where id = $1', [account]))[0]!.name;
  const chain = (): Promise<readonly StoredEntry[]> => listChain(dataSource.manager, account, 0, 100);

  it('is made by the first change, once, and stored only wrapped', async () => {
    const [one, other] = [replica(localKeys('test')), replica(localKeys('test'))];
    await Promise.all([one.change('a'), other.change('b')]);
    await one.change('c');
    const keys: { id: string; key_id: string; wrapped_key: Buffer }[] =
      await dataSource.query('select * from data_keys');
    expect(keys).toMatchObject([{ key_id: 'test', number: 1 }]);
    expect(keys[0]!.wrapped_key).toHaveLength(12 + 16 + 32);
    expect((await chain()).map(({ seal }) => seal?.sealKey)).toEqual(Array(3).fill(keys[0]!.id));
    expect(logged.mock.calls.filter(([text]) => text === 'A change was recorded.')).toHaveLength(3);
    expect(logged).toHaveBeenLastCalledWith('A change was recorded.', {
      accountId: account,
      entries: 1,
      seq: 3,
      action: 'thing.update',
      ...(await chain())[2]!.seal,
    });
  });

  it('refuses changes and writes nothing while a key service has never answered; a change without effect passes', async () => {
    const service = new Flaky();
    const { change } = replica(service);
    const refused = change('a');
    await expect(refused).rejects.toThrow(GatewayError);
    await expect(refused).rejects.toMatchObject({ kind: 'service-unavailable' });
    expect([await nameNow(), await chain(), await change()]).toEqual(['one', [], 'done']);
    service.isDown = false;
    expect([await change('a'), await nameNow()]).toEqual(['done', 'a']);
  });

  it('is needed to verify a chain by the API, which is refused while the key service is down, and done once for all', async () => {
    const service = new Flaky();
    service.isDown = false;
    await replica(service).change('a');
    const verification = new AuditVerification(dataSource, new DataKeys(dataSource, service, clock), clock);
    service.isDown = true;
    await expect(verification.run(account)).rejects.toMatchObject({
      kind: 'service-unavailable',
      detail: { retryAfterMs: 1_000 },
    });
    service.isDown = false;
    const [one, other] = await Promise.all([verification.run(account), verification.run(account)]);
    expect(one).toMatchObject({ entries: 1, unsealed: 0, unchecked: 0, broken: null });
    expect(other).toBe(one);
    // Where its key is another's, the seal counts as not checked.
    const stranger = new AuditVerification(dataSource, new DataKeys(dataSource, localKeys('other'), clock), clock);
    expect(await stranger.run(account)).toMatchObject({ entries: 1, unchecked: 1, broken: null });
  });

  it('is read at the start and stays cached: changes work while the key service is down', async () => {
    const service = new Flaky();
    service.isDown = false;
    await replica(service).change('a');
    const { seals, change } = replica(service);
    seals.onApplicationBootstrap();
    await seals.onModuleDestroy();
    service.isDown = true;
    const { calls } = service;
    expect([await change('b'), service.calls]).toEqual(['done', calls]);
    expect((await chain()).map(({ seal }) => seal!.sealKey)).toHaveLength(2);
  });

  it('is replaced where the encryption key was lost, and each process continues with one it can open', async () => {
    const [able, lost] = [replica(localKeys('test')), replica(localKeys('lost'))];
    await able.change('a');
    await lost.change('b');
    expect(failed).toHaveBeenCalledWith(expect.stringContaining('No key of the audit log opens'));
    await able.change('c');
    await lost.change('d');
    const [first, second, third, fourth] = (await chain()).map(({ seal }) => seal!.sealKey);
    expect([third, fourth]).toEqual([first, second]);
    expect(await dataSource.query('select key_id from data_keys order by number')).toEqual([
      { key_id: 'test' },
      { key_id: 'lost' },
    ]);
  });

  it('is reported missing, in the log and by verification, after its row was deleted, which the database refuses; changes continue', async () => {
    const bench = await AuditBench.open(dataSource);
    const running = replica(localKeys('test'));
    await running.change('a');
    await expect(dataSource.query('delete from data_keys')).rejects.toThrow(/foreign key/);
    const [gone] = await dataSource.query<{ id: string }[]>('select id from data_keys');
    await bench.tamper('delete from data_keys', account);
    await running.change('b');
    expect(failed.mock.calls).toEqual([[`The key ${gone!.id} of the audit log is missing from the store: what was sealed under it can no longer be checked.`]]); // oxfmt-ignore
    const started = replica(localKeys('test'));
    await started.change('c');
    await running.change('d');
    expect(failed).toHaveBeenCalledTimes(1);
    expect((await chain()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(new Set((await chain()).slice(1).map(({ seal }) => seal!.sealKey)).size).toBe(1);
    expect(await bench.verify(account)).toMatchObject({
      entries: 0,
      broken: { seq: 1, reason: `is sealed under a missing key: ${gone!.id}` },
    });
    expect(await bench.verify(account, null)).toMatchObject({ entries: 4, broken: undefined });
    // What is past its retention is removed all the same, and the rest is whole again.
    await bench.tamper(`update audit_entries set at = '2026-01-10T00:00:00Z' where seq = 1 and account_id = $account`, account); // oxfmt-ignore
    await bench.retention(30).keep();
    expect(await bench.verify(account)).toMatchObject({ entries: 3, unchecked: 0, broken: undefined });
  });
});

describeOnPostgres('an audit log whose keys are rotated while two processes write', (database) => {
  it('has no gap, and every seal holds under the new key alone', async () => {
    const [one, other] = [await database.connect(), await database.connect()];
    const clock = new AheadClock();
    const writers = [one, other].map((source) =>
      managedChanges(source, clock, auditSeals(source, clock, localKeys('next', 'test'))),
    );
    const bench = await AuditBench.open(one, localKeys('test'));
    const account = await bench.addAccount();
    await bench.record(account);
    let isRotating = true;
    let written = 0;
    const write = async (changes: ManagedChanges): Promise<void> => {
      // Some after the last rotation, too.
      for (let left = 5; left > 0; left -= isRotating ? 0 : 1) {
        await changes.run(operatorOf(account), async () => ({
          result: undefined,
          entries: [{ ...CHANGE, target: `${written++}` }],
        }));
      }
    };
    const writing = Promise.all(writers.map(write));
    const variables = {
      DATABASE_URL: database.settings.databaseUrl!.reveal(),
      FAIRLEAD_ENCRYPTION_KEYS: `next:${keyText('next')},test:${keyText('test')}`,
    };
    const outputs: CommandOutput[] = [];
    try {
      for (const words of [[], ['--new-seal-key'], ['--new-seal-key'], []]) {
        const before = written;
        outputs.push(await outputOf(runRotation, { words, variables }));
        while (written < before + 5) await new Promise((resolve) => setTimeout(resolve, 5));
        expect(await bench.verify(account, localKeys('next'))).toMatchObject({ unchecked: 0, broken: undefined });
      }
    } finally {
      isRotating = false;
      await writing;
    }
    expect(outputs.map(({ code, error }) => [code, error])).toEqual(Array(4).fill([0, '']));
    const chain = await bench.chain(account);
    expect(sequence(chain)).toEqual(chain.map((_, index) => index + 1));
    expect(new Set(chain.slice(1).map(({ target }) => target)).size).toBe(chain.length - 1);
    expect(chain.length).toBeGreaterThan(21);
    expect(new Set(chain.map(({ seal }) => seal!.sealKey)).size).toBe(3);
    expect(await bench.verify(account, localKeys('next'))).toMatchObject({
      entries: chain.length,
      unsealed: 0,
      unchecked: 0,
      broken: undefined,
    });
    await Promise.all([one.destroy(), other.destroy()]);
  });
});

describeOnPostgres('an audit log with many writers', (database) => {
  let one: AuditBench;
  let other: AuditBench;
  beforeAll(async () => {
    [one, other] = [await AuditBench.open(await database.connect()), await AuditBench.open(await database.connect())];
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

  it('blocks no transaction that has the account itself locked', async () => {
    const account = await one.addAccount();
    const first = one.dataSource.createQueryRunner();
    await first.startTransaction('READ COMMITTED');
    await first.query('select id from accounts where id = $1 for update', [account]);
    const second = other.record(account);
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await one.dataSource.query<unknown[]>(waiting)).length === 0);
    // If the entry came before the account's row, both transactions would wait for each other.
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

  it('loses a month once, however many replicas run the retention, and is written meanwhile', async () => {
    const account = await one.addAccount();
    one.moveTo('2026-01-10T00:00:00Z');
    await one.recordMany(account, 30);
    one.clock.aheadMs = 0;
    await Promise.all([
      one.retention(30).keep(),
      one.retention(30, other.dataSource).keep(),
      ...Array.from({ length: 10 }, () => other.record(account)),
    ]);
    // A replica that found another one at work leaves the rest for its next round.
    await one.retention(30).keep();
    expect(failed).not.toHaveBeenCalled();
    expect(sequence(await one.chain(account))).toEqual(Array.from({ length: 10 }, (_, index) => index + 31));
    expect(await one.verify(account)).toMatchObject({ entries: 10, broken: undefined });
  });
});

const run = (words: readonly string[], variables: NodeJS.ProcessEnv): Promise<CommandOutput> =>
  outputOf(runAuditVerification, { words, variables });

describe('npm run fairlead -- verify audit', () => {
  it('prints its usage on request, and for wrong arguments', () => expectUsage(runAuditVerification, 'last hash'));

  it('makes no database where there is none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-audit-'));
    expect(await run([], { DATA_DIR: join(folder, 'none') })).toEqual({
      code: 1,
      out: '',
      error: expect.stringMatching(/^fairlead verify audit: .*contains no database[^\n]*\n$/),
    });
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it('reports a fault of the settings or the server, without a secret', async () => {
    const far = { DATABASE_URL: 'postgres://user:canary-password@127.0.0.1:1/store' };
    const keyless = await run([], far);
    expect(keyless).toMatchObject({ code: 1, error: expect.stringContaining('FAIRLEAD_ENCRYPTION_KEYS is required') });
    const unreachable = await run(['--without-seals'], far);
    expect(unreachable).toMatchObject({ code: 1, error: expect.stringContaining('does not answer') });
    const wrong = await run([], { DATABASE_URL: 'mysql://user:canary-password@127.0.0.1:1/store' });
    expect(wrong).toMatchObject({ code: 1, error: expect.stringContaining('DATABASE_URL') });
    expect(keyless.error + unreachable.error + wrong.error).not.toContain('canary');
  });

  it('accepts only a seal as the newest seal', async () => {
    for (const seal of ['', 'abc', 'g'.repeat(64), 'A'.repeat(64)])
      expect(await run(['--newest', seal], {})).toMatchObject({
        code: 2,
        error: expect.stringContaining('--newest must be a seal'),
      });
    expect(await run(['--newest'], {})).toMatchObject({ code: 2 });
  });
});

describeOnEmptyPostgres('npm run fairlead -- verify audit', (database) => {
  it('prints a line for each account, names the first break, and ends with 1 where there is one', async () => {
    const url = { DATABASE_URL: database.settings.databaseUrl!.reveal() };
    const variables = { ...url, FAIRLEAD_ENCRYPTION_KEYS: `test:${keyText('test')}` };
    expect(await run([], variables)).toMatchObject({ code: 1, error: expect.stringContaining('older release') });

    const bench = await AuditBench.open(await database.connect());
    const [account, other] = [await bench.addAccount(), await bench.addAccount()].sort() as [string, string];
    await bench.recordMany(account, 3);
    await bench.record(other);
    const [last, lastOfOther] = [(await bench.chain(account))[2]!, (await bench.chain(other))[0]!];
    const end = ({ seq, hash, seal }: StoredEntry): string =>
      `unbroken, last seq ${seq}, last hash ${hash}, last seal ${seal!.seal}\n`;
    const lines = [`account ${account}: 3 entries, ${end(last)}`, `account ${other}: 1 entry, ${end(lastOfOther)}`];
    expect(await run([], variables)).toEqual({ code: 0, out: lines.join(''), error: '' });

    const unchecked = [
      `account ${account}: 3 entries, 3 seals NOT CHECKED, ${end(last)}`,
      `account ${other}: 1 entry, 1 seal NOT CHECKED, ${end(lastOfOther)}`,
    ];
    expect(await run(['--without-seals'], url)).toEqual({ code: 0, out: unchecked.join(''), error: '' });
    const foreign = { ...url, FAIRLEAD_ENCRYPTION_KEYS: `test:${keyText('other')}` };
    expect(await run([], foreign)).toEqual({ code: 1, out: unchecked.join(''), error: '' });

    expect(await run(['--newest', last.seal!.seal], variables)).toEqual({
      code: 0,
      out: `account ${account}: 3 entries, the given seal at seq 3, ${end(last)}${lines[1]}`,
      error: '',
    });
    const gone = 'ab'.repeat(32);
    expect(await run(['--newest', gone], variables)).toEqual({
      code: 1,
      out: lines.join(''),
      error: expect.stringContaining(`no entry has the seal ${gone}: the newest entries were cut off`),
    });

    // All seals removed, an entry rewritten, and then a change that is sealed on top of that.
    await bench.tamper(
      `update audit_entries set seal = null, seal_key = null where account_id = $account;
       update audit_entries set target = 'forged' where account_id = $account and seq = 1`,
      other,
    );
    const [bare] = await bench.chain(other);
    await bench.tamper(`update audit_entries set hash = '${hashEntry(bare!)}' where account_id = $account`, other);
    await bench.record(other);
    const stripped = await run([], variables);
    expect(stripped).toMatchObject({
      code: 1,
      out: expect.stringContaining(`account ${other}: 2 entries, 1 not sealed, unbroken`),
      error: expect.stringMatching(/^fairlead verify audit: 1 entry is not sealed, and 0 may be: .*\n$/),
    });
    expect(await run(['--unsealed', '0'], variables)).toEqual(stripped);
    expect(await run(['--unsealed', '1'], variables)).toMatchObject({ code: 0, error: '' });
    expect(await run(['--without-seals'], url)).toMatchObject({ code: 0, error: '' });
    for (const number of ['-1', '1.5', 'all', ''])
      expect(await run([`--unsealed=${number}`], variables)).toMatchObject({ code: 2 });
    const forged = `account ${other}: 2 entries, 1 not sealed, ${end((await bench.chain(other))[1]!)}`;

    await bench.tamper(`update audit_entries set target = 'other' where seq = 2 and account_id = $account`, account);
    const broken = `account ${account}: 1 entry, then BROKEN at seq 2: the entry was changed after it was recorded: its hash differs\n`;
    expect(await run(['--unsealed', '1'], variables)).toEqual({ code: 1, out: broken + forged, error: '' });

    await bench.dataSource.query(
      `insert into migrations (timestamp, name) values (1999999999999, 'Newer1999999999999')`,
    );
    expect(await run([], variables)).toMatchObject({ code: 1, error: expect.stringContaining('newer release') });
    await bench.dataSource.destroy();
  });
});
