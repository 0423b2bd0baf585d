// `npm run bench`: every system on the same machine, in one run, in turns; figures are medians, ratios come from this run alone.
import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { latencies, load, longestWaitsBeside, median, openStreams, percentile, residentMiB } from './measure.mjs';
import { chatFaceOf, startFairlead, startFloor, startPortkey, startUpstream, startWithoutBooks } from './systems.mjs';

// The gateway's own driver: the bench has none.
const pg = createRequire(new URL('../package.json', import.meta.url))('pg');

// Many short rounds: a neighbour that takes the machine for some seconds then spoils a few of them, alike for all systems.
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 1.5);
/** The compiler works on for so long under the first load, at some thousand requests a second; a service runs for weeks. */
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
const MODELS = ['whole', ONE, EIGHT, 'hold'];

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
const keep = (system) => (children.push(system.child), system);
const databaseUrl = await database();

const upstream = keep(await startUpstream());
const fairlead = keep(await startFairlead(upstream.url, MODELS, databaseUrl));
const stubbed = keep(await startWithoutBooks(upstream.url, MODELS, databaseUrl));
const nest = keep(await startFloor('nest-floor.mjs', upstream.url));
const pipe = keep(await startFloor('pipe-floor.mjs', upstream.url));
const portkey = keep(await startPortkey(upstream.url));
const direct = { url: `${upstream.url}/v1/messages`, headers: {}, model: (name) => name, child: upstream.child };

/**
 * Runs a load on each system in turn, several rounds, after a warm-up of each. `times`: the CPU of `floor` in the same round, the median of
 * the rounds.
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

function tellShareOfBooks(whole, lanes) {
  const share = 1 - whole['without books'].times;
  const more = 1 / whole['without books'].times - 1;
  console.log(
    `\nHold and settlement, ${lanes} at a time: ${figure(share * 100)} % of the CPU of a request, ${figure(more * 100)} % on top of one without them (${figure(whole.fairlead.cpuUs)} µs)`,
  );
}

/** In turns, like the rest: what the machine adds by itself is then in all of them alike. */
async function tellAddedLatencies(systems) {
  const all = Object.entries({ direct, ...systems });
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

try {
  console.log(
    `Node ${process.version}, ${cpus().length} cores (${cpus()[0].model.trim()}), ${databaseUrl ? 'PostgreSQL' : 'embedded database'}, ${ROUNDS} rounds of ${SECONDS} s after ${WARM_UP_SECONDS} s, ${LANES} at a time\n`,
  );

  const whole = await compare({ fairlead, 'without books': stubbed, nest, pipe, portkey }, 'whole', {
    lanes: LANES,
    seconds: SECONDS,
    stream: false,
    warmUp: WARM_UP_SECONDS,
  });
  row('whole replies', 'requests/s', 'core busy', 'CPU µs a request', 'times the CPU of Fairlead');
  row('---', '---', '---', '---', '---');
  for (const [name, run] of Object.entries(whole)) {
    row(name, figure(run.perSecond, 0), `${figure(run.busy * 100, 0)} %`, figure(run.cpuUs), figure(run.times, 2));
  }

  const books = { fairlead, 'without books': stubbed };
  const shareOfBooks = async (lanes) =>
    tellShareOfBooks(await compare(books, 'whole', { lanes, seconds: SECONDS, stream: false }), lanes);
  tellShareOfBooks(whole, LANES);
  await shareOfBooks(MORE_LANES);

  for (const [model, perWrite] of [
    [ONE, 1],
    [EIGHT, 8],
  ]) {
    const streams = await compare({ fairlead, pipe }, model, { lanes: LANES, seconds: SECONDS, stream: true }, 'pipe');
    console.log();
    row(`streams, ${perWrite} event(s) a write`, 'streams/s', 'CPU µs an event', 'times the CPU of the pipe');
    row('---', '---', '---', '---');
    for (const [name, run] of Object.entries(streams)) {
      row(name, figure(run.perSecond, 0), figure(run.cpuUs / EVENTS, 2), figure(run.times, 2));
    }
  }

  const chat = chatFaceOf(fairlead);
  for (const [label, model, stream] of [
    ['whole replies', 'whole', false],
    ['streams, 8 events a write', EIGHT, true],
  ]) {
    const faces = await compare({ fairlead, chat }, model, { lanes: LANES, seconds: SECONDS, stream });
    console.log(
      `\nChat onto openai-chat, ${label}: ${figure(faces.chat.times, 2)} times the CPU of messages onto anthropic-messages (${figure(faces.chat.cpuUs)} and ${figure(faces.fairlead.cpuUs)} µs)`,
    );
  }

  await tellAddedLatencies({ fairlead, 'fairlead without books': stubbed, nest });

  if (databaseUrl)
    console.log(`\nThe database's own commit, from here: p50 ${figure(await commitMs(databaseUrl), 2)} ms`);

  const memory = await openStreams(fairlead, 1000);
  console.log(
    `Memory with 1,000 open streams: ${figure(memory.during, 0)} MiB (${figure(memory.before, 0)} MiB before)`,
  );

  for (const [label, bytes, count] of [
    ['400 KB', 400_000, 100],
    ['10 MB', 10_000_000, 40],
  ]) {
    const small = await longestWaitsBeside(fairlead, 500, count);
    const beside = await longestWaitsBeside(fairlead, bytes, count);
    const tell = ({ median, worst }) => `median ${figure(median)} ms, worst of ${count} ${figure(worst)} ms`;
    console.log(`Beside a body of ${label}:`);
    console.log(`  longest wait for /health/live: ${tell(beside.waits)} (beside small ones ${tell(small.waits)})`);
    console.log(`  longest delay of the event loop: ${tell(beside.lags)} (beside small ones ${tell(small.lags)})`);
  }

  if (databaseUrl) {
    console.log(`\nWith ${MANY.toLocaleString('en-US')} generations more in the table:`);
    await addGenerations(databaseUrl);
    await shareOfBooks(LANES);
    await shareOfBooks(MORE_LANES);
    await tellAddedLatencies({ fairlead });
  }

  console.log(
    `Memory of the others after their load: nest ${figure(residentMiB(nest.child.pid), 0)} MiB, portkey ${figure(residentMiB(portkey.child.pid), 0)} MiB`,
  );
} finally {
  for (const child of children) child.kill('SIGKILL');
  fairlead.close();
  stubbed.close();
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
