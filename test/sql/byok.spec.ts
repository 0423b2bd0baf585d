// Which credentials the request path gets for which caller, how soon it sees a change, and that an unreadable
// credential, a silent store or an unavailable key service never stops the rest. Uses the real statements and the real
// vault on each database.
import { randomBytes } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { DefaultWorkspace } from '../../src/accounts/account-directory.js';
import { AccountEntity } from '../../src/accounts/account.entity.js';
import { WorkspaceEntity } from '../../src/accounts/workspace.entity.js';
import { CredentialOpener } from '../../src/byok/credential-opener.js';
import { CredentialStore } from '../../src/byok/credential-store.js';
import { CredentialsRepository } from '../../src/byok/credentials.repository.js';
import { ProviderCredentialEntity, UNTESTED } from '../../src/byok/provider-credential.entity.js';
import { UnreadableCredentials } from '../../src/byok/unreadable-credentials.js';
import { KeyServiceUnavailable } from '../../src/vault/key-service.js';
import { LocalKeyService } from '../../src/vault/local-key-service.js';
import { Vault } from '../../src/vault/vault.js';
import type { Caller } from '../../src/core/caller.js';
import { newUuid } from '../../src/core/ids.js';
import { Secret } from '../../src/core/secret.js';
import { Clock } from '../../src/core/time.js';
import { PinoLogger } from '../../src/shared/telemetry/logger.js';
import { accountOpening } from '../support/account-opening.js';
import { describeOnEachDatabase } from '../support/database.js';

class ManualClock extends Clock {
  time = Date.UTC(2026, 10, 21, 12);

  override now(): number {
    return this.time;
  }
}

/** The real keys, while they are available. */
class Keys extends LocalKeyService {
  isAway = false;

  override async unwrap(...key: Parameters<LocalKeyService['unwrap']>): Promise<Buffer> {
    if (this.isAway) throw new KeyServiceUnavailable('away');
    return super.unwrap(...key);
  }
}

const CANARY = `canary-${randomBytes(8).toString('hex')}`;
const AGE_MAX_MS = 4_000;
const HASH = 'a'.repeat(64);

const newKeys = (): Keys => new Keys([{ id: 'one', key: new Secret(randomBytes(32).toString('base64')) }]);

describeOnEachDatabase('credentials on the request path', (database) => {
  const log: { readonly level: string; readonly msg: string }[] = [];
  const clock = new ManualClock();
  let dataSource: DataSource;
  let home: DefaultWorkspace;
  let keys: Keys;
  let repository: CredentialsRepository;
  let opener: CredentialOpener;
  let store: CredentialStore;

  beforeAll(async () => {
    dataSource = await database.connect([AccountEntity, WorkspaceEntity, ProviderCredentialEntity]);
    home = await accountOpening(dataSource, clock).ensureDefault();
    repository = new CredentialsRepository(dataSource.getRepository(ProviderCredentialEntity));
  }, 240_000);
  afterAll(() => dataSource?.destroy());

  beforeEach(async () => {
    await dataSource.query('truncate provider_credentials');
    log.length = 0;
    Logger.overrideLogger(
      new PinoLogger({
        level: 'debug',
        clock,
        destination: { write: (line: string) => void log.push(JSON.parse(line)) },
      }),
    );
    keys = newKeys();
    opener = new CredentialOpener(new Vault(keys));
    store = new CredentialStore(repository, opener, clock);
  });

  const callerOf = (changes: Partial<Caller> = {}): Caller => ({
    ...home,
    keyHash: HASH,
    kind: 'inference',
    userId: null,
    ...changes,
  });

  async function add(changes: Partial<ProviderCredentialEntity> = {}): Promise<ProviderCredentialEntity> {
    const owner = { id: newUuid(clock.now()), workspaceId: home.workspaceId, provider: 'openai', ...changes };
    const row: ProviderCredentialEntity = {
      accountId: home.accountId,
      name: null,
      label: 'sk-...AbCd',
      disabled: false,
      isFallback: false,
      isRequired: false,
      isByokOnly: false,
      declaredZdr: null,
      allowedModels: null,
      allowedUserIds: null,
      allowedApiKeyHashes: null,
      sortOrder: 0,
      ...UNTESTED,
      createdAt: new Date(clock.now()),
      updatedAt: null,
      deletedAt: null,
      ...(await new Vault(keys).seal(new Secret(`${CANARY} of ${owner.id}`), owner)),
      ...owner,
    };
    await dataSource.transaction((manager) => repository.insert(manager, row));
    return row;
  }

  const usable = async (changes?: Partial<Caller>): Promise<string[]> =>
    (await store.usableBy(callerOf(changes))).map(({ id }) => id);
  const change = (id: string, what: string): Promise<unknown> =>
    dataSource.query(`update provider_credentials set ${what} where id = $1`, [id]);
  const spoil = (id: string): Promise<unknown> => change(id, `sealed = decode('${'00'.repeat(99)}', 'hex')`);

  it('returns what the planner needs, and the text only for the attempt', async () => {
    const plain = await add();
    const special = await add({
      provider: 'anthropic',
      isFallback: true,
      isRequired: true,
      sortOrder: 7,
      allowedModels: ['a/b'],
    });
    const own = await add({ provider: 'groq', isByokOnly: true });
    const found = [...(await store.usableBy(callerOf()))].sort((one, other) =>
      one.provider.localeCompare(other.provider),
    );
    expect(found).toEqual([
      {
        id: special.id,
        label: 'sk-...AbCd',
        provider: 'anthropic',
        isFallback: true,
        sortOrder: 7,
        allowedModels: ['a/b'],
        replacesShared: true,
      },
      { id: own.id, label: 'sk-...AbCd', provider: 'groq', isFallback: false, sortOrder: 0, replacesShared: true },
      { id: plain.id, label: 'sk-...AbCd', provider: 'openai', isFallback: false, sortOrder: 0 },
    ]);
    expect((await store.reveal(callerOf(), plain.id))?.reveal()).toBe(`${CANARY} of ${plain.id}`);
    expect(await store.reveal(callerOf(), newUuid(0))).toBeUndefined();
  });

  it('leaves out what is disabled, deleted, of another workspace or of another account', async () => {
    await add({ disabled: true });
    await add({ deletedAt: new Date(), keyId: null, wrappedKey: null, sealed: null });
    const mine = await add();
    expect(await usable()).toEqual([mine.id]);
    expect(await usable({ workspaceId: newUuid(0) })).toEqual([]);
    expect(await usable({ accountId: newUuid(0) })).toEqual([]);
    expect(await store.reveal(callerOf({ accountId: newUuid(0) }), mine.id)).toBeUndefined();
  });

  it.each<[string, Partial<ProviderCredentialEntity>, Partial<Caller>, boolean]>([
    ['a key on its list', { allowedApiKeyHashes: [HASH] }, {}, true],
    ['a key that is not', { allowedApiKeyHashes: [HASH] }, { keyHash: 'b'.repeat(64) }, false],
    ['a user on its list', { allowedUserIds: ['u', 'v'] }, { userId: 'v' }, true],
    ['a user that is not', { allowedUserIds: ['u'] }, { userId: 'U' }, false],
    ['no user in particular, where there is a list', { allowedUserIds: ['null', ''] }, { userId: null }, false],
    ['anybody, where the list is empty', { allowedUserIds: [] }, { userId: 'u' }, false],
    ['anybody, where there is no list', {}, { userId: 'u' }, true],
    ['both, when one does not fit', { allowedApiKeyHashes: [HASH], allowedUserIds: ['u'] }, { userId: 'v' }, false],
    ['both, when both fit', { allowedApiKeyHashes: [HASH], allowedUserIds: ['u'] }, { userId: 'u' }, true],
  ])('for %s', async (_, traits, caller, isUsed) => {
    const { id } = await add(traits);
    expect(await usable(caller)).toEqual(isUsed ? [id] : []);
    expect((await store.reveal(callerOf(caller), id)) !== undefined).toBe(isUsed);
  });

  it('sees a change at once where it was made, and within five seconds elsewhere', async () => {
    const row = await add();
    const elsewhere = new CredentialStore(repository, opener, clock);
    const there = async (): Promise<string[]> => (await elsewhere.usableBy(callerOf())).map(({ id }) => id);
    expect([await usable(), await there()]).toEqual([[row.id], [row.id]]);
    await change(row.id, 'disabled = true');
    store.forget(row);
    expect(await usable()).toEqual([]);
    expect(await store.reveal(callerOf(), row.id)).toBeUndefined();
    clock.time += AGE_MAX_MS;
    expect(await there()).toEqual([]);
  });

  it('uses a new text at once, even if the row is otherwise the same', async () => {
    const row = await add();
    await store.reveal(callerOf(), row.id);
    const { keyId, wrappedKey, sealed } = await new Vault(keys).seal(new Secret('another text'), row);
    await dataSource.transaction((manager) => repository.write(manager, row, { keyId, wrappedKey, sealed }));
    clock.time += AGE_MAX_MS;
    expect((await store.reveal(callerOf(), row.id))?.reveal()).toBe('another text');
  });

  it('queries the store once for many requests', async () => {
    await add();
    const reads = jest.spyOn(repository, 'listEnabled');
    await Promise.all(Array.from({ length: 50 }, () => usable()));
    expect(reads).toHaveBeenCalledTimes(1);
    clock.time += AGE_MAX_MS;
    await usable();
    expect(reads).toHaveBeenCalledTimes(2);
    reads.mockRestore();
  });

  it('leaves out what cannot be decrypted, logs it once a minute, and returns the rest', async () => {
    const broken = await add({ label: 'sk-...Brkn' });
    const whole = await add();
    await spoil(broken.id);
    expect(await usable()).toEqual([whole.id]);
    const lines = (): string[] => log.map(({ msg }) => msg).filter((line) => line.includes(broken.id));
    expect(lines()).toEqual([
      `The provider credential sk-...Brkn (openai, ${broken.id}) cannot be used: it cannot be decrypted.`,
    ]);
    for (let second = 0; second < 55; second += 5) {
      clock.time += 5_000;
      expect(await usable()).toEqual([whole.id]);
    }
    expect(lines()).toHaveLength(1);
    clock.time += 5_000;
    await usable();
    expect(lines()).toHaveLength(2);
    expect(JSON.stringify(log)).not.toContain(CANARY);
  });

  it('returns no row with the text of another', async () => {
    const one = await add();
    const other = await add();
    await dataSource.query(
      `update provider_credentials c set key_id = o.key_id, wrapped_key = o.wrapped_key, sealed = o.sealed
       from provider_credentials o where c.id = $1 and o.id = $2`,
      [one.id, other.id],
    );
    expect(await usable()).toEqual([other.id]);
  });

  it('keeps one that must be used and cannot be read: its calls fail, and are charged to no other credential', async () => {
    const { id } = await add({ isRequired: true });
    await spoil(id);
    expect(await store.usableBy(callerOf())).toMatchObject([{ id, replacesShared: true }]);
    expect(await store.reveal(callerOf(), id)).toBeUndefined();
  });

  it('leaves out what the key service does not open, until it opens it again', async () => {
    const row = await add();
    keys.isAway = true;
    expect(await usable()).toEqual([]);
    expect((await opener.open(row)).status).toBe('key_service_unavailable');
    expect(log.filter(({ level }) => level === 'warn').map(({ msg }) => msg)).toEqual([
      expect.stringContaining(`${row.id}) cannot be used: the key service does not answer.`),
    ]);
    keys.isAway = false;
    clock.time += AGE_MAX_MS;
    expect(await usable()).toEqual([row.id]);
  });

  it('refuses with "unavailable" where the store fails', async () => {
    const reads = jest.spyOn(repository, 'listEnabled').mockRejectedValue(new Error('connection refused'));
    await expect(usable()).rejects.toMatchObject({ name: 'GatewayError', kind: 'service-unavailable' });
    reads.mockRestore();
    expect(await usable()).toEqual([]);
  });

  it('refuses with "unavailable" within two seconds where the store is silent', async () => {
    const reads = jest.spyOn(repository, 'listEnabled').mockReturnValue(new Promise(() => undefined));
    const began = performance.now();
    await expect(usable()).rejects.toMatchObject({ kind: 'service-unavailable' });
    // Two by design; a busy machine is late.
    expect(performance.now() - began).toBeLessThan(10_000);
    reads.mockRestore();
  });

  describe('at the start', () => {
    const logUnreadable = async (): Promise<string[]> => {
      const unreadable = new UnreadableCredentials(repository, opener);
      unreadable.onApplicationBootstrap();
      await unreadable.settled;
      return log.map(({ msg }) => msg);
    };

    it('names every credential that cannot be decrypted, disabled ones too, however many there are', async () => {
      const rows = [];
      for (let index = 0; index < 30; index++)
        rows.push(await add({ label: `...${1000 + index}`, disabled: index > 20 }));
      const [whole, ...broken] = rows;
      for (const { id } of broken) await spoil(id);
      const lines = await logUnreadable();
      expect(lines.length).toBeGreaterThan(0);
      for (const { label, id } of broken) expect(lines.join('\n')).toContain(`${label} (openai, ${id})`);
      expect(lines.join('\n')).not.toContain(whole!.id);
      for (const line of lines) expect(line).not.toContain('…');
    });

    it('names all of them where the encryption key is another', async () => {
      const row = await add();
      opener = new CredentialOpener(new Vault(newKeys()));
      expect(await logUnreadable()).toEqual([
        `Provider credentials that cannot be decrypted, and are not used: sk-...AbCd (openai, ${row.id}).`,
      ]);
    });

    it('logs nothing where every credential can be read', async () => {
      await add();
      expect(await logUnreadable()).toEqual([]);
    });

    it('logs once that the key service is unavailable', async () => {
      for (let index = 0; index < 30; index++) await add();
      keys.isAway = true;
      expect(await logUnreadable()).toEqual([expect.stringContaining('The key service does not answer')]);
    });

    it('continues where the store fails', async () => {
      const reads = jest.spyOn(repository, 'listAfter').mockRejectedValue(new Error('connection refused'));
      expect(await logUnreadable()).toEqual(['Provider credentials could not be checked at the start.']);
      reads.mockRestore();
    });
  });
});
