import { createHash } from 'node:crypto';
import { readFileSync, statSync, type BigIntStats } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { readCatalog, type CatalogFile, type CatalogReading, type ParsedTexts } from './read-catalog.js';
import { CREDENTIAL_BYTES_MAX, type CredentialFile, type CredentialSources } from './read-credential.js';

const FILE_BYTES_MAX = 16 * 1024 * 1024;

/** The paths of the catalog's files. */
export interface CatalogFiles {
  /** Absolute path of the operator's file; may be the shipped one. */
  readonly path: string;
  /** Absolute path of the shipped file, which `extends: default` refers to. */
  readonly shippedPath: string;
}

/** The catalog's files at one moment. */
export interface CatalogContent {
  /** Changes with every byte of every file except files of credentials. */
  readonly hash: string;
  readonly own: CatalogFile | UnreadFile;
  /** Absent where there is nothing to extend. */
  readonly shipped?: CatalogFile;
}

/** A file that could not be read. */
interface UnreadFile {
  readonly name: string;
  readonly failure: string;
}

/** The result of reading the files, with the files of credentials that were read for it. */
export interface Judgement {
  readonly reading: CatalogReading;
  /** The values of files without syntax faults, which the next judgement need not parse again. */
  readonly parsed: ParsedTexts;
  readonly credentials: CredentialFiles;
}

/** Reads the files from disk. Never throws: a file that cannot be read is content with a fault. */
export async function readContent({ path, shippedPath }: CatalogFiles): Promise<CatalogContent> {
  // Reads in parallel: on a busy machine waiting for the event loop takes most of the time.
  const [own, shipped] = await Promise.all([readText(path), path === shippedPath ? undefined : readText(shippedPath)]);
  const hash = createHash('sha256')
    .update(JSON.stringify([own, shipped]))
    .digest('hex');
  return {
    hash,
    own: { name: displayName(path), ...own },
    ...(shipped && 'text' in shipped && { shipped: { name: displayName(shippedPath), ...shipped } }),
  };
}

/**
 * Judges the content: run in a thread while requests are served. Equal hashes of the content and of the files of
 * credentials give equal results.
 * @param known values from an earlier judgement: mostly one file changes, and the other, or its credentials, stays the
 * same
 */
export function judgeContent(
  { own, shipped }: CatalogContent,
  variable: CredentialSources['variable'],
  known?: ParsedTexts,
): Judgement {
  const credentials = new CredentialFiles();
  const parsed = new Map<string, unknown>();
  if ('failure' in own)
    return { reading: { faults: [{ file: own.name, line: 1, field: '', message: own.failure }] }, parsed, credentials };
  const file = (path: string): CredentialFile => credentials.read(path);
  const reading = readCatalog(own, shipped, { variable, file }, known, (text, value) => parsed.set(text, value));
  return { reading, parsed, credentials };
}

/** Files of credentials at one moment: each is read once. */
export class CredentialFiles {
  private readonly files: Map<string, CredentialFile>;

  /** @param files with known content */
  constructor(files: Iterable<readonly [string, CredentialFile]> = []) {
    this.files = new Map(files);
  }

  static at(paths: readonly string[]): CredentialFiles {
    return new CredentialFiles(paths.map((path) => [path, readCredentialFile(path)]));
  }

  get paths(): readonly string[] {
    return [...this.files.keys()];
  }

  get entries(): readonly (readonly [string, CredentialFile])[] {
    return [...this.files];
  }

  /** Changes with every byte of every file. Must stay private: it is a hash of secrets. */
  get hash(): string {
    return createHash('sha256').update(JSON.stringify(this.entries)).digest('hex');
  }

  read(path: string): CredentialFile {
    const file = this.files.get(path) ?? readCredentialFile(path);
    this.files.set(path, file);
    return file;
  }
}

/** A file that changed this recently could change again within one tick of its file system's clock. */
const SETTLED_MS = 2_000;

/**
 * The inodes, sizes and change times of the files: another text has another stamp, because a writer can set size and
 * modification time, but not the inode and its change time.
 * @returns undefined while a file is missing or has just changed: then its content has to be read
 */
export async function stampOf({ path, shippedPath }: CatalogFiles): Promise<string | undefined> {
  const stamps = await Promise.all([...new Set([path, shippedPath])].map(stampOfFile));
  return stamps.includes(undefined) ? undefined : stamps.join('\n');
}

async function stampOfFile(file: string): Promise<string | undefined> {
  const stats = await statOpened(file).catch(() => undefined);
  if (!stats || Date.now() - Number(stats.ctimeMs) < SETTLED_MS) return undefined;
  return [file, stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}

/** Opens the file, because a network file system answers a plain `stat` from its cache. */
async function statOpened(path: string): Promise<BigIntStats> {
  const file = await open(path);
  try {
    return await file.stat({ bigint: true });
  } finally {
    await file.close();
  }
}

async function readText(path: string): Promise<{ readonly text: string } | { readonly failure: string }> {
  try {
    if ((await stat(path)).size > FILE_BYTES_MAX) return { failure: `is larger than ${FILE_BYTES_MAX} bytes` };
    return { text: await readFile(path, 'utf8') };
  } catch (error) {
    return { failure: unreadable(error) };
  }
}

/** Synchronous: these files are small and few, though each poll reads them. */
function readCredentialFile(path: string): CredentialFile {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return { failure: 'is no file' };
    if (stats.size > CREDENTIAL_BYTES_MAX) return { failure: `is larger than ${CREDENTIAL_BYTES_MAX} bytes` };
    return { text: readFileSync(path, 'utf8') };
  } catch (error) {
    return { failure: unreadable(error) };
  }
}

function unreadable(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return `cannot be read (${typeof code === 'string' ? code : 'for an unknown reason'})`;
}

/** Relative to the working directory when the file is below it, as the operator would write it. */
function displayName(path: string): string {
  const below = relative(process.cwd(), path);
  return below.startsWith('..') ? path : below;
}
