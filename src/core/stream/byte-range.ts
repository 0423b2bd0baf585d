/** A range of bytes in a chunk. It costs a fraction of a view, and adjacent ranges can be sent as one. */
export interface ByteRange {
  readonly bytes: Uint8Array;
  readonly start: number;
  /** The position past its last byte. */
  readonly end: number;
}
