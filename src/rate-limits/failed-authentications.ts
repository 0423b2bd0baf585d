import { Injectable } from '@nestjs/common';
import { InjectThrottlerStorage, ThrottlerStorage } from '@nestjs/throttler';
import { Clock } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { recentlyUsed } from '../shared/recently-used.js';
import { clientNetwork } from './client-network.js';
import { rateLimitError, windowRefusal } from './rate-limit-error.js';
import { QUEUE_WAIT_MS, LookUpQueues } from './look-up-queues.js';

/** Addresses past their limit that are remembered at one time. */
const REFUSED_MAX = 10_000;
const REFUSED = 'Too many failed authentications from this address; wait, then use a valid key.';
const TOO_MANY_WAIT = 'Too many failed authentications from this address: its keys are looked up slowly; try again.';
const SOURCE = 'failed_authentications';

/**
 * Counts failed authentications by client address, so that keys cannot be guessed at full speed: the keys of an address
 * past its limit are looked up slowly, valid ones too. It is used only after a failure, and for keys that are not
 * cached: success leaves no trace. Replicas share the counts. Each replica has its own queues of look-ups, which begin
 * with its first failure past the limit.
 */
@Injectable()
export class FailedAuthentications {
  private readonly queues: LookUpQueues;
  /** When the refusal of a network ends, epoch milliseconds. */
  private readonly refusedUntil = recentlyUsed<string, number>(REFUSED_MAX);

  constructor(
    @InjectThrottlerStorage() private readonly counts: ThrottlerStorage,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {
    this.queues = new LookUpQueues(clock);
  }

  /**
   * Looks up a key that may be a guess: at once, or, from an address past its limit, in its turn.
   * @throws GatewayError `rate-limited` where its turn does not come in time, and what `lookUp` throws
   */
  async lookUp<T>(address: string | undefined, keyHash: string, lookUp: () => Promise<T>): Promise<T> {
    const network = clientNetwork(address ?? '');
    const refusedUntil = this.refusedUntil.get(network) ?? 0;
    if (refusedUntil <= this.clock.now()) return lookUp();
    const found = await this.queues.run(network, keyHash, lookUp);
    if (found !== undefined) return found;
    throw rateLimitError(TOO_MANY_WAIT, {
      limit: this.environment.flood.auth.limit,
      source: SOURCE,
      resetAtMs: refusedUntil,
      retryAfterMs: QUEUE_WAIT_MS,
    });
  }

  /**
   * Records one failure.
   * @throws GatewayError `rate-limited` once the address is past its limit
   */
  async record(address: string | undefined): Promise<void> {
    const { limit, windowMs } = this.environment.flood.auth;
    const network = clientNetwork(address ?? '');
    const counted = await this.counts.increment(network, windowMs, limit, windowMs, 'failed-authentication');
    if (!counted.isBlocked) return;
    const now = this.clock.now();
    this.refusedUntil.set(network, now + counted.timeToBlockExpire * 1_000);
    throw windowRefusal(REFUSED, { limit, source: SOURCE }, counted.timeToBlockExpire, now);
  }
}
