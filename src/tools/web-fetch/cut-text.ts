import { estimateTokens } from '../../core/money/estimate.js';

/** Replaces the rest. */
const CUT = '\n\n[The rest of this page was left out.]';
const BYTES_PER_TOKEN = Math.floor(1_000 / estimateTokens(1_000));

/**
 * UTF-8 bytes of a text of this many tokens, by the estimate that is used everywhere; it has at most as many
 * characters.
 */
export const bytesOf = (tokens: number): number => tokens * BYTES_PER_TOKEN;

/** A text without control characters and lone surrogates. */
export const cleanText = (text: string): string => text.toWellFormed().replaceAll(CONTROLS, '');

/** Cleans a text and cuts it to about this many tokens; a cut text ends with a notice. */
export function cutText(text: string, tokensMax: number): string {
  const bytesMax = bytesOf(tokensMax);
  // A character has at least one byte: what is certainly cut is not read.
  const clean = cleanText(text.slice(0, bytesMax + 1));
  if (Buffer.byteLength(clean) <= bytesMax && text.length <= bytesMax + 1) return clean;
  const bytes = Buffer.from(clean).subarray(0, bytesMax);
  // Drops a partial character at the end.
  return new TextDecoder().decode(bytes, { stream: true }) + CUT;
}

// oxlint-disable-next-line no-control-regex -- these very ones
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
