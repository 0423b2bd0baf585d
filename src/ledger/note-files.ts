import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../shared/database/system-code.js';
import type { Settlement } from './settlement.js';
import { printSpoolLine, readSpoolLines } from './spool-lines.js';

const NAMES = ['0.rows', '1.rows'] as const;

/** Their folder in the data directory. */
export const NOTES = 'notes';

interface NoteFile {
  readonly descriptor: number;
  isEmpty: boolean;
  /** Its last line was cut short, and is ended before the next. */
  isTorn: boolean;
}

/**
 * What open generations had come to at moments, a line each. Two files in turn: once a beat has brought into the
 * database what was in one, it is emptied, while the other is written. What the system has taken of a line outlives a
 * kill of this process; that it is on the disk is not waited for, as little as with the embedded database.
 */
export class NoteFiles {
  private constructor(
    private current: NoteFile,
    private other: NoteFile,
  ) {}

  /** @returns the latest row of each generation, of whatever can be read in the folder, should there be one */
  static async read(folder: string): Promise<readonly Settlement[]> {
    const latest = new Map<string, Settlement>();
    for (const name of NAMES) {
      const bytes = await readFile(join(folder, name)).catch((error: unknown) => {
        if (systemCode(error) === 'ENOENT') return Buffer.alloc(0);
        throw error;
      });
      for (const row of readSpoolLines(bytes).rows) {
        const known = latest.get(row.id);
        if (!known || known.settled_at <= row.settled_at) latest.set(row.id, row);
      }
    }
    return [...latest.values()];
  }

  /** Empty ones, in a folder that is made with mode 0700. For one process at a time. */
  static create(folder: string): NoteFiles {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const [one, other] = NAMES.map((name) => {
      const descriptor = openSync(join(folder, name), 'a', 0o600);
      ftruncateSync(descriptor);
      return { descriptor, isEmpty: true, isTorn: false };
    });
    return new NoteFiles(one!, other!);
  }

  /** @throws when the disk refuses it */
  write(row: Settlement): void {
    const { current } = this;
    const line = Buffer.from(current.isTorn ? `\n${printSpoolLine(row)}` : printSpoolLine(row));
    Object.assign(current, { isEmpty: false, isTorn: true });
    current.isTorn = writeSync(current.descriptor, line) < line.length;
    if (current.isTorn) throw new Error('The disk took no more than a part of a note.');
  }

  /**
   * Before all that is noted here is read anew, to be brought into the database.
   * @returns to be called when it is there
   */
  turn(): () => void {
    // What was turned away from before, and did not get there, is still needed until it has.
    if (this.other.isEmpty) [this.current, this.other] = [this.other, this.current];
    const { other } = this;
    return () => {
      if (other.isEmpty) return;
      ftruncateSync(other.descriptor);
      Object.assign(other, { isEmpty: true, isTorn: false });
    };
  }

  close(): void {
    closeSync(this.current.descriptor);
    closeSync(this.other.descriptor);
  }
}
