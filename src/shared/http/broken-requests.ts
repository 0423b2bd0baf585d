import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError } from '../../core/errors.js';
import { APPEARANCES, genericErrorBody } from './error-views.js';

/** Headers of one request, in bytes: room for long keys and tracing headers, no more. Node answers a longer one with 431. */
export const HEADER_BYTES_MAX = 16 * 1024;

/**
 * Answers what is not HTTP enough to reach the application (headers too large or malformed, a request that takes too long) with
 * a JSON error, where a bare status line would puzzle clients. The connection ends with it.
 */
export function answerBrokenRequests(server: Server): void {
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const refusal = refusalOf(error.code);
    const body = JSON.stringify(genericErrorBody(refusal, { requestId: null }));
    socket.end(
      `HTTP/1.1 ${APPEARANCES[refusal.kind].status} Bad Request\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  });
}

function refusalOf(code: string | undefined): GatewayError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new GatewayError('headers-too-large', `headers: must be at most ${HEADER_BYTES_MAX} bytes together`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new GatewayError('invalid-request', 'The request took too long to arrive.');
    default:
      return new GatewayError('invalid-request', 'The request is not valid HTTP.');
  }
}
