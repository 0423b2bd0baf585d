import type { SearchEngine } from './search-engine.js';

const HOST = 'simulated.example';
/** Characters of the query in an address. */
const SLUG_MAX = 80;
const NOT_IN_SLUG = /[^\p{L}\p{N}]+/gu;

/** Returns the same invented results for the same query: for trials without an account or a network. */
export const simulated: SearchEngine = {
  resultsMax: 25,
  queryCharactersMax: 2_000,
  search: ({ text, results, allowedHosts }, { signal }) => {
    signal.throwIfAborted();
    const slug = encodeURIComponent(text.slice(0, SLUG_MAX).toWellFormed().toLowerCase().replace(NOT_IN_SLUG, '-'));
    const pages = Array.from({ length: results }, (_, index) => ({
      url: `https://${allowedHosts[index % allowedHosts.length] ?? HOST}/${slug}/${index + 1}`,
      title: `Result ${index + 1} for ${text}`,
      date: '2026-01-01',
      text: `This is result ${index + 1} of a simulated search for "${text}". No engine was called.`,
    }));
    return Promise.resolve(pages);
  },
};
