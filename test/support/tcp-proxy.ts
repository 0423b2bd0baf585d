import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Stands before a server, so that a test can take the way to it away and give it back. One per suite. */
export class TcpProxy {
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  private readonly target: URL;
  private port = 0;

  /** @param target URL of the server, with its port */
  constructor(target: string) {
    this.target = new URL(target);
  }

  /** The target's URL, by way of this proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** Opens the way; again at the same port after a stop. */
  async start(): Promise<void> {
    const server = createServer((client) => this.join(client));
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Breaks every connection and refuses new ones. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => (this.server ? this.server.close(resolve) : resolve(undefined)));
    for (const socket of this.sockets) socket.destroy();
    await closed;
    this.server = undefined;
  }

  /** Leaves every connection open and carries nothing more through them. */
  freeze(): void {
    for (const socket of this.sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  private join(client: Socket): void {
    const server = connect(Number(this.target.port || 5432), this.target.hostname);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
