// Loaded into the gateway before its program: answers its parent by calls of functions and by what the heap holds.
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import { Session } from 'node:inspector/promises';

/** What is younger than a collection, and what is no object of the program. */
const NOT_OLD = /^(new_|read_only|code_)/;
/** Time-outs of so many milliseconds and more wait while a part is counted: jobs come round by them. */
const JOB_MS_MIN = 100;
/** What a timer had begun is over by then. */
const UNDER_WAY_MS = 90;

const session = new Session();
session.connect();
await session.post('Profiler.enable');

let isCounting = false;
let collections = 0;
new PerformanceObserver((list) => (collections += list.getEntries().length)).observe({ entryTypes: ['gc'] });

const ANSWERS = { begin, allocated, old, count, report };
process.on('message', (message) => void ANSWERS[message]?.().then((answer) => process.send(answer)));
holdTimers();

/** What comes round by a timer is no part of a request, and comes the oftener the slower the machine is. */
function holdTimers() {
  const { setInterval, setTimeout } = globalThis;
  globalThis.setInterval = (callback, ms, ...words) => setInterval(() => isCounting || callback(...words), ms);
  // Arguments by name: a rest array would be among the bytes of a request.
  globalThis.setTimeout = (callback, ms, one, other) => {
    if (!(ms >= JOB_MS_MIN)) return setTimeout(callback, ms, one, other);
    const whenFree = () => (isCounting ? setTimeout(whenFree, JOB_MS_MIN).unref() : callback(one, other));
    return setTimeout(whenFree, ms);
  };
  // `util.promisify` finds the promise's way of it there.
  for (const symbol of Object.getOwnPropertySymbols(setTimeout)) globalThis.setTimeout[symbol] = setTimeout[symbol];
}

function held() {
  let young = process.memoryUsage().arrayBuffers;
  let old = 0;
  for (const { space_name, space_used_size } of getHeapSpaceStatistics()) {
    if (!NOT_OLD.test(space_name)) old += space_used_size;
    else if (space_name.startsWith('new_')) young += space_used_size;
  }
  return { all: young + old, old };
}

/** Collections reach their observer some turns later. */
const observed = () => new Promise((resolve) => setTimeout(resolve, 10));

let before;

async function begin() {
  isCounting = true;
  await new Promise((resolve) => setTimeout(resolve, UNDER_WAY_MS));
  globalThis.gc();
  await observed();
  collections = 0;
  before = held();
  return {};
}

/** Bytes that were allocated since the beginning, and those that are among the old after two young collections. */
async function allocated() {
  const bytes = held().all - before.all;
  await observed();
  const isWhole = collections === 0;
  globalThis.gc({ type: 'minor' });
  globalThis.gc({ type: 'minor' });
  const oldBytes = held().old - before.old;
  isCounting = false;
  return { bytes, oldBytes, isWhole };
}

/** Bytes among the old objects, as far as no collection of those took them away. */
async function old() {
  return { bytes: getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size };
}

async function count() {
  isCounting = true;
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {};
}

async function report() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  isCounting = false;
  const called = result.flatMap(({ url, functions }) =>
    functions
      .filter(({ ranges }) => ranges[0].count > 0)
      .map(({ functionName, ranges: [{ startOffset, count: calls }] }) => ({ url, functionName, startOffset, calls })),
  );
  return { called };
}
