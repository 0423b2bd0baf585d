import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  /** Sent unchanged, including line breaks and repetitions: `[name, value]`. */
  readonly headers?: readonly (readonly [string, string])[];
  /**
   * An object is sent as JSON. `content-length` is added unless the headers have a length or an encoding of their own.
   */
  readonly body?: string | Uint8Array | Readonly<Record<string, unknown>>;
}

/** A piece of the response as it arrived. */
export interface Segment {
  readonly bytes: Buffer;
  readonly atMs: number;
}

export interface RawResponse {
  readonly status: number;
  /** Lower-case names; repeated ones joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body with its chunking removed. */
  readonly body: Buffer;
  readonly json: ReturnType<typeof JSON.parse>;
}

/** Sends one request and reads the whole answer. The connection is closed afterwards. */
export async function exchange(origin: string, request: RawRequest): Promise<RawResponse> {
  const client = await RawClient.connect(origin);
  client.send(request);
  try {
    return await client.response();
  } finally {
    client.destroy();
  }
}

/**
 * An HTTP/1.1 client on a plain socket: it can send invalid requests, stop reading, leave at any moment, and report how
 * the bytes arrived. One request per connection.
 */
export class RawClient {
  /** The received segments, in order of arrival. Segments of one read are one. */
  readonly segments: Segment[] = [];
  /** Resolves when the socket has closed, from either side. */
  readonly closed: Promise<void>;
  /** Grows by doubling: streams of many megabytes are read in small pieces. */
  private space = Buffer.allocUnsafeSlow(64 * 1024);
  private length = 0;
  private ended = false;
  private waiters: (() => void)[] = [];

  private constructor(
    private readonly socket: Socket,
    private readonly host: string,
  ) {
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      this.segments.push({ bytes, atMs: performance.now() });
      this.append(bytes);
      this.wake();
    });
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        this.ended = true;
        this.wake();
      });
    }
  }

  static async connect(origin: string): Promise<RawClient> {
    const { hostname, port, host } = new URL(origin);
    return new RawClient(await connected(connect({ host: hostname, port: Number(port || 80), noDelay: true })), host);
  }

  /**
   * Connects to a server of this process by a local socket. Its buffers hold some 200 KB; those of TCP grow up to a
   * size that the system determines, such as 32 MB.
   */
  static async connectLocally(server: Server): Promise<RawClient> {
    const path = join(tmpdir(), `${randomUUID()}.sock`);
    const listener = createServer((socket) => server.emit('connection', socket));
    await new Promise<void>((resolve) => listener.listen(path, resolve));
    const socket = await connected(connect(path));
    listener.close();
    return new RawClient(socket, 'gateway');
  }

  send(request: RawRequest): void {
    const { method = 'POST', path, headers = [], body } = request;
    const bytes =
      typeof body === 'string' || body instanceof Uint8Array || body === undefined
        ? (body ?? '')
        : JSON.stringify(body);
    const names = new Set(headers.map(([name]) => name.toLowerCase()));
    const lines = [`${method} ${path} HTTP/1.1`];
    if (!names.has('host')) lines.push(`host: ${this.host}`);
    for (const [name, value] of headers) lines.push(`${name}: ${value}`);
    if (typeof body === 'object' && !(body instanceof Uint8Array) && !names.has('content-type')) {
      lines.push('content-type: application/json');
    }
    if (!names.has('content-length') && !names.has('transfer-encoding')) {
      lines.push(`content-length: ${Buffer.byteLength(bytes)}`);
    }
    this.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(bytes)]));
  }

  /** Sends bytes unchanged. */
  write(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** Stops reading: the other side fills the buffers in between, and then stalls. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  /** Leaves without closing properly. */
  destroy(): void {
    this.socket.destroy();
  }

  /** Leaves with a reset. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  /**
   * Resolves with everything received so far, as text, once it contains `part`. Rejects when the connection ends
   * before.
   */
  async until(part: string): Promise<string> {
    let searched = 0;
    while (!this.received.includes(part, searched)) {
      if (this.ended) throw new Error(`The connection ended without ${JSON.stringify(part)}: ${this.text}`);
      searched = Math.max(0, this.length - Buffer.byteLength(part));
      await this.news();
    }
    return this.text;
  }

  /** Everything received so far, including status line and chunking. */
  get text(): string {
    return this.received.toString();
  }

  /** Resolves once status line and headers have arrived. */
  async head(): Promise<Pick<RawResponse, 'status' | 'headers'>> {
    await this.until('\r\n\r\n');
    return readHead(this.received.toString('latin1', 0, this.received.indexOf('\r\n\r\n')));
  }

  /** The whole response. Rejects when it is cut off. */
  async response(): Promise<RawResponse> {
    const { status, headers } = await this.head();
    const bodyStart = this.received.indexOf('\r\n\r\n') + 4;
    for (;;) {
      const body = readBody(this.received.subarray(bodyStart), headers, status, this.ended);
      if (body) return received(status, headers, body);
      if (this.ended) throw new Error(`The response was cut off: ${this.text}`);
      await this.news();
    }
  }

  private get received(): Buffer {
    return this.space.subarray(0, this.length);
  }

  private append(bytes: Buffer): void {
    if (this.length + bytes.length > this.space.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (this.length + bytes.length));
      this.received.copy(larger);
      this.space = larger;
    }
    this.length += bytes.copy(this.space, this.length);
  }

  /** Resolves when more bytes have arrived, or the connection has ended. */
  news(): Promise<void> {
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  private wake(): void {
    for (const wake of this.waiters.splice(0)) wake();
  }
}

const connected = (socket: Socket): Promise<Socket> =>
  new Promise((resolve, reject) => socket.once('connect', () => resolve(socket)).once('error', reject));

function readHead(text: string): Pick<RawResponse, 'status' | 'headers'> {
  const [statusLine, ...lines] = text.split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return { status: Number(statusLine?.split(' ')[1]), headers };
}

/** The body, as soon as it is complete. */
function readBody(bytes: Buffer, headers: RawResponse['headers'], status: number, ended: boolean): Buffer | undefined {
  if (status === 204 || status === 304) return Buffer.alloc(0);
  if (headers['transfer-encoding'] === 'chunked') return unchunk(bytes);
  const length = headers['content-length'];
  if (length === undefined) return ended ? bytes : undefined;
  return bytes.length >= Number(length) ? bytes.subarray(0, Number(length)) : undefined;
}

function unchunk(bytes: Buffer): Buffer | undefined {
  if (bytes.toString('latin1', bytes.length - 5) !== '0\r\n\r\n') return undefined;
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}

/** Streams may be long, and are no JSON: parsed when it is used. */
const received = (status: number, headers: RawResponse['headers'], body: Buffer): RawResponse => ({
  status,
  headers,
  body,
  get json() {
    return parse(body);
  },
});

function parse(bytes: Buffer) {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
