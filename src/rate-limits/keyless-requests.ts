import { Injectable } from '@nestjs/common';
import { InjectThrottlerStorage, ThrottlerStorage } from '@nestjs/throttler';
import { Clock } from '../core/time.js';
import { Environment } from '../shared/environment.js';
import { clientNetwork } from './client-network.js';
import { windowRefusal } from './rate-limit-error.js';

const REFUSED = 'Too many requests without a key from this address; wait, or send a key.';
const SOURCE = 'keyless_requests';

/**
 * Counts requests without a key by client address, on routes that answer them (`FAIRLEAD_PUBLIC_CATALOG`). The limit is
 * that of failed authentications, the count its own; replicas share it. Success leaves no trace.
 */
@Injectable()
export class KeylessRequests {
  constructor(
    @InjectThrottlerStorage() private readonly counts: ThrottlerStorage,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {}

  /** @throws GatewayError `rate-limited` once the address is past its limit */
  async admit(address: string | undefined): Promise<true> {
    const { limit, windowMs } = this.environment.flood.auth;
    const network = clientNetwork(address ?? '');
    const { isBlocked, timeToBlockExpire } = await this.counts.increment(network, windowMs, limit, windowMs, 'keyless');
    if (isBlocked) throw windowRefusal(REFUSED, { limit, source: SOURCE }, timeToBlockExpire, this.clock.now());
    return true;
  }
}
