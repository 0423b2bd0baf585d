// `npm run dev`: compiles changed sources, and restarts the gateway after each successful build. Ends with its
// children.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, watch } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildConsole } from './build-console.mjs';
import { endWithParent } from './end-with-parent.mjs';
import { endGroup, startGroup } from './process-group.mjs';
import { writeGuide } from './render-guide.mjs';
import { findCompiler, isCopied, isRead } from './build-state.mjs';

/** How long a gateway may take to close its store before it is killed, in milliseconds. */
const STOP_MS_MAX = 5_000;
/** An editor writes a file in several steps. */
const SETTLE_MS = 100;

/** The folder of `src` and `tsconfig.build.json`: this one, unless another is given. */
const project = resolve(process.argv[2] ?? '.');
const source = join(project, 'src');
const target = join(project, 'dist');
const pages = join(project, 'console');

let gateway;
let compiler;
let isEnding = false;
/** Whether a file has changed since the last build began. */
let isStale = false;
let changeTimer;
/** Settles when the last build is over and its gateway is started. Never rejects. */
let building = Promise.resolve();

const isRunning = (child) => child !== undefined && child.exitCode === null && child.signalCode === null;
const start = () => spawn(process.execPath, [join(target, 'main.js')], { cwd: project, stdio: 'inherit' });

async function stop(child) {
  if (!isRunning(child)) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
  // SIGINT, like Ctrl-C, ends the gateway without its wait for load balancers.
  child.kill('SIGINT');
  await once(child, 'exit');
  clearTimeout(timer);
}

/** Whether the sources compile. Incremental, and as fast as a compiler in watch mode. */
async function compile() {
  const program = findCompiler();
  if (program === undefined) throw new Error('the TypeScript compiler is not installed (`npm ci` does it)');
  compiler = startGroup([program, '-p', 'tsconfig.build.json'], project);
  const [code] = await once(compiler, 'exit');
  return code === 0;
}

/** Copies files that the compiler ignores, renders the guide, and builds the pages of the console. */
async function copyOthers() {
  await buildConsole(project, target);
  writeGuide(project, join(target, 'description', 'guide'));
  cpSync(source, target, {
    recursive: true,
    filter: (path) => !/\.[^./]+$/.test(path.slice(source.length)) || isCopied(path),
  });
}

/** Prints why there is no new gateway. */
const report = (reason) =>
  console.error(isRunning(gateway) ? `${reason}; what ran before still runs.` : `${reason}; nothing runs.`);

/** One build after the other, however fast changes come. */
function build() {
  isStale = true;
  building = building.then(buildOnce).catch((error) => report(`Cannot build: ${error.message}`));
}

async function buildOnce() {
  if (!isStale || isEnding) return;
  isStale = false;
  const compiles = await compile();
  if (isEnding) return;
  if (!compiles) report('Does not compile');
  if (!compiles || isStale) return;
  await copyOthers();
  await stop(gateway);
  if (!isEnding) gateway = start();
}

function changed() {
  clearTimeout(changeTimer);
  changeTimer = setTimeout(build, SETTLE_MS);
}

const watchers = [
  ...(existsSync(pages) ? [watch(pages, { recursive: true }, changed)] : []),
  watch(source, { recursive: true }, (_, name) => name && isRead(name) && changed()),
  watch(project, (_, name) => name && /^tsconfig\b.*\.json$/.test(name) && changed()),
];
build();

async function end() {
  if (isEnding) return;
  isEnding = true;
  for (const watcher of watchers) watcher.close();
  clearTimeout(changeTimer);
  endGroup(compiler);
  await building;
  await stop(gateway);
  process.exit(0);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end());
endWithParent();
