import type { StopReason } from '../core/conversation/event.js';
import type { Usage } from '../core/conversation/usage.js';
import type { ProviderFault } from '../core/errors.js';
import type { Leg } from '../core/routing/plan.js';
import type { HealthKey } from '../core/routing/health.js';
import type { HealthRegistry } from '../health/health-registry.js';
import type { AttemptOutcome, Metrics } from '../shared/metrics.js';
import type { SpanResult, TraceSpan } from '../shared/tracing.js';
import { healthOf } from './fault-policies.js';

/** What an attempt brought, as far as it got. */
export interface AttemptResult {
  readonly usage?: Usage;
  readonly stop?: StopReason['unified'];
  /** Why the provider failed. */
  readonly fault?: ProviderFault;
}

/** Whose figures an attempt's are. */
export const healthKeyOf = ({ model, tag, credential }: Leg): HealthKey => ({ model: model.id, tag, credential });

/** Follows one attempt to its end: how long, how it ended, what it says of the endpoint, its span. Never content. */
export class AttemptRecord {
  private readonly began = performance.now();
  private firstTokenSeconds: number | undefined;
  private waitedMs = 0;
  private readonly key: HealthKey;
  private readonly isTrial: boolean;

  constructor(
    private readonly leg: Leg,
    private readonly span: TraceSpan,
    private readonly metrics: Metrics,
    private readonly health: HealthRegistry,
  ) {
    this.key = healthKeyOf(leg);
    this.isTrial = health.isTrial(this.key);
  }

  /** The first telling event of a streamed attempt came. */
  told(): void {
    this.firstTokenSeconds = this.elapsedSeconds();
    this.metrics.firstToken(this.provider, this.firstTokenSeconds);
    if (this.isTrial) this.health.began(this.key);
  }

  /** The provider was waited for, after its first telling event; a slow reader's time is not the provider's. */
  waited(ms: number): void {
    this.waitedMs += ms;
  }

  /** Call once. */
  end(outcome: AttemptOutcome, { usage, stop, fault }: AttemptResult = {}): void {
    this.metrics.attempt(this.provider, outcome, this.elapsedSeconds());
    if (usage) this.metrics.tokens(this.provider, usage);
    this.tellHealth(outcome, usage, fault);
    const result: SpanResult = {
      model: this.leg.endpoint.upstreamModel,
      ...(usage && { usage }),
      ...(stop && { stop }),
      ...(this.firstTokenSeconds !== undefined && { secondsToFirstToken: this.firstTokenSeconds }),
      ...(outcome !== 'answered' && { error: outcome === 'aborted' ? 'caller-gone' : outcome }),
    };
    this.span.end(result);
  }

  private tellHealth(outcome: AttemptOutcome, usage: Usage | undefined, fault: ProviderFault | undefined): void {
    // The sandbox misbehaves on purpose, each time it is asked to.
    const isSimulated = this.leg.endpoint.provider.dialect === 'simulated';
    const by = fault && !isSimulated ? healthOf(fault) : 'nothing';
    if (outcome === 'answered' || outcome === 'refused') this.health.succeeded(this.key, this.figures(usage));
    else if (by !== 'nothing') this.health.failed(this.key, { by, ...retryHint(fault) });
    else if (this.isTrial) this.health.released(this.key);
  }

  private figures(usage: Usage | undefined): { secondsToFirstToken?: number; tokensPerSecond?: number } {
    // A whole reply does not show when its first token came.
    if (this.firstTokenSeconds === undefined) return {};
    const tokens = usage?.outputTokens ?? 0;
    const seconds = this.waitedMs / 1000;
    return {
      secondsToFirstToken: this.firstTokenSeconds,
      ...(tokens > 0 && seconds > 0 && usage?.estimated !== true && { tokensPerSecond: tokens / seconds }),
    };
  }

  private get provider(): string {
    return this.leg.endpoint.provider.slug;
  }

  private elapsedSeconds(): number {
    return (performance.now() - this.began) / 1000;
  }
}

const retryHint = (fault: ProviderFault | undefined): { retryAfterMs?: number } =>
  fault?.detail.retryAfterMs === undefined ? {} : { retryAfterMs: fault.detail.retryAfterMs };
