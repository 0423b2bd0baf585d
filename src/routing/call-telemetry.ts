import { Injectable } from '@nestjs/common';
import { CredentialStates } from '../byok/credential-states.js';
import { reasonOf, WORKS } from '../byok/credential-verdict.js';
import type { Caller } from '../core/caller.js';
import type { ProviderFault } from '../core/errors.js';
import { ENDINGS } from '../core/generation/ending.js';
import type { Usage } from '../core/conversation/usage.js';
import type { Generation, GenerationObserver } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import { sizedTokens } from '../core/money/bound.js';
import { possibleUsage } from '../core/money/possible-usage.js';
import { VENDOR_OUTPUT_TOKENS } from '../core/money/widening.js';
import { isBilledInFull } from '../core/routing/abort-rules.js';
import { dialectOf } from '../core/routing/catalog.js';
import type { HealthKey } from '../core/routing/health.js';
import type { Leg } from '../core/routing/plan.js';
import { Clock } from '../core/time.js';
import type { CallFailure, CallOrigin } from '../endpoint-health/endpoint-record.js';
import { HealthRegistry } from '../endpoint-health/health-registry.js';
import type { CallFigures } from '../endpoint-health/rolling-figures.js';
import { DIALECTS } from '../providers/dialects/index.js';
import { Metrics, type Abandonment } from '../shared/telemetry/metrics.js';
import { refusesOwnCredential } from './is-refused-credential.js';
import { RefusedCredentials } from './log-refused-credentials.js';

/** The key under which a call's figures are kept. */
export const healthKeyOf = ({ healthKey, model, tag, credential }: Leg): HealthKey =>
  healthKey ?? { model: model.id, tag, credential };

/**
 * Counts calls for metrics and for the health of endpoints: duration, outcome, usage. Never content. One instance
 * observes all generations.
 */
@Injectable()
export class CallTelemetry implements GenerationObserver {
  constructor(
    private readonly metrics: Metrics,
    private readonly health: HealthRegistry,
    private readonly clock: Clock,
    private readonly refused: RefusedCredentials,
    private readonly credentials: CredentialStates,
  ) {}

  called({ caller }: Generation, call: ProviderCall): void {
    call.isTrial = this.health.isTrial(healthKeyOf(call.leg), caller.keyHash);
    call.calledAtMs = this.clock.now();
  }

  answered({ request, calls, caller }: Generation, call: ProviderCall): void {
    const first = call.index === 0 ? call : calls.find(({ run }) => run.plan === call.run.plan)!;
    if (first !== call)
      this.metrics.fellBack(first.leg.model.id === call.leg.model.id ? 'endpoint' : 'model', call.leg.model.id);
    // A whole reply does not show when its first token arrived.
    if (!request.stream) return;
    this.metrics.firstToken(call.leg.endpoint.provider.slug, secondsToFirstToken(call)!);
    if (call.isTrial) this.health.began(healthKeyOf(call.leg), { caller: caller.keyHash, beganAt: call.calledAtMs });
  }

  /** Reported immediately, because the call may still take long: until then another call measures the endpoint. */
  abandoned(_: Generation, call: ProviderCall): void {
    if (call.isTrial) this.health.released(healthKeyOf(call.leg));
    call.isTrial = false;
  }

  callEnded({ request, caller }: Generation, call: ProviderCall): void {
    const { metrics } = this;
    const { outcome, health: report } = ENDINGS[call.ending!];
    const { stop, leg } = call;
    const measured = { provider: leg.endpoint.provider.slug, model: leg.model.id };
    const isUsed = stop !== undefined || call.isCallers;
    const { inputTokens = 0, outputTokens = 0, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } = call.usage;
    const isShort = Math.max(inputTokens, outputTokens) <= leg.endpoint.contextLength;
    // A short report without a cached part can be true.
    const isSure = isShort && !cacheReadTokens && !cacheWriteTokens && !cacheWrite1hTokens;
    const usage = isSure ? call.usage : possibleUsage(call);
    metrics.attempt(measured, outcome, (performance.now() - call.beganAt) / 1000, isUsed ? usage : undefined);
    if (call.isUnseen || call.isAbandoned) metrics.abandoned(measured.provider, abandonmentOf(call));
    const origin: CallOrigin = { caller: caller.keyHash, beganAt: call.calledAtMs };
    if (report === 'success')
      this.health.succeeded(healthKeyOf(leg), request.stream ? figuresOf(call, usage) : undefined, origin);
    else this.reportFailure(report, call, origin);
    if (call.fault) this.refused.report(call);
    if (!call.usesSharedCredential) this.reportCredential(caller, call, report === 'success');
  }

  /** Reports on a caller's own credential: only a success or a refusal of it is evidence. */
  private reportCredential(caller: Caller, { fault, leg, calledAtMs }: ProviderCall, works: boolean): void {
    const used = { caller, id: leg.credential, calledAtMs };
    if (works) this.credentials.observed(used, WORKS);
    else if (fault && refusesOwnCredential(fault, leg))
      this.credentials.observed(used, { status: 'failing', reason: reasonOf(fault) });
  }

  private reportFailure(
    report: CallFailure['by'] | 'nothing',
    { fault, leg, isTrial }: ProviderCall,
    origin: CallOrigin,
  ): void {
    const key = healthKeyOf(leg);
    if (report !== 'nothing' && !DIALECTS[dialectOf(leg.endpoint)].failsOnPurpose) {
      const retryAfterMs = fault?.detail.retryAfterMs;
      // A hint of 0 ms is still a hint.
      const hint = retryAfterMs !== undefined && { retryAfterMs: Math.max(1, retryAfterMs) };
      const failure = { by: report, ...hint, fault: seenFault(fault) };
      this.health.failed(key, failure, origin);
    } else if (isTrial) this.health.released(key, origin.caller);
  }
}

/** A call that had all the time of its request and received nothing has no fault of its own. */
function seenFault(fault: ProviderFault | undefined): NonNullable<CallFailure['fault']> {
  if (!fault) return { kind: 'timed-out' };
  const { kind, detail } = fault;
  return { kind, ...(detail.status !== undefined && { status: detail.status }) };
}

/** The kind of an abandoned call in the metrics. */
function abandonmentOf(call: ProviderCall): Abandonment {
  if (!call.isAbandoned) return call.ending === 'completed' ? 'read' : 'failed';
  return isBilledInFull(call.leg.endpoint.provider.aborts, call.run.request.stream) ? 'cut' : 'stopped';
}

export const secondsToFirstToken = ({ beganAt, committedAt }: ProviderCall): number | undefined =>
  committedAt === undefined ? undefined : (committedAt - beganAt) / 1000;

/** Only of a streamed reply: a whole one shows none. */
function figuresOf({ beganAt, committedAt, pausedMs, run, leg }: ProviderCall, usage: Usage): CallFigures {
  if (committedAt === undefined) return {};
  const figures = { secondsToFirstToken: (committedAt - beganAt) / 1000 };
  // Time spent waiting for the provider after that.
  const seconds = (performance.now() - committedAt - pausedMs) / 1000;
  const { outputTokens = 0, estimated, reasoningIsApart } = usage;
  if (outputTokens === 0 || seconds <= 0 || estimated === true) return figures;
  // More than was allowed measures nothing.
  const isAllowed =
    reasoningIsApart === true || outputTokens <= sizedTokens(run.prompt, leg).output + VENDOR_OUTPUT_TOKENS;
  return isAllowed ? { ...figures, tokensPerSecond: outputTokens / seconds } : figures;
}
