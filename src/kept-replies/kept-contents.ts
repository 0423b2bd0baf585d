import { Injectable } from '@nestjs/common';
import type { RuledCaller } from '../core/caller.js';
import { ExpiringRows, NEWEST_MAX, type ExpiringTable } from '../shared/database/expiring-rows.js';
import { KeptRepliesRepository, type NamedRow, type ReplyName } from './kept-replies.repository.js';
import { RedisReplies } from './redis-replies.js';

/** Rows of one API key and kind; the oldest are removed. Chosen. */
const ROWS_MAX = 1_000_000;

/** Limits and removes the contents of replies, in the database and in Redis. */
@Injectable()
export class KeptContents {
  /** A row without contents remains: without it a repeated request would run again. */
  private readonly table: ExpiringTable = {
    name: 'kept_replies',
    owner: ['key_hash', 'kind'],
    time: 'created_at',
    bounds: [
      { counted: `r.state = 'kept'`, newest: NEWEST_MAX, drop: async (ids) => this.drop(await this.replies.listNamed(ids)) },
      { newest: ROWS_MAX },
    ],
  }; // oxfmt-ignore

  constructor(
    private readonly replies: KeptRepliesRepository,
    private readonly shared: RedisReplies,
    private readonly rows: ExpiringRows,
  ) {
    rows.register(this.table);
  }

  /** Must be called after a claim has got a row: its limits are checked in the next round. */
  noteAdded({ keyHash, kind }: ReplyName): void {
    this.rows.noteAdded(this.table, [keyHash, kind]);
  }

  /** The keys that have replies with contents. */
  listCallers(): Promise<readonly RuledCaller[]> {
    return this.replies.listCallers();
  }

  /** Removes the contents of all replies of a key, also of those that are being written. Their names stay claimed. */
  async dropAllOf(keyHash: string): Promise<void> {
    for (;;) {
      const rows = await this.replies.listOf(keyHash);
      if (rows.length === 0) return;
      await this.drop(rows);
    }
  }

  /**
   * Rows of the response cache are removed: nothing depends on their names. Any replica may make a copy in Redis while
   * the database has the contents, so copies are removed last.
   */
  private async drop(rows: readonly NamedRow[]): Promise<void> {
    const cached = rows.filter(({ kind }) => kind === 'cache');
    await this.replies.drop(rows.flatMap(({ id, kind }) => (kind === 'cache' ? [] : id)));
    await this.replies.remove(cached.map(({ id }) => id));
    for (const name of cached) await this.shared.remove(name);
  }
}
