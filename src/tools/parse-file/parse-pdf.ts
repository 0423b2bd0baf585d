import { ExtensionFault } from '../../core/extension.js';
import { openPdf, readPdfPage, type PdfDocument } from '../web-fetch/read-pdf.js';

/** Maximum number of pages that are read of one PDF; further ones are reported as missing. Chosen: a book has fewer. */
export const PAGES_MAX = 1_000;
/** Maximum number of characters of its text: as much as fits into the longest contexts. */
const LENGTH_MAX = 2_000_000;
/** Time for all pages; pages not reached are reported as missing. Chosen: 60 pages take half a second. */
const TIME_MS = 5_000;

/** A PDF, and what to read of it. */
export interface PdfTask {
  readonly bytes: Uint8Array;
  /** If false, its pages are only counted. */
  readonly wantsText: boolean;
}

/** The text of a PDF. */
export interface PdfText {
  /** The page count that the file states; not checked. */
  readonly pages: number;
  /** The text of each page that was read, from the first one on; empty where a page has none. */
  readonly texts: readonly string[];
}

/** The job `parse-pdf`. @throws ExtensionFault for an encrypted, broken or non-PDF file, naming which */
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
