import { join } from 'node:path';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { newUuid } from '../core/ids.js';
import type { Environment } from '../shared/environment.js';
import type { Hold } from './hold.js';
import { HoldNotes } from './hold-notes.js';
import { holdRow, type LedgerRepository } from './ledger.repository.js';
import { NoteFiles, NOTES, type Note } from './note-files.js';
import { isRowRefused } from './spool/row-refused.js';
import { storeDamagedLines } from './spool/damaged-lines.js';
import type { Settlement } from './settlement.js';
import { printSpoolLine } from './spool/spool-lines.js';

/**
 * Notes in files beside the embedded database, which ends with this process: the next process reads them. A statement
 * would compute in this thread; a line of a file costs a tenth of that.
 */
export class EmbeddedNotes extends HoldNotes implements OnApplicationShutdown {
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
    await this.storeDamagedLines(folder, [...damaged, ...refused.map((note) => Buffer.from(printSpoolLine(note)))]);
    this.files = NoteFiles.create(folder);
  }

  /**
   * A note that the database refuses must prevent neither the other notes nor the start of the gateway.
   * @returns the refused ones
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

  /** The files are emptied next, so unusable lines are copied aside. Their content is not logged. */
  private async storeDamagedLines(folder: string, lines: readonly Buffer[]): Promise<void> {
    if (lines.length === 0) return;
    const name = await storeDamagedLines(folder, newUuid(Date.now()), lines);
    this.logger.warn(
      `${lines.length} notes of calls that were cut off are damaged or not taken, and were set aside in ${NOTES}/${name}.`,
    );
  }

  override async note(hold: Hold): Promise<void> {
    this.attempt(() => {
      const row = hold.observe?.();
      // If it has to be restored, it gets no replica and is therefore recovered.
      if (row) this.files?.write({ hold: holdRow(null, hold, 0), row });
    });
  }

  override pendingNote(id: string): Settlement | undefined {
    return this.files?.latest(id);
  }

  override switchFiles(): () => void {
    const markWritten = this.files?.switchFiles();
    return () => markWritten && this.attempt(markWritten);
  }

  onApplicationShutdown(): void {
    this.files?.close();
    this.files = undefined;
  }

  /** A full disk is logged once, not at each step of each loop. */
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
