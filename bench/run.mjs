// `npm run bench`: every system on the same machine, in one run, in turns; figures are medians, ratios come
// from this run alone. `node bench/run.mjs --only paced,memory` runs single parts and starts only what they
// need; `--help` lists them.
import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import {
  lagDuring,
  latencies,
  load,
  longestWaitsBeside,
  median,
  openStreams,
  percentile,
  residentMiB,
  useTool,
} from './measure.mjs';
import { pacedLoad } from './paced.mjs';
import {
  chatFaceOf,
  startFairlead,
  startFloor,
  startPortkey,
  startUpstream,
  startWithoutLedger,
  startWithTools,
} from './systems.mjs';

// The gateway's own driver: the bench has none.
const pg = createRequire(new URL('../package.json', import.meta.url))('pg');

// Many short rounds: a neighbour that takes the machine for some seconds then spoils a few of
// them, alike for all systems.
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 1.5);
/**
 * The compiler works on for so long under the first load, at some thousand requests a second; a service runs for weeks.
 */
const WARM_UP_SECONDS = Number(process.env.BENCH_WARM_UP ?? 30);
/** And for so long under another kind of load. */
const NEXT_WARM_UP_SECONDS = WARM_UP_SECONDS / 3;
const LATENCY_ROUNDS = 9;
const LANES = 32;
/** With more at a time more of them share a round trip, and a turn of the event loop. */
const MORE_LANES = 64;
/** Generations that make neither dearer. */
const MANY = 100_000;
const EVENTS = 400;
const ONE = `stream-${EVENTS}-1`;
const EIGHT = `stream-${EVENTS}-8`;
/** Streams as users have them: events one by one, many streams at a time. */
const PACED = { streams: 150, events: 500, intervalMs: 20, openingMs: 400 };
const PACED_ROUNDS = Number(process.env.BENCH_PACED_ROUNDS ?? 5);
/** CPU of an event, in times of the bare pipe's. */
const PACED_TIMES_MAX = 1.3;
const SLOW = { streams: 1_000, events: 50, intervalMs: 200, openingMs: 5_000 };
/** How much later than through the bare pipe the latest event may be. */
const SLOW_LATER_MS_MAX = 50;
/** Calls of a tool in one reply, and how much longer than its calls it may take. */
const STEPS = 10;
const STEPS_MS_MAX = 15;
const TOOL_ROUNDS = 7;
const THREAD_WARM_UP = 3;
const TOOL_MODELS = ['tools-0', 'tools-1', `tools-${STEPS}`];
/** How long threads' work may hold the event loop. */
const HELD_MS_MAX = 20;
const pacedModel = ({ events, intervalMs }) => `paced-${events}-${intervalMs}`;
const MODELS = ['whole', ONE, EIGHT, 'hold', pacedModel(PACED), pacedModel(SLOW), ...TOOL_MODELS];

const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => (socket.destroy(), resolve(true)));
    socket.on('error', () => resolve(false));
  });

/** A database of its own, when a PostgreSQL answers; else the embedded one. */
async function database() {
  if (process.env.DATABASE_URL) return process.env.DATABASE_URL;
  if (process.env.BENCH_EMBEDDED || !(await answers(5432))) return undefined;
  const name = `fairlead_bench_${process.pid}`;
  execFileSync('psql', ['-h', '127.0.0.1', '-U', 'postgres', '-qc', `create database ${name}`]);
  return `postgres://postgres@127.0.0.1:5432/${name}`;
}

const children = [];
const keep = (system) => (children.push(system), system);
const started = new Map();
/** Starts each system when a part first asks for it. */
function once(name, start) {
  return async () => {
    if (!started.has(name)) started.set(name, keep(await start()));
    return started.get(name);
  };
}

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

/**
 * Runs a load on each system in turn, several rounds, after a warm-up of each. `times`: the CPU of `floor` in the same
 * round, the median of the rounds.
 */
async function compare(systems, name, { warmUp = NEXT_WARM_UP_SECONDS, ...options }, floor = 'fairlead') {
  const results = Object.fromEntries(Object.keys(systems).map((key) => [key, []]));
  for (const system of Object.values(systems)) await load(system, name, { ...options, seconds: warmUp });
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

/** What one small commit takes, in milliseconds. */
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

/** As many copies of one that is there, spread over the last hour, each with its charge. */
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
  // What the insertion itself leaves to be done is no part of what is asked: how the table is with them in it.
  await database.query('vacuum analyze');
  await database.query('checkpoint');
  await database.end();
}

function printLedgerShare(whole, lanes) {
  const share = 1 - whole['without ledger'].times;
  const more = 1 / whole['without ledger'].times - 1;
  console.log(
    `\nHold and settlement, ${lanes} at a time: ${figure(share * 100)} % of the CPU of a request, ${figure(more * 100)} % on top of one without them (${figure(whole.fairlead.cpuUs)} µs)`,
  );
}

/** In turns, like the rest: what the machine adds by itself is then in all of them alike. */
async function printAddedLatencies(systems) {
  const all = Object.entries({ direct: await direct(), ...systems });
  const times = Object.fromEntries(all.map(([name]) => [name, []]));
  for (const [, system] of all) await load(system, 'whole', { lanes: 1, seconds: WARM_UP_SECONDS, stream: false });
  for (let round = 0; round < LATENCY_ROUNDS; round++) {
    for (const [name, system] of all) {
      const run = await latencies(system, 'whole', 1500);
      times[name].push({ p50: percentile(run, 0.5), p99: percentile(run, 0.99) });
    }
  }
  const typical = (name, share) => median(times[name].map((run) => run[share]));
  for (const name of Object.keys(systems)) {
    const [p50, p99] = ['p50', 'p99'].map((share) => figure(typical(name, share) - typical('direct', share), 2));
    console.log(`\nAdded latency of ${name}, one at a time: p50 ${p50} ms, p99 ${p99} ms`);
  }
}

const row = (...cells) => console.log(`| ${cells.join(' | ')} |`);
const figure = (value, digits = 1) => value.toFixed(digits);

/** CPU of an event whose stream is one of many, and comes by itself. */
async function printPaced() {
  const systems = { fairlead: await fairlead(), pipe: await pipe() };
  const runs = { fairlead: [], pipe: [] };
  for (const system of Object.values(systems)) {
    // So few requests would leave the compiler at work.
    await load(system, ONE, { lanes: LANES, seconds: NEXT_WARM_UP_SECONDS, stream: true });
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

/** How late the latest event of a great many slow streams is. */
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
  const options = { lanes: LANES, seconds: SECONDS, stream: false, warmUp: WARM_UP_SECONDS };
  const whole = await compare(systems, 'whole', options);
  row('whole replies', 'requests/s', 'core busy', 'CPU µs a request', 'times the CPU of Fairlead');
  row('---', '---', '---', '---', '---');
  for (const [name, run] of Object.entries(whole)) {
    row(name, figure(run.perSecond, 0), `${figure(run.busy * 100, 0)} %`, figure(run.cpuUs), figure(run.times, 2));
  }
}

async function printLedger() {
  await ledgerShare(LANES, WARM_UP_SECONDS);
  await ledgerShare(MORE_LANES);
}

async function ledgerShare(lanes, warmUp) {
  const ledger = { fairlead: await fairlead(), 'without ledger': await stubbed() };
  printLedgerShare(await compare(ledger, 'whole', { lanes, seconds: SECONDS, stream: false, warmUp }), lanes);
}

async function printStreams() {
  const systems = { fairlead: await fairlead(), pipe: await pipe() };
  for (const [model, perWrite] of [
    [ONE, 1],
    [EIGHT, 8],
  ]) {
    const streams = await compare(systems, model, { lanes: LANES, seconds: SECONDS, stream: true }, 'pipe');
    console.log();
    row(`streams, ${perWrite} event(s) a write`, 'streams/s', 'CPU µs an event', 'times the CPU of the pipe');
    row('---', '---', '---', '---');
    for (const [name, run] of Object.entries(streams)) {
      row(name, figure(run.perSecond, 0), figure(run.cpuUs / EVENTS, 2), figure(run.times, 2));
    }
  }
}

async function printFaces() {
  const systems = { fairlead: await fairlead(), chat: chatFaceOf(await fairlead()) };
  for (const [label, model, stream] of [
    ['whole replies', 'whole', false],
    ['streams, 8 events a write', EIGHT, true],
  ]) {
    const faces = await compare(systems, model, { lanes: LANES, seconds: SECONDS, stream });
    console.log(
      `\nChat onto openai-chat, ${label}: ${figure(faces.chat.times, 2)} times the CPU of messages onto anthropic-messages (${figure(faces.chat.cpuUs)} and ${figure(faces.fairlead.cpuUs)} µs)`,
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
  const memory = await openStreams(await fairlead(), 1000);
  console.log(
    `Memory with 1,000 open streams: ${figure(memory.during, 0)} MiB (${figure(memory.before, 0)} MiB before)`,
  );
}

async function printBodies() {
  const system = await fairlead();
  for (const [label, bytes, count] of [
    ['400 KB', 400_000, 100],
    ['10 MB', 10_000_000, 40],
  ]) {
    const small = await longestWaitsBeside(system, 500, count);
    const beside = await longestWaitsBeside(system, bytes, count);
    const tell = ({ median, worst }) => `median ${figure(median)} ms, worst of ${count} ${figure(worst)} ms`;
    console.log(`Beside a body of ${label}:`);
    console.log(`  longest wait for /health/live: ${tell(beside.waits)} (beside small ones ${tell(small.waits)})`);
    console.log(`  longest delay of the event loop: ${tell(beside.lags)} (beside small ones ${tell(small.lags)})`);
  }
}

async function printMany() {
  if (!databaseUrl) return;
  // One at least, to be copied.
  await load(await fairlead(), 'whole', { lanes: 1, seconds: 1, stream: false });
  console.log(`\nWith ${MANY.toLocaleString('en-US')} generations more in the table:`);
  await addGenerations(databaseUrl);
  await ledgerShare(LANES);
  await ledgerShare(MORE_LANES);
  await printAddedLatencies({ fairlead: await fairlead() });
}

/**
 * What ten steps of an instant model and an instant tool add to a request without any, beside their ten calls; and what
 * that request takes more than its own call, which tells the pace of the machine.
 */
async function printTools() {
  const system = await fairlead();
  const clock = { type: 'openrouter:datetime' };
  const ask = (steps) => useTool(system, `tools-${steps}`, clock, {});
  for (const end = performance.now() + WARM_UP_SECONDS * 1000; performance.now() < end;) await ask(STEPS);
  const added = [];
  const without = [];
  for (let round = 0; round < TOOL_ROUNDS; round++) {
    const calls = await latencies(await direct(), 'whole', 200);
    const times = [];
    const plain = [];
    // By turns: what slows the machine down slows down both.
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

/** How long the event loop is held while threads read and compute. */
async function printThreads() {
  const system = keep(await startWithTools(await upstreamUrl(), TOOL_MODELS, databaseUrl));
  console.log(`\nLongest delay of the event loop (limit ${HELD_MS_MAX} ms):`);
  for (const [what, tool, input] of await threadWork()) {
    const use = () => useTool(system, 'tools-1', tool, input);
    // The first ones are compiled on the way.
    for (let count = 0; count < THREAD_WARM_UP; count++) await use();
    const { reply } = await use();
    const failure = reply.content.find(({ content }) => content?.error_code !== undefined)?.content.error_code;
    const lags = [];
    for (let round = 0; round < TOOL_ROUNDS; round++) lags.push(await lagDuring(system, use));
    const told = failure === undefined ? '' : ` (told as ${failure})`;
    console.log(
      `  ${what}${told}: median ${figure(median(lags))} ms, worst of ${lags.length} ${figure(Math.max(...lags))} ms`,
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
  ]; // prettier-ignore
}

/** In the order they run. */
const PARTS = {
  whole: printWhole,
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

/** The parts that were asked for; all, unless some are named. */
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
  databaseUrl = await database();
  console.log(
    `Node ${process.version}, ${cpus().length} cores (${cpus()[0].model.trim()}), ${databaseUrl ? 'PostgreSQL' : 'embedded database'}, ${ROUNDS} rounds of ${SECONDS} s after ${WARM_UP_SECONDS} s, ${LANES} at a time\n`,
  );
  for (const [name, tell] of Object.entries(PARTS)) if (parts.includes(name)) await tell();
  const others = ['nest', 'portkey'].filter((name) => started.has(name));
  const memoryOf = (name) => `${name} ${figure(residentMiB(started.get(name).child.pid), 0)} MiB`;
  if (others.length > 0) console.log(`Memory of the others after their load: ${others.map(memoryOf).join(', ')}`);
} finally {
  for (const { child } of children) child.kill('SIGKILL');
  for (const { close } of children) close?.();
  if (databaseUrl && !process.env.DATABASE_URL) {
    execFileSync('psql', [
      '-h',
      '127.0.0.1',
      '-U',
      'postgres',
      '-qc',
      `drop database if exists fairlead_bench_${process.pid} with (force)`,
    ]);
  }
}
