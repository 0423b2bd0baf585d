// `npm run bench:holds`: eight replicas of the ledger share one PostgreSQL whose commits take 5 ms longer, and one
// capped key. Prints the wait for a hold, and whether the cap held exactly.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithParent } from '../scripts/end-with-parent.mjs';
import { newGenerationId } from '../dist/core/ids.js';
import { PICO_PER_USD } from '../dist/core/money/credits.js';
import { SystemClock } from '../dist/core/time.js';
import { LedgerRepository } from '../dist/ledger/ledger.repository.js';
import { Postings } from '../dist/ledger/postings.js';
import { LedgerService } from '../dist/ledger/ledger.service.js';
import { Statements } from '../dist/shared/database/statements.js';
import { Metrics } from '../dist/shared/telemetry/metrics.js';
import { percentile } from './measure.mjs';
import { startFairlead, startUpstream } from './systems.mjs';

endWithParent();

const pg = createRequire(new URL('../package.json', import.meta.url))('pg');

const REPLICAS = 8;
const LANES = Number(process.env.BENCH_LANES ?? 8);
const COMMIT_DELAY_US = 5_000;
/** Number of calls within the cap: each holds a cent and costs as much. */
const ROOM = Number(process.env.BENCH_ROOM ?? 8_000);
/** The total time-out of a call: none of these takes as long. */
const TOTAL_MS = 600_000;
const CENT = PICO_PER_USD / 100n;

const server = process.env.BENCH_SERVER ?? 'postgres://postgres@127.0.0.1:5432';
const name = `fairlead_bench_${process.pid}`;
const url = `${server}/${name}`;
const sql = (query) => execFileSync('psql', [`${server}/postgres`, '-qc', query]);
const folder = mkdtempSync(join(tmpdir(), 'fairlead-bench-'));
const clock = new SystemClock();
sql(`create database ${name}`);
sql(`alter database ${name} set commit_delay = ${COMMIT_DELAY_US}`);
sql(`alter database ${name} set commit_siblings = 0`);

const pools = [];
async function replica(index) {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pools.push(pool);
  // The same objects that the gateway makes; only the pool is smaller.
  const repository = new LedgerRepository(new Statements({ driver: { master: pool } }), clock);
  const postings = new Postings(repository);
  const environment = {
    dataDir: join(folder, String(index)), ledgerDurability: 'strict', timeouts: { totalMs: TOTAL_MS },
  }; // oxfmt-ignore
  const ledger = new LedgerService(repository, postings, { isReady: () => true }, environment, new Metrics(), clock);
  await ledger.onModuleInit();
  return { ledger, postings };
}

const rowOf = ({ id, heldAt }, { accountId, workspaceId, keyHash }) => ({
  id, held_at: heldAt, settled_at: heldAt, account_id: accountId, workspace_id: workspaceId, key_hash: keyHash, api_type: 'messages',
  requested_model: 'm', is_byok: false, streamed: false, outcome: 'completed', prompt_tokens: 1, completion_tokens: 1,
  reasoning_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0, cache_write_1h_tokens: 0, images: 0, web_searches: 0, web_fetches: 0,
  bound: '0.01', cost: '0.01', byok_cost: '0', prompt_cost: '0', completion_cost: '0.01', tools_cost: '0', operator_cost: '0',
  is_estimated: false, is_over_bound: false, is_recovered: false, is_corrected: false, attempts: [],
}); // oxfmt-ignore

const children = [];
// Ends all that was started, in any case.
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
try {
  // Makes the schema, an account and a key.
  const upstream = await startUpstream();
  children.push(upstream.child);
  const gateway = await startFairlead(upstream.url, ['whole'], url);
  gateway.child.kill('SIGKILL');
  gateway.close();
  const replicas = await Promise.all(Array.from({ length: REPLICAS }, (_, index) => replica(index)));
  const { rows } = await pools[0].query(
    `select a.id as "accountId", w.id as "workspaceId", k.hash as "keyHash" from accounts a, workspaces w, api_keys k where k.kind = 'inference'`,
  );
  const caller = rows[0];
  await pools[0].query('update api_keys set limit_usd = $1 where hash = $2', [ROOM / 100, caller.keyHash]);
  const waits = [];
  const settles = [];
  let granted = 0;
  let refused = 0;
  const timers = replicas.map(({ postings }) => setInterval(() => void postings.flush(), 100));
  const signal = new AbortController().signal;
  const lane = async ({ ledger }) => {
    for (let misses = 0; misses < 3;) {
      const request = {
        id: newGenerationId(Date.now()), caller, guardrails: [], model: 'm', bound: { credits: CENT, byok: 0n }, isFree: false,
      }; // oxfmt-ignore
      const began = performance.now();
      const outcome = await ledger.hold(request, signal);
      waits.push(performance.now() - began);
      if ('refused' in outcome) {
        refused++;
        misses++;
        continue;
      }
      granted++;
      const settling = performance.now();
      await ledger.settle(outcome.granted, rowOf(outcome.granted, caller));
      settles.push(performance.now() - settling);
    }
  };
  const began = performance.now();
  await Promise.all(replicas.flatMap((one) => Array.from({ length: LANES }, () => lane(one))));
  const seconds = (performance.now() - began) / 1000;
  for (const timer of timers) clearInterval(timer);
  for (const { postings } of replicas) await postings.flush();
  const counter = await pools[0].query(
    `select used, held from spending_windows where scope = 'key' and interval = 'lifetime'`,
  );
  const { used, held } = counter.rows[0];
  const show = (times) => [0.5, 0.99].map((share) => percentile(times, share).toFixed(2)).join(' / ');
  console.log(`${REPLICAS} replicas of ${LANES} lanes, commits ${COMMIT_DELAY_US / 1000} ms longer, one capped key:`);
  console.log(
    `hold p50 / p99 ${show(waits)} ms; settlement ${show(settles)} ms; ${(granted / seconds).toFixed(0)} pairs a second`,
  );
  console.log(`granted ${granted} of ${ROOM}, refused ${refused}; used ${used}, held ${held}`);
  if (granted !== ROOM || Number(used) !== ROOM / 100 || Number(held) !== 0) process.exitCode = 1;
} finally {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(pools.map((pool) => pool.end()));
  sql(`drop database if exists ${name} with (force)`);
  rmSync(folder, { recursive: true, force: true });
}
