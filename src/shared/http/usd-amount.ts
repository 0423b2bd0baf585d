import { ExactNumber, printJson } from '../../core/json/json.js';
import { parseUsd, type PicoUsd } from '../../core/money/credits.js';

/** A number of the JSON grammar. */
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;
/** Longest accepted spelling in characters: 27 digits express every amount, the rest can only be zeros. */
const SPELLING_MAX = 64;
const WHOLE_DIGITS_MAX = 15;
const DECIMALS_MAX = 12;

/**
 * Reads an amount of USD from a JSON number by its decimal text, so that 0.1 is exactly one tenth. A number that
 * JavaScript can represent is read from its shortest spelling, any other from its original one (`ExactNumber`).
 * @returns undefined for everything but a number below 10¹⁵ with at most 12 decimals
 */
export function readUsdNumber(value: unknown): PicoUsd | undefined {
  const plain = plainDecimal(spellingOf(value));
  return plain === undefined ? undefined : parseUsd(plain);
}

function spellingOf(value: unknown): string {
  if (value instanceof ExactNumber) return printJson(value);
  return typeof value === 'number' ? String(value) : '';
}

/**
 * Prints the amount without exponent and needless zeros; undefined if it is no number, or has more digits than an
 * amount on either side.
 */
function plainDecimal(spelling: string): string | undefined {
  const match = spelling.length > SPELLING_MAX ? null : NUMBER.exec(spelling);
  if (!match) return undefined;
  const [, sign, whole, fraction = '', power = '0'] = match;
  const digits = (whole! + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  /** Number of digits before the point; negative: number of zeros after it. */
  const point = digits.length - fraction.length + Number(power);
  if (point > WHOLE_DIGITS_MAX || significant.length - point > DECIMALS_MAX) return undefined;
  const padded = significant.padStart(significant.length - Math.min(point, 0), '0').padEnd(point, '0');
  const wholes = padded.slice(0, Math.max(point, 0));
  const decimals = padded.slice(Math.max(point, 0));
  return `${sign}${wholes || '0'}${decimals && `.${decimals}`}`;
}
