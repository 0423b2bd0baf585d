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

/** Where telemetry goes. */
export interface TelemetrySinks {
  /** Undefined where nothing is traced. */
  readonly tracing: Tracing | undefined;
  readonly metrics: Metrics;
  readonly health: HealthRegistry;
  readonly clock: Clock;
}

/** Whose figures a call's are. */
export const healthKeyOf = ({ model, tag, credential }: Leg): HealthKey => ({ model: model.id, tag, credential });

/** What is kept of a call while it is under way. */
interface FollowedCall {
  readonly span: TraceSpan | undefined;
  readonly key: HealthKey;
  readonly origin: CallOrigin;
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
    const { index, leg } = call;
    const { health, clock } = this.to;
    const { provider, upstreamModel } = leg.endpoint;
    const key = healthKeyOf(leg);
    const attempt = { provider: provider.slug, model: upstreamModel, streamed: request.stream };
    const origin = { caller: caller.keyHash, beganAt: clock.now() };
    const isTrial = health.isTrial(key, caller.keyHash);
    const span = this.span?.startAttempt(attempt);
    call.traceparent = span?.traceparent;
    this.calls[index] = { span, key, origin, isTrial };
  }

  answered({ request, calls }: Generation, call: ProviderCall): void {
    const first = calls.find(({ run }) => run.plan === call.run.plan)!;
    if (first !== call)
      this.to.metrics.fellBack(first.leg.model.id === call.leg.model.id ? 'endpoint' : 'model', call.leg.model.id);
    // A whole reply does not show when its first token came.
    if (!request.stream) return;
    const { key, origin, isTrial } = this.calls[call.index]!;
    this.to.metrics.firstToken(slugOf(call), secondsToFirstToken(call)!);
    if (isTrial) this.to.health.began(key, origin);
  }

  /** It may take long, and nobody waits for it: another call finds out meanwhile. */
  abandoned(_: Generation, { index }: ProviderCall): void {
    const followed = this.calls[index]!;
    if (followed.isTrial) this.to.health.released(followed.key);
    followed.isTrial = false;
  }

  callEnded({ request }: Generation, call: ProviderCall): void {
    const { span } = this.calls[call.index]!;
    const { metrics } = this.to;
    const { outcome, name } = ENDINGS[call.ending!];
    const { usage, stop, leg } = call;
    const hasUsage = call.stop !== undefined || call.isCallers;
    const abandonment = abandonmentOf(call);
    const measured = { provider: slugOf(call), model: leg.model.id };
    metrics.attempt(measured, outcome, (performance.now() - call.beganAt) / 1000);
    if (hasUsage) metrics.tokens(measured, usage);
    if (abandonment) metrics.abandoned(slugOf(call), abandonment);
    this.reportHealth(request.stream, call);
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

  private reportHealth(isStreamed: boolean, call: ProviderCall): void {
    const { health } = this.to;
    const { key, origin, isTrial } = this.calls[call.index]!;
    const { fault, leg } = call;
    const report = ENDINGS[call.ending!].health;
    if (report === 'success') health.succeeded(key, isStreamed ? figuresOf(call) : {}, origin);
    else if (report !== 'nothing' && !DIALECTS[dialectOf(leg.endpoint)].failsOnPurpose) {
      const retryAfterMs = fault?.detail.retryAfterMs;
      health.failed(
        key,
        { by: report, ...(retryAfterMs !== undefined && { retryAfterMs }), fault: seenFault(fault) },
        origin,
      );
    } else if (isTrial) health.released(key, origin.caller);
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

/** What became of a call that was left; undefined for others. */
function abandonmentOf(call: ProviderCall): Abandonment | undefined {
  if (call.isUnseen && !call.isAbandoned) return call.ending === 'completed' ? 'read' : 'failed';
  if (!call.isAbandoned) return undefined;
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
