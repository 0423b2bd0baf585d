import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import { LedgerRepository, POSTED_MAX } from './ledger.repository.js';

/** Holds that may wait here; further ones are found in the database by the sweep. */
const WAITING_MAX = 50_000;

/**
 * Posts to the counters what this replica settled or released. Only readers of the counters wait for it: until then the
 * hold keeps counting.
 */
@Injectable()
export class Postings {
  private readonly logger = new Logger('ledger');
  private settled: string[] = [];
  private released: string[] = [];
  private posting: Promise<void> | undefined;

  constructor(private readonly repository: LedgerRepository) {}

  /** Must be called when the hold is settled in the database. */
  add(id: string): void {
    if (this.settled.length < WAITING_MAX) this.settled.push(id);
  }

  /** Must be called when nothing was sent for the hold, and nothing will be. */
  release(id: string): void {
    if (this.released.length < WAITING_MAX) this.released.push(id);
  }

  /** Resolves when everything added before is posted, or could not be. Never throws. */
  async flush(): Promise<void> {
    await this.posting;
    if (this.settled.length === 0 && this.released.length === 0) return;
    this.posting ??= this.post().finally(() => (this.posting = undefined));
    await this.posting;
  }

  private async post(): Promise<void> {
    const { settled, released } = this;
    this.settled = [];
    this.released = [];
    try {
      while (released.length > 0) {
        const ids = released.slice(0, POSTED_MAX);
        await this.repository.release(ids);
        settled.push(...ids);
        released.splice(0, ids.length);
      }
      while (settled.length > 0) {
        await this.repository.post(settled.slice(0, POSTED_MAX));
        settled.splice(0, POSTED_MAX);
      }
    } catch (error) {
      // These wait for the next posting; the sweep finds those that do not fit here.
      if (!isDatabaseUnavailable(error)) this.logger.error(error);
      for (const id of settled) this.add(id);
      for (const id of released) this.release(id);
    }
  }
}
