import { createHash } from 'node:crypto';
import type { CancelSignal } from '../../core/cancellation.js';
import { yieldToEventLoop } from '../../core/yield-to-event-loop.js';

/** Bytes or characters that are decoded or hashed before yielding to the event loop. */
const PIECE_LENGTH = 512 * 1024;
/** Clients break lines of base64. */
const NO_BASE64 = /[^A-Za-z0-9+/_-]+/g;

/** The SHA-256 of bytes that arrive in pieces, hex. @throws the signal's reason */
export async function hashInSlices(pieces: Iterable<Uint8Array>, signal: CancelSignal): Promise<string> {
  const hash = createHash('sha256');
  let isFirst = true;
  for (const piece of pieces) {
    if (!isFirst) await yieldToEventLoop();
    signal.throwIfAborted();
    isFirst = false;
    hash.update(piece);
  }
  return hash.digest('hex');
}

/** Joins pieces into one array whose memory can be transferred. */
export async function joinInSlices(pieces: Iterable<Uint8Array>, lengthMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const whole = new Uint8Array(new ArrayBuffer(lengthMax));
  let length = 0;
  for (const piece of pieces) {
    if (length > 0) await yieldToEventLoop();
    whole.set(piece, length);
    length += piece.length;
  }
  return length === lengthMax ? whole : whole.slice(0, length);
}

export function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let start = 0; start < bytes.length; start += PIECE_LENGTH) yield bytes.subarray(start, start + PIECE_LENGTH);
}

/** The bytes of a base64 text. */
export function* decoded(base64: string): Generator<Uint8Array, void> {
  let rest = '';
  for (let start = 0; start < base64.length; start += PIECE_LENGTH) {
    const piece = rest + base64.slice(start, start + PIECE_LENGTH).replaceAll(NO_BASE64, '');
    const whole = piece.length - (piece.length % 4);
    rest = piece.slice(whole);
    yield Buffer.from(piece.slice(0, whole), 'base64');
  }
  if (rest !== '') yield Buffer.from(rest, 'base64');
}

/** Maximum number of bytes that a base64 text of this many characters can encode. */
export const decodedLengthMax = (characters: number): number => Math.ceil(characters / 4) * 3;
