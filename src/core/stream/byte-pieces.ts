/** Number of small pieces after which they are joined: each separate piece costs at least a hundred bytes. */
const LOOSE_PIECES_MAX = 1_024;
/** Pieces with more bytes than this in total are not small, and stay separate. */
const JOINED_BYTES_MAX = 1024 * 1024;

/**
 * Collects bytes that arrive in pieces and are needed together. Cost and memory are linear in the bytes, whatever the
 * boundaries are: an upstream that sends single bytes holds no more memory than any other.
 */
export class BytePieces {
  /** Over all pieces. */
  bytes = 0;
  private pieces: Uint8Array[] = [];
  /** Number of last pieces that were not checked yet. */
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

  /** Removes and returns all bytes. A single piece is not copied. */
  take(): Buffer {
    const { pieces, bytes } = this;
    this.clear();
    const [first] = pieces;
    return pieces.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(pieces, bytes);
  }

  /** Removes and returns the pieces, to be read one by one. */
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
