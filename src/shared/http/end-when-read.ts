import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long what still comes of a body is dropped, in all and without a byte: as long as other servers do. */
const LINGER_MS = 30_000;
const SILENCE_MS = 5_000;
/** How many pieces: each costs microseconds, and may be a single byte. Of 16 KiB each they are 320 MiB. */
const PIECES_MAX = 20_000;

/** Whether there is more to come of the body of a request. */
export function isComing({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
}

/**
 * Drops the body of a request that is answered without it. What has not come soon after the answer ends the connection:
 * Node itself would wait for it as long as for a body that is read.
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
 * Ends an answer whose request is still being sent, once that has come whole or its sender has had time to read the
 * answer: a connection that is closed while bytes come is reset, and what was sent on it is lost to the other side.
 * @param text the whole body, of the `Content-Length` that was sent
 */
export function endWhenRead(request: IncomingMessage, response: ServerResponse, text: string): void {
  const { socket } = request;
  // By its length the other side knows that this is all of it.
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
