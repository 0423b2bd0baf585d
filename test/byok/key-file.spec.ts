// With the embedded database one key is made, once, readable by the owner of the process only, and a broken file stops
// the start. Real folders; several concurrent starts; broken files with canaries.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyService } from '../../src/vault/create-key-service.js';
import { findGeneratedKeys, generateKeys } from '../../src/vault/key-file.js';
import { Vault } from '../../src/vault/vault.js';
import { Secret } from '../../src/core/secret.js';
import { SystemClock } from '../../src/core/time.js';
import { StoreRefused } from '../../src/shared/database/store-refused.js';
import type { KeyServiceSetting } from '../../src/shared/environment.js';
import { encryptionKey, list } from '../../src/shared/variables/grammars.js';

const PLACE = { id: 'credential', workspaceId: 'workspace', provider: 'anthropic' };
const OWN = { id: 'own', key: new Secret(Buffer.alloc(32, 7).toString('base64')) };

describe('the generated encryption key', () => {
  let dataDir: string;
  let path: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'fairlead-key-'));
    path = join(dataDir, 'encryption-keys');
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));

  const vaultOf = async (
    encryptionKeys: readonly (typeof OWN)[] = [],
    keyServices: readonly KeyServiceSetting[] = [],
  ): Promise<Vault> => new Vault(await createKeyService({ dataDir, encryptionKeys, keyServices }, new SystemClock()));

  it('is made once, in a folder that may be missing, and read back at later starts', async () => {
    dataDir = join(dataDir, 'not', 'there');
    const sealed = await (await vaultOf()).seal(new Secret('text'), PLACE);
    expect((await (await vaultOf()).open(sealed, PLACE)).reveal()).toBe('text');
    expect(sealed.keyId).toMatch(/^generated-[0-9a-f]{8}$/);
  });

  it('is readable by its owner only, in the grammar of the variable, and leaves nothing else behind', async () => {
    const [key] = await generateKeys(dataDir);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const [read] = list(encryptionKey)((await readFile(path, 'utf8')).trim());
    expect([read!.id, read!.key.reveal()]).toEqual([key!.id, key!.key.reveal()]);
    expect(Buffer.from(read!.key.reveal(), 'base64')).toHaveLength(32);
    expect(await readdir(dataDir)).toEqual(['encryption-keys']);
  });

  it('is one for all concurrent starts', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => generateKeys(dataDir)));
    expect(new Set(all.map(([key]) => key!.key.reveal())).size).toBe(1);
    expect(new Set(all.map(([key]) => key!.id)).size).toBe(1);
    expect(await readdir(dataDir)).toEqual(['encryption-keys']);
  });

  it('still opens beside keys of the variable, which come first', async () => {
    const sealed = await (await vaultOf()).seal(new Secret('text'), PLACE);
    const vault = await vaultOf([OWN]);
    expect(vault.currentKeyId).toBe('own');
    expect((await vault.open(sealed, PLACE)).reveal()).toBe('text');
  });

  it('is not made where the variable gives keys or a service encrypts', async () => {
    await vaultOf([OWN]);
    const service = {
      kind: 'vault-transit',
      mount: 'm',
      key: 'k',
      address: 'https://x',
      token: new Secret('t'),
    } as const;
    expect((await vaultOf([], [service])).currentKeyId).toBe('vault-transit:m/k');
    expect(await readdir(dataDir)).toEqual([]);
    await vaultOf([], [service, { kind: 'local' }]);
    expect(await readdir(dataDir)).toEqual(['encryption-keys']);
  });

  const key = OWN.key.reveal();
  it.each([
    ['empty', ''],
    ['cut off', `own:${key.slice(0, 20)}`],
    ['without an id', key],
    ['two keys of one id', `own:${key},own:${key}`],
    ['something else', 'canary'],
    ['huge', 'canary'.repeat(100_000)],
  ])('stops the start when the file is %s: the file is named, its content is not, and it stays', async (_, content) => {
    await writeFile(path, content);
    for (const start of [vaultOf(), vaultOf([OWN])]) {
      const error: unknown = await start.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StoreRefused);
      expect((error as Error).message).toContain(path);
      expect((error as Error).message).not.toMatch(/canary|BwcH/);
    }
    expect(await readFile(path, 'utf8')).toBe(content);
  });

  it('stops the start when the file is a folder', async () => {
    await mkdir(path);
    await expect(findGeneratedKeys(dataDir)).rejects.toThrow(StoreRefused);
    await expect(generateKeys(dataDir)).rejects.toThrow(/encryption-keys cannot be read \(EISDIR\)/);
  });
});
