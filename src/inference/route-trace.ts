import { ProviderFault, Untranslatable } from '../core/errors.js';
import type { JsonObject } from '../core/json.js';
import { routerMetadata, type AttemptOutcomeView } from '../core/routing/router-metadata.js';
import { statusOf } from '../routing/fault-policies.js';
import type { PlanRun } from '../routing/plan-runner.js';

/** How one request was routed, as far as it has got. */
export class RouteTrace {
  /** Undefined before there is a plan. */
  run: PlanRun | undefined;
  /** What plugins and guardrails did to the request. */
  pipeline: readonly JsonObject[] = [];
  /** On errors no endpoint is the selected one (WIRE 1.16). */
  hasFailed = false;

  /** The calls that were made, with their statuses; a target that could not carry the request was not called. */
  attempts(): AttemptOutcomeView[] {
    const { failed = [], answered } = this.run ?? {};
    const attempts: AttemptOutcomeView[] = [];
    for (const { leg, error } of failed) {
      if (error instanceof Untranslatable) continue;
      attempts.push({ leg, status: error instanceof ProviderFault ? statusOf(error) : 200 });
    }
    if (answered) attempts.push({ leg: answered.leg, status: 200 });
    return attempts;
  }

  /** What the caller is told of it. */
  view(): JsonObject | undefined {
    if (!this.run) return undefined;
    const { plan, answered } = this.run;
    const isAnswered = answered !== undefined && !this.hasFailed;
    return routerMetadata(plan, {
      attempts: this.attempts(),
      pipeline: this.pipeline,
      ...(isAnswered && { answered: answered.leg }),
    });
  }
}
