import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';

/**
 * Longest that the server may say nothing while it owes an answer. Requests wait 2 s at most; anything
 * slower says so by `withoutTimeout`.
 */
const SILENCE_MS_MAX = 10_000;

interface DriverParts {
  readonly connection: EventEmitter & { readonly stream: Socket };
  /** Undefined before the first statement, and null after each, while nothing is owed. */
  _getActiveQuery(): unknown;
}

/**
 * A connection that is given up when the server falls silent without closing it: by an unplugged cable, a paused
 * machine, a failover that lost the old address. Else it would be waited for as long as the operating system keeps it,
 * and be missing in the pool.
 */
export class WatchedClient extends pg.Client {
  /** Statements that may take their time are under way. */
  isPatient = false;

  constructor(options?: string | pg.ClientConfig) {
    super(options);
    this.watch();
    // Under TLS the socket is another one from here on.
    this.parts().connection.once('sslconnect', () => this.watch());
  }

  private watch(): void {
    // Each time, and not the first time alone: it may have been idle then.
    this.parts()
      .connection.stream.setTimeout(SILENCE_MS_MAX)
      .on('timeout', () => this.giveUp());
  }

  private giveUp(): void {
    // An idle connection owes nothing; a dead one shows at its next use.
    if (this.isPatient || !this.parts()._getActiveQuery()) return;
    // The driver takes these words for a lost connection, and so does whoever asked.
    this.parts().connection.stream.destroy(new Error('Connection terminated: no answer in time'));
  }

  // Neither is in the driver's types, and there is no other way to its socket.
  private parts(): DriverParts {
    return this as unknown as DriverParts;
  }
}

/**
 * Lets statements on this connection take their time: a migration, a lock that is waited for. Anything but
 * a watched client passes.
 */
export async function withoutTimeout<T>(client: unknown, act: () => Promise<T>): Promise<T> {
  if (!(client instanceof WatchedClient)) return act();
  client.isPatient = true;
  try {
    return await act();
  } finally {
    client.isPatient = false;
  }
}
