import { estimateTokens } from '../../core/money/estimate.js';

/** What is told in place of the rest. */
const CUT = '\n\n[The rest of this page was left out.]';
const BYTES_PER_TOKEN = Math.floor(1_000 / estimateTokens(1_000));

/** UTF-8 bytes of a text of so many tokens, as they are estimated everywhere: it has no more characters. */
export const bytesOf = (tokens: number): number => tokens * BYTES_PER_TOKEN;

/** A text without what is no part of one. */
export const cleanText = (text: string): string => text.toWellFormed().replaceAll(CONTROLS, '');

/** The same of about so many tokens at most; what was cut is told at its end. */
export function cutText(text: string, tokensMax: number): string {
  const bytesMax = bytesOf(tokensMax);
  // A character has one byte at least: what is surely cut is not looked at.
  const clean = cleanText(text.slice(0, bytesMax + 1));
  if (Buffer.byteLength(clean) <= bytesMax && text.length <= bytesMax + 1) return clean;
  const bytes = Buffer.from(clean).subarray(0, bytesMax);
  // Not within a character.
  return new TextDecoder().decode(bytes, { stream: true }) + CUT;
}

// oxlint-disable-next-line no-control-regex -- these very ones
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
