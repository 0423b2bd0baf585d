import { bearer } from '../engine-headers.js';
import { httpEngine, readPages, textOf } from './http-engine.js';

const DOMAINS_MAX = 20;
/** Typical of English; a longer text is cut here. */
const CHARACTERS_PER_TOKEN = 4;

/** Perplexity (docs.perplexity.ai/api-reference/search-post, read 2026-11-24). */
export const perplexity = httpEngine({
  resultsMax: 20,
  // Chosen: none is published.
  queryCharactersMax: 2_000,
  headers: bearer,
  call: ({ text, results, characters, allowedHosts, blockedHosts, location: { country } }) => {
    const tokens = Math.ceil(characters / CHARACTERS_PER_TOKEN);
    // Perplexity does not accept both kinds together.
    const domains = allowedHosts.length > 0 ? allowedHosts : blockedHosts.map((host) => `-${host}`);
    return {
      method: 'POST',
      path: '/search',
      body: {
        query: text,
        max_results: results,
        max_tokens: tokens * results,
        max_tokens_per_page: tokens,
        ...(domains.length > 0 && { search_domain_filter: domains.slice(0, DOMAINS_MAX) }),
        ...(country !== undefined && { country }),
      },
    };
  },
  read: ({ results }) =>
    readPages(results, (page) => ({
      date: textOf(page['date']) || textOf(page['last_updated']),
      text: textOf(page['snippet']),
    })),
});
