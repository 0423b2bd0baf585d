import { yieldToEventLoop, PIECE } from '../yield-to-event-loop.js';
import { printInPieces } from './print-in-pieces.js';

/** Parts between yields: about a millisecond's work. */
const TURN_PARTS = 4;

/** The UTF-8 text of `printJson` in parts, some of them shared with the value. Yields to other work between parts. */
export async function printInSlices(value: object): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  let text = '';
  for (const piece of printInPieces(value, PIECE)) {
    if (typeof piece === 'string') {
      text += piece;
      if (text.length < PIECE) continue;
    }
    if (text !== '') parts.push(Buffer.from(text));
    text = '';
    if (typeof piece !== 'string') parts.push(piece);
    else if (parts.length % TURN_PARTS === 0) await yieldToEventLoop();
  }
  parts.push(Buffer.from(text));
  return parts;
}
