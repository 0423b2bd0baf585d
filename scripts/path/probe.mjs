// Loaded into the gateway before its program: reports function calls and heap sizes to its parent on request.
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import { Session } from 'node:inspector/promises';

/** Spaces that are younger than a collection, or hold no objects of the program. */
const NOT_OLD = /^(new_|read_only|code_)/;
/** Longer time-outs, in milliseconds, are postponed during a measurement: they belong to periodic jobs. */
const JOB_MS_MIN = 100;
/** Time after which work started by a timer is over. */
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

/** Work started by a timer is not part of a request, and occurs the more often the slower the machine is. */
function holdTimers() {
  const { setInterval, setTimeout } = globalThis;
  globalThis.setInterval = (callback, ms, ...words) => setInterval(() => isCounting || callback(...words), ms);
  // Named arguments: a rest array would count towards the bytes of a request.
  globalThis.setTimeout = (callback, ms, one, other) => {
    if (!(ms >= JOB_MS_MIN)) return setTimeout(callback, ms, one, other);
    const whenFree = () => (isCounting ? setTimeout(whenFree, JOB_MS_MIN).unref() : callback(one, other));
    return setTimeout(whenFree, ms);
  };
  // `util.promisify` finds the promise version there.
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

/** Bytes allocated since the start, and those in the old generation after two young collections. */
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

/** Bytes in the old generation, unless one of its collections removed them. */
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
