import { STATUS_CODES, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError } from '../../core/errors.js';
import { APPEARANCES, messageErrorBody } from './error-views.js';

/**
 * Headers of one request, in bytes: room for long keys and tracing headers, no more. Node
 * answers a longer one with 431.
 */
export const HEADER_BYTES_MAX = 16 * 1024;

/**
 * Longest that what a refused client is still sending is read and dropped: cut off at once, it
 * would never see the refusal.
 */
const LINGER_MS = 1_000;

/**
 * Answers what is not HTTP enough to reach the application (headers too large or malformed, a request that takes too
 * long) with a JSON error, where a bare status line would puzzle clients. The connection ends with it. What comes
 * behind a whole request, as a body without a length does, never stands in the place of that one's answer.
 */
export function answerBrokenRequests(server: Server): void {
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (error.code !== 'ECONNRESET' && isAnswering(socket)) return;
    if (!socket.writable || error.code === 'ECONNRESET' || hasBegunReply(socket)) {
      socket.destroy();
      return;
    }
    socket.end(refusalText(refusalOf(error.code)));
    socket.resume();
    const cut = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(cut));
  });
}

/** An `Expect` that nobody here understands: Node's own 417 has no body. */
export const answerExpectation: RequestListener = (_request, response) => {
  const refusal = new GatewayError('invalid-request', 'expect: only 100-continue is understood');
  const body = JSON.stringify(messageErrorBody(refusal, { requestId: null }));
  response.writeHead(APPEARANCES[refusal.kind].status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  });
  response.end(body);
};

/** Node keeps the reply that is being made on the socket, and looks there itself. */
type ServerSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/**
 * Whether a request that came whole is still to be answered, by somebody who listens: the connection ends with that
 * answer, and what came behind the request is dropped.
 */
function isAnswering(socket: ServerSocket): boolean {
  const reply = socket._httpMessage;
  if (!reply?.req.complete || !socket.writable || socket.readableEnded) return false;
  if (!reply.headersSent) reply.shouldKeepAlive = false;
  return !reply.shouldKeepAlive;
}

/** In the middle of a reply an error would be read as a part of it. */
const hasBegunReply = (socket: ServerSocket): boolean => socket._httpMessage?.headersSent === true;

function refusalText(refusal: GatewayError): string {
  const { status } = APPEARANCES[refusal.kind];
  // The path is not known here: this form says all that either family says.
  const body = JSON.stringify(messageErrorBody(refusal, { requestId: null }));
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  );
}

function refusalOf(code: string | undefined): GatewayError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new GatewayError('headers-too-large', `headers: must be at most ${HEADER_BYTES_MAX} bytes together`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new GatewayError('request-timed-out', 'The request took too long to arrive.');
    default:
      return new GatewayError('invalid-request', 'The request is not valid HTTP.');
  }
}
