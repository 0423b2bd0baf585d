import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import type { buildConnector, Dispatcher } from 'undici';
import type { ForwardProxy } from './forward-proxies.js';

/** Most bytes of a proxy's answer. */
const HEAD_BYTES_MAX = 16 * 1024;
const HEAD_END = '\r\n\r\n';

/** A proxy does not connect to where we want to go. */
export class ProxyRefused extends Error {
  override readonly name = 'ProxyRefused';
  /** For logs, as codes of the system are. */
  readonly code: string;

  /** @param status of its answer; absent: it was none that HTTP has */
  constructor(readonly status: number | undefined) {
    super(`The proxy refused to connect${status === undefined ? '' : ` (status ${status})`}.`);
    this.code = status === undefined ? 'PROXY_MALFORMED' : `PROXY_${status}`;
  }
}

/** Where a client connects to instead of its target. */
export const addressOf = ({
  isSecure,
  host,
  port,
}: ForwardProxy): Pick<buildConnector.Options, 'hostname' | 'port' | 'protocol'> => ({
  // oxfmt-ignore
  protocol: isSecure ? 'https:' : 'http:',
  hostname: host,
  port: String(port),
});

/** As a proxy wants a request that it reads itself, and hands on: with the whole address. */
export function forwarded(
  request: Dispatcher.DispatchOptions,
  { origin }: Pick<URL, 'origin'>,
  { authorization }: ForwardProxy,
): Dispatcher.DispatchOptions {
  const known = authorization !== undefined && { 'proxy-authorization': authorization };
  return { ...request, path: `${origin}${request.path}`, headers: { ...(request.headers as object), ...known } };
}

/** A socket that is being connected to a proxy. Ready with `connect`, or `secureConnect` where it is secure. */
export function connectToProxy({ isSecure, host, port }: ForwardProxy): Socket {
  if (!isSecure) return connectPlain({ host, port });
  return connectSecure({ host, port, ALPNProtocols: ['http/1.1'], ...(isIP(host) === 0 && { servername: host }) });
}

/**
 * Asks a proxy for a way through: what is written to the socket after that goes to the target.
 * @param socket as `connectToProxy` gives it; whoever has it closes it
 * @throws ProxyRefused, or what went wrong on the way
 */
export function openTunnel(
  socket: Socket,
  { isSecure, authorization }: ForwardProxy,
  target: { readonly host: string; readonly port: number },
): Promise<void> {
  const { host, port } = target;
  const address = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    let head = '';
    const settle = (error?: Error): void => {
      socket.off('data', take).off('error', settle).off('close', broken);
      if (error) return reject(error);
      socket.pause();
      resolve();
    };
    const broken = (): void => settle(new ProxyRefused(undefined));
    const take = (bytes: Buffer): void => {
      head += bytes.toString('latin1');
      const end = head.indexOf(HEAD_END);
      if (end === -1) return head.length > HEAD_BYTES_MAX ? broken() : undefined;
      const status = Number(/^HTTP\/1\.\d (\d{3})/.exec(head)?.[1]);
      // Nobody speaks before the client of a secure connection does.
      if (status < 200 || status > 299 || head.length > end + HEAD_END.length || Number.isNaN(status)) {
        return settle(new ProxyRefused(Number.isNaN(status) ? undefined : status));
      }
      settle();
    };
    socket
      .once('error', settle)
      .once('close', broken)
      .on('data', take)
      .once(isSecure ? 'secureConnect' : 'connect', () => {
        const known = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
        socket.write(`CONNECT ${address} HTTP/1.1\r\nHost: ${address}\r\n${known}\r\n`);
      });
  });
}
