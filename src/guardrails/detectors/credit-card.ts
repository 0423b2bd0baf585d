import type { Span } from '../../core/text/scan.js';

const LENGTH_MIN = 13;
const LENGTH_MAX = 19;

/** Prefixes and lengths of the numbers of the card networks. */
const NETWORKS: readonly (readonly [from: number, to: number, min: number, max: number])[] = [
  [4000, 4999, 13, 19],
  [5100, 5599, 16, 16],
  [2221, 2720, 16, 16],
  [3400, 3499, 15, 15],
  [3700, 3799, 15, 15],
  [6011, 6011, 16, 19],
  [6440, 6599, 16, 19],
  [6200, 6299, 16, 19],
  [3000, 3059, 14, 19],
  [3600, 3699, 14, 19],
  [3800, 3999, 14, 19],
  [3528, 3589, 16, 19],
  [5018, 5018, 13, 19],
  [5020, 5020, 13, 19],
  [5038, 5038, 13, 19],
  [5893, 5893, 13, 19],
  [6304, 6304, 13, 19],
  [6759, 6763, 13, 19],
];

/** The first digits of all networks. */
const FIRST_DIGITS: ReadonlySet<number> = new Set(
  NETWORKS.flatMap(([from, to]) => [from, to].map((prefix) => String(prefix).charCodeAt(0))),
);

/**
 * Numbers of payment cards: a network's prefix and length, a valid check digit (Luhn), and digits without separators,
 * in any groups with one space or hyphen between them, or in customary groups with other separators.
 */
export function findCards(text: string): Span[] {
  const spans: Span[] = [];
  for (let start = 0; start < text.length; start++) {
    if (!isDigit(text, start) || isDigit(text, start - 1) || !FIRST_DIGITS.has(text.charCodeAt(start))) continue;
    const end = cardEnd(text, start);
    if (end === start) continue;
    spans.push({ start, end });
    start = end - 1;
  }
  return spans;
}

/** The end of the longest card number that begins here; the start itself when there is none. */
function cardEnd(text: string, start: number): number {
  let found = start;
  let prefix = 0;
  // The doubled digits depend on the length: both sums are kept, and each length uses its own.
  let sumOfEven = 0;
  let sumOfOdd = 0;
  let index = start;
  let grouping: Grouping | undefined;
  for (let count = 1; count <= LENGTH_MAX; count++) {
    const digit = text.charCodeAt(index) - 48;
    const doubled = digit > 4 ? digit * 2 - 9 : digit * 2;
    const isEven = count % 2 === 0;
    sumOfEven += isEven ? doubled : digit;
    sumOfOdd += isEven ? digit : doubled;
    if (count <= 4) prefix = prefix * 10 + digit;
    if (count === 4 && !NETWORKS.some(([from, to]) => prefix >= from && prefix <= to)) return start;
    const isWhole = !isDigit(text, index + 1);
    // The last digit is never doubled.
    const sum = isEven ? sumOfOdd : sumOfEven;
    const isRight = count >= LENGTH_MIN && isWhole && sum % 10 === 0 && hasLength(prefix, count);
    if (isRight && grouping?.isUsual(count) !== false) found = index + 1;
    index++;
    if (!isWhole) continue;
    const next = nextGroup(text, index);
    if (next === -1) break;
    (grouping ??= new Grouping()).end(count, text, index, next);
    index = next;
  }
  return found;
}

/** The allowed separators between two groups of digits, and their largest number. */
const SEPARATORS: ReadonlySet<number> = new Set([...' \t\n\r-./_·'].map((separator) => separator.charCodeAt(0)));
const SEPARATOR_MAX = 4;
const SPACE = 32;
const HYPHEN = 45;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** The digit after a separator that begins here; -1 where there is none. */
function nextGroup(text: string, index: number): number {
  let next = index;
  while (next < index + SEPARATOR_MAX && SEPARATORS.has(text.charCodeAt(next))) next++;
  return next > index && isDigit(text, next) ? next : -1;
}

/** Grouping of the digits of one number. Plain fields, because one is created for every number of a text. */
class Grouping {
  private counted = 0;
  private groups = 0;
  private first = 0;
  private isOfFours = true;
  private isEven = true;
  private isFourSix = false;
  /** The start and the length of the first separator. */
  private from = 0;
  private length = 0;
  private isSame = true;
  /** Whether a separator is anything but a single space or hyphen. */
  private isOdd = false;
  private lineEnds = 0;

  /**
   * @param count of all digits before a separator
   * @param from where it begins in the text, up to `to`
   */
  end(count: number, text: string, from: number, to: number): void {
    const digits = count - this.counted;
    this.counted = count;
    this.groups++;
    this.isFourSix = this.groups === 2 && this.first === 4 && digits === 6;
    if (this.groups === 1) [this.first, this.from, this.length] = [digits, from, to - from];
    this.isOfFours &&= digits % 4 === 0;
    this.isEven &&= digits === this.first;
    this.isSame &&= to - from === this.length;
    let endsLine = false;
    for (let index = from; index < to; index++) {
      const code = text.charCodeAt(index);
      this.isSame &&= code === text.charCodeAt(this.from + index - from);
      endsLine ||= code === LINE_FEED || code === CARRIAGE_RETURN;
      if (to > from + 1 || (code !== SPACE && code !== HYPHEN)) this.isOdd = true;
    }
    if (endsLine) this.lineEnds++;
  }

  /** Other separators are accepted only between groups of four or of equal length: figures in tables have any. */
  isUsual(count: number): boolean {
    if (!this.isOdd) return true;
    const last = count - this.counted;
    const isOfFours = this.isOfFours && (last < 4 || last % 4 === 0);
    // A column of figures is not a card number, and a number spans at most one line end.
    if (isOfFours || (this.isFourSix && (last === 4 || last === 5))) return this.lineEnds <= 1;
    return this.isEven && last <= this.first && this.isSame && this.lineEnds === 0;
  }
}

const hasLength = (prefix: number, count: number): boolean =>
  NETWORKS.some(([from, to, min, max]) => prefix >= from && prefix <= to && count >= min && count <= max);

function isDigit(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 48 && code <= 57;
}
