/**
 * Builds the pages of the console for browsers: programs and a style sheet whose names change with their contents, and
 * a list of them, which the gateway serves them by.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const ENTRIES = ['main.tsx', 'styles/main.css'];
/** The picture of the reference too. */
const ICON = { in: '../src/description/viewer/icon.svg', out: 'icon' };
/** Their texts go with what is made of them. */
const PACKAGES = ['preact', '@preact/signals', '@preact/signals-core', 'uplot'];

/** Writes the files and `manifest.json` into a folder, which then has nothing else. Nothing without a console. */
export async function buildConsole(root, folder) {
  const source = join(root, 'console');
  if (!existsSync(source)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: source,
    entryPoints: [...ENTRIES.map((path) => ({ in: path, out: basename(path).replace(/\.\w+$/, '') })), ICON],
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
  const [program, style] = ENTRIES.map(made);
  const manifest = {
    script: program.name,
    style: style.name,
    icon: outputs.find(({ name }) => name.startsWith(`${ICON.out}-`)).name,
    // What it imports at once is fetched at once.
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
