import type { IncomingMessage, ServerResponse } from 'node:http';

/** Parsed JSON of unchecked shape, for free access in tests. */
export type JsonBody = ReturnType<typeof JSON.parse>;

/** One request as an upstream received it, and the progress of its answer. */
export class RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The parsed body, undefined when it is not JSON. */
  readonly json: JsonBody;
  readonly openedAt = Date.now();
  /** When the answer was complete or its socket had closed. */
  closedAt: number | undefined;
  /** The socket closed before the answer was complete. */
  aborted = false;
  /** Bytes of the answer's body that the operating system has accepted so far. */
  bodyBytesWritten = 0;
  /** Resolves when the answer is complete or its socket has closed. */
  readonly closed: Promise<void>;

  /** @param connection a number for each TCP connection, rising from 1: equal for requests that shared one */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    readonly rawBody: Buffer,
    readonly connection: number,
  ) {
    this.method = request.method ?? '';
    this.path = request.url ?? '';
    this.headers = request.headers;
    this.json = parse(rawBody);
    this.closed = new Promise((resolve) => {
      response.once('close', () => {
        this.aborted = !response.writableFinished;
        this.closedAt = Date.now();
        resolve();
      });
    });
  }
}

function parse(bytes: Buffer): JsonBody {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
