/** Marks a cut. */
const GAP = '\n…\n';
const GAP_BYTES = Buffer.byteLength(GAP);

/**
 * A text without its middle, at most `bytesMax` bytes of UTF-8 long, plus the mark of the gap where that alone is
 * longer. Characters stay whole. Reads no more of the text than it keeps.
 * @param text longer than `bytesMax`
 */
export function cutMiddle(text: string, bytesMax: number): string {
  const half = Math.max(0, Math.floor((bytesMax - GAP_BYTES) / 2));
  // A text has at least as many bytes as characters.
  const beginning = Buffer.from(text.slice(0, half));
  const end = Buffer.from(half === 0 ? '' : text.slice(-half));
  let head = Math.min(half, beginning.length);
  while (head > 0 && isInside(beginning[head])) head--;
  let tail = end.length - Math.min(half, end.length);
  while (tail < end.length && isInside(end[tail])) tail++;
  return beginning.toString('utf8', 0, head) + GAP + end.toString('utf8', tail);
}

const isInside = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
