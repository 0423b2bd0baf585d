import { ProviderFault } from '../core/errors.js';
import { Connection, type TlsSession } from './connection.js';

/** Most calls at once to one origin: a provider that hangs takes its own connections, never another's. */
export const CONNECTIONS_MAX = 2048;

/** The connections to one origin. The one used last is used first, so that those of a busy hour close by themselves. */
export class OriginPool {
  /** When it was last used, on a scale of the caller's. */
  lastUsed = 0;
  private readonly idle: Connection[] = [];
  private readonly busy = new Set<Connection>();
  private readonly session: TlsSession = {};

  constructor(
    private readonly origin: string,
    private readonly connectionsMax = CONNECTIONS_MAX,
  ) {}

  get isIdle(): boolean {
    return this.busy.size === 0;
  }

  /** @throws ProviderFault `unavailable` when as many calls are open as may be, `unreachable` when the origin is not a URL */
  take(): Connection {
    if (this.busy.size >= this.connectionsMax) {
      throw new ProviderFault('unavailable', 'As many calls to the provider are open as the gateway allows.');
    }
    const connection = this.idle.pop() ?? this.open();
    this.busy.add(connection);
    return connection;
  }

  /** @param reusable false when its call failed: nothing is known then of the state of its socket */
  give(connection: Connection, reusable: boolean): void {
    if (!this.busy.delete(connection)) return;
    connection.settle();
    if (reusable) this.idle.push(connection);
    // Not at once: undici may be in the midst of telling about the failure.
    else setImmediate(() => connection.close());
  }

  close(): void {
    for (const connection of [...this.idle, ...this.busy]) connection.close();
    this.idle.length = 0;
  }

  private open(): Connection {
    try {
      return new Connection(this.origin, this.session, this.forget);
    } catch (error) {
      throw new ProviderFault('unreachable', "The provider's address is not a valid one.", {}, { cause: error });
    }
  }

  private readonly forget = (connection: Connection): void => {
    const index = this.idle.indexOf(connection);
    if (index !== -1) this.idle.splice(index, 1);
  };
}
