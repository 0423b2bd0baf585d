import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ALL_PROMPT_TOKENS } from './generation-columns.js';
import { viewRecord, type GenerationRecordView } from './generation-view.js';
import type { StoredGeneration } from './generation.repository.js';

/** A generation of which destinations are to learn. */
export interface SettledGeneration {
  readonly accountId: string;
  readonly workspaceId: string;
  readonly record: GenerationRecordView;
  /** Null: the key is gone. */
  readonly keyName: string | null;
}

interface QueuedRow extends StoredGeneration {
  readonly key_name: string | null;
}

/**
 * Settled generations in the order in which they were committed, however late: the database notes each when its hold is
 * posted (`queue_broadcasts_1`), and only where a destination wants it.
 */
@Injectable()
export class SettledGenerations {
  constructor(private readonly database: DataSource) {}

  /**
   * Takes noted generations, once: another transaction takes others, or these where this one is undone.
   * @param most that are taken; a released hold counts, and has no generation
   * @returns undefined where none is noted
   */
  async take(manager: EntityManager, most: number): Promise<readonly SettledGeneration[] | undefined> {
    const [taken] = await manager.query<[{ generation_id: string; held_at: Date }[], number]>(
      `DELETE FROM broadcast_queue q USING (
         SELECT generation_id, held_at FROM broadcast_queue ORDER BY held_at LIMIT $1 FOR UPDATE SKIP LOCKED
       ) AS next WHERE q.generation_id = next.generation_id AND q.held_at = next.held_at
       RETURNING q.generation_id, q.held_at`,
      [most],
    );
    if (taken.length === 0) return undefined;
    const rows = await manager.query<QueuedRow[]>(
      `SELECT g.*, ${ALL_PROMPT_TOKENS} AS all_prompt_tokens, k.name AS key_name
       FROM unnest($1::text[], $2::timestamptz[]) AS t (id, held_at)
       JOIN generations g ON g.held_at = t.held_at AND g.id = t.id
       LEFT JOIN api_keys k ON k.hash = g.key_hash
       ORDER BY g.held_at, g.id`,
      [taken.map(({ generation_id }) => generation_id), taken.map(({ held_at }) => held_at)],
    );
    return rows.map((row) => ({
      accountId: row.account_id,
      workspaceId: row.workspace_id,
      record: viewRecord(row),
      keyName: row.key_name,
    }));
  }

  /** Whether any is noted. */
  async isEmpty(): Promise<boolean> {
    return (await this.database.query<unknown[]>('SELECT FROM broadcast_queue LIMIT 1')).length === 0;
  }
}
