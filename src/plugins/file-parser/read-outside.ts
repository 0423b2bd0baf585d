import type { DocumentBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { ExtensionFault, type ExtensionContext, type FetchLimits } from '../../core/extension.js';
import { Base64Builder } from '../../core/json/base64-text.js';
import type { PicoUsd } from '../../core/money/credits.js';
import type { Consulted } from '../../core/plugin.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import { piecesOf } from '../../tools/parse-file/file-bytes.js';
import { wordsOf } from '../../tools/parse-file/file-words.js';
import { OCR_PAGES_MAX, readScan } from '../../tools/parse-file/mistral-ocr.js';
import { hashOf, listFiles, nameOf, parse, parsedFile, ReadFiles, reasonOf, type FoundFile } from './read-files.js';

const FETCH: FetchLimits = {
  bytesMax: 32 * 1024 * 1024,
  timeoutMs: 20_000,
  accept: ['application/pdf'],
  redirectsMax: 3,
};

type Awaited = Extract<NonNullable<DocumentBlock['inWords']>, { type: 'awaited' }>;

interface AwaitedFile extends FoundFile {
  readonly words: Awaited;
}

/** A file that has come, and is not read yet. */
interface Scan extends AwaitedFile {
  readonly base64: string;
  readonly hash: string;
  readonly pages: number;
}

function listAwaited(request: ModelRequest): AwaitedFile[] {
  return [...listFiles(request)].flatMap((file) => {
    const words = file.block.inWords;
    return words?.type === 'awaited' ? { ...file, words } : [];
  });
}

export const isAwaited = (request: ModelRequest): boolean => listAwaited(request).length > 0;

/** The most that the files which are still to be read cost: by address nobody knows how many pages they have. */
export function priceOf(request: ModelRequest, { catalog }: ExtensionContext): PicoUsd {
  const price = catalog.plugins.ocr?.price ?? 0n;
  const pages = listAwaited(request)
    .filter(({ words }) => words.isScan)
    .reduce((sum, { words }) => sum + Math.min(words.pages ?? OCR_PAGES_MAX, OCR_PAGES_MAX), 0);
  return BigInt(pages) * price;
}

/**
 * Reads what has to be fetched, or is a matter of an engine outside. All are fetched before any is paid for.
 * @throws GatewayError, or the signal's reason
 */
export async function readOutside(request: ModelRequest, context: ExtensionContext): Promise<Consulted> {
  const awaited = listAwaited(request);
  const { isScan, isForAll } = awaited[0]!.words;
  const engine = { name: isScan ? 'mistral-ocr' : 'local', isForAll } as const;
  const files = new ReadFiles(request, engine, context);
  const scans: Scan[] = [];
  for (const file of awaited) {
    const scan = await come(file, files, context);
    if (scan) scans.push(scan);
  }
  const read = { cost: 0n, pages: 0 };
  const seen = new Set<string>();
  for (const scan of scans) {
    // The same file may stand in several places.
    if (!seen.has(scan.hash)) {
      const charged = await readByEngine(scan, files, context);
      read.cost += BigInt(charged) * (context.catalog.plugins.ocr?.price ?? 0n);
      read.pages += charged;
    }
    seen.add(scan.hash);
    files.tell(scan.block, { type: 'blocks', blocks: files.find(scan.hash, nameOf(scan.block.title))!.content });
  }
  const data = { engine: engine.name, files: awaited.length, ...(isScan && { pages_charged: read.pages }) };
  return { ...files.done(isForAll), note: { summary: 'parsed', data }, cost: read.cost };
}

/** Fetches a file, and reads it as far as that is done here. @returns what an engine is to read */
async function come(file: AwaitedFile, files: ReadFiles, context: ExtensionContext): Promise<Scan | undefined> {
  const { block, words } = file;
  try {
    const base64 = block.source.type === 'base64' ? block.source.data : await fetchFile(block.source.url, context);
    const hash = await hashOf(base64, context);
    const known = files.find(hash, nameOf(block.title));
    if (!known) {
      const pages = words.pages ?? (words.isScan ? (await parse(base64, false, context)).pages : undefined);
      if (words.isScan) return { ...file, base64, hash, pages: pages! };
      files.keep(parsedFile(hash, block, await parse(base64, true, context)));
    }
    files.tell(block, { type: 'blocks', blocks: files.find(hash, nameOf(block.title))!.content });
  } catch (error) {
    context.signal.throwIfAborted();
    files.unreadable(file, reasonOf(error));
  }
  return undefined;
}

async function fetchFile(url: string, { guardedFetch, signal }: ExtensionContext): Promise<string> {
  const page = await guardedFetch.fetch(url, FETCH, signal);
  try {
    const base64 = new Base64Builder();
    for (const piece of piecesOf(page.bytes)) {
      base64.push(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
      await yieldToEventLoop();
    }
    return base64.finish().toString();
  } finally {
    page.release();
  }
}

/** @returns the pages that are charged */
async function readByEngine(
  { base64, hash, pages: count, block, path }: Scan,
  files: ReadFiles,
  { catalog, engines, signal }: ExtensionContext,
): Promise<number> {
  const asked = Math.min(count, OCR_PAGES_MAX);
  try {
    const { pages, charged } = await readScan({ base64, pages: asked }, catalog.plugins.ocr!, engines, signal);
    files.keep({ hash, name: nameOf(block.title), content: wordsOf(pages, count) });
    return charged;
  } catch (error) {
    if (!(error instanceof ExtensionFault)) throw error;
    throw files.failure('unavailable', `${path}: could not be read by mistral-ocr: ${error.message}`);
  }
}
