import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { ChunkedBody } from './chunked-body.js';

/** Not a digit of a chunk's size. */
const letter = (index: number): string => String.fromCharCode(103 + (index % 20));

/** Writes pieces of these sizes, each of one letter, and waits for `drain` when required. */
async function writePieces(response: ServerResponse, sizes: readonly number[]): Promise<void> {
  const body = new ChunkedBody(response);
  body.begin(200, { 'Content-Type': 'text/plain' });
  for (const [index, size] of sizes.entries()) {
    if (!body.write(letter(index).repeat(size))) await once(response, 'drain');
    if (index % 3 === 0) await delay(0);
  }
  body.end();
}

const written = (sizes: readonly number[]): string => sizes.map((size, index) => letter(index).repeat(size)).join('');

/** The pieces of a reply from its bytes on the wire. */
const sent = (wire: string): string => (wire.slice(wire.indexOf('\r\n\r\n')).match(/[g-z]+(?=\r\n)/g) ?? []).join('');

describe('ChunkedBody', () => {
  let server: Server;
  let answer: (response: ServerResponse, path: string) => Promise<void>;
  const port = (): number => (server.address() as AddressInfo).port;
  beforeAll(async () => {
    server = createServer((request, response) => void answer(response, request.url!));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  it.each([
    { name: 'one by one', sizes: [1, 2, 3, 100, 1_000] },
    { name: 'as large as what a socket keeps', sizes: [5, 16_000, 16_384, 16_385, 65_536, 7] },
    { name: 'many together', sizes: Array.from({ length: 600 }, (_, index) => 1 + ((index * 97) % 900)) },
    { name: 'more than the kernel takes', sizes: [10, 4_000_000, 20, 4_000_000, 30, 40] },
  ])('sends pieces in the order of their writing: $name', async ({ sizes }) => {
    answer = (response) => writePieces(response, sizes);
    const socket = connect(port(), '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n');
    // Reads late, so that the socket's buffer fills.
    await delay(30);
    const wire = await text(socket);
    expect(wire).toMatch(/\r\n0\r\n\r\n$/);
    expect(sent(wire) === written(sizes)).toBe(true);
  });

  it('keeps the pieces of a pipelined request behind the reply before it', async () => {
    answer = async (response, path) => {
      if (path === '/first') await delay(60);
      await writePieces(response, path === '/first' ? [3, 4] : [5, 6, 7]);
    };
    const socket = connect(port(), '127.0.0.1');
    socket.write(
      'GET /first HTTP/1.1\r\nHost: test\r\n\r\nGET /second HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n',
    );
    const wire = await text(socket);
    const bodies = wire.split('HTTP/1.1 200 OK').slice(1);
    expect(bodies.map(sent)).toEqual([written([3, 4]), written([5, 6, 7])]);
  });
});
