import type { JoinedRules } from '../../core/domains.js';
import type { Vendor } from '../../core/json/json.js';

/** OpenAI's limit of `allowed_domains`. */
const OPENAI_ALLOWED_MAX = 100;

/** A host with all names below it: no port, no scheme. */
const HOST = /^[^*:/]+$/;
/** A host as above, optionally with a path that contains one `*`. */
const HOST_AND_PATH = /^[^*:/]+(?:\/.*)?$/;

/**
 * Whether a vendor's own search can express all of these domain rules.
 * https://docs.claude.com/en/docs/agents-and-tools/tool-use/web-search-tool#domain-filtering: one of the two lists.
 * https://platform.openai.com/docs/guides/tools-web-search#domain-filtering: only a list of allowed hosts.
 */
const CAN_EXPRESS: Partial<Record<Vendor, (allowed: readonly string[], blocked: readonly string[]) => boolean>> = {
  anthropic: (allowed, blocked) =>
    (allowed.length === 0 || blocked.length === 0) &&
    [...allowed, ...blocked].every((rule) => HOST_AND_PATH.test(rule)),
  'openai-responses': (allowed, blocked) =>
    blocked.length === 0 && allowed.length <= OPENAI_ALLOWED_MAX && allowed.every((rule) => HOST.test(rule)),
};

/** Whether a vendor's own search can enforce the rules. */
export const canHold = (vendor: Vendor, { allowedDomains = [], blockedDomains, isExact }: JoinedRules): boolean =>
  isExact && CAN_EXPRESS[vendor]?.(allowedDomains, blockedDomains) === true;
