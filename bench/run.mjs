// `npm run bench`: measures all systems on the same machine, alternating in one run; figures are medians, and ratios
// come from this run alone. `node bench/run.mjs --only paced,memory` runs single parts and starts only what they need;
// `--help` lists them.
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { endWithParent } from '../scripts/end-with-parent.mjs';
import { findServer, makeDatabase } from './database.mjs';
import {
  cpuSeconds,
  lagDuring,
  latencies,
  load,
  loadRequests,
  longestWaitsBeside,
  openStreams,
  percentile,
  residentMiB,
  useTool,
} from './measure.mjs';
import { pacedLoad } from './paced.mjs';
import { isSettled, median } from './ratios.mjs';
import {
  chatFaceOf,
  EMBEDDING,
  embeddingsOf,
  responsesFaceOf,
  startFairlead,
  startFloor,
  startPortkey,
  startUpstream,
  startWithoutLedger,
  startWithTools,
} from './systems.mjs';

endWithParent();

// The gateway's own driver: the bench has none.
const pg = createRequire(new URL('../package.json', import.meta.url))('pg');

// Many short rounds: another process that uses the machine for some seconds then spoils only a few of them, for all
// systems alike.
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 1.5);
/** Longest load on a system until the compiler is done, which its own figures show (`isSettled`). */
const WARM_UP_SECONDS = Number(process.env.BENCH_WARM_UP ?? 60);
const WARM_UP_WINDOW_SECONDS = 2;
/** The warm-up before a further kind of load. */
const NEXT_WARM_UP_SECONDS = WARM_UP_SECONDS / 3;
/** Starts, requests that are cold, and requests after which a gateway is nearly warm. */
const COLD = { starts: 5, requests: 1_000, nearly: 10_000, window: 2_000 };
/** Idle time after which the lasting effects of a load are measured. */
const IDLE_MS = 15_000;
const LATENCY_ROUNDS = 9;
const LANES = 32;
/** With more concurrency, more requests share a round trip and an iteration of the event loop. */
const MORE_LANES = 64;
/** Stored generations, which must not raise the cost of a request. */
const MANY = 100_000;
const EVENTS = 400;
const ONE = `stream-${EVENTS}-1`;
const EIGHT = `stream-${EVENTS}-8`;
/** A realistic load: events one by one, many concurrent streams. */
const PACED = { streams: 150, events: 500, intervalMs: 20, openingMs: 400 };
const PACED_ROUNDS = Number(process.env.BENCH_PACED_ROUNDS ?? 5);
/** Limit of the CPU of an event, as a multiple of the bare pipe's. */
const PACED_TIMES_MAX = 1.25;
const SLOW = { streams: 1_000, events: 50, intervalMs: 200, openingMs: 5_000 };
/** Limit of the additional delay of the latest event over the bare pipe. */
const SLOW_LATER_MS_MAX = 50;
/** Tool calls in one reply, and the limit of its time beyond its calls. */
const STEPS = 10;
const STEPS_MS_MAX = 10;
const TOOL_ROUNDS = 7;
const TOOL_WARM_UP_MS = 30_000;
const THREAD_WARM_UP = 3;
const TOOL_MODELS = ['tools-0', 'tools-1', `tools-${STEPS}`];
/** Limit of the event loop delay while threads work. */
const HELD_MS_MAX = 20;
/** The targets of the design, beside its figure (docs/contribute/performance.md). */
const TARGETS = {
  portkey: '≥ 3.5 in the median of five runs, ≥ 3.0 in each',
  nest: '≥ 0.75',
  cold: '≤ 2.5',
  nearly: '≤ 1.15',
  one: '≤ 1.25',
  eight: '≤ 2.5',
  faces: '≤ 1.15',
  books: { [LANES]: '≤ 25 %', [MORE_LANES]: '≤ 20 %' },
  stubbed: 'p50 < 1 ms, p99 < 3 ms, or those of bare Nest',
  strict: 'p50 < 3 ms, p99 < 8 ms',
  idle: '< 180 MiB',
  streams: '< 260 MiB',
};
const pacedModel = ({ events, intervalMs }) => `paced-${events}-${intervalMs}`;
const MODELS = ['whole', EMBEDDING, ONE, EIGHT, 'hold', pacedModel(PACED), pacedModel(SLOW), ...TOOL_MODELS];

const children = [];
// Ends all that was started, in any case.
process.once('exit', () => children.forEach(({ child }) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const keep = (system) => (children.push(system), system);
const started = new Map();
/** Starts each system when a part first uses it. */
function once(name, start) {
  return async () => {
    if (!started.has(name)) started.set(name, keep(await start()));
    return started.get(name);
  };
}

const databases = [];
let databaseServer;
let databaseUrl;
const upstream = once('upstream', startUpstream);
const upstreamUrl = async () => (await upstream()).url;
const fairlead = once('fairlead', async () => startFairlead(await upstreamUrl(), MODELS, databaseUrl));
const stubbed = once('stubbed', async () => startWithoutLedger(await upstreamUrl(), MODELS, databaseUrl));
const nest = once('nest', async () => startFloor('nest-floor.mjs', await upstreamUrl()));
const pipe = once('pipe', async () => startFloor('pipe-floor.mjs', await upstreamUrl()));
const portkey = once('portkey', async () => startPortkey(await upstreamUrl()));
const direct = async () => {
  const { url, child } = await upstream();
  return { url: `${url}/v1/messages`, headers: {}, model: (name) => name, child };
};

/** @returns seconds of load until the figures no longer decreased, or the maximum */
async function warmUp(system, name, options, secondsMax) {
  const windows = [];
  while (!isSettled(windows) && windows.length * WARM_UP_WINDOW_SECONDS < secondsMax)
    windows.push((await load(system, name, { ...options, seconds: WARM_UP_WINDOW_SECONDS })).cpuPerRequestUs);
  return windows.length * WARM_UP_WINDOW_SECONDS;
}

/**
 * Runs a load on each system in turn, in several rounds, after a warm-up of each. `times`: the CPU relative to that of
 * `floor` in the same round, the median of the rounds.
 */
async function compare(systems, name, { warmUpMax = NEXT_WARM_UP_SECONDS, ...options }, floor = 'fairlead') {
  const results = Object.fromEntries(Object.keys(systems).map((key) => [key, []]));
  for (const system of Object.values(systems)) await warmUp(system, name, options, warmUpMax);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [key, system] of Object.entries(systems)) results[key].push(await load(system, name, options));
  }
  return Object.fromEntries(
    Object.entries(results).map(([key, runs]) => [
      key,
      {
        perSecond: median(runs.map((run) => run.perSecond)),
        busy: median(runs.map((run) => run.busy)),
        cpuUs: median(runs.map((run) => run.cpuPerRequestUs)),
        times: median(runs.map((run, round) => run.cpuPerRequestUs / results[floor][round].cpuPerRequestUs)),
      },
    ]),
  );
}

/** The time of one small commit, in milliseconds. */
async function commitMs(url) {
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  await database.query('create table bench_commits (id int)');
  const times = [];
  for (let index = 0; index < 300; index++) {
    const began = performance.now();
    await database.query('insert into bench_commits values (1)');
    times.push(performance.now() - began);
  }
  await database.end();
  return median(times);
}

/** Inserts this many copies of an existing generation, spread over the last hour, each with its charge. */
async function addGenerations(url) {
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  for (const table of ['generations', 'ledger_entries']) {
    const id = table === 'generations' ? 'id' : 'generation_id';
    const { rows } = await database.query(
      `select column_name as name from information_schema.columns where table_name = $1 and column_name not in ('held_at', $2)`,
      [table, id],
    );
    const columns = rows.map(({ name }) => name).join();
    await database.query(
      `insert into ${table} (${id}, held_at, ${columns})
       select 'gen-bench-' || n, one.held_at - n * interval '36 milliseconds', ${columns}
       from generate_series(1, ${MANY}) as n, (select * from ${table} order by held_at desc limit 1) as one`,
    );
  }
  // Completes the work that the insertion leaves behind, which is not part of the measurement.
  await database.query('vacuum analyze');
  await database.query('checkpoint');
  await database.end();
}

function printLedgerShare(whole, lanes) {
  const share = 1 - whole['without ledger'].times;
  const more = 1 / whole['without ledger'].times - 1;
  console.log(
    `\nHold and settlement, ${lanes} at a time: ${figure(share * 100)} % of the CPU of a request, ${figure(more * 100)} % on top of one without them (${figure(whole.fairlead.cpuUs)} µs; target ${TARGETS.books[lanes]})`,
  );
}

/** Alternates like the other parts, so that the machine's own latency is the same for all. */
async function printAddedLatencies(systems) {
  const all = Object.entries({ direct: await direct(), ...systems });
  const times = Object.fromEntries(all.map(([name]) => [name, []]));
  for (const [, system] of all) await warmUp(system, 'whole', { lanes: 1, stream: false }, WARM_UP_SECONDS);
  for (let round = 0; round < LATENCY_ROUNDS; round++) {
    for (const [name, system] of all) {
      const run = await latencies(system, 'whole', 1500);
      times[name].push({ p50: percentile(run, 0.5), p99: percentile(run, 0.99) });
    }
  }
  const typical = (name, share) => median(times[name].map((run) => run[share]));
  for (const name of Object.keys(systems)) {
    const [p50, p99] = ['p50', 'p99'].map((share) => figure(typical(name, share) - typical('direct', share), 2));
    const target = { fairlead: TARGETS.strict, 'fairlead without ledger': TARGETS.stubbed }[name];
    const beside = target === undefined ? '' : ` (target ${target})`;
    console.log(`\nAdded latency of ${name}, one at a time: p50 ${p50} ms, p99 ${p99} ms${beside}`);
  }
}

const row = (...cells) => console.log(`| ${cells.join(' | ')} |`);
const figure = (value, digits = 1) => value.toFixed(digits);

/** CPU of an event of one of many concurrent streams, whose events come one by one. */
async function printPaced() {
  const systems = { fairlead: await fairlead(), pipe: await pipe() };
  const runs = { fairlead: [], pipe: [] };
  for (const system of Object.values(systems)) {
    // The few requests of a paced load would leave the compiler at work.
    await warmUp(system, ONE, { lanes: LANES, stream: true }, NEXT_WARM_UP_SECONDS);
    await pacedLoad(system, PACED);
  }
  for (let round = 0; round < PACED_ROUNDS; round++)
    for (const [name, system] of Object.entries(systems)) runs[name].push(await pacedLoad(system, PACED));
  const cpuUs = (name) => median(runs[name].map((run) => run.cpuUs));
  const times = median(runs.fairlead.map((run, round) => run.cpuUs / runs.pipe[round].cpuUs));
  console.log(
    `\n${PACED.streams} streams, an event each ${PACED.intervalMs} ms: ${figure(cpuUs('fairlead'), 2)} µs of CPU an event, ${figure(times, 2)} times the bare pipe's (${figure(cpuUs('pipe'), 2)} µs; limit ${PACED_TIMES_MAX})`,
  );
}

/** The delay of the latest event of very many slow streams. */
async function printLatest() {
  const systems = { fairlead: await fairlead(), pipe: await pipe() };
  const runs = { fairlead: [], pipe: [] };
  for (const system of Object.values(systems)) await pacedLoad(system, SLOW);
  for (let round = 0; round < PACED_ROUNDS; round++)
    for (const [name, system] of Object.entries(systems)) runs[name].push(await pacedLoad(system, SLOW));
  const latest = (name) => median(runs[name].map((run) => run.latestMs));
  const later = median(runs.fairlead.map((run, round) => run.latestMs - runs.pipe[round].latestMs));
  console.log(
    `\n${SLOW.streams.toLocaleString('en-US')} streams, an event each ${SLOW.intervalMs} ms: the latest event after ${figure(latest('fairlead'))} ms, ${figure(later)} ms later than through the bare pipe (${figure(latest('pipe'))} ms; limit ${SLOW_LATER_MS_MAX} ms)`,
  );
}

async function printWhole() {
  const systems = {
    fairlead: await fairlead(),
    'without ledger': await stubbed(),
    nest: await nest(),
    pipe: await pipe(),
    portkey: await portkey(),
  };
  const options = { lanes: LANES, seconds: SECONDS, stream: false, warmUpMax: WARM_UP_SECONDS };
  const whole = await compare(systems, 'whole', options);
  row('whole replies', 'requests/s', 'core busy', 'CPU µs a request', 'times the CPU of Fairlead');
  row('---', '---', '---', '---', '---');
  for (const [name, run] of Object.entries(whole)) {
    row(name, figure(run.perSecond, 0), `${figure(run.busy * 100, 0)} %`, figure(run.cpuUs), figure(run.times, 2));
  }
  console.log(
    `\n${figure(whole.portkey.times, 2)} times cheaper than Portkey (target ${TARGETS.portkey}); ${figure(whole.nest.times, 2)} of bare Nest (target ${TARGETS.nest})`,
  );
}

/** The cost of a start for the requests after it: each start is compared with a warm gateway in the same seconds. */
async function printCold() {
  const warm = await fairlead();
  const options = { lanes: LANES, stream: false };
  await warmUp(warm, 'whole', options, WARM_UP_SECONDS);
  const database = await makeDatabase(databaseServer, `fairlead_bench_cold_${process.pid}`);
  databases.push(database);
  const requests = (system, count) => loadRequests(system, 'whole', { ...options, requests: count });
  const runs = [];
  for (let round = 0; round <= COLD.starts; round++) {
    const cold = keep(await startFairlead(await upstreamUrl(), MODELS, database.url));
    const startSeconds = cpuSeconds(cold.child.pid);
    const first = await requests(cold, COLD.requests);
    await requests(cold, COLD.nearly - COLD.requests);
    const nearly = await requests(cold, COLD.window);
    cold.child.kill('SIGKILL');
    const whenWarm = await requests(warm, COLD.window);
    // The first start makes the tables.
    if (round > 0) runs.push({ startSeconds, first, firstTimes: first / whenWarm, nearlyTimes: nearly / whenWarm });
  }
  const middle = (key) => median(runs.map((run) => run[key]));
  console.log(
    `\nCold, ${COLD.starts} starts of ${figure(middle('startSeconds'), 2)} s of CPU: the first ${COLD.requests.toLocaleString('en-US')} requests ${figure(middle('first'))} µs each, ${figure(middle('firstTimes'), 2)} times a warm one (target ${TARGETS.cold}); after ${COLD.nearly.toLocaleString('en-US')} ${figure(middle('nearlyTimes'), 2)} times (target ${TARGETS.nearly})`,
  );
}

async function printLedger() {
  await ledgerShare(LANES, WARM_UP_SECONDS);
  await ledgerShare(MORE_LANES);
}

async function ledgerShare(lanes, warmUpMax) {
  const ledger = { fairlead: await fairlead(), 'without ledger': await stubbed() };
  printLedgerShare(await compare(ledger, 'whole', { lanes, seconds: SECONDS, stream: false, warmUpMax }), lanes);
}

async function printStreams() {
  const systems = { fairlead: await fairlead(), pipe: await pipe() };
  for (const [model, perWrite, target] of [
    [ONE, 1, TARGETS.one],
    [EIGHT, 8, TARGETS.eight],
  ]) {
    const streams = await compare(systems, model, { lanes: LANES, seconds: SECONDS, stream: true }, 'pipe');
    console.log();
    row(
      `streams, ${perWrite} event(s) a write`,
      'streams/s',
      'CPU µs an event',
      `times the CPU of the pipe (target ${target})`,
    );
    row('---', '---', '---', '---');
    for (const [name, run] of Object.entries(streams)) {
      row(name, figure(run.perSecond, 0), figure(run.cpuUs / EVENTS, 2), figure(run.times, 2));
    }
  }
}

async function printFaces() {
  const systems = {
    fairlead: await fairlead(),
    chat: chatFaceOf(await fairlead()),
    responses: responsesFaceOf(await fairlead()),
  };
  const embeddings = {
    fairlead: systems.fairlead,
    float: embeddingsOf(systems.fairlead, 'float'),
    base64: embeddingsOf(systems.fairlead, 'base64'),
  };
  const embedded = await compare(embeddings, 'whole', { lanes: LANES, seconds: SECONDS, stream: false });
  console.log(
    `\nAn embedding of 1,536 dimensions as base64; as numbers: ${figure(embedded.base64.times, 2)}; ${figure(embedded.float.times, 2)} times the CPU of messages (${figure(embedded.base64.cpuUs)}; ${figure(embedded.float.cpuUs)} µs; target ≤ 1)`,
  );
  for (const [label, model, stream] of [
    ['whole replies', 'whole', false],
    ['streams, 8 events a write', EIGHT, true],
  ]) {
    const faces = await compare(systems, model, { lanes: LANES, seconds: SECONDS, stream });
    console.log(
      `\nChat onto openai-chat, ${label}: ${figure(faces.chat.times, 2)} times the CPU of messages onto anthropic-messages (${figure(faces.chat.cpuUs)} and ${figure(faces.fairlead.cpuUs)} µs; target ${TARGETS.faces})`,
    );
    console.log(
      `Responses, ${label}: ${figure(faces.responses.times, 2)} times the CPU of messages (${figure(faces.responses.cpuUs)} µs; target ${TARGETS.faces})`,
    );
  }
}

async function printLatency() {
  await printAddedLatencies({
    fairlead: await fairlead(),
    'fairlead without ledger': await stubbed(),
    nest: await nest(),
  });
  if (databaseUrl)
    console.log(`\nThe database's own commit, from here: p50 ${figure(await commitMs(databaseUrl), 2)} ms`);
}

async function printMemory() {
  const system = await fairlead();
  await load(system, 'whole', { lanes: LANES, seconds: 10, stream: false });
  const loaded = residentMiB(system.child.pid);
  await pause(IDLE_MS);
  console.log(
    `\nMemory idle after a load: ${figure(residentMiB(system.child.pid), 0)} MiB (target ${TARGETS.idle}; ${figure(loaded, 0)} MiB at its end)`,
  );
  const { before, during } = await openStreams(system, 1000);
  console.log(
    `Memory with 1,000 open streams: ${figure(during, 0)} MiB (target ${TARGETS.streams}; ${figure(before, 0)} MiB before)`,
  );
}

async function printBodies() {
  const system = await fairlead();
  for (const [label, bytes, count, msMax] of [
    ['400 KB', 400_000, 100, 5],
    ['10 MB', 10_000_000, 40, 100],
  ]) {
    const small = await longestWaitsBeside(system, 500, count);
    const beside = await longestWaitsBeside(system, bytes, count);
    const printed = ({ median, worst }) => `median ${figure(median)} ms, worst of ${count} ${figure(worst)} ms`;
    console.log(`Beside a body of ${label}:`);
    console.log(
      `  longest wait for /health/live: ${printed(beside.waits)} (beside small ones ${printed(small.waits)})`,
    );
    console.log(
      `  longest delay of the event loop: ${printed(beside.lags)} (beside small ones ${printed(small.lags)}; target < ${msMax} ms)`,
    );
  }
}

async function printMany() {
  if (!databaseUrl) return;
  // Makes at least one generation to copy.
  await load(await fairlead(), 'whole', { lanes: 1, seconds: 1, stream: false });
  console.log(`\nWith ${MANY.toLocaleString('en-US')} generations more in the table:`);
  await addGenerations(databaseUrl);
  await ledgerShare(LANES);
  await ledgerShare(MORE_LANES);
  await printAddedLatencies({ fairlead: await fairlead() });
}

/**
 * The additional time of ten steps with an instant model and an instant tool, beside their ten calls, over a request
 * without steps; and the time of that request beyond its own call, as a measure of the machine's speed.
 */
async function printTools() {
  const system = await fairlead();
  const clock = { type: 'openrouter:datetime' };
  const ask = (steps) => useTool(system, `tools-${steps}`, clock, {});
  for (const end = performance.now() + TOOL_WARM_UP_MS; performance.now() < end;) await ask(STEPS);
  const added = [];
  const without = [];
  for (let round = 0; round < TOOL_ROUNDS; round++) {
    const calls = await latencies(await direct(), 'whole', 200);
    const times = [];
    const plain = [];
    // Alternates, so that slowdowns of the machine affect both.
    for (let count = 0; count < 50; count++) {
      times.push((await ask(STEPS)).ms);
      plain.push((await ask(0)).ms);
    }
    added.push(median(times) - median(plain) - STEPS * median(calls));
    without.push(median(plain) - median(calls));
  }
  const rounds = added.map((ms) => figure(ms, 2)).join(', ');
  console.log(
    `\nTen steps of an instant model and an instant tool: ${figure(median(added), 2)} ms more than their calls (${TOOL_ROUNDS} rounds: ${rounds}; limit ${STEPS_MS_MAX} ms); the request without them ${figure(median(without), 2)} ms`,
  );
}

/** How long the event loop is delayed while threads read and compute. */
async function printThreads() {
  const system = keep(await startWithTools(await upstreamUrl(), TOOL_MODELS, databaseUrl));
  console.log(`\nLongest delay of the event loop (limit ${HELD_MS_MAX} ms):`);
  for (const [what, tool, input] of await threadWork()) {
    const use = () => useTool(system, 'tools-1', tool, input);
    // Warm-up: the first uses include compilation.
    for (let count = 0; count < THREAD_WARM_UP; count++) await use();
    const { reply } = await use();
    const failure = reply.content.find(({ content }) => content?.error_code !== undefined)?.content.error_code;
    const lags = [];
    for (let round = 0; round < TOOL_ROUNDS; round++) lags.push(await lagDuring(system, use));
    const suffix = failure === undefined ? '' : ` (reported as ${failure})`;
    console.log(
      `  ${what}${suffix}: median ${figure(median(lags))} ms, worst of ${lags.length} ${figure(Math.max(...lags))} ms`,
    );
  }
}

async function threadWork() {
  const bash = { type: 'openrouter:bash', parameters: { engine: 'openrouter' } };
  const fetching = { type: 'openrouter:web_fetch', parameters: { max_content_tokens: 250_000 } };
  const page = async (name) => ({ url: `${await upstreamUrl()}/pages/${name}` });
  return [
    ['a session of 7 MB, written, run and stored', bash, { command: 'for i in 1 2 3 4 5 6 7; do printf "%01000000d" 1 > f$i; done; ls | wc -l' }],
    ['an endless loop', bash, { command: 'while true; do :; done' }],
    ['10 MB of text', fetching, await page('text')],
    ['10 MB of HTML', fetching, await page('html')],
    ['2 MB of HTML, as an article', fetching, await page('article')],
    ['20,000 nested elements', fetching, await page('nested')],
    ['a PDF of 10,000 pages', fetching, await page('pdf')],
  ]; // oxfmt-ignore
}

/** Parts of the bench, in the order of execution. */
const PARTS = {
  whole: printWhole,
  cold: printCold,
  ledger: printLedger,
  streams: printStreams,
  paced: printPaced,
  latest: printLatest,
  faces: printFaces,
  latency: printLatency,
  memory: printMemory,
  bodies: printBodies,
  tools: printTools,
  threads: printThreads,
  many: printMany,
};

/** The requested parts; all by default. */
function readParts() {
  const { values } = parseArgs({ options: { only: { type: 'string' }, help: { type: 'boolean' } } });
  const names = values.only?.split(',') ?? Object.keys(PARTS);
  const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
  if (!values.help && unknown === undefined) return names;
  console.log(`node bench/run.mjs [--only <part>,…]: ${Object.keys(PARTS).join(', ')}`);
  process.exit(values.help ? 0 : 2);
}

const parts = readParts();
try {
  databaseServer = await findServer();
  databases.push(await makeDatabase(databaseServer, `fairlead_bench_${process.pid}`));
  databaseUrl = databases[0].url;
  console.log(
    `Node ${process.version}, ${cpus().length} cores (${cpus()[0].model.trim()}), ${databaseUrl ? 'PostgreSQL' : 'embedded database'}, ${ROUNDS} rounds of ${SECONDS} s after ${WARM_UP_SECONDS} s at most of warming up, ${LANES} at a time\n`,
  );
  for (const [name, print] of Object.entries(PARTS)) if (parts.includes(name)) await print();
  const others = ['nest', 'portkey'].filter((name) => started.has(name));
  const memoryOf = (name) => `${name} ${figure(residentMiB(started.get(name).child.pid), 0)} MiB`;
  if (others.length > 0) console.log(`Memory of the others after their load: ${others.map(memoryOf).join(', ')}`);
} finally {
  for (const { child } of children) child.kill('SIGKILL');
  for (const { close } of children) close?.();
  for (const { drop } of databases) await drop();
}
