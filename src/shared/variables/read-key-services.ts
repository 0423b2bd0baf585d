import type { KeyServiceSetting } from '../environment.js';
import type { KeyServiceName } from './key-service-grammars.js';
import type { VariableReader } from './variable-reader.js';
import { VARIABLES } from './variables.js';

type KeyServiceNameOf<Kind extends KeyServiceName['kind']> = Extract<KeyServiceName, { kind: Kind }>;
type Setting<Kind extends KeyServiceSetting['kind']> = Extract<KeyServiceSetting, { kind: Kind }>;

/** The services of FAIRLEAD_KEY_SERVICE with their settings. Variables of other services are not read. */
export function readKeyServices(reader: VariableReader): readonly KeyServiceSetting[] {
  const names = reader.read(VARIABLES.keyService) ?? [];
  const kms = names.filter((name) => name.kind === 'aws-kms');
  const withKms = kms.length > 0 ? kmsSettings(reader, kms) : undefined;
  const withTransit = names.some(({ kind }) => kind === 'vault-transit') ? transitSettings(reader) : undefined;
  return Object.freeze(
    names.flatMap((name): KeyServiceSetting[] => {
      if (name.kind === 'local') return [name];
      const setting = name.kind === 'aws-kms' ? withKms?.(name) : withTransit?.(name);
      return setting ? [Object.freeze(setting)] : [];
    }),
  );
}

/** Undefined where a setting is missing, which the reader has recorded. */
function kmsSettings(
  reader: VariableReader,
  keys: readonly KeyServiceNameOf<'aws-kms'>[],
): ((name: KeyServiceNameOf<'aws-kms'>) => Setting<'aws-kms'> | undefined) | undefined {
  const needed = 'is required where FAIRLEAD_KEY_SERVICE names aws-kms';
  const region = keys.some((key) => key.region === undefined)
    ? reader.require(VARIABLES.awsRegion, `${needed} by an id: only an ARN contains the region`)
    : undefined;
  const accessKeyId = reader.require(VARIABLES.awsAccessKeyId, needed);
  const secretAccessKey = reader.require(VARIABLES.awsSecretAccessKey, needed);
  const sessionToken = reader.read(VARIABLES.awsSessionToken);
  const endpoint = reader.read(VARIABLES.awsEndpointUrlKms);
  if (!accessKeyId || !secretAccessKey) return undefined;
  return ({ keyId, region: own }) => {
    const inRegion = own ?? region;
    if (inRegion === undefined) return undefined;
    return {
      kind: 'aws-kms',
      keyId,
      region: inRegion,
      endpoint: endpoint ?? `https://kms.${inRegion}.amazonaws.com${inRegion.startsWith('cn-') ? '.cn' : ''}`,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken && { sessionToken }),
    };
  };
}

function transitSettings(
  reader: VariableReader,
): ((name: KeyServiceNameOf<'vault-transit'>) => Setting<'vault-transit'>) | undefined {
  const needed = 'is required where FAIRLEAD_KEY_SERVICE names vault-transit';
  const address = reader.require(VARIABLES.vaultAddress, needed);
  const token = reader.require(VARIABLES.vaultToken, needed);
  const namespace = reader.read(VARIABLES.vaultNamespace);
  if (address === undefined || !token) return undefined;
  return (name) => ({ ...name, address, token, ...(namespace !== undefined && { namespace }) });
}
