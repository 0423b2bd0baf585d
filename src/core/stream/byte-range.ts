/**
 * Where something stands in a chunk of bytes. A range is a fraction of the cost of a view of its own, and ranges that
 * lie side by side can be sent as one.
 */
export interface ByteRange {
  readonly bytes: Uint8Array;
  readonly start: number;
  /** The first byte after it. */
  readonly end: number;
}
