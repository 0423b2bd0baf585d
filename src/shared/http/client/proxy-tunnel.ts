import { connect as connectPlain, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import type { buildConnector, Dispatcher } from 'undici';
import type { ForwardProxy } from './forward-proxies.js';

/** Limit of a proxy's answer, in bytes. */
const HEAD_BYTES_MAX = 16 * 1024;
const HEAD_END = '\r\n\r\n';

/** A proxy refused to connect to the target. */
export class ProxyRefused extends Error {
  override readonly name = 'ProxyRefused';
  /** For logs, like the codes of system errors. */
  readonly code: string;

  /** @param status of its answer; absent: the answer was not HTTP */
  constructor(readonly status: number | undefined) {
    super(`The proxy refused to connect${status === undefined ? '' : ` (status ${status})`}.`);
    this.code = status === undefined ? 'PROXY_MALFORMED' : `PROXY_${status}`;
  }
}

/** The address a client connects to instead of its target. */
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

/** A request in the form that a proxy reads and forwards: its path is the whole address. */
export function forwarded(
  request: Dispatcher.DispatchOptions,
  { origin }: Pick<URL, 'origin'>,
  { authorization }: ForwardProxy,
): Dispatcher.DispatchOptions {
  const known = authorization !== undefined && { 'proxy-authorization': authorization };
  return { ...request, path: `${origin}${request.path}`, headers: { ...(request.headers as object), ...known } };
}

/**
 * A socket that is being connected to a proxy. Ready on `connect`, or on `secureConnect` where it is secure.
 * @param onread as of `net.connect`; absent: it is read as any stream
 */
export function connectToProxy({ isSecure, host, port }: ForwardProxy, onread?: OnReadOpts): Socket {
  const address = { host, port, ...(onread && { onread }) };
  if (!isSecure) return connectPlain(address);
  return connectSecure({ ...address, ALPNProtocols: ['http/1.1'], ...(isIP(host) === 0 && { servername: host }) });
}

/**
 * Requests a tunnel from a proxy: bytes written to the socket after that go to the target.
 * @param socket as returned by `connectToProxy`; its owner closes it
 * @throws ProxyRefused, or the error of the connection
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
      // The client of a secure connection sends first, so there must be no bytes after the head.
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
