import { Injectable } from '@nestjs/common';
import type { Widening } from '../core/money/widening.js';
import type { Leg } from '../core/routing/plan.js';
import { HealthRegistry } from '../health/health-registry.js';
import { healthKeyOf } from './call-telemetry.js';

/** Tells the health of endpoints of replies that went beyond what they were held for. */
@Injectable()
export class EndpointBounds {
  constructor(private readonly health: HealthRegistry) {}

  /**
   * Figures are kept by credential: what a caller's own account is told widens the bounds of no other.
   * @param caller hash of the key whose reply it was
   */
  exceeded(leg: Leg, by: Widening, caller: string): void {
    this.health.exceeded(healthKeyOf(leg), by, caller);
  }
}
