// A free port of this machine: for other scripts, and as a program it prints one.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

/** Below the ports that systems assign to programs that request any port. */
const FIRST = 20_000;
const END = 32_000;
const TRIES_MAX = 50;

export async function freePort() {
  for (let tries = 1; ; tries++) {
    const port = randomInt(FIRST, END);
    try {
      const server = createServer().listen(port, '127.0.0.1');
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
      return port;
    } catch (error) {
      if (error.code !== 'EADDRINUSE' || tries === TRIES_MAX) throw error;
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await freePort());
