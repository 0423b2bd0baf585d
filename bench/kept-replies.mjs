// `npm run build && node bench/kept-replies.mjs`: the time of a hit of the response cache from PostgreSQL and from
// Redis; what each of many readers of one stream costs beside the bare pipe, which calls for each of them; and what a
// request without any of it pays to be recognised. Medians of rounds by turns. A reply that was not given again, or a
// call too many, ends it with an error: its time would be that of something else. Ends with 1 above a bound.
import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { readCacheOptions } from '../dist/faces/common/read-cache.js';
import { readIdempotencyOptions } from '../dist/faces/common/read-idempotency.js';
import { PresetGuard } from '../dist/presets/preset.guard.js';
import { findServer, makeDatabase } from './database.mjs';
import { latencies, percentile } from './measure.mjs';
import { pacedLoad } from './paced.mjs';
import { median } from './ratios.mjs';
import { startFairlead, startFloor, startUpstream } from './systems.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const REDIS_URL = process.env.BENCH_REDIS_URL ?? 'redis://127.0.0.1:6379/9';
const HITS = 500;
const WARM_UP_HITS = 2_000;
const HIT_MS_MAX = { PostgreSQL: 4, Redis: 2 };
const READERS = { streams: 100, events: 100, intervalMs: 20, openingMs: 300 };
const READER_RATIO_MAX = 1.2;
const PACED = `paced-${READERS.events}-${READERS.intervalMs}`;

const server = await findServer();
const missed = [];
function report(name, figures, max, unit) {
  const figure = median(figures);
  if (figure > max) missed.push(name);
  const all = figures.map((value) => value.toFixed(2)).join(' ');
  console.log(`${name.padEnd(52)} ${figure.toFixed(2)} ${unit} (at most ${max}); rounds ${all}`);
}

const withHeaders = (system, headers, check) => ({ ...system, check, headers: { ...system.headers, ...headers } });
const upstream = await startUpstream();
const countCalls = async () => Number(await (await fetch(`${upstream.url}/calls`)).text());

/** Runs the work. @throws where it made another number of calls */
async function withCalls(expected, what, work) {
  const before = await countCalls();
  const result = await work();
  const calls = (await countCalls()) - before;
  if (calls !== expected) throw new Error(`${what} made ${calls} calls instead of ${expected}.`);
  return result;
}

const isHit = (headers) => {
  const status = headers['x-fairlead-cache-status'];
  if (status !== 'HIT') throw new Error(`A measured reply of the cache is ${status}, not HIT.`);
};

/** What the requests of `measure.mjs` send besides. */
const PLAIN_HEADERS = {
  host: '127.0.0.1:8787',
  connection: 'keep-alive',
  'content-type': 'application/json',
  'content-length': '600',
  authorization: 'Bearer a-key-of-the-bench',
};
const PLAIN_TURNS = 2_000_000;
const PLAIN_US_MAX = 1;

/**
 * Microseconds in which the readers of all three features find that a plain request has none of them. A request pays
 * less: its path runs the last two only where one of their headers is there.
 */
function plainCost() {
  const request = { headers: PLAIN_HEADERS, body: { model: 'bench/whole', max_tokens: 1024, messages: [] } };
  const http = { getRequest: () => request };
  const context = { switchToHttp: () => http };
  const guard = new PresetGuard(undefined);
  let found = 0;
  const began = process.cpuUsage();
  for (let turn = 0; turn < PLAIN_TURNS; turn++) {
    if (guard.canActivate(context) !== true) found++;
    if (readIdempotencyOptions(request.headers).key !== undefined) found++;
    if (readCacheOptions(request.headers, undefined) !== undefined) found++;
  }
  const { user, system } = process.cpuUsage(began);
  if (found > 0) throw new Error('A plain request was taken for another one.');
  return (user + system) / PLAIN_TURNS;
}
const systems = [];
const databases = [];

async function start(name, variables) {
  const database = await makeDatabase(server, `fairlead_bench_kept_${process.pid}_${name.toLowerCase()}`);
  databases.push(database);
  const system = await startFairlead(upstream.url, ['whole', PACED], database.url, variables);
  systems.push(system);
  return system;
}

try {
  const stores = { PostgreSQL: await start('PostgreSQL', {}), Redis: await start('Redis', { REDIS_URL }) };
  const pipe = await startFloor('pipe-floor.mjs', upstream.url);
  systems.push(pipe);

  const hits = { PostgreSQL: [], Redis: [] };
  const cached = {};
  for (const [name, system] of Object.entries(stores)) {
    // Each run has databases of its own, and so names of its own in Redis: no reply of another run is found.
    const headers = { 'x-fairlead-cache': 'true', 'x-fairlead-cache-ttl': '3600' };
    await withCalls(1, `The first request with ${name}`, () => latencies(withHeaders(system, headers), 'whole', 1));
    cached[name] = withHeaders(system, headers, isHit);
    await withCalls(0, `The warm-up with ${name}`, () => latencies(cached[name], 'whole', WARM_UP_HITS));
  }
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, system] of Object.entries(cached))
      hits[name].push(
        await withCalls(0, `Hits with ${name}`, async () => percentile(await latencies(system, 'whole', HITS), 0.5)),
      );
  for (const [name, figures] of Object.entries(hits))
    report(`a hit of the response cache, ${name}, p50`, figures, HIT_MS_MAX[name], 'ms');

  const ratios = [];
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    const key = { 'idempotency-key': `bench ${process.pid} ${round}` };
    let firsts = 0;
    const isReplay = (headers) => {
      if (headers['x-fairlead-idempotent-replay'] !== 'true') firsts++;
    };
    const readers = withHeaders(stores.PostgreSQL, key, isReplay);
    const joined = await withCalls(1, `${READERS.streams} readers of one stream`, () => pacedLoad(readers, READERS));
    if (firsts !== 1) throw new Error(`${firsts} of the readers of one stream have no replay header.`);
    await sleep(500);
    const bare = await pacedLoad(pipe, READERS);
    if (round > 0) ratios.push(joined.cpuUs / bare.cpuUs);
  }
  const plain = Array.from({ length: ROUNDS + 1 }, plainCost).slice(1);
  report('finding no idempotency key, preset or cache, CPU', plain, PLAIN_US_MAX, 'µs');
  report(`${READERS.streams} readers of one stream, CPU of an event, of the pipe`, ratios, READER_RATIO_MAX, 'times');
} finally {
  for (const { child, close } of systems) {
    child.kill();
    close?.();
  }
  upstream.child.kill();
  await sleep(500);
  for (const { drop } of databases) await drop();
}
for (const name of missed) console.error(`missed: ${name}`);
process.exitCode = missed.length === 0 ? 0 : 1;
