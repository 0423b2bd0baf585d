import { bearer } from '../engine-headers.js';
import { httpEngine, readPages, textOf } from './http-engine.js';

/** Named in the query, as the engines behind it read it. Chosen: they pass over longer lists. */
const HOSTS_MAX = 8;

/**
 * SearXNG (docs.searxng.org/dev/search_api.html, read 2026-11-24); its setting `search.formats` must list `json`. It
 * gives as many results as it has.
 */
export const searxng = httpEngine({
  resultsMax: 25,
  // It travels in the address, of which servers read some 8 KiB: up to nine bytes each.
  queryCharactersMax: 500,
  headers: bearer,
  call: ({ text, allowedHosts, blockedHosts }) => {
    const allowed = allowedHosts.slice(0, HOSTS_MAX).map((host) => `site:${host}`);
    const blocked = blockedHosts.slice(0, HOSTS_MAX).map((host) => `-site:${host}`);
    const query = [text, allowed.join(' OR '), ...blocked].filter(Boolean).join(' ');
    return { method: 'GET', path: `/search?${new URLSearchParams({ q: query, format: 'json' }).toString()}` };
  },
  read: ({ results }) =>
    readPages(results, (page) => ({ date: textOf(page['publishedDate']), text: textOf(page['content']) })),
});
