import type { Percentiles } from '../core/routing/health.js';
import { LogSketch, type LogScale } from './log-sketch.js';
import { SliceRing, type Slice } from './slice-ring.js';

/** Percentiles are over the last five minutes: ten slices, the newest still being filled. */
export const SKETCH_SLICE_MS = 30_000;
export const SKETCH_SLICES = 10;
/** Fewer values give no percentiles. */
export const SAMPLES_MIN = 5;

/** The buckets of one slice, as a part of the array that holds those of all. */
class BucketSlice implements Slice {
  constructor(
    private readonly sketch: RollingSketch,
    readonly offset: number,
  ) {}

  clear(): void {
    this.sketch.clear(this.offset);
  }
}

/**
 * The distribution of the values of the last five minutes. All slices are in one array: on the scales in use, 2.8 KB.
 */
export class RollingSketch {
  private counts: Uint16Array | Uint32Array;
  private readonly ring: SliceRing<BucketSlice>;

  constructor(private readonly scale: LogScale) {
    this.counts = new Uint16Array(SKETCH_SLICES * scale.size);
    this.ring = new SliceRing(SKETCH_SLICE_MS, SKETCH_SLICES, (index) => new BucketSlice(this, index * scale.size));
  }

  /** Size of its buckets. */
  get bytes(): number {
    return this.counts.byteLength;
  }

  add(value: number, now: number): void {
    const index = this.ring.current(now).offset + this.scale.bucketOf(value);
    const count = this.counts[index]! + 1;
    // Widened only when a bucket needs it, which those of most endpoints never do.
    if (count > 0xffff && this.counts instanceof Uint16Array) this.counts = Uint32Array.from(this.counts);
    this.counts[index] = count;
  }

  /** Upper bounds of shares of the values. Undefined while there are fewer than `SAMPLES_MIN`. */
  percentiles(now: number): Percentiles | undefined {
    return this.merged(now)?.percentiles();
  }

  /** Lower bounds of shares of the values. Undefined while there are fewer than `SAMPLES_MIN`. */
  floors(now: number): Percentiles | undefined {
    return this.merged(now)?.floors();
  }

  private merged(now: number): LogSketch | undefined {
    const sum = new LogSketch(this.scale);
    for (const { offset } of this.ring.live(now)) sum.mergeCounts(this.counts, offset);
    return sum.count < SAMPLES_MIN ? undefined : sum;
  }

  /** Empties the slice that begins at this offset. */
  clear(offset: number): void {
    this.counts.fill(0, offset, offset + this.scale.size);
  }
}
