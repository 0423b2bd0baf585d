import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { Reception } from './reception.js';

/**
 * Handles besides the first. Chosen: with 32, a turn of 10 ms still accepts 3,200 connections a second, and the one
 * that comes alone costs the others a look in vain, some microseconds in all.
 */
const MORE = 31;
/** A process that does not start in this time starts no more. */
const START_MS_MAX = 10_000;
/** What the other process runs, until nobody is there to send it one: it sends back each handle it is sent. */
const RETURN_HANDLES = `process.on('message', (message, handle) => process.send(message, handle))`;

/**
 * More handles of the socket that a server listens on. Node accepts one connection for each handle and turn of the
 * event loop, which may be a hundred a second while much is to be done; those that came and left again stay in the line
 * all the same, before everybody else's (docs/decisions/0056). A handle cannot be copied within a process: another
 * process is sent the one there is, and what it sends back is a copy.
 */
export class Acceptors {
  private readonly servers = new Set<Server>();
  private readonly reception: Reception;
  private isClosed = false;

  /** @param server listens, and gets all connections */
  constructor(private readonly server: Server) {
    this.reception = new Reception(server);
  }

  /**
   * Opens them. Connections are accepted meanwhile, one a turn.
   * @throws when the other process does not do its work; as many are accepted then as there are handles
   */
  async open(): Promise<void> {
    const other = spawn(process.execPath, ['--eval', RETURN_HANDLES], {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const limit = setTimeout(() => other.kill(), START_MS_MAX);
    // One after the other: a handle that waits to be sent may be closed meanwhile.
    const ask = (): void => {
      const { _handle: handle } = this.server as unknown as { readonly _handle: Server | null };
      if (this.isClosed || !handle || this.servers.size >= MORE) other.disconnect();
      else other.send('', handle);
    };
    other.on('message', (_, copy) => {
      this.add(copy);
      ask();
    });
    try {
      ask();
      await once(other, 'exit');
    } finally {
      clearTimeout(limit);
    }
    const { size } = this.servers;
    if (size < MORE && !this.isClosed)
      throw new Error(`New connections are accepted by ${size + 1} handles of the port, and not by ${MORE + 1}.`);
  }

  /** Accepts nothing more. */
  close(): void {
    this.isClosed = true;
    for (const server of this.servers) server.close();
  }

  private add(handle: unknown): void {
    // As the server of HTTP has its own made, but for the reading.
    const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true });
    server.on('connection', (socket) => this.reception.add(socket));
    server.listen(handle);
    this.servers.add(server);
    if (this.isClosed) server.close();
  }
}
