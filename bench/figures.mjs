// `node bench/figures.mjs` after a build: how long sums of activity take, on PostgreSQL or with BENCH_EMBEDDED on the
// embedded database; how long their figures take to be written; and what both cost the database at 500 requests a
// second. Writes FIGURES_ROWS generations (a million; embedded a hundred thousand) into a separate database.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { findDimension } from '../dist/ledger/figures/dimensions.js';
import { readChunks } from '../dist/ledger/figures/figure-chunks.js';
import { FiguresRepository } from '../dist/ledger/figures/figures.repository.js';
import { RollUpRepository } from '../dist/ledger/figures/roll-up.repository.js';
import { RollUps } from '../dist/ledger/figures/roll-ups.js';
import { ACTIVITY_METRICS, shapeOf } from '../dist/ledger/activity/activity-view.js';
import { printRows } from '../dist/shared/http/row-export.js';
import { verifyLedger } from '../dist/ledger/verify/verify-ledger.js';
import { findServer } from './database.mjs';
import { ACCOUNT, openFilled, writeGenerations } from './filled-ledger.mjs';

const server = await findServer();
const ROWS = Number(process.env.FIGURES_ROWS ?? (server === undefined ? 100_000 : 1_000_000));
const ROUNDS = Number(process.env.FIGURES_ROUNDS ?? 12);
/** Generations of one hour, of which an hour at 500 a second has 1.8 million. */
const HOUR_ROWS = Number(process.env.FIGURES_HOUR ?? (server === undefined ? 2_000 : 180_000));
const PER_SECOND = 500;
/** How often an hour is written again, because a call settled late. */
const WRITTEN_AGAIN = 1;
/** A round of postings, and how many of them are measured. */
const POSTED = 50;
const POSTINGS = 200;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const percentile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
const ms = (value) => `${value.toFixed(1)} ms`;
const named = (names) => names.map((name) => findDimension(name, 'activity'));
const print = (label, times, more) =>
  console.log(`${label.padEnd(52)} p50 ${ms(percentile(times, 0.5))}, p95 ${ms(percentile(times, 0.95))}${more}`);

const query = (since, until, dimensions, more = {}) => ({
  accountId: ACCOUNT, since, until, dimensions: named(dimensions), metrics: ACTIVITY_METRICS, filters: [], order: [], limit: 1_000_000, ...more,
}); // oxfmt-ignore

/** The n-th month of the range, from the newest. */
const month = (number) => [Date.UTC(2026, 10 - (number % 12)), Date.UTC(2026, 11 - (number % 12))];

async function timed(label, read) {
  const times = [];
  let rows = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    rows = await read(round);
    times.push(performance.now() - began);
  }
  print(label, times, `, ${rows} rows`);
}

async function chunks(figures, given) {
  let rows = 0;
  for await (const chunk of readChunks(figures, given)) rows += chunk.length;
  return rows;
}

async function measureReads(figures, kind) {
  for (const groups of [['model', 'provider'], ['workspace', 'model'], ['key', 'model'], ['member', 'error_type'], []])
    await timed(`${kind}: a month by days, ${groups.join(' and ') || 'no groups'}`, (round) =>
      chunks(
        figures,
        query(...month(round), groups, { granularity: 'day', order: [{ field: 'date', isDescending: true }] }),
      ),
    );
  await timed(`${kind}: a day by hours, key and model`, (round) =>
    chunks(figures, query(month(round)[0], month(round)[0] + DAY_MS, ['key', 'model'], { granularity: 'hour' })),
  );
  await timed(`${kind}: a day by days, user`, (round) =>
    chunks(figures, query(month(round)[0], month(round)[0] + DAY_MS, ['user'], { granularity: 'day' })),
  );
}

async function measureLongReads(figures) {
  await timed(
    '13 months by weeks, model',
    async () =>
      (await figures.read(query(Date.UTC(2025, 10), Date.UTC(2026, 11), ['model'], { granularity: 'week' }))).length,
  );
  await timed(
    'a month, p90 of latency by model',
    async (round) => (await figures.read(query(...month(round), ['model'], { metrics: ['p90_latency'] }))).length,
  );
  await timed('a month, one user', async (round) =>
    (await figures.read(query(...month(round), [], { filters: [{ field: named(['user'])[0], operator: 'eq', values: ['user-300'], includesUnset: false, takesNames: false }] }))).length,
  ); // oxfmt-ignore
}

async function measureExport(figures) {
  const given = query(Date.UTC(2026, 10), Date.UTC(2026, 11), ['key', 'model'], { granularity: 'hour' });
  const { view, columns } = shapeOf(given.dimensions, true);
  async function* viewed() {
    for await (const chunk of readChunks(figures, given))
      for (let from = 0; from < chunk.length; from += 200) yield chunk.slice(from, from + 200).map(view);
  }
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let [rows, most] = [0, 0];
  const began = performance.now();
  for await (const piece of printRows('csv', columns, viewed())) {
    rows += piece.split('\n').length - 1;
    most = Math.max(most, process.memoryUsage().heapUsed);
    // Yields to the event loop between two pieces, which a socket also does.
    await new Promise((resolve) => setImmediate(resolve));
  }
  delay.disable();
  console.log(
    `csv of a month by hours, key and model: ${rows} rows, ${((performance.now() - began) / 1000).toFixed(1)} s, heap at most ${(most / 2 ** 20).toFixed(0)} MiB, ` +
      `delay of the event loop p99 ${ms(delay.percentile(99) / 1e6)}, at most ${ms(delay.max / 1e6)}`,
  );
}

/** The cost of an hour, and of noting changes, as shares of one connection of the database at 500 requests a second. */
async function measureShare(database, clock, repository) {
  const hour = Date.UTC(2026, 11, 1, 1);
  await database.query('SELECT ensure_month_1($1)', [new Date(hour).toISOString()]);
  await writeGenerations(database, 100_000_000, HOUR_ROWS, hour, HOUR_MS - 1);
  await database.query('ANALYZE generations');
  clock.aheadMs = hour + HOUR_MS + 20 * 60_000 - Date.now();
  const announced = await repository.announce();
  const step = { announced, after: new Date(0), hoursMax: 1 };
  const began = performance.now();
  while ((await repository.roll(step)).outcome === 'rolled');
  const rolled = performance.now() - began;
  const share = (rolled * ((PER_SECOND * 3600) / HOUR_ROWS) * (1 + WRITTEN_AGAIN)) / HOUR_MS;
  console.log(
    `an hour of ${HOUR_ROWS} generations: ${ms(rolled)}; at ${PER_SECOND} a second, written ${1 + WRITTEN_AGAIN} times: ${(share * 100).toFixed(2)} % of one connection`,
  );
  const times = { with: [], without: [] };
  for (let turn = 0; turn < POSTINGS; turn++)
    for (const kind of ['with', 'without']) {
      const ids = Array.from({ length: POSTED }, (_, index) => `bench-${kind}-${turn}-${index}`);
      await database.query(
        `INSERT INTO holds (generation_id, held_at, account_id, workspace_id, key_hash, key_interval, bound, byok_bound, cost, byok_cost)
         SELECT id, $2, '${ACCOUNT}', '${ACCOUNT}', lpad('1', 64, '0'), 'lifetime', 0, 0, 0.001, 0 FROM unnest($1::text[]) AS id`,
        [ids, new Date(hour + 2 * HOUR_MS).toISOString()],
      );
      await database.query(
        `ALTER TABLE holds ${kind === 'with' ? 'ENABLE' : 'DISABLE'} TRIGGER holds_mark_changed_hours`,
      );
      const posted = performance.now();
      await database.query('SELECT post_holds_2($1)', [ids]);
      times[kind].push(performance.now() - posted);
    }
  await database.query('ALTER TABLE holds ENABLE TRIGGER holds_mark_changed_hours');
  await database.query('DELETE FROM generations WHERE held_at >= $1', [new Date(hour).toISOString()]);
  const [noting, bare] = [percentile(times.with, 0.5), percentile(times.without, 0.5)];
  console.log(
    `a posting of ${POSTED} holds: ${ms(noting)} with, ${ms(bare)} without noting changes; ten a second: ${(((noting - bare) * 10) / 10).toFixed(2)} % of one connection`,
  );
}

const { database, close } = await openFilled(ROWS, server);
try {
  const clock = { aheadMs: Date.UTC(2026, 11, 1, 0, 20) - Date.now(), now: () => Date.now() };
  const figures = new FiguresRepository(database);
  const repository = new RollUpRepository(database, clock);
  if (process.env.FIGURES_BEFORE) await measureReads(figures, 'from rows');
  const began = performance.now();
  await new RollUps(repository).rollAll(0);
  console.log(`figures of ${ROWS} generations: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  await database.query('VACUUM ANALYZE generation_figures');
  const [size] = await database.query(
    `SELECT count(*) AS rows, pg_size_pretty(pg_total_relation_size('generation_figures')) AS bytes FROM generation_figures`,
  );
  console.log(`${size.rows} rows of figures, ${size.bytes}`);
  await measureReads(figures, 'from figures');
  await measureLongReads(figures);
  await measureExport(figures);
  if (process.env.FIGURES_VERIFY) {
    const started = performance.now();
    const { differences } = await verifyLedger(database);
    const found = differences.filter(({ what }) => what.startsWith('figures')).length;
    console.log(
      `ledger:verify: ${((performance.now() - started) / 1000).toFixed(0)} s, ${found} differences of figures`,
    );
  }
  if (server !== undefined) await measureShare(database, clock, repository);
} finally {
  await close();
}
