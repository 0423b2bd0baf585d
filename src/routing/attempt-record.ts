import type { StopReason } from '../core/conversation/event.js';
import type { Usage } from '../core/conversation/usage.js';
import type { Leg } from '../core/routing/plan.js';
import type { AttemptOutcome, Metrics } from '../shared/metrics.js';
import type { SpanResult, TraceSpan } from '../shared/tracing.js';

/** What an attempt brought, as far as it got. */
export interface AttemptResult {
  readonly usage?: Usage;
  readonly stop?: StopReason['unified'];
}

/** Follows one attempt to its end: how long, how it ended, its span. Never content. */
export class AttemptRecord {
  private readonly began = performance.now();
  private firstTokenSeconds: number | undefined;

  constructor(
    private readonly leg: Leg,
    private readonly span: TraceSpan,
    private readonly metrics: Metrics,
  ) {}

  /** The first telling event of a streamed attempt came. */
  told(): void {
    this.firstTokenSeconds = this.elapsedSeconds();
    this.metrics.firstToken(this.provider, this.firstTokenSeconds);
  }

  /** Call once. */
  end(outcome: AttemptOutcome, { usage, stop }: AttemptResult = {}): void {
    this.metrics.attempt(this.provider, outcome, this.elapsedSeconds());
    if (usage) this.metrics.tokens(this.provider, usage);
    const result: SpanResult = {
      model: this.leg.endpoint.upstreamModel,
      ...(usage && { usage }),
      ...(stop && { stop }),
      ...(this.firstTokenSeconds !== undefined && { secondsToFirstToken: this.firstTokenSeconds }),
      ...(outcome !== 'answered' && { error: outcome === 'aborted' ? 'caller-gone' : outcome }),
    };
    this.span.end(result);
  }

  private get provider(): string {
    return this.leg.endpoint.provider.slug;
  }

  private elapsedSeconds(): number {
    return (performance.now() - this.began) / 1000;
  }
}
