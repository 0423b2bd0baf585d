import { webCitation, type WebCitation } from '../../../core/conversation/web-citation.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { listOf, nonEmpty, objectOf, readCount } from '../read-json.js';
import { BytePlaces } from './byte-places.js';

/** Most passages of a reply whose pages are told. */
const SUPPORTS_MAX = 2_000;
const RETRIEVED = 'URL_RETRIEVAL_STATUS_SUCCESS';
/** What a page of the sources may be. */
const SOURCE_KINDS = ['web', 'maps', 'retrievedContext'] as const;

type Page = Pick<WebCitation, 'url' | 'title'>;

interface Support {
  readonly segment: JsonObject;
  readonly pages: readonly Page[];
}

/** The pages that a reply is based on, told at its end, when the text that they stand for is there. One per reply. */
export class ReplySources {
  /** Different queries that the vendor's search was asked. */
  get searches(): number {
    return this.queries.size;
  }
  /** Pages that the vendor read. */
  get fetches(): number {
    return this.retrieved.size;
  }

  private readonly text: string[] = [];
  private readonly queries = new Set<string>();
  private readonly retrieved = new Set<string>();
  private readonly recited: JsonObject[] = [];
  private supports: Support[] = [];
  private found: readonly Page[] = [];

  addText(text: string): void {
    this.text.push(text);
  }

  read({ groundingMetadata, citationMetadata, urlContextMetadata }: JsonObject): void {
    if (isJsonObject(groundingMetadata)) this.readGrounding(groundingMetadata);
    if (isJsonObject(citationMetadata)) {
      for (const key of ['citations', 'citationSources'])
        this.recited.push(...listOf(citationMetadata[key]).filter(isJsonObject));
    }
    if (!isJsonObject(urlContextMetadata)) return;
    for (const page of listOf(urlContextMetadata['urlMetadata'])) {
      const { retrievedUrl, urlRetrievalStatus } = objectOf(page);
      const url = nonEmpty(retrievedUrl);
      if (url !== undefined && urlRetrievalStatus === RETRIEVED) this.retrieved.add(url);
    }
  }

  /** Each page once for each passage, those of no passage once. */
  cite(): readonly JsonObject[] {
    const pages = [...this.grounded(), ...this.recitations()];
    const told = new Map<string, WebCitation>();
    for (const page of pages) told.set(`${page.place?.start} ${page.place?.end} ${page.url}`, page);
    const known = new Set(pages.map(({ url }) => url));
    const rest = this.supports.length === 0 ? this.found : [];
    for (const page of [...rest, ...[...this.retrieved].map((url) => ({ url }))]) {
      if (known.has(page.url)) continue;
      known.add(page.url);
      told.set(page.url, page);
    }
    return [...told.values()].map(webCitation);
  }

  /** Reports grow: where a later one lists passages, it lists them all. */
  private readGrounding(grounding: JsonObject): void {
    const pages = listOf(grounding['groundingChunks']).map(pageOf);
    if (pages.length > 0) this.found = pages.filter((page) => page !== undefined);
    const supports = listOf(grounding['groundingSupports'])
      .slice(0, SUPPORTS_MAX)
      .map((support) => {
        const { segment, groundingChunkIndices } = objectOf(support);
        const cited = listOf(groundingChunkIndices).map((index) => pages[index as number]);
        return { segment: objectOf(segment), pages: cited.filter((page) => page !== undefined) };
      });
    if (supports.length > 0) this.supports = supports;
    for (const query of listOf(grounding['webSearchQueries'])) if (nonEmpty(query)) this.queries.add(query as string);
  }

  private grounded(): readonly WebCitation[] {
    if (this.supports.length === 0) return [];
    const places = new BytePlaces(this.text.join(''));
    return this.supports.flatMap(({ segment, pages }) => {
      const place = places.find(startOf(segment), readCount(segment['endIndex']), nonEmpty(segment['text']));
      return pages.map((page) => (place === undefined ? page : { ...page, place }));
    });
  }

  private recitations(): readonly WebCitation[] {
    if (this.recited.length === 0) return [];
    const places = new BytePlaces(this.text.join(''));
    return this.recited.slice(0, SUPPORTS_MAX).flatMap((citation) => {
      const page = readPage(citation['uri'], citation['title']);
      if (page === undefined) return [];
      const place = places.find(startOf(citation), readCount(citation['endIndex']), undefined);
      return [place === undefined ? page : { ...page, place }];
    });
  }
}

/** Zero is left out. */
const startOf = (segment: JsonObject): number => readCount(segment['startIndex']) ?? 0;

function pageOf(chunk: Json): Page | undefined {
  const sources = objectOf(chunk);
  for (const kind of SOURCE_KINDS) {
    const { uri, title } = objectOf(sources[kind]);
    const page = readPage(uri, title);
    if (page !== undefined) return page;
  }
  return undefined;
}

function readPage(uri: Json | undefined, title: Json | undefined): Page | undefined {
  const url = nonEmpty(uri);
  if (url === undefined) return undefined;
  const named = nonEmpty(title);
  return named === undefined ? { url } : { url, title: named };
}
