import { SliceRing, type CallCounts, type Slice } from './slice-ring.js';

/**
 * The outcome of a call: success; a fault that no caller can cause; a doubtful fault, which the request may have
 * caused; or a refusal for too many calls.
 */
export type CallOutcome = 'success' | 'fault' | 'doubtful' | 'limited';
type Counts = Record<CallOutcome, number>;

/** Maximum number of callers that are counted separately in one slice of time; all others count as one. */
const CALLERS_MAX = 64;
const OTHERS = '*';
/** A caller's faults are attributed to the caller if its fault share is this many times that of the others. */
const FAR_ABOVE = 3;

class CallerSlice implements Slice {
  readonly callers = new Map<string, Counts>();

  clear(): void {
    this.callers.clear();
  }

  /** Counts for a caller that has none in this slice yet. */
  add(caller: string): Counts {
    const name = this.callers.size < CALLERS_MAX ? caller : OTHERS;
    const counts = this.callers.get(name) ?? noCounts();
    this.callers.set(name, counts);
    return counts;
  }
}

/** The counts of an endpoint over the calls of all callers. */
export interface SharedCounts extends CallCounts {
  /** Number of callers that met faults. */
  readonly callers: number;
}

/**
 * The outcomes of each caller's calls within the last slices of time, so that the failures of one caller are not
 * attributed to the endpoint (docs/contribute/decisions/0041-cool-down-by-rate.md). At most `CALLERS_MAX` callers a
 * slice are kept by name.
 */
export class CallerWindow {
  private readonly ring: SliceRing<CallerSlice>;
  private faultAt = -Infinity;
  private readonly lengthMs: number;

  constructor(sliceMs: number, slices: number) {
    this.lengthMs = sliceMs * slices;
    this.ring = new SliceRing(sliceMs, slices, () => new CallerSlice());
  }

  record(caller: string, outcome: CallOutcome, now: number): void {
    const slice = this.ring.current(now);
    const counts = slice.callers.get(caller) ?? slice.add(caller);
    counts[outcome]++;
    if (outcome !== 'success') this.faultAt = now;
  }

  /** False where no call failed, so that counting can be skipped. */
  hasFaults(now: number): boolean {
    return now - this.faultAt < this.lengthMs;
  }

  /** The counts of one caller, including every fault. A refusal for too many calls is neither call nor fault. */
  own(caller: string, now: number): CallCounts {
    const sum = noCounts();
    for (const { callers } of this.ring.live(now)) {
      const counts = callers.get(caller);
      if (counts) add(sum, counts);
    }
    const faults = sum.fault + sum.doubtful;
    return { calls: sum.success + faults, faults };
  }

  /**
   * The counts over all callers. Doubtful faults count once for each caller, and callers whose fault share is far above
   * that of the others count neither calls nor faults.
   */
  shared(now: number): SharedCounts {
    const each = this.perCaller(now);
    const all = totalOf(each.values());
    const counted = [...each.values()].filter((counts) => !isFarAbove(counts, all));
    return { ...totalOf(counted), callers: counted.filter(({ faults }) => faults > 0).length };
  }

  /** Whether this caller's fault share is far above that of the others. */
  isFarAbove(caller: string, now: number): boolean {
    const each = this.perCaller(now);
    const counts = each.get(caller);
    return counts !== undefined && isFarAbove(counts, totalOf(each.values()));
  }

  hasOthers(caller: string, now: number): boolean {
    return this.ring.live(now).some(({ callers }) => callers.size > (callers.has(caller) ? 1 : 0));
  }

  /** Forgets the calls of one caller, or of all. */
  forget(caller?: string): void {
    for (const slice of this.ring.all()) {
      if (caller === undefined) slice.clear();
      else slice.callers.delete(caller);
    }
  }

  private perCaller(now: number): ReadonlyMap<string, CallCounts> {
    const sums = new Map<string, Counts>();
    for (const { callers } of this.ring.live(now)) {
      for (const [caller, counts] of callers) {
        const sum = sums.get(caller) ?? noCounts();
        add(sum, counts);
        sums.set(caller, sum);
      }
    }
    const each = new Map<string, CallCounts>();
    for (const [caller, { success, fault, doubtful, limited }] of sums) {
      const faults = fault + Math.min(1, doubtful + limited);
      each.set(caller, { calls: success + faults, faults });
    }
    return each;
  }
}

function isFarAbove(counts: CallCounts, all: CallCounts): boolean {
  const others = all.calls - counts.calls;
  if (others === 0 || counts.faults === 0) return false;
  return counts.faults / counts.calls > (FAR_ABOVE * (all.faults - counts.faults)) / others;
}

function totalOf(each: Iterable<CallCounts>): CallCounts {
  let calls = 0;
  let faults = 0;
  for (const counts of each) {
    calls += counts.calls;
    faults += counts.faults;
  }
  return { calls, faults };
}

const noCounts = (): Counts => ({ success: 0, fault: 0, doubtful: 0, limited: 0 });

function add(sum: Counts, counts: Counts): void {
  sum.success += counts.success;
  sum.fault += counts.fault;
  sum.doubtful += counts.doubtful;
  sum.limited += counts.limited;
}
