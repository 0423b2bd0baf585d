import type { EntitySchemaColumnOptions } from 'typeorm';
import type { UnifiedStop } from '../../core/conversation/event.js';
import type { EndingName } from '../../core/generation/ending.js';
import type { JsonObject } from '../../core/json/json.js';
import type { Tags } from '../../core/tags.js';

/** A column: how it is stored, and the types that a settlement writes and the driver reads. */
interface Column<Written, Read = Written> {
  readonly options: EntitySchemaColumnOptions;
  /** The value while nothing has been observed. */
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
/** The names of the interfaces by which generations are requested. */
export const API_TYPES = ['messages', 'chat', 'responses', 'embeddings', 'rerank'] as const;
const faceName: Column<(typeof API_TYPES)[number]> = { options: { type: 'text' }, nothing: 'messages' };
/** `running` while the generation runs; `recovered` where its replica died. */
const outcome: Column<EndingName | 'running' | 'recovered'> = { options: { type: 'text' }, nothing: 'running' };
const stop: Column<string, UnifiedStop> = { options: { type: 'text' }, nothing: '' };
const record: Column<JsonObject> = { options: { type: 'jsonb' }, nothing: {} };
const tags: Column<Tags> = { options: { type: 'jsonb' }, nothing: {} };
const records: Column<readonly JsonObject[]> = { options: { type: 'jsonb' }, nothing: [] };

const key = <Written, Read>({ options, nothing }: Column<Written, Read>): Column<Written, Read> => ({
  options: { ...options, primary: true },
  nothing,
});

/**
 * The columns of `generations`, never content. The statements, types and views derive from this list, and the table is
 * checked against it. Amounts are decimal USD, as strings; times are written as ISO 8601; `*_tokens` as they were
 * charged, each token once (see `Usage`).
 */
export const GENERATION_COLUMNS = {
  id: key(text),
  /** When its hold was taken, by the database's clock: decides its windows and its month. */
  held_at: key(moment),
  settled_at: moment,
  account_id: identity,
  workspace_id: identity,
  key_hash: text,
  /** The user that the key was made for (`creator_user_id`). */
  key_user: nullable(text),
  api_type: faceName,
  requested_model: text,
  /** The model that answered, or whose call the client abandoned; null where there is neither. */
  model: nullable(text),
  /** The provider of `model`; if the request failed, of its last call. Null where none was reached. */
  provider: nullable(text),
  provider_name: nullable(text),
  /** The tag of its endpoint. */
  endpoint: nullable(text),
  upstream_id: nullable(text),
  service_tier: nullable(text),
  /** Id of the caller's own credential; null: the operator's. */
  credential: nullable(text),
  is_byok: flag,
  streamed: flag,
  /** The end of the generation, a name of `ENDINGS`; `recovered` where its replica died. */
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
  /** The amount of the hold. */
  bound: usd,
  /** Charged to credits. */
  cost: usd,
  /** List price of what went through the caller's own credential. */
  byok_cost: usd,
  /** Parts of the list price. */
  prompt_cost: usd,
  completion_cost: usd,
  tools_cost: usd,
  /** The cost that no caller is charged for: failed attempts, and usage beyond the limits of all counters. */
  operator_cost: usd,
  /** Id in `price_versions`; null where nothing was priced. */
  price_version: nullable(text),
  is_estimated: flag,
  is_over_bound: flag,
  is_recovered: flag,
  is_corrected: flag,
  /** Milliseconds until the first committing event. */
  latency_ms: nullable(integer),
  generation_ms: nullable(integer),
  session_id: nullable(text),
  end_user: nullable(text),
  trace: nullable(record),
  /** Calls in order (`inference/billing/build-generation-row.ts`). */
  attempts: records,
  /** The results of all searches together; null where none was reported. */
  web_search_results: nullable(integer),
  /** The last search engine: one of the gateway's, or `native`; null where nothing was searched. */
  web_search_engine: nullable(text),
  /** The `request-id` header of the reply; null without an HTTP request, and for recovered generations. */
  request_id: nullable(identity),
  /** The API format of the endpoint that answered; null without an answer, and in rows of earlier releases. */
  dialect: nullable(text),
  /** Texts by name; null where it has none. */
  tags: nullable(tags),
  /** The model's name at its provider, as it was sent; null without `model`, and before there was this column. */
  upstream_model: nullable(text),
  /** The preset that completed the request. */
  preset_id: nullable(identity),
  /** The generation whose reply the response cache gave again. */
  response_cache_source_id: nullable(text),
} satisfies Columns;

type GenerationColumns = typeof GENERATION_COLUMNS;

/** A row of `generations` as a settlement writes it. */
export type WrittenGeneration = {
  readonly [Name in keyof GenerationColumns]: GenerationColumns[Name]['nothing'];
};

/** A row of `generations` as the driver reads it: `numeric` and `bigint` are strings. */
export type ReadGeneration = {
  readonly [Name in keyof GenerationColumns]: Exclude<GenerationColumns[Name]['read'], undefined>;
};

/** All tokens of the prompt, cached or not, of the row `g`. */
export const ALL_PROMPT_TOKENS = (['prompt', 'cache_read', 'cache_write', 'cache_write_1h'] as const)
  .map((kind): `g.${keyof GenerationColumns}` => `g.${kind}_tokens`)
  .join(' + ');
