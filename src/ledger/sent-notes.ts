import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { isDatabaseUnavailable } from '../shared/database/database-unavailable.js';
import type { Environment } from '../shared/environment.js';
import { withinTime } from '../shared/within-time.js';
import type { Hold } from './hold.js';
import { HoldNotes } from './hold-notes.js';
import { printGeneration, type LedgerRepository } from './ledger.repository.js';
import { NoteFiles, NOTES } from './note-files.js';

/** Notes in the database of a server, which does what it was sent whatever becomes of this process. */
export class SentNotes extends HoldNotes {
  private readonly logger = new Logger('ledger');

  constructor(
    private readonly repository: LedgerRepository,
    private readonly environment: Environment,
  ) {
    super();
  }

  /** Of an embedded database whose content has moved to this server. */
  override async restore(): Promise<void> {
    await this.repository.restoreNotes(await NoteFiles.read(join(this.environment.dataDir, NOTES)));
  }

  override note(hold: Hold): Promise<void> {
    return new Promise((safe) => {
      // One after another, for the latest says most; and by its answer, for connections do not wait for each other.
      hold.noting = (hold.noting ?? Promise.resolve()).then(() => this.noteNext(hold, safe)).then(safe);
    });
  }

  override turn(): () => void {
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
