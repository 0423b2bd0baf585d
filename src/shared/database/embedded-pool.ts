import pg from 'pg';
import type { EmbeddedDatabase } from './embedded.js';

/**
 * Longer than any statement should take. It turns code that waits for a second connection inside a
 * transaction into an error.
 */
const WAIT_MS_MAX = 10_000;

/**
 * What TypeORM takes for the driver: a real pool, of one, over the embedded database, so that transactions
 * queue instead of mixing in its one session. Ending the pool closes the database: whoever closes the
 * DataSource has closed everything.
 */
export function embeddedDriver(database: EmbeddedDatabase): { readonly Pool: typeof pg.Pool } {
  // A channel per client, because a dropped client's end would be heard by the next one on a shared channel.
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
        // The session outlives its clients: what a broken one left open ends here.
        verify: (client, done) => client.query('rollback', (error) => done(error)),
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

  return { Pool: EmbeddedPool };
}
