import type { RecordedRequest } from './recorded-request.js';

// The behaviour of a loopback upstream for one request. Nothing here sleeps: a wait is a promise that the test settles.

/** Element of a body: the socket is destroyed here, with a reset. */
export const CUT = Symbol('cut');
/** Element of a body: nothing more is sent, and the response is not ended, until the other side leaves. */
export const HANG = Symbol('hang');

/** One element of a body: bytes to write in one piece, a wait, or a kind of break. */
export type Piece = string | Uint8Array | Promise<void> | typeof CUT | typeof HANG;

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Written piece by piece; each write is awaited, so an endless body stops when the reader stops. */
  readonly body: Iterable<Piece> | AsyncIterable<Awaited<Piece>>;
  /** The pieces are everything written to the socket: no status line, no headers, no chunking. */
  readonly raw?: boolean;
}

/** Chooses the answer to one request. `index` counts the upstream's requests from 0. */
export type Script = (request: RecordedRequest, index: number) => Answer | Promise<Answer>;

/** A strict upstream's answer to a request that the real provider would refuse. */
export interface Complaint {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A whole JSON answer. */
export function json(value: unknown, status = 200, headers: Answer['headers'] = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: [JSON.stringify(value)] };
}

/** One event in a provider's form: named for Messages, unnamed (empty name) for chat completions. */
export function frame(event: string, data: unknown): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return event === '' ? `data: ${text}\n\n` : `event: ${event}\ndata: ${text}\n\n`;
}

/** A streamed answer; each piece is one write. */
export function sse(pieces: Answer['body'], headers: Answer['headers'] = {}): Answer {
  return { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers }, body: pieces };
}

/** Pieces of a few characters, as sent by a model: never half of a surrogate pair. */
export function slices(text: string, length = 5): string[] {
  const characters = [...text];
  const count = Math.ceil(characters.length / length);
  return Array.from({ length: count }, (_, index) => characters.slice(index * length, (index + 1) * length).join(''));
}

/** The text, or bytes, in pieces of a given number of bytes, or cut at given byte offsets: characters may be split. */
export function cutBytes(text: string | Uint8Array, at: number | readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(text);
  const cuts =
    typeof at === 'number'
      ? Array.from({ length: Math.ceil(bytes.length / at) - 1 }, (_, index) => (index + 1) * at)
      : at;
  const bounds = [0, ...cuts, bytes.length];
  return bounds.slice(1).map((end, index) => bytes.subarray(bounds[index], end));
}

/** The answer, with its body cut off by a reset after this many bytes. */
export function cutAfter(answer: Answer, bytesMax: number): Answer {
  async function* body(): AsyncGenerator<Awaited<Piece>> {
    let left = bytesMax;
    for await (const piece of answer.body) {
      if (typeof piece !== 'string' && !(piece instanceof Uint8Array)) {
        if (piece) yield piece;
        continue;
      }
      const bytes = Buffer.from(piece);
      if (bytes.length > 0 && left > 0) yield bytes.subarray(0, left);
      left -= bytes.length;
      if (left <= 0) break;
    }
    yield CUT;
  }
  return { ...answer, body: body() };
}

/** Accepts the request and sends nothing, not even a status. */
export const neverAnswers = (): Answer => ({ raw: true, body: [HANG] });

/** Resets the connection before any byte. */
export const resets = (): Answer => ({ raw: true, body: [CUT] });

/** Bytes that are not HTTP. */
export const garbage = (bytes: string | Uint8Array = '\u0000\u0001 not http\r\n\r\n'): Answer => ({
  raw: true,
  body: [bytes, HANG],
});

/** A stream without end; `RecordedRequest.bodyBytesWritten` shows how much the other side accepted. */
export function endless(piece: string | Uint8Array): Answer {
  return sse(
    (function* () {
      for (;;) yield piece;
    })(),
  );
}
