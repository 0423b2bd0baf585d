// The cost of passing a body to another thread and back, for `bench/steps.mjs`. The sender is blocked while
// `postMessage` copies, the receiver while it deserialises the copy on the first access to `data`. Transferred bytes
// cost neither. Figures are CPU time of the waiting thread.
import { once } from 'node:events';
import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { REQUESTS, SIZES } from './steps-bodies.mjs';
import { threadMs } from './thread-ms.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
/** Sends back what it receives. */
const ECHO = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (value) => {
    parentPort.postMessage(value, value instanceof Uint8Array ? [value.buffer] : []);
  });
`;

const shortestOf = (round) => Math.min(...Array.from({ length: ROUNDS }, round));
function took(run) {
  const startedAt = threadMs();
  run();
  return threadMs() - startedAt;
}

export async function measureThreads() {
  const beforeBytes = process.memoryUsage().rss;
  const worker = new Worker(ECHO, { eval: true });
  await once(worker, 'online');
  const workerMiB = (process.memoryUsage().rss - beforeBytes) / 1024 / 1024;
  console.log(`| an idle thread | ${workerMiB.toFixed(0)} MiB |`);
  console.log('| body | size | JSON.parse | copy out | copy in | there and back | bytes there and back |');
  console.log('|---|---|---|---|---|---|---|');
  for (const [name, make] of Object.entries(REQUESTS)) {
    for (const size of SIZES) {
      const text = make(size);
      if (text === undefined) continue;
      const value = JSON.parse(text);
      const parse = shortestOf(() => took(() => JSON.parse(text)));
      const copyOut = shortestOf(() => took(() => serialize(value)));
      const copied = serialize(value);
      const copyIn = shortestOf(() => took(() => deserialize(copied)));
      const roundTrip = await shortestTrip(worker, () => value);
      const bytes = await shortestTrip(worker, () => new Uint8Array(Buffer.from(text)));
      const figures = [parse, copyOut, copyIn, roundTrip, bytes].map((ms) => `${ms.toFixed(1)} ms`);
      console.log(`| ${[name, `${(text.length / 1024 / 1024).toFixed(1)} MiB`, ...figures].join(' | ')} |`);
    }
  }
  await worker.terminate();
}

async function shortestTrip(worker, make) {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const value = make();
    const startedAt = threadMs();
    worker.postMessage(value, value instanceof Uint8Array ? [value.buffer] : []);
    await once(worker, 'message');
    best = Math.min(best, threadMs() - startedAt);
  }
  return best;
}
