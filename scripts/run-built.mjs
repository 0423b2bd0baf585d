// `node scripts/run-built.mjs main.js` runs a program of `dist`, with the arguments behind it. It builds first where
// `dist` is older than the sources. With `--project FILE` it compiles that project instead, each time, and runs its
// program.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { endWithParent } from './end-with-parent.mjs';
import { endGroup, startGroup } from './process-group.mjs';
import { findCompiler, isBuilt, ROOT } from './build-state.mjs';

const isProject = process.argv[2] === '--project';
const [project, file, ...words] = isProject ? process.argv.slice(3) : [undefined, ...process.argv.slice(2)];
const program = join(ROOT, 'dist', file);

endWithParent();

/** The last one: the terminal is closed, which is not signalled to other process groups. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** @returns its exit code; a signal ends it with all its children, and then this process */
async function run(...parts) {
  const child = startGroup(parts, ROOT);
  const stop = () => endGroup(child);
  for (const signal of SIGNALS) process.once(signal, stop);
  const [code] = await once(child, 'exit');
  for (const signal of SIGNALS) process.off(signal, stop);
  return code ?? 1;
}

const compiler = findCompiler();
if (isProject) {
  if (!compiler) console.error('The TypeScript compiler is not installed: run `npm ci`.');
  const failure = compiler ? await run(compiler, '-p', project) : 1;
  if (failure) process.exit(failure);
} else if (!isBuilt()) {
  // Without development packages, the existing build is run.
  if (compiler) {
    console.error('Fairlead is built first; with the database of a first start this takes up to three minutes.');
    const failure =
      (await run(compiler, '-p', 'tsconfig.build.json')) || (await run(join(import.meta.dirname, 'finish-build.mjs')));
    if (failure) process.exit(failure);
  } else if (!existsSync(program)) {
    console.error('Fairlead is not built here: run `npm ci && npm run build`, then `npm prune --omit=dev`.');
    process.exit(1);
  }
}
// The program is run as if node had started it directly: it starts its workers from the path in `argv`.
process.argv = [process.execPath, program, ...words];
await import(pathToFileURL(program).href);
