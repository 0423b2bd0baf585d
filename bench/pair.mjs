// `npm run bench:pair`: compares another revision with this one, alternating in one run. Drift of the machine affects
// both, so the ratios of the rounds are the result.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { endWithParent } from '../scripts/end-with-parent.mjs';
import { findServer, makeDatabase } from './database.mjs';
import { cpuSeconds, loadRequests, openStreams, residentMiB } from './measure.mjs';
import { pacedLoad } from './paced.mjs';
import { compareRounds, isSettled, turnOf } from './ratios.mjs';
import { buildRevision, findRevision } from './revision.mjs';
import { root, startFairlead, startFloor, startUpstream } from './systems.mjs';

endWithParent();

const USAGE = `npm run bench:pair -- [<revision>] [--most <ratio>] [--only <part>,…] [--floor] [--twice] [--embedded]

Builds the revision in a folder of its own, starts it and this checkout's build before one upstream, each on a database
of its own, and measures both by turns. Without a revision: the one in bench/baseline.

  --most      the largest ratio of CPU, this to that, that is let pass (1.15)
  --only      cold: the first 1,000 requests after a start; whole: warm ones; paced: streams, by the event; memory
  --floor     a bare Nest pass-through as well, cold and warm
  --twice     what is past the bound is measured again, longer, and counts where it is past it then as well
  --embedded  on the embedded database, also where a PostgreSQL answers

Ends with 0 within the bound, with 1 past it, with 2 for wrong words or a revision that cannot be built or run, with 3 where
this clone does not have the revision in bench/baseline.
`;

const PARTS = ['cold', 'whole', 'paced', 'memory'];
const LANES = 32;
/** Starts of each (`BENCH_STARTS`), and the requests after each. */
const COLD = { rounds: Number(process.env.BENCH_STARTS ?? 4), requests: 1_000 };
const WARM = { rounds: 12, requests: 2_000 };
/** Requests of one window, and the longest total time of windows, in milliseconds. */
const WARM_UP = { requests: 3_000, msMax: 40_000 };
const PACED = { streams: 150, events: 200, intervalMs: 20, openingMs: 400 };
const PACED_ROUNDS = 4;
/** A second measurement has this many times the rounds of the first. */
const LONGER = 2;
const IDLE_MS = 10_000;
const STREAMS = 1_000;
const MODELS = ['whole', 'hold', `paced-${PACED.events}-${PACED.intervalMs}`];
/** For a revision that lacks some settings of the bench. */
const OLDER_SETTINGS = { FAIRLEAD_FLOOD: 'account=100000000/10s' };
const NOT_RUN = 3;

function fail(code, message) {
  process.stderr.write(`bench:pair: ${message}\n`);
  process.exit(code);
}

function readWords() {
  try {
    const flag = { type: 'boolean', default: false };
    const options = {
      most: { type: 'string', default: '1.15' },
      only: { type: 'string', default: PARTS.join() },
      floor: flag,
      twice: flag,
      embedded: flag,
      help: flag,
    };
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const parts = values.only.split(',');
    const unknown = parts.find((part) => !PARTS.includes(part));
    if (unknown !== undefined) throw new TypeError(`--only does not know ${unknown}`);
    if (!(Number(values.most) > 0)) throw new TypeError('--most must be a number above 0');
    if (positionals.length > 1) throw new TypeError('one revision at a time');
    return { ...values, parts, most: Number(values.most), revision: positionals[0] };
  } catch (error) {
    return fail(2, `${error.message}\n\n${USAGE}`);
  }
}

function hashOf(revision) {
  const name = revision ?? readFileSync(new URL('baseline', import.meta.url), 'utf8').trim();
  const hash = findRevision(name);
  if (hash !== undefined) return hash;
  if (revision !== undefined) fail(2, `there is no revision ${revision} in this clone`);
  console.log(`NOT RUN: bench:pair. The revision of bench/baseline, ${name}, is not in this clone.`);
  return process.exit(NOT_RUN);
}

function build(hash) {
  try {
    return buildRevision(hash);
  } catch (error) {
    return fail(2, error.message);
  }
}

const words = readWords();
if (words.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const hash = hashOf(words.revision);
const server = words.embedded ? undefined : await findServer();
const children = new Set();
const folder = mkdtempSync(join(tmpdir(), 'fairlead-pair-'));
const databases = [];

function keep(system) {
  children.add(system);
  return system;
}

async function stop(system) {
  system.child.kill('SIGKILL');
  if (system.child.exitCode === null && system.child.signalCode === null) await once(system.child, 'exit');
  system.close?.();
  children.delete(system);
}

/** @returns a function that starts a gateway on the database of the gateway before it */
async function sideOf(name, checkout) {
  const database = await makeDatabase(server, `fairlead_pair_${process.pid}_${name}`);
  databases.push(database);
  let settings = {};
  const start = async () => {
    const variables = { DATA_DIR: join(folder, name), ...settings };
    return keep(await startFairlead(upstream.url, MODELS, database.url, variables, [], undefined, checkout));
  };
  // The first start makes the tables.
  try {
    await stop(await start());
  } catch {
    settings = OLDER_SETTINGS;
    await stop(await start());
  }
  return { name, start };
}

/** @returns the figures of each side, round by round */
async function rounds(sides, count, measure) {
  const figures = Object.fromEntries(sides.map(({ name }) => [name, []]));
  for (let round = 0; round < count; round++)
    for (const side of turnOf(sides, round)) figures[side.name].push(await measure(side));
  return figures;
}

const seriesOf = (figures, key) =>
  Object.fromEntries(Object.entries(figures).map(([name, values]) => [name, values.map((value) => value[key])]));

async function measureCold(sides, times) {
  const figures = await rounds(sides, COLD.rounds * times, async ({ start }) => {
    const system = await start();
    const startSeconds = cpuSeconds(system.child.pid);
    const cpuUs = await loadRequests(system, 'whole', { lanes: LANES, requests: COLD.requests, stream: false });
    await stop(system);
    return { startSeconds, cpuUs };
  });
  return [
    { part: 'cold', what: 'CPU of the first 1,000 requests, µs each', isHeld: true, figures: seriesOf(figures, 'cpuUs') },
    { part: 'cold', what: 'CPU of a start, s', figures: seriesOf(figures, 'startSeconds') },
  ]; // oxfmt-ignore
}

/** Alternates too, so that all sides have the same history; until the compiler is done. */
async function warmUp(systems) {
  const windows = new Map(systems.map(({ name }) => [name, []]));
  const until = performance.now() + WARM_UP.msMax * systems.length;
  while (performance.now() < until && ![...windows.values()].every(isSettled)) {
    for (const { name, system } of systems) {
      const load = { lanes: LANES, requests: WARM_UP.requests, stream: false };
      windows.get(name).push(await loadRequests(system, 'whole', load));
    }
  }
  const isDone = [...windows.values()].every(isSettled);
  const requests = (windows.get(systems[0].name).length * WARM_UP.requests).toLocaleString('en-US');
  console.log(`Warm after ${requests} requests each${isDone ? '' : ', by the time and not by the figures'}.`);
}

async function measureWarm(systems, times) {
  const load = { lanes: LANES, requests: WARM.requests, stream: false };
  const figures = await rounds(systems, WARM.rounds * times, ({ system }) => loadRequests(system, 'whole', load));
  return [{ part: 'whole', what: 'CPU of a warm request, µs', isHeld: true, figures }];
}

async function measurePaced(systems, times) {
  for (const { system } of systems) await pacedLoad(system, PACED);
  const measure = async ({ system }) => (await pacedLoad(system, PACED)).cpuUs;
  const figures = await rounds(systems, PACED_ROUNDS * times, measure);
  return [{ part: 'paced', what: 'CPU of an event of a paced stream, µs', isHeld: true, figures }];
}

async function measureMemory(systems) {
  const read = ({ system }) => residentMiB(system.child.pid);
  const loaded = await rounds(systems, 1, read);
  await pause(IDLE_MS);
  const idle = await rounds(systems, 1, read);
  const streams = await rounds(systems, 1, async ({ system }) => (await openStreams(system, STREAMS)).during);
  return [
    { part: 'memory', what: 'resident after the same load, MiB', figures: loaded },
    { part: 'memory', what: `resident ${IDLE_MS / 1000} s later, MiB`, figures: idle },
    { part: 'memory', what: `resident with ${STREAMS.toLocaleString('en-US')} open streams, MiB`, figures: streams },
  ];
}

/** @param times the rounds of a first measurement */
async function measure(sides, floor, parts, times) {
  const all = floor ? [...sides, floor] : sides;
  const rows = parts.includes('cold') ? await measureCold(all, times) : [];
  if (parts.every((part) => part === 'cold')) return rows;
  const systems = [];
  for (const { name, start } of all) systems.push({ name, system: await start() });
  const gateways = systems.filter(({ name }) => name !== floor?.name);
  await warmUp(parts.includes('whole') ? systems : gateways);
  if (parts.includes('whole')) rows.push(...(await measureWarm(systems, times)));
  if (parts.includes('paced')) rows.push(...(await measurePaced(gateways, times)));
  if (parts.includes('memory')) rows.push(...(await measureMemory(gateways)));
  for (const { system } of systems) await stop(system);
  return rows;
}

const digits = (value) => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
const spread = ({ ratio, min, max }) => `${ratio.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;

function print(rows) {
  console.log(`\n| | this | ${hash.slice(0, 8)} | ratio: median (min–max) | bound |\n|---|---|---|---|---|`);
  for (const { what, isHeld, figures } of rows) {
    const compared = compareRounds(figures.this, figures.that);
    const bound = isHeld ? `≤ ${words.most}${compared.ratio > words.most ? ', **past it**' : ''}` : '–';
    console.log(`| ${what} | ${digits(compared.this)} | ${digits(compared.that)} | ${spread(compared)} | ${bound} |`);
  }
  for (const { what, figures } of rows.filter(({ figures }) => figures.nest)) {
    const shares = ['this', 'that'].map((name) => spread(compareRounds(figures.nest, figures[name])));
    console.log(`\n${what}: bare Nest ${shares[0]} of this, ${shares[1]} of ${hash.slice(0, 8)}`);
  }
}

const pastOf = (rows) =>
  rows.filter(({ isHeld, figures }) => isHeld && compareRounds(figures.this, figures.that).ratio > words.most);

async function run() {
  const that = build(hash);
  upstream = keep(await startUpstream());
  const sides = [await sideOf('this', root), await sideOf('that', that)];
  const floor = words.floor && {
    name: 'nest',
    start: async () => keep(await startFloor('nest-floor.mjs', upstream.url)),
  };
  console.log(`This checkout beside ${hash}, ${server ? 'PostgreSQL' : 'embedded database'}, ${LANES} at a time`);
  const rows = await measure(sides, floor, words.parts, 1);
  print(rows);
  const past = pastOf(rows);
  if (past.length === 0 || !words.twice) return past.length > 0;
  console.log('\nPast the bound: once more, longer.');
  const again = await measure(sides, floor, [...new Set(past.map(({ part }) => part))], LONGER);
  print(again);
  return pastOf(again).length > 0;
}

let upstream;
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void cleanUp().then(() => process.exit(2)));
try {
  process.exitCode = (await run()) ? 1 : 0;
} catch (error) {
  // Nothing was compared; exit code 1 means a higher cost.
  console.error(error);
  process.exitCode = 2;
} finally {
  await cleanUp();
}

async function cleanUp() {
  for (const system of [...children]) await stop(system);
  for (const { drop } of databases) await drop();
  rmSync(folder, { recursive: true, force: true });
}
