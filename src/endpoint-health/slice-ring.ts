/** Counters of one slice of time. */
export interface Slice {
  clear(): void;
}

/**
 * The last few slices of time, allocated on demand and reused. Slices older than all of them are dropped, as are future
 * ones after the clock was set back.
 */
export class SliceRing<T extends Slice> {
  private readonly ring: (T | undefined)[];
  /** By index: the number of slices of this length from 1970 to the start of the slice at it. */
  private readonly ordinals: number[];

  constructor(
    private readonly sliceMs: number,
    private readonly slices: number,
    private readonly make: (index: number) => T,
  ) {
    this.ring = new Array<T | undefined>(slices).fill(undefined);
    this.ordinals = new Array<number>(slices).fill(-1);
  }

  /** The slice to count in. */
  current(now: number): T {
    const ordinal = Math.floor(now / this.sliceMs);
    const index = ordinal % this.slices;
    const slice = (this.ring[index] ??= this.make(index));
    if (this.ordinals[index] !== ordinal) {
      this.ordinals[index] = ordinal;
      slice.clear();
    }
    return slice;
  }

  /** The current slice and those before it, in no particular order. */
  live(now: number): T[] {
    const ordinal = Math.floor(now / this.sliceMs);
    const live: T[] = [];
    for (let index = 0; index < this.ring.length; index++) {
      const slice = this.ring[index];
      const begun = this.ordinals[index]!;
      if (slice && begun <= ordinal && begun > ordinal - this.slices) live.push(slice);
    }
    return live;
  }

  /** All allocated slices, including expired ones. */
  all(): readonly T[] {
    return this.ring.filter((slice) => slice !== undefined);
  }
}

export interface CallCounts {
  readonly calls: number;
  readonly faults: number;
}

class CallSlice implements Slice {
  calls = 0;
  faults = 0;

  clear(): void {
    this.calls = 0;
    this.faults = 0;
  }
}

/** The numbers of calls and of failed calls within the last slices of time. */
export class CallWindow {
  private readonly ring: SliceRing<CallSlice>;
  /** The slice that was used last, and its time range. */
  private slice: CallSlice | undefined;
  private sliceFrom = 0;
  private sliceUntil = 0;

  constructor(
    private readonly sliceMs: number,
    slices: number,
  ) {
    this.ring = new SliceRing(sliceMs, slices, () => new CallSlice());
  }

  record(isFault: boolean, now: number): void {
    const { slice } = this;
    const current = slice && now >= this.sliceFrom && now < this.sliceUntil ? slice : this.enter(now);
    current.calls++;
    if (isFault) current.faults++;
  }

  private enter(now: number): CallSlice {
    this.sliceFrom = now - (now % this.sliceMs);
    this.sliceUntil = this.sliceFrom + this.sliceMs;
    return (this.slice = this.ring.current(now));
  }

  counts(now: number): CallCounts {
    let calls = 0;
    let faults = 0;
    for (const slice of this.ring.live(now)) {
      calls += slice.calls;
      faults += slice.faults;
    }
    return { calls, faults };
  }
}
