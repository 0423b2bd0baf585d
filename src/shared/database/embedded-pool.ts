import pg from 'pg';
import type { EmbeddedDatabase } from './embedded.js';
import { storeDriver, type StoreDriver } from './store-driver.js';

/**
 * Longer than any statement should take. It turns code that waits for a second connection inside a transaction into an
 * error.
 */
const WAIT_MS_MAX = 10_000;

/**
 * The driver for TypeORM: a real pool, of one connection, over the embedded database, so that transactions queue
 * instead of mixing in its one session. Ending the pool closes the database: closing the DataSource closes everything.
 */
export function embeddedDriver(database: EmbeddedDatabase): StoreDriver {
  // A channel per client: on a shared channel the next client would receive the end of a dropped one.
  class EmbeddedClient extends pg.Client {
    constructor(settings?: pg.ClientConfig) {
      super(Object.assign({}, settings, { connection: database.connect() }));
    }
  }

  class EmbeddedPool extends pg.Pool {
    constructor() {
      super({
        Client: EmbeddedClient,
        max: 1,
        idleTimeoutMillis: 0,
        connectionTimeoutMillis: WAIT_MS_MAX,
        // The session outlives its clients: a transaction that a broken one left open ends here, before the first
        // statement. Where this fails, so does that.
        onConnect: (client) => client.query('rollback', () => undefined),
      });
    }

    override end(): Promise<void>;
    override end(callback: (error?: Error) => void): void;
    override end(callback?: (error?: Error) => void): Promise<void> | void {
      const ended = super.end().then(() => database.close());
      if (callback === undefined) return ended;
      ended.then(() => callback(), callback);
    }
  }

  return storeDriver(EmbeddedPool);
}
