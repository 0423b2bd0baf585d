import { webCitation, type WebCitation } from '../../../core/conversation/web-citation.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { listOf } from '../read-json.js';
import { pageOf, readUrlCitation } from '../url-citation.js';

/**
 * The pages that a chat reply cites, each emitted once: `annotations` of the message, else the search lists beside the
 * choices, which some providers repeat in every chunk. One per reply.
 */
export class ReplyCitations {
  /** Addresses cited for the whole text, and addresses with a position in it. */
  private readonly emitted = new Set<string>();
  private annotates = false;

  /**
   * @param piece a chunk's `delta` or a whole `message`
   * @param chunk the chunk or body that contains it
   */
  read(piece: JsonObject | undefined, chunk: JsonObject): readonly JsonObject[] {
    const annotations = piece?.['annotations'];
    const cited = Array.isArray(annotations)
      ? (annotations as readonly Json[]).flatMap((annotation) => readUrlCitation(annotation) ?? [])
      : [];
    this.annotates ||= cited.length > 0;
    // Annotations are more exact than the list of search results.
    const pages = this.annotates ? cited : searched(chunk);
    return pages.filter((page) => this.isNew(page)).map(webCitation);
  }

  private isNew({ url, span }: WebCitation): boolean {
    const key = span ? `${span.start} ${span.end} ${url}` : url;
    if (this.emitted.has(url) || this.emitted.has(key)) return false;
    this.emitted.add(key);
    return true;
  }
}

/**
 * The pages of a search, where two lists name the same pages: addresses alone, and results with a quote. Numbers in the
 * text refer to the addresses.
 */
function searched({ citations, search_results: results }: JsonObject): WebCitation[] {
  const found = listOf(results).flatMap((result) => (isJsonObject(result) ? (pageOf(result, 'snippet') ?? []) : []));
  const byAddress = new Map<string, WebCitation>();
  for (const page of found) if (!byAddress.has(page.url)) byAddress.set(page.url, page);
  const cited = listOf(citations).flatMap((citation) => {
    if (isJsonObject(citation)) return pageOf(citation, 'snippet') ?? [];
    if (typeof citation !== 'string' || citation === '') return [];
    return byAddress.get(citation) ?? { url: citation };
  });
  return cited.length > 0 ? cited : found;
}
