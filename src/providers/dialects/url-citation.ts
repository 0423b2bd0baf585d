import type { WebCitation } from '../../core/conversation/web-citation.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';

/**
 * A page as a provider describes it; undefined without an address.
 * @param quoteKey the member with the quoted text
 */
export function pageOf(
  page: JsonObject,
  quoteKey: string,
  more: Pick<WebCitation, 'span'> = {},
): WebCitation | undefined {
  const { url, title, [quoteKey]: quote } = page;
  if (typeof url !== 'string' || url === '') return undefined;
  return {
    url,
    ...(typeof title === 'string' && title !== '' && { title }),
    ...(typeof quote === 'string' && quote !== '' && { quote }),
    ...more,
  };
}

/**
 * The page of a `url_citation`: nested one level in the chat format, flat in the responses format. Undefined for
 * annotations of other types.
 */
export function readUrlCitation(annotation: Json | undefined): WebCitation | undefined {
  if (!isJsonObject(annotation) || annotation['type'] !== 'url_citation') return undefined;
  const inner = annotation['url_citation'];
  const citation = isJsonObject(inner) ? inner : annotation;
  const { start_index: start, end_index: end } = citation;
  const isPlaced = typeof start === 'number' && typeof end === 'number' && start >= 0 && end > start;
  return pageOf(citation, 'content', isPlaced ? { span: { start, end } } : {});
}
