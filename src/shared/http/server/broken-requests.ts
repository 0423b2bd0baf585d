import { STATUS_CODES, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError } from '../../../core/errors.js';
import { APPEARANCES, messageErrorBody } from '../error-views.js';

/**
 * Limit of the headers of one request, in bytes: enough for long keys and tracing headers. Node answers a longer one
 * with 431.
 */
export const HEADER_BYTES_MAX = 16 * 1024;

/**
 * How long the rest of a refused request is read and dropped: if it were cut off immediately, the client would never
 * see the refusal.
 */
const LINGER_MS = 1_000;

/**
 * Answers requests that are not valid enough to reach the application (headers too large or malformed, a request that
 * takes too long) with a JSON error, instead of a bare status line. The connection ends with it. Bytes behind a
 * complete request, as of a body without a length, never replace that request's answer.
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

/** Answers an unsupported `Expect`: Node's own 417 has no body. */
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

/** Node keeps the current reply on the socket, and reads it there itself. */
type ServerSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/**
 * Whether a complete request is still to be answered by a listener: the connection ends with that answer, and bytes
 * behind the request are dropped.
 */
function isAnswering(socket: ServerSocket): boolean {
  const reply = socket._httpMessage;
  if (!reply?.req.complete || !socket.writable || socket.readableEnded) return false;
  if (!reply.headersSent) reply.shouldKeepAlive = false;
  return !reply.shouldKeepAlive;
}

/** In mid-reply an error would be read as a part of the reply. */
const hasBegunReply = (socket: ServerSocket): boolean => socket._httpMessage?.headersSent === true;

function refusalText(refusal: GatewayError): string {
  const { status } = APPEARANCES[refusal.kind];
  // The path is unknown here: this form contains the fields of both families.
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
