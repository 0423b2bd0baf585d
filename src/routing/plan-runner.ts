import { Injectable } from '@nestjs/common';
import type { ModelRequest } from '../core/conversation/request.js';
import { ProviderFault, Untranslatable } from '../core/errors.js';
import type { Leg, Plan } from '../core/routing/plan.js';
import { Metrics, type AttemptOutcome } from '../shared/metrics.js';
import { Tracing, type TraceSpan } from '../shared/tracing.js';
import { AttemptRecord } from './attempt-record.js';
import { AttemptRunner } from './attempt-runner.js';
import { failureOf, FAULT_POLICIES, type FailedAttempt } from './fault-policies.js';
import type { EventBatches } from './stream-attempt.js';

/** Most attempts for one request, so that one request never becomes a storm. */
export const ATTEMPTS_MAX = 6;

/** The attempt that answered, and those before it. */
export interface AnsweredPlan {
  readonly leg: Leg;
  readonly events: EventBatches;
  /** To be ended with the reply. */
  readonly record: AttemptRecord;
  readonly failed: readonly FailedAttempt[];
}

/** Runs a plan: one leg after another until one is telling. */
@Injectable()
export class PlanRunner {
  constructor(
    private readonly attempts: AttemptRunner,
    private readonly metrics: Metrics,
    private readonly tracing: Tracing,
  ) {}

  /** @throws GatewayError when no leg answered, or the signal's reason */
  async run(plan: Plan, request: ModelRequest, span: TraceSpan, signal: AbortSignal): Promise<AnsweredPlan> {
    const failed: FailedAttempt[] = [];
    for (const leg of plan.legs.slice(0, ATTEMPTS_MAX)) {
      const record = this.open(leg, request, span);
      try {
        const events = await this.attempts.run(leg, request, signal);
        if (request.stream) record.told();
        return { leg, events, record, failed };
      } catch (error) {
        record.end(outcomeOf(error, signal));
        if (signal.aborted) throw signal.reason;
        if (!(error instanceof ProviderFault || error instanceof Untranslatable)) throw error;
        failed.push({ leg, error });
        if (error instanceof ProviderFault && !FAULT_POLICIES[error.kind].tryNext) break;
      }
    }
    throw failureOf(failed);
  }

  private open(leg: Leg, request: ModelRequest, span: TraceSpan): AttemptRecord {
    const { provider, upstreamModel } = leg.endpoint;
    const attempt = { provider: provider.slug, model: upstreamModel, streamed: request.stream };
    return new AttemptRecord(leg, this.tracing.startAttempt(span, attempt), this.metrics);
  }
}

function outcomeOf(error: unknown, signal: AbortSignal): AttemptOutcome {
  if (signal.aborted) return 'aborted';
  if (error instanceof ProviderFault) return error.kind;
  return error instanceof Untranslatable ? 'untranslatable' : 'aborted';
}
