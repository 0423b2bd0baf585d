// A credential opens unchanged with its key at its location, and in no other case; nothing of keys or credentials can
// be printed. Real keys; each stored byte is flipped, each part of the location exchanged; output is searched for
// canaries.
import { inspect } from 'node:util';
import { Secret } from '../core/secret.js';
import { JoinedKeyService } from './joined-key-service.js';
import { Undecryptable } from './key-service.js';
import { LocalKeyService } from './local-key-service.js';
import { Vault, type CredentialContext, type SealedCredential } from './vault.js';

const CREDENTIAL = new Secret('sk-canary-of-a-provider-ü');
const PLACE = { id: 'credential-1', workspaceId: 'workspace-1', provider: 'anthropic' };

const key = (id: string, text = id): { id: string; key: Secret } => ({
  id,
  key: new Secret(Buffer.alloc(32, `canary ${text}`).toString('base64')),
});
const vaultOf = (...keys: { id: string; key: Secret }[]): Vault => new Vault(new LocalKeyService(keys));

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const error: unknown = await work.then(
    () => new Error('opened'),
    (reason: unknown) => reason,
  );
  return error as Error;
}

describe('Vault', () => {
  const vault = vaultOf(key('new'), key('old'));

  it.each([CREDENTIAL.reveal(), '', 'x'.repeat(100_000), '\u0000\n'])('opens what it sealed', async (text) => {
    const sealed = await vault.seal(new Secret(text), PLACE);
    expect((await vault.open(sealed, PLACE)).reveal()).toBe(text);
    expect(sealed.keyId).toBe('new');
  });

  it('seals one text twice as two, under two data keys', async () => {
    const [one, other] = [await vault.seal(CREDENTIAL, PLACE), await vault.seal(CREDENTIAL, PLACE)];
    expect(one.sealed.equals(other.sealed)).toBe(false);
    expect(one.wrappedKey.equals(other.wrappedKey)).toBe(false);
    const swapped = { ...one, wrappedKey: other.wrappedKey };
    expect(await failureOf(vault.open(swapped, PLACE))).toBeInstanceOf(Undecryptable);
  });

  it.each<[string, CredentialContext]>([
    ['id', { ...PLACE, id: 'credential-2' }],
    ['workspace', { ...PLACE, workspaceId: 'workspace-2' }],
    ['provider', { ...PLACE, provider: 'openai' }],
    ['border between two parts', { ...PLACE, workspaceId: 'workspace-1","anthropic', provider: '' }],
  ])('does not open as another %s', async (_, owner) => {
    const sealed = await vault.seal(CREDENTIAL, PLACE);
    expect(await failureOf(vault.open(sealed, owner))).toBeInstanceOf(Undecryptable);
    expect(await failureOf(vault.rewrap(sealed, owner))).toBeInstanceOf(Undecryptable);
  });

  it('opens neither with another key of the same id nor without the key, whose id the error names', async () => {
    const sealed = await vault.seal(CREDENTIAL, PLACE);
    expect(await failureOf(vaultOf(key('new', 'other')).open(sealed, PLACE))).toBeInstanceOf(Undecryptable);
    const missing = await failureOf(vaultOf(key('old')).open(sealed, PLACE));
    expect(missing).toBeInstanceOf(Undecryptable);
    expect(missing.message).toContain('"new"');
    expect([vault.hasKey('new'), vault.hasKey('old'), vault.hasKey('x')]).toEqual([true, true, false]);
  });

  it.each(['wrappedKey', 'sealed'] as const)('opens with no byte of %s flipped, missing or added', async (part) => {
    const sealed = await vault.seal(CREDENTIAL, PLACE);
    const bytes = sealed[part];
    const changed = [
      ...Array.from(bytes, (byte, index) =>
        Buffer.concat([bytes.subarray(0, index), Buffer.of(byte ^ 1), bytes.subarray(index + 1)]),
      ),
      ...Array.from(bytes, (_, length) => bytes.subarray(0, length)),
      Buffer.concat([bytes, Buffer.of(0)]),
    ];
    for (const each of changed) {
      const error = await failureOf(vault.open({ ...sealed, [part]: each }, PLACE));
      expect(error).toBeInstanceOf(Undecryptable);
      expect(error.message).not.toContain('canary');
    }
    expect(changed).toHaveLength(2 * bytes.length + 1);
  });

  it('re-wraps without touching the ciphertext, and only what opens', async () => {
    const before = await vaultOf(key('old')).seal(CREDENTIAL, PLACE);
    const after = await vault.rewrap(before, PLACE);
    expect(after).toMatchObject({ keyId: 'new', sealed: before.sealed });
    expect((await vaultOf(key('new')).open(after, PLACE)).reveal()).toBe(CREDENTIAL.reveal());
    const broken: SealedCredential = { ...before, sealed: Buffer.alloc(before.sealed.length) };
    expect(await failureOf(vault.rewrap(broken, PLACE))).toBeInstanceOf(Undecryptable);
  });

  it('prints nothing of keys and credentials, by any way of printing', async () => {
    const sealed = await vault.seal(CREDENTIAL, PLACE);
    const opened = await vault.open(sealed, PLACE);
    const joined = new Vault(new JoinedKeyService(new LocalKeyService([key('a')]), new LocalKeyService([key('b')])));
    const ways = [
      (each: unknown) => inspect(each, { depth: 20, showHidden: true, maxArrayLength: null }),
      JSON.stringify,
      String,
    ];
    const printed = [vault, joined, sealed, opened].flatMap((each) => ways.map((print) => print(each)));
    const traces = [CREDENTIAL, key('new').key, key('old').key, key('a').key, key('b').key].flatMap((secret) => {
      const bytes = Buffer.from(secret.reveal(), secret === CREDENTIAL ? 'utf8' : 'base64');
      return [
        secret.reveal(),
        bytes.toString(),
        bytes.toString('hex').slice(0, 16),
        (bytes.toString('hex').match(/../g) ?? []).slice(0, 8).join(' '),
      ];
    });
    for (const text of printed) for (const trace of traces) expect(text).not.toContain(trace);
  });
});

describe('JoinedKeyService', () => {
  it('wraps with the first, unwraps with the owner of the key, and fails for other keys', async () => {
    const [first, second] = [new LocalKeyService([key('a')]), new LocalKeyService([key('b')])];
    const joined = new JoinedKeyService(first, second);
    const dataKey = Buffer.alloc(32, 1);
    expect((await joined.wrap(dataKey, 'x')).keyId).toBe('a');
    expect(await joined.unwrap(await second.wrap(dataKey, 'x'), 'x')).toEqual(dataKey);
    expect(await failureOf(joined.unwrap({ keyId: 'c', wrapped: dataKey }, 'x'))).toBeInstanceOf(Undecryptable);
    expect([joined.unwraps('b'), joined.unwraps('c')]).toEqual([true, false]);
  });
});
