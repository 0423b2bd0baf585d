import type { Percentiles } from '../core/routing/health.js';

/** Largest relative error of a reported percentile. */
export const RELATIVE_ERROR = 0.05;

const GROWTH = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GROWTH = Math.log(GROWTH);
/** The point of a bucket, as a part of its upper bound, whose relative distance to both bounds is the same. */
const MIDDLE = 2 / (1 + GROWTH);

/** Buckets whose bounds grow by a fixed factor. Values outside the range count in the first or last bucket. */
export class LogScale {
  readonly size: number;

  constructor(
    readonly min: number,
    max: number,
  ) {
    this.size = Math.ceil(Math.log(max / min) / LOG_GROWTH) + 1;
  }

  /** Bucket n ends at min × growth^n, that value included. */
  bucketOf(value: number): number {
    const bucket = Math.ceil(Math.log(value / this.min) / LOG_GROWTH);
    return Math.min(Math.max(bucket, 0), this.size - 1);
  }

  valueOf(bucket: number): number {
    return this.min * GROWTH ** bucket * MIDDLE;
  }
}

/**
 * The number of values in each bucket of a scale: every percentile is within `RELATIVE_ERROR`, and memory does not
 * depend on the number of values. Sketches of one scale can be added: the sum is the sketch of all their values.
 */
export class LogSketch {
  private readonly counts: Uint32Array;
  private total = 0;

  constructor(private readonly scale: LogScale) {
    this.counts = new Uint32Array(scale.size);
  }

  get count(): number {
    return this.total;
  }

  add(value: number): void {
    this.counts[this.scale.bucketOf(value)]!++;
    this.total++;
  }

  merge(added: LogSketch): void {
    this.mergeCounts(added.counts, 0);
  }

  /** Adds the buckets of a sketch that is stored at an offset of an array. */
  mergeCounts(counts: ArrayLike<number>, offset: number): void {
    const sum = this.counts;
    let added = 0;
    for (let bucket = 0; bucket < sum.length; bucket++) {
      const count = counts[offset + bucket]!;
      sum[bucket]! += count;
      added += count;
    }
    this.total += added;
  }

  /** Upper bounds of these shares of the values. Undefined while no value was added. */
  percentiles(): Percentiles | undefined {
    if (this.total === 0) return undefined;
    return { p50: this.cutoff(0.5), p75: this.cutoff(0.75), p90: this.cutoff(0.9), p99: this.cutoff(0.99) };
  }

  /** Lower bounds of these shares of the values. Undefined while no value was added. */
  floors(): Percentiles | undefined {
    if (this.total === 0) return undefined;
    return { p50: this.cutoff(0.5), p75: this.cutoff(0.25), p90: this.cutoff(0.1), p99: this.cutoff(0.01) };
  }

  /** The least value that this share of all values does not exceed. */
  private cutoff(share: number): number {
    const rank = Math.ceil(share * this.total);
    let seen = 0;
    let bucket = -1;
    while (seen < rank) seen += this.counts[++bucket]!;
    return this.scale.valueOf(bucket);
  }
}
