import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../core/caller.js';
import type { UnifiedStop } from '../core/conversation/event.js';
import type { JsonObject } from '../core/json.js';

/** A settled generation as it is shown. `numeric` and `bigint` are texts, as the driver gives them. */
export interface StoredGeneration {
  readonly id: string;
  readonly held_at: Date;
  readonly workspace_id: string;
  readonly requested_model: string;
  readonly model: string | null;
  readonly provider_name: string | null;
  readonly upstream_id: string | null;
  readonly service_tier: string | null;
  readonly is_byok: boolean;
  readonly streamed: boolean;
  readonly outcome: string;
  readonly finish_reason: UnifiedStop | null;
  readonly native_finish_reason: string | null;
  /** Cached or not. */
  readonly prompt_tokens: string;
  readonly completion_tokens: string;
  readonly reasoning_tokens: string;
  readonly cache_read_tokens: string;
  readonly images: number;
  readonly web_searches: number;
  readonly web_fetches: number;
  readonly cost: string;
  readonly byok_cost: string;
  readonly is_estimated: boolean;
  readonly is_over_bound: boolean;
  readonly is_recovered: boolean;
  readonly latency_ms: number | null;
  readonly generation_ms: number | null;
  readonly session_id: string | null;
  readonly end_user: string | null;
  readonly trace: JsonObject | null;
  readonly attempts: readonly JsonObject[];
}

/** With the seconds at which it was made. */
const GENERATION_ID = /^gen-(\d{1,11})-[0-9A-Za-z]{20}$/;
/** How far apart the clocks of a process and of the database may be, in milliseconds: the id is made by the one, `held_at` by the other. */
const SKEW_MS_MAX = 86_400_000;

/** The statements that read single `generations`. */
@Injectable()
export class GenerationRepository {
  constructor(private readonly database: DataSource) {}

  /** @returns null for what is not settled (yet), not the caller's workspace's, or no id of a generation */
  async find({ accountId, workspaceId }: Caller, id: string): Promise<StoredGeneration | null> {
    const madeAtSeconds = GENERATION_ID.exec(id)?.[1];
    if (madeAtSeconds === undefined) return null;
    const madeAtMs = Number(madeAtSeconds) * 1000;
    // The times keep the search to the partitions of a month or two.
    const [row] = await this.database.query<StoredGeneration[]>(
      `SELECT id, held_at, workspace_id, requested_model, model, provider_name, upstream_id, service_tier, is_byok, streamed,
         outcome, finish_reason, native_finish_reason,
         prompt_tokens + cache_read_tokens + cache_write_tokens + cache_write_1h_tokens AS prompt_tokens,
         completion_tokens, reasoning_tokens, cache_read_tokens, images, web_searches, web_fetches, cost, byok_cost,
         is_estimated, is_over_bound, is_recovered, latency_ms, generation_ms, session_id, end_user, trace, attempts
       FROM generations
       WHERE id = $1 AND held_at BETWEEN $2 AND $3 AND account_id = $4 AND workspace_id = $5`,
      [
        id,
        new Date(madeAtMs - SKEW_MS_MAX).toISOString(),
        new Date(madeAtMs + SKEW_MS_MAX).toISOString(),
        accountId,
        workspaceId,
      ],
    );
    return row ?? null;
  }
}
