import { getDocumentProxy } from 'unpdf';
import { ExtensionFault } from '../../core/extension.js';
import type { PageText } from './page-text.js';

/** Time for all pages; pages not reached are reported as missing. Chosen: 60 pages take half a second. */
const TIME_MS = 5_000;

/**
 * The text of a PDF, page by page.
 *
 * @param lengthMax in characters: text beyond it is not read
 * @throws ExtensionFault for what is encrypted, broken or has no text
 */
export async function readPdf(bytes: Uint8Array, lengthMax: number): Promise<PageText> {
  const document = await openPdf(bytes);
  try {
    const pages: string[] = [];
    const until = performance.now() + TIME_MS;
    let length = 0;
    for (let number = 1; number <= document.numPages && length < lengthMax; number++) {
      if (performance.now() > until) {
        pages.push(`[Pages ${number} to ${document.numPages} were left out.]`);
        break;
      }
      const text = await readPdfPage(document, number);
      length += text.length;
      if (text !== '') pages.push(text);
    }
    if (length === 0) throw new ExtensionFault('unsupported', 'is a PDF without text');
    return { title: await titleOf(document), text: pages.join('\n\n') };
  } finally {
    await document.destroy();
  }
}

export type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

/** @throws ExtensionFault for what is encrypted or broken */
export async function openPdf(bytes: Uint8Array): Promise<PdfDocument> {
  try {
    return await getDocumentProxy(bytes, {
      verbosity: 0,
      disableFontFace: true,
      useSystemFonts: false,
      stopAtErrors: false,
    });
  } catch (error) {
    const isLocked = (error as Error).name === 'PasswordException';
    throw new ExtensionFault('unsupported', isLocked ? 'is an encrypted PDF' : 'is a broken PDF', { cause: error });
  }
}

/** A broken page does not keep the others from being read. */
export async function readPdfPage(document: PdfDocument, number: number): Promise<string> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const parts = items.flatMap((item) => ('str' in item ? [item.hasEOL ? `${item.str}\n` : item.str] : []));
    page.cleanup();
    return parts.join('').trim();
  } catch {
    return '';
  }
}

async function titleOf(document: PdfDocument): Promise<string> {
  const { info } = await document.getMetadata().catch(() => ({ info: {} }));
  const title = (info as { Title?: unknown }).Title;
  return typeof title === 'string' ? title : '';
}
