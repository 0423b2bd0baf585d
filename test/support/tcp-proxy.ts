import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A client's connection, and its way on; that is missing while nothing is carried for it. */
interface Link {
  readonly client: Socket;
  server: Socket | undefined;
}

/** Stands before a server, so that a test can take the way to it away and give it back. One per suite. */
export class TcpProxy {
  private server: Server | undefined;
  private readonly links = new Set<Link>();
  private readonly target: URL;
  private port = 0;
  /** What becomes of bytes: carried both ways, only to the server, or not at all. */
  private carries: 'both' | 'questions' | 'nothing' = 'both';

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

  /** Half-open: connections stay and new ones are accepted, yet nothing is carried any more. */
  silence(): void {
    this.carries = 'nothing';
    this.freeze();
  }

  /** Carries what is asked and keeps back every answer: the server acts, and nobody hears of it. */
  mute(): void {
    this.carries = 'questions';
    for (const link of this.links) hush(link, 'questions');
  }

  /** Carries again, from where it stopped: what was kept back arrives late. */
  resume(): void {
    this.carries = 'both';
    for (const link of this.links) this.carry(link);
  }

  /** Carries new connections. Those of before stay open and silent for ever, as after a failover to another machine. */
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
    // Bytes of what is piped twice would arrive twice.
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
