// What one warm request runs through and leaves behind, in a gateway of its own before a provider on loopback. V8 runs
// without its optimizing compiler and with room for all that is allocated, so that neither the time that something
// takes nor the moment of a collection is in the figures.
import { once } from 'node:events';
import { relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findServer, makeDatabase } from '../../bench/database.mjs';
import { median } from '../../bench/ratios.mjs';
import { startFairlead, startUpstream } from '../../bench/systems.mjs';
import { MODELS, REQUESTS } from './requests.mjs';

const WARM_UP = 200;
const WARM_UP_LANES = 4;
/** Of each request, until memory of the pools and caches it fills is taken. */
const NEXT_WARM_UP = 40;
/** Parts of which the median counts. */
const PARTS = 3;
/** A part in which something was collected is counted again, so often at most. */
const TRIES = 20;
/** After each request, so that its settlement is a batch of its own. */
const AFTER_MS = 20;
/** What the warm-up leaves to be done by timers is over by then. */
const SETTLE_MS = 1_000;
/** Of the calls in the counted requests: what is called for fewer of them is no part of each. */
const SHARE_MIN = 0.9;
/** As it is run: so many whole requests at a time, in as many rounds. What is under way is met by collections. */
const TOGETHER_WARM_UP = 300;
const TOGETHER_LANES = 32;
const TOGETHER_ROUNDS = 100;
/** Of them the smallest counts: a compiler at work, or a collection of the old, spoils one. */
const TOGETHER_PARTS = 5;
const FLAGS = ['--no-opt', '--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'];

const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const PROBE = fileURLToPath(new URL('./probe.mjs', import.meta.url));

/**
 * @param names of the requests
 * @returns `hasPostgres`; `requests`: by name `called`, our functions that each request runs
 *   through (`{ file, name, calls }`, by file), and `allocatedBytes` and `oldBytes` of a request
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
 * @returns bytes of the heap that each of many whole requests at a time makes old, in a gateway as it is run: with the
 *   optimizing compiler, the usual heap, and its jobs
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
      // Fewer than before: the old was collected.
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
  const medianOf = (key) => Math.round(median(parts.map((part) => part[key])) / request.count);
  return { allocatedBytes: medianOf('bytes'), oldBytes: medianOf('oldBytes') };
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

/** Calls of functions while something is done. */
async function callsDuring(child, action) {
  await query(child, 'count');
  await action();
  return (await query(child, 'report')).called;
}

/** What runs by itself runs without requests as well: as often as in an idle time of the same length. */
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
