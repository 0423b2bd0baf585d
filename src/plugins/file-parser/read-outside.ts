import type { DocumentBlock } from '../../core/conversation/content.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { ExtensionFault, type ExtensionContext, type FetchLimits } from '../../core/extension.js';
import { Base64Builder } from '../../core/json/base64-text.js';
import { lengthOfFile, type ParsedFile } from '../../core/conversation/parsed-file.js';
import type { PicoUsd } from '../../core/money/credits.js';
import type { Consulted } from '../../core/plugin.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';
import { piecesOf } from '../../tools/parse-file/file-bytes.js';
import { wordsOf } from '../../tools/parse-file/file-words.js';
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

/** Of a page in words, as `textTokens` counts them. Chosen: a page of close print. */
const PAGE_TOKENS = 3_000;

type Awaited = Extract<NonNullable<DocumentBlock['inWords']>, { type: 'awaited' }>;

interface AwaitedFile extends FoundFile {
  readonly words: Awaited;
}

/** A file that is here, and counts in what is in flight of its key. */
interface PresentFile {
  readonly base64: string;
  /** It is not needed any more. */
  readonly release: () => void;
}

/** One that is not read yet. */
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

/** The most that the files which are still to be read cost. */
export const priceOf = (request: ModelRequest, { catalog }: ExtensionContext): PicoUsd =>
  BigInt(pagesIn(listAwaited(request).filter(({ words }) => words.isScan))) * (catalog.plugins.ocr?.price ?? 0n);

/** What their words add to the prompt: nothing where they replace the files, for whose pages there is room already. */
export const growthOf = (request: ModelRequest): number =>
  pagesIn(listAwaited(request).filter(({ words }) => !words.isForAll)) * PAGE_TOKENS;

/** By address nobody knows how many they are. */
const pagesIn = (files: readonly AwaitedFile[]): number =>
  files.reduce((sum, { words }) => sum + Math.min(words.pages ?? OCR_PAGES_MAX, OCR_PAGES_MAX), 0);

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
  let pages = 0;
  const seen = new Set<string>();
  for (const scan of scans) {
    // The same file may stand in several places.
    if (seen.has(scan.hash)) scan.release();
    else pages += await readByEngine(scan, files, context);
    seen.add(scan.hash);
    files.tell(scan.block, { type: 'blocks', blocks: files.find(scan.hash, nameOf(scan.block.title))!.content });
  }
  const data = { engine: engine.name, files: awaited.length, ...(isScan && { pages_charged: pages }) };
  return { ...files.done(isForAll), note: { summary: 'parsed', data } };
}

/** Fetches a file, and reads it as far as that is done here. @returns what an engine is to read */
async function come(file: AwaitedFile, files: ReadFiles, context: ExtensionContext): Promise<Scan | undefined> {
  const { block, words } = file;
  let present: PresentFile | undefined;
  let scan: Scan | undefined;
  try {
    present = await bring(block.source, context);
    const { base64 } = present;
    const hash = await hashOf(base64, context);
    const known = files.find(hash, nameOf(block.title));
    if (!known && words.isScan) {
      const pages = words.pages ?? (await parse(base64, false, context)).pages;
      scan = { ...file, ...present, hash, pages };
      return scan;
    }
    if (!known) keep(parsedFile(hash, block, await parse(base64, true, context)), files, context);
    files.tell(block, { type: 'blocks', blocks: files.find(hash, nameOf(block.title))!.content });
  } catch (error) {
    context.signal.throwIfAborted();
    files.unreadable(file, reasonOf(error));
  } finally {
    if (!scan) present?.release();
  }
  return undefined;
}

/** Its words are held as long as the generation. @throws ExtensionFault `busy` where there is no room for them */
function keep(file: ParsedFile, files: ReadFiles, context: ExtensionContext): void {
  if (!context.keep(lengthOfFile(file))) throw noRoom();
  files.keep(file);
}

const noRoom = (): ExtensionFault => new ExtensionFault('busy', 'too much is being read');

/** What came in the request counts with its body. */
async function bring(source: FileBlock['source'], context: ExtensionContext): Promise<PresentFile> {
  return source.type === 'base64' ? { base64: source.data, release: () => undefined } : fetchFile(source.url, context);
}

async function fetchFile(url: string, { guardedFetch, signal }: ExtensionContext): Promise<PresentFile> {
  const page = await guardedFetch.fetch(url, FETCH, signal);
  const release = (): void => page.release();
  try {
    // As text it is longer.
    if (!page.take(Math.ceil(page.bytes.length / 3))) throw noRoom();
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

/** @returns the pages that are charged */
async function readByEngine(
  { base64, hash, pages: count, block, path, release }: Scan,
  files: ReadFiles,
  context: ExtensionContext,
): Promise<number> {
  const { catalog, engines, signal } = context;
  const read = Math.min(count, OCR_PAGES_MAX);
  try {
    const engine = catalog.plugins.ocr!;
    const { pages, charged } = await readScan({ base64, pages: read }, engine, engines, signal);
    // Before its words are kept: nobody has them again who has not paid for them.
    context.charge(BigInt(charged) * (engine.price ?? 0n));
    keep({ hash, name: nameOf(block.title), content: wordsOf(pages, count) }, files, context);
    return charged;
  } catch (error) {
    if (!(error instanceof ExtensionFault)) throw error;
    throw files.failure('unavailable', `${path}: could not be read by mistral-ocr: ${error.message}`);
  } finally {
    release();
  }
}
