import { parseUrl } from '../core/parse-url.js';
import { GatewayError } from '../core/errors.js';
import type { Secret } from '../core/secret.js';
import { KEY_VENDORS, vendorOfKey, type KeyVendor } from '../shared/vendor-keys.js';

const GATEWAY: KeyVendor = { name: 'this gateway', form: /^sk-fl-v1-/ };

/**
 * Refuses a key with the unmistakable form of one vendor for the own address of another one. For any other address,
 * such as that of a proxy, a key may have any form.
 * @param baseUrl of the provider in the catalog; undefined where the catalog does not have it
 * @throws GatewayError `invalid-request`, naming vendors and never the key
 */
export function assertVendorOfKey(key: Secret, baseUrl: string | undefined): void {
  const host = baseUrl === undefined ? undefined : parseUrl(baseUrl)?.hostname;
  const owner = host === undefined ? undefined : KEY_VENDORS.find((vendor) => vendor.host === host);
  if (!owner) return;
  const text = key.reveal();
  const maker = GATEWAY.form!.test(text) ? GATEWAY : vendorOfKey(text);
  if (!maker || maker === owner) return;
  throw new GatewayError(
    'invalid-request',
    `key: has the form of a key of ${maker.name}; ${owner.name} does not take it`,
  );
}
