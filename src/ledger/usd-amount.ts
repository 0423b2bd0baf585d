import { parseUsd, type PicoUsd } from '../core/money/credits.js';

const EXPONENTIAL = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/;

/**
 * Reads an amount of USD that came as a JSON number, as its writer meant it: by its shortest decimal text, so 0.1 is exactly
 * one tenth.
 * @returns undefined for everything but a finite number below 10¹⁵ with at most 12 decimals
 */
export function readUsdNumber(value: unknown): PicoUsd | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return parseUsd(plainDecimal(String(value)));
}

/** Writes out small numbers, which print as `1e-7`. Large ones keep their exponent: no amount is that large. */
function plainDecimal(text: string): string {
  const match = EXPONENTIAL.exec(text);
  if (!match) return text;
  const [, sign, digit, fraction = '', exponent] = match;
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${digit}${fraction}`;
}
