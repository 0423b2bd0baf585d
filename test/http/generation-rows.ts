import type { DataSource } from 'typeorm';
import type { GenerationRow } from '../../src/ledger/generations/generation-row.js';

/** Whose a generation is. */
export type Owner = Pick<GenerationRow, 'account_id' | 'workspace_id' | 'key_hash'>;

/** A generation that was answered, with nothing unusual about it. */
export function generationRow(owner: Owner, changes: Partial<GenerationRow> = {}): GenerationRow {
  const heldAt = changes.held_at ?? new Date().toISOString();
  return {
    id: generationId(heldAt),
    held_at: heldAt,
    settled_at: heldAt,
    key_user: null,
    api_type: 'messages',
    requested_model: 'test/model',
    model: 'test/model',
    upstream_model: null,
    preset_id: null,
    response_cache_source_id: null,
    provider: 'p0',
    provider_name: 'Provider p0',
    endpoint: 'p0',
    upstream_id: null,
    service_tier: null,
    credential: null,
    is_byok: false,
    streamed: false,
    outcome: 'completed',
    finish_reason: 'end-turn',
    native_finish_reason: 'end_turn',
    prompt_tokens: 0,
    completion_tokens: 0,
    reasoning_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    cache_write_1h_tokens: 0,
    images: 0,
    web_searches: 0,
    web_fetches: 0,
    web_search_results: null,
    web_search_engine: null,
    bound: '0',
    cost: '0',
    byok_cost: '0',
    prompt_cost: '0',
    completion_cost: '0',
    tools_cost: '0',
    operator_cost: '0',
    price_version: null,
    is_estimated: false,
    is_over_bound: false,
    is_recovered: false,
    is_corrected: false,
    latency_ms: null,
    generation_ms: null,
    session_id: null,
    end_user: null,
    trace: null,
    tags: null,
    attempts: [],
    request_id: null,
    dialect: null,
    ...owner,
    ...changes,
  };
}

let made = 0;

/** An id as the gateway makes them, for a generation of that time. */
export function generationId(heldAt: string): string {
  return `gen-${Math.floor(Date.parse(heldAt) / 1000)}-${String(++made).padStart(20, 'Aa0')}`;
}

/** Enters generations and moves the counters for them, as the ledger does. */
export async function settle(store: DataSource, ...rows: readonly GenerationRow[]): Promise<void> {
  for (const { held_at } of rows) await store.query('select ensure_month_1($1)', [held_at]);
  await store.query('select settle_generations_2($1)', [JSON.stringify(rows)]);
  await store.query('select post_holds_2($1)', [rows.map(({ id }) => id)]);
}

/** Another account, with a workspace and a key that is never used. */
export async function addStrangers(store: DataSource): Promise<Owner> {
  const [account] = await store.query<{ id: string }[]>(
    `insert into accounts (id, name) values (gen_random_uuid(), 'theirs') returning id`,
  );
  return addKey(store, account!.id);
}

/** A key of an account, in a separate workspace. */
export async function addKey(store: DataSource, accountId: string): Promise<Owner> {
  const [workspace] = await store.query<{ id: string }[]>(
    `insert into workspaces (id, account_id, name, slug)
     select id, $1, 'further', id::text from gen_random_uuid() as id returning id`,
    [accountId],
  );
  const [key] = await store.query<{ hash: string }[]>(
    `insert into api_keys (hash, account_id, workspace_id, kind, name, label, created_at)
     select encode(sha256(gen_random_uuid()::text::bytea), 'hex'), $1, $2, 'inference', 'further', 'further', now()
     returning hash`,
    [accountId, workspace!.id],
  );
  return { account_id: accountId, workspace_id: workspace!.id, key_hash: key!.hash };
}

/** Whose the generations of a key are that the gateway knows. */
export async function ownerOf(store: DataSource, keyHash: string): Promise<Owner> {
  const [key] = await store.query<Owner[]>(
    'select account_id, workspace_id, hash as key_hash from api_keys where hash = $1',
    [keyHash],
  );
  return key!;
}
