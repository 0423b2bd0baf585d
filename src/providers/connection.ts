import { connect as connectPlain, type LookupFunction, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { Client, type buildConnector, type Dispatcher } from 'undici';
import { ProviderFault } from '../core/errors.js';
import type { ForwardProxy } from '../shared/http/forward-proxies.js';
import { connectToProxy, forwarded, openTunnel } from '../shared/http/proxy-tunnel.js';

/** Below what providers and the balancers before them keep idle connections open, so that we are the ones who close. */
const KEEP_ALIVE_MS = 30_000;
const TCP_KEEP_ALIVE_MS = 60_000;
const SOCKET_BUFFER_BYTES = 64 * 1024;
/**
 * What one read of any socket gives, until it is copied in the same turn. Node would make 64 KiB of memory for each
 * read, and a stream's bookkeeping around it: for events that come alone, more than all that is done with them.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(SOCKET_BUFFER_BYTES);
/** Most bytes of a response's status line and headers. */
const HEADER_BYTES_MAX = 64 * 1024;

/** No connection within the call's limit: name resolution, TCP and TLS together. */
export class ConnectTimedOut extends Error {
  override readonly name = 'ConnectTimedOut';

  constructor(readonly timeoutMs: number) {
    super(`No connection within ${timeoutMs} ms.`);
  }
}

/** How the host of an origin is reached: as the system says, by addresses that are known, or by a proxy. */
export interface Way {
  readonly lookup?: LookupFunction;
  readonly proxy?: ForwardProxy | undefined;
}

const DIRECT: Way = {};

/** Last TLS session of an origin, so that further connections resume it. */
export interface TlsSession {
  ticket?: Buffer;
}

/**
 * One connection to an origin, for one call at a time; it connects when a call finds it closed. It knows its socket at
 * every stage, connecting included, which undici's own pool does not tell.
 *
 * A slow reader is answered here, by giving undici nothing to read, and not by undici's `pause`: version 7.30 ends the
 * process with a failed assertion when a response with `connection: close` is reset, or ends, while it is paused.
 */
export class Connection {
  private readonly client: Client;
  private socket: Socket | undefined;
  private isPaused = false;
  /** What came and undici has not read: nothing, but for while it is paused. */
  private unread: Buffer | undefined;
  /** What came is being given to undici. */
  private isGiving = false;
  /** The socket reads no more until it is resumed. */
  private isStopped = false;
  private connectTimeoutMs = 0;
  /** Until it is connected: a carrier and what it carries have one limit together. */
  private overdue: NodeJS.Timeout | undefined;

  /**
   * @param onClose its socket has closed; called whether a call was under way or not
   * @param way how its host is reached
   */
  constructor(
    private readonly origin: string,
    private readonly session: TlsSession,
    private readonly onClose: (connection: Connection) => void,
    private readonly way: Way,
  ) {
    this.client = new Client(origin, {
      connect: this.connect,
      pipelining: 1,
      // Silence is limited by the gateway, which knows who waits for whom.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
    });
  }

  send(options: Dispatcher.DispatchOptions, receiver: Dispatcher.DispatchHandler, connectTimeoutMs: number): void {
    this.connectTimeoutMs = connectTimeoutMs;
    this.isPaused = false;
    const { origin, way } = this;
    const isForwarded = way.proxy && origin.startsWith('http:');
    this.client.dispatch(isForwarded ? forwarded(options, { origin }, way.proxy) : options, receiver);
  }

  pause(): void {
    this.isPaused = true;
  }

  /** Never to be called while undici reads: it reads on at once. */
  resume(): void {
    this.isPaused = false;
    const { socket } = this;
    socket?.emit('readable');
    if (!this.isStopped || this.isPaused) return;
    this.isStopped = false;
    socket?.resume();
  }

  /** The call is over: whatever else the socket says, such as its end, is heard again. */
  settle(): void {
    this.isPaused = false;
    // Not at once: undici may be reading.
    if (this.isStopped) setImmediate(() => !this.isPaused && this.resume());
  }

  /** Closes the socket at once, at any stage. A call under way fails. */
  abandon(): void {
    this.socket?.destroy(new Error('The call was abandoned.'));
  }

  /** For good. */
  close(): void {
    this.client.destroy().catch(() => undefined);
  }

  private readonly connect: buildConnector.connector = (target, callback) => {
    const timeoutMs = this.connectTimeoutMs;
    this.overdue = setTimeout(() => this.socket?.destroy(new ConnectTimedOut(timeoutMs)), timeoutMs);
    let pending = true;
    const settle: buildConnector.Callback = (...outcome) => {
      clearTimeout(this.overdue);
      if (pending) callback(...outcome);
      pending = false;
    };
    const isSecure = target.protocol === 'https:';
    const { proxy } = this.way;
    if (proxy && isSecure) this.connectThrough(proxy, target, settle);
    else if (proxy) this.adopt(connectToProxy(proxy), proxy.isSecure, settle);
    else this.adopt(isSecure ? this.openSecure(target) : this.openPlain(target), isSecure, settle);
  };

  /** What goes through is the provider's alone to read. */
  private connectThrough(proxy: ForwardProxy, target: buildConnector.Options, settle: buildConnector.Callback): void {
    const carrier = connectToProxy(proxy);
    this.keep(carrier, settle);
    openTunnel(carrier, proxy, { host: target.hostname, port: Number(target.port || 443) }).then(
      () => this.adopt(this.openSecure(target, carrier), true, settle),
      (error: Error) => {
        settle(error, null);
        carrier.destroy();
      },
    );
  }

  /** Has it read by undici when it is connected. */
  private adopt(socket: Socket, isSecure: boolean, settle: buildConnector.Callback): void {
    this.keep(socket, settle);
    this.unread = undefined;
    this.isStopped = false;
    const read = socket.read.bind(socket);
    // The stream's own knows of nothing but its end, which does not come together with bytes.
    socket.read = (size?: number): unknown => {
      if (this.isPaused) return null;
      const { unread } = this;
      if (unread === undefined) return this.isGiving ? null : read(size);
      this.unread = undefined;
      return unread;
    };
    socket.setNoDelay(true).setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      settle(null, socket);
      // Of a server that speaks first: undici listens a microtask later.
      setImmediate(() => this.unread && socket.emit('readable'));
    });
  }

  private keep(socket: Socket, settle: buildConnector.Callback): void {
    this.socket = socket;
    socket
      .on('error', (error) => settle(error, null))
      .once('close', () => {
        // One that carried another is no longer ours to end.
        if (this.socket !== socket) return;
        // One that ends without an error, before it is connected, leaves no timer for the next.
        clearTimeout(this.overdue);
        this.socket = undefined;
        this.onClose(this);
      });
  }

  private readonly onread = {
    buffer: READ_BUFFER,
    /** @returns false to read no more for now */
    callback: (bytes: number): boolean => {
      const chunk = Buffer.allocUnsafe(bytes);
      READ_BUFFER.copy(chunk, 0, 0, bytes);
      this.unread = this.unread ? Buffer.concat([this.unread, chunk]) : chunk;
      this.isGiving = true;
      try {
        this.socket?.emit('readable');
      } finally {
        this.isGiving = false;
      }
      this.isStopped = this.isPaused;
      return !this.isStopped;
    },
  };

  private openPlain(target: buildConnector.Options): Socket {
    const { lookup } = this.way;
    const { onread } = this;
    return connectPlain({ host: target.hostname, port: Number(target.port || 80), onread, ...(lookup && { lookup }) });
  }

  /** @param carrier what it goes through; absent: it leads there itself */
  private openSecure(target: buildConnector.Options, carrier?: Socket): Socket {
    const { ticket } = this.session;
    const { lookup } = this.way;
    const options = {
      host: target.hostname,
      port: Number(target.port || 443),
      ALPNProtocols: ['http/1.1'],
      // The types of tls.connect do not list it; its documentation does. Of what is carried it has no effect.
      onread: this.onread,
      ...(target.servername && { servername: target.servername }),
      ...(ticket && { session: ticket }),
      ...(lookup && { lookup }),
      ...(carrier && { socket: carrier }),
    };
    const socket = connectSecure(options);
    socket.on('session', (latest: Buffer) => {
      this.session.ticket = latest;
    });
    return socket;
  }
}

/** Most calls at once to one origin: a provider that hangs takes its own connections, never another's. */
export const CONNECTIONS_MAX = 2048;

/** The connections to one origin. The one used last is used first, so that those of a busy hour close by themselves. */
export class OriginPool {
  /** When it was last used, on a scale of the caller's. */
  lastUsed = 0;
  /** A proxy reads its calls, and may answer them itself. */
  readonly isForwarded: boolean;
  private readonly idle: Connection[] = [];
  private readonly busy = new Set<Connection>();
  private readonly session: TlsSession = {};

  constructor(
    private readonly origin: string,
    private readonly way: Way = DIRECT,
    private readonly connectionsMax = CONNECTIONS_MAX,
  ) {
    this.isForwarded = way.proxy !== undefined && origin.startsWith('http:');
  }

  get isIdle(): boolean {
    return this.busy.size === 0;
  }

  /**
   * @throws ProviderFault `unavailable` when as many calls are open as may be, `unreachable`
   *   when the origin is not a URL
   */
  acquire(): Connection {
    if (this.busy.size >= this.connectionsMax) {
      throw new ProviderFault('unavailable', 'As many calls to the provider are open as the gateway allows.');
    }
    const connection = this.idle.pop() ?? this.open();
    this.busy.add(connection);
    return connection;
  }

  /** @param reusable false when its call failed: nothing is known then of the state of its socket */
  release(connection: Connection, reusable: boolean): void {
    if (!this.busy.delete(connection)) return;
    connection.settle();
    if (reusable) this.idle.push(connection);
    // Not at once: undici may be in the midst of reporting the failure.
    else setImmediate(() => connection.close());
  }

  close(): void {
    for (const connection of [...this.idle, ...this.busy]) connection.close();
    this.idle.length = 0;
  }

  private open(): Connection {
    try {
      return new Connection(this.origin, this.session, this.forget, this.way);
    } catch (error) {
      throw new ProviderFault('unreachable', "The provider's address is not a valid one.", {}, { cause: error });
    }
  }

  private readonly forget = (connection: Connection): void => {
    const index = this.idle.indexOf(connection);
    if (index !== -1) this.idle.splice(index, 1);
  };
}
