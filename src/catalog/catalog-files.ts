import { createHash } from 'node:crypto';
import { readFileSync, statSync, type BigIntStats } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { readCatalog, type CatalogFile, type CatalogReading, type ParsedTexts } from './read-catalog.js';
import { CREDENTIAL_BYTES_MAX, type CredentialFile, type CredentialSources } from './read-credential.js';

const FILE_BYTES_MAX = 16 * 1024 * 1024;

/** Where they are. */
export interface CatalogFiles {
  /** Absolute path of the operator's file; may be the shipped one. */
  readonly path: string;
  /** Absolute path of the shipped file, which `extends: default` means. */
  readonly shippedPath: string;
}

/** The catalog's files at one moment. */
export interface CatalogContent {
  /** Changes with every byte of every file but those of credentials. */
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

/** What came of the files, and the files of credentials that were read on the way. */
export interface Judgement {
  readonly reading: CatalogReading;
  /** Of the files that were parsed and have no fault as texts: what the next judgement need not parse. */
  readonly parsed: ParsedTexts;
  readonly credentials: CredentialFiles;
}

/** Reads the files from disk. Never throws: a file that cannot be read is content with a fault. */
export async function readContent({ path, shippedPath }: CatalogFiles): Promise<CatalogContent> {
  // Together: on a busy machine it is the turns that take the time.
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
 * Judges the content: work for a thread while anything is served. Two moments with the same hash, and files of
 * credentials of the same hash, read the same.
 * @param known of a judgement before: one file changes, and the other, or its credentials, is what it was
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

  /** @param files what some of them are known to say */
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

  /** Changes with every byte of every file. Never told: it is one of secrets. */
  get hash(): string {
    return createHash('sha256').update(JSON.stringify(this.entries)).digest('hex');
  }

  read(path: string): CredentialFile {
    const file = this.files.get(path) ?? readCredentialFile(path);
    this.files.set(path, file);
    return file;
  }
}

/** A file that changed so recently could change again within one tick of its file system's clock. */
const SETTLED_MS = 2_000;

/**
 * Where the files stand and when they last changed: another text has another stamp, since whoever writes a file can
 * set its size and its time, but not its inode and the time at which that changed.
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

/** Opened, because a network file system answers a mere `stat` from what it remembers. */
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

/** Small and few, though each poll reads them: not worth waiting for. */
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

/** As the operator would write it: relative to where the process runs, when it lies below. */
function displayName(path: string): string {
  const below = relative(process.cwd(), path);
  return below.startsWith('..') ? path : below;
}
