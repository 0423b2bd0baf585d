import { chmod, mkdtemp, open, readFile, readdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { PglitePgConnection } from '@electric-sql/pglite/node-postgres';
import { createDataDirectory } from '../data-directory.js';
import { lockDirectory } from './directory-lock.js';
import { initialise, loadEngine, type EmbeddedEngine } from './embedded-engine.js';
import { EngineLife } from './engine-life.js';
import { EngineTurns } from './engine-turns.js';
import { gatheringMessages } from './gathered-messages.js';
import { StoreRefused } from './store-refused.js';
import { systemCode } from './system-code.js';

/**
 * Written last when a database is made. Incremented when the files change in a way that an older release cannot read.
 */
export const STORE_VERSION = 1;

/** Name of the embedded database's folder within DATA_DIR. */
export const DATABASE = 'database';
const UNFINISHED = 'database.new-';
/** Creating it takes two seconds on an idle machine. */
export const SLOW_START_MS = 4_000;
const MIB = 1024 * 1024;
/** Space needed to create a database, and more than opening one needs: its log grows by files of 16 MiB. */
const ROOM_BYTES = 64 * MIB;
/**
 * The engine's defaults are for a server. 128 MB of buffers would stay resident for a database that fits into the
 * system's own cache. Its log keeps up to a gigabyte of files for reuse: here three of 16 MB suffice, because
 * `StoreMaintenance` triggers checkpoints.
 */
const SETTINGS = ['shared_buffers=16MB', 'min_wal_size=48MB', 'max_wal_size=96MB'];

/** An open embedded PostgreSQL: one session, safe against a process kill, not against power loss. */
export interface EmbeddedDatabase {
  /** A new channel to the one session, for one node-postgres client at a time. */
  connect(): PglitePgConnection;
  /** Writes pending data, closes, and releases the directory. */
  close(): Promise<void>;
}

/** Opens the embedded database; the port that tests replace. */
export abstract class EmbeddedOpener {
  /**
   * @param life is notified when the engine dies
   * @throws InvalidEnvironment when the directory cannot be written to
   * @throws StoreRefused when another process uses it, it holds what this release must not open, or its disk is full
   */
  abstract open(dataDir: string, life?: EngineLife): Promise<EmbeddedDatabase>;
}

/** Keeps the database in `<dataDir>/database`, guarded by `<dataDir>/lock`. */
export class DirectoryOpener extends EmbeddedOpener {
  /** @param slowMs after which the log explains the wait of a first start, in milliseconds; absent: never */
  constructor(
    private readonly load: () => Promise<EmbeddedEngine> = loadEngine,
    private readonly slowMs?: number,
  ) {
    super();
  }

  override async open(dataDir: string, life = new EngineLife()): Promise<EmbeddedDatabase> {
    await createDataDirectory(dataDir);
    const lock = await lockDirectory(join(dataDir, 'lock'));
    try {
      const directory = join(dataDir, DATABASE);
      if (await isComplete(directory)) await removeUnfinished(dataDir);
      else await this.create(dataDir, directory);

      const { PGlite, createPgConfig } = await this.load();
      const startParams = [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])];
      const database = await withRoom(dataDir, () => PGlite.create({ dataDir: directory, startParams }));
      const turns = new EngineTurns();
      return {
        connect: () => createPgConfig(gatheringMessages(database, life, turns)).connection,
        close: async () => {
          // A dead engine does not answer to a close either.
          if (!life.diedOf) await database.close();
          await lock.release();
        },
      };
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  private async create(dataDir: string, directory: string): Promise<void> {
    const report = (): void =>
      new Logger('Database').log(
        `The first start makes the embedded database in ${directory}. On a busy machine this takes up to three minutes.`,
      );
    const slow = this.slowMs === undefined ? undefined : setTimeout(report, this.slowMs);
    try {
      await withRoom(dataDir, () => create(dataDir, directory));
    } finally {
      clearTimeout(slow);
    }
  }
}

/** @throws StoreRefused where it fails for lack of space: the engine itself only reports a failure */
async function withRoom<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { bavail, bsize } = await statfs(dataDir);
    const left = bavail * bsize;
    if (left >= ROOM_BYTES) throw error;
    throw new StoreRefused(
      `The embedded database in ${dataDir} cannot be opened: its disk has ${Math.floor(left / MIB)} MiB left, and ` +
        `${ROOM_BYTES / MIB} may be needed. Free some space there and start again.`,
    );
  }
}

/** @throws StoreRefused when the directory contains something that this release must not open; it is never deleted */
async function isComplete(directory: string): Promise<boolean> {
  const files = await readdir(directory).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (files === undefined) return false;

  // An engine without its own version file would silently create an empty database here.
  if (!files.includes('VERSION') || !files.includes('PG_VERSION')) {
    throw new StoreRefused(
      `${directory} is not a complete database of Fairlead. Move the folder away, or restore a backup.`,
    );
  }
  const version = (await readFile(join(directory, 'VERSION'), 'utf8')).trim();
  if (version === String(STORE_VERSION)) return true;
  throw new StoreRefused(
    Number(version) > STORE_VERSION
      ? `${directory} has version ${version}, this release knows ${STORE_VERSION}: run the newer release that wrote it.`
      : `${directory}/VERSION reads ${JSON.stringify(version.slice(0, 40))}, expected ${STORE_VERSION}. Restore the directory.`,
  );
}

/**
 * Created under another name and renamed at the end: whenever the process is killed, the next start finds a complete
 * database or none.
 */
async function create(dataDir: string, directory: string): Promise<void> {
  await removeUnfinished(dataDir);
  const unfinished = await mkdtemp(join(dataDir, UNFINISHED));
  await initialise(unfinished);
  // The engine leaves its files readable by everyone, so the directory restricts access.
  await chmod(unfinished, 0o700);
  const file = await open(join(unfinished, 'VERSION'), 'wx', 0o600);
  try {
    await file.writeFile(`${STORE_VERSION}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, directory);
}

/**
 * Removes remains of starts that were killed. A dying process may still be writing: then the next start removes the
 * rest.
 */
async function removeUnfinished(dataDir: string): Promise<void> {
  const remains = (await readdir(dataDir)).filter((name) => name.startsWith(UNFINISHED));
  await Promise.all(
    remains.map((name) => rm(join(dataDir, name), { recursive: true, force: true }).catch(() => undefined)),
  );
}
