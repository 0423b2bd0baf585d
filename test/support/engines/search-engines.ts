import type { SearchEngineName } from '../../../src/core/routing/catalog.js';
import {
  apiKeyHeader,
  bearerKey,
  country,
  engineDouble,
  hostnames,
  members,
  text,
  whole,
  type EngineDouble,
} from './engine-double.js';

/** Exa's errors (https://exa.ai/docs/admin/error-codes): clients branch on the status, the tag gives details. */
export const exaRefusal = (status: number, error: string) => ({
  requestId: 'r',
  error,
  tag: status === 401 ? 'INVALID_API_KEY' : 'INVALID_REQUEST_BODY',
});
export const parallelRefusal = (_status: number, message: string) => ({
  type: 'error',
  error: { ref_id: 'r', message },
});
/** Firecrawl's (https://docs.firecrawl.dev/api-reference/errors): one form for all. */
export const firecrawlRefusal = (status: number, error: string) => ({
  success: false,
  error: status === 401 ? 'Unauthorized: Invalid token' : error,
});

const exa = engineDouble({
  method: 'POST',
  path: '/search',
  key: apiKeyHeader,
  required: ['query'],
  fields: {
    query: text(),
    numResults: whole(1, 100),
    includeDomains: hostnames(1200),
    excludeDomains: hostnames(1200),
    userLocation: country,
    contents: members({
      text: members({ maxCharacters: whole(1, Infinity) }),
      highlights: members({ maxCharacters: whole(1, 10_000) }),
    }),
  },
  invalidStatus: 400,
  refusal: exaRefusal,
  reply: (pages) => ({
    requestId: 'r',
    resolvedSearchType: 'neural',
    results: pages.map(({ url, title, date, text: words }) => ({
      id: url,
      url,
      title: title ?? null,
      ...(date !== undefined && { publishedDate: date }),
      author: null,
      ...(words !== undefined && { highlights: words.split('\n\n'), highlightScores: [0.4] }),
    })),
    costDollars: { total: 0.007 },
  }),
});

const parallel = engineDouble({
  method: 'POST',
  path: '/v1beta/search',
  key: apiKeyHeader,
  headers: { 'parallel-beta': 'search-extract-2025-10-10' },
  required: [],
  fields: {
    objective: text(5000),
    search_queries: (value) =>
      Array.isArray(value) && value.length <= 5 && value.every((query) => text(200)(query) === undefined)
        ? undefined
        : 'must be 5 queries of 200 characters at most',
    max_results: whole(1, 20),
    excerpts: members({ max_chars_per_result: whole(1, Infinity) }),
    source_policy: members({ include_domains: hostnames(200), exclude_domains: hostnames(200) }),
    location: country,
  },
  together: ({ objective, search_queries: queries }) =>
    (objective ?? queries) === undefined ? 'one of objective and search_queries is required' : undefined,
  invalidStatus: 422,
  refusal: parallelRefusal,
  reply: (pages) => ({
    search_id: 'search_1',
    results: pages.map(({ url, title, date, text: words }) => ({
      url,
      title: title ?? null,
      publish_date: date ?? null,
      excerpts: words?.split('\n\n') ?? null,
    })),
    warnings: null,
  }),
});

const firecrawl = engineDouble({
  method: 'POST',
  path: '/v2/search',
  key: bearerKey,
  required: ['query'],
  fields: {
    query: text(500),
    limit: whole(1, 100),
    timeout: whole(1000, Infinity),
    includeDomains: hostnames(Infinity),
    excludeDomains: hostnames(Infinity),
    location: text(),
    country,
  },
  together: ({ includeDomains, excludeDomains }) =>
    includeDomains && excludeDomains ? 'includeDomains and excludeDomains cannot both be specified' : undefined,
  invalidStatus: 400,
  refusal: firecrawlRefusal,
  reply: (pages) => ({
    success: true,
    data:
      pages.length === 0
        ? {}
        : {
            web: pages.map(({ url, title, text: description }, index) => ({
              url,
              title,
              description,
              position: index + 1,
            })),
          },
    creditsUsed: 2,
  }),
});

const perplexity = engineDouble({
  method: 'POST',
  path: '/search',
  key: bearerKey,
  required: ['query'],
  fields: {
    query: text(),
    max_results: whole(1, 20),
    max_tokens: whole(1, 1_000_000),
    max_tokens_per_page: whole(1, 1_000_000),
    country,
    // It accepts allowed hosts or excluded hosts, never both.
    search_domain_filter: (value) => hostnames(20)(value) && hostnames(20, '-')(value),
  },
  invalidStatus: 400,
  refusal: (code, message) => ({ error: { type: 'bad_request', code, message } }),
  reply: (pages) => ({
    id: 'p',
    results: pages.map(({ url, title = '', date = null, text: snippet = '' }) => ({
      url,
      title,
      snippet,
      date,
      last_updated: null,
    })),
  }),
});

const searxng = engineDouble({
  method: 'GET',
  path: '/search',
  key: bearerKey,
  required: ['q', 'format'],
  fields: { q: text(), format: (value) => (value === 'json' ? undefined : 'is not among the formats of the settings') },
  // The status of a proxy in front of it: the engine itself has no keys.
  invalidStatus: 403,
  refusal: (_status, message) => message,
  reply: (pages) => ({
    query: 'q',
    number_of_results: pages.length,
    results: pages.map(({ url, title = '', date = null, text: content = '' }) => ({
      url,
      title,
      content,
      publishedDate: date,
      engine: 'made-up',
      score: 1,
      category: 'general',
    })),
    answers: [],
    unresponsive_engines: [['other', 'timeout']],
  }),
});

/** By name; `simulated` needs no service. */
export const SEARCH_DOUBLES: Readonly<Record<Exclude<SearchEngineName, 'simulated'>, EngineDouble>> = {
  exa,
  parallel,
  firecrawl,
  perplexity,
  searxng,
};
