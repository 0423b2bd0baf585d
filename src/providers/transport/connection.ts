import { connect as connectPlain, type LookupFunction, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectSecure } from 'node:tls';
import { Client, type buildConnector, type Dispatcher } from 'undici';
import { ProviderFault } from '../../core/errors.js';
import type { ForwardProxy } from '../../shared/http/client/forward-proxies.js';
import { connectToProxy, forwarded, openTunnel } from '../../shared/http/client/proxy-tunnel.js';

/** Below the idle time-outs of providers and their balancers, so that this side closes idle connections. */
const KEEP_ALIVE_MS = 30_000;
const TCP_KEEP_ALIVE_MS = 60_000;
const SOCKET_BUFFER_BYTES = 64 * 1024;
/**
 * The buffer of every socket's reads, copied in the same turn. Node would allocate 64 KiB for each read: for events
 * that arrive one at a time, that costs more than all other work on them.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(SOCKET_BUFFER_BYTES);
/** Maximum number of bytes of a response's status line and headers. */
const HEADER_BYTES_MAX = 64 * 1024;

/** No connection within the call's limit, which covers name resolution, TCP and TLS together. */
export class ConnectTimedOut extends Error {
  override readonly name = 'ConnectTimedOut';

  constructor(readonly timeoutMs: number) {
    super(`No connection within ${timeoutMs} ms.`);
  }
}

/** Means by which the host of an origin is reached: the system's resolver, known addresses, or a proxy. */
export interface ConnectionPath {
  readonly lookup?: LookupFunction;
  readonly proxy?: ForwardProxy | undefined;
}

const DIRECT: ConnectionPath = {};

/** Last TLS session of an origin, so that further connections resume it. */
export interface TlsSession {
  ticket?: Buffer;
}

/**
 * One connection to an origin, for one call at a time. It connects when a call finds it closed. It knows its socket at
 * every stage, also while it connects; undici's own pool does not expose that.
 *
 * For a slow reader it stops reading from the socket. undici's `pause` is not used: version 7.30 ends the process with
 * a failed assertion when a response with `connection: close` is reset, or ends, while it is paused.
 */
export class Connection {
  private readonly client: Client;
  private socket: Socket | undefined;
  private isPaused = false;
  /** Bytes that arrived while it was paused. The socket then reads no more. */
  private held: Buffer | undefined;
  /** The stream under the socket, where another socket carries it. */
  private carried: Duplex | undefined;
  private connectTimeoutMs = 0;
  /** Time limit until it is connected. A carrier and the connection through it share one limit. */
  private overdue: NodeJS.Timeout | undefined;

  /**
   * @param onClose its socket has closed; called whether or not a call was active
   * @param path how its host is reached
   */
  constructor(
    private readonly origin: string,
    private readonly session: TlsSession,
    private readonly onClose: (connection: Connection) => void,
    private readonly path: ConnectionPath,
  ) {
    this.client = new Client(origin, {
      connect: this.connect,
      pipelining: 1,
      // The gateway limits silence itself.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
    });
  }

  send(options: Dispatcher.DispatchOptions, receiver: Dispatcher.DispatchHandler, connectTimeoutMs: number): void {
    this.connectTimeoutMs = connectTimeoutMs;
    const { origin, path } = this;
    const isForwarded = path.proxy && origin.startsWith('http:');
    this.client.dispatch(isForwarded ? forwarded(options, { origin }, path.proxy) : options, receiver);
  }

  pause(): void {
    this.isPaused = true;
    this.carried?.pause();
  }

  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    const { held } = this;
    this.held = undefined;
    // The reader of this chunk resumes the reads of the socket.
    if (held) this.socket?.push(held);
    this.carried?.resume();
  }

  /** Closes the socket at once, at any stage. An active call fails. */
  abandon(): void {
    this.socket?.destroy(new Error('The call was abandoned.'));
  }

  /** Closes it permanently. */
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
    const { proxy } = this.path;
    if (proxy && isSecure) this.connectThrough(proxy, target, settle);
    else if (proxy) this.adopt(connectToProxy(proxy, this.onread), proxy.isSecure, settle);
    else this.adopt(isSecure ? this.openSecure(target) : this.openPlain(target), isSecure, settle);
  };

  /** Connects through a proxy. Only the provider can read what passes through the tunnel. */
  private connectThrough(proxy: ForwardProxy, target: buildConnector.Options, settle: buildConnector.Callback): void {
    const carrier = connectToProxy(proxy);
    this.keep(carrier, settle);
    openTunnel(carrier, proxy, { host: target.hostname, port: Number(target.port || 443) }).then(
      () => {
        const carried = Duplex.from({ readable: carrier, writable: carrier });
        this.adopt(this.openSecure(target, carried), true, settle, carried);
      },
      (error: Error) => {
        settle(error, null);
        carrier.destroy();
      },
    );
  }

  /** Has it read by undici when it is connected. */
  private adopt(socket: Socket, isSecure: boolean, settle: buildConnector.Callback, carried?: Duplex): void {
    this.keep(socket, settle);
    this.isPaused = false;
    this.held = undefined;
    this.carried = carried;
    socket.setNoDelay(true).setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    socket.once(isSecure ? 'secureConnect' : 'connect', () => settle(null, socket));
  }

  private keep(socket: Socket, settle: buildConnector.Callback): void {
    this.socket = socket;
    socket
      .on('error', (error) => settle(error, null))
      .once('close', () => {
        // A socket that carried another connection is no longer ours to end.
        if (this.socket !== socket) return;
        // A socket that ends without an error before it is connected must leave no timer for the next one.
        clearTimeout(this.overdue);
        this.socket = undefined;
        this.onClose(this);
      });
  }

  private readonly onread = {
    buffer: READ_BUFFER,
    /** @returns false to read no more until the socket is read */
    callback: (bytes: number): boolean => {
      const chunk = Buffer.allocUnsafe(bytes);
      READ_BUFFER.copy(chunk, 0, 0, bytes);
      if (this.isPaused) this.held = this.held ? Buffer.concat([this.held, chunk]) : chunk;
      else this.socket?.push(chunk);
      return !this.isPaused;
    },
  };

  private openPlain(target: buildConnector.Options): Socket {
    const { lookup } = this.path;
    const { onread } = this;
    return connectPlain({ host: target.hostname, port: Number(target.port || 80), onread, ...(lookup && { lookup }) });
  }

  /** @param carrier the connection through which it runs; absent: it is direct */
  private openSecure(target: buildConnector.Options, carrier?: Duplex): Socket {
    const { ticket } = this.session;
    const { lookup } = this.path;
    const options = {
      host: target.hostname,
      port: Number(target.port || 443),
      ALPNProtocols: ['http/1.1'],
      // The types of tls.connect do not list it; its documentation does. It has no effect on a carried socket.
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

/** Maximum number of concurrent calls to one origin, so that a provider that hangs uses up only its own connections. */
export const CONNECTIONS_MAX = 2048;

/**
 * The connections to one origin. The most recently used one is taken first, so that surplus connections of a busy hour
 * close by themselves.
 */
export class OriginPool {
  /** When it was last used, in units of the caller's choice. */
  lastUsed = 0;
  /** A proxy reads its calls, and may answer them itself. */
  readonly isForwarded: boolean;
  private readonly idle: Connection[] = [];
  private readonly busy = new Set<Connection>();
  private readonly session: TlsSession = {};

  constructor(
    private readonly origin: string,
    private readonly path: ConnectionPath = DIRECT,
    private readonly connectionsMax = CONNECTIONS_MAX,
  ) {
    this.isForwarded = path.proxy !== undefined && origin.startsWith('http:');
  }

  get isIdle(): boolean {
    return this.busy.size === 0;
  }

  /** @throws ProviderFault `unavailable` at the limit of open calls, `unreachable` when the origin is not a URL */
  acquire(): Connection {
    if (this.busy.size >= this.connectionsMax) {
      throw new ProviderFault('unavailable', 'The gateway has as many open calls to this provider as it allows.');
    }
    const connection = this.idle.pop() ?? this.open();
    this.busy.add(connection);
    return connection;
  }

  /** @param reusable false when its call failed: the state of its socket is then unknown */
  release(connection: Connection, reusable: boolean): void {
    if (!this.busy.delete(connection)) return;
    connection.resume();
    if (reusable) this.idle.push(connection);
    // Deferred: undici may still be reporting the failure.
    else setImmediate(() => connection.close());
  }

  close(): void {
    for (const connection of [...this.idle, ...this.busy]) connection.close();
    this.idle.length = 0;
  }

  private open(): Connection {
    try {
      return new Connection(this.origin, this.session, this.forget, this.path);
    } catch (error) {
      throw new ProviderFault('unreachable', "The provider's address is not a valid one.", {}, { cause: error });
    }
  }

  private readonly forget = (connection: Connection): void => {
    const index = this.idle.indexOf(connection);
    if (index !== -1) this.idle.splice(index, 1);
  };
}
