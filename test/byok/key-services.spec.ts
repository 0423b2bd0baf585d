// AWS KMS and Vault transit wrap and unwrap data keys in their context; whatever else they do ends soon, as one of two
// errors, which contain nothing of their replies, of their address or of secrets. The real clients against stand-ins on
// loopback that check signature, token and context by themselves, and misbehave.
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { Secret } from '../../src/core/secret.js';
import { Clock, SystemClock } from '../../src/core/time.js';
import { AwsKms } from '../../src/vault/aws-kms.js';
import { createKeyService } from '../../src/vault/create-key-service.js';
import { KeyServiceUnavailable, Undecryptable, type KeyService } from '../../src/vault/key-service.js';
import { Vault } from '../../src/vault/vault.js';
import { VaultTransit } from '../../src/vault/vault-transit.js';
import type { KeyServiceSetting } from '../../src/shared/environment.js';
import { AWS, KEY_NAME, startKms, startVault, VAULT, type KeyServiceStandIn } from './key-service-stand-in.js';

type Setting<Kind> = Extract<KeyServiceSetting, { kind: Kind }>;

/** A busy machine is no failure. */
const LIMITS = { connectMs: 10_000, tryMs: 10_000, pauseMs: 1 };
const HASTY = { ...LIMITS, tryMs: 200 };
const CONTEXT = '["credential ü","workspace","anthropic"]';
/** Two tries and what a busy machine adds. */
const BOUND_MS = 3_000;

const kmsSetting = (endpoint: string, changes: Partial<Setting<'aws-kms'>> = {}): Setting<'aws-kms'> => ({
  kind: 'aws-kms',
  keyId: KEY_NAME,
  region: AWS.region,
  endpoint,
  accessKeyId: new Secret(AWS.accessKeyId),
  secretAccessKey: new Secret(AWS.secretAccessKey),
  sessionToken: new Secret(AWS.sessionToken),
  ...changes,
});

const transitSetting = (
  address: string,
  changes: Partial<Setting<'vault-transit'>> = {},
): Setting<'vault-transit'> => ({
  kind: 'vault-transit',
  address,
  mount: VAULT.mount,
  key: KEY_NAME,
  token: new Secret(VAULT.token),
  namespace: VAULT.namespace,
  ...changes,
});

const KINDS = {
  'AWS KMS': {
    start: startKms,
    client: (origin: string, limits = LIMITS): KeyService => new AwsKms(kmsSetting(origin), new SystemClock(), limits),
    keyId: `aws-kms:${KEY_NAME}`,
    tampered: (wrapped: Buffer) => Buffer.from(wrapped).fill(wrapped[9]! ^ 1, 9, 10),
    foreign: { CiphertextBlob: 'not base64!', Plaintext: Buffer.alloc(31).toString('base64') } as object,
  },
  'Vault transit': {
    start: startVault,
    client: (origin: string, limits = LIMITS): KeyService => new VaultTransit(transitSetting(origin), limits),
    keyId: `vault-transit:${VAULT.mount}/${KEY_NAME}`,
    tampered: (wrapped: Buffer) => Buffer.from(wrapped.toString().replace(/.{4}$/, 'AAAA')),
    foreign: { data: { ciphertext: 'vault:v1:', plaintext: Buffer.alloc(31).toString('base64') } } as object,
  },
};

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const error: unknown = await work.then(
    () => new Error('succeeded'),
    (reason: unknown) => reason,
  );
  return error as Error;
}

/** Everything of an error that could be printed. */
const everythingOf = (error: Error): string => inspect(error, { depth: 20, showHidden: true });

describe.each(Object.entries(KINDS))('%s', (_, { start, client, keyId, tampered, foreign }) => {
  const dataKey = randomBytes(32);
  let standIn: KeyServiceStandIn;
  let keys: KeyService;

  beforeEach(async () => {
    standIn = await start();
    keys = client(standIn.origin);
  });
  afterEach(() => standIn.close());

  it('wraps and unwraps, and names its key with a prefix', async () => {
    const wrapped = await keys.wrap(dataKey, CONTEXT);
    expect(wrapped.keyId).toBe(keyId);
    expect([keys.currentKeyId, keys.unwraps(keyId), keys.unwraps(KEY_NAME)]).toEqual([keyId, true, false]);
    expect(await keys.unwrap(wrapped, CONTEXT)).toEqual(dataKey);
    expect(standIn.received).toHaveLength(2);
  });

  it('unwraps in no other context, no changed bytes and nothing of another key', async () => {
    const { wrapped } = await keys.wrap(dataKey, CONTEXT);
    for (const [key, context] of [
      [{ keyId, wrapped }, CONTEXT.replace('workspace', 'Workspace')],
      [{ keyId, wrapped: tampered(wrapped) }, CONTEXT],
      [{ keyId, wrapped: wrapped.subarray(1) }, CONTEXT],
      [{ keyId, wrapped: Buffer.alloc(0) }, CONTEXT],
      [{ keyId, wrapped: Buffer.alloc(10_000, 'A') }, CONTEXT],
      [{ keyId: `${keyId}x`, wrapped }, CONTEXT],
    ] as const) {
      expect(await failureOf(keys.unwrap(key, context))).toBeInstanceOf(Undecryptable);
    }
  });

  it('tries a second time where that may help, and succeeds', async () => {
    const { wrapped } = await keys.wrap(dataKey, CONTEXT);
    for (const status of [undefined, 500, 503, 429]) {
      let failed = false;
      standIn.misbehave = (response) => {
        if (failed) return false;
        failed = true;
        if (status === undefined) response.socket!.destroy();
        else response.writeHead(status).end();
        return true;
      };
      expect(await keys.unwrap({ keyId, wrapped }, CONTEXT)).toEqual(dataKey);
      expect(failed).toBe(true);
    }
  });

  it.each<[string, KeyServiceStandIn['misbehave'], number]>([
    ['fails', (response) => !!response.writeHead(500).end('{"errors":["canary"],"__type":"canary"}'), 2],
    ['hangs', () => true, 2],
    ['hangs in mid-reply', (response) => !!response.writeHead(200).write('{"data":'), 2],
    ['hangs up', (response) => !!response.socket!.destroy(), 2],
    ['speaks no HTTP', (response) => !!response.socket!.end('canary\r\n\r\n'), 2],
    ['answers no JSON', (response) => !!response.end('canary'), 1],
    ['answers null', (response) => !!response.end('null'), 1],
    ['answers another shape', (response) => !!response.end('{"data":["canary"],"Plaintext":{"canary":1}}'), 1],
    ['answers what is no key', (response) => !!response.end(JSON.stringify(foreign)), 1],
    ['answers without end', (response) => !!response.end(' '.repeat(10_000_000)), 1],
    ['refuses', (response) => !!response.writeHead(403).end('{"errors":["canary"]}'), 1],
  ])('is unavailable when it %s', async (name, misbehave, tries) => {
    const { wrapped } = await keys.wrap(dataKey, CONTEXT);
    const hasty = name.startsWith('hangs in') || name === 'hangs' ? client(standIn.origin, HASTY) : keys;
    standIn.misbehave = misbehave;
    for (const work of [
      (): Promise<unknown> => hasty.wrap(dataKey, CONTEXT),
      () => hasty.unwrap({ keyId, wrapped }, CONTEXT),
    ]) {
      const before = standIn.received.length;
      const startedAt = performance.now();
      const error = await failureOf(work());
      expect(error).toBeInstanceOf(KeyServiceUnavailable);
      expect(performance.now() - startedAt).toBeLessThan(BOUND_MS);
      expect(standIn.received.length - before).toBe(tries);
      expect(everythingOf(error)).not.toMatch(/canary|127\.0\.0\.1|http:/i);
      expect(everythingOf(error)).not.toContain(new URL(standIn.origin).port);
    }
  });

  it('is unavailable when nothing listens, and the error does not contain the address', async () => {
    const { port } = new URL(standIn.origin);
    await standIn.close();
    const error = await failureOf(keys.wrap(dataKey, CONTEXT));
    await standIn.listen();
    expect(error).toBeInstanceOf(KeyServiceUnavailable);
    expect(error.message).toContain('ECONNREFUSED');
    expect(everythingOf(error)).not.toContain(port);
  });

  it.each([301, 302, 307, 308])('does not follow a redirect (%s): keys and tokens stay here', async (status) => {
    const elsewhere = await start();
    standIn.misbehave = (response) => !!response.writeHead(status, { location: `${elsewhere.origin}/x` }).end();
    expect(await failureOf(keys.wrap(dataKey, CONTEXT))).toBeInstanceOf(KeyServiceUnavailable);
    expect([standIn.received.length, elsewhere.received.length]).toEqual([1, 0]);
    await elsewhere.close();
  });

  it('shows no secret, by any way of printing', async () => {
    await keys.wrap(dataKey, CONTEXT);
    expect(inspect(keys, { depth: 20, showHidden: true }) + JSON.stringify(keys)).not.toMatch(/canary/i);
  });
});

describe('a caller', () => {
  const dataKey = randomBytes(32);

  it.each<[string, Partial<Setting<'aws-kms'>>, string]>([
    ['another secret', { secretAccessKey: new Secret('canary') }, 'InvalidSignatureException'],
    ['another access key', { accessKeyId: new Secret('AKIDOTHER') }, 'UnrecognizedClientException'],
    ['another region', { region: 'eu-west-1' }, 'SignatureDoesNotMatch'],
    ['another key', { keyId: KEY_NAME.replace('1', '2') }, 'NotFoundException'],
  ])('is refused by AWS KMS with %s, and gets the reason', async (_, changes, reason) => {
    const kms = await startKms();
    const error = await failureOf(
      new AwsKms(kmsSetting(kms.origin, changes), new SystemClock(), LIMITS).wrap(dataKey, CONTEXT),
    );
    expect(error).toBeInstanceOf(KeyServiceUnavailable);
    expect(error.message).toBe(`AWS KMS refuses this process (status 400, ${reason}).`);
    expect(kms.received).toHaveLength(1);
    await kms.close();
  });

  it('is refused by AWS KMS with a wrong clock', async () => {
    const kms = await startKms();
    class LateClock extends Clock {
      override now(): number {
        return Date.now() - 3_600_000;
      }
    }
    const error = await failureOf(new AwsKms(kmsSetting(kms.origin), new LateClock(), LIMITS).wrap(dataKey, CONTEXT));
    expect(error.message).toContain('SignatureDoesNotMatch');
    await kms.close();
  });

  it.each<[string, Partial<Setting<'vault-transit'>>, number]>([
    ['another token', { token: new Secret('hvs.other') }, 403],
    ['another namespace', { namespace: 'team/b' }, 403],
    ['another mount', { mount: 'transit' }, 404],
  ])('is refused by Vault with %s', async (_, changes, status) => {
    const vault = await startVault();
    const error = await failureOf(
      new VaultTransit(transitSetting(vault.origin, changes), LIMITS).wrap(dataKey, CONTEXT),
    );
    expect(error).toBeInstanceOf(KeyServiceUnavailable);
    expect(error.message).toBe(`HashiCorp Vault refuses this process (status ${status}).`);
    await vault.close();
  });
});

describe('the key services of the settings', () => {
  const owner = { id: 'credential', workspaceId: 'workspace', provider: 'anthropic' };
  const credential = new Secret('the credential');
  const databaseUrl = new Secret('postgres://db/x');
  const encryptionKeys = [{ id: 'k1', key: new Secret(Buffer.alloc(32, 1).toString('base64')) }];
  let kms: KeyServiceStandIn;
  let transit: KeyServiceStandIn;

  beforeAll(async () => {
    [kms, transit] = await Promise.all([startKms(), startVault()]);
  });
  afterAll(() => Promise.all([kms.close(), transit.close()]));

  const vaultOf = async (keyServices: readonly KeyServiceSetting[], keys = encryptionKeys): Promise<Vault> =>
    new Vault(
      await createKeyService(
        { databaseUrl, dataDir: '/nowhere', encryptionKeys: keys, keyServices },
        new SystemClock(),
      ),
    );

  it('can be changed from local keys to a service, to another, and back', async () => {
    const [local, aws, hashicorp] = [
      { kind: 'local' } as const,
      kmsSetting(kms.origin),
      transitSetting(transit.origin),
    ];
    let sealed = await (await vaultOf([])).seal(credential, owner);
    for (const [services, keyId] of [
      [[local, aws], 'k1'],
      [[aws], `aws-kms:${KEY_NAME}`],
      [[hashicorp, aws, local], `vault-transit:${VAULT.mount}/${KEY_NAME}`],
      [[local, hashicorp], 'k1'],
    ] as const) {
      const vault = await vaultOf(services);
      expect((await vault.open(sealed, owner)).reveal()).toBe(credential.reveal());
      sealed = await vault.rewrap(sealed, owner);
      expect(sealed.keyId).toBe(keyId);
      expect((await vault.open(sealed, owner)).reveal()).toBe(credential.reveal());
    }
    expect((await (await vaultOf([])).open(sealed, owner)).reveal()).toBe(credential.reveal());
  });

  it('call a service once for what is opened often', async () => {
    const vault = await vaultOf([kmsSetting(kms.origin)], []);
    const sealed = await vault.seal(credential, owner);
    const before = kms.received.length;
    for (let time = 0; time < 5; time++) await vault.open(sealed, owner);
    expect(kms.received.length - before).toBe(1);
  });
});
