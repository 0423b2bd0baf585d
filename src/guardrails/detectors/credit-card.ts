import type { Span } from '../scan.js';

const LENGTH_MIN = 13;
const LENGTH_MAX = 19;

/** What numbers of the card networks begin with, and how many digits they have. */
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

/**
 * Numbers of payment cards: a network's prefix and length, a right check digit (Luhn), digits in groups or in one row.
 */
export function findCards(text: string): Span[] {
  const spans: Span[] = [];
  for (let start = 0; start < text.length; start++) {
    if (!isDigit(text, start) || isDigit(text, start - 1)) continue;
    const end = cardEnd(text, start);
    if (end === start) continue;
    spans.push({ start, end });
    start = end - 1;
  }
  return spans;
}

/** Where the longest card number that begins here ends; the beginning itself when there is none. */
function cardEnd(text: string, start: number): number {
  let found = start;
  let prefix = 0;
  // Which digits are doubled depends on the length: both sums are kept, and each length takes its own.
  let sumOfEven = 0;
  let sumOfOdd = 0;
  let place = start;
  for (let count = 1; count <= LENGTH_MAX; count++) {
    const digit = text.charCodeAt(place) - 48;
    const doubled = digit > 4 ? digit * 2 - 9 : digit * 2;
    const isEven = count % 2 === 0;
    sumOfEven += isEven ? doubled : digit;
    sumOfOdd += isEven ? digit : doubled;
    if (count <= 4) prefix = prefix * 10 + digit;
    if (count === 4 && !NETWORKS.some(([from, to]) => prefix >= from && prefix <= to)) return start;
    const isWhole = !isDigit(text, place + 1);
    // The last digit is never doubled.
    const sum = isEven ? sumOfOdd : sumOfEven;
    if (count >= LENGTH_MIN && isWhole && sum % 10 === 0 && hasLength(prefix, count)) found = place + 1;
    place = nextDigit(text, place);
    if (place === -1) break;
  }
  return found;
}

const hasLength = (prefix: number, count: number): boolean =>
  NETWORKS.some(([from, to, min, max]) => prefix >= from && prefix <= to && count >= min && count <= max);

/** The digit behind, or behind one space or hyphen; -1 when there is none. */
function nextDigit(text: string, place: number): number {
  if (isDigit(text, place + 1)) return place + 1;
  const separator = text[place + 1];
  return (separator === ' ' || separator === '-') && isDigit(text, place + 2) ? place + 2 : -1;
}

function isDigit(text: string, place: number): boolean {
  const code = text.charCodeAt(place);
  return code >= 48 && code <= 57;
}
