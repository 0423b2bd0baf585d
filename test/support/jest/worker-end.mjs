import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

/** Part of `workerGracefulExitTimeout`. */
const REPORT_AFTER_MS = 7_000;
/** How long a file's sockets may take to close after it. */
const CLOSING_MS_MAX = 1_000;
const CLOSING_POLL_MS = 5;
/** Further actions at the end of the worker. */
const closings = [];
/** Open resources of each kind after the previous file, and the file after which there were more. */
let openBefore = countOpen();
const leftBy = new Map();

/** @param {() => Promise<void>} close called once, before the worker ends */
export function onWorkerEnd(close) {
  closings.push(close);
}

/** @param {string} testPath of a file that is over */
export async function noteWhatIsOpen(testPath) {
  // Resources that a file closed last count as open until the event loop has turned, and would hide the file that left
  // others open.
  await new Promise((resolve) => setImmediate(resolve));
  // Sockets take a little longer, and their timers would be counted by a file that fakes and counts its own.
  const until = performance.now() + CLOSING_MS_MAX;
  while (socketsOf(countOpen()) > socketsOf(openBefore) && performance.now() < until) await delay(CLOSING_POLL_MS);
  const open = countOpen();
  for (const [kind, count] of open) if (count > (openBefore.get(kind) ?? 0)) leftBy.set(kind, ` (after ${testPath})`);
  openBefore = open;
}

// jest stops listening when it ends a worker. An idle worker then ends immediately: Node would first dismantle its
// heap. A worker that something keeps alive (anything a suite or the program left open) is killed in the end. Before
// that it prints the resources, and the file that left them.
process.on('removeListener', (event) => {
  if (event !== 'message' || process.listenerCount('message') > 0) return;
  process.once('beforeExit', () => process.exit());
  for (const close of closings) void close();
  setTimeout(() => {
    const open = [...countOpen()].map(([kind, count]) => `${count} ${kind}${leftBy.get(kind) ?? ''}`);
    process.stderr.write(`Holding a test worker up: ${open.join(', ')}\n`);
  }, REPORT_AFTER_MS).unref();
});

const socketsOf = (counts) => counts.get('TCPSocketWrap') ?? 0;

/** By Node's names of the kinds: sockets, servers, children, threads, timers. */
function countOpen() {
  const counts = new Map();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
