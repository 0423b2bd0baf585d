/** Of which state of the sources the built code is. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');
/** The file that a build writes last. */
export const BUILT_FROM = join(ROOT, 'dist', '.built-from');

/** Whether a build takes a file of the sources along as it is: SQL, and what browsers load. */
export const isCopied = (name) => /\.(?:sql|js|css|svg)$/.test(name);

/** Whether a build reads a file of the sources at all: those of tests stay outside. */
export const isRead = (name) => (name.endsWith('.ts') && !name.endsWith('.spec.ts')) || isCopied(name);

const BUILD_FILES = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

/** Names, sizes and times of all that a build reads: some 20 ms, where reading it all would take ten times that. */
export function sourcesState() {
  const hash = createHash('sha256').update(process.version);
  const source = join(ROOT, 'src');
  const files = readdirSync(source, { recursive: true }).filter(isRead).sort();
  for (const name of files) add(hash, name, join(source, name));
  for (const name of BUILD_FILES) add(hash, name, join(ROOT, name));
  return hash.digest('hex');
}

function add(hash, name, path) {
  const { size, mtimeMs } = statSync(path);
  hash.update(`\0${name}\0${size}\0${mtimeMs}`);
}

/** Whether the built code is that of these sources. */
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
