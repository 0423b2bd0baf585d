import type { ModelEvent } from '../core/conversation/event.js';
import { mergeUsage, type Usage } from '../core/conversation/usage.js';
import { CallerGone, GatewayError, ProviderFault } from '../core/errors.js';
import type { Leg } from '../core/routing/plan.js';
import type { GenerationFacts } from '../shared/http/request-log.js';
import type { AttemptOutcome, Metrics } from '../shared/metrics.js';

/** Follows one generation to its end, however it ends: usage, metrics, and the facts of its log line. Never content. */
export class GenerationRecord {
  private usage: Usage = {};
  private leg: Leg | undefined;
  private readonly began = performance.now();
  private ended = false;

  constructor(
    private readonly facts: GenerationFacts,
    private readonly metrics: Metrics,
  ) {}

  /** A provider committed itself. */
  answered(leg: Leg): void {
    this.leg = leg;
    this.facts.model = leg.model.id;
    this.facts.provider = leg.endpoint.provider.slug;
  }

  observe(batch: readonly ModelEvent[]): void {
    for (const event of batch) if (event.type === 'usage') this.usage = mergeUsage(this.usage, event.usage);
  }

  finished(): void {
    this.end('completed', 'answered');
  }

  failed(reason: unknown): void {
    if (reason instanceof CallerGone) this.end('caller-gone', 'aborted');
    else if (reason instanceof ProviderFault) this.end(reason.kind, reason.kind);
    else this.end(reason instanceof GatewayError ? reason.kind : 'internal', 'aborted');
  }

  /** Whoever read the events stopped. Says nothing new of a generation that has ended. */
  left(): void {
    this.end('caller-gone', 'aborted');
  }

  private end(outcome: string, attempt: AttemptOutcome): void {
    if (this.ended) return;
    this.ended = true;
    this.facts.outcome = outcome;
    if (!this.leg) return;
    const provider = this.leg.endpoint.provider.slug;
    this.metrics.attempt(provider, attempt, (performance.now() - this.began) / 1000);
    this.metrics.tokens(provider, this.usage);
  }
}
