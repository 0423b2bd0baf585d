// Checks that a server with several handles of its socket accepts several connections in one turn of the event loop,
// serves each like any other, and accepts none after it is closed. The test opens as many clients at once as fit in
// the backlog of its own server, and counts the turns.
import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Acceptors } from '../../src/shared/http/server/acceptors.js';

const CLIENTS = 160;
const HANDLES = 32;

describe('Acceptors', () => {
  let server: Server;
  let port: number;
  let acceptors: Acceptors;
  const clients: Socket[] = [];

  beforeEach(async () => {
    server = createServer((_, response) => response.end('served'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    acceptors = new Acceptors(server);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    acceptors.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** @returns the number of turns of the event loop in which all waiting clients are accepted */
  async function turnsToAccept(): Promise<number> {
    let accepted = 0;
    const count = (): void => void accepted++;
    server.on('connection', count);
    for (let client = 0; client < CLIENTS; client++) clients.push(connect(port, '127.0.0.1'));
    // The clients belong to this process: they are in the backlog once their sockets have been polled.
    let turns = 0;
    for (; accepted < CLIENTS && turns < 10 * CLIENTS; turns++) await setImmediate();
    server.off('connection', count);
    expect(accepted).toBe(CLIENTS);
    return turns;
  }

  it('accept several in a turn', async () => {
    expect(await turnsToAccept()).toBeGreaterThanOrEqual(CLIENTS);
    await acceptors.open();
    expect(await turnsToAccept()).toBeLessThan((2 * CLIENTS) / HANDLES + 10);
  }, 240_000);

  const served = async (): Promise<string> => {
    const [response] = (await once(get({ port, host: '127.0.0.1', agent: false }), 'response')) as [
      AsyncIterable<Buffer>,
    ];
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part);
    return Buffer.concat(parts).toString();
  };

  it('serve what they accept, and nothing once they are closed', async () => {
    await acceptors.open();
    expect(await Promise.all(Array.from({ length: 40 }, served))).toEqual(Array(40).fill('served'));
    acceptors.close();
    server.close();
    await expect(served()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  }, 240_000);

  it('accept nothing where they are closed before they are started', async () => {
    const opening = acceptors.open();
    acceptors.close();
    server.close();
    await opening;
    await expect(served()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  }, 240_000);
});
