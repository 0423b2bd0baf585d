import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long the rest of a body is dropped, in all and without a byte: as long as other servers do. */
const LINGER_MS = 30_000;
const SILENCE_MS = 5_000;
/** Limit of dropped pieces: each costs microseconds, and may be a single byte. At 16 KiB each they are 320 MiB. */
const PIECES_MAX = 20_000;

/** Whether more of the body of a request is expected. */
export function isComing({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
}

/**
 * Drops the body of a request that is answered without it. If it does not arrive soon after the answer, the connection
 * ends: Node itself would wait as long as for a body that is read.
 */
export function dropUnread(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  response.once('finish', () => {
    if (request.complete) return;
    const cut = setTimeout(() => request.socket.destroy(), SILENCE_MS).unref();
    request.once('end', () => clearTimeout(cut));
  });
}

/**
 * Ends an answer whose request is still being sent, once the request is complete or its sender has had time to read the
 * answer: closing a connection while bytes arrive resets it, and the other side loses the answer.
 * @param text the whole body, of the `Content-Length` that was sent
 */
export function endWhenRead(request: IncomingMessage, response: ServerResponse, text: string): void {
  const { socket } = request;
  // The client knows from the length in the header that this is all of the body.
  response.write(text);
  const cut = (): void => {
    stop();
    response.end(() => socket.destroy());
  };
  const end = (): void => {
    stop();
    response.end();
  };
  const stop = (): void => {
    clearTimeout(total);
    clearTimeout(silence);
    request.off('data', more).off('end', end).off('close', end);
  };
  const total = setTimeout(cut, LINGER_MS);
  const silence = setTimeout(cut, SILENCE_MS);
  let pieces = 0;
  const more = (): void => {
    silence.refresh();
    if (++pieces === PIECES_MAX) cut();
  };
  request.on('data', more).on('end', end).on('close', end);
  request.resume();
}
