import { printInPieces } from '../core/print-in-pieces.js';
import { othersTurn } from '../shared/others-turn.js';

/** Texts of twice that and more are memory by themselves in the engine, which is dear to get and to give back. */
const PART_CHARACTERS = 60 * 1024;
/** Parts after which others have their turn: about a millisecond's work. */
const TURN_PARTS = 4;

/** The UTF-8 text of `printJson`, in parts; others are served meanwhile. */
export async function printInTurns(value: object): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  let text = '';
  for (const piece of printInPieces(value, PART_CHARACTERS)) {
    text += piece;
    if (text.length < PART_CHARACTERS) continue;
    parts.push(Buffer.from(text));
    text = '';
    if (parts.length % TURN_PARTS === 0) await othersTurn();
  }
  parts.push(Buffer.from(text));
  return parts;
}
