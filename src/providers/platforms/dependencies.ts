import type { Clock } from '../../core/time.js';
import type { Transport } from '../transport.js';

/** What a platform may be made with: the way to a token's issuer, and the time that signatures and tokens hold. */
export interface PlatformDependencies {
  readonly transport: Transport;
  readonly clock: Clock;
}
