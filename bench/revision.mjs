// Builds another revision of the gateway in a separate folder, so that it can be compared with this one.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUILDS = join(tmpdir(), 'fairlead-revisions');
/** Most builds that are kept for later runs; the least recently used is removed first. */
const BUILDS_MAX = 4;
const PART = /\.(\d+)\.part$/;

const git = (...words) =>
  execFileSync('git', ['-C', ROOT, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** The full hash of a name; undefined where this clone does not have it. */
export function findRevision(name) {
  try {
    return git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
  } catch {
    return undefined;
  }
}

/**
 * Builds the revision, unless it was built before.
 * @param hash of a commit, in full
 * @returns the folder that contains `dist`
 * @throws Error that names what could not be built
 */
export function buildRevision(hash) {
  mkdirSync(BUILDS, { recursive: true });
  removeLeftovers(hash);
  const folder = join(BUILDS, hash);
  if (existsSync(folder)) {
    linkModules(folder);
    utimesSync(folder, new Date(), new Date());
    return folder;
  }
  const part = `${folder}.${process.pid}.part`;
  mkdirSync(part);
  try {
    const archive = join(part, '.archive.tar');
    git('archive', `--output=${archive}`, hash);
    execFileSync('tar', ['-xf', archive, '-C', part]);
    rmSync(archive);
    linkModules(part);
    npm(part, 'run', '--silent', 'build');
    // Another run may have built it meanwhile.
    if (!existsSync(folder)) renameSync(part, folder);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  return folder;
}

/** Uses this checkout's packages where the lock file is the same; otherwise installs its own. */
function linkModules(folder) {
  const modules = join(folder, 'node_modules');
  const lockOf = (root) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  const isLink = lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink();
  const isShared = lockOf(folder) === lockOf(ROOT);
  // The linked checkout may be gone, or have other packages by now.
  if (isLink) rmSync(modules);
  else if (existsSync(modules)) return;
  if (isShared) symlinkSync(join(ROOT, 'node_modules'), modules);
  else npm(folder, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent');
}

function npm(folder, ...words) {
  try {
    execFileSync('npm', words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const output = `${error.stdout ?? ''}${error.stderr ?? ''}`.trim().split('\n').slice(-20).join('\n');
    throw new Error(`npm ${words.join(' ')} failed:\n${output}`, { cause: error });
  }
}

/** Removes unfinished builds of processes that are gone, and the oldest builds beyond the limit. */
function removeLeftovers(hash) {
  const builds = [];
  for (const name of readdirSync(BUILDS)) {
    const pid = PART.exec(name)?.[1];
    if (pid === undefined) builds.push(name);
    else if (!existsSync(`/proc/${pid}`)) rmSync(join(BUILDS, name), { recursive: true, force: true });
  }
  const age = (name) => lstatSync(join(BUILDS, name)).mtimeMs;
  const others = builds.filter((name) => name !== hash).sort((one, other) => age(other) - age(one));
  for (const name of others.slice(BUILDS_MAX - 1)) rmSync(join(BUILDS, name), { recursive: true, force: true });
}
