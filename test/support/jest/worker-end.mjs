import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

/** A part of `workerGracefulExitTimeout`. */
const TELL_AFTER_MS = 7_000;
/** How long sockets of a file may take to close after it. */
const CLOSING_MS_MAX = 1_000;
const CLOSING_POLL_MS = 5;
/** What else has to be done when the worker ends. */
const closings = [];
/** How many resources of each kind held the worker up after the file before, and after which file there were more. */
let openBefore = countOpen();
const leftBy = new Map();

/** @param {() => Promise<void>} close called once, before the worker ends */
export function onWorkerEnd(close) {
  closings.push(close);
}

/** @param {string} testPath of a file that is over */
export async function noteWhatIsOpen(testPath) {
  // What a file closed last counts as open until the event loop has turned, and would hide which file left what stays.
  await new Promise((resolve) => setImmediate(resolve));
  // Sockets take a little longer, and their timers would be counted by a file that fakes and counts its own.
  const until = performance.now() + CLOSING_MS_MAX;
  while (socketsOf(countOpen()) > socketsOf(openBefore) && performance.now() < until) await delay(CLOSING_POLL_MS);
  const open = countOpen();
  for (const [kind, count] of open) if (count > (openBefore.get(kind) ?? 0)) leftBy.set(kind, ` (after ${testPath})`);
  openBefore = open;
}

// jest stops listening when it ends a worker. One that has nothing left to do then ends at once: Node would
// first take its heap apart. One that something still holds up is killed in the end: whatever a suite or the program
// left open. Before that it prints what it is, and which file left it.
process.on('removeListener', (event) => {
  if (event !== 'message' || process.listenerCount('message') > 0) return;
  process.once('beforeExit', () => process.exit());
  for (const close of closings) void close();
  setTimeout(() => {
    const open = [...countOpen()].map(([kind, count]) => `${count} ${kind}${leftBy.get(kind) ?? ''}`);
    process.stderr.write(`Holding a test worker up: ${open.join(', ')}\n`);
  }, TELL_AFTER_MS).unref();
});

const socketsOf = (counts) => counts.get('TCPSocketWrap') ?? 0;

/** By the kinds that Node names: sockets, servers, children, threads, timers. */
function countOpen() {
  const counts = new Map();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
