import { parseUrl } from '../../core/parse-url.js';
import { GatewayError } from '../../core/errors.js';
import { shortened } from '../../core/shortened.js';

/** An address that the rules do not allow. Only its host is repeated. */
export function mayNotReach(path: string, url: string): GatewayError {
  const host = shortened(parseUrl(url)?.host ?? '');
  const what = host === '' ? 'this address' : host;
  return new GatewayError('forbidden', `${path}: ${what} may not be reached with this key (egress of key and account)`);
}

/** A feature that may reach addresses which cannot be checked against the rules. */
export const reachesUnjudged = (path: string, what = 'it'): GatewayError =>
  new GatewayError(
    'forbidden',
    `${path}: ${what} cannot be restricted to the domains that this key may reach (egress of key and account); leave it out`,
  );

/** A tool that could reach no address. */
export const reachesNothing = (path: string): GatewayError =>
  new GatewayError('forbidden', `${path}: no domain is left that this key may reach (egress of key and account)`);
