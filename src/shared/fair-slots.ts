import type { CancelSignal } from '../core/cancellation.js';

export interface FairSlotsOptions {
  readonly slots: number;
  readonly slotsPerKey: number;
  /** Beside these, for keys that have none under way: one each. */
  readonly firstSlots: number;
  /** Those that wait for a slot. */
  readonly waiting: number;
  readonly waitingPerKey: number;
  /** Longest wait. */
  readonly waitMs: number;
}

interface Waiting {
  readonly key: string;
  readonly enter: () => void;
}

/** What one key has. */
interface Share {
  running: number;
  waiting: number;
  /** When it was given a slot last, in their order; 0: not since it has anything here. */
  entered: number;
}

/**
 * Lets a few do at a time what takes a while. Whose key has the fewest under way is next; among these, whose key was
 * served least recently, and then who came first: a key that asks for a lot waits for itself, and no queue of it stands
 * before others. A key that has none under way hardly ever waits, for many keys that fill all slots for long would
 * otherwise keep it out. Of the places to wait in a key may have as many as it leaves free.
 */
export class FairSlots {
  private running = 0;
  private entries = 0;
  private readonly queue: Waiting[] = [];
  /** A key is in it while it has something. */
  private readonly shares = new Map<string, Share>();

  constructor(private readonly options: FairSlotsOptions) {}

  /**
   * Waits for a slot.
   * @returns gives the slot back, once; undefined when too many wait already, or it took too long
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

  /** @returns whether it was given a slot */
  private wait(key: string, signal: CancelSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = (hasEntered: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        const place = this.queue.indexOf(waiting);
        if (place !== -1) this.queue.splice(place, 1);
        resolve(hasEntered);
      };
      const giveUp = (): void => leave(false);
      const waiting: Waiting = { key, enter: () => leave(true) };
      const timer = setTimeout(giveUp, this.options.waitMs);
      signal.addEventListener('abort', giveUp, { once: true });
      this.queue.push(waiting);
    });
  }

  private next(): void {
    let next: Waiting | undefined;
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
