import { webCitation, type WebCitation } from '../../../core/conversation/web-citation.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { listOf } from '../read-json.js';
import { pageOf, readUrlCitation } from '../url-citation.js';

/**
 * The pages that a chat reply cites, each told once: `annotations` of the message, else the lists of a search beside
 * the choices, which some providers repeat in every chunk. One per reply.
 */
export class ReplyCitations {
  /** Addresses that stand for the whole text, and those of a place with it. */
  private readonly told = new Set<string>();
  private annotates = false;

  /** @param piece a chunk's `delta` or a whole `message` @param chunk what it stands in */
  read(piece: JsonObject | undefined, chunk: JsonObject): readonly JsonObject[] {
    const annotations = piece?.['annotations'];
    const cited = Array.isArray(annotations)
      ? (annotations as readonly Json[]).flatMap((annotation) => readUrlCitation(annotation) ?? [])
      : [];
    this.annotates ||= cited.length > 0;
    // Whoever annotates says more than the list of what was found.
    const pages = this.annotates ? cited : searched(chunk);
    return pages.filter((page) => this.isNew(page)).map(webCitation);
  }

  private isNew({ url, place }: WebCitation): boolean {
    const key = place ? `${place.start} ${place.end} ${url}` : url;
    if (this.told.has(url) || this.told.has(key)) return false;
    this.told.add(key);
    return true;
  }
}

/** Two lists of the same pages: addresses alone, and what was found there. The addresses are those that texts count. */
function searched({ citations, search_results: results }: JsonObject): WebCitation[] {
  const found = listOf(results).flatMap((result) => (isJsonObject(result) ? (pageOf(result, 'snippet') ?? []) : []));
  const cited = listOf(citations).flatMap((citation) => {
    if (isJsonObject(citation)) return pageOf(citation, 'snippet') ?? [];
    if (typeof citation !== 'string' || citation === '') return [];
    return found.find(({ url }) => url === citation) ?? { url: citation };
  });
  return cited.length > 0 ? cited : found;
}
