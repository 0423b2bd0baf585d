import { open, readFile, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from '../../shared/database/system-code.js';
import { readSpoolLines, type SpoolReading } from './spool-lines.js';

/** Large enough that files are rarely made, small enough that one is read as a whole. */
export const SEGMENT_ROWS_MAX = 200;

/** The operations on a file that is being written. */
export type SpoolFile = Pick<FileHandle, 'appendFile' | 'close' | 'datasync' | 'stat' | 'truncate'>;
/** Creates a file that must not exist yet; the port that tests replace. */
export type CreateSpoolFile = (path: string) => Promise<SpoolFile>;

export const createSpoolFile: CreateSpoolFile = (path) => open(path, 'ax', 0o600);

/** One file of a spool: written until it is sealed, then read, then removed as a whole. Calls must not overlap. */
export class SpoolSegment {
  /** Rows that were already replayed. They stay in the file until all have been. */
  given = 0;

  private constructor(
    readonly path: string,
    readonly id: string,
    /** Rows in the file, without those of failed appends. */
    public rows: number,
    /** Whether another process wrote it. */
    readonly isAdopted: boolean,
    /** Absent from a sealed one. */
    private file: SpoolFile | undefined,
    private readonly inode: number,
    /** End of the last row that counts. */
    private bytes: number,
  ) {}

  static async create(path: string, id: string, createFile: CreateSpoolFile): Promise<SpoolSegment> {
    const file = await createFile(path);
    try {
      await syncFolder(dirname(path));
      return new SpoolSegment(path, id, 0, false, file, (await file.stat()).ino, 0);
    } catch (error) {
      await file.close().catch(() => undefined);
      await rm(path, { force: true });
      throw error;
    }
  }

  /** A sealed segment over a file that another process has written. */
  static async adopt(path: string, id: string): Promise<SpoolSegment> {
    const { rows } = readSpoolLines(await readFile(path));
    return new SpoolSegment(path, id, rows.length, true, undefined, 0, Infinity);
  }

  get waiting(): number {
    return this.rows - this.given;
  }

  /**
   * Resolves when the lines are on the disk, all of them.
   * @returns false when the file is no longer at its path: another process may have taken it before these lines were
   *   written
   */
  async append(lines: readonly string[]): Promise<boolean> {
    if (!this.file) throw new Error('A sealed segment is not written to.');
    const bytes = Buffer.from(lines.join(''));
    await this.file.appendFile(bytes);
    // The file's times are not needed; its length is written with the data.
    await this.file.datasync();
    if (!(await this.isInPlace())) return false;
    this.rows += lines.length;
    this.bytes += bytes.length;
    return true;
  }

  /** Ends the writing. */
  async seal(): Promise<void> {
    const { file } = this;
    this.file = undefined;
    // The appended lines are on the disk already.
    await file?.close().catch(() => undefined);
  }

  /** Seals it and cuts off what a failed append may have left. */
  async sealFailed(): Promise<void> {
    // If that fails too, the remains are behind the last row that counts, and are not read.
    await this.file?.truncate(this.bytes).catch(() => undefined);
    await this.seal();
    if (this.rows === 0) await this.remove().catch(() => undefined);
  }

  async read(): Promise<SpoolReading> {
    const bytes = await readFile(this.path);
    return readSpoolLines(bytes.subarray(0, this.bytes));
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }

  private async isInPlace(): Promise<boolean> {
    try {
      return (await stat(this.path)).ino === this.inode;
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return false;
      throw error;
    }
  }
}

/** A new file survives a power loss only with the folder that names it. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
