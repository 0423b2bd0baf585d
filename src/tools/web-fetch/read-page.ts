import { ExtensionFault } from '../../core/extension.js';
import { bytesOf, cleanText, cutText } from './cut-text.js';
import { decodeText } from './decode-text.js';
import { outlineOf } from './html-outline.js';
import { isHtml, type PageText } from './page-text.js';
import { readHtml } from './read-html.js';
import { readPdf } from './read-pdf.js';

/** The bytes of a fetched page, and the requested length of its text. */
export interface PageBytes {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly charset?: string | undefined;
  readonly url: string;
  readonly tokensMax: number;
}

/** Maximum number of characters of a title. Chosen. */
const TITLE_LENGTH_MAX = 500;

/** The job `read-page`. @throws ExtensionFault for what cannot be read, with the reason */
export const readPage = (page: PageBytes): Promise<PageText> => read(page, readHtml);

/** The job `read-page-plainly`: HTML as plain lines, whatever its structure. */
export const readPagePlainly = (page: PageBytes): Promise<PageText> => read(page, outlineOf);

async function read(page: PageBytes, asHtml: typeof readHtml): Promise<PageText> {
  const { title, text } = await wordsOf(page, asHtml);
  if (text.trim() === '') throw new ExtensionFault('unsupported', 'has no text without its scripts');
  // The title in one line.
  const head = cleanText(title.slice(0, TITLE_LENGTH_MAX)).split(/\s+/).join(' ').trim();
  return { title: head, text: cutText(text, page.tokensMax) };
}

async function wordsOf({ bytes, mediaType, charset, url, tokensMax }: PageBytes, asHtml: typeof readHtml) {
  if (mediaType === 'application/pdf') return readPdf(bytes, bytesOf(tokensMax));
  const text = decodeText(bytes, charset);
  return isHtml(mediaType) ? asHtml(text, url) : { title: '', text };
}
