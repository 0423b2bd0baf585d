// Run by `test/support/bundled-program.ts` in a separate process, because jest transforms modules that its own process
// loads: `node bundle-program.mjs <compiled sources> <new folder>`.
import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const [given, target] = process.argv.slice(2);
// The bundler names files by their real paths, and `node_modules` may be a link.
const sources = await realpath(given);
/** Finds its files beside its own module. */
const ENGINE = '@electric-sql/pglite';

await build({
  entryPoints: [join(sources, 'src', 'main.js')],
  outdir: target,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: `node${process.versions.node}`,
  // Nest and TypeORM read names of classes, and log lines have them.
  keepNames: true,
  logLevel: 'error',
  external: [ENGINE, `${ENGINE}/*`],
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
  },
  plugins: [
    { name: 'packages', setup: leaveLatePackages },
    { name: 'places', setup: keepPlaces },
  ],
});

/**
 * Packages that the sources import when they are first needed, and those that TypeORM and Nest load where they are
 * installed.
 */
function leaveLatePackages({ onResolve, resolve }) {
  onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, importer, pluginData }) => {
    if (kind === 'entry-point' || pluginData === ENGINE) return undefined;
    if (kind === 'dynamic-import') return { path, external: true };
    const found = await resolve(path, { kind, resolveDir, importer, pluginData: ENGINE });
    return found.errors.length > 0 ? { path, external: true } : found;
  });
}

/** A module finds the files beside it where it was compiled. */
function keepPlaces({ onLoad }) {
  const places = (path) => ({
    dirname: dirname(path),
    filename: path,
    url: pathToFileURL(path).href,
  });
  onLoad({ filter: /\.js$/, namespace: 'file' }, async ({ path }) => {
    if (!path.startsWith(sources)) return undefined;
    const code = await readFile(path, 'utf8');
    const contents = code
      .replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n')
      .replaceAll(/import\.meta\.(dirname|filename|url)\b/g, (_, name) => JSON.stringify(places(path)[name]));
    return { contents };
  });
}
