import type { Clock } from '../../core/time.js';
import type { Transport } from '../transport/transport.js';

/** The dependencies of a platform: the transport to a token's issuer, and the clock for signatures and tokens. */
export interface PlatformDependencies {
  readonly transport: Transport;
  readonly clock: Clock;
}
