import type { EntitySchemaColumnOptions } from 'typeorm';
import type { UnifiedStop } from '../core/conversation/event.js';
import type { EndingName } from '../core/generation/ending.js';
import type { JsonObject } from '../core/json/json.js';

/** A column: how it is stored, and the types in which a settlement writes it and the driver reads it. */
interface Column<Written, Read = Written> {
  readonly options: EntitySchemaColumnOptions;
  /** What stands there of a generation of which nothing is known. */
  readonly nothing: Written;
  /** A type only. */
  readonly read?: Read;
}

/** The columns by name. */
type Columns = Readonly<Record<string, Column<unknown>>>;

const nullable = <Written, Read>({ options }: Column<Written, Read>): Column<Written | null, Read | null> => ({
  options: { ...options, nullable: true },
  nothing: null,
});

const text: Column<string> = { options: { type: 'text' }, nothing: '' };
const identity: Column<string> = { options: { type: 'uuid' }, nothing: '' };
const moment: Column<string, Date> = {
  options: { type: 'timestamptz', precision: 3 },
  nothing: new Date(0).toISOString(),
};
const flag: Column<boolean> = { options: { type: 'boolean' }, nothing: false };
const integer: Column<number> = { options: { type: 'integer' }, nothing: 0 };
const tokens: Column<number, string> = { options: { type: 'bigint' }, nothing: 0 };
const usd: Column<string> = { options: { type: 'numeric', precision: 38, scale: 12 }, nothing: '0' };
const faceName: Column<'messages' | 'chat'> = { options: { type: 'text' }, nothing: 'messages' };
/** `running` while it is under way; `recovered` where its replica died. */
const outcome: Column<EndingName | 'running' | 'recovered'> = { options: { type: 'text' }, nothing: 'running' };
const stop: Column<string, UnifiedStop> = { options: { type: 'text' }, nothing: '' };
const record: Column<JsonObject> = { options: { type: 'jsonb' }, nothing: {} };
const records: Column<readonly JsonObject[]> = { options: { type: 'jsonb' }, nothing: [] };

const key = <Written, Read>({ options, nothing }: Column<Written, Read>): Column<Written, Read> => ({
  options: { ...options, primary: true },
  nothing,
});

/**
 * The columns of `generations`, never content: what every statement, type and view has of them comes from here, and the
 * table is held to it. Amounts are decimal USD, as texts; times ISO 8601 where they are written; `*_tokens` as they
 * were charged, each token once (see `Usage`).
 */
export const GENERATION_COLUMNS = {
  id: key(text),
  /** By the database's clock, when its hold was taken: its windows and its month. */
  held_at: key(moment),
  settled_at: moment,
  account_id: identity,
  workspace_id: identity,
  key_hash: text,
  /** Whom the key was made for (`creator_user_id`). */
  key_user: nullable(text),
  api_type: faceName,
  requested_model: text,
  /** What answered, or what its caller left; null where neither did. */
  model: nullable(text),
  provider: nullable(text),
  provider_name: nullable(text),
  /** The endpoint's tag. */
  endpoint: nullable(text),
  upstream_id: nullable(text),
  service_tier: nullable(text),
  /** Id of the caller's own credential; null: the operator's. */
  credential: nullable(text),
  is_byok: flag,
  streamed: flag,
  /** How it ended, by the names of `ENDINGS`; `recovered` where its replica died. */
  outcome,
  finish_reason: nullable(stop),
  native_finish_reason: nullable(text),
  prompt_tokens: tokens,
  completion_tokens: tokens,
  reasoning_tokens: tokens,
  cache_read_tokens: tokens,
  cache_write_tokens: tokens,
  cache_write_1h_tokens: tokens,
  images: integer,
  web_searches: integer,
  web_fetches: integer,
  /** What was held. */
  bound: usd,
  /** Charged to credits. */
  cost: usd,
  /** List price of what went through the caller's own credential. */
  byok_cost: usd,
  /** Parts of the list price. */
  prompt_cost: usd,
  completion_cost: usd,
  tools_cost: usd,
  /** What nobody is charged for: failed attempts, and usage no counter had room for. */
  operator_cost: usd,
  /** Id in `price_versions`; null where nothing was priced. */
  price_version: nullable(text),
  is_estimated: flag,
  is_over_bound: flag,
  is_recovered: flag,
  is_corrected: flag,
  /** To the first committing event. */
  latency_ms: nullable(integer),
  generation_ms: nullable(integer),
  session_id: nullable(text),
  end_user: nullable(text),
  trace: nullable(record),
  /** Calls in order: `{ provider, model, status, endpoint }`. */
  attempts: records,
  /** Of all searches together; null where nobody told. */
  web_search_results: nullable(integer),
  /** Who searched last: an engine of the gateway's, or `native`; null where nobody did. */
  web_search_engine: nullable(text),
  /** The `request-id` header of the reply; null of what came by no HTTP request, and of what a replica left. */
  request_id: nullable(identity),
} satisfies Columns;

type GenerationColumns = typeof GENERATION_COLUMNS;

/** A row of `generations` as a settlement writes it. */
export type WrittenGeneration = {
  readonly [Name in keyof GenerationColumns]: GenerationColumns[Name]['nothing'];
};

/** A row of `generations` as the driver reads it: `numeric` and `bigint` are texts. */
export type ReadGeneration = {
  readonly [Name in keyof GenerationColumns]: Exclude<GenerationColumns[Name]['read'], undefined>;
};

/** All tokens of the prompt, cached or not, of the row `g`. */
export const ALL_PROMPT_TOKENS = (['prompt', 'cache_read', 'cache_write', 'cache_write_1h'] as const)
  .map((kind): `g.${keyof GenerationColumns}` => `g.${kind}_tokens`)
  .join(' + ');
