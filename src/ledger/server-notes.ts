import { Logger } from '@nestjs/common';
import { isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import { withinTime } from '../shared/within-time.js';
import type { Hold } from './hold.js';
import { HoldNotes } from './hold-notes.js';
import { printGeneration, type LedgerRepository } from './ledger.repository.js';

/** Notes in the database of a server, which executes what it was sent whatever becomes of this process. */
export class ServerNotes extends HoldNotes {
  private readonly logger = new Logger('ledger');

  constructor(private readonly repository: LedgerRepository) {
    super();
  }

  override async restore(): Promise<void> {
    // The notes are in the database already.
  }

  override note(hold: Hold): Promise<void> {
    return new Promise((safe) => {
      // Notes of a hold are sent one after another, because the latest is the most complete. Each waits for the answer
      // to the one before, because connections are unordered.
      hold.noting = (hold.noting ?? Promise.resolve()).then(() => this.noteNext(hold, safe)).then(safe);
    });
  }

  override pendingNote(): undefined {
    return undefined;
  }

  override switchFiles(): () => void {
    return () => undefined;
  }

  private async noteNext(hold: Hold, sent: () => void): Promise<void> {
    try {
      const row = hold.observe?.();
      if (row) await withinTime(this.repository.note(hold.id, printGeneration(row), sent));
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.logger.warn(error);
    }
  }
}
