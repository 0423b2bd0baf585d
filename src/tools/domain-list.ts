import { isDomainRule } from '../core/domains.js';
import { GatewayError } from '../core/errors.js';
import type { Json } from '../core/json/json.js';

/** Maximum number of domains of one list, also where the schema of the request sets no limit. Chosen. */
const DOMAINS_MAX = 200;

/**
 * The domains that a parameter of a tool lists; empty where it is absent.
 * @throws GatewayError `invalid-request` for what is no such list, or a domain that cannot be enforced
 */
export function readDomains(value: Json | undefined, path: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > DOMAINS_MAX) {
    throw new GatewayError('invalid-request', `${path}: must be a list of at most ${DOMAINS_MAX} domains`);
  }
  return (value as readonly Json[]).map((domain, index) => {
    if (typeof domain === 'string' && isDomainRule(domain)) return domain;
    throw new GatewayError(
      'invalid-request',
      `${path}.${index}: must be a domain such as example.com or example.com/blog`,
    );
  });
}
