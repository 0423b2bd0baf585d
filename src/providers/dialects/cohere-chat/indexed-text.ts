/**
 * Maximum number of characters of one text in which positions are searched. Chosen: far above any model's output in one
 * text.
 */
export const PLACED_CHARACTERS_MAX = 1024 * 1024;
/** Characters between two recorded positions: a search from the beginning would take quadratic time. */
const STRIDE = 1_024;

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** A growing text that converts character positions, which the vendor counts, to UTF-16 units. */
export class IndexedText {
  private text = '';
  /** Units so far, including those that are no longer kept. */
  private units = 0;
  /** Unit of each `STRIDE`th character, as far as the text was read. */
  private readonly known = [0];

  get length(): number {
    return this.units;
  }

  add(words: string): void {
    this.units += words.length;
    // Positions are searched only in a text that is kept from its beginning.
    if (this.units <= PLACED_CHARACTERS_MAX) this.text += words;
  }

  /** Whether the text has these words at that unit. */
  has(words: string, unit: number): boolean {
    return this.units <= PLACED_CHARACTERS_MAX && this.text.startsWith(words, unit);
  }

  /** The unit where a character begins; the end of the text where it has fewer characters. */
  unitOf(character: number): number {
    const step = Math.max(0, Math.floor(character / STRIDE));
    while (this.known.length <= step) {
      const next = this.skip(this.known.at(-1)!, STRIDE);
      if (next === undefined) break;
      this.known.push(next);
    }
    const from = Math.min(step, this.known.length - 1);
    return this.skip(this.known[from]!, character - from * STRIDE) ?? this.text.length;
  }

  /** The unit a number of characters later; undefined where the text is shorter. */
  private skip(from: number, characters: number): number | undefined {
    const { text } = this;
    let unit = from;
    for (let count = 0; count < characters; count++) {
      // The other half of the last surrogate pair may still come.
      if (unit >= text.length || (unit === text.length - 1 && isHigh(text.charCodeAt(unit)))) return undefined;
      unit += isHigh(text.charCodeAt(unit)) && isLow(text.charCodeAt(unit + 1)) ? 2 : 1;
    }
    return unit;
  }
}
