/** An exact amount of money: integer units of 10⁻¹² USD. */
export type PicoUsd = bigint;

export const PICO_PER_USD = 1_000_000_000_000n;
const UNITS_PER_USD = Number(PICO_PER_USD);
const DECIMALS = 12;
const DIGIT_ZERO = 48;
const DECIMAL = /^(-?)(\d{1,15})(?:\.(\d{1,12}))?$/;

/**
 * Reads a decimal text of USD exactly.
 * @returns undefined when it is not a plain decimal of at most 15 whole digits and 12 decimals
 */
export function parseUsd(text: string): PicoUsd | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign, whole, fraction = ''] = match;
  const amount = BigInt(whole!) * PICO_PER_USD + BigInt(fraction.padEnd(DECIMALS, '0'));
  return sign === '-' ? -amount : amount;
}

/** The exact decimal text of an amount in USD, without trailing zeros. */
export function formatUsd(amount: PicoUsd): string {
  if (amount === 0n) return '0';
  const negative = amount < 0n;
  const digits = (negative ? -amount : amount).toString().padStart(DECIMALS + 1, '0');
  const point = digits.length - DECIMALS;
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === DIGIT_ZERO) end--;
  const text = end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`;
  return negative ? `-${text}` : text;
}

/** For printing as a JSON number only: nothing is ever computed from it. */
export function usdNumber(amount: PicoUsd): number {
  const units = Number(amount);
  // The quotient of two exact numbers is rounded once, like a decimal text when it is parsed.
  return Number.isSafeInteger(units) ? units / UNITS_PER_USD : Number(formatUsd(amount));
}
