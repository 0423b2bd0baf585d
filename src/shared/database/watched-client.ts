import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import pg from 'pg';

/**
 * Longest silence of the server while it owes an answer. Requests wait 2 s at most; slower statements use
 * `withoutTimeout`.
 */
const SILENCE_MS_MAX = 10_000;

interface DriverParts {
  readonly connection: EventEmitter & { readonly stream: Socket };
  /** Undefined before the first statement, and null after each, while no answer is owed. */
  _getActiveQuery(): unknown;
}

/**
 * A connection that is dropped when the server falls silent without closing it: through an unplugged cable, a paused
 * machine, a failover that lost the old address. Otherwise it would wait as long as the operating system keeps it, and
 * be missing in the pool.
 */
export class WatchedClient extends pg.Client {
  /** Whether statements without a time limit are pending. */
  isPatient = false;

  constructor(options?: string | pg.ClientConfig) {
    super(options);
    this.watch();
    // Under TLS the socket is replaced here.
    this.parts().connection.once('sslconnect', () => this.watch());
  }

  private watch(): void {
    // Each time, and not only the first: it may have been idle then.
    this.parts()
      .connection.stream.setTimeout(SILENCE_MS_MAX)
      .on('timeout', () => this.giveUp());
  }

  private giveUp(): void {
    // An idle connection owes nothing; a dead one shows at its next use.
    if (this.isPatient || !this.parts()._getActiveQuery()) return;
    // The driver and its callers recognise a lost connection by this message.
    this.parts().connection.stream.destroy(new Error('Connection terminated: no answer in time'));
  }

  // The driver's types lack these two members, and there is no other access to its socket.
  private parts(): DriverParts {
    return this as unknown as DriverParts;
  }
}

/**
 * Runs statements on this connection without a time limit: a migration, a wait for a lock. Other kinds of clients are
 * accepted.
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
