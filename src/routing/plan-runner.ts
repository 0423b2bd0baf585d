import { Injectable } from '@nestjs/common';
import type { ModelRequest } from '../core/conversation/request.js';
import { ProviderFault, Untranslatable } from '../core/errors.js';
import type { Leg, Plan } from '../core/routing/plan.js';
import { Metrics, type AttemptOutcome } from '../shared/metrics.js';
import { AttemptRunner, type EventBatches } from './attempt-runner.js';
import { failureOf, FAULT_POLICIES, type FailedAttempt } from './fault-policies.js';

/** Most attempts for one request, so that one request never becomes a storm. */
export const ATTEMPTS_MAX = 6;

/** The attempt that answered, and those before it. */
export interface AnsweredPlan {
  readonly leg: Leg;
  readonly events: EventBatches;
  readonly failed: readonly FailedAttempt[];
}

/** Runs a plan: one leg after another until one is telling. */
@Injectable()
export class PlanRunner {
  constructor(
    private readonly attempts: AttemptRunner,
    private readonly metrics: Metrics,
  ) {}

  /** @throws GatewayError when no leg answered, or the signal's reason */
  async run(plan: Plan, request: ModelRequest, signal: AbortSignal): Promise<AnsweredPlan> {
    const failed: FailedAttempt[] = [];
    for (const leg of plan.legs.slice(0, ATTEMPTS_MAX)) {
      const began = performance.now();
      const ended = (outcome: AttemptOutcome): void =>
        this.metrics.attempt(leg.endpoint.provider.slug, outcome, (performance.now() - began) / 1000);
      try {
        const events = await this.attempts.run(leg, request, signal);
        if (request.stream) this.metrics.firstToken(leg.endpoint.provider.slug, (performance.now() - began) / 1000);
        return { leg, events, failed };
      } catch (error) {
        if (signal.aborted) {
          ended('aborted');
          throw signal.reason;
        }
        if (error instanceof ProviderFault) ended(error.kind);
        else if (error instanceof Untranslatable) ended('untranslatable');
        else throw error;
        failed.push({ leg, error });
        if (error instanceof ProviderFault && !FAULT_POLICIES[error.kind].tryNext) break;
      }
    }
    throw failureOf(failed);
  }
}
