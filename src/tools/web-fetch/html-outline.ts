import { Tokenizer } from 'htmlparser2';
import type { PageText } from './page-text.js';

/** A page's text, and whether the page is of ordinary size and structure. */
export interface HtmlOutline extends PageText {
  /** A tree of it can be processed in acceptable time. */
  readonly isOrdinary: boolean;
}

/**
 * Limits of an ordinary page. Chosen: the largest articles of an encyclopedia have about half of each. Finding the
 * article in a page takes the square of its depth.
 */
const ELEMENTS_MAX = 20_000;
const DEPTH_MAX = 100;
const ATTRIBUTES_MAX = 100_000;
const ATTRIBUTES_PER_ELEMENT_MAX = 200;

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));
/** Elements whose content is not read. */
const UNREAD = names('script style template svg math iframe object select textarea');
/** Elements that often lack an end tag, so they do not count towards the depth. */
const OPEN_ENDED = names(
  'area base br col embed frame hr img input link meta param source track wbr ' +
    'p li dt dd option optgroup tr td th thead tbody tfoot colgroup html head body',
);
/** Inline elements. */
const INLINE = names(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike ' +
    'strong sub sup time tt u var wbr',
);

/**
 * Reads a page in one pass, tag by tag, without a tree or a stack of open elements: time and memory grow linearly with
 * its length, whatever its content.
 */
export function outlineOf(html: string): HtmlOutline {
  const words = new Words();
  const nothing = (): void => undefined;
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      onopentagname: (start, end) => words.open(html.slice(start, end).toLowerCase()),
      onclosetag: (start, end) => words.close(html.slice(start, end).toLowerCase()),
      onattribname: () => words.countAttribute(),
      ontext: (start, end) => words.add(html.slice(start, end)),
      ontextentity: (codePoint) => words.add(String.fromCodePoint(codePoint)),
      onselfclosingtag: nothing,
      onopentagend: nothing,
      onattribdata: nothing,
      onattribentity: nothing,
      onattribend: nothing,
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onend: nothing,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return words.outline();
}

class Words {
  private readonly lines: string[] = [];
  private line: string[] = [];
  private readonly title: string[] = [];
  private inTitle = false;
  private unread = 0;
  private elements = 0;
  private depth = 0;
  private depthMost = 0;
  private attributes = 0;
  private attributesHere = 0;
  private attributesMost = 0;

  open(name: string): void {
    this.elements++;
    this.attributesHere = 0;
    if (UNREAD.has(name)) this.unread++;
    if (name === 'title' && this.unread === 0) this.inTitle = this.title.length === 0;
    if (!INLINE.has(name)) this.endLine();
    if (!OPEN_ENDED.has(name)) this.depthMost = Math.max(this.depthMost, ++this.depth);
  }

  countAttribute(): void {
    this.attributes++;
    this.attributesMost = Math.max(this.attributesMost, ++this.attributesHere);
  }

  add(text: string): void {
    if (this.unread > 0) return;
    (this.inTitle ? this.title : this.line).push(text);
  }

  close(name: string): void {
    if (UNREAD.has(name) && this.unread > 0) this.unread--;
    if (name === 'title') this.inTitle = false;
    if (!INLINE.has(name)) this.endLine();
    if (!OPEN_ENDED.has(name) && this.depth > 0) this.depth--;
  }

  outline(): HtmlOutline {
    this.endLine();
    const isOrdinary =
      this.elements <= ELEMENTS_MAX &&
      this.depthMost <= DEPTH_MAX &&
      this.attributes <= ATTRIBUTES_MAX &&
      this.attributesMost <= ATTRIBUTES_PER_ELEMENT_MAX;
    return { title: inOneLine(this.title), text: this.lines.join('\n'), isOrdinary };
  }

  private endLine(): void {
    if (this.line.length === 0) return;
    const text = inOneLine(this.line);
    this.line = [];
    if (text !== '') this.lines.push(text);
  }
}

const inOneLine = (parts: readonly string[]): string => parts.join('').split(/\s+/).join(' ').trim();
