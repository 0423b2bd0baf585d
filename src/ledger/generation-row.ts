import type { JsonObject } from '../core/json.js';

/** How a generation ended: `completed`, `caller-gone`, `recovered`, or the kind of the fault or error that ended it. */
export type GenerationOutcome = string;

/**
 * A row of `generations` as a settlement writes it: never content. Amounts are decimal USD, as texts; times ISO 8601; `*_tokens` as
 * they were charged, each token once (see `Usage`).
 */
export interface GenerationRow {
  readonly id: string;
  /** By the database's clock, when its hold was taken: its windows and its month. */
  readonly held_at: string;
  readonly settled_at: string;
  readonly account_id: string;
  readonly workspace_id: string;
  readonly key_hash: string;
  /** Whom the key was made for (`creator_user_id`). */
  readonly key_user: string | null;
  readonly api_type: 'messages' | 'chat';
  readonly requested_model: string;
  /** What answered; null where nothing did. */
  readonly model: string | null;
  readonly provider: string | null;
  readonly provider_name: string | null;
  /** The endpoint's tag. */
  readonly endpoint: string | null;
  readonly upstream_id: string | null;
  readonly service_tier: string | null;
  /** Id of the caller's own credential; null: the operator's. */
  readonly credential: string | null;
  readonly is_byok: boolean;
  readonly streamed: boolean;
  readonly outcome: GenerationOutcome;
  readonly finish_reason: string | null;
  readonly native_finish_reason: string | null;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly reasoning_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly cache_write_1h_tokens: number;
  readonly images: number;
  readonly web_searches: number;
  readonly web_fetches: number;
  /** What was held. */
  readonly bound: string;
  /** Charged to credits. */
  readonly cost: string;
  /** List price of what went through the caller's own credential. */
  readonly byok_cost: string;
  /** Parts of the list price. */
  readonly prompt_cost: string;
  readonly completion_cost: string;
  readonly tools_cost: string;
  /** What nobody is charged for: failed attempts, and usage no counter had room for. */
  readonly operator_cost: string;
  /** Id in `price_versions`; null where nothing was priced. */
  readonly price_version: string | null;
  readonly is_estimated: boolean;
  readonly is_over_bound: boolean;
  readonly is_recovered: boolean;
  readonly is_corrected: boolean;
  /** To the first telling event. */
  readonly latency_ms: number | null;
  readonly generation_ms: number | null;
  readonly session_id: string | null;
  readonly end_user: string | null;
  readonly trace: JsonObject | null;
  /** Calls in order: `{ provider, model, status, endpoint }`. */
  readonly attempts: readonly JsonObject[];
}
