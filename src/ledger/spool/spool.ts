import { mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Logger } from '@nestjs/common';
import { newUuid } from '../../core/ids.js';
import { lockDirectory, type DirectoryLock } from '../../shared/database/directory-lock.js';
import { StoreRefused } from '../../shared/database/store-refused.js';
import { systemCode } from '../../shared/database/system-code.js';
import type { Settlement } from '../settlement.js';
import { storeDamagedLines } from './damaged-lines.js';
import { printSpoolLine } from './spool-lines.js';
import { createSpoolFile, SEGMENT_ROWS_MAX, SpoolSegment, syncFolder, type CreateSpoolFile } from './spool-segment.js';

/** Rows that one process may store: some 15 MB. */
export const SPOOL_ROWS_MAX = 10_000;
const BATCH_ROWS = 200;
/** Attempts of one write whose file is removed each time. */
const WRITE_TRIES_MAX = 5;

const REPLICA = /^[\w-]{1,64}$/;
const ROWS_END = '.rows';
/**
 * Names of the lock and of each file of rows: `<replica>.lock`, `<replica>.<id>.rows`. Files of damaged lines have no
 * owner.
 */
const OWNED = /^([\w-]{1,64})\.(?:lock|([\w-]{1,64})\.rows)$/;

interface WaitingLine {
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Settlements that wait on the local disk for an unavailable database. A row for which `append` resolved is passed to
 * `replay` at least once, by this process or, after its death, by another one. Settling must tolerate repetition.
 *
 * Rows are in short files, the oldest first. A file is removed once all its rows are settled. A living process holds a
 * lock for its files. If another process takes it for dead by mistake, no row is lost: files are renamed before they
 * are read, and the writer checks after each write whether its file still has its name.
 */
export class Spool {
  private readonly logger = new Logger('ledger');
  /** Oldest first; none is empty. The last may be `current`. */
  private readonly segments: SpoolSegment[] = [];
  /** The one that is being written. */
  private current: SpoolSegment | undefined;
  private queue: WaitingLine[] = [];
  private appending = 0;
  private lastTurn: Promise<void> = Promise.resolve();
  private replaying: Promise<void> | undefined;
  private isClosed = false;
  private namedAt = 0;
  /** Ids of files whose failure was logged. */
  private readonly unreadable = new Set<string>();

  private constructor(
    private readonly dir: string,
    private readonly replica: string,
    private readonly rowsMax: number,
    private readonly createFile: CreateSpoolFile,
    private readonly lock: DirectoryLock,
  ) {}

  /**
   * @param dir `<DATA_DIR>/spool`, made with mode 0700; shared by the processes of one `DATA_DIR`
   * @param replica id of this process; the files of an earlier process of the same id are taken over
   * @throws when the folder cannot be used, or a living process has that id
   */
  static async open(
    dir: string,
    replica: string,
    rowsMax = SPOOL_ROWS_MAX,
    createFile: CreateSpoolFile = createSpoolFile,
  ): Promise<Spool> {
    if (!REPLICA.test(replica)) throw new Error('The name of a replica must be letters, digits and hyphens.');
    if ((await mkdir(dir, { recursive: true, mode: 0o700 })) !== undefined) await syncFolder(dirname(dir));
    const lock = await lockDirectory(lockPath(dir, replica));
    const spool = new Spool(dir, replica, rowsMax, createFile, lock);
    try {
      await spool.takeFiles(replica);
      return spool;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Rows that wait to be replayed: own ones, and those taken over. */
  get waiting(): number {
    return this.segments.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  /** Capacity for further rows. Rows taken over from others take none: open calls rely on it. */
  get freeRows(): number {
    const own = this.segments.filter(({ isAdopted }) => !isAdopted).reduce((sum, { waiting }) => sum + waiting, 0);
    return Math.max(0, this.rowsMax - own - this.appending);
  }

  /**
   * Resolves once the row is on the disk. Concurrent appends share a write.
   * @throws when there are no free rows, when the disk refuses, or after `close`
   */
  async append(row: Settlement): Promise<void> {
    if (this.isClosed) throw new Error('The spool is closed.');
    if (this.freeRows === 0) throw new Error('The spool is full.');
    const line = printSpoolLine(row);
    this.appending++;
    await new Promise<void>((resolve, reject) => {
      this.queue.push({ line, resolve, reject });
      if (this.queue.length === 1) void this.serialize(() => this.writeQueued());
    });
  }

  /**
   * Passes the currently waiting rows to `settle`, oldest first, at most `batch` rows at a time, and removes each batch
   * once it resolved. Appends may continue meanwhile; they wait for the next replay. A second call joins the first.
   * @throws what `settle` throws: the batch and all after it wait on
   */
  replay(settle: (rows: readonly Settlement[]) => Promise<void>, batch = BATCH_ROWS): Promise<void> {
    this.replaying ??= this.settleAll(settle, batch).finally(() => (this.replaying = undefined));
    return this.replaying;
  }

  /**
   * Takes over the files of dead processes. Checking one in another container takes a second, and ten where it is dead.
   * @returns how many rows
   */
  async adopt(): Promise<number> {
    const names = await readdir(this.dir);
    const replicas = new Set(names.map((name) => OWNED.exec(name)?.[1]));
    const others = [...replicas].filter((name) => name !== undefined && name !== this.replica);
    const counts = await Promise.all(others.map((replica) => this.takeOver(replica!)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Ends the writing, and a replay after its batch. Waiting rows are left to a successor. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.serialize(() => this.sealCurrent());
    await this.lock.release();
  }

  /** One operation at a time on the current file. */
  private serialize(act: () => Promise<void>): Promise<void> {
    const done = this.lastTurn.then(act);
    this.lastTurn = done.catch(() => undefined);
    return done;
  }

  private async writeQueued(): Promise<void> {
    while (this.queue.length > 0) {
      const group = this.queue.splice(0, SEGMENT_ROWS_MAX);
      const failure = await this.write(group.map(({ line }) => line)).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      this.appending -= group.length;
      for (const { resolve, reject } of group) {
        if (failure) reject(failure.error);
        else resolve();
      }
    }
  }

  private async write(lines: readonly string[]): Promise<void> {
    for (let tries = 0; tries < WRITE_TRIES_MAX; tries++) {
      const segment = await this.writable(lines.length);
      let isKept;
      try {
        isKept = await segment.append(lines);
      } catch (error) {
        // After a failed write the contents of the disk are unknown: nothing further is written behind it.
        this.current = undefined;
        await segment.sealFailed();
        throw error;
      }
      if (isKept) {
        if (!this.segments.includes(segment)) this.segments.push(segment);
        return;
      }
      await this.sealCurrent();
      this.forget(segment);
    }
    throw new Error('The files of the spool are taken away as they are written.');
  }

  private async writable(count: number): Promise<SpoolSegment> {
    if (this.current && this.current.rows + count > SEGMENT_ROWS_MAX) await this.sealCurrent();
    if (this.current) return this.current;
    const id = this.newId();
    this.current = await SpoolSegment.create(this.pathOf(id), id, this.createFile);
    return this.current;
  }

  private async sealCurrent(): Promise<void> {
    const segment = this.current;
    this.current = undefined;
    await segment?.seal();
  }

  private async settleAll(settle: (rows: readonly Settlement[]) => Promise<void>, batch: number): Promise<void> {
    const last = this.segments.at(-1);
    while (last && !this.isClosed && this.segments.includes(last))
      await this.settleSegment(this.segments[0]!, settle, batch);
  }

  private async settleSegment(
    segment: SpoolSegment,
    settle: (rows: readonly Settlement[]) => Promise<void>,
    batch: number,
  ): Promise<void> {
    await this.serialize(async () => {
      if (segment === this.current) await this.sealCurrent();
    });
    const reading = await segment.read().catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (!reading) return this.forget(segment);

    while (segment.given < reading.rows.length) {
      const rows = reading.rows.slice(segment.given, segment.given + batch);
      await settle(rows);
      segment.given += rows.length;
      if (this.isClosed) return;
    }
    await this.remove(segment, reading.damaged);
    this.drop(segment);
  }

  /** Another process has taken it, or it was deleted. */
  private forget(segment: SpoolSegment): void {
    if (!this.segments.includes(segment)) return;
    this.drop(segment);
    this.logger.warn(`A file of the spool with ${segment.waiting} settlements was taken away by another process.`);
  }

  private drop(segment: SpoolSegment): void {
    this.segments.splice(this.segments.indexOf(segment), 1);
  }

  /** Damaged lines are kept aside, for inspection. */
  private async remove(segment: SpoolSegment, damaged: readonly Buffer[]): Promise<void> {
    if (damaged.length > 0) await this.storeDamagedLines(segment, damaged);
    await segment.remove();
  }

  private async storeDamagedLines(segment: SpoolSegment, damaged: readonly Buffer[]): Promise<void> {
    const name = await storeDamagedLines(this.dir, segment.id, damaged);
    this.logger.warn(`${damaged.length} lines of the spool are damaged and were set aside in spool/${name}.`);
  }

  private async takeOver(replica: string): Promise<number> {
    let lock: DirectoryLock;
    try {
      lock = await lockDirectory(lockPath(this.dir, replica));
    } catch (error) {
      // The other process is alive.
      if (error instanceof StoreRefused) return 0;
      throw error;
    }
    try {
      return await this.takeFiles(replica);
    } finally {
      await lock.release();
    }
  }

  /**
   * Takes over the files of this replica. The caller holds its lock. A file that cannot be read gets its old name back,
   * for a process that can read it.
   */
  private async takeFiles(replica: string): Promise<number> {
    const names = await readdir(this.dir);
    const taken: SpoolSegment[] = [];
    try {
      for (const name of names.sort()) {
        const [, owner, id] = OWNED.exec(name) ?? [];
        if (owner !== replica || id === undefined) continue;
        // Before it is read: if its owner is alive after all, it writes again whatever it writes from now on.
        await rename(join(this.dir, name), this.pathOf(id));
        const segment = await this.adoptFile(name, id);
        if (!segment) continue;
        if (segment.rows > 0) taken.push(segment);
        else await this.remove(segment, (await segment.read()).damaged);
      }
    } finally {
      this.segments.unshift(...taken);
    }
    return taken.reduce((sum, { rows }) => sum + rows, 0);
  }

  private async adoptFile(name: string, id: string): Promise<SpoolSegment | undefined> {
    try {
      return await SpoolSegment.adopt(this.pathOf(id), id);
    } catch (error) {
      if (!this.unreadable.has(id)) this.logger.error(`The file spool/${name} cannot be read.`, error);
      this.unreadable.add(id);
      await rename(this.pathOf(id), join(this.dir, name));
      return undefined;
    }
  }

  /** Starts with the time, so that names sort by age. */
  private newId(): string {
    this.namedAt = Math.max(Date.now(), this.namedAt + 1);
    return newUuid(this.namedAt);
  }

  private pathOf(id: string): string {
    return join(this.dir, `${this.replica}.${id}${ROWS_END}`);
  }
}

/** The methods of a spool that the ledger uses. */
export type SettlementSpool = Pick<Spool, 'waiting' | 'freeRows' | 'append' | 'replay' | 'adopt' | 'close'>;

/** Replaces a spool whose disk is full: it accepts nothing. */
export const NO_SPOOL: SettlementSpool = {
  waiting: 0,
  freeRows: SPOOL_ROWS_MAX,
  append: () => Promise.reject(new Error('The spool is off: the disk of DATA_DIR was full.')),
  replay: () => Promise.resolve(),
  adopt: () => Promise.resolve(0),
  close: () => Promise.resolve(),
};

const lockPath = (dir: string, replica: string): string => join(dir, `${replica}.lock`);
