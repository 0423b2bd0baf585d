import type { Clock } from '../core/time.js';

/** At most five look-ups of an address begin in a second: this many milliseconds lie between two. */
const APART_MS = 200;
/** Longest wait for a turn, in milliseconds. */
export const QUEUE_WAIT_MS = 2_000;
/** Waiting keys of one address, and of all together. Past it the one that has waited longest is refused. */
const WAITING_MAX = 100;
const WAITING_IN_ALL_MAX = 2_000;

interface WaitingLookUp {
  readonly key: string;
  readonly turn: Promise<boolean>;
  readonly begin: (hasTurn: boolean) => void;
  readonly timer: NodeJS.Timeout;
}

/** The waiting keys of one address, the longest waiting first. */
interface Queue {
  readonly waiting: Map<string, WaitingLookUp>;
  isBusy: boolean;
  /** Whether the newest one is next. */
  isLatestNext: boolean;
  /** When the next look-up may begin, epoch milliseconds. */
  nextAt: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Runs the look-ups of an address one after the other, few a second: alternately the newest and the one that has waited
 * longest, so that a burst delays neither later nor earlier ones for long. Local to this process; bounded in number and
 * time.
 */
export class LookUpQueues {
  private readonly queues = new Map<string, Queue>();
  private count = 0;

  constructor(private readonly clock: Clock) {}

  /** Waiting keys. */
  get size(): number {
    return this.count;
  }

  /**
   * Runs a look-up in its turn. Those of one key share a turn.
   * @returns undefined where the turn did not come in time
   */
  async run<T>(address: string, key: string, lookUp: () => Promise<T>): Promise<T | undefined> {
    const queue = this.queueOf(address);
    const before = queue.waiting.get(key);
    const waiting = before ?? this.enqueue(queue, key);
    this.next(address, queue);
    if (!(await waiting.turn)) return undefined;
    // Callers that joined a waiting key share the look-up of the first, which is cached or running.
    if (before) return lookUp();
    try {
      return await lookUp();
    } finally {
      queue.isBusy = false;
      this.next(address, queue);
    }
  }

  private queueOf(address: string): Queue {
    let queue = this.queues.get(address);
    if (!queue) {
      queue = { waiting: new Map(), isBusy: false, isLatestNext: true, nextAt: 0, timer: undefined };
      this.queues.set(address, queue);
    }
    return queue;
  }

  private enqueue(queue: Queue, key: string): WaitingLookUp {
    if (queue.waiting.size >= WAITING_MAX) this.refuseOldest(queue);
    else if (this.count >= WAITING_IN_ALL_MAX) this.refuseOldest(this.fullest());
    let begin!: WaitingLookUp['begin'];
    const turn = new Promise<boolean>((resolve) => (begin = resolve));
    const timer = setTimeout(() => this.leave(queue, key)?.begin(false), QUEUE_WAIT_MS);
    const waiting = { key, turn, begin, timer };
    queue.waiting.set(key, waiting);
    this.count++;
    return waiting;
  }

  private leave(queue: Queue, key: string): WaitingLookUp | undefined {
    const waiting = queue.waiting.get(key);
    if (!waiting) return undefined;
    clearTimeout(waiting.timer);
    queue.waiting.delete(key);
    this.count--;
    return waiting;
  }

  private refuseOldest(queue: Queue): void {
    const oldest = queue.waiting.keys().next().value;
    if (oldest !== undefined) this.leave(queue, oldest)?.begin(false);
  }

  private fullest(): Queue {
    let fullest: Queue | undefined;
    for (const queue of this.queues.values()) {
      if (!fullest || queue.waiting.size > fullest.waiting.size) fullest = queue;
    }
    return fullest!;
  }

  /** Begins the next look-up, or schedules itself for when it may. */
  private next(address: string, queue: Queue): void {
    if (queue.isBusy || queue.timer) return;
    const now = this.clock.now();
    // A clock that was set back must not make the wait longer.
    const waitMs = Math.min(queue.nextAt - now, APART_MS);
    if (waitMs > 0) {
      queue.timer = setTimeout(() => {
        queue.timer = undefined;
        this.next(address, queue);
      }, waitMs);
      return;
    }
    const key = [...queue.waiting.keys()].at(queue.isLatestNext ? -1 : 0);
    if (key === undefined) {
      this.queues.delete(address);
      return;
    }
    queue.isBusy = true;
    queue.nextAt = now + APART_MS;
    queue.isLatestNext = !queue.isLatestNext;
    this.leave(queue, key)?.begin(true);
  }
}
