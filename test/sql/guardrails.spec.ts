// The statements of guardrails: rows of one account only; a key or member has one guardrail and budgets that agree with
// it under concurrent changes; the budget of a workspace's default; and reads that are neither outdated nor too
// frequent. Real migrated databases, with the classes assembled by hand.
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { DefaultWorkspace } from '../../src/accounts/account-directory.js';
import { AccountEntity } from '../../src/accounts/account.entity.js';
import type { Budgets } from '../../src/accounts/budgets.js';
import type { RoutingPolicies } from '../../src/accounts/routing-policies.js';
import { WorkspaceDirectory } from '../../src/accounts/workspace-directory.js';
import { WorkspaceEntity } from '../../src/accounts/workspace.entity.js';
import { AuditLog } from '../../src/audit/audit-log.js';
import type { AuditSeals } from '../../src/audit/audit-seals.js';
import type { DestinationsService } from '../../src/destinations/destinations.service.js';
import type { CredentialsService } from '../../src/byok/credentials.service.js';
import type { CatalogStore } from '../../src/catalog/catalog-store.js';
import { wholeAccount, type Caller } from '../../src/core/caller.js';
import { hashKey, newApiKey, newUuid } from '../../src/core/ids.js';
import { Clock } from '../../src/core/time.js';
import { GuardrailEntity, type GuardrailTerms } from '../../src/guardrails/guardrail.entity.js';
import { ActiveGuardrails, NONE } from '../../src/guardrails/active-guardrails.js';
import { GuardrailsRepository } from '../../src/guardrails/guardrails.repository.js';
import { GuardrailsService } from '../../src/guardrails/guardrails.service.js';
import { ApiKeyEntity } from '../../src/keys/api-key.entity.js';
import type { KeyCache } from '../../src/keys/key-cache.js';
import type { KeysService } from '../../src/keys/keys.service.js';
import type { AccountOpening } from '../../src/ledger/account-opening.js';
import { WorkspacesRepository } from '../../src/workspaces/workspaces.repository.js';
import { WorkspacesService } from '../../src/workspaces/workspaces.service.js';
import { accountOpening } from '../support/account-opening.js';
import { auditSeals, managedChanges } from '../support/audit-log.js';
import { describeOnEachDatabase, describeOnPostgres, type TestDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';

const USD = 1_000_000_000_000n;
const PAGE = { offset: 0, limit: 100 };

class ManualClock extends Clock {
  time = Date.UTC(2026, 10, 21, 12);

  override now(): number {
    return this.time;
  }
}

/** The classes of one process on a store. */
interface Replica {
  readonly repository: GuardrailsRepository;
  readonly guardrails: ActiveGuardrails;
  readonly guardrailsService: GuardrailsService;
  readonly workspacesService: WorkspacesService;
}

class Bench {
  readonly clock = new ManualClock();
  dataSource!: DataSource;
  private seals!: AuditSeals;
  home!: DefaultWorkspace;
  caller!: Caller;

  constructor(private readonly database: TestDatabase) {}

  async open(): Promise<void> {
    Logger.overrideLogger(false);
    this.dataSource = await this.database.connect([AccountEntity, WorkspaceEntity, ApiKeyEntity, GuardrailEntity]);
    // Cached, as in a process that has started: a change is then made once.
    this.seals = auditSeals(this.dataSource, this.clock);
    await this.seals.prepare();
  }

  async reset(): Promise<void> {
    await this.dataSource.query(
      'truncate accounts, workspaces, api_keys, spending_windows, guardrails, guardrail_assignments, budgets cascade',
    );
    this.home = await this.accounts.ensureDefault();
    this.caller = this.callerOf(this.home, hashKey(newApiKey()), 'user');
  }

  get accounts(): AccountOpening {
    return accountOpening(this.dataSource, this.clock);
  }

  replica(): Replica {
    const repository = new GuardrailsRepository(this.dataSource);
    const guardrails = new ActiveGuardrails(repository, this.clock);
    const keys = { ownsAll: () => Promise.resolve(true) } as unknown as KeysService;
    const catalog = { current: { providers: new Map() } } as unknown as CatalogStore;
    const changes = managedChanges(this.dataSource, this.clock, this.seals);
    const workspaces = new WorkspaceDirectory(this.dataSource);
    return {
      repository,
      guardrails,
      guardrailsService: new GuardrailsService(repository, guardrails, workspaces, keys, catalog, changes),
      workspacesService: new WorkspacesService(
        workspaces,
        new WorkspacesRepository(this.dataSource),
        {} as unknown as Budgets,
        { forgetAll: () => undefined } as unknown as RoutingPolicies,
        guardrails,
        keys,
        { forgetAll: () => undefined } as unknown as KeyCache,
        {} as unknown as CredentialsService,
        {} as unknown as DestinationsService,
        changes,
      ),
    };
  }

  callerOf({ accountId, workspaceId }: DefaultWorkspace, keyHash: string, userId: string | null): Caller {
    return { accountId, workspaceId, keyHash, userId, kind: 'inference' };
  }

  async addStrangers(): Promise<DefaultWorkspace> {
    const home = { accountId: newUuid(this.clock.time), workspaceId: newUuid(this.clock.time) };
    const createdAt = new Date(this.clock.time);
    await this.dataSource.query(`insert into accounts (id, name, free_tier, created_at) values ($1, 'theirs', false, $2)`, [home.accountId, createdAt]); // oxfmt-ignore
    await this.dataSource.query(
      `insert into workspaces (id, account_id, name, slug, is_default, created_at) values ($1, $2, 'theirs', 'theirs', false, $3)`,
      [home.workspaceId, home.accountId, createdAt],
    );
    return home;
  }

  create(
    terms: Partial<GuardrailTerms> = {},
    guardrailsService = this.replica().guardrailsService,
  ): Promise<GuardrailEntity> {
    return guardrailsService.create(this.caller, { name: 'g', ...terms }, undefined);
  }

  makeDefault(guardrailId: string | null): Promise<JsonBody> {
    return this.dataSource.query('update workspaces set default_guardrail_id = $1 where id = $2', [
      guardrailId,
      this.home.workspaceId,
    ]);
  }

  async budgets(): Promise<JsonBody[]> {
    return this.dataSource.query(`select scope_id, interval, limit_usd, include_byok from budgets order by scope_id`);
  }
}

describeOnEachDatabase('guardrails', (database) => {
  const bench = new Bench(database);
  beforeAll(() => bench.open(), 60_000);
  afterAll(() => bench.dataSource.destroy());
  beforeEach(() => bench.reset());

  it('stores every term as it was given', async () => {
    const { guardrailsService } = bench.replica();
    const made = await bench.create({
      description: 'd',
      limitUsd: 123456789012345n * USD + 1n,
      resetInterval: 'weekly',
      includeByokInBudgets: true,
      allowedModels: ['a/*'],
      enforceZdrXai: false,
      contentFilters: [{ pattern: '["\\\\]é😀', action: 'block', label: null }],
      contentFilterBuiltins: [{ slug: 'regex-prompt-injection', action: 'flag', scan_scope: 'user_only' }],
    });
    expect(await guardrailsService.get(wholeAccount(bench.home.accountId), made.id)).toEqual(made);
  });

  it('shows no account the guardrails of another, and lets none change them', async () => {
    const { guardrailsService, guardrails } = bench.replica();
    const { id } = await bench.create({ limitUsd: USD, allowedModels: ['a/*'] });
    await guardrailsService.assign(bench.caller, id, 'member', ['user']);
    await bench.makeDefault(id);
    const strangers = bench.callerOf(await bench.addStrangers(), bench.caller.keyHash, 'user');
    const { accountId } = strangers;
    for (const refused of [
      guardrailsService.get(wholeAccount(accountId), id),
      guardrailsService.update(strangers, id, { name: 'mine' }),
      guardrailsService.delete(strangers, id),
      guardrailsService.assign(strangers, id, 'member', ['user']),
      guardrailsService.unassign(strangers, id, 'member', ['user']),
      guardrailsService.listKeys(wholeAccount(accountId), id, PAGE),
      guardrailsService.listMembers(wholeAccount(accountId), id, PAGE),
      guardrailsService.create(strangers, { name: 'n' }, bench.home.workspaceId),
    ])
      await expect(refused).rejects.toMatchObject({ kind: 'not-found' });
    expect(await guardrailsService.list(wholeAccount(accountId), PAGE, undefined)).toEqual([[], 0]);
    expect(await guardrailsService.listMembers(wholeAccount(accountId), undefined, PAGE)).toEqual([[], 0]);
    expect(await guardrails.of(strangers)).toBe(NONE);
    expect((await guardrails.of(bench.caller)).policies).toEqual([{ onlyModels: ['a/*'] }]);
    expect((await bench.budgets()).length).toBeGreaterThan(0);
  });

  it('is atomic: a change that cannot be logged is not made', async () => {
    const { guardrailsService } = bench.replica();
    const { id } = await bench.create({ limitUsd: USD });
    const broken = jest.spyOn(AuditLog.prototype, 'record').mockRejectedValue(new Error('no log'));
    await expect(guardrailsService.update(bench.caller, id, { name: 'other' })).rejects.toThrow('no log');
    await expect(guardrailsService.assign(bench.caller, id, 'member', ['user'])).rejects.toThrow('no log');
    await expect(guardrailsService.delete(bench.caller, id)).rejects.toThrow('no log');
    broken.mockRestore();
    expect((await guardrailsService.get(wholeAccount(bench.home.accountId), id)).name).toBe('g');
    expect(await bench.budgets()).toEqual([]);
  });

  it('limits the number of guardrails in an account', async () => {
    const { id } = await bench.create();
    await bench.dataSource.query(
      `insert into guardrails (id, account_id, workspace_id, name, include_byok_in_budgets, created_at)
       select gen_random_uuid(), account_id, workspace_id, name, false, created_at from guardrails, generate_series(1, 999) where id = $1`,
      [id],
    );
    await expect(bench.create()).rejects.toMatchObject({ kind: 'invalid-request' });
  });

  describe('what is in force', () => {
    it('applies through the key, the member and the workspace, each with its own budget', async () => {
      const { guardrailsService, guardrails } = bench.replica();
      const [ofKey, ofMember, ofWorkspace] = [
        await bench.create({ ignoredModels: ['k'] }),
        await bench.create({ ignoredModels: ['m'] }),
        await bench.create({ ignoredModels: ['w'], limitUsd: USD, resetInterval: 'monthly' }),
      ];
      await guardrailsService.assign(bench.caller, ofKey.id, 'key', [bench.caller.keyHash]);
      await guardrailsService.assign(bench.caller, ofMember.id, 'member', ['user']);
      await bench.makeDefault(ofWorkspace.id);
      const { policies, budgets } = await guardrails.of(bench.caller);
      expect(policies).toEqual([{ ignoreModels: ['k'] }, { ignoreModels: ['m'] }, { ignoreModels: ['w'] }]);
      expect(budgets).toEqual([
        `${ofKey.id}:key:${bench.caller.keyHash}`,
        `${ofMember.id}:member:user`,
        `${ofWorkspace.id}:workspace:${bench.home.workspaceId}`,
      ]);
      expect(await bench.budgets()).toEqual([
        { scope_id: budgets[2], interval: 'monthly', limit_usd: '1.000000000000', include_byok: false },
      ]);
      const otherCaller = await guardrails.of({ ...bench.caller, keyHash: hashKey('other'), userId: null });
      expect(otherCaller.budgets).toEqual([budgets[2]]);
    });

    it('counts once as a rule and once per assignment as a budget', async () => {
      const { guardrailsService, guardrails } = bench.replica();
      const { id } = await bench.create({ ignoredModels: ['a'] });
      await guardrailsService.assign(bench.caller, id, 'key', [bench.caller.keyHash]);
      await guardrailsService.assign(bench.caller, id, 'member', ['user']);
      await bench.makeDefault(id);
      const { policies, budgets } = await guardrails.of(bench.caller);
      expect([policies.length, budgets.length]).toEqual([1, 3]);
    });

    it('has identical rules for all callers with the same guardrails, made once', async () => {
      const { guardrailsService, guardrails } = bench.replica();
      const { id } = await bench.create({ contentFilterBuiltins: [{ slug: 'ssn', action: 'block' }] });
      await guardrailsService.assign(bench.caller, id, 'member', ['user']);
      const one = await guardrails.of(bench.caller);
      const other = await guardrails.of({ ...bench.caller, keyHash: hashKey('other') });
      // Functions are equal only if they are identical.
      expect(other).toEqual(one);
    });

    it('queries the store for the account only where nothing is in force', async () => {
      await bench.create({ ignoredModels: ['a'] });
      const { guardrails, repository } = bench.replica();
      const spies = [jest.spyOn(repository, 'listInForce'), jest.spyOn(repository, 'listEffective')];
      for (let key = 0; key < 50; key++)
        expect(await guardrails.of({ ...bench.caller, keyHash: hashKey(String(key)) })).toBe(NONE);
      expect(spies.map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
    });

    it('queries once for each caller in two seconds, however often it calls', async () => {
      const { guardrails, repository, guardrailsService } = bench.replica();
      const { id } = await bench.create();
      await guardrailsService.assign(bench.caller, id, 'key', [bench.caller.keyHash]);
      const spies = [jest.spyOn(repository, 'listInForce'), jest.spyOn(repository, 'listEffective')];
      for (let turn = 0; turn < 50; turn++) await guardrails.of(bench.caller);
      expect(spies.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    });

    it('is updated on another replica within five seconds', async () => {
      const [here, there] = [bench.replica(), bench.replica()];
      const policiesOf = async ({ guardrails }: Replica): Promise<number> =>
        (await guardrails.of(bench.caller)).policies.length;
      expect([await policiesOf(here), await policiesOf(there)]).toEqual([0, 0]);
      const { id } = await bench.create({ ignoredModels: ['a'] }, here.guardrailsService);
      await here.guardrailsService.assign(bench.caller, id, 'key', [bench.caller.keyHash]);
      expect([await policiesOf(here), await policiesOf(there)]).toEqual([1, 0]);
      bench.clock.time += 4_000;
      expect(await policiesOf(there)).toBe(1);
      await here.guardrailsService.delete(bench.caller, id);
      expect(await policiesOf(here)).toBe(0);
      bench.clock.time += 4_000;
      expect(await policiesOf(there)).toBe(0);
    });

    it('is not guessed when the store does not answer', async () => {
      const { guardrails, repository } = bench.replica();
      const failing = jest.spyOn(repository, 'listInForce').mockRejectedValue(new Error('gone'));
      await expect(guardrails.of(bench.caller)).rejects.toMatchObject({ kind: 'service-unavailable' });
      failing.mockRestore();
      expect(await guardrails.of(bench.caller)).toBe(NONE);
    });
  });

  describe('the budget of a workspace’s default', () => {
    const scopeIds = async (): Promise<string[]> => (await bench.budgets()).map(({ scope_id }) => scope_id);

    it('follows the terms, the choice of default and the end of the guardrail', async () => {
      const { guardrailsService, guardrails } = bench.replica();
      const [one, other] = [await bench.create({ limitUsd: USD }), await bench.create({ limitUsd: USD })];
      await bench.makeDefault(one.id);
      await guardrails.of(bench.caller);
      expect(await scopeIds()).toEqual([`${one.id}:workspace:${bench.home.workspaceId}`]);
      await guardrailsService.update(bench.caller, one.id, { limitUsd: 2n * USD, resetInterval: 'daily' });
      expect(await bench.budgets()).toMatchObject([{ interval: 'daily', limit_usd: '2.000000000000' }]);
      await guardrailsService.update(bench.caller, one.id, { limitUsd: null });
      expect(await scopeIds()).toEqual([]);
      await bench.makeDefault(other.id);
      bench.clock.time += 4_000;
      const { budgets } = await guardrails.of(bench.caller);
      expect(await scopeIds()).toEqual(budgets);
      await guardrailsService.delete(bench.caller, other.id);
      expect(await scopeIds()).toEqual([]);
      const [workspace] = await bench.dataSource.query('select default_guardrail_id from workspaces');
      expect(workspace.default_guardrail_id).toBeNull();
    });
  });
});

describeOnPostgres('concurrent changes of guardrails', (database) => {
  const bench = new Bench(database);
  beforeAll(() => bench.open(), 60_000);
  afterAll(() => bench.dataSource.destroy());
  beforeEach(() => bench.reset());

  it('leave every member with one guardrail, and budgets that agree', async () => {
    const guardrails = [await bench.create({ limitUsd: USD }), await bench.create({ limitUsd: 2n * USD })];
    const members = ['a', 'b', 'c', 'd'];
    const replicas = [bench.replica(), bench.replica()];
    const work: Promise<unknown>[] = [];
    for (let turn = 0; turn < 24; turn++) {
      const { guardrailsService } = replicas[turn % 2]!;
      const { id } = guardrails[turn % 3 === 0 ? 0 : 1]!;
      const some = turn % 2 === 0 ? members : members.toReversed();
      work.push(
        turn % 5 === 4
          ? guardrailsService.update(bench.caller, id, { limitUsd: BigInt(turn) * USD })
          : turn % 7 === 6
            ? guardrailsService.unassign(bench.caller, id, 'member', some)
            : guardrailsService.assign(bench.caller, id, 'member', some),
      );
    }
    await Promise.all(work);
    const wanted = await bench.dataSource.query(
      `select g.id || ':member:' || a.subject as scope_id, 'lifetime' as interval, g.limit_usd, false as include_byok
       from guardrail_assignments a join guardrails g on g.id = a.guardrail_id order by 1`,
    );
    expect(await bench.budgets()).toEqual(wanted);
    expect((await bench.dataSource.query('select seq from audit_entries')).length).toBeGreaterThan(2);
  });

  it('leave no workspace with a deleted default', async () => {
    const { id } = await bench.create({ limitUsd: USD });
    const other = bench.dataSource.createQueryRunner();
    await other.startTransaction('READ COMMITTED');
    // As a change of the workspace does it.
    await other.query('select 1 from guardrails where id = $1 for key share', [id]);
    const set = 'update workspaces set default_guardrail_id = $1 where id = $2';
    await other.query(set, [id, bench.home.workspaceId]);
    const deletion = bench.replica().guardrailsService.delete(bench.caller, id);
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    while ((await other.query(waiting)).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await other.commitTransaction();
    await other.release();
    await deletion;
    const [workspace] = await bench.dataSource.query('select default_guardrail_id from workspaces');
    expect(workspace).toEqual({ default_guardrail_id: null });
    const entries = await bench.dataSource.query('select action, before from audit_entries order by seq desc limit 2');
    expect(entries.map(({ action }: JsonBody) => action)).toEqual(['guardrail.delete', 'workspace.update']);
    expect(JSON.parse(entries[1].before)).toMatchObject({ default_guardrail_id: id });
  });

  it('leave no budget of former terms beside a default that is just being chosen', async () => {
    const { id } = await bench.create({ limitUsd: USD });
    await bench.makeDefault(id);
    for (let turn = 0; turn < 10; turn++) {
      await bench.dataSource.query('delete from budgets');
      const terms = { limitUsd: BigInt(turn + 2) * USD, resetInterval: turn % 2 === 0 ? ('daily' as const) : null };
      await Promise.all([
        bench.replica().guardrailsService.update(bench.caller, id, terms),
        ...Array.from({ length: 4 }, () => bench.replica().guardrails.of(bench.caller)),
      ]);
      expect(await bench.budgets()).toMatchObject([
        { interval: terms.resetInterval ?? 'lifetime', limit_usd: `${turn + 2}.000000000000` },
      ]);
    }
  });

  it('accept no default that is being deleted, without a collision', async () => {
    const { workspaceId } = bench.home;
    const attempts = jest.spyOn(bench.dataSource, 'transaction');
    for (let turn = 0; turn < 20; turn++) {
      const { id } = await bench.create();
      attempts.mockClear();
      const choose = (): Promise<unknown> =>
        bench.replica().workspacesService.change(bench.caller, workspaceId, { defaultGuardrailId: id });
      const first = Array.from({ length: 3 }, choose);
      await new Promise((resolve) => setTimeout(resolve, turn % 10));
      const work = [...first, bench.replica().guardrailsService.delete(bench.caller, id), ...first.map(choose)];
      const refusals = (await Promise.allSettled(work)).filter((outcome) => outcome.status === 'rejected');
      for (const { reason } of refusals) expect(reason).toMatchObject({ kind: 'not-found' });
      const [workspace] = await bench.dataSource.query('select default_guardrail_id from workspaces');
      expect(workspace.default_guardrail_id).toBeNull();
      expect(attempts).toHaveBeenCalledTimes(work.length);
    }
    attempts.mockRestore();
  });
});
