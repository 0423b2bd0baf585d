import { isDomainRule } from '../core/domains.js';
import { GatewayError } from '../core/errors.js';
import type { Json } from '../core/json/json.js';

/** Of one list, whoever has judged the request. Chosen. */
const DOMAINS_MAX = 200;

/**
 * The domains that a parameter of a tool names; none where nothing is said.
 * @throws GatewayError `invalid-request` for what is no such list, or a domain that cannot be held to
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
