/** Most characters of one text that places are found in. Chosen: far above what any model says in one. */
export const PLACED_CHARACTERS_MAX = 1024 * 1024;
/** Characters from one known place to the next: a search from the beginning takes time squared. */
const STRIDE = 1_024;

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** A text as it grows, and where in it characters stand: the vendor counts those, and strings have UTF-16 units. */
export class SaidText {
  private text = '';
  /** Units, whatever of them is kept. */
  private units = 0;
  /** Unit of each `STRIDE`th character, as far as it was read. */
  private readonly known = [0];

  get length(): number {
    return this.units;
  }

  add(words: string): void {
    this.units += words.length;
    // Without its beginning nothing is found in it any more.
    if (this.units <= PLACED_CHARACTERS_MAX) this.text += words;
  }

  /** Whether these words stand at that unit. */
  has(words: string, unit: number): boolean {
    return this.units <= PLACED_CHARACTERS_MAX && this.text.startsWith(words, unit);
  }

  /** Where the character of that number begins, behind the last one where there are not so many. */
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

  /** The unit so many characters on; undefined where the text has not so many yet. */
  private skip(from: number, characters: number): number | undefined {
    const { text } = this;
    let unit = from;
    for (let count = 0; count < characters; count++) {
      // The other half of the last one may be to come.
      if (unit >= text.length || (unit === text.length - 1 && isHigh(text.charCodeAt(unit)))) return undefined;
      unit += isHigh(text.charCodeAt(unit)) && isLow(text.charCodeAt(unit + 1)) ? 2 : 1;
    }
    return unit;
  }
}
