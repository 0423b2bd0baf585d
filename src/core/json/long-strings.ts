import { randomBytes } from 'node:crypto';
import type { LongString } from './json-scan.js';

/** Cannot be guessed, so that no text of a caller's is taken for a stand-in. */
const STAND_IN = `long-string-${randomBytes(12).toString('hex')}-`;

/**
 * Strings full of escapes, read in pieces: the engine reads a text at once, and thirty megabytes of escapes in it hold
 * everybody up for a tenth of a second. The text around them is parsed with a stand-in for each, which gives way to the
 * string itself afterwards.
 */
export class LongStrings {
  private readonly strings = new Map<string, string>();
  private readonly standIns: string[];
  /** The first that is not before all ranges asked for so far. */
  private next = 0;

  constructor(
    private readonly bytes: Buffer,
    private readonly places: readonly LongString[],
  ) {
    this.standIns = places.map((_, index) => STAND_IN + index);
  }

  /**
   * Reads them, with turns for others between.
   * @param parse throws a SyntaxError for what is no JSON
   */
  *read(parse: (text: string) => unknown): Generator<undefined, void> {
    for (const [index, { from, cuts, to }] of this.places.entries()) {
      let whole = '';
      let start = from;
      for (const end of [...cuts, to]) {
        whole += parse(`"${this.bytes.toString('utf8', start, end)}"`) as string;
        start = end;
        yield;
      }
      this.strings.set(this.standIns[index]!, whole);
    }
  }

  /** The text of a range, with stand-ins. Ranges are asked for in their order, and none begins or ends in a string. */
  text(from: number, to: number): string {
    let text = '';
    let done = from;
    for (; this.next < this.places.length && this.places[this.next]!.from < to; this.next++) {
      const place = this.places[this.next]!;
      text += this.bytes.toString('utf8', done, place.from) + this.standIns[this.next]!;
      done = place.to;
    }
    return text + this.bytes.toString('utf8', done, to);
  }

  /** Puts them into the value, in place. @returns false where one is not there, for its member was given twice */
  fill(value: unknown): boolean {
    let left = this.places.length;
    const walk = (inner: unknown): void => {
      if (typeof inner !== 'object' || inner === null) return;
      const members = inner as Record<string, unknown>;
      for (const key of Object.keys(members)) {
        const member = members[key];
        const string = typeof member === 'string' ? this.strings.get(member) : undefined;
        if (string === undefined) {
          walk(member);
          continue;
        }
        // An own property is there, so that this does what it says for `__proto__` too.
        members[key] = string;
        left--;
      }
    };
    if (left > 0) walk(value);
    return left === 0;
  }
}
