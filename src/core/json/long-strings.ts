import { randomBytes } from 'node:crypto';
import type { LongString } from './json-scan.js';

/** Unpredictable, so that no text of a caller's is taken for a stand-in. */
const STAND_IN = `long-string-${randomBytes(12).toString('hex')}-`;

/**
 * Strings full of escapes, read in pieces. The engine reads a text at once, and thirty megabytes of escapes would block
 * all other work for a tenth of a second. The text around them is parsed with a stand-in for each, which is replaced by
 * the string afterwards.
 */
export class LongStrings {
  private readonly strings = new Map<string, string>();
  private readonly standIns: string[];
  /** Index of the first string that is not before all ranges requested so far. */
  private next = 0;

  constructor(
    private readonly bytes: Buffer,
    private readonly ranges: readonly LongString[],
  ) {
    this.standIns = ranges.map((_, index) => STAND_IN + index);
  }

  /**
   * Reads them, with yields in between.
   * @param parse throws a SyntaxError for a text that is not JSON
   */
  *read(parse: (text: string) => unknown): Generator<undefined, void> {
    for (const [index, { from, cuts, to }] of this.ranges.entries()) {
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

  /**
   * The text of a range, with stand-ins. Ranges are requested in ascending order, and none begins or ends in a string.
   */
  text(from: number, to: number): string {
    let text = '';
    let done = from;
    for (; this.next < this.ranges.length && this.ranges[this.next]!.from < to; this.next++) {
      const range = this.ranges[this.next]!;
      text += this.bytes.toString('utf8', done, range.from) + this.standIns[this.next]!;
      done = range.to;
    }
    return text + this.bytes.toString('utf8', done, to);
  }

  /**
   * Inserts them into the value, in place. @returns false where a stand-in is missing, because its member was given
   * twice
   */
  fill(value: unknown): boolean {
    let left = this.ranges.length;
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
        // The own property exists, so assignment is safe for `__proto__` too.
        members[key] = string;
        left--;
      }
    };
    if (left > 0) walk(value);
    return left === 0;
  }
}
