import { isJsonObject, type Json, type JsonObject } from '../json/json.js';

const TYPE = 'web_search_result_location';
/** A citation that no format has but the one that it came in. */
const UNSHARED = 'annotation';

/** A page that a reply is based on. */
export interface WebCitation {
  readonly url: string;
  readonly title?: string;
  /** The text of the page. */
  readonly quote?: string;
  /** The part of the reply's text that it supports, in UTF-16 units; absent: not reported. */
  readonly span?: { readonly start: number; readonly end: number };
  /** As a vendor of the responses format sent it, for callers of that format. */
  readonly annotation?: JsonObject;
}

/**
 * A page cited by a provider of another format, in the shape of the Messages format. The index of the search is empty:
 * there is no encrypted one, and Anthropic does not receive this citation. That format has no key for the position,
 * which gets a separate key, as does the vendor's own form.
 */
export const webCitation = ({ url, title, quote, span, annotation }: WebCitation): JsonObject => ({
  type: TYPE,
  cited_text: quote ?? '',
  url,
  title: title ?? null,
  encrypted_index: '',
  ...(span && { start_index: span.start, end_index: span.end }),
  ...(annotation && { annotation }),
});

/** A vendor's own citation of something without an address, such as a file that it keeps. */
export const unsharedCitation = (annotation: JsonObject): JsonObject => ({ type: UNSHARED, annotation });

/** The citation as a vendor of the responses format sent it; undefined for one of another format. */
export function annotationOf(citation: Json): JsonObject | undefined {
  if (!isJsonObject(citation)) return undefined;
  const { annotation } = citation;
  const isOurs = citation['type'] === UNSHARED || isForeignCitation(citation);
  return isOurs && isJsonObject(annotation) ? annotation : undefined;
}

/** Citations of the caller's own documents. Anthropic quotes the cited text; another vendor may report no quote. */
const OWN_TYPES: ReadonlySet<Json | undefined> = new Set(['char_location', 'search_result_location']);

/** Whether a citation came with another vendor's reply: Anthropic would not accept it back. */
export const isForeignCitation = (citation: Json): boolean =>
  isJsonObject(citation) &&
  ((citation['type'] === TYPE && citation['encrypted_index'] === '') ||
    (OWN_TYPES.has(citation['type']) && citation['cited_text'] === ''));

/**
 * The citation as callers of the Messages format receive it. A page without a title gets its address as title: clients
 * reject a reply whose title is null (`@ai-sdk/anthropic`). Undefined for one that this format has no form for.
 */
export function viewCitation(citation: Json): Json | undefined {
  if (isJsonObject(citation) && citation['type'] === UNSHARED) return undefined;
  if (!isForeignCitation(citation)) return citation;
  const { start_index: _start, end_index: _end, annotation: _own, ...rest } = citation as JsonObject;
  return rest['title'] === null && typeof rest['url'] === 'string' ? { ...rest, title: rest['url'] } : rest;
}

/** Reads a citation of either origin; undefined where it has no address. */
export function readWebCitation(citation: Json): WebCitation | undefined {
  if (!isJsonObject(citation) || typeof citation['url'] !== 'string') return undefined;
  const { url, title, cited_text: quote, start_index: start, end_index: end } = citation;
  return {
    url,
    ...(typeof title === 'string' && { title }),
    ...(typeof quote === 'string' && (quote !== '' || !isForeignCitation(citation)) && { quote }),
    ...(typeof start === 'number' && typeof end === 'number' && { span: { start, end } }),
  };
}
