import { apiKey } from '../engine-headers.js';
import { httpEngine, joined, readPages, textOf } from './http-engine.js';

/** Characters of the passages that match the query; a longer text is requested as the page's beginning. */
const HIGHLIGHTS_MAX = 10_000;

/** Exa (exa.ai/docs/reference/search, read 2026-11-24). */
export const exa = httpEngine({
  resultsMax: 100,
  // Chosen: none is published.
  queryCharactersMax: 2_000,
  // docs/use/tools/web-search.md: 0.001 USD.
  surcharge: { resultsCovered: 10, perResult: 1_000_000_000n },
  headers: apiKey,
  call: ({ text, results, characters, allowedHosts, blockedHosts, location: { country } }) => ({
    method: 'POST',
    path: '/search',
    body: {
      query: text,
      numResults: results,
      contents: { [characters > HIGHLIGHTS_MAX ? 'text' : 'highlights']: { maxCharacters: characters } },
      ...(allowedHosts.length > 0 && { includeDomains: allowedHosts }),
      ...(blockedHosts.length > 0 && { excludeDomains: blockedHosts }),
      ...(country !== undefined && { userLocation: country }),
    },
  }),
  read: ({ results }) =>
    readPages(results, (page) => ({
      date: textOf(page['publishedDate']),
      text: textOf(page['text']) || joined(page['highlights']),
    })),
});
