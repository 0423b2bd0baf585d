// What one warm whole `POST /messages` runs through and leaves behind, in a gateway of its own before a provider on
// loopback.
import { once } from 'node:events';
import { relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startFairlead, startUpstream } from '../../bench/systems.mjs';

const WARM_UP = 300;
/** Requests that are counted. */
const COUNTED = 100;
/** So many at a time, as many rounds: what is under way while others are collected must be among them. */
const OLD_LANES = 32;
const OLD_ROUNDS = 100;
/** Shares of the rounds of which the smallest is told: a compiler at work, or a collection of the old, spoils one. */
const OLD_PARTS = 5;
/** What the warm-up leaves to be done by timers is over by then. */
const SETTLE_MS = 2_000;
/** Of the calls in the counted requests: what is called for fewer of them is no part of each. */
const SHARE_MIN = 0.9;

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const PROBE = fileURLToPath(new URL('./probe.mjs', import.meta.url));
const BODY = JSON.stringify({
  model: 'bench/whole',
  max_tokens: 1024,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
});

/**
 * @returns `called`: `{ file, name, calls }` of our functions that each request runs through, with calls a request, by
 *   file; `oldBytes`: how much of the heap a request makes old, in bytes
 */
export async function measurePath(databaseUrl) {
  const upstream = await startUpstream();
  let gateway;
  try {
    gateway = await startFairlead(upstream.url, ['whole'], databaseUrl, {}, ['--import', PROBE]);
    await ask(gateway, WARM_UP);
    const called = await countCalls(gateway);
    return { called, oldBytes: await countOldBytes(gateway) };
  } finally {
    upstream.child.kill('SIGKILL');
    if (gateway) {
      gateway.child.kill('SIGKILL');
      await once(gateway.child, 'exit');
      gateway.close();
    }
  }
}

async function countCalls(gateway) {
  const startedAt = performance.now();
  await ask(gateway, COUNTED);
  const windowMs = performance.now() - startedAt;
  await pause(SETTLE_MS);
  const idle = await callsDuring(gateway.child, () => pause(windowMs));
  const busy = await callsDuring(gateway.child, () => ask(gateway, COUNTED));
  return withoutIdle(busy, idle)
    .filter(({ url, calls }) => url.startsWith(`file://${DIST}/`) && calls >= COUNTED * SHARE_MIN)
    .map(({ url, functionName, startOffset, calls }) => ({
      file: relative(DIST, fileURLToPath(url)).replace(/\.js$/, '.ts'),
      name: functionName === '' ? `(nameless, at ${startOffset})` : functionName,
      calls: Math.round((calls / COUNTED) * 10) / 10,
    }))
    .sort((one, other) => (one.file < other.file ? -1 : one.file > other.file ? 1 : 0));
}

async function countOldBytes(gateway) {
  const found = [];
  await askTogether(gateway);
  let { bytes } = await query(gateway.child, 'old');
  for (let part = 0; part < OLD_PARTS; part++) {
    await askTogether(gateway);
    const { bytes: after } = await query(gateway.child, 'old');
    // Less than before: the old was collected.
    if (after >= bytes) found.push((after - bytes) / (OLD_LANES * OLD_ROUNDS));
    bytes = after;
  }
  return Math.round(Math.min(...found));
}

const askTogether = (gateway) => Promise.all(Array.from({ length: OLD_LANES }, () => ask(gateway, OLD_ROUNDS)));

/** Calls of functions while something is done. */
async function callsDuring(child, action) {
  await query(child, 'count');
  await action();
  return (await query(child, 'report')).called;
}

/** What runs by a timer runs without requests as well: as often as in an idle time of the same length. */
export function withoutIdle(busy, idle) {
  const keyOf = ({ url, startOffset }) => `${url}:${startOffset}`;
  const idleCalls = new Map(idle.map((called) => [keyOf(called), called.calls]));
  return busy.map((called) => ({ ...called, calls: called.calls - (idleCalls.get(keyOf(called)) ?? 0) }));
}

async function query(child, message) {
  child.send(message);
  const [answer] = await once(child, 'message');
  return answer;
}

/** One after the other: what is done for many together is then done for each. */
async function ask({ url, headers }, count) {
  for (let index = 0; index < count; index++) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: BODY,
    });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`The gateway answered ${response.status}.`);
  }
}
