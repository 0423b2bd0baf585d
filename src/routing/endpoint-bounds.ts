import { Injectable } from '@nestjs/common';
import type { Widening } from '../core/money/widening.js';
import type { Leg } from '../core/routing/plan.js';
import { HealthRegistry } from '../endpoint-health/health-registry.js';
import { healthKeyOf } from './call-telemetry.js';

/** Reports replies that exceeded their bounds to the health of endpoints. */
@Injectable()
export class EndpointBounds {
  constructor(private readonly health: HealthRegistry) {}

  /**
   * Figures are kept per credential: replies of a caller's own account widen the bounds of no other.
   * @param caller hash of the key whose reply it was
   */
  exceeded(leg: Leg, by: Widening, caller: string): void {
    this.health.exceeded(healthKeyOf(leg), by, caller);
  }
}
