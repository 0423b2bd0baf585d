import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../core/caller.js';
import { DAY_MS } from '../../core/time.js';
import { ALL_PROMPT_TOKENS, type ReadGeneration } from './generation-columns.js';

/** A settled generation as it is shown. */
export interface StoredGeneration extends ReadGeneration {
  /** Cached or not. */
  readonly all_prompt_tokens: string;
}

/** Contains the seconds at which it was made. */
const GENERATION_ID = /^gen-(\d{1,11})-[0-9A-Za-z]{20}$/;
/** A UUID of version 7, which contains the milliseconds at which it was made. */
const REQUEST_ID = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/**
 * Maximum difference between the clocks of a process and of the database, in milliseconds: the process makes the id,
 * the database sets `held_at`.
 */
const SKEW_MS_MAX = DAY_MS;

/** A parsed id. */
interface GenerationReference {
  readonly column: 'id' | 'request_id';
  /** Epoch milliseconds. */
  readonly madeAtMs: number;
}

/** The statements that read single `generations`. */
@Injectable()
export class GenerationRepository {
  constructor(private readonly database: DataSource) {}

  /**
   * @param id of the generation, or of its request
   * @returns null for a generation that is not settled (yet), belongs to another account or, for an inference key and
   *   for a bound one, to another workspace, and for an invalid id
   */
  async find({ accountId, workspaceId, boundTo, kind }: Caller, id: string): Promise<StoredGeneration | null> {
    const reference = readReference(id);
    if (!reference) return null;
    const { column, madeAtMs } = reference;
    // The time limits restrict the search to the partitions of one or two months.
    const [row] = await this.database.query<StoredGeneration[]>(
      `SELECT g.*, ${ALL_PROMPT_TOKENS} AS all_prompt_tokens FROM generations g
       WHERE g.${column} = $1 AND g.held_at BETWEEN $2 AND $3 AND g.account_id = $4
         AND ($5::uuid IS NULL OR g.workspace_id = $5)`,
      [
        id,
        new Date(madeAtMs - SKEW_MS_MAX).toISOString(),
        new Date(madeAtMs + SKEW_MS_MAX).toISOString(),
        accountId,
        kind === 'management' ? (boundTo ?? null) : workspaceId,
      ],
    );
    return row ?? null;
  }
}

function readReference(id: string): GenerationReference | undefined {
  const seconds = GENERATION_ID.exec(id)?.[1];
  if (seconds !== undefined) return { column: 'id', madeAtMs: Number(seconds) * 1000 };
  const [, high, low] = REQUEST_ID.exec(id) ?? [];
  return high === undefined ? undefined : { column: 'request_id', madeAtMs: parseInt(`${high}${low}`, 16) };
}
