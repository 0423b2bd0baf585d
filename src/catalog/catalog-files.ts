import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { readCatalog, type CatalogFile, type CatalogReading } from './read-catalog.js';
import { CREDENTIAL_BYTES_MAX, type CredentialFile, type CredentialSources } from './read-credential.js';

const FILE_BYTES_MAX = 16 * 1024 * 1024;

/** Where the catalog comes from. */
export interface CatalogSource {
  /** Absolute path of the operator's file; may be the shipped one. */
  readonly path: string;
  /** Absolute path of the shipped file, which `extends: default` means. */
  readonly shippedPath: string;
  readonly variable: CredentialSources['variable'];
}

/** The catalog's files at one moment. */
export interface CatalogContent {
  /** Changes with every byte of every file; two moments with the same hash read the same. */
  readonly hash: string;
  /** Judges the content. Work that is done only when the hash is new. */
  read(): CatalogReading;
}

/** Reads the files from disk. Never throws: a file that cannot be read is content with a fault. */
export async function readContent(source: CatalogSource): Promise<CatalogContent> {
  const own = await readText(source.path);
  const shipped = source.path === source.shippedPath ? undefined : await readText(source.shippedPath);
  const hash = createHash('sha256')
    .update(JSON.stringify([own, shipped]))
    .digest('hex');
  const name = displayName(source.path);
  if ('failure' in own) {
    return { hash, read: () => ({ faults: [{ file: name, line: 1, field: '', message: own.failure }] }) };
  }
  const file = { name, text: own.text };
  const base: CatalogFile | undefined =
    shipped && 'text' in shipped ? { name: displayName(source.shippedPath), text: shipped.text } : undefined;
  return { hash, read: () => readCatalog(file, base, { variable: source.variable, file: readCredentialFile }) };
}

async function readText(path: string): Promise<{ readonly text: string } | { readonly failure: string }> {
  try {
    if ((await stat(path)).size > FILE_BYTES_MAX) return { failure: `is larger than ${FILE_BYTES_MAX} bytes` };
    return { text: await readFile(path, 'utf8') };
  } catch (error) {
    return { failure: unreadable(error) };
  }
}

/** Small, and read only when the catalog has changed: not worth waiting for. */
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
