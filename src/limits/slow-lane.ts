import type { Clock } from '../core/time.js';

/** Look-ups of an address that begin in a second are at most five: this many milliseconds lie between two. */
const APART_MS = 200;
/** Longest wait for a turn, in milliseconds. */
export const LANE_WAIT_MS = 2_000;
/** Keys of one address that wait, and of all together. Past it the one that has waited longest is refused. */
const WAITING_MAX = 100;
const WAITING_IN_ALL_MAX = 2_000;

interface Waiting {
  readonly key: string;
  readonly turn: Promise<boolean>;
  readonly begin: (hasTurn: boolean) => void;
  readonly timer: NodeJS.Timeout;
}

/** Those of one address, the longest waiting first. */
interface Lane {
  readonly waiting: Map<string, Waiting>;
  isBusy: boolean;
  /** Whether it is the turn of who came last. */
  isLatestNext: boolean;
  /** When the next look-up may begin, epoch milliseconds. */
  nextAt: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Lets look-ups of an address begin one after the other, few a second: by turns who came last and who has waited
 * longest, so that a burst holds up neither who comes after it nor who came before. One of this process; bounded in
 * number and time, whoever asks.
 */
export class SlowLanes {
  private readonly lanes = new Map<string, Lane>();
  private count = 0;

  constructor(private readonly clock: Clock) {}

  /** Keys that wait. */
  get size(): number {
    return this.count;
  }

  /**
   * Runs a look-up when it has its turn. Those of one key share one.
   * @returns undefined where the turn did not come in time
   */
  async run<T>(address: string, key: string, lookUp: () => Promise<T>): Promise<T | undefined> {
    const lane = this.laneOf(address);
    const before = lane.waiting.get(key);
    const waiting = before ?? this.queue(lane, key);
    this.next(address, lane);
    if (!(await waiting.turn)) return undefined;
    // Whoever joined is answered by the look-up of the first, which is at hand or under way.
    if (before) return lookUp();
    try {
      return await lookUp();
    } finally {
      lane.isBusy = false;
      this.next(address, lane);
    }
  }

  private laneOf(address: string): Lane {
    let lane = this.lanes.get(address);
    if (!lane) {
      lane = { waiting: new Map(), isBusy: false, isLatestNext: true, nextAt: 0, timer: undefined };
      this.lanes.set(address, lane);
    }
    return lane;
  }

  private queue(lane: Lane, key: string): Waiting {
    if (lane.waiting.size >= WAITING_MAX) this.refuseOldest(lane);
    else if (this.count >= WAITING_IN_ALL_MAX) this.refuseOldest(this.fullest());
    let begin!: Waiting['begin'];
    const turn = new Promise<boolean>((resolve) => (begin = resolve));
    const timer = setTimeout(() => this.leave(lane, key)?.begin(false), LANE_WAIT_MS);
    const waiting = { key, turn, begin, timer };
    lane.waiting.set(key, waiting);
    this.count++;
    return waiting;
  }

  private leave(lane: Lane, key: string): Waiting | undefined {
    const waiting = lane.waiting.get(key);
    if (!waiting) return undefined;
    clearTimeout(waiting.timer);
    lane.waiting.delete(key);
    this.count--;
    return waiting;
  }

  private refuseOldest(lane: Lane): void {
    const oldest = lane.waiting.keys().next().value;
    if (oldest !== undefined) this.leave(lane, oldest)?.begin(false);
  }

  private fullest(): Lane {
    let fullest: Lane | undefined;
    for (const lane of this.lanes.values()) {
      if (!fullest || lane.waiting.size > fullest.waiting.size) fullest = lane;
    }
    return fullest!;
  }

  /** Begins the next look-up, or comes back when it may. */
  private next(address: string, lane: Lane): void {
    if (lane.isBusy || lane.timer) return;
    const now = this.clock.now();
    // A clock that was set back makes nobody wait longer.
    const waitMs = Math.min(lane.nextAt - now, APART_MS);
    if (waitMs > 0) {
      lane.timer = setTimeout(() => {
        lane.timer = undefined;
        this.next(address, lane);
      }, waitMs);
      return;
    }
    const key = [...lane.waiting.keys()].at(lane.isLatestNext ? -1 : 0);
    if (key === undefined) {
      this.lanes.delete(address);
      return;
    }
    lane.isBusy = true;
    lane.nextAt = now + APART_MS;
    lane.isLatestNext = !lane.isLatestNext;
    this.leave(lane, key)?.begin(true);
  }
}
