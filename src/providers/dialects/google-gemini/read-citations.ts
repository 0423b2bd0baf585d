import { append } from '../../../core/append.js';
import { webCitation, type WebCitation } from '../../../core/conversation/web-citation.js';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.js';
import { listOf, nonEmpty, objectOf, printed, readIndex } from '../read-json.js';
import { ByteOffsets, type TextRange } from './byte-offsets.js';

/** Maximum number of cited passages of a reply and of pages cited for passages. */
const SUPPORTS_MAX = 2_000;
/** Maximum number of characters of a reply in which positions are searched. Chosen: far above any model's output. */
export const PLACED_CHARACTERS_MAX = 1024 * 1024;
/**
 * Maximum number of characters that are searched for passages that are not where the report locates them. The search
 * takes a few milliseconds, and some 30 in a hostile text.
 */
const SEARCHED_CHARACTERS_MAX = 4 * 1024 * 1024;
/** Maximum number of different queries, and of read pages, that are counted. */
const COUNTED_MAX = 1_000;
const RETRIEVED = 'URL_RETRIEVAL_STATUS_SUCCESS';
/** The kinds of source that a page may have. */
const SOURCE_KINDS = ['web', 'maps', 'retrievedContext'] as const;

type Page = Pick<WebCitation, 'url' | 'title'>;

interface Support {
  readonly segment: JsonObject;
  readonly pages: readonly Page[];
}

/** The pages that a reply is based on. They are emitted at its end, when the cited text is complete. One per reply. */
export class ReplySources {
  /** Different queries sent to the vendor's search. */
  get searches(): number {
    return this.queries.size;
  }
  /** Pages that the vendor read. */
  get fetches(): number {
    return this.retrieved.size;
  }

  private readonly text: string[] = [];
  private characters = 0;
  private readonly queries = new Set<string>();
  private readonly retrieved = new Set<string>();
  private readonly recited: JsonObject[] = [];
  private supports: Support[] = [];
  private found: readonly Page[] = [];

  /** @param keep counts characters that are kept until the reply ends */
  constructor(private readonly keep: (characters: number) => void) {}

  addText(text: string): void {
    this.characters += text.length;
    if (this.characters <= PLACED_CHARACTERS_MAX) this.text.push(text);
    else this.text.length = 0;
  }

  read({ groundingMetadata, citationMetadata, urlContextMetadata }: JsonObject): void {
    if (isJsonObject(groundingMetadata)) this.readGrounding(groundingMetadata);
    if (isJsonObject(citationMetadata)) {
      for (const key of ['citations', 'citationSources']) append(this.recited, this.recitable(citationMetadata[key]));
    }
    if (!isJsonObject(urlContextMetadata)) return;
    for (const page of listOf(urlContextMetadata['urlMetadata'])) {
      const { retrievedUrl, urlRetrievalStatus } = objectOf(page);
      const url = nonEmpty(retrievedUrl);
      if (url !== undefined && urlRetrievalStatus === RETRIEVED) this.addTo(this.retrieved, url);
    }
  }

  /** Each page once for each passage; pages without a passage once. */
  cite(): readonly JsonObject[] {
    const pages = [...this.grounded(), ...this.recitations()];
    const emitted = new Map<string, WebCitation>();
    for (const page of pages) emitted.set(`${page.span?.start} ${page.span?.end} ${page.url}`, page);
    const known = new Set(pages.map(({ url }) => url));
    const rest = this.supports.length === 0 ? this.found : [];
    for (const page of [...rest, ...[...this.retrieved].map((url) => ({ url }))]) {
      if (known.has(page.url)) continue;
      known.add(page.url);
      emitted.set(page.url, page);
    }
    return [...emitted.values()].map(webCitation);
  }

  /** Reports grow: a later list of passages contains all of them. */
  private readGrounding(grounding: JsonObject): void {
    const pages = listOf(grounding['groundingChunks']).map(pageOf);
    if (pages.length > 0) this.found = pages.filter((page) => page !== undefined);
    const supports = listOf(grounding['groundingSupports'])
      .slice(0, SUPPORTS_MAX)
      .map((support) => {
        const { segment, groundingChunkIndices } = objectOf(support);
        return { segment: objectOf(segment), pages: citedPages(groundingChunkIndices, pages) };
      });
    if (supports.length > 0) this.supports = supports;
    for (const query of listOf(grounding['webSearchQueries']))
      if (nonEmpty(query)) this.addTo(this.queries, query as string);
  }

  private grounded(): readonly WebCitation[] {
    if (this.supports.length === 0) return [];
    const cited: WebCitation[] = [];
    const placed = this.placed();
    for (const { segment, pages } of this.supports) {
      const span = placed?.find(segment);
      for (const page of pages) {
        if (cited.length === SUPPORTS_MAX) return cited;
        cited.push(span === undefined ? page : { ...page, span });
      }
    }
    return cited;
  }

  private recitable(citations: Json | undefined): readonly JsonObject[] {
    const taken = listOf(citations)
      .slice(0, SUPPORTS_MAX - this.recited.length)
      .filter(isJsonObject);
    for (const citation of taken) this.keep(printed(citation).length);
    return taken;
  }

  private addTo(counted: Set<string>, text: string): void {
    if (counted.size >= COUNTED_MAX || counted.has(text)) return;
    this.keep(text.length);
    counted.add(text);
  }

  private recitations(): readonly WebCitation[] {
    if (this.recited.length === 0) return [];
    const placed = this.placed();
    return this.recited.flatMap((citation) => {
      const page = readPage(citation['uri'], citation['title']);
      if (page === undefined) return [];
      const span = placed?.find({ ...citation, text: undefined });
      return [span === undefined ? page : { ...page, span }];
    });
  }

  /** Undefined where the reply exceeds the limit in which positions are found. */
  private placed(): PassageFinder | undefined {
    return this.characters <= PLACED_CHARACTERS_MAX ? new PassageFinder(this.text.join('')) : undefined;
  }
}

/** Finds passages in the whole text. The search is bounded. */
class PassageFinder {
  private readonly offsets: ByteOffsets;
  private searched = 0;

  constructor(private readonly text: string) {
    this.offsets = new ByteOffsets(text);
  }

  find(segment: JsonObject): TextRange | undefined {
    const [start, end, words] = [startOf(segment), readIndex(segment['endIndex']), nonEmpty(segment['text'])];
    const there = this.offsets.find(start, end, undefined);
    if (words === undefined || (there !== undefined && this.text.startsWith(words, there.start))) return there;
    this.searched += this.text.length;
    return this.searched <= SEARCHED_CHARACTERS_MAX ? this.offsets.find(start, end, words) : undefined;
  }
}

/** Each page once, in the order of the indices. */
function citedPages(indices: Json | undefined, pages: readonly (Page | undefined)[]): readonly Page[] {
  const cited = new Set<Page>();
  for (const index of listOf(indices)) {
    const page = typeof index === 'number' ? pages[index] : undefined;
    if (page !== undefined) cited.add(page);
    if (cited.size === SUPPORTS_MAX) break;
  }
  return [...cited];
}

/** An index of zero is left out. */
const startOf = (segment: JsonObject): number => readIndex(segment['startIndex']) ?? 0;

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
