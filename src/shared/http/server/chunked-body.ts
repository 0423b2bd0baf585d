import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const CRLF = '\r\n';
const CR = 13;
const LF = 10;
const LAST_CHUNK = '0\r\n\r\n';

/**
 * Frames the body of a stream of unknown length for HTTP/1.1: each piece is sent as one buffer in one write. Node's own
 * framing makes four of each piece (length, line end, bytes, line end), which costs more than the rest of a streamed
 * event. Older clients get the bytes unframed, ended by closing the connection, as Node does it.
 */
export class ChunkedBody {
  private readonly isFramed: boolean;
  private begun = false;
  /** Set once the header was sent with the first piece. */
  private socket: Socket | undefined;

  constructor(private readonly response: ServerResponse) {
    this.isFramed = response.req.httpVersionMajor === 1 && response.req.httpVersionMinor >= 1;
  }

  get hasBegun(): boolean {
    return this.begun;
  }

  begin(status: number, headers: OutgoingHttpHeaders): void {
    this.begun = true;
    if (!this.isFramed) {
      this.response.writeHead(status, headers);
      return;
    }
    this.response.writeHead(status, { ...headers, 'Transfer-Encoding': 'chunked' });
    // The header is written; from here on Node passes bytes through.
    this.response.chunkedEncoding = false;
  }

  /**
   * A piece that fits into the socket's buffer is written to it directly: Node's own path corks the socket for the rest
   * of the turn, for each of many single pieces. Any other piece takes that path, so that `drain` is emitted.
   * @returns false when the socket's buffer is full
   */
  write(piece: Uint8Array | string): boolean {
    if (!this.isFramed) return this.response.write(piece);
    const framed = frame(piece);
    const { socket } = this;
    if (socket && socket.writableLength + framed.length < socket.writableHighWaterMark) return socket.write(framed);
    this.socket = this.response.socket ?? undefined;
    return this.response.write(framed);
  }

  end(): void {
    if (this.isFramed && this.response.headersSent) this.response.end(LAST_CHUNK);
    else this.response.end();
  }
}

function frame(piece: Uint8Array | string): Buffer {
  const bytes = typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
  const head = bytes.toString(16) + CRLF;
  const framed = Buffer.allocUnsafe(head.length + bytes + CRLF.length);
  // In a loop: for so few bytes a native call costs more than the copy.
  for (let index = 0; index < head.length; index++) framed[index] = head.charCodeAt(index);
  if (typeof piece === 'string') framed.write(piece, head.length, 'utf8');
  else framed.set(piece, head.length);
  framed[head.length + bytes] = CR;
  framed[head.length + bytes + 1] = LF;
  return framed;
}
