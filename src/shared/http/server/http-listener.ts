import { createServer, type RequestListener, type Server } from 'node:http';
import { Acceptors } from './acceptors.js';
import { bodyMsMax } from './body-reader.js';
import { answerBrokenRequests, answerExpectation, HEADER_BYTES_MAX } from './broken-requests.js';
import { listenAt } from './listen-at.js';
import { makeMessageClasses } from './express-message-classes.js';

/** Longer than balancers keep idle connections: they close them first, so no request meets a closing socket. */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_MS_MAX = 60_000;
/**
 * Connections that wait to be accepted, as many as Linux allows by default: a client that is not accepted retries a
 * second later.
 */
const LINE_MAX = 4_096;

/**
 * The port of the process. It opens before the application is ready, so that probes are answered while the store is
 * opened and migrated: alive, but not ready. From `admit` on the application answers.
 */
export class HttpListener {
  readonly server: Server;
  /** Classes of its requests and responses, for the application to adopt. */
  readonly messages = makeMessageClasses();
  private readonly acceptors: Acceptors;

  /** @param bodyBytesMax the largest body that is read, in bytes */
  constructor(bodyBytesMax: number) {
    this.server = createServer(
      {
        maxHeaderSize: HEADER_BYTES_MAX,
        keepAliveTimeout: KEEP_ALIVE_MS,
        headersTimeout: HEADERS_MS_MAX,
        // `BodyReader` limits slow bodies; this limit applies to bodies that are never read.
        requestTimeout: HEADERS_MS_MAX + bodyMsMax(bodyBytesMax),
        noDelay: true,
        requireHostHeader: false,
        ...this.messages,
      },
      starting,
    );
    this.acceptors = new Acceptors(this.server);
    answerBrokenRequests(this.server);
    this.server.on('request', destroyQueuedOnClose);
    this.server.on('checkExpectation', answerExpectation);
    // Node would send `100 Continue` to every client, even unauthenticated ones. Here the reader of the body sends it.
    this.server.on('checkContinue', (request, response) => this.server.emit('request', request, response));
  }

  /** @returns and throws as `listenAt` */
  open(port: number, host: string): Promise<string> {
    return listenAt(this.server, 'PORT', port, host, LINE_MAX);
  }

  /**
   * Accepts several connections per turn of the event loop: for a process that has the port to itself.
   * @throws when it still accepts one per turn
   */
  acceptFaster(): Promise<void> {
    return this.acceptors.open();
  }

  /** Accepts no more connections; existing ones continue. */
  close(): void {
    this.acceptors.close();
    this.server.close();
  }

  /** Sets the listeners that handle each request, in order. */
  admit(...listeners: readonly RequestListener[]): void {
    this.server.off('request', starting);
    for (const listener of listeners) this.server.on('request', listener);
  }
}

/**
 * Node emits no `close` for an answer that waits behind another when the connection closes before its turn: work that
 * should end with it would continue, and its resources would be held for good. It is destroyed here as Node does for
 * others; only `closed` stays false, so no code may read that.
 */
const destroyQueuedOnClose: RequestListener = (request, response) => {
  if (response.socket) return;
  const { socket } = request;
  const destroy = (): void => {
    // If its turn has come during that wait, Node emits the event.
    if (response.socket) return;
    response.destroy();
    response.emit('close');
  };
  // The client decides how many answers wait behind one another.
  socket.setMaxListeners(0).once('close', destroy);
  response.once('close', () => socket.off('close', destroy));
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
