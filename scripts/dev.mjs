// `npm run dev`: compiles what changes, and starts the gateway anew whenever it compiles. Ends with its children.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, watch } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { isCopied } from './sources-state.mjs';

/** How long a gateway may take to close its store before it is killed, in milliseconds. */
const STOP_MS_MAX = 5_000;
/** An editor writes a file in several steps. */
const SETTLE_MS = 100;
const COMPILED = /Found (\d+) errors?\. Watching for file changes/;

/** The folder of `src` and `tsconfig.build.json`: this one, unless another is named. */
const project = resolve(process.argv[2] ?? '.');
const source = join(project, 'src');
const target = join(project, 'dist');
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

let gateway;
let restarting = Promise.resolve();
let copyTimer;
let compiles = false;
let isEnding = false;

const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null;
const start = () => spawn(process.execPath, [join(target, 'main.js')], { cwd: project, stdio: 'inherit' });

async function stop(child) {
  if (!child || hasEnded(child)) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
  // As by Ctrl-C: without the time in which a load balancer looks elsewhere.
  child.kill('SIGINT');
  await once(child, 'exit');
  clearTimeout(timer);
}

/** One restart after the other, however fast changes come. */
function restart() {
  restarting = restarting.then(async () => {
    await stop(gateway);
    if (isEnding) return;
    copyOthers();
    gateway = start();
  });
}

/** What the compiler does not take along. */
function copyOthers() {
  cpSync(source, target, {
    recursive: true,
    filter: (path) => !/\.[^./]+$/.test(path.slice(source.length)) || isCopied(path),
  });
}

const compiler = spawn(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--watch', '--preserveWatchOutput'], {
  cwd: project,
  stdio: ['ignore', 'pipe', 'inherit'],
});
createInterface({ input: compiler.stdout }).on('line', (line) => {
  if (line !== '') console.log(line);
  const found = COMPILED.exec(line);
  if (!found) return;
  compiles = found[1] === '0';
  if (compiles) restart();
});
compiler.on('exit', () => void end(1));

const others = watch(source, { recursive: true }, (_, name) => {
  if (!name || !isCopied(name)) return;
  clearTimeout(copyTimer);
  copyTimer = setTimeout(() => compiles && restart(), SETTLE_MS);
});

async function end(code) {
  if (isEnding) return;
  isEnding = true;
  others.close();
  clearTimeout(copyTimer);
  compiler.kill();
  await restarting;
  await stop(gateway);
  process.exit(code);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end(0));
