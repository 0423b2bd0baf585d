import { isJsonObject, type Json, type JsonObject } from '../json/json.js';

const TYPE = 'web_search_result_location';

/** A page that a reply is based on. */
export interface WebCitation {
  readonly url: string;
  readonly title?: string;
  /** What the page says. */
  readonly quote?: string;
  /** Which part of the reply's text it stands for, in UTF-16 units; absent: not said. */
  readonly place?: { readonly start: number; readonly end: number };
}

/**
 * A page cited by a provider whose format is not Messages, in that format's shape. Its index of the search is empty:
 * nobody encrypted one, and Anthropic is not shown it. The place has no key there, and stands beside.
 */
export const webCitation = ({ url, title, quote, place }: WebCitation): JsonObject => ({
  type: TYPE,
  cited_text: quote ?? '',
  url,
  title: title ?? null,
  encrypted_index: '',
  ...(place && { start_index: place.start, end_index: place.end }),
});

/** Of the caller's own documents. Anthropic quotes what it cites; another vendor may not say what it read there. */
const OWN_TYPES: ReadonlySet<Json | undefined> = new Set(['char_location', 'search_result_location']);

/** True of citations that another vendor's reply was told with: Anthropic would not know them again. */
export const isForeignCitation = (citation: Json): boolean =>
  isJsonObject(citation) &&
  ((citation['type'] === TYPE && citation['encrypted_index'] === '') ||
    (OWN_TYPES.has(citation['type']) && citation['cited_text'] === ''));

/**
 * The citation as callers of the Messages format are told it. A page without a title is called by its address: clients
 * refuse a reply for a title that is null (`@ai-sdk/anthropic`).
 */
export function viewCitation(citation: Json): Json {
  if (!isForeignCitation(citation)) return citation;
  const { start_index: _start, end_index: _end, ...rest } = citation as JsonObject;
  return rest['title'] === null && typeof rest['url'] === 'string' ? { ...rest, title: rest['url'] } : rest;
}

/** Reads a citation of either making; undefined where it names no address. */
export function readWebCitation(citation: Json): WebCitation | undefined {
  if (!isJsonObject(citation) || typeof citation['url'] !== 'string') return undefined;
  const { url, title, cited_text: quote, start_index: start, end_index: end } = citation;
  return {
    url,
    ...(typeof title === 'string' && { title }),
    ...(typeof quote === 'string' && (quote !== '' || !isForeignCitation(citation)) && { quote }),
    ...(typeof start === 'number' && typeof end === 'number' && { place: { start, end } }),
  };
}
