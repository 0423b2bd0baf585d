import { Injectable } from '@nestjs/common';
import { InjectThrottlerStorage, ThrottlerStorage } from '@nestjs/throttler';
import { Clock } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { clientNetwork } from './client-network.js';
import { windowRefusal } from './rate-limit-error.js';

/**
 * Counts failed authentications by client address, so that keys cannot be guessed at full speed. It is asked only after
 * a failure: a valid key passes from any address, and success leaves no trace.
 */
@Injectable()
export class FailedAuthentications {
  constructor(
    @InjectThrottlerStorage() private readonly counts: ThrottlerStorage,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {}

  /**
   * Records one failure.
   * @throws GatewayError `rate-limited` once the address is past its limit
   */
  async record(address: string | undefined): Promise<void> {
    const { limit, windowMs } = this.environment.flood.auth;
    const network = clientNetwork(address ?? '');
    const counted = await this.counts.increment(network, windowMs, limit, windowMs, 'failed-authentication');
    if (!counted.isBlocked) return;
    const message = 'Too many failed authentications from this address; wait, then use a valid key.';
    throw windowRefusal(message, limit, counted.timeToBlockExpire, this.clock.now());
  }
}
