import type { CancelSignal } from '../../core/cancellation.js';

export interface FairSlotsOptions {
  readonly slots: number;
  readonly slotsPerKey: number;
  /** Additional slots for keys that occupy none: one each. */
  readonly firstSlots: number;
  /** Limit of waiting items. */
  readonly waiting: number;
  readonly waitingPerKey: number;
  /** Longest wait. */
  readonly waitMs: number;
}

interface WaitingEntry {
  readonly key: string;
  readonly enter: () => void;
}

/** The state of one key. */
interface Share {
  running: number;
  waiting: number;
  /** Sequence number of its last slot; 0: none since it has an entry here. */
  entered: number;
}

/**
 * Limits the number of concurrent slow operations. Next is the key with the fewest in progress, then the key that was
 * served least recently, then order of arrival: a key with many operations delays only its own. A key without any in
 * progress hardly ever waits, because otherwise many keys that fill all slots for long would exclude it. A key may
 * occupy as many waiting slots as it leaves free.
 */
export class FairSlots {
  private running = 0;
  private entries = 0;
  private readonly queue: WaitingEntry[] = [];
  /** Contains the keys that occupy slots or wait. */
  private readonly shares = new Map<string, Share>();

  constructor(private readonly options: FairSlotsOptions) {}

  /**
   * Waits for a slot.
   * @returns a function that releases the slot, to be called once; undefined when too many wait already, or the wait
   * was too long
   * @throws the signal's reason once it is aborted
   */
  async enter(key: string, signal: CancelSignal): Promise<(() => void) | undefined> {
    signal.throwIfAborted();
    const { waiting, waitingPerKey } = this.options;
    const share = this.shareOf(key);
    if (!this.mayRun(share)) {
      if (share.waiting >= Math.min(waitingPerKey, waiting - this.queue.length)) {
        this.forget(key, share);
        return undefined;
      }
      share.waiting++;
      const hasEntered = await this.wait(key, signal);
      share.waiting--;
      if (!hasEntered) {
        this.forget(key, share);
        signal.throwIfAborted();
        return undefined;
      }
    } else this.take(share);
    return () => {
      share.running--;
      this.running--;
      this.forget(key, share);
      this.next();
    };
  }

  /** @returns whether it got a slot */
  private wait(key: string, signal: CancelSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = (hasEntered: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        const index = this.queue.indexOf(waiting);
        if (index !== -1) this.queue.splice(index, 1);
        resolve(hasEntered);
      };
      const giveUp = (): void => leave(false);
      const waiting: WaitingEntry = { key, enter: () => leave(true) };
      const timer = setTimeout(giveUp, this.options.waitMs);
      signal.addEventListener('abort', giveUp, { once: true });
      this.queue.push(waiting);
    });
  }

  private next(): void {
    let next: WaitingEntry | undefined;
    let best: Share | undefined;
    for (const waiting of this.queue) {
      const share = this.shares.get(waiting.key)!;
      if (!this.mayRun(share) || (best && !isBefore(share, best))) continue;
      best = share;
      next = waiting;
    }
    if (!next || !best) return;
    this.take(best);
    next.enter();
  }

  private mayRun({ running }: Share): boolean {
    const { slots, slotsPerKey, firstSlots } = this.options;
    return running < slotsPerKey && this.running < (running === 0 ? slots + firstSlots : slots);
  }

  private take(share: Share): void {
    share.running++;
    share.entered = ++this.entries;
    this.running++;
  }

  private shareOf(key: string): Share {
    let share = this.shares.get(key);
    if (!share) this.shares.set(key, (share = { running: 0, waiting: 0, entered: 0 }));
    return share;
  }

  private forget(key: string, { running, waiting }: Share): void {
    if (running + waiting === 0) this.shares.delete(key);
  }
}

const isBefore = (one: Share, other: Share): boolean =>
  one.running === other.running ? one.entered < other.entered : one.running < other.running;
