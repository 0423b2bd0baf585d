/** A part of a text, in UTF-16 units. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** Where in a text the bytes of its UTF-8 stand. */
export class BytePlaces {
  /** By the byte, the unit that begins there; undefined where each byte is a unit. */
  private readonly unitAt: Map<number, number> | undefined;
  private readonly bytes: number;

  constructor(private readonly text: string) {
    this.bytes = Buffer.byteLength(text);
    if (this.bytes === text.length) return;
    this.unitAt = new Map();
    let byte = 0;
    let unit = 0;
    for (const character of text) {
      this.unitAt.set(byte, unit);
      byte += Buffer.byteLength(character);
      unit += character.length;
    }
    this.unitAt.set(byte, unit);
  }

  /**
   * The part between two bytes; undefined where it is none of whole characters.
   * @param words what is said to stand there: where it does not, the first place that holds them
   */
  find(startByte: number, endByte: number | undefined, words: string | undefined): Place | undefined {
    const start = this.unit(startByte);
    const end = endByte === undefined ? undefined : this.unit(endByte);
    const isThere = start !== undefined && end !== undefined && start < end;
    if (isThere && (words === undefined || this.text.startsWith(words, start))) return { start, end };
    if (words === undefined) return undefined;
    const found = this.text.indexOf(words);
    return found === -1 ? undefined : { start: found, end: found + words.length };
  }

  private unit(byte: number): number | undefined {
    if (byte > this.bytes) return undefined;
    return this.unitAt === undefined ? byte : this.unitAt.get(byte);
  }
}
