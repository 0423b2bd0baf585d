import { ExtensionFault } from '../../core/extension.js';
import { openPdf, readPdfPage, type PdfDocument } from '../web-fetch/read-pdf.js';

/** Read of one PDF; those beyond are told to be missing. Chosen: a book has fewer. */
export const PAGES_MAX = 1_000;
/** Of all its text, in characters: as much as the longest contexts have room for. */
const LENGTH_MAX = 2_000_000;
/** For all pages: those beyond are told to be missing. Chosen: 60 pages take half a second. */
const TIME_MS = 5_000;

/** A PDF, and what is wanted of it. */
export interface PdfTask {
  readonly bytes: Uint8Array;
  /** Else its pages are counted alone. */
  readonly wantsText: boolean;
}

/** What a PDF says. */
export interface PdfText {
  /** Of the file, as it says itself: not checked. */
  readonly pages: number;
  /** The text of each page from the first one on, as far as they were read; empty where a page has none. */
  readonly texts: readonly string[];
}

/** The job `parse-pdf`. @throws ExtensionFault for what is encrypted, broken or no PDF, saying which */
export async function parsePdf({ bytes, wantsText }: PdfTask): Promise<PdfText> {
  const document = await openPdf(bytes);
  try {
    if (document.numPages < 1) throw new ExtensionFault('unsupported', 'is a PDF without pages');
    return { pages: document.numPages, texts: wantsText ? await readPages(document) : [] };
  } finally {
    await document.destroy();
  }
}

async function readPages(document: PdfDocument): Promise<readonly string[]> {
  const texts: string[] = [];
  const until = performance.now() + TIME_MS;
  let length = 0;
  for (let number = 1; number <= Math.min(document.numPages, PAGES_MAX); number++) {
    if (length >= LENGTH_MAX || performance.now() > until) break;
    const text = (await readPdfPage(document, number)).slice(0, LENGTH_MAX - length);
    length += text.length;
    texts.push(text);
  }
  return texts;
}
