import type { JoinedRules } from '../core/domains.js';
import type { Vendor } from '../core/json/json.js';

/** OpenAI's bound of `allowed_domains`. */
const OPENAI_ALLOWED_MAX = 100;

/** A host with all below it: no port, no scheme. */
const HOST = /^[^*:/]+$/;
/** The same, perhaps with a path that has one `*`. */
const HOST_AND_PATH = /^[^*:/]+(?:\/.*)?$/;

/**
 * Whether the words that a vendor has for the domains of its own search say all of these rules.
 * https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-search-tool#domain-filtering: one of the two lists.
 * https://platform.openai.com/docs/guides/tools-web-search#domain-filtering: hosts that are allowed, and no others.
 */
const SAYS: Partial<Record<Vendor, (allowed: readonly string[], blocked: readonly string[]) => boolean>> = {
  anthropic: (allowed, blocked) =>
    (allowed.length === 0 || blocked.length === 0) &&
    [...allowed, ...blocked].every((rule) => HOST_AND_PATH.test(rule)),
  'openai-responses': (allowed, blocked) =>
    blocked.length === 0 && allowed.length <= OPENAI_ALLOWED_MAX && allowed.every((rule) => HOST.test(rule)),
};

/** Whether a vendor's own search can be held to the rules by its own words. */
export const canHold = (vendor: Vendor, { allowedDomains = [], blockedDomains, isExact }: JoinedRules): boolean =>
  isExact && SAYS[vendor]?.(allowedDomains, blockedDomains) === true;
