import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A client's connection, and the onward one, which is missing while nothing is carried. */
interface Link {
  readonly client: Socket;
  server: Socket | undefined;
}

/** A proxy before a server, so that a test can interrupt and restore the connection. One per suite. */
export class TcpProxy {
  private server: Server | undefined;
  private readonly links = new Set<Link>();
  private readonly target: URL;
  private port = 0;
  /** Which bytes are carried: both ways, only to the server, or none. */
  private carries: 'both' | 'questions' | 'nothing' = 'both';

  /** @param target URL of the server, with its port */
  constructor(target: string) {
    this.target = new URL(target);
  }

  /** The target's URL through this proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** Starts to listen; at the same port again after a stop. */
  async start(): Promise<void> {
    this.carries = 'both';
    const server = createServer((client) => this.accept(client));
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Breaks every connection and refuses new ones. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => (this.server ? this.server.close(resolve) : resolve(undefined)));
    for (const { client, server } of this.links) {
      client.destroy();
      server?.destroy();
    }
    await closed;
    this.server = undefined;
  }

  /** Leaves every connection open and carries nothing more through them. New ones are carried. */
  freeze(): void {
    for (const link of this.links) hush(link, 'nothing');
  }

  /** Half-open: connections stay and new ones are accepted, but nothing is carried. */
  silence(): void {
    this.carries = 'nothing';
    this.freeze();
  }

  /** Carries requests and holds back every answer: the server acts, and the client does not learn of it. */
  mute(): void {
    this.carries = 'questions';
    for (const link of this.links) hush(link, 'questions');
  }

  /** Carries again, from where it stopped: held back bytes arrive late. */
  resume(): void {
    this.carries = 'both';
    for (const link of this.links) this.carry(link);
  }

  /** Carries new connections. Earlier ones stay open and silent for ever, as after a failover to another machine. */
  replace(): void {
    this.carries = 'both';
  }

  private accept(client: Socket): void {
    const link: Link = { client, server: undefined };
    this.links.add(link);
    client.on('error', () => undefined);
    client.on('close', () => {
      this.links.delete(link);
      link.server?.destroy();
    });
    if (this.carries !== 'nothing') this.carry(link);
  }

  private carry(link: Link): void {
    const { client } = link;
    const server = (link.server ??= this.connect(client));
    // Bytes that are piped twice would arrive twice.
    client.unpipe().pipe(server);
    if (this.carries === 'both') server.unpipe().pipe(client);
  }

  private connect(client: Socket): Socket {
    const server = connect(Number(this.target.port || 5432), this.target.hostname);
    server.on('error', () => undefined);
    server.on('close', () => client.destroy());
    return server;
  }
}

function hush({ client, server }: Link, carries: 'questions' | 'nothing'): void {
  server?.unpipe();
  server?.pause();
  if (carries === 'questions') return;
  client.unpipe();
  client.pause();
}
