import type { Clock } from '../core/time.js';
import type { Environment, KeyServiceSetting } from '../shared/environment.js';
import { AwsKms } from './aws-kms.js';
import { CachedKeyService } from './cached-key-service.js';
import { JoinedKeyService } from './joined-key-service.js';
import { findGeneratedKeys, generateKeys } from './key-file.js';
import type { KeyService } from './key-service.js';
import { LocalKeyService } from './local-key-service.js';
import { VaultTransit } from './vault-transit.js';

export type KeySettings = Pick<Environment, 'databaseUrl' | 'dataDir' | 'encryptionKeys' | 'keyServices'>;
type LocalKeys = Environment['encryptionKeys'];

/**
 * The services of the settings, in their order, and always the local keys. No service is called: one that is down must
 * not keep the process from starting.
 * @throws StoreRefused when the file of generated keys is broken
 */
export async function createKeyService(settings: KeySettings, clock: Clock): Promise<KeyService> {
  const service = serviceOf(settings, await localKeysOf(settings, generateKeys), clock);
  if (!service) throw new RangeError('The vault needs a key to encrypt with.');
  return service;
}

/** For read-only commands: like `createKeyService`, but never generates a key; undefined if there is none. */
export const findKeyService = async (settings: KeySettings, clock: Clock): Promise<KeyService | undefined> =>
  serviceOf(settings, await localKeysOf(settings, findGeneratedKeys), clock);

function serviceOf(settings: KeySettings, keys: LocalKeys, clock: Clock): KeyService | undefined {
  const local = keys.length > 0 ? [new LocalKeyService(keys)] : [];
  const named = settings.keyServices.flatMap((setting): readonly KeyService[] =>
    setting.kind === 'local' ? local : [new CachedKeyService(createExternal(setting, clock))],
  );
  const [first, ...others] = new Set([...named, ...local]);
  if (!first) return undefined;
  return others.length === 0 ? first : new JoinedKeyService(first, ...others);
}

function createExternal(setting: Exclude<KeyServiceSetting, { kind: 'local' }>, clock: Clock): KeyService {
  switch (setting.kind) {
    case 'aws-kms':
      return new AwsKms(setting, clock);
    case 'vault-transit':
      return new VaultTransit(setting);
  }
}

/**
 * Keys of the variable, and with the embedded database those generated earlier: data that they sealed stays readable.
 */
async function localKeysOf(
  { databaseUrl, dataDir, encryptionKeys, keyServices }: KeySettings,
  makeKeys: (dataDir: string) => Promise<LocalKeys>,
): Promise<LocalKeys> {
  if (databaseUrl !== undefined) return encryptionKeys;
  const isNeeded = keyServices.length === 0 || keyServices.some(({ kind }) => kind === 'local');
  const generated =
    isNeeded && encryptionKeys.length === 0 ? await makeKeys(dataDir) : await findGeneratedKeys(dataDir);
  const ids = new Set(encryptionKeys.map(({ id }) => id));
  return [...encryptionKeys, ...generated.filter(({ id }) => !ids.has(id))];
}
