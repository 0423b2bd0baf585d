import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { transform } from '@swc/core';
import { buildConsole } from '../../../scripts/build-console.mjs';
import { consoleSources } from '../../../scripts/console-sources.mjs';
import { guideSources } from '../../../scripts/guide-sources.mjs';
import { writeGuide } from '../../../scripts/render-guide.mjs';

/** Below `node_modules`, so that packages are resolved as from the sources. */
const CACHE = join('node_modules', '.cache', 'compiled-sources');
const FOLDERS = ['src', 'scripts'];
/** Number of states of the sources that are kept, and for how long each is after a run began with it: it may use it. */
const KEPT = 4;
const USED_MS = 60 * 60 * 1000;
/** Incremented when the output changes for the same source. */
const FORMAT = 2;

const SWC = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    target: 'es2022',
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
  swcrc: false,
};

/**
 * Compiles `src` and `scripts` into a folder that is named by their content, unless it exists already: about a second
 * for all.
 * @param root absolute path of the checkout
 * @returns absolute path of the folder, with the layout of the checkout
 */
export async function compileSources(root) {
  const sources = await readSources(root);
  const others = await Promise.all(
    [...guideSources(root), ...consoleSources(root)].map(async (path) => ({
      path,
      content: await readFile(join(root, path)),
    })),
  );
  const target = join(root, CACHE, fingerprint([...sources, ...others]));
  if (await exists(target)) {
    await utimes(target, new Date(), new Date());
    return target;
  }

  await mkdir(dirname(target), { recursive: true });
  // Created under another name and renamed at the end: two runs may start together.
  const unfinished = await mkdtemp(`${target}-`);
  await Promise.all(sources.map((source) => compile(source, root, unfinished)));
  writeGuide(root, join(unfinished, 'src', 'description', 'guide'));
  await buildConsole(root, join(unfinished, 'src'));
  const { type, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await writeFile(join(unfinished, 'package.json'), JSON.stringify({ type, version }));
  // The program expects it next to itself.
  await symlink(join(root, 'catalog'), join(unfinished, 'catalog'));
  await rename(unfinished, target).catch(() => rm(unfinished, { recursive: true }));
  await forgetOldOnes(join(root, CACHE));
  return target;
}

async function readSources(root) {
  const found = await Promise.all(
    FOLDERS.map((folder) => readdir(join(root, folder), { recursive: true, withFileTypes: true })),
  );
  const paths = found
    .flat()
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
  return Promise.all(paths.map(async (path) => ({ path, content: await readFile(join(root, path)) })));
}

function fingerprint(sources) {
  const hash = createHash('sha256').update(`${FORMAT} ${process.version}`);
  for (const { path, content } of sources) hash.update(`\0${path}\0${content.length}\0`).update(content);
  return hash.digest('hex').slice(0, 16);
}

/** Files other than TypeScript, such as SQL, are placed next to the code that reads them. */
async function compile({ path, content }, root, target) {
  const destination = join(target, path);
  await mkdir(dirname(destination), { recursive: true });
  if (!path.endsWith('.ts')) {
    await cp(join(root, path), destination);
    return;
  }
  const { code } = await transform(content.toString(), { ...SWC, filename: join(root, path) });
  await writeFile(destination.replace(/\.ts$/, '.js'), code);
}

async function forgetOldOnes(cache) {
  const folders = await readdir(cache, { withFileTypes: true });
  const dated = await Promise.all(
    // Another run may remove one at the same time.
    folders.map(async ({ name }) => ({
      name,
      usedAt: (await stat(join(cache, name)).catch(() => undefined))?.mtimeMs ?? 0,
    })),
  );
  const newestFirst = dated.sort((one, other) => other.usedAt - one.usedAt);
  const old = newestFirst.slice(KEPT).filter(({ usedAt }) => usedAt < Date.now() - USED_MS);
  await Promise.all(old.map(({ name }) => rm(join(cache, name), { recursive: true, force: true })));
}

async function exists(path) {
  return (await readdir(path).catch(() => undefined)) !== undefined;
}
