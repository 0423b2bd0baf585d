import { bearer } from '../engine-headers.js';
import { httpEngine, readPages, textOf } from './http-engine.js';

/**
 * Maximum number of hosts named in the query, in the syntax of the engines behind it. Chosen: they ignore longer lists.
 */
const HOSTS_MAX = 8;

/**
 * SearXNG (docs.searxng.org/dev/search_api.html, read 2026-11-24); its setting `search.formats` must list `json`. The
 * number of its results cannot be set.
 */
export const searxng = httpEngine({
  resultsMax: 25,
  // The query is part of the address, at up to nine bytes a character, and servers read some 8 KiB of an address.
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
