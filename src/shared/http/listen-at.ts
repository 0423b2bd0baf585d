import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InvalidEnvironment } from '../environment.js';

/**
 * @param variable which sets the port
 * @param lineMax connections that wait to be accepted; absent: Node's own number
 * @returns the address as a URL without a path
 * @throws InvalidEnvironment when the port is taken or the address is not this machine's
 */
export async function listenAt(
  server: Server,
  variable: string,
  port: number,
  host: string,
  lineMax?: number,
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException): void => {
      const named = error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' ? 'HOST' : variable;
      const reason = `cannot be listened on: ${host}:${port} (${error.code ?? 'unknown reason'})`;
      reject(new InvalidEnvironment([{ variable: named, reason }]));
    };
    server.once('error', refused);
    server.listen(port, host, lineMax, () => {
      server.off('error', refused);
      resolve();
    });
  });
  const bound = (server.address() as AddressInfo).port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
}
