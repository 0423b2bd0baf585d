import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../core/caller.js';
import { DAY_MS } from '../core/time.js';
import { ALL_PROMPT_TOKENS, type ReadGeneration } from './generation-columns.js';

/** A settled generation as it is shown. */
export interface StoredGeneration extends ReadGeneration {
  /** Cached or not. */
  readonly all_prompt_tokens: string;
}

/** With the seconds at which it was made. */
const GENERATION_ID = /^gen-(\d{1,11})-[0-9A-Za-z]{20}$/;
/**
 * How far apart the clocks of a process and of the database may be, in milliseconds: the id is made by the
 * one, `held_at` by the other.
 */
const SKEW_MS_MAX = DAY_MS;

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
      `SELECT g.*, ${ALL_PROMPT_TOKENS} AS all_prompt_tokens FROM generations g
       WHERE g.id = $1 AND g.held_at BETWEEN $2 AND $3 AND g.account_id = $4 AND g.workspace_id = $5`,
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
