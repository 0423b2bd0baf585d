import { parseUrl } from '../../core/parse-url.js';
import type { FoundPage } from './search-engine.js';

const URL_MAX = 2_048;
const TITLE_MAX = 300;
const DATE_MAX = 64;
/** Multiple of the returned length that is read of a text, since the rest may be white space. */
const READ_TIMES = 8;

/** A result that is returned: http or https, its title and date one line each. */
export interface ResultPage {
  readonly url: string;
  readonly title: string;
  readonly date?: string;
  readonly text: string;
}

export interface PageLimits {
  readonly results: number;
  /** Characters of one page. */
  readonly characters: number;
  /** Whether its address may be returned. */
  readonly allows: (url: string) => boolean;
}

/** Selects and cuts the results that are returned: each address once, as far as the rules allow it. */
export function resultPages(found: readonly FoundPage[], { results, characters, allows }: PageLimits): ResultPage[] {
  const pages = new Map<string, ResultPage>();
  for (const { url: address, title, date, text } of found) {
    if (pages.size >= results) break;
    const url = readAddress(address);
    if (url === undefined || pages.has(url.href) || !allows(url.href)) continue;
    const day = oneLine(date, DATE_MAX);
    pages.set(url.href, {
      url: url.href,
      title: oneLine(title, TITLE_MAX) || url.hostname,
      ...(day !== '' && { date: day }),
      text: cut(text.slice(0, READ_TIMES * characters).trim(), characters),
    });
  }
  return [...pages.values()];
}

function readAddress(address: string): URL | undefined {
  const url = address.length <= URL_MAX ? parseUrl(address) : undefined;
  return url && /^https?:$/.test(url.protocol) && url.href.length <= URL_MAX ? url : undefined;
}

/** The beginning of a text; never half of a surrogate pair. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text.toWellFormed();
  const start = text.slice(0, length);
  return (/[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start).toWellFormed();
}

const oneLine = (text: string, length: number): string =>
  cut(
    text
      .slice(0, READ_TIMES * length)
      .replaceAll(/\s+/g, ' ')
      .trim(),
    length,
  );
