import { once } from 'node:events';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { isAbsolute, join } from 'node:path';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Environment } from '../../environment.js';
import { failureMessage } from '../../command/command-failure.js';
import { copyStore, type StoreCopy } from './store-copy.js';

/** Longest path of a socket in bytes: the smallest limit of the systems. Node would truncate a longer one. */
const ADDRESS_BYTES_MAX = 103;

/**
 * Address of a socket in the data directory: any process that may write there may request a copy.
 * @returns undefined where its path is too long for a socket
 */
export function backupAddress(dataDir: string): string | undefined {
  const path = join(dataDir, 'backup.sock');
  return Buffer.byteLength(path) <= ADDRESS_BYTES_MAX ? path : undefined;
}

/** Limit of a request: a path, in JSON. */
const REQUEST_BYTES_MAX = 16 * 1024;
/** Milliseconds to wait for a client's request. */
const REQUEST_WITHIN_MS = 5_000;

/** The request: an absolute path. */
export interface BackupRequest {
  readonly out: string;
}

/** The answer, a line of JSON. */
export type BackupReply = { readonly copied: StoreCopy } | { readonly failure: string };

/**
 * Copies the embedded store while it is in use, for `npm run data:backup`: no other process may open it. Statements
 * wait while files are copied (docs/operate/backups.md#the-embedded-database).
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
    // Left by a process that was killed: this one has the lock of the directory.
    await rm(address, { force: true });
    const server = createServer((socket) => void this.answer(socket));
    try {
      await once(server.listen(address), 'listening');
      await chmod(address, 0o600);
      // The port must not keep the process alive.
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
    socket.on('error', () => undefined).setTimeout(REQUEST_WITHIN_MS, () => socket.destroy());
    // A client that leaves without a request, or exceeds the time, has requested nothing.
    const out = await requestedPath(socket).catch(() => undefined);
    if (out === undefined) return void socket.destroy();
    socket.setTimeout(0);
    const left = new AbortController();
    // Further input is ignored, but its end is noticed.
    socket.resume().once('close', () => left.abort(new Error('The client that requested the copy has disconnected.')));
    // Copies are made one after another: a second request for the same folder finds the first one's.
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

  /** Occupies the one session, after all its data was written to files. */
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

/** The path in the line that was sent; undefined for anything else. */
async function requestedPath(socket: Socket): Promise<string | undefined> {
  let text = '';
  for await (const bytes of socket.iterator({ destroyOnReturn: false })) {
    text += (bytes as Buffer).toString();
    if (text.endsWith('\n')) break;
    if (text.length > REQUEST_BYTES_MAX) return undefined;
  }
  try {
    const { out } = JSON.parse(text) as Partial<BackupRequest>;
    return typeof out === 'string' && isAbsolute(out) ? out : undefined;
  } catch {
    return undefined;
  }
}
