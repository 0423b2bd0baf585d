import { join } from 'node:path';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Environment } from '../shared/environment.js';
import type { Hold } from './hold.js';
import { HoldNotes } from './hold-notes.js';
import { holdRow, type LedgerRepository } from './ledger.repository.js';
import { NoteFiles, NOTES } from './note-files.js';
import type { Settlement } from './settlement.js';

/**
 * Notes beside the embedded database, which ends with this process: its next one finds them there. A statement would
 * compute in this thread, a line of a file costs it a tenth of that.
 */
export class KeptNotes extends HoldNotes implements OnApplicationShutdown {
  private readonly logger = new Logger('ledger');
  private files: NoteFiles | undefined;
  private isFailing = false;

  constructor(
    private readonly repository: LedgerRepository,
    private readonly environment: Environment,
  ) {
    super();
  }

  override async restore(): Promise<void> {
    const folder = join(this.environment.dataDir, NOTES);
    await this.repository.restoreNotes(await NoteFiles.read(folder));
    this.files = NoteFiles.create(folder);
  }

  override async note(hold: Hold): Promise<void> {
    this.attempt(() => {
      const row = hold.observe?.();
      // Nobody's who would beat: what it comes back as is recovered.
      if (row) this.files?.write({ hold: holdRow(null, hold, 0), row });
    });
  }

  override unsaid(id: string): Settlement | undefined {
    return this.files?.latest(id);
  }

  override turn(): () => void {
    const areSaid = this.files?.turn();
    return () => areSaid && this.attempt(areSaid);
  }

  onApplicationShutdown(): void {
    this.files?.close();
    this.files = undefined;
  }

  /** A disk that is full is told of once, not at each step of each loop. */
  private attempt(act: () => void): void {
    try {
      act();
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.logger.warn(error);
      this.isFailing = true;
    }
  }
}
