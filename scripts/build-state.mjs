/** Identifies the state of the sources that was built. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { consoleSources } from './console-sources.mjs';
import { guideSources } from './guide-sources.mjs';

export const ROOT = join(import.meta.dirname, '..');
/** The file that a build writes last. */
export const BUILT_FROM = join(ROOT, 'dist', '.built-from');

/** Whether a build copies a source file unchanged: SQL, and files for browsers. */
export const isCopied = (name) => /\.(?:sql|js|css|svg)$/.test(name);

/** Whether a build reads a source file at all: tests are excluded. */
export const isRead = (name) => (name.endsWith('.ts') && !name.endsWith('.spec.ts')) || isCopied(name);

const BUILD_FILES = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

/** Names, sizes and times of all files that a build reads: some 20 ms, a tenth of reading their contents. */
export function sourcesState() {
  const hash = createHash('sha256').update(process.version);
  const source = join(ROOT, 'src');
  const files = readdirSync(source, { recursive: true }).filter(isRead).sort();
  for (const name of files) add(hash, name, join(source, name));
  for (const name of [...BUILD_FILES, ...guideSources(ROOT), ...consoleSources(ROOT)])
    add(hash, name, join(ROOT, name));
  return hash.digest('hex');
}

function add(hash, name, path) {
  const { size, mtimeMs } = statSync(path);
  hash.update(`\0${name}\0${size}\0${mtimeMs}`);
}

/** Whether the built code matches the current sources. */
export function isBuilt() {
  try {
    return readFileSync(BUILT_FROM, 'utf8') === sourcesState();
  } catch {
    return false;
  }
}

/** The compiler's program; undefined in an installation without development packages. */
export function findCompiler() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  } catch {
    return undefined;
  }
}
