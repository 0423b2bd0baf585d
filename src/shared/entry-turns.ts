import { GatewayError } from '../core/errors.js';
import { FairQueue } from './fair-queue.js';

/** Requests begun in one turn of the event loop: some ten milliseconds of work, through all their stages. */
const PER_TURN = 8;
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
  private isCounting = false;

  /**
   * @returns undefined: it may begin at once; else resolves when it may
   * @throws GatewayError `unavailable` when too many wait
   */
  enter(key: string): Promise<void> | undefined {
    if (!this.isCounting) {
      this.isCounting = true;
      setImmediate(this.nextTurn);
    }
    if (this.begun < PER_TURN && this.waiting.size === 0) {
      this.begun++;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      if (!this.waiting.add(key, resolve)) reject(tooMany());
    });
  }

  private readonly nextTurn = (): void => {
    const due = this.waiting.take(PER_TURN);
    this.begun = due.length;
    this.isCounting = due.length > 0;
    if (this.isCounting) setImmediate(this.nextTurn);
    for (const begin of due) begin();
  };
}

const tooMany = (): GatewayError =>
  new GatewayError('unavailable', 'Too many requests are waiting to begin; retry shortly.', {
    retryAfterMs: RETRY_AFTER_MS,
  });
