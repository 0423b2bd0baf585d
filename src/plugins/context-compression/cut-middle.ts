/** Stands where something was left out. */
const GAP = '\n…\n';
const GAP_BYTES = Buffer.byteLength(GAP);

/**
 * A text without its middle, at most `bytesMax` of UTF-8 long, but for the mark of the gap where that has no room.
 * Characters stay whole. No more of it is read than is kept.
 * @param text longer than that
 */
export function cutMiddle(text: string, bytesMax: number): string {
  const half = Math.max(0, Math.floor((bytesMax - GAP_BYTES) / 2));
  // So many characters are as many bytes at least.
  const beginning = Buffer.from(text.slice(0, half));
  const end = Buffer.from(half === 0 ? '' : text.slice(-half));
  let head = Math.min(half, beginning.length);
  while (head > 0 && isInside(beginning[head])) head--;
  let tail = end.length - Math.min(half, end.length);
  while (tail < end.length && isInside(end[tail])) tail++;
  return beginning.toString('utf8', 0, head) + GAP + end.toString('utf8', tail);
}

const isInside = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
