/** A part of a text, in UTF-16 units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes between two recorded positions. */
const STEP_BYTES = 1_024;

/** Whether it is a continuation byte of a character. */
const isWithin = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Units of the characters that begin between two bytes; a character of four bytes has two. */
function unitsIn(utf8: Buffer, start: number, end: number): number {
  let units = 0;
  for (let index = start; index < end; index++) {
    const byte = utf8[index]!;
    if (!isWithin(byte)) units += byte >= 0xf0 ? 2 : 1;
  }
  return units;
}

/** Converts positions in a text's UTF-8 bytes to UTF-16 units. */
export class ByteOffsets {
  /** Undefined where each byte is one unit. */
  private readonly utf8: Buffer | undefined;
  private readonly length: number;
  /** Only one position in `STEP_BYTES`: texts are long, and few positions are looked up. */
  private readonly unitsBefore: number[] = [];

  constructor(private readonly text: string) {
    this.length = Buffer.byteLength(text);
    if (this.length === text.length) return;
    this.utf8 = Buffer.from(text);
    for (let byte = 0, units = 0; byte <= this.length; byte += STEP_BYTES) {
      this.unitsBefore.push(units);
      units += unitsIn(this.utf8, byte, Math.min(byte + STEP_BYTES, this.length));
    }
  }

  /**
   * The part between two bytes; undefined where it does not consist of whole characters.
   * @param words the text reported there; where it differs, the first position with these words is taken
   */
  find(startByte: number, endByte: number | undefined, words: string | undefined): TextRange | undefined {
    const start = this.unit(startByte);
    const end = endByte === undefined ? undefined : this.unit(endByte);
    const isThere = start !== undefined && end !== undefined && start < end;
    if (isThere && (words === undefined || this.text.startsWith(words, start))) return { start, end };
    if (words === undefined) return undefined;
    const found = this.text.indexOf(words);
    return found === -1 ? undefined : { start: found, end: found + words.length };
  }

  private unit(byte: number): number | undefined {
    if (byte > this.length || !Number.isInteger(byte)) return undefined;
    if (this.utf8 === undefined) return byte;
    if (byte < this.length && isWithin(this.utf8[byte]!)) return undefined;
    const step = Math.floor(byte / STEP_BYTES);
    return this.unitsBefore[step]! + unitsIn(this.utf8, step * STEP_BYTES, byte);
  }
}
