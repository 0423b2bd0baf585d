import { SliceRing, type Slice } from './slice-ring.js';

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

/** How many calls were made within the last slices of time, and how many of them failed. */
export class CallWindow {
  private readonly ring: SliceRing<CallSlice>;

  constructor(sliceMs: number, slices: number) {
    this.ring = new SliceRing(sliceMs, slices, () => new CallSlice());
  }

  record(isFault: boolean, now: number): void {
    const slice = this.ring.current(now);
    slice.calls++;
    if (isFault) slice.faults++;
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
