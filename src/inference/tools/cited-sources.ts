import type { Message } from '../../core/conversation/content.js';
import type { BlockDelta } from '../../core/conversation/event.js';
import { webCitation, type WebCitation } from '../../core/conversation/web-citation.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import { kmpFailureTable } from '../../core/text/kmp-failure-table.js';

/** Maximum quote of a source, in characters, as Anthropic quotes. */
const QUOTE_LENGTH_MAX = 150;
/** Maximum number of sources that are searched for: the latest. */
const SOURCES_MAX = 100;
/** Maximum length of an address that is searched for, in characters. Addresses of search results are shorter. */
const ADDRESS_LENGTH_MAX = 2_048;
/**
 * Characters that are compared for the addresses of one text: 20 to 30 ms of work. Chosen: a hundred pages of one site
 * and six hundred links to it are below; beyond, the latest pages are not cited.
 */
const COMPARED_MAX = 2_500_000;
/** Characters of one text that are searched for addresses. */
const TEXT_LENGTH_MAX = 256 * 1024;

/** The pages that tools have returned, and which of them a text uses: those whose address it contains. */
export class CitedSources {
  private readonly sources = new Map<string, WebCitation>();
  /** For the addresses that were searched for. */
  private readonly failureTables = new Map<string, Uint32Array>();

  /** @returns the pages of earlier turns of a conversation; undefined: there are none */
  static in(messages: readonly Message[]): CitedSources | undefined {
    let cited: CitedSources | undefined;
    for (const { role, content } of messages) {
      if (role !== 'user') continue;
      for (const block of content) {
        if (block.type === 'tool-result' && block.sources) (cited ??= new CitedSources()).add(block.sources);
      }
    }
    return cited;
  }

  add(sources: readonly WebCitation[]): void {
    for (const source of sources) {
      const { length } = source.url;
      if (length === 0 || length > ADDRESS_LENGTH_MAX) continue;
      const known = this.sources.get(source.url);
      // A page that is returned again counts as one of the latest.
      this.sources.delete(source.url);
      this.sources.set(source.url, known ?? source);
      if (this.sources.size <= SOURCES_MAX) continue;
      const [oldest] = this.sources.keys();
      this.sources.delete(oldest!);
      this.failureTables.delete(oldest!);
    }
  }

  /** Citations in the order in which the text contains them. */
  citationsIn(whole: string): JsonObject[] {
    const search = new AddressSearch(whole.slice(0, TEXT_LENGTH_MAX));
    const found: [number, WebCitation][] = [];
    for (const source of this.sources.values()) {
      const index = search.indexOf(source.url, this.failureTableOf(source.url));
      if (index !== -1) found.push([index, source]);
    }
    found.sort(([one], [other]) => one - other);
    return found.map(([, { url, title, quote }]) =>
      webCitation({
        url,
        ...(title !== undefined && { title }),
        ...(quote !== undefined && { quote: quote.slice(0, QUOTE_LENGTH_MAX) }),
      }),
    );
  }

  private failureTableOf(url: string): Uint32Array {
    let failures = this.failureTables.get(url);
    if (!failures) this.failureTables.set(url, (failures = kmpFailureTable(url)));
    return failures;
  }
}

/** An open text block: at its end it cites the pages that it contains the addresses of, unless it has citations. */
export class CitingBlock {
  private readonly text: string[] = [];
  private readonly cited = new Set<Json | undefined>();

  constructor(private readonly sources: CitedSources) {}

  grow(delta: BlockDelta): void {
    if (delta.type === 'text') this.text.push(delta.text);
    else if (delta.type === 'citation' && isJsonObject(delta.citation)) this.cited.add(delta.citation['url']);
  }

  end(): BlockDelta[] {
    return this.sources
      .citationsIn(this.text.join(''))
      .filter(({ url }) => !this.cited.has(url))
      .map((citation) => ({ type: 'citation', citation }));
  }
}

/** Searches one text for addresses, in time linear in the text for each. */
class AddressSearch {
  private compared = 0;

  constructor(private readonly text: string) {}

  /** The first position of an address in the text; -1 where there is none, or the comparison exceeds its limit. */
  indexOf(url: string, failures: Uint32Array): number {
    const { text } = this;
    const beginning = url.slice(0, 'https://'.length);
    let found = 0;
    for (let index = 0; index < text.length && this.compared < COMPARED_MAX; this.compared++) {
      // Only positions where an address begins are compared.
      if (found === 0 && (index = text.indexOf(beginning, index)) === -1) return -1;
      const unit = text.charCodeAt(index++);
      while (found > 0 && unit !== url.charCodeAt(found)) found = failures[found]!;
      if (unit === url.charCodeAt(found)) found++;
      if (found < url.length) continue;
      if (!GOES_ON.test(text.slice(index, index + 2))) return index - url.length;
      found = failures[found]!;
    }
    return -1;
  }
}

/** A match that continues as a longer address is another address. A full stop behind it may end the sentence. */
const GOES_ON = /^(?:[\w%/?#=&~-]|[.:@+]\w)/;
