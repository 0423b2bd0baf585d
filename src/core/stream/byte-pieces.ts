/** Tiny pieces are put together once there are so many: each that is kept by itself costs a hundred bytes and more. */
const LOOSE_PIECES_MAX = 1_024;
/** So many pieces of more bytes than that are not tiny, and are left as they are. */
const JOINED_BYTES_MAX = 1024 * 1024;

/**
 * Bytes that come in pieces and are wanted together. Costs are linear in the bytes, and memory too, whatever the cuts
 * are: an upstream that sends every byte by itself holds no more than one that does not.
 */
export class BytePieces {
  /** Of all pieces. */
  bytes = 0;
  private pieces: Uint8Array[] = [];
  /** The last pieces, not looked at yet. */
  private loosePieces = 0;
  private looseBytes = 0;

  add(piece: Uint8Array): void {
    this.pieces.push(piece);
    this.bytes += piece.length;
    this.looseBytes += piece.length;
    if (++this.loosePieces < LOOSE_PIECES_MAX) return;
    if (this.looseBytes <= JOINED_BYTES_MAX) {
      const loose = this.pieces.splice(-LOOSE_PIECES_MAX);
      this.pieces.push(Buffer.concat(loose, this.looseBytes));
    }
    this.loosePieces = 0;
    this.looseBytes = 0;
  }

  /** All of them, which are let go. A single piece is not copied. */
  take(): Buffer {
    const { pieces, bytes } = this;
    this.clear();
    const [first] = pieces;
    return pieces.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(pieces, bytes);
  }

  /** As they are kept, to be read one by one; they are let go. */
  takePieces(): readonly Uint8Array[] {
    const { pieces } = this;
    this.clear();
    return pieces;
  }

  clear(): void {
    this.pieces = [];
    this.bytes = 0;
    this.loosePieces = 0;
    this.looseBytes = 0;
  }
}
