// A server that owes an answer and falls silent is given up, and an idle connection is kept: tested by the socket's
// event for ten silent seconds, on a real connection.
import type { Socket } from 'node:net';
import { WatchedClient } from '../../src/shared/database/watched-client.js';
import { describeOnPostgres } from '../support/database.js';

describeOnPostgres('a watched connection', (database) => {
  let client: WatchedClient;
  beforeEach(async () => {
    client = new WatchedClient(database.settings.databaseUrl!.reveal());
    client.on('error', () => undefined);
    await client.connect();
  });
  afterEach(() => client.end());

  const fallSilent = (): void => {
    const { connection } = client as unknown as { readonly connection: { readonly stream: Socket } };
    connection.stream.emit('timeout');
  };

  it('is kept while no answer is pending, before its first statement and after it', async () => {
    fallSilent();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    fallSilent();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('is closed if an answer is pending too long, even after a long idle time', async () => {
    fallSilent();
    const answer = client.query('select pg_sleep(30)');
    // It has been sent.
    await new Promise((resolve) => setTimeout(resolve, 50));
    fallSilent();
    await expect(answer).rejects.toThrow('no answer in time');
  });
});
