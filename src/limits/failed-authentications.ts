import { Injectable } from '@nestjs/common';
import { InjectThrottlerStorage, ThrottlerStorage } from '@nestjs/throttler';
import { Clock } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { recentlyUsed } from '../shared/recently-used.js';
import { clientNetwork } from './client-network.js';
import { rateLimitError, windowRefusal } from './rate-limit-error.js';
import { LANE_WAIT_MS, SlowLanes } from './slow-lane.js';

/** Addresses past their limit that are known at one time. */
const REFUSED_MAX = 10_000;
const REFUSED = 'Too many failed authentications from this address; wait, then use a valid key.';
const TOO_MANY_WAIT = 'Too many failed authentications from this address: its keys are looked up slowly; try again.';

/**
 * Counts failed authentications by client address, so that keys cannot be guessed at full speed: past its limit, an
 * address has its keys looked up slowly, the right ones too. It is asked only after a failure, and for keys that are
 * not at hand: success leaves no trace. Counts are shared by replicas; the lane is each replica's own, and begins with
 * its first failure past the limit.
 */
@Injectable()
export class FailedAuthentications {
  private readonly lanes: SlowLanes;
  /** When the refusal of a network ends, epoch milliseconds. */
  private readonly refusedUntil = recentlyUsed<string, number>(REFUSED_MAX);

  constructor(
    @InjectThrottlerStorage() private readonly counts: ThrottlerStorage,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {
    this.lanes = new SlowLanes(clock);
  }

  /**
   * Looks up a key that may be a guess: at once, or, from an address past its limit, when it has its turn.
   * @throws GatewayError `rate-limited` where its turn does not come in time, and what `lookUp` throws
   */
  async lookUp<T>(address: string | undefined, keyHash: string, lookUp: () => Promise<T>): Promise<T> {
    const network = clientNetwork(address ?? '');
    const refusedUntil = this.refusedUntil.get(network) ?? 0;
    if (refusedUntil <= this.clock.now()) return lookUp();
    const found = await this.lanes.run(network, keyHash, lookUp);
    if (found !== undefined) return found;
    throw rateLimitError(TOO_MANY_WAIT, {
      limit: this.environment.flood.auth.limit,
      resetAtMs: refusedUntil,
      retryAfterMs: LANE_WAIT_MS,
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
    throw windowRefusal(REFUSED, limit, counted.timeToBlockExpire, now);
  }
}
