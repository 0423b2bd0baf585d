/** Frames on their way out: bytes that came from upstream, or text of our own. */
export type Chunk = Uint8Array | string;

/**
 * Joins the frames of one batch into one write with the least copying: frames that lie side by side in one upstream chunk become
 * one view of it, and bytes are copied only where views and text must be mixed. One per batch.
 */
export class ChunkJoiner {
  private readonly parts: Chunk[] = [];

  add(chunk: Chunk): void {
    const last = this.parts.at(-1);
    const merged = last === undefined ? undefined : merge(last, chunk);
    if (merged === undefined) this.parts.push(chunk);
    else this.parts[this.parts.length - 1] = merged;
  }

  /** Everything that was added, in order; undefined when there was nothing. */
  joined(): Chunk | undefined {
    if (this.parts.length <= 1) return this.parts[0];
    return Buffer.concat(this.parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  }
}

function merge(before: Chunk, after: Chunk): Chunk | undefined {
  if (typeof before === 'string') return typeof after === 'string' ? before + after : undefined;
  if (typeof after === 'string' || before.buffer !== after.buffer) return undefined;
  if (before.byteOffset + before.byteLength !== after.byteOffset) return undefined;
  return new Uint8Array(before.buffer, before.byteOffset, before.byteLength + after.byteLength);
}
