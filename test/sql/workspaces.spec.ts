// The statements of workspaces and routing policies on both databases: nothing is added to a workspace that is being
// deleted, deleted ones do not exist for any caller, and policies are read whole, once, and only if they are current.
// Real migrated databases, with the classes assembled by hand; races on PostgreSQL.
import type { DataSource, ObjectLiteral } from 'typeorm';
import type { DefaultWorkspace } from '../../src/accounts/account-directory.js';
import { AccountEntity } from '../../src/accounts/account.entity.js';
import { RoutingPolicies } from '../../src/accounts/routing-policies.js';
import { WorkspaceDirectory } from '../../src/accounts/workspace-directory.js';
import { WorkspaceEntity } from '../../src/accounts/workspace.entity.js';
import { wholeAccount, type Caller } from '../../src/core/caller.js';
import { newUuid } from '../../src/core/ids.js';
import { Clock } from '../../src/core/time.js';
import type { AccountOpening } from '../../src/ledger/account-opening.js';
import { Statements } from '../../src/shared/database/statements.js';
import { WorkspacesRepository } from '../../src/workspaces/workspaces.repository.js';
import { accountOpening } from '../support/account-opening.js';
import { describeOnEachDatabase, describeOnPostgres, type TestDatabase } from '../support/database.js';

class ManualClock extends Clock {
  time = Date.UTC(2026, 10, 21, 12);

  override now(): number {
    return this.time;
  }
}

/** Counts statements. */
class CountedStatements extends Statements {
  statementCount = 0;

  override run<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    this.statementCount++;
    return super.run<Row>(text, values);
  }
}

class Bench {
  readonly clock = new ManualClock();
  readonly accounts: AccountOpening;
  readonly directory: WorkspaceDirectory;
  readonly workspaces: WorkspacesRepository;
  readonly statements: CountedStatements;

  private constructor(readonly source: DataSource) {
    this.accounts = accountOpening(source, this.clock);
    this.directory = new WorkspaceDirectory(source);
    this.workspaces = new WorkspacesRepository(source);
    this.statements = new CountedStatements(source);
  }

  static async open(database: TestDatabase): Promise<Bench> {
    return new Bench(await database.connect([AccountEntity, WorkspaceEntity]));
  }

  async addWorkspace(accountId: string, values: Partial<WorkspaceEntity> = {}): Promise<WorkspaceEntity> {
    const id = newUuid(this.clock.time);
    const createdAt = new Date(this.clock.time);
    await this.source.manager.insert<ObjectLiteral>(WorkspaceEntity, {
      id,
      accountId,
      name: 'n',
      slug: id,
      isDefault: false,
      createdAt,
      ...values,
    });
    return this.directory.get(wholeAccount(accountId), id);
  }

  async addStrangers(): Promise<DefaultWorkspace> {
    const accountId = newUuid(this.clock.time);
    const createdAt = new Date(this.clock.time);
    await this.source.manager.insert(AccountEntity, { id: accountId, name: 'theirs', freeTier: true, createdAt });
    const { id } = await this.addWorkspace(accountId);
    return { accountId, workspaceId: id };
  }

  remove(workspace: WorkspaceEntity): Promise<void> {
    const at = new Date(this.clock.time);
    return this.source.transaction('READ COMMITTED', async (manager) => {
      await this.directory.lock(manager, wholeAccount(workspace.accountId), workspace.id);
      await this.workspaces.remove(manager, workspace, at);
    });
  }
}

describeOnEachDatabase('workspaces', (database) => {
  let bench: Bench;
  let home: DefaultWorkspace;
  beforeAll(async () => {
    bench = await Bench.open(database);
    home = await bench.accounts.ensureDefault();
  }, 240_000);
  afterAll(() => bench?.source.destroy());

  /** Whether a lookup succeeds; false where it reports that there is none. */
  const isThere = (lookup: Promise<unknown>): Promise<boolean> =>
    lookup.then(
      () => true,
      (error: { readonly kind?: string }) => {
        expect(error.kind).toBe('not-found');
        return false;
      },
    );
  const keep = ({ accountId }: DefaultWorkspace, workspaceId: string): Promise<void> =>
    bench.source.transaction('READ COMMITTED', (manager) =>
      bench.directory.lockShared(manager, accountId, workspaceId),
    );

  it('belong to their account, by id and slug, and are gone once deleted', async () => {
    const strangers = await bench.addStrangers();
    const workspace = await bench.addWorkspace(home.accountId);
    const known = (): Promise<boolean[]> =>
      Promise.all(
        [home, strangers].flatMap((owner) => [
          isThere(bench.directory.get(wholeAccount(owner.accountId), workspace.id)),
          isThere(bench.directory.get(wholeAccount(owner.accountId), workspace.slug)),
          isThere(bench.directory.idOrDefault(wholeAccount(owner.accountId), workspace.id)),
          isThere(keep(owner, workspace.id)),
        ]),
      );
    expect(await known()).toEqual([true, true, true, true, false, false, false, false]);
    await bench.remove(workspace);
    expect(await known()).toEqual(Array.from({ length: 8 }, () => false));
    // Records of the past still find it, by its id.
    expect(await bench.directory.idEvenIfDeleted(wholeAccount(home.accountId), workspace.id)).toBe(workspace.id);
    expect(await isThere(bench.directory.idEvenIfDeleted(wholeAccount(home.accountId), 'no-such'))).toBe(false);
    expect(await isThere(bench.directory.idEvenIfDeleted(wholeAccount(strangers.accountId), workspace.id))).toBe(false);
    const again = await bench.addWorkspace(home.accountId, { slug: workspace.slug });
    expect((await bench.directory.get(wholeAccount(home.accountId), workspace.slug)).id).toBe(again.id);
  });

  it('that are the default count as such until they are deleted, and never make a second account', async () => {
    expect(await bench.directory.idOrDefault(wholeAccount(home.accountId), undefined)).toBe(home.workspaceId);
    const setDeleted = 'update workspaces set deleted_at = $2 where id = $1';
    await bench.source.query(setDeleted, [home.workspaceId, new Date()]);
    await expect(bench.directory.idOrDefault(wholeAccount(home.accountId), undefined)).rejects.toMatchObject({
      kind: 'invalid-request',
    });
    expect(await bench.accounts.ensureDefault()).toEqual(home);
    await bench.source.query(setDeleted, [home.workspaceId, null]);
  });

  describe('their policies', () => {
    const callerOf = ({ accountId, workspaceId }: DefaultWorkspace): Caller => ({
      accountId,
      workspaceId,
      keyHash: 'k',
      kind: 'inference',
      userId: null,
    });
    const policies = (): RoutingPolicies => new RoutingPolicies(bench.statements, bench.clock);

    it('are empty where nothing is set, and come from no other account', async () => {
      const strangers = await bench.addStrangers();
      await bench.source.manager.update(AccountEntity, { id: strangers.accountId }, { enforceZdr: true });
      expect((await policies().of(callerOf(home))).routing).toEqual([]);
      expect((await policies().of(callerOf({ ...home, workspaceId: strangers.workspaceId }))).routing).toEqual([]);
      expect((await policies().of(callerOf({ ...strangers, workspaceId: home.workspaceId }))).routing).toEqual([
        { zeroDataRetention: true },
      ]);
    });

    it('are the workspace’s and then the account’s, with the set fields, and immutable', async () => {
      const { accountId, workspaceId } = await bench.addStrangers();
      const account = { allowedProviders: ['openai'], denyDataCollection: true };
      await bench.source.manager.update(AccountEntity, { id: accountId }, account);
      const workspace = { ignoredProviders: ['groq', 'x'], enforceZdr: true, defaultProviderSort: 'latency' } as const;
      await bench.source.manager.update(WorkspaceEntity, { id: workspaceId }, workspace);
      const before = bench.statements.statementCount;
      const { routing: found } = await policies().of(callerOf({ accountId, workspaceId }));
      expect(bench.statements.statementCount - before).toBe(1);
      expect(found).toEqual([
        { ignore: ['groq', 'x'], zeroDataRetention: true, sort: 'latency' },
        { only: ['openai'], denyDataCollection: true },
      ]);
      expect([found, ...found].every(Object.isFrozen)).toBe(true);
    });

    it('are queried once in four seconds, and at once when they were forgotten', async () => {
      const [known, caller] = [policies(), callerOf(await bench.addStrangers())];
      const before = bench.statements.statementCount;
      await Promise.all([known.of(caller), known.of(caller)]);
      await known.of(caller);
      expect(bench.statements.statementCount - before).toBe(1);
      await bench.source.manager.update(AccountEntity, { id: caller.accountId }, { enforceZdr: true });
      expect((await known.of(caller)).routing).toEqual([]);
      known.forgetAll();
      expect((await known.of(caller)).routing).toEqual([{ zeroDataRetention: true }]);
      await bench.source.manager.update(AccountEntity, { id: caller.accountId }, { enforceZdr: false });
      bench.clock.time += 4_000;
      expect((await known.of(caller)).routing).toEqual([]);
    });

    it('are not invented where the store does not answer', async () => {
      const broken = new RoutingPolicies(
        { run: () => Promise.reject(new Error('down')) } as unknown as Statements,
        bench.clock,
      );
      await expect(broken.of(callerOf(home))).rejects.toMatchObject({
        kind: 'service-unavailable',
        detail: { retryAfterMs: 1_000 },
      });
    });
  });
});

describeOnPostgres('concurrent changes of workspaces', (database) => {
  let bench: Bench;
  let home: DefaultWorkspace;
  beforeAll(async () => {
    bench = await Bench.open(database);
    home = await bench.accounts.ensureDefault();
  }, 240_000);
  afterAll(() => bench?.source.destroy());

  it('delete none while something is added to it, and add nothing afterwards', async () => {
    const workspace = await bench.addWorkspace(home.accountId);
    const order: string[] = [];
    let removal: Promise<void> | undefined;
    await bench.source.transaction('READ COMMITTED', async (manager) => {
      await bench.directory.lockShared(manager, home.accountId, workspace.id);
      removal = bench.remove(workspace).then(() => void order.push('deleted'));
      await waitForLock(bench.source);
      order.push('put in');
    });
    await removal;
    expect(order).toEqual(['put in', 'deleted']);

    const next = await bench.addWorkspace(home.accountId);
    let kept: Promise<unknown> | undefined;
    await bench.source.transaction('READ COMMITTED', async (manager) => {
      await bench.directory.lock(manager, wholeAccount(home.accountId), next.id);
      kept = bench.source
        .transaction('READ COMMITTED', (other) => bench.directory.lockShared(other, home.accountId, next.id))
        .catch((error: unknown) => error);
      await waitForLock(bench.source);
      await bench.workspaces.remove(manager, next, new Date(bench.clock.time));
    });
    expect(await kept).toMatchObject({ kind: 'not-found' });
  });

  it('give a slug to one of several', async () => {
    const [first, second] = [await bench.addWorkspace(home.accountId), await bench.addWorkspace(home.accountId)];
    const take = (workspace: WorkspaceEntity): Promise<WorkspaceEntity> =>
      bench.source.transaction('READ COMMITTED', (manager) =>
        bench.workspaces.change(manager, workspace, { slug: 'wanted' }, new Date(bench.clock.time)),
      );
    const outcomes = await Promise.allSettled([take(first), take(second)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { kind: 'invalid-request', message: 'slug: another workspace of the account has it' },
    });
  });
});

/** Resolves when a session waits for a lock. */
async function waitForLock(source: DataSource): Promise<void> {
  const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  while ((await source.query<unknown[]>(waiting)).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
}
