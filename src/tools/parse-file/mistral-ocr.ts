import type { ImageBlock } from '../../core/conversation/content.js';
import { ExtensionFault, type EngineClient } from '../../core/extension.js';
import type { CancelSignal } from '../../core/cancellation.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import type { ToolEngine } from '../../core/routing/catalog.js';
import type { ReadPage } from './file-pages.js';

/** Time limit from the connection to the last byte. Chosen: a page takes a fraction of a second. */
const OCR_MS = 120_000;
const REPLY_BYTES_MAX = 32 * 1024 * 1024;
/**
 * Maximum number of pages of one document. Chosen: the same limit as of local parsing; no limit of the vendor was found
 * there.
 */
export const OCR_PAGES_MAX = 1_000;
/** Maximum number of pictures of one document (docs/use/plugins/file-parser.md). Chosen. */
const IMAGES_MAX = 8;
const IMAGE = /^data:(image\/(?:jpeg|png|gif|webp));base64,(.+)$/s;

/** A document to be read. */
export interface OcrDocument {
  readonly base64: string;
  /** Maximum number of pages, from the first one on. */
  readonly pages: number;
}

/** The text of a document, as the engine read it. */
export interface OcrText {
  /** Pages from the first one on. */
  readonly pages: readonly ReadPage[];
  /** Number of pages that the engine reports as read, of those requested. */
  readonly charged: number;
  /** Number of pages that it reports as read: it bills them. */
  readonly billed: number;
}

/**
 * Reads a PDF with Mistral's OCR (docs.mistral.ai/api/endpoint/ocr, read 2026-11-25).
 * @throws ExtensionFault, or the signal's reason
 */
export async function readScan(
  { base64, pages }: OcrDocument,
  engine: ToolEngine,
  engines: EngineClient,
  signal: CancelSignal,
): Promise<OcrText> {
  const reply = await engines.call(
    {
      engine,
      name: 'mistral-ocr',
      method: 'POST',
      path: '/v1/ocr',
      headers: engine.credential ? { authorization: `Bearer ${engine.credential.reveal()}` } : {},
      body: {
        model: 'mistral-ocr-latest',
        document: { type: 'document_url', document_url: `data:application/pdf;base64,${base64}` },
        pages: Array.from({ length: pages }, (_, index) => index),
        include_image_base64: true,
        image_limit: IMAGES_MAX,
      },
      timeoutMs: OCR_MS,
      bytesMax: REPLY_BYTES_MAX,
      price: BigInt(pages) * (engine.price ?? 0n),
    },
    signal,
  );
  const text = isJsonObject(reply) ? readReply(reply, pages) : undefined;
  if (!text) throw new ExtensionFault('unavailable', 'The engine answered with something else than pages.');
  return text;
}

function readReply({ pages, usage_info: usage }: JsonObject, requested: number): OcrText | undefined {
  const processed = isJsonObject(usage) ? usage['pages_processed'] : undefined;
  if (!Array.isArray(pages) || typeof processed !== 'number' || !Number.isInteger(processed)) return undefined;
  const read: ReadPage[] = Array.from({ length: requested }, () => ({ text: '' }));
  let room = IMAGES_MAX;
  for (const page of pages as readonly Json[]) {
    if (!isJsonObject(page)) return undefined;
    const { index, markdown } = page;
    if (typeof index !== 'number' || !(index in read) || typeof markdown !== 'string') return undefined;
    const images = readImages(page['images']).slice(0, room);
    room -= images.length;
    read[index] = { text: markdown.trim(), ...(images.length > 0 && { images }) };
  }
  const charged = Math.min(requested, Math.max(0, processed));
  // No document that is sent has more pages: such a figure is not believed.
  return { pages: read, charged, billed: processed > OCR_PAGES_MAX ? charged : Math.max(0, processed) };
}

/** Drops images of types that models do not take. */
function readImages(images: Json | undefined): ImageBlock[] {
  if (!Array.isArray(images)) return [];
  return (images as readonly Json[]).flatMap((image): ImageBlock[] => {
    const url = isJsonObject(image) ? image['image_base64'] : undefined;
    const [, mediaType, data] = typeof url === 'string' ? (IMAGE.exec(url) ?? []) : [];
    if (mediaType === undefined || data === undefined) return [];
    return [{ type: 'image', isOfFile: true, source: { type: 'base64', mediaType, data } }];
  });
}
