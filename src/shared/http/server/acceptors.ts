import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { ConnectionQueue } from './connection-queue.js';

/**
 * Handles in addition to the first. Chosen: with 32, a turn of 10 ms still accepts 3,200 connections a second, and a
 * single connection costs the other handles only a failed accept, some microseconds in all.
 */
const MORE = 31;
/** A process that has not started within this time counts as failed. */
const START_MS_MAX = 10_000;
/** The program of the other process: it returns each handle it receives, until the channel closes. */
const RETURN_HANDLES = `process.on('message', (message, handle) => process.send(message, handle))`;

/**
 * Further handles of the socket that a server listens on. Node accepts one connection per handle and turn of the event
 * loop, which may be a hundred a second under load; connections that were closed meanwhile stay in the accept queue
 * before the others (docs/contribute/decisions/0055). A handle cannot be copied within a process: it is sent to another
 * process, which returns a copy.
 */
export class Acceptors {
  private readonly servers = new Set<Server>();
  private readonly queue: ConnectionQueue;
  private isClosed = false;

  /** @param server listens, and gets all connections */
  constructor(private readonly server: Server) {
    this.queue = new ConnectionQueue(server);
  }

  /**
   * Opens them. Meanwhile one connection per turn is accepted.
   * @throws when the other process fails; then as many are accepted as there are handles
   */
  async open(): Promise<void> {
    const helper = spawn(process.execPath, ['--eval', RETURN_HANDLES], {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const limit = setTimeout(() => helper.kill(), START_MS_MAX);
    // Sends one handle after another: a handle that waits may be closed.
    const ask = (): void => {
      const { _handle: handle } = this.server as unknown as { readonly _handle: Server | null };
      if (this.isClosed || !handle || this.servers.size >= MORE) helper.disconnect();
      else helper.send('', handle);
    };
    helper.on('message', (_, copy) => {
      this.add(copy);
      ask();
    });
    try {
      ask();
      await once(helper, 'exit');
    } finally {
      clearTimeout(limit);
    }
    const { size } = this.servers;
    if (size < MORE && !this.isClosed)
      throw new Error(`New connections are accepted by ${size + 1} handles of the port, and not by ${MORE + 1}.`);
  }

  /** Stops accepting. */
  close(): void {
    this.isClosed = true;
    for (const server of this.servers) server.close();
  }

  private add(handle: unknown): void {
    // Configured like the HTTP server's own, except that reading is paused.
    const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true });
    server.on('connection', (socket) => this.queue.add(socket));
    server.listen(handle);
    this.servers.add(server);
    if (this.isClosed) server.close();
  }
}
