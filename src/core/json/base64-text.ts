import { PIECE } from '../yield-to-event-loop.js';

/** Bytes per piece: their base64 is as long as a piece of a printed body. */
const BYTES_A_PIECE = (PIECE / 4) * 3;

/** Length of the base64 of that many bytes, in characters. */
export const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;

/**
 * A long string of a JSON value that needs no escapes: base64, and the text before it. Kept as bytes in pieces that are
 * used unchanged as parts of a printed body, and shared by all bodies that contain it.
 */
export class Base64Text {
  static readonly EMPTY = new Base64Text([]);

  /** @param lead the text before the base64, which must not need escapes either */
  constructor(
    private readonly pieces: readonly Buffer[],
    private readonly lead = '',
  ) {}

  /** Number of characters. */
  get length(): number {
    return this.pieces.reduce((sum, piece) => sum + piece.length, this.lead.length);
  }

  /** The text with another lead. */
  after(lead: string): Base64Text {
    return new Base64Text(this.pieces, lead + this.lead);
  }

  /** The first characters of the text. */
  start(characters: number): string {
    let start = this.lead;
    for (const piece of this.pieces) {
      if (start.length >= characters) break;
      start += piece.toString('latin1', 0, characters - start.length);
    }
    return start.slice(0, characters);
  }

  /** The whole text as a new string. */
  toString(): string {
    return this.lead + this.pieces.map((piece) => piece.toString('latin1')).join('');
  }

  toJSON(): string {
    return this.toString();
  }

  /** The output of `printJson`, without a copy. */
  *print(): Generator<string | Buffer, void, undefined> {
    yield `"${this.lead}`;
    yield* this.pieces;
    yield '"';
  }
}

/** Encodes bytes to base64 as they arrive, so that they are never held in addition to it. */
export class Base64Builder {
  /** Number of bytes so far. */
  bytes = 0;
  private readonly pieces: Buffer[] = [];
  private gathered: Buffer | undefined;
  private filled = 0;

  /** @param chunk copied, because it may be part of a far larger buffer */
  push(chunk: Buffer): void {
    this.bytes += chunk.length;
    for (let start = 0; start < chunk.length;) {
      this.gathered ??= Buffer.allocUnsafe(BYTES_A_PIECE);
      const copied = chunk.copy(this.gathered, this.filled, start);
      start += copied;
      this.filled += copied;
      if (this.filled === BYTES_A_PIECE) this.encode();
    }
  }

  /** Call once, at the end. */
  finish(): Base64Text {
    if (this.filled > 0) this.encode();
    this.gathered = undefined;
    return new Base64Text(this.pieces);
  }

  private encode(): void {
    this.pieces.push(Buffer.from(this.gathered!.toString('base64', 0, this.filled), 'latin1'));
    this.filled = 0;
  }
}
