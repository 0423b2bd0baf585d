// `node bench/month-end.mjs` after a build: closes a month of STATEMENT_ENTRIES entries (a hundred thousand) of 2,000
// keys on PostgreSQL, or with BENCH_EMBEDDED on the embedded database, and prints for how long the event loop was held.
// CPU time of the process, because another one may take the core.
import {
  announce,
  complete,
  copyCorrectable,
  postSettled,
  summarize,
  waitForPostings,
  writeLines,
} from '../dist/ledger/month-end/close-month.js';
import { monthAfter } from '../dist/ledger/month-end/months.js';
import { findServer } from './database.mjs';
import { ACCOUNT, openFilled, writeGenerations } from './filled-ledger.mjs';

const ENTRIES = Number(process.env.STATEMENT_ENTRIES ?? 100_000);
const MONTH = new Date(Date.UTC(2026, 9));
const DAY_MS = 86_400_000;
const ms = (value = 0) => `${value.toFixed(1)} ms`;
const percentile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

async function fill(database) {
  await database.query(
    `INSERT INTO workspaces (id, account_id, name, slug)
     SELECT ('00000000-0000-7000-8000-0000000000' || lpad(n::text, 2, '0'))::uuid, '${ACCOUNT}', 'workspace ' || n, 'workspace-' || n
     FROM generate_series(0, 19) AS n`,
  );
  await database.query(
    `INSERT INTO api_keys (hash, account_id, workspace_id, kind, name, label, created_at)
     SELECT encode(sha256(n::text::bytea), 'hex'), '${ACCOUNT}', ('00000000-0000-7000-8000-0000000000' || lpad((n % 20)::text, 2, '0'))::uuid,
       'inference', 'key ' || n, 'key', '2026-10-01' FROM generate_series(0, 1999) AS n`,
  );
  await writeGenerations(database, 100_000_000, ENTRIES, MONTH.getTime(), 31 * DAY_MS - 1);
  await database.query(
    `INSERT INTO ledger_entries (held_at, generation_id, kind, account_id, workspace_id, key_hash, amount, byok_amount, entered_at)
     SELECT held_at, id, 'charge', account_id, workspace_id, key_hash, cost, 0, settled_at FROM generations WHERE account_id = '${ACCOUNT}'`,
  );
  await database.query('ANALYZE');
}

/** @returns how long each turn of the event loop computed while `work` ran, in milliseconds */
async function turnsOf(work) {
  const turns = [];
  let isOver = false;
  const cpu = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  let before = cpu();
  const turn = () => {
    const now = cpu();
    turns.push(now - before);
    before = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  return turns;
}

const { database, close } = await openFilled(0, await findServer());
try {
  await fill(database);
  const closing = { accountId: ACCOUNT, month: MONTH, by: 'bench', aheadMs: Date.UTC(2026, 11) - Date.now() };
  const steps = {
    'the settled are posted': () => postSettled(database, ACCOUNT, monthAfter(MONTH)),
    'the month is announced': () => database.transaction('READ COMMITTED', (manager) => announce(manager, closing)),
    'postings are waited for': () => database.transaction('READ COMMITTED', (manager) => waitForPostings(manager)),
    'recovered ones are copied': () => copyCorrectable(database, closing),
    'lines are written': () => writeLines(database, closing),
    'it is summed up and completed': async () => {
      const summary = await summarize(database, ACCOUNT, MONTH);
      await database.transaction('READ COMMITTED', (manager) => complete(manager, closing, summary));
    },
  };
  for (const [name, step] of Object.entries(steps)) {
    const began = performance.now();
    const turns = await turnsOf(step);
    console.log(
      `${name.padEnd(32)} ${ms(performance.now() - began)}; CPU of a turn p99 ${ms(percentile(turns, 0.99))}, at most ${ms(turns.reduce((most, turn) => Math.max(most, turn), 0))}`,
    );
  }
  const [row] = await database.query('SELECT hash, charges FROM statements');
  const [{ lines }] = await database.query('SELECT count(*) AS lines FROM statement_lines');
  console.log(`${ENTRIES} entries, ${lines} lines, ${row.charges} USD, ${row.hash.slice(0, 12)}`);
} finally {
  await close();
}
