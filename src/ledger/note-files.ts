import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreRefused } from '../shared/database/store-refused.js';
import { systemCode } from '../shared/database/system-code.js';
import type { Settlement } from './settlement.js';
import { printSpoolLine, readSpoolLines, type SpoolReading } from './spool/spool-lines.js';

/** Name of their folder in the data directory. */
export const NOTES = 'notes';

const NAMES = ['0.rows', '1.rows'] as const;

/** The state of an open generation at a moment. */
export interface Note {
  /** A row of `holds`, as its process knew it: the database may have lost it with that process. */
  readonly hold: object;
  readonly row: Settlement;
}

/** The contents of a folder of notes. */
export interface NoteReading {
  /** The latest of each generation. */
  readonly notes: readonly Note[];
  /** Lines that fail their checksum, unchanged, each with its line end. */
  readonly damaged: readonly Buffer[];
}

/** Writes at least a part of a line, and returns how many bytes; the port that tests replace. */
export type WriteLine = (descriptor: number, bytes: Buffer) => number;

/** A higher number was written later. */
type NoteLine = Note & { readonly number: number };

interface NoteFile {
  readonly descriptor: number;
  /** Latest row of each generation in the file. */
  readonly rows: Map<string, Settlement>;
  /** The last line of the file is incomplete; a line break is written before the next line. */
  isTorn: boolean;
}

/** @throws StoreRefused for a path that is no file, and for a file that cannot be read */
async function readLines(path: string): Promise<SpoolReading<NoteLine>> {
  try {
    // Reading a FIFO would wait for a writer for ever.
    const isFile = (await stat(path)).isFile();
    if (isFile) return readSpoolLines<NoteLine>(await readFile(path));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { rows: [], damaged: [] };
    throw unreadable(path, systemCode(error) ?? 'it was not written by this gateway, or is too large');
  }
  throw unreadable(path, 'it is no file');
}

const unreadable = (path: string, reason: string): StoreRefused =>
  new StoreRefused(
    `${path} cannot be read (${reason}). It records the usage of calls that a kill cut off: make it readable, or move it away.`,
  );

/**
 * States of open generations at moments, a line each. Two files alternate: once a heartbeat has brought the contents of
 * one into the database, it is emptied, while the other is written. A written line outlives a kill of this process; as
 * with the embedded database, it is not synced to the disk.
 */
export class NoteFiles {
  private count = 0;
  private isClosed = false;

  private constructor(
    private current: NoteFile,
    private former: NoteFile,
    private readonly writeLine: WriteLine,
  ) {}

  /**
   * Reads all whole lines in the folder, if it exists.
   * @throws StoreRefused for a path that is no file, and for a file that cannot be read
   */
  static async read(folder: string): Promise<NoteReading> {
    const damaged: Buffer[] = [];
    const latest = new Map<string, NoteLine>();
    for (const name of NAMES) {
      const lines = await readLines(join(folder, name));
      // An empty line ends one of which the disk accepted nothing.
      damaged.push(...lines.damaged.filter(({ length }) => length > 1));
      for (const line of lines.rows) {
        const known = latest.get(line.row.id);
        if (!known || known.number < line.number) latest.set(line.row.id, line);
      }
    }
    return { notes: Array.from(latest.values(), ({ hold, row }) => ({ hold, row })), damaged };
  }

  /** Makes empty files, in a folder that is made with mode 0700. For one process at a time. */
  static create(folder: string, writeLine: WriteLine = writeSync): NoteFiles {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const [current, former] = NAMES.map((name) => {
      const descriptor = openSync(join(folder, name), 'a', 0o600);
      ftruncateSync(descriptor);
      return { descriptor, rows: new Map<string, Settlement>(), isTorn: false };
    });
    return new NoteFiles(current!, former!, writeLine);
  }

  /** @throws when the disk refuses it */
  write({ hold, row }: Note): void {
    const { current } = this;
    const line = printSpoolLine({ number: this.count++, hold, row });
    const bytes = Buffer.from(current.isTorn ? `\n${line}` : line);
    current.rows.set(row.id, row);
    current.isTorn = true;
    current.isTorn = this.writeLine(current.descriptor, bytes) < bytes.length;
    if (current.isTorn) throw new Error('The disk took no more than a part of a note.');
  }

  /** The latest row of a generation in these files. */
  latest(id: string): Settlement | undefined {
    return this.current.rows.get(id) ?? this.former.rows.get(id);
  }

  /**
   * Switches files before the state of all open generations is read, to be brought into the database.
   * @returns to be called when it is there
   */
  switchFiles(): () => void {
    // The former file is still needed until its contents have reached the database.
    if (this.former.rows.size === 0) [this.current, this.former] = [this.former, this.current];
    const { former } = this;
    return () => {
      if (this.isClosed || former.rows.size === 0) return;
      ftruncateSync(former.descriptor);
      former.rows.clear();
      former.isTorn = false;
    };
  }

  close(): void {
    this.isClosed = true;
    closeSync(this.current.descriptor);
    closeSync(this.former.descriptor);
  }
}
