import { isJsonObject } from '../../core/json/json.js';
import { bearer } from '../engine-headers.js';
import { httpEngine, readPages, SEARCH_MS, textOf } from './http-engine.js';

/** Firecrawl (docs.firecrawl.dev/api-reference/endpoint/search, read 2026-11-24). It returns a page's description. */
export const firecrawl = httpEngine({
  resultsMax: 100,
  queryCharactersMax: 500,
  headers: bearer,
  call: ({ text, results, allowedHosts, blockedHosts, location: { city, region, country } }) => {
    const location = [city, region, country].filter((part) => part !== undefined).join(',');
    return {
      method: 'POST',
      path: '/v2/search',
      body: {
        query: text,
        limit: results,
        timeout: SEARCH_MS,
        // Firecrawl accepts only one of the two lists.
        ...(allowedHosts.length > 0
          ? { includeDomains: allowedHosts }
          : blockedHosts.length > 0 && { excludeDomains: blockedHosts }),
        ...(location !== '' && { location }),
        ...(country !== undefined && { country }),
      },
    };
  },
  read: ({ success, data }) =>
    success === true && isJsonObject(data)
      ? // The list may be absent where there are no results.
        readPages(data['web'] ?? [], (page) => ({ date: '', text: textOf(page['description']) }))
      : undefined,
});
