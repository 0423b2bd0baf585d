const FRAME = /[^]+?(?:\r\n\r\n|\n\n|\r\r)/g;
const NUMBER = /(?:^|\n)id: (\d+)\n/g;
/** In the text of a caller or a model the quotes are escaped. */
const SEQUENCE = /"sequence_number":(\d+)/g;

/** Numbers the events of one stream from 1, in its `id` fields. */
export class EventIds {
  /** @param last the number of the frame before the next one */
  constructor(private last = 0) {}

  /** @param frames whole frames */
  add(frames: Uint8Array | string): string {
    const text = typeof frames === 'string' ? frames : Buffer.from(frames).toString();
    return text.replace(FRAME, (frame) => `id: ${++this.last}\n${frame}`);
  }
}

/** The number of the last frame in a piece of a numbered stream; 0: it has none. */
export function lastNumber(piece: string): number {
  let last = 0;
  for (const [, number] of piece.matchAll(NUMBER)) last = Number(number);
  return last;
}

/** The frames with the numbers that follow those of the piece before them, in its `id` fields and events. */
export function continueFrames(frames: string, piece: string): string {
  let next = 0;
  for (const [, number] of piece.matchAll(SEQUENCE)) next = Number(number) + 1;
  const continued = frames.replace(SEQUENCE, () => `"sequence_number":${next++}`);
  const last = lastNumber(piece);
  return last > 0 ? new EventIds(last).add(continued) : continued;
}

/** Leaves out the frames of a numbered stream up to one of them. */
export class FramesAfter {
  private isPast: boolean;

  constructor(private readonly number: number) {
    this.isPast = number === 0;
  }

  /** @returns undefined where nothing is left of the piece */
  read(piece: Buffer): Buffer | undefined {
    if (this.isPast) return piece;
    const text = piece.toString();
    for (const { 0: mark, 1: number, index } of text.matchAll(NUMBER)) {
      if (Number(number) <= this.number) continue;
      this.isPast = true;
      return Buffer.from(text.slice(mark.startsWith('\n') ? index + 1 : index));
    }
    return undefined;
  }
}
