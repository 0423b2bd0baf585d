import type { SearchQuery } from './search-engine.js';

export type SearchHosts = Pick<SearchQuery, 'allowedHosts' | 'blockedHosts'>;

/**
 * What engines are told of the rules of domains: of those that allow the hosts alone, which is more than they allow; of
 * those that block only whole hosts, for no less may be left out than they block.
 */
export const searchHosts = (allowed: readonly string[], blocked: readonly string[]): SearchHosts => ({
  allowedHosts: [...new Set(allowed.map((rule) => hostOf(bare(rule).replace(/^\*\./, ''))))],
  blockedHosts: [...new Set(blocked.map(bare).filter(isWholeHost).map(hostOf))],
});

const bare = (rule: string): string => rule.trim().replace(/^https?:\/\//i, '');

/** No port, no path, nothing below it alone. */
const isWholeHost = (rule: string): boolean => /^[^*:/]+\/?$/.test(rule);

/** In the letters that addresses have. */
const hostOf = (rule: string): string => new URL(`http://${rule}`).hostname.replace(/\.$/, '');
