// A port of this machine that nobody has: for other scripts, and as a program it prints one.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await freePort());
