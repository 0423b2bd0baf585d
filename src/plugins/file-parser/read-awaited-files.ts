import type { DocumentBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { ExtensionFault, type ExtensionContext, type FetchLimits } from '../../core/extension.js';
import { Base64Builder } from '../../core/json/base64-text.js';
import { lengthOfFile, type ParsedFile } from '../../core/conversation/parsed-file.js';
import type { PicoUsd } from '../../core/money/credits.js';
import type { Consulted } from '../../core/plugin.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import { piecesOf } from '../../tools/parse-file/file-bytes.js';
import { pageBlocks } from '../../tools/parse-file/file-pages.js';
import { OCR_PAGES_MAX, readScan } from '../../tools/parse-file/mistral-ocr.js';
import {
  hashOf,
  listFiles,
  nameOf,
  parse,
  parsedFile,
  ReadFiles,
  reasonOf,
  type FileBlock,
  type FoundFile,
} from './read-files.js';

const FETCH: FetchLimits = {
  bytesMax: 32 * 1024 * 1024,
  timeoutMs: 20_000,
  accept: ['application/pdf'],
  redirectsMax: 3,
};

/** Tokens of the text of a page, as `textTokens` counts them. Chosen: a densely printed page. */
const PAGE_TOKENS = 3_000;

type Awaited = Extract<NonNullable<DocumentBlock['inWords']>, { type: 'awaited' }>;

interface AwaitedFile extends FoundFile {
  readonly words: Awaited;
}

/** A file whose bytes are in memory and count towards the bytes in flight of its key. */
interface PresentFile {
  readonly base64: string;
  /** Releases its bytes. */
  readonly release: () => void;
}

/** A file that an engine has to read. */
interface Scan extends AwaitedFile, PresentFile {
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

/** The most that reading the awaited files costs. */
export const priceOf = (request: ModelRequest, { catalog }: ExtensionContext): PicoUsd =>
  BigInt(pagesIn(listAwaited(request).filter(({ words }) => words.isScan))) * (catalog.plugins.ocr?.price ?? 0n);

/** Tokens of the text of all pages. */
export const growthOf = (request: ModelRequest): number => pagesIn(listAwaited(request)) * PAGE_TOKENS;

/** Tokens of the text that replaces its files, whose pages are held for already. */
export const heldGrowthOf = (request: ModelRequest): number =>
  pagesIn(listAwaited(request).filter(({ words }) => words.isForAll)) * PAGE_TOKENS;

/** The page count of a file by address is unknown. */
const pagesIn = (files: readonly AwaitedFile[]): number =>
  files.reduce((sum, { words }) => sum + Math.min(words.pages ?? OCR_PAGES_MAX, OCR_PAGES_MAX), 0);

/**
 * Reads the files that have to be fetched or need an outside engine. All are fetched before any is paid for.
 * @throws GatewayError, or the signal's reason
 */
export async function readOutside(request: ModelRequest, context: ExtensionContext): Promise<Consulted> {
  const awaited = listAwaited(request);
  const { isScan, isForAll } = awaited[0]!.words;
  const engine = { name: isScan ? 'mistral-ocr' : 'local', isForAll } as const;
  const files = new ReadFiles(request, engine, context);
  const scans: Scan[] = [];
  for (const file of awaited) {
    const scan = await readAwaited(file, files, context);
    if (scan) scans.push(scan);
  }
  let pages = 0;
  const seen = new Set<string>();
  for (const scan of scans) {
    // A file may appear several times.
    if (seen.has(scan.hash)) scan.release();
    else pages += await readByEngine(scan, files, context);
    seen.add(scan.hash);
    files.setWords(scan.block, { type: 'blocks', blocks: files.find(scan.hash, nameOf(scan.block.title))!.content });
  }
  const data = { engine: engine.name, files: awaited.length, ...(isScan && { pages_charged: pages }) };
  return { ...files.done(isForAll), note: { summary: 'parsed', data } };
}

/** Fetches a file, and parses it where this gateway can. @returns what an engine has to read */
async function readAwaited(file: AwaitedFile, files: ReadFiles, context: ExtensionContext): Promise<Scan | undefined> {
  const { block, words } = file;
  let present: PresentFile | undefined;
  let scan: Scan | undefined;
  try {
    present = await loadFile(block.source, context);
    const { base64 } = present;
    const hash = await hashOf(base64, context);
    const known = files.find(hash, nameOf(block.title));
    if (!known && words.isScan) {
      const pages = words.pages ?? (await parse(base64, false, context)).pages;
      scan = { ...file, ...present, hash, pages };
      return scan;
    }
    if (!known) keep(parsedFile(hash, block, await parse(base64, true, context)), files, context);
    files.setWords(block, { type: 'blocks', blocks: files.find(hash, nameOf(block.title))!.content });
  } catch (error) {
    context.signal.throwIfAborted();
    files.unreadable(file, reasonOf(error));
  } finally {
    if (!scan) present?.release();
  }
  return undefined;
}

/** Keeps its text until the generation ends. @throws ExtensionFault `busy` where there is no memory for it */
function keep(file: ParsedFile, files: ReadFiles, context: ExtensionContext): void {
  if (!context.keep(lengthOfFile(file))) throw memoryFull();
  files.keep(file);
}

const memoryFull = (): ExtensionFault => new ExtensionFault('busy', 'too much is being read');

/** Bytes that came in the request are counted with its body. */
async function loadFile(source: FileBlock['source'], context: ExtensionContext): Promise<PresentFile> {
  return source.type === 'base64' ? { base64: source.data, release: () => undefined } : fetchFile(source.url, context);
}

async function fetchFile(url: string, { guardedFetch, signal }: ExtensionContext): Promise<PresentFile> {
  const page = await guardedFetch.fetch(url, FETCH, signal);
  const release = (): void => page.release();
  try {
    // Base64 is longer than the bytes.
    if (!page.take(Math.ceil(page.bytes.length / 3))) throw memoryFull();
    const base64 = new Base64Builder();
    for (const piece of piecesOf(page.bytes)) {
      base64.push(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
      await yieldToEventLoop();
    }
    return { base64: base64.finish().toString(), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** @returns the number of charged pages */
async function readByEngine(
  { base64, hash, pages: count, block, path, release }: Scan,
  files: ReadFiles,
  context: ExtensionContext,
): Promise<number> {
  const { catalog, engines, signal } = context;
  const read = Math.min(count, OCR_PAGES_MAX);
  try {
    const engine = catalog.plugins.ocr!;
    const { pages, charged, billed } = await readScan({ base64, pages: read }, engine, engines, signal);
    // Charged before the text is kept: a retry must not get it free of charge.
    const price = engine.price ?? 0n;
    context.charge(BigInt(charged) * price, BigInt(billed) * price);
    keep({ hash, name: nameOf(block.title), content: pageBlocks(pages, count) }, files, context);
    return charged;
  } catch (error) {
    if (!(error instanceof ExtensionFault)) throw error;
    throw files.failure('unavailable', `${path}: could not be read by mistral-ocr: ${error.message}`);
  } finally {
    release();
  }
}
