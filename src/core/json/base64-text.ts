import { PIECE } from '../yield-to-event-loop.js';

/** Bytes of which one piece is made: what base64 makes of them is as long as a piece of a printed body. */
const BYTES_A_PIECE = (PIECE / 4) * 3;

/** How many characters the base64 of so many bytes has. */
export const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;

/**
 * A string of a JSON value that is long and needs no escape: base64, and what stands before it. It is kept as bytes, in
 * pieces, which are parts of a printed body as they are: all bodies that hold it share them.
 */
export class Base64Text {
  static readonly EMPTY = new Base64Text([]);

  /** @param lead in front of the base64, likewise without anything to escape */
  constructor(
    private readonly pieces: readonly Buffer[],
    private readonly lead = '',
  ) {}

  /** In characters. */
  get length(): number {
    return this.pieces.reduce((sum, piece) => sum + piece.length, this.lead.length);
  }

  /** The same behind another text. */
  after(lead: string): Base64Text {
    return new Base64Text(this.pieces, lead + this.lead);
  }

  /** Its first characters. */
  start(characters: number): string {
    let start = this.lead;
    for (const piece of this.pieces) {
      if (start.length >= characters) break;
      start += piece.toString('latin1', 0, characters - start.length);
    }
    return start.slice(0, characters);
  }

  /** All of it as one text: memory of its own. */
  toString(): string {
    return this.lead + this.pieces.map((piece) => piece.toString('latin1')).join('');
  }

  toJSON(): string {
    return this.toString();
  }

  /** What `printJson` prints of it, without a copy. */
  *print(): Generator<string | Buffer, void, undefined> {
    yield `"${this.lead}`;
    yield* this.pieces;
    yield '"';
  }
}

/** Makes the base64 of bytes as they come, so that they are never held beside it. */
export class Base64Builder {
  /** Bytes that have come. */
  bytes = 0;
  private readonly pieces: Buffer[] = [];
  private gathered: Buffer | undefined;
  private filled = 0;

  /** @param chunk copied: what it is part of may be far larger */
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

  /** To be called once, at the end. */
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
