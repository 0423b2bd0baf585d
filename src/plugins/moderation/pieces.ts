import { GatewayError } from '../../core/errors.js';
import type { JudgedText } from './engine.js';

/** Overlap of two pieces, in characters: a phrase across their edge is whole in one of them. */
const SHARED = 200;

/**
 * Splits texts into pieces that an engine takes, each as long as allowed. Empty texts are left out.
 * @param lengthMax of a piece, in characters: far more than the overlap
 * @param totalMax of all texts, in characters
 * @throws GatewayError `too-large` for more: unread text is never sent
 */
export function piecesOf(texts: readonly JudgedText[], lengthMax: number, totalMax: number): readonly string[] {
  const pieces: string[] = [];
  let total = 0;
  for (const { parts } of texts) {
    const text = parts.join('\n');
    total += text.length;
    if (total > totalMax) {
      throw new GatewayError(
        'too-large',
        `The moderation of this gateway reads ${totalMax} characters of a request at most, and this one has more. Send less text.`,
      );
    }
    if (text.trim() === '') continue;
    for (let from = 0; ; from += lengthMax - SHARED) {
      pieces.push(text.slice(from, from + lengthMax));
      if (from + lengthMax >= text.length) break;
    }
  }
  return pieces;
}
