import { GatewayError } from '../core/errors.js';
import { FairQueue } from './fair-queue.js';

/** Most requests begun in one turn of the event loop: some ten milliseconds of work, through all their stages. */
const PER_TURN_MAX = 8;
/**
 * Where a turn takes longer, half as many begin in the next: what has begun comes back in every later one, and whoever
 * is next waits for several.
 */
const LONG_TURN_MS = 20;
/** Requests that wait to begin; further ones are refused, those of one key from half of it on. */
const WAITING_MAX = 10_000;
const RETRY_AFTER_MS = 1_000;

/**
 * Lets requests begin, some in each turn of the event loop and by turns of their keys. Connections are accepted and
 * read as fast as they come: without it thousands of one key's would be at work in the same turns as anybody else's
 * one.
 */
export class EntryTurns {
  private readonly waiting = new FairQueue<() => void>(WAITING_MAX);
  private begun = 0;
  private perTurn = PER_TURN_MAX;
  /** Of the last turn that was counted, while they are. */
  private turnedAt: number | undefined;

  /**
   * @returns undefined: it may begin at once; else resolves when it may
   * @throws GatewayError `unavailable` when too many wait
   */
  enter(key: string): Promise<void> | undefined {
    if (this.turnedAt === undefined) {
      this.turnedAt = performance.now();
      setImmediate(this.nextTurn);
    }
    if (this.begun < this.perTurn && this.waiting.size === 0) {
      this.begun++;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      if (!this.waiting.add(key, resolve)) reject(tooMany());
    });
  }

  private readonly nextTurn = (): void => {
    const now = performance.now();
    const isLong = now - this.turnedAt! > LONG_TURN_MS;
    this.perTurn = isLong ? Math.max(1, this.perTurn >> 1) : Math.min(PER_TURN_MAX, this.perTurn + 1);
    if (this.waiting.size === 0) {
      this.begun = 0;
      this.turnedAt = undefined;
      return;
    }
    const due = this.waiting.take(this.perTurn);
    this.begun = due.length;
    this.turnedAt = now;
    setImmediate(this.nextTurn);
    for (const begin of due) begin();
  };
}

const tooMany = (): GatewayError =>
  new GatewayError('service-unavailable', 'Too many requests are waiting to begin; retry shortly.', {
    retryAfterMs: RETRY_AFTER_MS,
  });
