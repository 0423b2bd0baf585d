/**
 * Builds the pages of the console for browsers: programs and a style sheet whose names change with their contents, and
 * a list of them, which the gateway serves them by.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

/** The pages that have a program and a separate style, and the folder of their files below the built code. */
const PAGES = [
  { entries: ['main.tsx', 'styles/main.css'], folder: join('console', 'assets') },
  { entries: ['docs/docs.tsx', 'styles/docs.css'], folder: join('description', 'assets') },
];
const ICON = { in: 'icon.svg', out: 'icon' };
/** Packages whose licence texts are written next to the files that contain them. */
const PACKAGES = ['preact', '@preact/signals', '@preact/signals-core', 'uplot'];

/**
 * Writes the files of each page and their `manifest.json` into its folder, which then has nothing else. Nothing without
 * a console.
 * @param target folder of the built code
 */
export async function buildConsole(root, target) {
  const source = join(root, 'console');
  if (!existsSync(source)) return;
  for (const { entries, folder } of PAGES) await buildPage(root, entries, join(target, folder));
}

async function buildPage(root, entries, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: join(root, 'console'),
    entryPoints: [...entries.map((path) => ({ in: path, out: basename(path).replace(/\.\w+$/, '') })), ICON],
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    loader: { '.svg': 'copy' },
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  const texts = licenses(root);
  const textsName = `licenses-${createHash('sha256').update(texts).digest('hex').slice(0, 8)}.txt`;
  writeFileSync(join(folder, textsName), texts);
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => ({ ...output, name: basename(path) }));
  const made = (entry) => outputs.find(({ entryPoint }) => entryPoint === entry);
  const [program, style] = entries.map(made);
  const manifest = {
    script: program.name,
    style: style.name,
    icon: outputs.find(({ name }) => name.startsWith(`${ICON.out}-`)).name,
    // Static imports are fetched together with the module.
    loaded: loadedWith(program, outputs),
    files: [...outputs.map(({ name }) => name), textsName].toSorted(),
  };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
}

function loadedWith(output, outputs, found = new Set()) {
  for (const { path, kind } of output.imports) {
    const name = basename(path);
    if (kind !== 'import-statement' || found.has(name)) continue;
    found.add(name);
    loadedWith(
      outputs.find((one) => one.name === name),
      outputs,
      found,
    );
  }
  return [...found].toSorted();
}

function licenses(root) {
  return PACKAGES.map((name) => {
    const folder = join(root, 'node_modules', name);
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `${name} ${version}\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8').trim()}\n`;
  }).join('\n\n');
}
