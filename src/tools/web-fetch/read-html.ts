import { parseUrl } from '../../core/parse-url.js';
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { outlineOf } from './html-outline.js';
import { writeTables } from './html-tables.js';
import type { PageText } from './page-text.js';

/** Share of a page's text: an article with less of it is not taken for the page's article. Chosen. */
const ARTICLE_SHARE = 0.2;
/** Characters of the address of a link or an image; a longer one is dropped. Chosen. */
const ADDRESS_LENGTH_MAX = 2_048;

/**
 * The text of HTML as Markdown: the article where the page has one, else all of it. A page that is not ordinary is
 * returned as plain lines.
 *
 * @param url the final address, for relative links
 */
export function readHtml(html: string, url: string): PageText {
  const outline = outlineOf(html);
  if (!outline.isOrdinary || outline.text === '') return outline;
  try {
    const { title, text } = articleOf(html, url, outline.text.length);
    return { title: outline.title || title, text: text === '' ? outline.text : text };
  } catch {
    // The libraries fail at pages that browsers accept.
    return outline;
  }
}

function articleOf(html: string, url: string, length: number): PageText {
  // The tree needs a root element, which pages may omit.
  const rooted = /<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`;
  const { document: page } = parseHTML(rooted) as unknown as { readonly document: Page };
  resolveAddresses(page, url);
  // Finding the article changes the tree.
  const whole = page.body?.innerHTML ?? '';
  const article = new Readability(page).parse();
  const isArticle = (article?.textContent ?? '').trim().length >= length * ARTICLE_SHARE;
  return { title: article?.title ?? '', text: markdownOf(isArticle ? (article?.content ?? '') : whole) };
}

/** The part of the tree's interface that is used here. */
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

/** Makes addresses absolute, since they are read outside the page. */
function resolveAddresses(page: Page, url: string): void {
  const href = page.querySelector('base[href]')?.getAttribute('href') ?? '';
  const base = parseUrl(href, url)?.href ?? url;
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

/** @returns undefined for addresses that name no page, such as scripts and embedded content */
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
