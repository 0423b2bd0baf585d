import { ExtensionFault, type EngineCall } from '../../core/extension.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import type { CredentialHeaders } from '../engine-headers.js';
import type { FoundPage, SearchEngine, SearchQuery } from './search-engine.js';

/** Time limit from the connection to the last byte. Chosen: engines answer in seconds, and a model waits. */
export const SEARCH_MS = 30_000;
/** Bytes of an answer beside the requested texts; the texts count as UTF-8 with escapes. */
const REPLY_BYTES = 1024 * 1024;
const BYTES_PER_CHARACTER = 4;
/** Maximum number of results and of passages of one that are read. Chosen: several times what is ever requested. */
const FOUND_MAX = 400;

/** An engine behind an HTTP API: its request, and where its answer has the results. */
export interface HttpEngine extends Omit<SearchEngine, 'search'> {
  readonly call: (query: SearchQuery) => Pick<EngineCall, 'method' | 'path' | 'body'>;
  /** Headers besides those of the body. */
  readonly headers: CredentialHeaders;
  /** Undefined where the answer has no results. */
  readonly read: (reply: JsonObject) => readonly FoundPage[] | undefined;
}

export const httpEngine = ({ call, headers, read, ...limits }: HttpEngine): SearchEngine => ({
  ...limits,
  search: async (query, { settings, name, engines, signal, price }) => {
    const reply = await engines.call(
      {
        engine: settings,
        name,
        headers: headers(settings.credential),
        ...call(query),
        timeoutMs: SEARCH_MS,
        price,
        bytesMax: REPLY_BYTES + query.results * query.characters * BYTES_PER_CHARACTER,
      },
      signal,
    );
    const pages = isJsonObject(reply) ? read(reply) : undefined;
    if (!pages) throw new ExtensionFault('unavailable', 'The engine answered with something else than results.');
    return pages;
  },
});

/** The entries of a list of results, each with `url` and `title`; undefined for what is no list. */
export const readPages = (
  entries: Json | undefined,
  rest: (entry: JsonObject) => Pick<FoundPage, 'date' | 'text'>,
): readonly FoundPage[] | undefined =>
  Array.isArray(entries)
    ? entries
        .slice(0, FOUND_MAX)
        .filter(isJsonObject)
        .map((entry) => ({ url: textOf(entry['url']), title: textOf(entry['title']), ...rest(entry) }))
    : undefined;

export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** Passages of one page, joined. */
export const joined = (passages: Json | undefined): string =>
  Array.isArray(passages) ? passages.slice(0, FOUND_MAX).map(textOf).filter(Boolean).join('\n\n') : '';
