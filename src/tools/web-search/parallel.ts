import { apiKey } from '../engine-headers.js';
import { httpEngine, joined, readPages, textOf } from './http-engine.js';

/** Characters of a keyword query; a longer query is sent as an objective alone. */
const KEYWORDS_MAX = 200;
const DOMAINS_MAX = 200;
/** Fewest characters of a result that it accepts. */
const CHARACTERS_MIN = 1_000;

/** Parallel (docs.parallel.ai/search/search and its SDK for `/v1beta/search`, read 2026-11-24). */
export const parallel = httpEngine({
  resultsMax: 20,
  queryCharactersMax: 5_000,
  headers: (credential) => ({ ...apiKey(credential), 'parallel-beta': 'search-extract-2025-10-10' }),
  call: ({ text, results, characters, allowedHosts, blockedHosts, location: { country } }) => ({
    method: 'POST',
    path: '/v1beta/search',
    body: {
      objective: text,
      ...(text.length <= KEYWORDS_MAX && { search_queries: [text] }),
      max_results: results,
      excerpts: { max_chars_per_result: Math.max(characters, CHARACTERS_MIN) },
      ...sourcePolicy(allowedHosts, blockedHosts),
      ...(country !== undefined && { location: country }),
    },
  }),
  read: ({ results }) =>
    readPages(results, (page) => ({ date: textOf(page['publish_date']), text: joined(page['excerpts']) })),
});

/** Parallel reads only one of the two lists; the allowed one takes precedence. */
function sourcePolicy(allowedHosts: readonly string[], blockedHosts: readonly string[]): object {
  if (allowedHosts.length > 0) return { source_policy: { include_domains: allowedHosts.slice(0, DOMAINS_MAX) } };
  if (blockedHosts.length > 0) return { source_policy: { exclude_domains: blockedHosts.slice(0, DOMAINS_MAX) } };
  return {};
}
