// `npm run dev`: compiles what changes, and starts the gateway anew whenever it compiles. Ends with its children.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, watch } from 'node:fs';
import { join, resolve } from 'node:path';
import { findCompiler, isCopied } from './sources-state.mjs';

/** How long a gateway may take to close its store before it is killed, in milliseconds. */
const STOP_MS_MAX = 5_000;
/** An editor writes a file in several steps. */
const SETTLE_MS = 100;

/** The folder of `src` and `tsconfig.build.json`: this one, unless another is named. */
const project = resolve(process.argv[2] ?? '.');
const source = join(project, 'src');
const target = join(project, 'dist');

let gateway;
let isEnding = false;
/** Whether something has changed since the last build began. */
let isStale = false;
let changeTimer;
/** Settled when the last build is over and its gateway is started. */
let building = Promise.resolve();

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

/** Whether the sources compile. Incremental, and as fast as a compiler that stays and watches. */
async function compile() {
  const compiler = spawn(process.execPath, [findCompiler(), '-p', 'tsconfig.build.json'], {
    cwd: project,
    stdio: 'inherit',
  });
  const [code] = await once(compiler, 'exit');
  return code === 0;
}

/** What the compiler does not take along. */
function copyOthers() {
  cpSync(source, target, {
    recursive: true,
    filter: (path) => !/\.[^./]+$/.test(path.slice(source.length)) || isCopied(path),
  });
}

/** One build after the other, however fast changes come. */
function build() {
  isStale = true;
  building = building.then(async () => {
    if (!isStale || isEnding) return;
    isStale = false;
    if (!(await compile()) || isStale || isEnding) return;
    await stop(gateway);
    if (isEnding) return;
    copyOthers();
    gateway = start();
  });
}

const changes = watch(source, { recursive: true }, (_, name) => {
  if (!name || !(name.endsWith('.ts') || isCopied(name))) return;
  clearTimeout(changeTimer);
  changeTimer = setTimeout(build, SETTLE_MS);
});
build();

async function end() {
  if (isEnding) return;
  isEnding = true;
  changes.close();
  clearTimeout(changeTimer);
  await building;
  await stop(gateway);
  process.exit(0);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end());
