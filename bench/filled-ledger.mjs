// A ledger of many generations for measurements: 13 months, 2,000 keys in 20 workspaces, each with three of 40 models.
// With BENCH_KEEP the database has that name, is filled only as far as it is not yet, and stays.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '../dist/core/secret.js';
import { openMigrated } from '../dist/shared/database/database.module.js';
import { DirectoryOpener } from '../dist/shared/database/embedded.js';
import { databaseOptions } from '../dist/shared/database/options.js';
import { makeDatabase } from './database.mjs';

export const ACCOUNT = '00000000-0000-7000-8000-000000000001';
/** The first moment, and the time from there to the last one. */
export const FIRST = Date.UTC(2025, 10, 1);
export const SPAN_MS = Date.UTC(2026, 11, 1) - FIRST;
const MONTHS = 13;
const SLICE = 100_000;

const FILL = `
  INSERT INTO generations (id, held_at, settled_at, account_id, workspace_id, key_hash, key_user, api_type, requested_model, model,
    provider, provider_name, endpoint, dialect, is_byok, streamed, outcome, finish_reason, prompt_tokens, completion_tokens, reasoning_tokens,
    cache_read_tokens, cache_write_tokens, cache_write_1h_tokens, images, web_searches, web_fetches, bound, cost, byok_cost, prompt_cost,
    completion_cost, tools_cost, operator_cost, is_estimated, is_over_bound, is_recovered, is_corrected, latency_ms, generation_ms,
    attempts, session_id, end_user, request_id)
  SELECT 'gen-' || floor(extract(epoch from at)) || '-' || lpad(n::text, 20, '0'), at, at, '${ACCOUNT}',
    ('00000000-0000-7000-8000-0000000000' || lpad((key % 20)::text, 2, '0'))::uuid, encode(sha256(key::text::bytea), 'hex'),
    'member-' || key % 50, 'messages', 'author/model-' || model, 'author/model-' || model, 'p' || provider, 'Provider ' || provider,
    'p' || provider, 'openai-chat', false, true, CASE WHEN n % 50 = 0 THEN 'provider-overloaded' ELSE 'completed' END, 'end-turn', 900, 200, 0, 0, 0, 0, 0, 0, 0, 0.05,
    (n % 10000) / 100000.0, 0, 0.01, 0.01, 0, 0, false, false, false, false, 300 + n % 700, 4000,
    '[{"provider": "Provider", "model": "author/model", "endpoint": "p", "status": 200, "started": 3, "took": 3990}]',
    CASE WHEN n % 4 = 0 THEN 'session-' || n / 40 END, CASE WHEN n % 3 = 0 THEN 'user-' || n % 5000 END, gen_random_uuid()
  FROM generate_series($1::int, $2::int - 1) AS n
  CROSS JOIN LATERAL (SELECT $3::timestamptz + (n - $6::int)::float8 / $4::float8 * $5::float8 * interval '1 millisecond' AS at, (hashint4(n) & 2147483647) % 2000 AS key) AS drawn
  CROSS JOIN LATERAL (SELECT (key * 7 + n % 3) % 40 AS model) AS chosen
  CROSS JOIN LATERAL (SELECT (model + CASE WHEN n % 5 = 0 THEN 1 ELSE 0 END) % 12 AS provider) AS routed`;

/** Writes that many generations, evenly over a range. @param from their first number */
export async function writeGenerations(database, from, count, first, spanMs) {
  for (let next = from; next < from + count; next += SLICE)
    await database.query(FILL, [
      next,
      Math.min(from + count, next + SLICE),
      new Date(first).toISOString(),
      count,
      spanMs,
      from,
    ]);
}

async function fill(database, rows) {
  await database.query(`INSERT INTO accounts (id, name) VALUES ('${ACCOUNT}', 'one') ON CONFLICT DO NOTHING`);
  for (let month = 0; month < MONTHS; month++)
    await database.query('SELECT ensure_month_1($1)', [new Date(Date.UTC(2025, 10 + month, 2)).toISOString()]);
  const [{ done }] = await database.query(
    `SELECT coalesce(max(right(id, 20)::bigint) + 1, 0)::int AS done FROM generations WHERE account_id = '${ACCOUNT}'
       AND held_at >= (SELECT max(held_at) FROM generations WHERE account_id = '${ACCOUNT}')`,
  );
  if (done >= rows) return;
  await database.query('SET synchronous_commit = off');
  for (let from = done; from < rows; from += SLICE)
    await database.query(FILL, [from, Math.min(rows, from + SLICE), new Date(FIRST).toISOString(), rows, SPAN_MS, 0]);
  await database.query(
    `INSERT INTO ledger_entries (held_at, generation_id, kind, account_id, workspace_id, key_hash, amount, byok_amount, entered_at)
     SELECT held_at, id, 'charge', account_id, workspace_id, key_hash, cost, 0, settled_at FROM generations
     WHERE account_id = '${ACCOUNT}' AND right(id, 20)::bigint % greatest(1, $1 / 1000000) = 0`,
    [rows],
  );
  await database.query('VACUUM ANALYZE generations');
  await database.query('VACUUM ANALYZE ledger_entries');
}

/**
 * Opens a database with that many generations, and a million ledger entries at most.
 * @param server address of a server; undefined: the embedded database
 * @returns its DataSource, its address, and a function that closes and drops it
 */
export async function openFilled(rows, server) {
  const kept = process.env.BENCH_KEEP;
  const name = kept ?? `fairlead_bench_${process.pid}`;
  const dataDir = mkdtempSync(join(tmpdir(), 'fairlead-bench-'));
  const opened = server === undefined ? await new DirectoryOpener().open(dataDir) : undefined;
  const made = await makeDatabase(server, name).catch((error) => {
    if (kept === undefined) throw error;
    return { url: new URL(`/${name}`, server).href, drop: async () => undefined };
  });
  const settings = { databasePool: 2, dataDir, ...(made.url && { databaseUrl: new Secret(made.url) }) };
  const database = await openMigrated({ ...databaseOptions(settings, opened), entities: [] });
  const close = async () => {
    if (database.isInitialized) await database.destroy();
    if (kept === undefined) await made.drop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await fill(database, rows);
  } catch (error) {
    await close();
    throw error;
  }
  return { database, url: made.url, close };
}
