import type { Usage } from '../core/conversation/usage.js';
import type { ProviderFault } from '../core/errors.js';
import { ENDINGS } from '../core/generation/ending.js';
import type { Generation, GenerationObserver } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import { usdNumber } from '../core/money/credits.js';
import { isBilledInFull } from '../core/routing/abort-rules.js';
import { dialectOf } from '../core/routing/catalog.js';
import type { HealthKey } from '../core/routing/health.js';
import type { Leg } from '../core/routing/plan.js';
import type { Clock } from '../core/time.js';
import type { CallFailure, CallOrigin } from '../health/endpoint-record.js';
import type { HealthRegistry } from '../health/health-registry.js';
import { DIALECTS } from '../providers/dialects/index.js';
import type { Abandonment, Metrics } from '../shared/metrics.js';
import type { SpanResult, TraceSpan, Tracing } from '../shared/tracing.js';
import type { RefusedCredentials } from './refused-credentials.js';

/** Where telemetry goes. */
export interface TelemetrySinks {
  /** Undefined where nothing is traced. */
  readonly tracing: Tracing | undefined;
  readonly metrics: Metrics;
  readonly health: HealthRegistry;
  readonly clock: Clock;
  /** Told of faults. */
  readonly refused: RefusedCredentials;
}

/** Whose figures a call's are. */
export const healthKeyOf = ({ healthKey, model, tag, credential }: Leg): HealthKey =>
  healthKey ?? { model: model.id, tag, credential };

/** What is kept of a call while it is under way. */
interface FollowedCall extends CallOrigin {
  readonly span: TraceSpan | undefined;
  /** The one call that finds out whether an endpoint answers again after its cool-down. */
  isTrial: boolean;
}

/**
 * Tells spans, metrics and the health of endpoints of a generation and its calls: how long, how they ended, what they
 * used. Never content. One per generation.
 */
export class CallTelemetry implements GenerationObserver {
  private readonly span: TraceSpan | undefined;
  private readonly calls: FollowedCall[] = [];

  constructor(
    private readonly to: TelemetrySinks,
    { id, request, origin }: Generation,
  ) {
    this.span = to.tracing?.startRequest({
      model: request.model,
      generationId: id,
      streamed: request.stream,
      ...origin,
    });
  }

  called({ request, caller }: Generation, call: ProviderCall): void {
    const { health, clock } = this.to;
    const { provider, upstreamModel } = call.leg.endpoint;
    const span = this.span?.startAttempt({
      provider: provider.slug,
      model: upstreamModel,
      streamed: request.stream,
    });
    call.traceparent = span?.traceparent;
    const isTrial = health.isTrial(healthKeyOf(call.leg), caller.keyHash);
    this.calls[call.index] = { span, caller: caller.keyHash, beganAt: clock.now(), isTrial };
  }

  answered({ request, calls }: Generation, call: ProviderCall): void {
    const first = call.index === 0 ? call : calls.find(({ run }) => run.plan === call.run.plan)!;
    if (first !== call)
      this.to.metrics.fellBack(first.leg.model.id === call.leg.model.id ? 'endpoint' : 'model', call.leg.model.id);
    // A whole reply does not show when its first token came.
    if (!request.stream) return;
    const followed = this.calls[call.index]!;
    this.to.metrics.firstToken(slugOf(call), secondsToFirstToken(call)!);
    if (followed.isTrial) this.to.health.began(healthKeyOf(call.leg), followed);
  }

  /** It may take long, and nobody waits for it: another call finds out meanwhile. */
  abandoned(_: Generation, { index, leg }: ProviderCall): void {
    const followed = this.calls[index]!;
    if (followed.isTrial) this.to.health.released(healthKeyOf(leg));
    followed.isTrial = false;
  }

  callEnded({ request }: Generation, call: ProviderCall): void {
    const { metrics, health, refused } = this.to;
    const followed = this.calls[call.index]!;
    const { span } = followed;
    const { outcome, name, health: report } = ENDINGS[call.ending!];
    const { usage, stop, leg } = call;
    const hasUsage = stop !== undefined || call.isCallers;
    const measured = { provider: leg.endpoint.provider.slug, model: leg.model.id };
    metrics.attempt(measured, outcome, (performance.now() - call.beganAt) / 1000);
    if (hasUsage) metrics.tokens(measured, usage);
    if (call.isUnseen || call.isAbandoned) metrics.abandoned(measured.provider, abandonmentOf(call));
    if (report === 'success')
      health.succeeded(healthKeyOf(leg), request.stream ? figuresOf(call) : undefined, followed);
    else this.reportFailure(report, call, followed);
    if (call.fault) refused.report(call);
    if (!span) return;
    const firstToken = request.stream ? secondsToFirstToken(call) : undefined;
    const result: SpanResult = {
      model: leg.endpoint.upstreamModel,
      ...(hasUsage && { usage }),
      ...(stop && { stop: stop.unified }),
      ...(firstToken !== undefined && { secondsToFirstToken: firstToken }),
      ...(name !== 'completed' && { error: name }),
      ...(call.fault?.detail.status !== undefined && { status: call.fault.detail.status }),
    };
    span.end(result);
  }

  ended(generation: Generation): undefined {
    const { span } = this;
    if (!span) return;
    const endedAt = performance.now();
    // What it costs is known when whoever has the money has been told too, and has settled it.
    queueMicrotask(() => {
      const tell = (): void => span.end({ ...resultOf(generation), endedAt });
      generation.settlement.then(tell, tell);
    });
  }

  private reportFailure(
    report: CallFailure['by'] | 'nothing',
    { fault, leg }: ProviderCall,
    followed: FollowedCall,
  ): void {
    const { health } = this.to;
    const key = healthKeyOf(leg);
    if (report !== 'nothing' && !DIALECTS[dialectOf(leg.endpoint)].failsOnPurpose) {
      const retryAfterMs = fault?.detail.retryAfterMs;
      health.failed(
        key,
        { by: report, ...(retryAfterMs !== undefined && { retryAfterMs }), fault: seenFault(fault) },
        followed,
      );
    } else if (followed.isTrial) health.released(key, followed.caller);
  }
}

const resultOf = ({ answer, outcome, usage, bill }: Generation): SpanResult => ({
  usage,
  ...(answer?.stop && { stop: answer.stop.unified }),
  ...(answer && { provider: slugOf(answer), model: answer.leg.model.id }),
  ...(outcome !== 'completed' && { error: outcome! }),
  ...(bill && { costUsd: usdNumber(bill.cost) }),
});

/** One that had all the time of its request, and said nothing, has no fault of its own. */
function seenFault(fault: ProviderFault | undefined): NonNullable<CallFailure['fault']> {
  if (!fault) return { kind: 'timed-out' };
  const { kind, detail } = fault;
  return { kind, ...(detail.status !== undefined && { status: detail.status }) };
}

/** What became of a call that was left. */
function abandonmentOf(call: ProviderCall): Abandonment {
  if (!call.isAbandoned) return call.ending === 'completed' ? 'read' : 'failed';
  return isBilledInFull(call.leg.endpoint.provider.aborts, call.run.request.stream) ? 'cut' : 'stopped';
}

const slugOf = ({ leg }: ProviderCall): string => leg.endpoint.provider.slug;

/** How long the provider was waited for after that. */
const secondsAfterFirstToken = ({ committedAt, pausedMs }: ProviderCall): number =>
  committedAt === undefined ? 0 : (performance.now() - committedAt - pausedMs) / 1000;

const secondsToFirstToken = ({ beganAt, committedAt }: ProviderCall): number | undefined =>
  committedAt === undefined ? undefined : (committedAt - beganAt) / 1000;

function figuresOf(call: ProviderCall): { secondsToFirstToken?: number; tokensPerSecond?: number } {
  const firstToken = secondsToFirstToken(call);
  if (firstToken === undefined) return {};
  return { secondsToFirstToken: firstToken, ...tokensPerSecond(call.usage, secondsAfterFirstToken(call)) };
}

function tokensPerSecond({ outputTokens = 0, estimated }: Usage, seconds: number): { tokensPerSecond?: number } {
  return outputTokens > 0 && seconds > 0 && estimated !== true ? { tokensPerSecond: outputTokens / seconds } : {};
}
