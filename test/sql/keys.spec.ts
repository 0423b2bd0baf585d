// The statements of accounts, keys and their spending on both databases: exact amounts, rows of one account only, and
// one outcome under concurrent calls. Real migrated databases, with the classes assembled by hand.
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { AccountDirectory, type DefaultWorkspace } from '../../src/accounts/account-directory.js';
import { AccountEntity } from '../../src/accounts/account.entity.js';
import { WorkspaceDirectory } from '../../src/accounts/workspace-directory.js';
import { WorkspaceEntity } from '../../src/accounts/workspace.entity.js';
import { operatorOf, type AuditActor } from '../../src/audit/audit-log.js';
import { ManagedChanges } from '../../src/management/managed-changes.js';
import { wholeAccount } from '../../src/core/caller.js';
import { hashKey, newApiKey, newUuid } from '../../src/core/ids.js';
import { Secret } from '../../src/core/secret.js';
import { Clock } from '../../src/core/time.js';
import { ApiKeyEntity } from '../../src/keys/api-key.entity.js';
import { FirstKeys } from '../../src/keys/first-keys.js';
import { KeyCache } from '../../src/keys/key-cache.js';
import { KeyLookups } from '../../src/keys/key-lookups.js';
import { KeysService } from '../../src/keys/keys.service.js';
import { KeysRepository, type KeyListing } from '../../src/keys/keys.repository.js';
import { newKeyRow, plainKey, type KeyDescription } from '../../src/keys/new-key.js';
import type { Postings } from '../../src/ledger/postings.js';
import type { AccountOpening } from '../../src/ledger/account-opening.js';
import { SpendingWindowEntity } from '../../src/ledger/spending-window.entity.js';
import { SpendingWindows, NO_SPENDING } from '../../src/ledger/spending-windows.js';
import { SpendingWindowsRepository } from '../../src/ledger/spending-windows.repository.js';
import type { Environment } from '../../src/shared/environment.js';
import { accountOpening } from '../support/account-opening.js';
import { managedChanges } from '../support/audit-log.js';
import { generationRow, settle as settleRows } from '../http/generation-rows.js';
import { describeOnEachDatabase } from '../support/database.js';

const NO_POSTINGS = { flush: async () => undefined } as unknown as Postings;
const USD = 1_000_000_000_000n;
const ALL_KEYS: KeyListing = {
  workspaceId: undefined,
  creatorUserId: undefined,
  kind: undefined,
  disabled: undefined,
  name: undefined,
  includeDeleted: false,
  sort: 'created_at',
  offset: 0,
  limit: 100,
};
const SATURDAY_NOON = Date.UTC(2026, 10, 21, 12);

class ManualClock extends Clock {
  time = SATURDAY_NOON;
  override aheadMs = 0;

  override now(): number {
    return this.time;
  }
}

describeOnEachDatabase('keys', (database) => {
  const clock = new ManualClock();
  const settings = { initialCredits: (25n * USD) / 2n };
  let dataSource: DataSource;
  let accounts: AccountOpening;
  let keys: KeysRepository;
  let windows: SpendingWindows;
  let changes: ManagedChanges;
  let workspaces: WorkspaceDirectory;
  let ring: KeysService;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    dataSource = await database.connect([AccountEntity, WorkspaceEntity, ApiKeyEntity, SpendingWindowEntity]);
    accounts = accountOpening(dataSource, clock, settings.initialCredits);
    keys = new KeysRepository(dataSource.getRepository(ApiKeyEntity));
    changes = managedChanges(dataSource, clock);
    workspaces = new WorkspaceDirectory(dataSource);
    ring = new KeysService(keys, new KeyCache(new KeyLookups(keys), clock), workspaces, changes, clock);
    windows = new SpendingWindows(
      new SpendingWindowsRepository(dataSource.getRepository(SpendingWindowEntity)),
      NO_POSTINGS,
      clock,
    );
  }, 240_000);
  afterAll(() => dataSource.destroy());

  beforeEach(async () => {
    clock.time = SATURDAY_NOON;
    clock.aheadMs = 0;
    await dataSource.query('truncate accounts, workspaces, api_keys, spending_windows cascade');
  });

  interface Recorded {
    readonly actor: string;
    readonly action: string;
    readonly target: string;
    readonly before: string | null;
    readonly after: string | null;
  }
  const listRecorded = (kind = 'api_key'): Promise<Recorded[]> =>
    dataSource.query(
      `select actor, action, target, before, after from audit_entries where action like $1 || '.%' order by seq`,
      [kind],
    );
  const countRecorded = async (): Promise<number> => (await listRecorded()).length;

  const firstKeys = (variables: { managementKey?: Secret; apiKey?: Secret } = {}): FirstKeys =>
    new FirstKeys(changes, accounts, keys, { ...settings, ...variables } as Environment, clock);

  async function addKey(
    home: DefaultWorkspace,
    values: Partial<ApiKeyEntity> & Partial<KeyDescription> = {},
  ): Promise<string> {
    const row = newKeyRow(
      newApiKey(),
      { ...home, isWorkspaceBound: false },
      plainKey('name', 'inference'),
      new Date(clock.time),
    );
    await keys.insert(dataSource.manager, { ...row, ...values });
    return row.hash;
  }

  /** Why a change is refused; `none` where it is made. */
  const refusalOf = (change: Promise<unknown>): Promise<string> =>
    change.then(
      () => 'none',
      (error: Error) => error.message,
    );
  const ABSENT = 'There is no key with this hash.';
  const LAST =
    'The last management key of the account cannot be deleted or disabled; create another first, without workspace_id.';

  async function addStrangers(): Promise<DefaultWorkspace> {
    const accountId = newUuid(clock.time);
    const workspaceId = newUuid(clock.time);
    const createdAt = new Date(clock.time);
    await dataSource.manager.insert(AccountEntity, { id: accountId, name: 'theirs', freeTier: false, createdAt });
    await dataSource.manager.insert(WorkspaceEntity, {
      id: workspaceId,
      accountId,
      name: 'theirs',
      slug: 'theirs',
      isDefault: false,
      createdAt,
    });
    return { accountId, workspaceId };
  }

  describe('the account', () => {
    it('is made once, with its workspace and the granted credits, however many callers do it at once', async () => {
      const homes = await Promise.all(Array.from({ length: 5 }, () => accounts.ensureDefault()));
      const home = await accounts.ensureDefault();
      expect(homes).toEqual(homes.map(() => home));
      expect(await dataSource.manager.count(AccountEntity)).toBe(1);
      expect(await workspaces.idOrDefault(wholeAccount(home.accountId), undefined)).toBe(home.workspaceId);
      expect(await new AccountDirectory(dataSource).getFreeTier(home.accountId)).toEqual({
        isFreeTier: true,
        freeRequestsADay: 50,
      });
      expect(await dataSource.manager.find(SpendingWindowEntity)).toEqual([
        {
          accountId: home.accountId,
          scope: 'account',
          scopeId: home.accountId,
          interval: 'lifetime',
          windowStart: new Date(0),
          limit: settings.initialCredits,
          used: 0n,
          held: 0n,
          byokUsed: 0n,
          byokHeld: 0n,
          lastUsedAt: null,
        },
      ]);
      expect(await dataSource.query('select account_id, kind, amount, created_at from credit_grants')).toEqual([
        { account_id: home.accountId, kind: 'grant', amount: '12.500000000000', created_at: expect.any(Date) },
      ]);
      const [grant] = await dataSource.query<{ id: string }[]>('select id from credit_grants');
      const recorded = await listRecorded('credits');
      expect(recorded).toMatchObject([{ actor: 'operator', action: 'credits.enter', target: grant!.id, before: null }]);
      expect(JSON.parse(recorded[0]!.after!)).toMatchObject({ id: grant!.id, kind: 'grant', amount: 12.5 });
    });

    it('has a counter, and no grant, where nothing is granted', async () => {
      const ungenerous = accountOpening(dataSource, clock);
      const home = await ungenerous.ensureDefault();
      expect(await windows.ofAccount(home.accountId)).toEqual({ limit: 0n, used: 0n, held: 0n });
      expect(await dataSource.query('select id from credit_grants')).toEqual([]);
      expect(await listRecorded('credits')).toEqual([]);
    });

    it('has its own workspaces and no others', async () => {
      const home = await accounts.ensureDefault();
      const strangers = await addStrangers();
      expect((await workspaces.get(wholeAccount(home.accountId), home.workspaceId)).id).toBe(home.workspaceId);
      expect((await workspaces.get(wholeAccount(home.accountId), 'default')).id).toBe(home.workspaceId);
      await expect(workspaces.get(wholeAccount(home.accountId), strangers.workspaceId)).rejects.toMatchObject({
        kind: 'not-found',
      });
      await expect(workspaces.idOrDefault(wholeAccount(strangers.accountId), undefined)).rejects.toMatchObject({
        kind: 'invalid-request',
      });
    });
  });

  describe('first keys', () => {
    it('are generated once, by one of the replicas that start together', async () => {
      const made = await Promise.all(Array.from({ length: 4 }, () => firstKeys().ensure()));
      const [generated, ...others] = made.sort((one, other) => Object.keys(other).length - Object.keys(one).length);
      expect(others).toEqual([{}, {}, {}]);
      expect(generated).toEqual({
        managementKey: expect.stringMatching(/^sk-fl-v1-[0-9a-f]{64}$/),
        apiKey: expect.stringMatching(/^sk-fl-v1-[0-9a-f]{64}$/),
      });
      const hashes = [generated!.managementKey!, generated!.apiKey!].map(hashKey);
      expect((await keys.listActive(hashes)).map(({ caller }) => caller.kind).sort()).toEqual([
        'inference',
        'management',
      ]);
    });

    it('are those given by variables, at every start', async () => {
      const apiKey = new Secret('a key of my own');
      expect(Object.keys(await firstKeys({ apiKey }).ensure())).toEqual(['managementKey']);
      expect(await firstKeys({ apiKey }).ensure()).toEqual({});
      expect(await firstKeys({ apiKey: new Secret('another key of mine') }).ensure()).toEqual({});
      const hashes = ['a key of my own', 'another key of mine'].map(hashKey);
      expect(await keys.listActive(hashes)).toHaveLength(2);
    });

    it('are not restored once deleted', async () => {
      const apiKey = new Secret('a key of my own');
      await firstKeys({ apiKey }).ensure();
      const { accountId } = await accounts.ensureDefault();
      await ring.revoke(operatorOf(accountId), hashKey('a key of my own'));
      await firstKeys({ apiKey }).ensure();
      expect(await firstKeys().ensure()).toEqual({});
      expect(await keys.listActive([hashKey('a key of my own')])).toEqual([]);
    });

    it('are not restored once rotated, whichever secret of the key a variable gives', async () => {
      const apiKey = new Secret('a key of my own');
      await firstKeys({ apiKey }).ensure();
      const { accountId } = await accounts.ensureDefault();
      const rotate = async (graceSeconds: number): Promise<string> =>
        (await ring.rotate(operatorOf(accountId), hashKey('a key of my own'), graceSeconds)).key;
      const second = await rotate(0);
      const third = await rotate(60);
      const before = await countRecorded();
      for (const named of ['a key of my own', second, third]) {
        expect(await firstKeys({ apiKey: new Secret(named) }).ensure()).toEqual({});
        const other = firstKeys({ managementKey: new Secret(named) }).ensure();
        await expect(other).rejects.toThrow(
          'FAIRLEAD_MANAGEMENT_KEY names a key that is stored already, of the inference kind',
        );
      }
      expect(await countRecorded()).toBe(before);
      const ends = new Map((await keys.listActive([hashKey('a key of my own'), hashKey(second), hashKey(third)])).map(({ caller, expiresAtMs }) => [caller.secretHash ?? caller.keyHash, expiresAtMs])); // oxfmt-ignore
      expect(ends.get(hashKey('a key of my own'))).toBeLessThanOrEqual(clock.time);
      expect(ends.get(hashKey(second))).toBe(clock.time + 60_000);
      expect(ends.get(hashKey(third))).toBeNull();
    });

    it('are of the account, and one that a variable names stays bound where it is', async () => {
      const { managementKey } = await firstKeys().ensure();
      const home = await accounts.ensureDefault();
      const bound = await ring.issue(operatorOf(home.accountId), plainKey('bound', 'management'), home.workspaceId);
      expect(await firstKeys({ managementKey: new Secret(bound.key) }).ensure()).toEqual({});
      const active = await keys.listActive([hashKey(managementKey!), bound.row.hash]);
      const reach = new Map(active.map(({ caller }) => [caller.keyHash, caller.boundTo]));
      expect(reach.get(hashKey(managementKey!))).toBeUndefined();
      expect(reach.get(bound.row.hash)).toBe(home.workspaceId);
    });

    it('are recorded as changes by the operator, each once', async () => {
      const apiKey = new Secret('a key of my own');
      const { managementKey } = await firstKeys({ apiKey }).ensure();
      await firstKeys({ apiKey }).ensure();
      const recorded = await listRecorded();
      expect(recorded).toMatchObject([
        { actor: 'operator', action: 'api_key.create', target: hashKey(managementKey!), before: null },
        { actor: 'operator', action: 'api_key.create', target: hashKey('a key of my own'), before: null },
      ]);
      expect(JSON.stringify(recorded)).not.toMatch(new RegExp(`${managementKey}|a key of my own`));
    });

    it('leave nothing behind where one of them is refused', async () => {
      const one = new Secret('a key of my own');
      await expect(firstKeys({ managementKey: one, apiKey: one }).ensure()).rejects.toThrow('FAIRLEAD_API_KEY');
      expect(await keys.listActive([hashKey('a key of my own')])).toEqual([]);
      expect(await listRecorded()).toEqual([]);
    });

    it('are not of both kinds', async () => {
      await firstKeys({ apiKey: new Secret('a key of my own') }).ensure();
      const error: unknown = await firstKeys({ managementKey: new Secret('a key of my own') })
        .ensure()
        .catch((thrown: unknown) => thrown);
      expect(String(error)).toContain('FAIRLEAD_MANAGEMENT_KEY');
      expect(String(error)).not.toContain('a key of my own');
    });
  });

  describe('the statements over keys', () => {
    let home: DefaultWorkspace;
    let actor: AuditActor;
    beforeEach(async () => {
      home = await accounts.ensureDefault();
      actor = operatorOf(home.accountId);
    });

    it('find active keys by hash, with their callers', async () => {
      const expiresAt = new Date('2030-01-01T00:00:00.123Z');
      const active = await addKey(home, { creatorUserId: 'user', expiresAt });
      const disabled = await addKey(home, { disabled: true });
      const deleted = await addKey(home, { deletedAt: new Date() });
      expect(await keys.listActive([active, disabled, deleted, hashKey('nobody')])).toEqual([
        {
          caller: { ...home, keyHash: active, kind: 'inference', userId: 'user' },
          expiresAtMs: expiresAt.getTime(),
        },
      ]);
    });

    it.each([["' OR '1'='1"], ["'; drop table api_keys --"], ['{"a","b"}'], ['NULL'], ['x'.repeat(100_000)]])(
      'take hostile text for nothing but text (%#)',
      async (text) => {
        await addKey(home);
        expect(await keys.listActive([text])).toEqual([]);
        expect(await keys.find(wholeAccount(home.accountId), text)).toBeNull();
        expect(await refusalOf(ring.change(actor, text, { name: 'mine' }))).toBe(ABSENT);
      },
    );

    it('store every field exactly', async () => {
      const row: ApiKeyEntity = {
        ...newKeyRow(
          newApiKey(),
          { ...home, isWorkspaceBound: false },
          plainKey('Ünïcode 🔑', 'inference'),
          new Date(clock.time),
        ),
        limitUsd: 123_456_789_012_345_123_456_789_012n,
        limitReset: 'weekly',
        includeByokInLimit: true,
        creatorUserId: 'creator',
        externalUser: 'external',
        expiresAt: new Date('2030-01-01T00:00:00.123Z'),
      };
      expect(await keys.insert(dataSource.manager, row)).toEqual(row);
      expect(await keys.find(wholeAccount(home.accountId), row.hash)).toEqual(row);
    });

    it('find and change keys of the account only', async () => {
      const strangers = await addStrangers();
      const theirs = await addKey(strangers);
      expect(await keys.find(wholeAccount(home.accountId), theirs)).toBeNull();
      expect(await refusalOf(ring.change(actor, theirs, { name: 'mine' }))).toBe(ABSENT);
      expect(await refusalOf(ring.revoke(actor, theirs))).toBe(ABSENT);
      expect(await ring.list(wholeAccount(home.accountId), { ...ALL_KEYS, workspace: undefined })).toEqual([[], 0]);
    });

    it('change what is given and nothing else', async () => {
      const hash = await addKey(home, { limitUsd: USD, limitReset: 'daily' });
      const before = await keys.find(wholeAccount(home.accountId), hash);
      clock.time += 1;
      const changed = await ring.change(actor, hash, { limitUsd: null, name: 'new' });
      expect(changed).toEqual({ ...before, limitUsd: null, name: 'new', updatedAt: new Date(clock.time) });
      expect(await keys.find(wholeAccount(home.accountId), hash)).toEqual(changed);
    });

    it('change nothing, not even the time, where all values are the same', async () => {
      const hash = await addKey(home, { limitUsd: USD, limitReset: 'daily', disabled: true });
      const before = await keys.find(wholeAccount(home.accountId), hash);
      const recorded = await countRecorded();
      clock.time += 1;
      const same = { name: 'name', limitUsd: USD, limitReset: 'daily', includeByokInLimit: false } as const;
      expect(await ring.change(actor, hash, same)).toEqual(before);
      expect(await ring.change(actor, hash, { disabled: true })).toEqual(before);
      expect(await keys.find(wholeAccount(home.accountId), hash)).toEqual(before);
      expect(await countRecorded()).toBe(recorded);
      // A trillionth of a dollar is a change.
      expect((await ring.change(actor, hash, { limitUsd: USD + 1n })).limitUsd).toBe(USD + 1n);
      expect(await countRecorded()).toBe(recorded + 1);
    });

    it('record all concurrent changes of one key, each with the state that it replaced', async () => {
      const hash = await addKey(home, { name: '0' });
      const names = ['1', '2', '3', '4', '5', '6'];
      await Promise.all(names.map((name) => ring.change(actor, hash, { name })));
      const named = (view: string | null): string => (JSON.parse(view!) as { name: string }).name;
      const changes = (await listRecorded()).filter(({ action }) => action === 'api_key.update');
      expect(changes.map(({ after }) => named(after)).sort()).toEqual(names);
      let before = '0';
      for (const change of changes) {
        expect(named(change.before)).toBe(before);
        before = named(change.after);
      }
      expect((await keys.find(wholeAccount(home.accountId), hash))?.name).toBe(before);
    });

    it('record nothing for a failed change', async () => {
      const last = await addKey(home, { kind: 'management' });
      const recorded = await countRecorded();
      expect(await refusalOf(ring.revoke(actor, last))).toBe(LAST);
      expect(await refusalOf(ring.revoke(actor, hashKey('nobody')))).toBe(ABSENT);
      const nowhere = { ...home, workspaceId: newUuid(clock.time) };
      const row = newKeyRow(
        newApiKey(),
        { ...nowhere, isWorkspaceBound: false },
        plainKey('n', 'inference'),
        new Date(clock.time),
      );
      await expect(keys.insert(dataSource.manager, row)).rejects.toThrow('api_keys_workspace');
      expect(await countRecorded()).toBe(recorded);
    });

    it('list newest first, page by page, without disabled ones unless requested', async () => {
      const hashes: string[] = [];
      for (let index = 0; index < 5; index++) {
        clock.time += 1;
        hashes.unshift(await addKey(home, { disabled: index === 2 }));
      }
      await addKey(home, { deletedAt: new Date() });
      const list = async (listing: Partial<Parameters<KeysRepository['list']>[1]>): Promise<string[]> => {
        const [page] = await keys.list(wholeAccount(home.accountId), { ...ALL_KEYS, ...listing });
        return page.map(({ hash }) => hash);
      };
      expect(await list({})).toEqual(hashes);
      expect(await list({ disabled: false })).toEqual(hashes.filter((_, index) => index !== 2));
      expect(await list({ disabled: true })).toEqual([hashes[2]]);
      expect(await list({ offset: 3, limit: 1 })).toEqual([hashes[3]]);
      expect(await list({ offset: 5 })).toEqual([]);
      expect(await list({ offset: 999_999_999 })).toEqual([]);
      expect(await list({ workspaceId: home.workspaceId, disabled: false })).toHaveLength(4);
      expect(await list({ workspaceId: newUuid(clock.time) })).toEqual([]);
    });

    it.each([
      ['delete', (hash: string) => ring.revoke(actor, hash)],
      ['disable', (hash: string) => ring.change(actor, hash, { disabled: true })],
    ])('never %s the last usable management key', async (_, retire) => {
      const at = new Date(clock.time);
      const last = await addKey(home, { kind: 'management' });
      await addKey(home, { kind: 'management', disabled: true });
      await addKey(home, { kind: 'management', deletedAt: at });
      await addKey(home, { kind: 'management', expiresAt: at });
      await addKey(await addStrangers(), { kind: 'management' });
      expect(await refusalOf(retire(last))).toBe(LAST);
      expect(await keys.listActive([last])).toHaveLength(1);
      const other = await addKey(home, { kind: 'management', expiresAt: new Date(clock.time + 1) });
      expect(await refusalOf(retire(last))).toBe('none');
      expect(await refusalOf(retire(other))).toBe(LAST);
    });

    it('leave one latest secret after concurrent rotations, and no more than four before it', async () => {
      const hash = await addKey(home, { limitUsd: USD });
      const rotated = await Promise.all(
        [60, 0, 3_600, 7, 60, 60, 9, 60].map((grace) => ring.rotate(actor, hash, grace)),
      );
      const secrets = rotated.map(({ key }) => hashKey(key));
      const active = await keys.listActive([hash, ...secrets]);
      expect(active).toHaveLength(9);
      expect(new Set(active.map(({ caller }) => caller.keyHash))).toEqual(new Set([hash]));
      const ends = active.map(({ expiresAtMs }) => expiresAtMs);
      expect(ends.filter((end) => end === null)).toHaveLength(1);
      expect(ends.filter((end) => end !== null && end > clock.time).length).toBeLessThanOrEqual(4);
      const latest = active.find(({ expiresAtMs }) => expiresAtMs === null)!.caller.secretHash;
      const { label } = rotated.find(({ key }) => hashKey(key) === latest)!.row;
      expect(await keys.find(wholeAccount(home.accountId), hash)).toMatchObject({ hash, label, limitUsd: USD });
    });

    it('keep the promised time of grace, unless a later rotation is shorter', async () => {
      const hash = await addKey(home);
      const second = hashKey((await ring.rotate(actor, hash, 60)).key);
      const third = hashKey((await ring.rotate(actor, hash, 3_600)).key);
      const endsOf = async (): Promise<unknown[]> => {
        const active = await keys.listActive([hash, second, third]);
        return [hash, second, third].map((secret) => active.find(({ caller }) => (caller.secretHash ?? caller.keyHash) === secret)?.expiresAtMs); // oxfmt-ignore
      };
      expect(await endsOf()).toEqual([clock.time + 60_000, clock.time + 3_600_000, null]);
      await ring.rotate(actor, hash, 30);
      expect(await endsOf()).toEqual([clock.time + 30_000, clock.time + 30_000, clock.time + 30_000]);
      const expiring = await addKey(home, { expiresAt: new Date(clock.time + 10_000) });
      await ring.rotate(actor, expiring, 60);
      expect((await keys.listActive([expiring]))[0]!.expiresAtMs).toBe(clock.time + 10_000);
    });

    it('sort by their spending, and by their last use', async () => {
      const { accountId, workspaceId } = await accounts.ensureDefault();
      const hashes: string[] = [];
      for (let index = 0; index < 4; index++) {
        clock.time += 1;
        hashes.push(await addKey({ accountId, workspaceId }));
      }
      const [dear, free, cheap, unused] = hashes as [string, string, string, string];
      const settle = async (keyHash: string, heldAt: Date, cost: string): Promise<void> => {
        const row = generationRow(
          { account_id: accountId, workspace_id: workspaceId, key_hash: keyHash },
          { held_at: heldAt.toISOString(), cost },
        );
        await settleRows(dataSource, row);
      };
      const at = (second: number): Date => new Date(SATURDAY_NOON + second * 1_000);
      await settle(dear, at(1), '2');
      await settle(cheap, at(2), '1');
      // A free call is a use as well, and late posting makes no use newer.
      await settle(free, at(4), '0');
      await settle(free, at(3), '0');
      const sorted = async (sort: KeyListing['sort'], page: Partial<KeyListing> = {}): Promise<string[]> => {
        const [rows, total] = await keys.list(wholeAccount(accountId), { ...ALL_KEYS, sort, ...page });
        expect(total).toBeGreaterThanOrEqual(4);
        return rows.map(({ hash }) => hash).filter((hash) => hashes.includes(hash));
      };
      expect(await sorted('created_at')).toEqual([unused, cheap, free, dear]);
      expect((await sorted('usage')).slice(0, 2)).toEqual([dear, cheap]);
      expect(await sorted('last_used_at')).toEqual([free, cheap, dear, unused]);
      expect(await sorted('last_used_at', { offset: 1, limit: 1 })).toEqual([cheap]);
      expect((await windows.ofKey(accountId, free)).lastUsedAt).toEqual(at(4));
      expect((await windows.ofKey(accountId, unused)).lastUsedAt).toBeUndefined();
    });

    it('find a literal part of their names, with the total number', async () => {
      for (const name of ['Team 100%', 'team 1000', "o'team_", 'Tea']) await addKey(home, { name });
      await addKey(home, { name: 'team off', disabled: true });
      await addKey(await addStrangers(), { name: 'team of theirs' });
      const page = { ...ALL_KEYS, disabled: false, limit: 2 };
      const found = async (name: string, more: object = {}): Promise<[number, number]> => {
        const [rows, total] = await keys.list(wholeAccount(home.accountId), { ...page, name, ...more });
        return [rows.length, total];
      };
      expect(await found('TEAM')).toEqual([2, 3]);
      expect(await found('team', { offset: 2 })).toEqual([1, 3]);
      expect(await found('team', { offset: 9 })).toEqual([0, 3]);
      expect(await found('team', { disabled: undefined })).toEqual([2, 4]);
      for (const [name, total] of [
        ['100%', 1],
        ['%', 1],
        ['_', 1],
        ["o'", 1],
        ["' OR '1'='1", 0],
        ['\\', 0],
      ] as const)
        // oxfmt-ignore
        expect([name, (await found(name))[1]]).toEqual([name, total]);
    });

    it('leave one management key when all are deleted at once', async () => {
      const hashes = await Promise.all(Array.from({ length: 6 }, () => addKey(home, { kind: 'management' })));
      const outcomes = await Promise.all(hashes.map((hash) => refusalOf(ring.revoke(actor, hash))));
      expect(outcomes.sort()).toEqual([LAST, 'none', 'none', 'none', 'none', 'none']);
      expect(await keys.listActive(hashes)).toHaveLength(1);
    });
  });

  describe('the ring', () => {
    let home: DefaultWorkspace;
    beforeEach(async () => {
      home = await accounts.ensureDefault();
    });

    it('makes keys in existing workspaces of the account, and records nothing for others', async () => {
      const actor = operatorOf(home.accountId);
      const strangers = await addStrangers();
      await dataSource.query(
        `insert into workspaces (id, account_id, name, slug, deleted_at) values ($1, $2, 'gone', 'gone', now())`,
        [newUuid(clock.time), home.accountId],
      );
      const [gone] = await dataSource.query<{ id: string }[]>(`select id from workspaces where slug = 'gone'`);
      for (const workspaceId of [strangers.workspaceId, gone!.id, newUuid(clock.time)])
        await expect(ring.issue(actor, plainKey('n', 'inference'), workspaceId)).rejects.toThrow('no such workspace');
      expect(await listRecorded()).toEqual([]);
      const { row } = await ring.issue(actor, plainKey('n', 'inference'), undefined);
      expect(row.workspaceId).toBe(home.workspaceId);
      expect(await listRecorded()).toMatchObject([{ action: 'api_key.create', target: row.hash }]);
    });

    it('deletes the keys of a workspace within another change, unless one of them is usable', async () => {
      const actor = operatorOf(home.accountId);
      const workspace = await workspaces.get(wholeAccount(home.accountId), home.workspaceId);
      const remove = (): Promise<void> => changes.run(actor, (manager, at) => ring.removeOf(manager, workspace, at));
      const strangers = await addStrangers();
      const theirs = await addKey(strangers);
      const busy = [await addKey(home), await addKey(home, { expiresAt: new Date(clock.time + 1) })];
      const idle = [await addKey(home, { disabled: true }), await addKey(home, { expiresAt: new Date(clock.time) })];
      const gone = await addKey(home, { deletedAt: new Date(clock.time) });
      const recorded = await countRecorded();
      expect(await refusalOf(remove())).toBe('The workspace still has 2 active keys; delete or disable them first.');
      await ring.change(actor, busy[0]!, { disabled: true });
      expect(await refusalOf(remove())).toBe('The workspace still has 1 active key; delete or disable it first.');
      expect(await countRecorded()).toBe(recorded + 1);
      clock.time += 1;
      expect(await refusalOf(remove())).toBe('none');
      const deleted = (await listRecorded()).slice(recorded + 1);
      expect(deleted.map(({ action }) => action)).toEqual(Array.from({ length: 4 }, () => 'api_key.delete'));
      expect(deleted.map(({ target }) => target)).toEqual([...busy, ...idle].sort());
      expect(deleted.map(({ target }) => target)).not.toContain(gone);
      expect(await keys.list(wholeAccount(home.accountId), ALL_KEYS)).toEqual([[], 0]);
      expect(await keys.listActive([theirs])).toHaveLength(1);
    });

    it('reports whether all hashes are those of keys of the account', async () => {
      const owns = (...hashes: string[]): Promise<boolean> => ring.ownsAll(wholeAccount(home.accountId), hashes);
      const one = await addKey(home);
      const disabled = await addKey(home, { disabled: true });
      const expired = await addKey(home, { expiresAt: new Date(clock.time) });
      const deleted = await addKey(home, { deletedAt: new Date(clock.time) });
      const theirs = await addKey(await addStrangers());
      expect(await owns()).toBe(true);
      expect(await owns(one)).toBe(true);
      expect(await owns(one, disabled, expired, one)).toBe(true);
      for (const stranger of [
        deleted,
        theirs,
        hashKey('nobody'),
        '',
        'x',
        one.toUpperCase(),
        `${one} `,
        ` ${one}`,
        '\0',
      ])
        expect([stranger, await owns(one, stranger)]).toEqual([stranger, false]);
    });

    // The embedded database has one connection: without the manager these would wait for themselves.
    it('counts within a transaction, and sees its changes', async () => {
      const hash = await addKey(home);
      await dataSource.transaction(async (manager) => {
        await manager.query('update api_keys set deleted_at = now() where hash = $1', [hash]);
        expect(await ring.ownsAll(wholeAccount(home.accountId), [hash], manager)).toBe(false);
      });
    });
  });

  describe('spending', () => {
    async function addWindow(home: DefaultWorkspace, window: Partial<SpendingWindowEntity>): Promise<void> {
      await dataSource.manager.insert(SpendingWindowEntity, {
        accountId: home.accountId,
        scope: 'key',
        scopeId: 'a',
        interval: 'lifetime',
        windowStart: new Date(0),
        limit: null,
        used: 0n,
        held: 0n,
        byokUsed: 0n,
        byokHeld: 0n,
        ...window,
      });
    }

    const moveTo = (...date: Parameters<typeof Date.UTC>): void => {
      clock.aheadMs = Date.UTC(...date) - Date.now();
    };
    const at = (...date: Parameters<typeof Date.UTC>): Date => new Date(Date.UTC(...date));

    // The first of March 2027 is a Monday: all windows change at once.
    it('is exact in the current windows, by the clock of the database', async () => {
      const home = await accounts.ensureDefault();
      await addWindow(home, { used: 123_456_789_012_345_123_456_789_012n, held: 1n, byokUsed: 4n, byokHeld: 5n });
      await addWindow(home, { interval: 'daily', windowStart: at(2027, 1, 28), used: 1n, byokHeld: 6n });
      await addWindow(home, { interval: 'daily', windowStart: at(2027, 2, 1), used: 10n, byokUsed: 60n });
      await addWindow(home, { interval: 'weekly', windowStart: at(2027, 1, 22), used: 2n });
      await addWindow(home, { interval: 'weekly', windowStart: at(2027, 2, 1), used: 20n });
      await addWindow(home, { interval: 'monthly', windowStart: at(2027, 1, 1), used: 3n });
      await addWindow(home, { interval: 'monthly', windowStart: at(2027, 2, 1), used: 30n });
      await addWindow(home, { scope: 'workspace', used: 100n });
      const lifetime = { used: 123_456_789_012_345_123_456_789_012n, held: 1n };

      moveTo(2027, 1, 28, 23, 59, 30);
      const before = await windows.ofKeys(home.accountId, ['a', 'b']);
      expect(before.get('a')).toEqual({
        credits: {
          lifetime,
          daily: { used: 1n, held: 0n },
          weekly: { used: 2n, held: 0n },
          monthly: { used: 3n, held: 0n },
        },
        byok: { ...NO_SPENDING.byok, lifetime: { used: 4n, held: 5n }, daily: { used: 0n, held: 6n } },
      });
      expect(before.get('b')).toEqual(NO_SPENDING);

      moveTo(2027, 2, 1, 0, 0, 1);
      expect(await windows.ofKey(home.accountId, 'a')).toEqual({
        credits: {
          lifetime,
          daily: { used: 10n, held: 0n },
          weekly: { used: 20n, held: 0n },
          monthly: { used: 30n, held: 0n },
        },
        byok: { ...NO_SPENDING.byok, lifetime: { used: 4n, held: 5n }, daily: { used: 60n, held: 0n } },
      });
    });

    it('of requests to free variants is counted by the day', async () => {
      const home = await accounts.ensureDefault();
      const count = async (windowStart: Date, used: bigint): Promise<void> =>
        addWindow(home, { scope: 'free_requests', scopeId: home.accountId, interval: 'daily', windowStart, used });
      await count(at(2027, 1, 28), 50n * USD);
      await count(at(2027, 2, 1), 7n * USD);
      const counted = async (): Promise<number> => windows.countFreeRequests(home.accountId);
      moveTo(2027, 1, 28, 23, 59, 30);
      expect(await counted()).toBe(50);
      moveTo(2027, 2, 1, 0, 0, 1);
      expect(await counted()).toBe(7);
      moveTo(2027, 2, 2);
      expect(await counted()).toBe(0);
      expect(await windows.countFreeRequests((await addStrangers()).accountId)).toBe(0);
    });

    it('of the account equals its counter', async () => {
      const home = await accounts.ensureDefault();
      await dataSource.query(`update spending_windows set used = 1.5, held = 0.25 where scope = 'account'`);
      expect(await windows.ofAccount(home.accountId)).toEqual({
        limit: settings.initialCredits,
        used: (3n * USD) / 2n,
        held: USD / 4n,
      });
      expect(await windows.ofAccount((await addStrangers()).accountId)).toEqual({ limit: 0n, used: 0n, held: 0n });
    });

    it('is invisible to another account', async () => {
      const home = await accounts.ensureDefault();
      await addWindow(home, { used: 5n });
      expect(await windows.ofKey((await addStrangers()).accountId, 'a')).toEqual(NO_SPENDING);
    });
  });
});
