// `npm run bench`: every system on the same machine, in one run, in turns; figures are medians, ratios come from this run alone.
import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import { cpus } from 'node:os';
import { latencies, load, longestWaitBeside, median, openStreams, percentile, residentMiB } from './measure.mjs';
import { startFairlead, startFloor, startPortkey, startUpstream } from './systems.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const LANES = 32;
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
const nest = keep(await startFloor('nest-floor.mjs', upstream.url));
const pipe = keep(await startFloor('pipe-floor.mjs', upstream.url));
const portkey = keep(await startPortkey(upstream.url));
const direct = { url: `${upstream.url}/v1/messages`, headers: {}, model: (name) => name, child: upstream.child };

/** Runs a load on each system in turn, several rounds, after a warm-up of each. */
async function compare(systems, name, options) {
  const results = Object.fromEntries(Object.keys(systems).map((key) => [key, []]));
  for (const system of Object.values(systems)) await load(system, name, { ...options, seconds: 2 });
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
      },
    ]),
  );
}

const row = (...cells) => console.log(`| ${cells.join(' | ')} |`);
const figure = (value, digits = 1) => value.toFixed(digits);

try {
  console.log(
    `Node ${process.version}, ${cpus().length} cores (${cpus()[0].model.trim()}), ${databaseUrl ? 'PostgreSQL' : 'embedded database'}, ${ROUNDS} rounds of ${SECONDS} s, ${LANES} at a time\n`,
  );

  const whole = await compare({ fairlead, nest, pipe, portkey }, 'whole', {
    lanes: LANES,
    seconds: SECONDS,
    stream: false,
  });
  row('whole replies', 'requests/s', 'core busy', 'CPU µs a request', 'times the CPU of Fairlead');
  row('---', '---', '---', '---', '---');
  for (const [name, run] of Object.entries(whole)) {
    row(
      name,
      figure(run.perSecond, 0),
      `${figure(run.busy * 100, 0)} %`,
      figure(run.cpuUs),
      figure(run.cpuUs / whole.fairlead.cpuUs, 2),
    );
  }

  for (const [model, perWrite] of [
    [ONE, 1],
    [EIGHT, 8],
  ]) {
    const streams = await compare({ fairlead, pipe }, model, { lanes: LANES, seconds: SECONDS, stream: true });
    console.log();
    row(`streams, ${perWrite} event(s) a write`, 'streams/s', 'CPU µs an event', 'times the CPU of the pipe');
    row('---', '---', '---', '---');
    for (const [name, run] of Object.entries(streams)) {
      row(name, figure(run.perSecond, 0), figure(run.cpuUs / EVENTS, 2), figure(run.cpuUs / streams.pipe.cpuUs, 2));
    }
  }

  const base = await latencies(direct, 'whole', 2000);
  const added = await latencies(fairlead, 'whole', 2000);
  console.log(
    `\nAdded latency, one at a time: p50 ${figure(percentile(added, 0.5) - percentile(base, 0.5), 2)} ms, p99 ${figure(percentile(added, 0.99) - percentile(base, 0.99), 2)} ms`,
  );

  for (const [label, bytes, count] of [
    ['400 KB', 400_000, 40],
    ['10 MB', 10_000_000, 8],
  ]) {
    const beside = await longestWaitBeside(fairlead, bytes, count);
    console.log(`Longest wait for /health/live beside bodies of ${label}: ${figure(beside)} ms`);
  }

  const memory = await openStreams(fairlead, 1000);
  console.log(
    `Memory with 1,000 open streams: ${figure(memory.during, 0)} MiB (${figure(memory.before, 0)} MiB before)`,
  );
  console.log(
    `Memory of the others after their load: nest ${figure(residentMiB(nest.child.pid), 0)} MiB, portkey ${figure(residentMiB(portkey.child.pid), 0)} MiB`,
  );
} finally {
  for (const child of children) child.kill('SIGKILL');
  fairlead.close();
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
