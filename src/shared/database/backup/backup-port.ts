import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { isAbsolute, join } from 'node:path';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Environment } from '../../environment.js';
import { failureMessage } from '../../command/command-failure.js';
import { copyStore, type StoreCopy } from './store-copy.js';

/** Longest path of a socket, in bytes: the shortest limit of the systems. What is longer Node would cut off. */
const ADDRESS_BYTES_MAX = 103;

/**
 * Within the data directory: whoever may write there may ask.
 * @returns undefined where its path is too long for a socket
 */
export function backupAddress(dataDir: string): string | undefined {
  const path = join(dataDir, 'backup.sock');
  return Buffer.byteLength(path) <= ADDRESS_BYTES_MAX ? path : undefined;
}

/** Longest word of whoever asks: a path, in JSON. */
const ASKED_BYTES_MAX = 16 * 1024;
/** A client that asks nothing is not waited for longer, in milliseconds. */
const ASKED_WITHIN_MS = 5_000;

/** What is asked: an absolute path. */
export interface BackupRequest {
  readonly out: string;
}

/** What is answered, a line of JSON. */
export type BackupReply = { readonly copied: StoreCopy } | { readonly failure: string };

/**
 * Copies the embedded store while it is in use, for `npm run data:backup`: no other process may open it. Statements
 * wait while files are copied (docs/backups.md#the-embedded-database).
 */
@Injectable()
export class BackupPort implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Backup');
  private server: Server | undefined;
  private copying: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly environment: Environment,
    private readonly dataSource: DataSource,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { databaseUrl, dataDir } = this.environment;
    if (databaseUrl !== undefined) return;
    const address = backupAddress(dataDir);
    if (address === undefined) {
      this.logger.warn('Without backups while it runs: the path of DATA_DIR is too long for a socket in it.');
      return;
    }
    // Of a process that was killed: this one has the lock of the directory.
    await rm(address, { force: true });
    const server = createServer((socket) => void this.answer(socket));
    try {
      await once(server.listen(address), 'listening');
      await chmod(address, 0o600);
      // It keeps nothing alive.
      this.server = server.unref();
    } catch (error) {
      server.close();
      this.logger.warn(`Without backups while it runs: ${failureMessage(error)}`);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.server?.close();
    await this.copying;
  }

  private async answer(socket: Socket): Promise<void> {
    socket.on('error', () => undefined).setTimeout(ASKED_WITHIN_MS, () => socket.destroy());
    // Whoever leaves without a word, or is not waited for any longer, asked nothing.
    const out = await askedPath(socket).catch(() => undefined);
    if (out === undefined) return void socket.destroy();
    socket.setTimeout(0);
    const left = new AbortController();
    // Nothing more is asked; that it ends is heard.
    socket.resume().once('close', () => left.abort(new Error('Whoever asked for the copy has left.')));
    // One after another: a second one finds the folder of the first.
    const copied = this.copying.then(() => this.copy(out, left.signal));
    this.copying = copied;
    socket.end(`${JSON.stringify(await copied)}\n`);
  }

  /** Never rejects. */
  private async copy(out: string, signal: AbortSignal): Promise<BackupReply> {
    try {
      const copied = await copyStore(this.environment.dataDir, out, (work) => this.whileStill(work), signal);
      this.logger.log(`Copied ${copied.files} files, ${copied.bytes} bytes, to ${out}`);
      return { copied };
    } catch (error) {
      return { failure: failureMessage(error) };
    }
  }

  /** The one session is nobody else's meanwhile, and all that it knows stands in files. */
  private async whileStill<T>(work: () => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.connect();
      await runner.query('CHECKPOINT');
      return await work();
    } finally {
      await runner.release();
    }
  }
}

/** The path of the line that is sent; undefined for anything else. */
async function askedPath(socket: Socket): Promise<string | undefined> {
  let text = '';
  for await (const bytes of socket.iterator({ destroyOnReturn: false })) {
    text += (bytes as Buffer).toString();
    if (text.endsWith('\n')) break;
    if (text.length > ASKED_BYTES_MAX) return undefined;
  }
  try {
    const { out } = JSON.parse(text) as Partial<BackupRequest>;
    return typeof out === 'string' && isAbsolute(out) ? out : undefined;
  } catch {
    return undefined;
  }
}
