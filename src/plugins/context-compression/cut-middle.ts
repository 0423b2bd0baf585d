/** Stands where something was left out. */
const GAP = '\n…\n';
const GAP_BYTES = Buffer.byteLength(GAP);

/**
 * A text without its middle, at most `bytesMax` of UTF-8 long, but for the mark of the gap where that has no room.
 * Characters stay whole.
 */
export function cutMiddle(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  const half = Math.max(0, Math.floor((bytesMax - GAP_BYTES) / 2));
  let head = Math.min(half, bytes.length);
  while (head > 0 && isInside(bytes[head])) head--;
  let tail = Math.max(head, bytes.length - half);
  while (tail < bytes.length && isInside(bytes[tail])) tail++;
  return bytes.toString('utf8', 0, head) + GAP + bytes.toString('utf8', tail);
}

const isInside = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
