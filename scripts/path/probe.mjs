// Loaded into the gateway before its program: counts the calls of functions between two messages of the parent.
import { Session } from 'node:inspector/promises';

const session = new Session();
session.connect();
await session.post('Profiler.enable');

process.on('message', (message) => {
  if (message === 'count') void count();
  else if (message === 'report') void report();
});

async function count() {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  process.send({ counting: true });
}

async function report() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  const called = result.flatMap(({ url, functions }) =>
    functions
      .filter(({ ranges }) => ranges[0].count > 0)
      .map(({ functionName, ranges: [{ startOffset, count: calls }] }) => ({ url, functionName, startOffset, calls })),
  );
  process.send({ called });
}
