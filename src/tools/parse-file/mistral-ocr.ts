import type { ImageBlock } from '../../core/conversation/content.js';
import { ExtensionFault, type EngineClient } from '../../core/extension.js';
import type { CancelSignal } from '../../core/cancellation.js';
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.js';
import type { ToolEngine } from '../../core/routing/catalog.js';
import type { ReadPage } from './file-words.js';

/** From the connection to the last byte. Chosen: a page takes a fraction of a second. */
const OCR_MS = 120_000;
const REPLY_BYTES_MAX = 32 * 1024 * 1024;
/** Pages of one document. Chosen, as many as are read here: a bound of the vendor's own was not to be found there. */
export const OCR_PAGES_MAX = 1_000;
/** Pictures of one document (docs/wire/tools-and-plugins.md#the-plugin-file-parser). Chosen. */
const IMAGES_MAX = 8;
const IMAGE = /^data:(image\/(?:jpeg|png|gif|webp));base64,(.+)$/s;

/** A document to be read. */
export interface OcrDocument {
  readonly base64: string;
  /** So many from the first one on, and no more. */
  readonly pages: number;
}

/** What an engine made of a document. */
export interface OcrText {
  /** From the first one on. */
  readonly pages: readonly ReadPage[];
  /** Of which the engine tells that it has read them. */
  readonly charged: number;
}

/**
 * Has Mistral's OCR read a PDF (docs.mistral.ai/api/endpoint/ocr, read 2026-11-25).
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

function readReply({ pages, usage_info: usage }: JsonObject, asked: number): OcrText | undefined {
  const processed = isJsonObject(usage) ? usage['pages_processed'] : undefined;
  if (!Array.isArray(pages) || typeof processed !== 'number' || !Number.isInteger(processed)) return undefined;
  const read: ReadPage[] = Array.from({ length: asked }, () => ({ text: '' }));
  let room = IMAGES_MAX;
  for (const page of pages as readonly Json[]) {
    if (!isJsonObject(page)) return undefined;
    const { index, markdown } = page;
    if (typeof index !== 'number' || !(index in read) || typeof markdown !== 'string') return undefined;
    const images = readImages(page['images']).slice(0, room);
    room -= images.length;
    read[index] = { text: markdown.trim(), ...(images.length > 0 && { images }) };
  }
  return { pages: read, charged: Math.min(asked, Math.max(0, processed)) };
}

/** What is no picture that a model can be shown is left out. */
function readImages(images: Json | undefined): ImageBlock[] {
  if (!Array.isArray(images)) return [];
  return (images as readonly Json[]).flatMap((image): ImageBlock[] => {
    const url = isJsonObject(image) ? image['image_base64'] : undefined;
    const [, mediaType, data] = typeof url === 'string' ? (IMAGE.exec(url) ?? []) : [];
    if (mediaType === undefined || data === undefined) return [];
    return [{ type: 'image', isOfFile: true, source: { type: 'base64', mediaType, data } }];
  });
}
