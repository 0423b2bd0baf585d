import { parseUrl } from '../../core/parse-url.js';
import { ProviderFault } from '../../core/errors.js';
import type { GuardedAddress } from '../../core/platform.js';

/**
 * The vendor's hosts that a caller's credential may name without further checks. An entry that begins with a dot means
 * all names below it. Other addresses that a caller names are guarded like callers' URLs (`isGuarded`).
 */
export const VENDOR_HOSTS = {
  azure: [
    '.openai.azure.com',
    '.services.ai.azure.com',
    '.cognitiveservices.azure.com',
    '.openai.azure.us',
    '.cognitiveservices.azure.us',
    'login.microsoftonline.com',
    'login.microsoftonline.us',
  ],
  vertex: ['oauth2.googleapis.com', 'sts.googleapis.com', 'iamcredentials.googleapis.com'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/**
 * An address from a credential, with its guard where it needs one.
 * @param isCallers the credential is a caller's own: the operator may name any address
 * @throws ProviderFault `refused-credential` for what is no address; the message does not contain it
 */
export function namedAddress(
  text: string,
  isCallers: boolean,
  hosts: readonly string[],
  member: string,
): string | GuardedAddress {
  const url = parseUrl(text);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '') {
    throw new ProviderFault('refused-credential', `The credential's ${member} is not an http or https address.`);
  }
  url.hash = '';
  if (!isCallers || isVendors(url, hosts)) return url.href;
  return { url: url.href, isGuarded: true };
}

const isVendors = ({ protocol, port, hostname }: URL, hosts: readonly string[]): boolean =>
  protocol === 'https:' &&
  port === '' &&
  hosts.some((host) => (host.startsWith('.') ? hostname.endsWith(host) : hostname === host));
