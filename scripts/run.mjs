// Runs a program of the built code, and builds it before where it is not that of the sources:
// `node scripts/run.mjs main.js`, or another file of `dist` and its own words behind it. With `--project FILE` that
// project is compiled instead, each time, and the program is one of its.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { endWithParent } from './end-with-parent.mjs';
import { endGroup, startGroup } from './process-group.mjs';
import { findCompiler, isBuilt, ROOT } from './sources-state.mjs';

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
    console.error('Fairlead is built first; this takes some seconds.');
    const failure =
      (await run(compiler, '-p', 'tsconfig.build.json')) || (await run(join(import.meta.dirname, 'finish-build.mjs')));
    if (failure) process.exit(failure);
  } else if (!existsSync(program)) {
    console.error('Fairlead is not built here: run `npm ci && npm run build`, then `npm prune --omit=dev`.');
    process.exit(1);
  }
}
// As if started directly: its workers are started from the same path.
process.argv = [process.execPath, program, ...words];
await import(pathToFileURL(program).href);
