import { once } from 'node:events';
import { createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** A typical company proxy: forwards plain requests, and opens tunnels. It resolves every name to a local port. */
export class ForwardProxyDouble {
  /** `CONNECT name:port` and whole addresses, in order of arrival. */
  readonly carried: string[] = [];
  /** Sent instead of a tunnel. */
  refusesWith: string | undefined;
  /** Every request is answered with this status and the received credentials. */
  repeatsWith: number | undefined;
  /** A tunnel is never answered. */
  isSilent = false;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  /** @param credentials required `user:password`, or undefined: none */
  private constructor(
    private readonly ports: Readonly<Record<string, number>>,
    private readonly credentials?: string,
  ) {
    this.server = createServer((request, response) => this.forward(request, response))
      .on('connect', (request: IncomingMessage, socket: Socket) => this.tunnel(request, socket))
      .on('connection', (socket: Socket) => this.keep(socket));
  }

  static async start(ports: Readonly<Record<string, number>>, credentials?: string): Promise<ForwardProxyDouble> {
    const proxy = new ForwardProxyDouble(ports, credentials);
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  /** @param credentials of the client */
  url(credentials = this.credentials): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://${credentials === undefined ? '' : `${credentials}@`}127.0.0.1:${port}`;
  }

  get openTunnels(): number {
    return this.sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.sockets.delete(socket));
  }

  private knows({ headers }: IncomingMessage): boolean {
    const auth = headers['proxy-authorization'];
    return this.credentials === undefined || auth === `Basic ${Buffer.from(this.credentials).toString('base64')}`;
  }

  private forward(request: IncomingMessage, response: ServerResponse): void {
    this.carried.push(`${request.method} ${request.url}`);
    const auth = request.headers['proxy-authorization'];
    if (this.repeatsWith !== undefined) {
      const words = `It is ${auth}, ${Buffer.from(auth!.slice(6), 'base64').toString()}`;
      response.writeHead(this.repeatsWith, { 'content-type': 'application/json' });
      return void response.end(
        JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: words } }),
      );
    }
    if (!this.knows(request)) return void response.writeHead(407).end();
    const url = new URL(request.url!);
    const { 'proxy-authorization': _own, ...headers } = request.headers;
    const onward = ask(
      { port: this.ports[url.hostname], method: request.method, path: url.pathname + url.search, headers },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  }

  private tunnel(request: IncomingMessage, socket: Socket): void {
    this.carried.push(`CONNECT ${request.url}`);
    if (this.isSilent) return void socket.resume().once('end', () => socket.destroy());
    if (!this.knows(request)) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    if (this.refusesWith !== undefined) return void socket.end(this.refusesWith);
    const onward = connect({ port: this.ports[request.url!.split(':')[0]!]! });
    this.keep(onward);
    onward.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
  }
}
