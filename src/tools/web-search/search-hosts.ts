import type { SearchQuery } from './search-engine.js';

export type SearchHosts = Pick<SearchQuery, 'allowedHosts' | 'blockedHosts'>;

/**
 * The domain rules as engines take them. Allowing rules are widened to their hosts; of blocking rules only those of
 * whole hosts are sent, since an engine must not leave out more than they block.
 */
export const searchHosts = (allowed: readonly string[], blocked: readonly string[]): SearchHosts => ({
  allowedHosts: [...new Set(allowed.map((rule) => hostOf(bare(rule).replace(/^\*\./, ''))))],
  blockedHosts: [...new Set(blocked.map(bare).filter(isWholeHost).map(hostOf))],
});

const bare = (rule: string): string => rule.trim().replace(/^https?:\/\//i, '');

/** Has no port and no path, and includes the host itself. */
const isWholeHost = (rule: string): boolean => /^[^*:/]+\/?$/.test(rule);

/** The host name in its ASCII form. */
const hostOf = (rule: string): string => new URL(`http://${rule}`).hostname.replace(/\.$/, '');
