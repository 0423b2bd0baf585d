const DECIMAL = /^(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i;
/** Decimal places from USD a token to USD a million tokens. */
const PER_MILLION = 6;
/** The limit of the catalog for a price. */
const DECIMALS_MAX = 6;
const DIGITS_MAX = 15;

/**
 * Converts a price of LiteLLM's, USD a token, into the catalog's decimal text, USD a million tokens. Exact: the decimal
 * point is moved, nothing is multiplied.
 * @returns undefined for what is no price, or has more decimals than the catalog allows
 */
export function perMillion(value: unknown): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const match = DECIMAL.exec(String(value).trim());
  if (!match) return undefined;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  const decimals = fraction.length - Number(exponent) - PER_MILLION;
  const padded = digits.padStart(decimals + 1, '0');
  const point = padded.length - decimals;
  const left = (decimals > 0 ? padded.slice(0, point) : digits + '0'.repeat(-decimals)).replace(/^0+(?=\d)/, '');
  const right = (decimals > 0 ? padded.slice(point) : '').replace(/0+$/, '');
  if (left.length > DIGITS_MAX || right.length > DECIMALS_MAX) return undefined;
  return right === '' ? left : `${left}.${right}`;
}
