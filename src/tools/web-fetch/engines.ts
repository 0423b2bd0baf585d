import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import type { EngineCall } from '../../core/extension.js';
import type { ToolEngine } from '../../core/routing/catalog.js';
import { apiKey, bearer, type CredentialHeaders } from '../engine-headers.js';
import { bytesOf, cutText } from './cut-text.js';
import { type FailureTable, orFail, type Page, type PageRequest, PageFailure, type PageSource } from './page.js';

/** Engines wait for pages longer than the gateway's own fetch does. */
const ENGINE_TIMEOUT_MS = 60_000;
const ENGINE_BYTES_MAX = 4 * 1024 * 1024;

/** Failures of the engine itself do not depend on the page. */
const ENGINE_FAILURES: FailureTable = {
  refused: 'unavailable',
  'not-found': 'unavailable',
  unsupported: 'unavailable',
  'too-large': 'unavailable',
  'timed-out': 'unavailable',
  busy: 'too_many_requests',
  unavailable: 'unavailable',
};

/** The request of an engine for a page, and how its answer is read. */
interface PageEngine {
  readonly path: string;
  readonly headers: CredentialHeaders;
  body(url: string, lengthMax: number): JsonObject;
  /** @throws PageFailure */
  read(answer: JsonObject): {
    readonly url: Json | undefined;
    readonly title: Json | undefined;
    readonly text: Json | undefined;
  };
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
const first = (list: Json | undefined): JsonObject | undefined => {
  const item = isList(list) ? list[0] : undefined;
  return isJsonObject(item) ? item : undefined;
};
const inaccessible = (why: string): PageFailure => new PageFailure('url_not_accessible', why);

/** The engine reports that it fetched nothing, and bills nothing. */
class Unfetched extends PageFailure {
  constructor() {
    super('url_not_accessible', 'could not be fetched by the engine');
  }
}

/** The answer is in none of the documented forms. */
const unreadable = (): PageFailure =>
  new PageFailure('unavailable', 'was answered by the engine in a form that is not known');

/** https://docs.exa.ai/reference/get-contents: `statuses` has the outcome of each address. */
const exa: PageEngine = {
  path: '/contents',
  headers: apiKey,
  body: (url, lengthMax) => ({ urls: [url], text: { maxCharacters: lengthMax } }),
  read: ({ results, statuses }) => {
    const result = first(results);
    if (first(statuses)?.['status'] === 'error') throw new Unfetched();
    if (!result) throw unreadable();
    return { url: result['url'], title: result['title'], text: result['text'] };
  },
};

/** https://docs.parallel.ai/api-reference/extract-beta/extract: `errors` lists failed addresses. */
const parallel: PageEngine = {
  path: '/v1beta/extract',
  headers: (credential) => ({ ...apiKey(credential), 'parallel-beta': 'search-extract-2025-10-10' }),
  body: (url, lengthMax) => ({ urls: [url], excerpts: false, full_content: { max_chars_per_result: lengthMax } }),
  read: ({ results, errors }) => {
    const result = first(results);
    if (!result) throw first(errors) || (isList(results) && results.length === 0) ? new Unfetched() : unreadable();
    return { url: result['url'], title: result['title'], text: result['full_content'] };
  },
};

/** https://docs.firecrawl.dev/api-reference/endpoint/scrape: an error page of the web is returned as a page. */
const firecrawl: PageEngine = {
  path: '/v2/scrape',
  headers: bearer,
  body: (url) => ({ url, formats: ['markdown'], onlyMainContent: true }),
  read: ({ success, data }) => {
    if (success === false) throw new Unfetched();
    if (success !== true || !isJsonObject(data)) throw unreadable();
    const metadata = isJsonObject(data['metadata']) ? data['metadata'] : {};
    const { statusCode, title, url, sourceURL } = metadata;
    if (typeof statusCode === 'number' && statusCode >= 400) throw inaccessible(`answered with status ${statusCode}`);
    return { url: url ?? sourceURL, title: isList(title) ? title[0] : title, text: data['markdown'] };
  },
};

/** Engines by their names in the catalog and in requests. */
export const PAGE_ENGINES: ReadonlyMap<string, PageEngine> = new Map([
  ['exa', exa],
  ['parallel', parallel],
  ['firecrawl', firecrawl],
]);

/** Pages by an engine, as the catalog configures it. */
export function enginePages(name: string, engine: ToolEngine): PageSource {
  const api = PAGE_ENGINES.get(name)!;
  return async (pageRequest, { engines, signal, guardedFetch, charge }) => {
    // The engine follows redirects unchecked; the final address is checked below.
    const isAllowed = (url: string): boolean => guardedFetch.allows(url) && pageRequest.allows(url);
    if (!isAllowed(pageRequest.url))
      throw new PageFailure('url_not_allowed', 'is of a domain that is not allowed', { isUnsent: true });
    const call: EngineCall = {
      engine,
      name,
      method: 'POST',
      path: api.path,
      headers: api.headers(engine.credential),
      body: api.body(pageRequest.url, bytesOf(pageRequest.tokensMax)),
      timeoutMs: ENGINE_TIMEOUT_MS,
      price: engine.price ?? 0n,
      bytesMax: ENGINE_BYTES_MAX,
    };
    const answer = await orFail(engines.call(call, signal), ENGINE_FAILURES);
    if (!isJsonObject(answer)) throw new PageFailure('unavailable', 'was answered by the engine with no object');
    let page: Page;
    try {
      page = pageOf(api.read(answer), pageRequest);
    } catch (error) {
      // The engine has fetched the page, even if the page is unusable.
      if (isFailureOfPage(error)) charge(error instanceof Unfetched ? 0n : (engine.price ?? 0n));
      throw error;
    }
    charge(engine.price ?? 0n);
    if (!isAllowed(page.url)) throw new PageFailure('url_not_allowed', 'leads to a domain that is not allowed');
    return page;
  };
}

/** A failure of the page itself, as opposed to an unusable answer of the engine. */
const isFailureOfPage = (error: unknown): boolean => error instanceof PageFailure && error.failure !== 'unavailable';

function pageOf({ url, title, text }: ReturnType<PageEngine['read']>, pageRequest: PageRequest): Page {
  if (typeof text !== 'string' || text.trim() === '') throw new PageFailure('unsupported_content_type', 'has no text');
  return {
    url: typeof url === 'string' && url !== '' ? url : pageRequest.url,
    title: typeof title === 'string' ? title : '',
    text: cutText(text, pageRequest.tokensMax),
  };
}
