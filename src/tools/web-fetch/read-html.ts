import { parseUrl } from '../../core/parse-url.js';
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { outlineOf } from './html-outline.js';
import { writeTables } from './html-tables.js';
import type { PageWords } from './page-words.js';

/** Of a page's words, as a share: where what was found for its article has fewer, the page is none. Chosen. */
const ARTICLE_SHARE = 0.2;
/** Of a link or an image, in characters: past it the address is left out. Chosen. */
const ADDRESS_LENGTH_MAX = 2_048;

/**
 * What there is to read in HTML, as Markdown: the article where the page has one, else all of it. A page unlike others
 * is told in plain lines.
 *
 * @param url where it was reached, for what it links to
 */
export function readHtml(html: string, url: string): PageWords {
  const outline = outlineOf(html);
  if (!outline.isOrdinary || outline.text === '') return outline;
  try {
    const { title, text } = articleOf(html, url, outline.text.length);
    return { title: outline.title || title, text: text === '' ? outline.text : text };
  } catch {
    // The libraries fail at pages that no browser minds.
    return outline;
  }
}

function articleOf(html: string, url: string, length: number): PageWords {
  // A tree needs a root, which is rarely missing and never has to be there.
  const rooted = /<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`;
  const { document: page } = parseHTML(rooted) as unknown as { readonly document: Page };
  resolveAddresses(page, url);
  // Looking for the article changes the tree.
  const whole = page.body?.innerHTML ?? '';
  const article = new Readability(page).parse();
  const isArticle = (article?.textContent ?? '').trim().length >= length * ARTICLE_SHARE;
  return { title: article?.title ?? '', text: markdownOf(isArticle ? (article?.content ?? '') : whole) };
}

/** As much of the tree as is used here. */
interface Page {
  readonly body: { readonly innerHTML: string } | null;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}
interface PageElement {
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
}

/** Addresses are to be followed by who reads them, elsewhere. */
function resolveAddresses(page: Page, url: string): void {
  const given = page.querySelector('base[href]')?.getAttribute('href') ?? '';
  const base = parseUrl(given, url)?.href ?? url;
  for (const [selector, name] of [
    ['a[href]', 'href'],
    ['img[src]', 'src'],
  ] as const) {
    for (const element of page.querySelectorAll(selector)) {
      const target = resolve(element.getAttribute(name) ?? '', base);
      if (target === undefined) element.removeAttribute(name);
      else element.setAttribute(name, target);
    }
  }
}

/** @returns undefined for what is no page: scripts, and what holds its own content */
function resolve(address: string, base: string): string | undefined {
  const url = address.length > ADDRESS_LENGTH_MAX ? undefined : parseUrl(address, base);
  return url && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
}

function markdownOf(html: string): string {
  const turndown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  turndown.remove(['title', 'script', 'style', 'template', 'iframe', 'object', 'svg', 'math', 'select', 'textarea']);
  writeTables(turndown);
  return turndown.turndown(html);
}
