import { parseUrl } from '../../core/parse-url.js';
import { Secret } from '../../core/secret.js';
import { Ungrammatical, type Grammar } from './grammars.js';

/** An entry of FAIRLEAD_KEY_SERVICE. */
export type KeyServiceName =
  | { readonly kind: 'local' }
  /** `keyId` as written: an id or an ARN. An ARN contains its region. */
  | { readonly kind: 'aws-kms'; readonly keyId: string; readonly region?: string }
  | { readonly kind: 'vault-transit'; readonly mount: string; readonly key: string };

const KMS_KEY =
  /^(?:arn:aws(?:-cn|-us-gov)?:kms:(?<region>[a-z]{2}(?:-[a-z]+)+-\d):\d{12}:key\/)?(?:mrk-[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const TRANSIT_SEGMENT = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/;

/** `local`, `aws-kms:<key>` or `vault-transit:<mount>/<key>`. */
export const keyService: Grammar<KeyServiceName> = (text) => {
  if (text === 'local') return Object.freeze({ kind: 'local' });
  const [kind] = text.split(':', 1);
  const rest = text.slice(kind!.length + 1);
  if (kind === 'aws-kms') return kmsKey(rest);
  if (kind === 'vault-transit') return transitKey(rest);
  throw new Ungrammatical('must be local, aws-kms:<key id or ARN> or vault-transit:<mount>/<key>');
};

/** An alias is refused: it may later point to another key, which cannot decrypt what the previous one encrypted. */
function kmsKey(keyId: string): KeyServiceName {
  const match = KMS_KEY.exec(keyId);
  if (!match) throw new Ungrammatical('must have the id or the ARN of a key after aws-kms:, not an alias');
  const region = match.groups?.['region'];
  return Object.freeze({ kind: 'aws-kms', keyId, ...(region !== undefined && { region }) });
}

function transitKey(path: string): KeyServiceName {
  const segments = path.split('/');
  if (segments.length < 2 || !segments.every((segment) => TRANSIT_SEGMENT.test(segment))) {
    throw new Ungrammatical('must have <mount>/<key> after vault-transit:');
  }
  return Object.freeze({ kind: 'vault-transit', mount: segments.slice(0, -1).join('/'), key: segments.at(-1)! });
}

export const awsRegion: Grammar<string> = (text) => {
  if (!/^[a-z]{2}(?:-[a-z]+)+-\d$/.test(text)) throw new Ungrammatical('must be a region such as eu-central-1');
  return text;
};

/** A text that a header carries unchanged: visible ASCII, no spaces. */
export const headerSecret: Grammar<Secret> = (text) => {
  if (!/^[\x21-\x7e]{1,8192}$/.test(text)) throw new Ungrammatical('must be visible ASCII characters without spaces');
  return new Secret(text);
};

export const vaultNamespace: Grammar<string> = (text) => {
  if (!/^[\x21-\x7e]{1,512}$/.test(text)) throw new Ungrammatical('must be visible ASCII characters without spaces');
  return text;
};

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * The address of a service that receives keys in plain text: the transport must be encrypted, unless it stays on the
 * machine. No slash at the end.
 */
export const keyServiceAddress: Grammar<string> = (text) => {
  const url = parseUrl(text);
  const isGuarded = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (!url || !isGuarded || url.username !== '' || url.password !== '' || /[?#]/.test(text)) {
    throw new Ungrammatical(
      'must be a URL that begins with https:// (http:// for a loopback address), without user, query and fragment',
    );
  }
  return url.href.replace(/\/+$/, '');
};

/** Address of a key service without a path. */
export const keyServiceOrigin: Grammar<string> = (text) => {
  const address = keyServiceAddress(text);
  if (new URL(address).pathname !== '/') throw new Ungrammatical('must be a URL without a path');
  return address;
};
