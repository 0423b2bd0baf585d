import type { Message } from '../../core/conversation/content.js';
import { webCitation, type WebCitation } from '../../core/conversation/web-citation.js';
import type { Json } from '../../core/json/json.js';

/** What is quoted of a source, in characters, as Anthropic quotes. */
const QUOTE_LENGTH_MAX = 150;
/** Sources that are looked for, the latest. */
const SOURCES_MAX = 100;
/** Of one text that are searched for addresses, in characters. */
const TEXT_LENGTH_MAX = 256 * 1024;

/** The pages that tools have brought, and which of them a text uses: those whose address it names. */
export class CitedSources {
  private readonly sources = new Map<string, WebCitation>();

  /** @returns those that tools brought in earlier turns of a conversation; undefined: none did */
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
      if (this.sources.has(source.url)) continue;
      this.sources.set(source.url, source);
      if (this.sources.size <= SOURCES_MAX) continue;
      const [oldest] = this.sources.keys();
      this.sources.delete(oldest!);
    }
  }

  /** In the order in which the text names them. */
  citationsIn(whole: string): Json[] {
    const text = whole.slice(0, TEXT_LENGTH_MAX);
    const places: [number, WebCitation][] = [];
    for (const source of this.sources.values()) {
      const place = placeOf(source.url, text);
      if (place !== -1) places.push([place, source]);
    }
    places.sort(([one], [other]) => one - other);
    return places.map(([, { url, title, quote }]) =>
      webCitation({
        url,
        ...(title !== undefined && { title }),
        ...(quote !== undefined && { quote: quote.slice(0, QUOTE_LENGTH_MAX) }),
      }),
    );
  }
}

/** An address of which this one is only the beginning is another one. */
function placeOf(url: string, text: string): number {
  for (let place = text.indexOf(url); place !== -1; place = text.indexOf(url, place + 1)) {
    const next = text[place + url.length];
    if (next === undefined || !/[\w%/?#=&~-]/.test(next)) return place;
  }
  return -1;
}
