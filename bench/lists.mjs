// `node bench/lists.mjs` after a build: how long pages of lists take on PostgreSQL, an export, and what their indexes
// cost a settlement. Writes LISTS_ROWS generations (a million) of 13 months and 2,000 keys into a separate database,
// which it drops; with BENCH_EMBEDDED into an embedded one (a hundred thousand).
import { createRequire } from 'node:module';
import { viewRecord, RECORD_COLUMNS } from '../dist/ledger/generations/generation-view.js';
import { CreditEntriesRepository } from '../dist/ledger/credits/credit-entries.repository.js';
import { GenerationListRepository } from '../dist/ledger/generations/generation-list.repository.js';
import { readAll, readPage } from '../dist/ledger/keyset-lists.js';
import { printRows } from '../dist/shared/http/row-export.js';
import { findServer } from './database.mjs';
import { ACCOUNT, FIRST, openFilled, SPAN_MS } from './filled-ledger.mjs';
import { threadMs } from './thread-ms.mjs';

const server = await findServer();
const ROWS = Number(process.env.LISTS_ROWS ?? (server === undefined ? 100_000 : 1_000_000));
const PAGES = Number(process.env.LISTS_PAGES ?? 60);
/** Share of the rows that is exported, the newest. */
const EXPORTED = Number(process.env.LISTS_EXPORTED ?? 1);
/** Settlements of one statement, and statements of each kind. */
const BATCH = 8;
const STATEMENTS = 300;

const percentile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
const ms = (value) => `${value.toFixed(1)} ms`;

async function pages(label, read) {
  const times = [];
  let rows = 0;
  for (let page = 0; page < PAGES; page++) {
    // Deterministic places, from the newest on.
    const after =
      page === 0 ? undefined : { at: new Date(FIRST + SPAN_MS * (1 - ((page * 7) % PAGES) / PAGES)), id: 'gen' };
    const began = performance.now();
    rows += (await readPage(read, after, 100)).rows.length;
    times.push(performance.now() - began);
  }
  console.log(
    `${label.padEnd(34)} p50 ${ms(percentile(times, 0.5))}, p95 ${ms(percentile(times, 0.95))}, ${Math.round(rows / PAGES)} rows a page`,
  );
}

async function measurePages(database) {
  const generations = new GenerationListRepository(database);
  const entries = new CreditEntriesRepository(database);
  const [{ key_hash: keyHash }] = await database.query('SELECT key_hash FROM generations LIMIT 1');
  const range = { from: new Date(FIRST), to: new Date(FIRST + SPAN_MS) };
  const filters = {
    none: {},
    key: { keyHash },
    session_id: { sessionId: 'session-1000' },
    user: { user: 'user-300' },
    workspace_id: { workspaceId: '00000000-0000-7000-8000-000000000003' },
    'status (failures)': { outcomes: ['provider-overloaded'] },
    'status, of which there is none': { outcomes: ['provider-timed-out'] },
    'from, model': { ...range, model: 'author/model-7' },
    'from, provider': { ...range, provider: 'p3' },
    'from, member': { ...range, member: 'member-3' },
    'from, min_cost (0.1 %)': { ...range, minCost: 99_900_000_000n },
    'from, a model that there is not': { ...range, model: 'none' },
    'key, model, min_cost': { keyHash, model: 'author/model-7', minCost: 50_000_000_000n },
  };
  for (const [label, filter] of Object.entries(filters))
    await pages(label, (after, limit) => generations.read({ accountId: ACCOUNT, ...filter }, after, limit));
  for (const [label, filter] of Object.entries({
    entries: {},
    'entries, kind=correction': { kind: 'correction' },
    'entries, from, workspace_id': { ...range, workspaceId: '00000000-0000-7000-8000-000000000003' },
  }))
    await pages(label, (after, limit) => entries.read({ accountId: ACCOUNT, ...filter }, after, limit));
}

async function measureExport(database) {
  const generations = new GenerationListRepository(database);
  const from = new Date(FIRST + SPAN_MS * (1 - EXPORTED));
  // CPU time of the loop's thread, because another process may take the core, and the collector has threads of its own:
  // how long a batch keeps the event loop busy.
  const busy = [];
  let before = threadMs();
  const began = performance.now();
  let bytes = 0;
  let most = 0;
  async function* viewed() {
    const all = readAll((after, limit) => generations.read({ accountId: ACCOUNT, from }, after, limit), undefined);
    for await (const rows of all) yield rows.map(viewRecord);
  }
  for await (const piece of printRows('csv', RECORD_COLUMNS, viewed())) {
    busy.push(threadMs() - before);
    before = threadMs();
    bytes += piece.length;
    most = Math.max(most, process.memoryUsage().heapUsed);
  }
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `csv of ${Math.round(ROWS * EXPORTED)} rows: ${seconds.toFixed(0)} s, ${(bytes / 2 ** 20).toFixed(0)} MiB, heap at most ${(most / 2 ** 20).toFixed(0)} MiB; ` +
      `CPU of a batch p50 ${ms(percentile(busy, 0.5))}, p99 ${ms(percentile(busy, 0.99))}, at most ${ms(Math.max(...busy))}`,
  );
}

let settled = 0;
const settlements = () =>
  Array.from({ length: BATCH }, () => {
    const at = new Date(FIRST + SPAN_MS - 1_000_000 + settled * 10).toISOString();
    settled++;
    return {
      id: `gen-1-${String(settled).padStart(20, '0')}`, held_at: at, settled_at: at, account_id: ACCOUNT, workspace_id: '00000000-0000-7000-8000-000000000003',
      key_hash: String(settled % 2_000).padStart(64, '0'), api_type: 'messages', requested_model: 'm', model: 'm', is_byok: false, streamed: false,
      outcome: 'completed', prompt_tokens: 1, completion_tokens: 1, reasoning_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0,
      cache_write_1h_tokens: 0, images: 0, web_searches: 0, web_fetches: 0, bound: '0.01', cost: '0.01', byok_cost: '0', prompt_cost: '0',
      completion_cost: '0.01', tools_cost: '0', operator_cost: '0', is_estimated: false, is_over_bound: false, is_recovered: false,
      is_corrected: false, attempts: [], session_id: process.env.LISTS_PLAIN ? null : `s-${settled}`, end_user: process.env.LISTS_PLAIN ? null : `u-${settled % 5_000}`,
    };
  }); // oxfmt-ignore

/** Alternately, so that whatever else the machine does meets both alike. */
async function measureSettlements(databases) {
  const times = { with: [], without: [] };
  for (const database of Object.values(databases)) await database.query('SET synchronous_commit = off');
  for (let turn = 0; turn < STATEMENTS; turn++)
    for (const [kind, database] of Object.entries(databases)) {
      const rows = JSON.stringify(settlements());
      const began = performance.now();
      await database.query('SELECT settle_generations_2($1)', [rows]);
      times[kind].push(performance.now() - began);
    }
  const figures = Object.entries(times).map(
    ([kind, list]) => `${kind} the indexes p50 ${ms(percentile(list, 0.5))}, p25 ${ms(percentile(list, 0.25))}`,
  );
  console.log(`a statement of ${BATCH} settlements: ${figures.join('; ')}`);
}

/** Beside a copy of the database without the indexes of lists. */
async function measureIndexes({ database, url }) {
  const pg = createRequire(new URL('../package.json', import.meta.url))('pg');
  const name = `fairlead_bare_${process.pid}`;
  const administration = new pg.Client({ connectionString: server });
  await administration.connect();
  await database.destroy();
  await administration.query(`create database ${name} template ${new URL(url).pathname.slice(1)}`);
  const clients = { with: url, without: new URL(`/${name}`, url).href };
  const opened = {};
  try {
    for (const [kind, connectionString] of Object.entries(clients)) {
      opened[kind] = new pg.Client({ connectionString });
      await opened[kind].connect();
    }
    for (const index of [
      'generations_by_key',
      'generations_by_workspace',
      'generations_by_session',
      'generations_by_user',
      'generations_by_outcome',
      'ledger_entries_newest',
      'ledger_entries_corrections',
    ])
      await opened.without.query(`DROP INDEX ${index}`);
    await measureSettlements(opened);
  } finally {
    for (const client of Object.values(opened)) await client.end();
    await administration.query(`drop database if exists ${name} with (force)`);
    await administration.end();
  }
}

const filled = await openFilled(ROWS, server);
try {
  await measurePages(filled.database);
  await measureExport(filled.database);
  // A copy of more takes too long.
  if (server !== undefined && ROWS <= 1_000_000) await measureIndexes(filled);
} finally {
  await filled.close();
}
