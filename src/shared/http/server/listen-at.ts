import type { Server } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { InvalidEnvironment, type EnvironmentFault } from '../../environment.js';

/**
 * @param variable that sets the port
 * @param lineMax limit of connections that wait to be accepted; absent: Node's default
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
      const named = isOfHost(error) ? 'HOST' : variable;
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

/**
 * Whether the address is one of this machine's: it is listened at for a moment, at any port, so that a wrong one is
 * reported together with the other settings.
 */
export async function hostFaults(host: string): Promise<readonly EnvironmentFault[]> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
    return [];
  } catch (error) {
    if (!isOfHost(error as NodeJS.ErrnoException)) return [];
    const { code } = error as NodeJS.ErrnoException;
    return [{ variable: 'HOST', reason: `cannot be listened on: ${host} (${code})` }];
  } finally {
    server.close();
  }
}

/** Whether the address is not one of this machine, or the name has no address. */
const isOfHost = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  code === 'EADDRNOTAVAIL' || /^E(?:AI_|NOTFOUND)/.test(code);
