import { join } from 'node:path';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { newUuid } from '../core/ids.js';
import type { Environment } from '../shared/environment.js';
import type { Hold } from './hold.js';
import { HoldNotes } from './hold-notes.js';
import { holdRow, type LedgerRepository } from './ledger.repository.js';
import { NoteFiles, NOTES, type Note } from './note-files.js';
import { isRowRefused } from './row-refused.js';
import { setAside } from './set-aside.js';
import type { Settlement } from './settlement.js';
import { printSpoolLine } from './spool-lines.js';

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
    const { notes, damaged } = await NoteFiles.read(folder);
    const refused = await this.restoreAll(notes);
    await this.setAside(folder, [...damaged, ...refused.map((note) => Buffer.from(printSpoolLine(note)))]);
    this.files = NoteFiles.create(folder);
  }

  /**
   * One that the database will not take keeps no others from it, and no gateway from its start.
   * @returns those
   */
  private async restoreAll(notes: readonly Note[]): Promise<readonly Note[]> {
    try {
      await this.repository.restoreNotes(notes);
      return [];
    } catch (error) {
      if (!isRowRefused(error)) throw error;
      if (notes.length <= 1) return notes;
      const refused: Note[] = [];
      for (const note of notes) refused.push(...(await this.restoreAll([note])));
      return refused;
    }
  }

  /** The files are emptied next: what is of no use here is kept, and nothing of what it says is told. */
  private async setAside(folder: string, lines: readonly Buffer[]): Promise<void> {
    if (lines.length === 0) return;
    const name = await setAside(folder, newUuid(Date.now()), lines);
    this.logger.warn(
      `${lines.length} notes of calls that were cut off are damaged or not taken, and were set aside in ${NOTES}/${name}.`,
    );
  }

  override async note(hold: Hold): Promise<void> {
    this.attempt(() => {
      const row = hold.observe?.();
      // Should it have to be written back, it is nobody's, and is recovered.
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
