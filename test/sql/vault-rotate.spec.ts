// vault:rotate puts every credential under the first key while it stays readable, never undoes a concurrent change, can
// be stopped and repeated at any point, and reports what it cannot re-wrap. Real databases with rows sealed under
// several keys; a key service lets a test act in the middle of a row.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { countByKey, rotateCredentials, type UnreadableCredential } from '../../src/byok/rotate-credentials.js';
import { runRotation } from '../../src/byok/rotate-command.js';
import { DataKeys, type StoredDataKey } from '../../src/vault/data-keys.js';
import { generateKeys } from '../../src/vault/key-file.js';
import { KeyServiceUnavailable, type WrappedKey } from '../../src/vault/key-service.js';
import { LocalKeyService } from '../../src/vault/local-key-service.js';
import { Vault } from '../../src/vault/vault.js';
import { newUuid } from '../../src/core/ids.js';
import { Secret } from '../../src/core/secret.js';
import { SystemClock } from '../../src/core/time.js';
import { lockDirectory } from '../../src/shared/database/directory-lock.js';
import type { EmbeddedOpener } from '../../src/shared/database/embedded.js';
import type { Environment } from '../../src/shared/environment.js';
import { expectUsage, outputOf, type CommandOutput } from '../support/command-output.js';
import {
  describeOnEachDatabase,
  describeOnEmbedded,
  describeOnEmptyPostgres,
  describeOnPostgres,
} from '../support/database.js';

type LocalKey = Environment['encryptionKeys'][number];

const keyText = (id: string): string => Buffer.alloc(32, `canary ${id}`).toString('base64');
const keyOf = (id: string): LocalKey => ({ id, key: new Secret(keyText(id)) });
const keysOf = (...keys: (string | LocalKey)[]): LocalKeyService =>
  new LocalKeyService(keys.map((key) => (typeof key === 'string' ? keyOf(key) : key)));

/** Local keys, with a hook before each wrap. */
class SlowKeys extends LocalKeyService {
  wraps = 0;
  beforeWrap: (wraps: number) => Promise<void> = async () => undefined;

  constructor(...ids: string[]) {
    super(ids.map(keyOf));
  }

  override async wrap(dataKey: Buffer, context: string): Promise<WrappedKey> {
    await this.beforeWrap(++this.wraps);
    return super.wrap(dataKey, context);
  }
}

interface Row {
  readonly id: string;
  readonly workspace_id: string;
  readonly provider: string;
  readonly key_id: string;
  readonly wrapped_key: Buffer;
  readonly sealed: Buffer;
  readonly updated_at: Date | null;
}

/** The rows of the suite: an account with a workspace, and the credentials in it. */
class Shelf {
  private readonly accountId = newUuid(Date.now());
  private readonly workspaceId = newUuid(Date.now());
  private added = 0;

  constructor(private readonly database: DataSource) {}

  async makeHome(): Promise<void> {
    await this.database.query(
      `insert into accounts (id, name, free_tier, created_at) values ($1, 'own', false, now())`,
      [this.accountId],
    );
    await this.database.query(
      `insert into workspaces (id, account_id, name, slug, is_default, created_at) values ($1, $2, 'own', 'own', true, now())`,
      [this.workspaceId, this.accountId],
    );
  }

  async clear(): Promise<void> {
    await this.database.query('delete from provider_credentials');
  }

  /** @returns its id */
  async add(text: string, key: string | LocalKey = 'old'): Promise<string> {
    // Ids rise with their time.
    const owner = { id: newUuid(Date.now() + this.added++), workspaceId: this.workspaceId, provider: 'anthropic' };
    const sealed = await new Vault(keysOf(key)).seal(new Secret(text), owner);
    await this.database.query(
      `insert into provider_credentials (id, account_id, workspace_id, provider, label, disabled, is_fallback, is_required,
         is_byok_only, sort_order, key_id, wrapped_key, sealed, created_at)
       values ($1, $2, $3, $4, $5, false, false, false, false, 0, $6, $7, $8, now())`,
      [
        owner.id,
        this.accountId,
        this.workspaceId,
        owner.provider,
        `label of ${text}`,
        sealed.keyId,
        sealed.wrappedKey,
        sealed.sealed,
      ],
    );
    return owner.id;
  }

  async addMany(count: number): Promise<void> {
    for (let index = 0; index < count; index++) await this.add(`text ${index}`);
  }

  /** What PATCH with another text does. */
  async replace(id: string, text: string, keyId: string): Promise<void> {
    const sealed = await new Vault(keysOf(keyId)).seal(new Secret(text), ownerOf(await this.row(id)));
    await this.database.query(
      `update provider_credentials set key_id = $2, wrapped_key = $3, sealed = $4 where id = $1`,
      [id, sealed.keyId, sealed.wrappedKey, sealed.sealed],
    );
  }

  async remove(id: string): Promise<void> {
    await this.database.query(
      `update provider_credentials set key_id = null, wrapped_key = null, sealed = null, deleted_at = now() where id = $1`,
      [id],
    );
  }

  async row(id: string): Promise<Row> {
    const rows: Row[] = await this.database.query('select * from provider_credentials where id = $1', [id]);
    return rows[0]!;
  }

  async rows(): Promise<readonly Row[]> {
    return this.database.query('select * from provider_credentials where deleted_at is null order by id');
  }

  /** The texts, in order of ids, opened with these keys alone. */
  async texts(...keyIds: string[]): Promise<readonly string[]> {
    const vault = new Vault(keysOf(...keyIds));
    return Promise.all((await this.rows()).map(async (row) => (await open(vault, row)).reveal()));
  }
}

const ownerOf = (row: Row) => ({ id: row.id, workspaceId: row.workspace_id, provider: row.provider });
const open = (vault: Vault, row: Row): Promise<Secret> =>
  vault.open(
    { keyId: row.key_id, wrappedKey: Buffer.from(row.wrapped_key), sealed: Buffer.from(row.sealed) },
    ownerOf(row),
  );
const textsUpTo = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `text ${index}`);

describeOnEachDatabase('rotation', (database) => {
  let dataSource: DataSource;
  let shelf: Shelf;

  beforeAll(async () => {
    dataSource = await database.connect();
    shelf = new Shelf(dataSource);
    await shelf.makeHome();
  }, 240_000);
  afterAll(() => dataSource.destroy());
  beforeEach(() => shelf.clear());

  async function rotate(
    keys = keysOf('new', 'old'),
    signal?: AbortSignal,
  ): Promise<{ left: number; rewrapped: number; unreadable: readonly UnreadableCredential[] }> {
    let rewrapped = 0;
    const unreadable: UnreadableCredential[] = [];
    const left = await rotateCredentials(dataSource, new Vault(keys), {
      signal,
      onRewrapped: () => rewrapped++,
      onUnreadable: (credential) => unreadable.push(credential),
    });
    return { left, rewrapped, unreadable };
  }

  it('puts all under the first key, over several batches, and changes nothing else', async () => {
    await shelf.addMany(201);
    const before = await shelf.rows();
    expect(await rotate()).toEqual({ left: 0, rewrapped: 201, unreadable: [] });
    const after = await shelf.rows();
    const rest = (row: Row): object => ({ ...row, key_id: '', wrapped_key: '' });
    expect(after.map(rest)).toEqual(before.map(rest));
    expect(await shelf.texts('new')).toEqual(textsUpTo(201));
    expect(await rotate()).toEqual({ left: 0, rewrapped: 0, unreadable: [] });
    expect(await shelf.rows()).toEqual(after);
  });

  it('leaves deleted rows and those of the first key unchanged', async () => {
    const gone = await shelf.add('gone');
    await shelf.remove(gone);
    const there = await shelf.add('there', 'new');
    const before = await shelf.row(there);
    expect(await rotate()).toEqual({ left: 0, rewrapped: 0, unreadable: [] });
    expect(await shelf.row(there)).toEqual(before);
    expect((await shelf.row(gone)).sealed).toBeNull();
  });

  it('names what it cannot decrypt, by label and id, once, and continues', async () => {
    await shelf.add('one');
    const unknown = await shelf.add('two', 'lost');
    const swapped = await shelf.add('three');
    const damaged = await shelf.add('four');
    await shelf.add('five');
    await dataSource.query(`update provider_credentials set provider = 'openai' where id = $1`, [swapped]);
    await dataSource.query(`update provider_credentials set sealed = sealed || '\\x00'::bytea where id = $1`, [
      damaged,
    ]);
    const before = await Promise.all([unknown, swapped, damaged].map((id) => shelf.row(id)));
    const { left, rewrapped, unreadable } = await rotate();
    expect({ left, rewrapped }).toEqual({ left: 3, rewrapped: 2 });
    expect(unreadable).toEqual([
      { id: unknown, label: 'label of two', reason: expect.stringContaining('"lost"') },
      { id: swapped, label: 'label of three', reason: expect.any(String) },
      { id: damaged, label: 'label of four', reason: expect.any(String) },
    ]);
    expect(await Promise.all([unknown, swapped, damaged].map((id) => shelf.row(id)))).toEqual(before);
  });

  it.each(['new', 'old'])(
    'gives way to a concurrent change in the middle of a row, under the %s key',
    async (keyId) => {
      const id = await shelf.add('before');
      const keys = new SlowKeys('new', 'old');
      keys.beforeWrap = async (wraps) => {
        if (wraps === 1) await shelf.replace(id, 'after', keyId);
      };
      const { left, rewrapped } = await rotate(keys);
      // Under the old key the next pass finds it once more.
      expect({ left, rewrapped }).toEqual({ left: 0, rewrapped: keyId === 'old' ? 1 : 0 });
      expect(await shelf.texts('new')).toEqual(['after']);
    },
  );

  it('does not restore what is deleted in the middle of its row', async () => {
    const id = await shelf.add('before');
    const keys = new SlowKeys('new', 'old');
    keys.beforeWrap = () => shelf.remove(id);
    expect(await rotate(keys)).toEqual({ left: 0, rewrapped: 0, unreadable: [] });
    expect(await shelf.row(id)).toMatchObject({ key_id: null, wrapped_key: null, sealed: null });
  });

  it('finds what is stored under the old key meanwhile, and gives up after a bounded number of passes', async () => {
    const id = await shelf.add('first');
    const keys = new SlowKeys('new', 'old');
    keys.beforeWrap = () => shelf.replace(id, `text ${keys.wraps}`, 'old');
    expect(await rotate(keys)).toEqual({ left: 1, rewrapped: 0, unreadable: [] });
    expect(keys.wraps).toBe(3);
    expect(await shelf.texts('old')).toEqual(['text 3']);
  });

  it('can be continued where it was stopped', async () => {
    await shelf.addMany(12);
    const keys = new SlowKeys('new', 'old');
    keys.beforeWrap = async (wraps) => {
      if (wraps === 6) throw new KeyServiceUnavailable('down');
    };
    await expect(rotate(keys)).rejects.toThrow('down');
    expect(await countByKey(dataSource)).toEqual([
      { keyId: 'new', credentials: 5 },
      { keyId: 'old', credentials: 7 },
    ]);
    expect(await shelf.texts('new', 'old')).toEqual(textsUpTo(12));

    const stop = new AbortController();
    keys.beforeWrap = async (wraps) => {
      if (wraps === 9) stop.abort(new Error('stopped'));
    };
    await expect(rotate(keys, stop.signal)).rejects.toThrow('stopped');
    expect(await rotate()).toMatchObject({ left: 0, rewrapped: 4 });
    expect(await shelf.texts('new')).toEqual(textsUpTo(12));
  });
});

describeOnPostgres('rotation beside gateways', (database) => {
  it('leaves every credential readable at each moment, and two concurrent ones do each row once', async () => {
    const [writer, other, reader] = await Promise.all([database.connect(), database.connect(), database.connect()]);
    const shelf = new Shelf(writer);
    await shelf.makeHome();
    await shelf.addMany(120);

    let rewrapped = 0;
    let isRunning = true;
    const run = (dataSource: DataSource): Promise<number> =>
      rotateCredentials(dataSource, new Vault(keysOf('new', 'old')), {
        onRewrapped: () => rewrapped++,
        onUnreadable: ({ label }) => {
          throw new Error(`${label} is unreadable`);
        },
      });
    const mixtures = new Set<string>();
    async function read(): Promise<void> {
      const gateway = new Vault(keysOf('new', 'old'));
      const shown = new Shelf(reader);
      while (isRunning) {
        const rows = await shown.rows();
        const texts = await Promise.all(rows.map(async (row) => (await open(gateway, row)).reveal()));
        expect(texts).toEqual(textsUpTo(120));
        await pause(10);
        mixtures.add([...new Set(rows.map(({ key_id }) => key_id))].sort().join());
      }
    }
    const reading = read();
    const left = await Promise.all([run(writer), run(other)]).finally(() => (isRunning = false));
    await reading;
    expect({ left, rewrapped }).toEqual({ left: [0, 0], rewrapped: 120 });
    expect(mixtures).toContain('new,old');
    expect(await shelf.texts('new')).toEqual(textsUpTo(120));
    await Promise.all([writer.destroy(), other.destroy(), reader.destroy()]);
  });
});

const run = (words: readonly string[], variables: NodeJS.ProcessEnv, opener?: EmbeddedOpener): Promise<CommandOutput> =>
  outputOf((context) => runRotation(context, opener), { words, variables });

describe('npm run vault:rotate', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-rotate-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('prints its usage on request, and for wrong arguments', () => expectUsage(runRotation, '--dry-run'));

  it('makes neither a database nor a key where there is none', async () => {
    const DATA_DIR = join(folder, 'none');
    expect(await run([], { DATA_DIR })).toMatchObject({
      code: 1,
      out: '',
      error: expect.stringContaining('no database'),
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
    expect(await readdir(DATA_DIR)).toEqual(['database']);
  });

  it('reports a fault of the settings or the server, without a secret', async () => {
    const DATABASE_URL = 'postgres://user:canary-password@127.0.0.1:1/store';
    const keys = { FAIRLEAD_ENCRYPTION_KEYS: `k:${keyText('k')}` };
    const unreachable = await run([], { DATABASE_URL, ...keys });
    expect(unreachable).toMatchObject({ code: 1, error: expect.stringContaining('does not answer') });
    const keyless = await run([], { DATABASE_URL });
    expect(keyless).toMatchObject({ code: 1, error: expect.stringContaining('FAIRLEAD_ENCRYPTION_KEYS is required') });
    const wrong = await run([], { DATABASE_URL, FAIRLEAD_ENCRYPTION_KEYS: 'k:canary' });
    expect(wrong).toMatchObject({ code: 1, error: expect.stringContaining('FAIRLEAD_ENCRYPTION_KEYS') });
    expect(unreachable.error + keyless.error + wrong.error).not.toMatch(/canary|Y2FuYXJ5/);
  });
});

describeOnEmptyPostgres('npm run vault:rotate', (database) => {
  const url = (): string => database.settings.databaseUrl!.reveal();
  const keys = (...ids: string[]): string => ids.map((id) => `${id}:${keyText(id)}`).join();

  it('counts by key, rotates, and ends with 1 as long as something is left', async () => {
    const variables = { DATABASE_URL: url(), FAIRLEAD_ENCRYPTION_KEYS: keys('new', 'old') };
    expect(await run([], variables)).toMatchObject({ code: 1, error: expect.stringContaining('of an older release') });

    const dataSource = await database.connect();
    const shelf = new Shelf(dataSource);
    await shelf.makeHome();
    expect(await run(['--dry-run'], variables)).toEqual({ code: 0, out: '0 credentials\n', error: '' });
    await shelf.add('canary one');
    await shelf.add('canary two', 'new');
    const lost = await shelf.add('three', 'lost');
    const before = await shelf.rows();
    expect(await run(['--dry-run'], variables)).toEqual({
      code: 0,
      out: 'lost (not known here): 1 credential\nnew (the first): 1 credential\nold: 1 credential\n',
      error: '',
    });
    expect(await shelf.rows()).toEqual(before);

    expect(await run([], variables)).toEqual({
      code: 1,
      out: '1 credential put under new\n',
      error:
        `rotate: "label of three" (${lost}) is left as it is: The encryption key "lost" is not among those of this process.\n` +
        'rotate: 1 credential still sealed under other keys: keep those keys.\n',
    });
    expect(await run([], { ...variables, FAIRLEAD_ENCRYPTION_KEYS: keys('new', 'lost') })).toEqual({
      code: 0,
      out: '1 credential put under new\n',
      error: '',
    });
    expect(await shelf.texts('new')).toEqual(['canary one', 'canary two', 'three']);
    await dataSource.destroy();
  });

  it('includes the keys that seal the audit log, and makes a new one on request', async () => {
    const dataSource = await database.connect();
    await dataSource.query('delete from provider_credentials');
    const clock = new SystemClock();
    const stored = (): Promise<StoredDataKey[]> => new DataKeys(dataSource, keysOf('new'), clock).list('audit-seal');
    await new DataKeys(dataSource, keysOf('old'), clock).create('audit-seal', 1);
    const before = await new DataKeys(dataSource, keysOf('old'), clock).unwrap((await stored())[0]!);
    const variables = { DATABASE_URL: url(), FAIRLEAD_ENCRYPTION_KEYS: keys('new', 'old') };
    expect(await run(['--dry-run'], variables)).toEqual({ code: 0, out: 'old: 1 seal key\n', error: '' });

    expect(await run([], { DATABASE_URL: url(), FAIRLEAD_ENCRYPTION_KEYS: keys('new') })).toEqual({
      code: 1,
      out: '0 credentials put under new\n',
      error: expect.stringMatching(
        /a key that seals the audit log .* left as it is.*\n.*1 seal key still sealed under other keys/,
      ),
    });
    expect(await run([], variables)).toEqual({ code: 0, out: '1 seal key put under new\n', error: '' });
    const [rewrapped] = await stored();
    expect(rewrapped).toMatchObject({ number: 1, keyId: 'new' });
    expect(await new DataKeys(dataSource, keysOf('new'), clock).unwrap(rewrapped!)).toEqual(before);

    const shelf = new Shelf(dataSource);
    await shelf.makeHome();
    await shelf.add('text', 'old');
    expect(await run(['--new-seal-key'], variables)).toEqual({
      code: 0,
      out: 'the audit log is sealed under a new key from now on\n1 credential put under new\n',
      error: '',
    });
    expect(await stored()).toMatchObject([
      { number: 2, keyId: 'new' },
      { number: 1, keyId: 'new' },
    ]);
    expect(await run(['--dry-run'], variables)).toMatchObject({
      out: 'new (the first): 1 credential and 2 seal keys\n',
    });
    await dataSource.destroy();
  });
});

describeOnEmbedded('npm run vault:rotate', (database) => {
  it('moves from the generated key to one of the variable', async () => {
    const DATA_DIR = database.settings.dataDir;
    // The engine of the suite stores its files elsewhere; this folder marks that there is a database.
    await mkdir(join(DATA_DIR, 'database'));
    const dataSource = await database.connect();
    const shelf = new Shelf(dataSource);
    await shelf.makeHome();
    const [generated] = await generateKeys(DATA_DIR);
    await shelf.add('text', generated);
    await dataSource.destroy();

    const own = { DATA_DIR, FAIRLEAD_ENCRYPTION_KEYS: `own:${keyText('own')}` };
    const done = { code: 0, error: '' };
    expect(await run([], { DATA_DIR }, database.opener)).toEqual({
      ...done,
      out: `0 credentials put under ${generated!.id}\n`,
    });
    expect(await run([], own, database.opener)).toEqual({ ...done, out: '1 credential put under own\n' });
    await rm(join(DATA_DIR, 'encryption-keys'));
    expect(await run(['--dry-run'], own, database.opener)).toEqual({ ...done, out: 'own (the first): 1 credential\n' });
    const reopened = await database.connect();
    expect(await new Shelf(reopened).texts('own')).toEqual(['text']);
    await reopened.destroy();
  });
});
