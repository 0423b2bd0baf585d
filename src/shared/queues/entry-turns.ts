import { GatewayError } from '../../core/errors.js';
import { FairQueue } from './fair-queue.js';

/** Limit of requests started in one turn of the event loop: some ten milliseconds of work, through all their stages. */
const PER_TURN_MAX = 8;
/**
 * After a longer turn, half as many start in the next: started requests return in every later turn, and a waiting one
 * waits for several.
 */
const LONG_TURN_MS = 20;
/** Limit of waiting requests; further ones are refused, those of one key from half of it on. */
const WAITING_MAX = 10_000;
const RETRY_AFTER_MS = 1_000;

/**
 * Starts a few requests in each turn of the event loop, alternating between keys. Connections are accepted and read as
 * fast as they arrive: without this limit thousands of requests of one key would share the turns with a single one of
 * another.
 */
export class EntryTurns {
  private readonly waiting = new FairQueue<() => void>(WAITING_MAX);
  private begun = 0;
  private perTurn = PER_TURN_MAX;
  /** The last counted turn, while turns are counted. */
  private turnedAt: number | undefined;

  /**
   * @returns undefined: it may start at once; else resolves when it may
   * @throws GatewayError `service-unavailable` when too many wait
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
