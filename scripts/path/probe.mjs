// Loaded into the gateway before its program: answers its parent by calls of functions and the size of its heap.
import { getHeapSpaceStatistics } from 'node:v8';
import { Session } from 'node:inspector/promises';

const session = new Session();
session.connect();
await session.post('Profiler.enable');

const ANSWERS = { count, report, old };
process.on('message', (message) => void ANSWERS[message]?.().then((answer) => process.send(answer)));

async function count() {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return { counting: true };
}

async function report() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  const called = result.flatMap(({ url, functions }) =>
    functions
      .filter(({ ranges }) => ranges[0].count > 0)
      .map(({ functionName, ranges: [{ startOffset, count: calls }] }) => ({ url, functionName, startOffset, calls })),
  );
  return { called };
}

/** Bytes of what is old, as far as no collection of the old took it away. */
async function old() {
  return { bytes: getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size };
}
