// Measures the functions that one warm request calls and the memory that it leaves, in a separate gateway in front of a
// loopback provider. V8 runs without its optimizing compiler and with memory for all allocations, so that neither speed
// nor the time of a collection affects the figures.
import { once } from 'node:events';
import { relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findServer, makeDatabase } from '../../bench/database.mjs';
import { startFairlead, startUpstream } from '../../bench/systems.mjs';
import { MODELS, REQUESTS } from './requests.mjs';

const WARM_UP = 200;
const WARM_UP_LANES = 4;
/** Warm-up requests of each kind, until the pools and caches it uses are filled. */
const NEXT_WARM_UP = 40;
/** Number of parts; the smallest counts: work of timers that falls into one adds to it, the more the slower it runs. */
const PARTS = 4;
/** Limit of repetitions of a part that a collection interrupted. */
const TRIES = 20;
/** Pause after each request, so that its settlement is a separate batch. */
const AFTER_MS = 20;
/** Pause after the warm-up for the work of timers. */
const SETTLE_MS = 1_000;
/** Minimum share of the counted requests in which a function is called to count as part of each. */
const SHARE_MIN = 0.9;
/** With the usual settings: this many concurrent whole requests, in this many rounds. Collections run during them. */
const TOGETHER_WARM_UP = 300;
const TOGETHER_LANES = 32;
const TOGETHER_ROUNDS = 100;
/** The smallest counts: the compiler at work, or a collection of the old generation, distorts one. */
const TOGETHER_PARTS = 5;
const FLAGS = ['--no-opt', '--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'];

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const PROBE = fileURLToPath(new URL('./probe.mjs', import.meta.url));

/**
 * @param names of the requests
 * @returns `hasPostgres`; `requests`: by name `called`, the gateway's functions that each request runs through
 * (`{ file, name, calls }`, by file), and `allocatedBytes` and `oldBytes` of a request
 */
export function measurePath(names) {
  return withGateway(FLAGS, async (gateway, hasPostgres) => {
    const requests = {};
    await warmUp(gateway);
    for (const name of names) requests[name] = await measureRequest(gateway, REQUESTS[name]);
    return { hasPostgres, requests };
  });
}

/**
 * @returns bytes of the heap that each of many concurrent whole requests moves to the old generation, in a gateway with
 * the usual settings: with the optimizing compiler, the usual heap, and its jobs
 */
export function measureOldTogether() {
  return withGateway([], async (gateway) => {
    await ask(gateway, REQUESTS.whole, TOGETHER_WARM_UP, 0);
    await askTogether(gateway);
    const found = [];
    let { bytes } = await query(gateway.child, 'old');
    for (let part = 0; part < TOGETHER_PARTS; part++) {
      await askTogether(gateway);
      const { bytes: after } = await query(gateway.child, 'old');
      // Fewer than before: the old generation was collected.
      if (after >= bytes) found.push((after - bytes) / (TOGETHER_LANES * TOGETHER_ROUNDS));
      bytes = after;
    }
    return Math.round(Math.min(...found));
  });
}

const askTogether = (gateway) =>
  Promise.all(Array.from({ length: TOGETHER_LANES }, () => ask(gateway, REQUESTS.whole, TOGETHER_ROUNDS, 0)));

async function withGateway(flags, measure) {
  const database = await makeDatabase(await findServer(), `fairlead_path_${process.pid}`);
  const upstream = await startUpstream();
  let gateway;
  try {
    gateway = await startFairlead(upstream.url, MODELS, database.url, {}, [...flags, '--import', PROBE]);
    return await measure(gateway, database.url !== undefined);
  } finally {
    upstream.child.kill('SIGKILL');
    if (gateway) {
      gateway.child.kill('SIGKILL');
      await once(gateway.child, 'exit');
      gateway.close();
    }
    await database.drop();
  }
}

async function warmUp(gateway) {
  const each = WARM_UP / WARM_UP_LANES;
  await Promise.all(Array.from({ length: WARM_UP_LANES }, () => ask(gateway, REQUESTS.whole, each, 0)));
}

async function measureRequest(gateway, request) {
  await ask(gateway, request, NEXT_WARM_UP, 0);
  await pause(SETTLE_MS);
  const { allocatedBytes, oldBytes } = await countBytes(gateway, request);
  return { called: await countCalls(gateway, request), allocatedBytes, oldBytes };
}

async function countBytes(gateway, request) {
  const parts = [];
  for (let tried = 0; parts.length < PARTS; tried++) {
    if (tried === TRIES) throw new Error('V8 collects in every part: the heap of the counted gateway is too small.');
    await query(gateway.child, 'begin');
    await ask(gateway, request, request.count);
    const part = await query(gateway.child, 'allocated');
    if (part.isWhole) parts.push(part);
  }
  const smallest = (key) => Math.round(Math.min(...parts.map((part) => part[key])) / request.count);
  return { allocatedBytes: smallest('bytes'), oldBytes: smallest('oldBytes') };
}

async function countCalls(gateway, request) {
  const startedAt = performance.now();
  const busy = await callsDuring(gateway.child, () => ask(gateway, request, request.count));
  const windowMs = performance.now() - startedAt;
  const idle = await callsDuring(gateway.child, () => pause(windowMs));
  return withoutIdle(busy, idle)
    .filter(({ url, calls }) => url.startsWith(`file://${DIST}/`) && calls >= request.count * SHARE_MIN)
    .map(({ url, functionName, startOffset, calls }) => ({
      file: relative(DIST, fileURLToPath(url)).replace(/\.js$/, '.ts'),
      name: functionName === '' ? `(nameless, at ${startOffset})` : functionName,
      calls: Math.round((calls / request.count) * 10) / 10,
    }))
    .sort((one, other) => (one.file < other.file ? -1 : one.file > other.file ? 1 : 0));
}

/** Counts calls of functions during an action. */
async function callsDuring(child, action) {
  await query(child, 'count');
  await action();
  return (await query(child, 'report')).called;
}

/** Work without a request runs as often as in an idle period of the same length. */
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

/** In sequence: work that is batched for many requests is then done for each. */
async function ask({ url, headers }, { path, body }, count, afterMs = AFTER_MS) {
  const address = url.replace(/messages$/, path);
  const text = JSON.stringify(body);
  for (let index = 0; index < count; index++) {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: text,
    });
    const reply = await response.text();
    if (response.status !== 200) throw new Error(`The gateway answered ${response.status}: ${reply}`);
    if (afterMs > 0) await pause(afterMs);
  }
}
