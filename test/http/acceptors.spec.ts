// Goal: a server with more handles of its socket accepts several connections in a turn of the event loop, serves each
// as any other, and accepts none once it is closed. Method: a server of its own, as many clients at once as wait in its
// line, turns counted.
import { once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Acceptors } from '../../src/shared/http/acceptors.js';

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

  /** @returns in how many turns of the event loop all clients that wait in line are accepted */
  async function turnsToAccept(): Promise<number> {
    let accepted = 0;
    const count = (): void => void accepted++;
    server.on('connection', count);
    for (let client = 0; client < CLIENTS; client++) clients.push(connect(port, '127.0.0.1'));
    // Those who connect are this process's own: they are in line when their sockets were looked at.
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
  }, 30_000);

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
  }, 30_000);

  it('accept nothing where they are closed before they are there', async () => {
    const opening = acceptors.open();
    acceptors.close();
    server.close();
    await opening;
    await expect(served()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  }, 30_000);
});
