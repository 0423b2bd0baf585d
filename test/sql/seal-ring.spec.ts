// Replicas seal under one key that is stored only wrapped, open what the others sealed, and wait for a key service only
// while it is down. Rings over one store, each with encryption keys of its own.
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { runRotation } from '../../src/byok/rotate-command.js';
import { GatewayError } from '../../src/core/errors.js';
import { DataKeys, type StoredDataKey } from '../../src/vault/data-keys.js';
import { KeyService, KeyServiceUnavailable, type WrappedKey } from '../../src/vault/key-service.js';
import { SealRing } from '../../src/vault/seal-ring.js';
import { AheadClock } from '../support/ahead-clock.js';
import { keyText, localKeys } from '../support/audit-log.js';
import { outputOf } from '../support/command-output.js';
import { describeOnEachDatabase, describeOnPostgres } from '../support/database.js';

jest.spyOn(Logger.prototype, 'warn').mockImplementation();
const failed = jest.spyOn(Logger.prototype, 'error').mockImplementation();
beforeEach(() => jest.clearAllMocks());

/** An external service that can be down. */
class Flaky extends KeyService {
  readonly currentKeyId = 'test';
  private readonly local = localKeys('test');
  isDown = false;
  calls = 0;

  wrap = (key: Buffer, context: string): Promise<WrappedKey> => this.ask(() => this.local.wrap(key, context));
  unwrap = (key: WrappedKey, context: string): Promise<Buffer> => this.ask(() => this.local.unwrap(key, context));

  private async ask<Answer>(answer: () => Promise<Answer>): Promise<Answer> {
    this.calls++;
    if (this.isDown) throw new KeyServiceUnavailable('down');
    return answer();
  }
}

const PLAIN = Buffer.from('what was read');

describeOnEachDatabase('the ring of keys that seal for tools', (database) => {
  let dataSource: DataSource;
  beforeAll(async () => {
    dataSource = await database.connect();
  });
  afterAll(() => dataSource.destroy());
  beforeEach(() => dataSource.query('delete from data_keys'));

  /** The ring of one replica. */
  const ringOf = (keys: KeyService = localKeys('test')): SealRing =>
    new SealRing(new DataKeys(dataSource, keys, new AheadClock()));
  const stored = (): Promise<StoredDataKey[]> =>
    new DataKeys(dataSource, localKeys('test'), new AheadClock()).list('tool-seal');

  it('is one key for all replicas, made by the first that needs it', async () => {
    const [one, other] = [ringOf(), ringOf()];
    await Promise.all([one.ready(), other.ready(), one.ready()]);
    expect(await stored()).toMatchObject([{ number: 1, keyId: 'test' }]);
    expect(other.open(one.seal(PLAIN, 'here'), 'here')).toEqual(PLAIN);
  });

  it('loads another replica’s newer key on request', async () => {
    const [one, lost] = [ringOf(), ringOf(localKeys('lost'))];
    await one.ready();
    await lost.ready();
    expect(failed).toHaveBeenCalledWith(expect.stringContaining('No key that seals for tools opens'));
    const sealed = lost.seal(PLAIN, 'here');
    const both = ringOf(localKeys('test', 'lost'));
    await both.prepareToOpen([sealed, one.seal(PLAIN, 'here')]);
    expect(both.open(sealed, 'here')).toEqual(PLAIN);
    // A key without an encryption key here counts as absent.
    await one.prepareToOpen([sealed]);
    expect(one.open(sealed, 'here')).toBe(undefined);
    expect((await stored()).map(({ keyId }) => keyId)).toEqual(['lost', 'test']);
  });

  it('opens nothing whose key is gone from the store, except where it is still cached', async () => {
    const one = ringOf();
    await one.ready();
    const sealed = one.seal(PLAIN, 'here');
    await dataSource.query('delete from data_keys');
    const other = ringOf();
    await other.prepareToOpen([sealed]);
    expect([one.open(sealed, 'here'), other.open(sealed, 'here')]).toEqual([PLAIN, undefined]);
  });

  it('fails while the key service is down, tries again, and no longer needs it then', async () => {
    const service = new Flaky();
    const ring = ringOf(service);
    service.isDown = true;
    await expect(ring.ready()).rejects.toThrow(GatewayError);
    await expect(ring.ready()).rejects.toMatchObject({ kind: 'service-unavailable' });
    expect(() => ring.seal(PLAIN, 'here')).toThrow('before it was ready');
    service.isDown = false;
    await ring.ready();
    service.isDown = true;
    const { calls } = service;
    await ring.ready();
    expect(ring.open(ring.seal(PLAIN, 'here'), 'here')).toEqual(PLAIN);
    expect(service.calls).toBe(calls);

    const started = ringOf(service);
    await expect(started.prepareToOpen([ring.seal(PLAIN, 'here')])).rejects.toMatchObject({
      kind: 'service-unavailable',
    });
    await started.prepareToOpen(['none of ours', '']);
  });
});

describeOnPostgres('npm run vault:rotate', (database) => {
  it('includes the keys that seal for tools, and what was sealed still opens', async () => {
    const dataSource = await database.connect();
    const ringOf = (...ids: string[]): SealRing =>
      new SealRing(new DataKeys(dataSource, localKeys(...ids), new AheadClock()));
    const before = ringOf('old');
    await before.ready();
    const sealed = before.seal(PLAIN, 'here');
    const rotate = (words: string[], ...ids: string[]) =>
      outputOf(runRotation, {
        words,
        variables: {
          DATABASE_URL: database.settings.databaseUrl!.reveal(),
          FAIRLEAD_ENCRYPTION_KEYS: ids.map((id) => `${id}:${keyText(id)}`).join(','),
        },
      });
    expect(await rotate(['--dry-run'], 'new', 'old')).toMatchObject({ code: 0, out: 'old: 1 seal key\n' });
    expect(await rotate([], 'new')).toMatchObject({
      code: 1,
      error: expect.stringContaining('a key that seals what tools keep ('),
    });
    expect(await rotate([], 'new', 'old')).toMatchObject({ code: 0, out: '1 seal key put under new\n' });
    const after = ringOf('new');
    await after.prepareToOpen([sealed]);
    expect(after.open(sealed, 'here')).toEqual(PLAIN);
    await dataSource.destroy();
  });
});
