import { createServer, type RequestListener, type Server } from 'node:http';
import { Acceptors } from './acceptors.js';
import { bodyMsMax } from './body-reader.js';
import { answerBrokenRequests, answerExpectation, HEADER_BYTES_MAX } from './broken-requests.js';
import { listenAt } from './listen-at.js';
import { servedMessages } from './served-messages.js';

/** Longer than balancers keep idle connections: it is they who close them, so no request meets a closing socket. */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_MS_MAX = 60_000;
/**
 * Connections that wait to be accepted, as many as Linux allows by default: whoever finds no place comes again a second
 * later.
 */
const LINE_MAX = 4_096;

/**
 * The port of the process. It opens before the application is ready, so that probes get an answer while the store is
 * opened and migrated: alive, but not ready. `admit` lets the application answer from then on.
 */
export class HttpListener {
  readonly server: Server;
  /** What it makes of each request, for the application to adopt. */
  readonly messages = servedMessages();
  private readonly acceptors: Acceptors;

  /** @param bodyBytesMax the largest body that is read, in bytes */
  constructor(bodyBytesMax: number) {
    this.server = createServer(
      {
        maxHeaderSize: HEADER_BYTES_MAX,
        keepAliveTimeout: KEEP_ALIVE_MS,
        headersTimeout: HEADERS_MS_MAX,
        // Whoever reads a body ends one that comes too slowly; this is for those that nobody reads.
        requestTimeout: HEADERS_MS_MAX + bodyMsMax(bodyBytesMax),
        noDelay: true,
        requireHostHeader: false,
        ...this.messages,
      },
      starting,
    );
    this.acceptors = new Acceptors(this.server);
    answerBrokenRequests(this.server);
    this.server.on('request', tellQueuedOfClose);
    this.server.on('checkExpectation', answerExpectation);
    // Node would ask every client that waits to be asked for its body, strangers too. Here it is whoever
    // reads the body that asks.
    this.server.on('checkContinue', (request, response) => this.server.emit('request', request, response));
  }

  /** @returns and throws as `listenAt` */
  open(port: number, host: string): Promise<string> {
    return listenAt(this.server, 'PORT', port, host, LINE_MAX);
  }

  /**
   * Accepts several connections in a turn of the event loop: of a process that has the port to itself.
   * @throws when it goes on accepting one
   */
  acceptFaster(): Promise<void> {
    return this.acceptors.open();
  }

  /** Accepts no more connections; those there are go on. */
  close(): void {
    this.acceptors.close();
    this.server.close();
  }

  /** From now on these are asked with each request, one after the other. */
  admit(...listeners: readonly RequestListener[]): void {
    this.server.off('request', starting);
    for (const listener of listeners) this.server.on('request', listener);
  }
}

/**
 * An answer that waits behind another on its connection is not told by Node when that closes before its turn: whatever
 * was to end with it would go on, and what it held be kept for good. It is destroyed then, as one that Node tells is;
 * `closed` alone stays false, so nobody asks that.
 */
const tellQueuedOfClose: RequestListener = (request, response) => {
  if (response.socket) return;
  const { socket } = request;
  const tell = (): void => {
    // Its turn has come meanwhile: then Node tells it.
    if (response.socket) return;
    response.destroy();
    response.emit('close');
  };
  // As many wait behind one another as their sender likes.
  socket.setMaxListeners(0).once('close', tell);
  response.once('close', () => socket.off('close', tell));
};

const starting: RequestListener = (request, response) => {
  const isAlive = request.url === '/health/live';
  response.writeHead(isAlive ? 200 : 503, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    ...(!isAlive && { 'Retry-After': '1' }),
  });
  response.end(
    isAlive
      ? '{"status":"ok"}'
      : '{"status":"unavailable","error":{"code":503,"message":"The gateway is starting; retry shortly."}}',
  );
};
