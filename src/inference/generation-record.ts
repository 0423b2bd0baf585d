import type { ModelEvent, StopReason } from '../core/conversation/event.js';
import { mergeUsage, type Usage } from '../core/conversation/usage.js';
import { CallerGone, GatewayError, ProviderFault } from '../core/errors.js';
import type { AnsweredPlan } from '../routing/plan-runner.js';
import type { GenerationFacts } from '../shared/http/request-log.js';
import type { AttemptOutcome } from '../shared/metrics.js';
import type { SpanResult, TraceSpan } from '../shared/tracing.js';

/** Follows one generation to its end, however it ends: usage, the facts of its log line, its span. Never content. */
export class GenerationRecord {
  private usage: Usage = {};
  private stop: StopReason['unified'] | undefined;
  private answer: AnsweredPlan | undefined;
  private ended = false;

  constructor(
    private readonly facts: GenerationFacts,
    readonly span: TraceSpan,
  ) {}

  /** A provider committed itself. */
  answered(answer: AnsweredPlan): void {
    this.answer = answer;
    this.facts.model = answer.leg.model.id;
    this.facts.provider = answer.leg.endpoint.provider.slug;
  }

  observe(batch: readonly ModelEvent[]): void {
    for (const event of batch) {
      if (event.type === 'usage') this.usage = mergeUsage(this.usage, event.usage);
      else if (event.type === 'reply-end') this.stop = event.stop.unified;
    }
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

  private end(outcome: 'completed' | NonNullable<SpanResult['error']>, attempt: AttemptOutcome): void {
    if (this.ended) return;
    this.ended = true;
    this.facts.outcome = outcome;
    const { usage, stop, answer } = this;
    const result = { usage, ...(stop && { stop }) };
    answer?.record.end(attempt, result);
    this.span.end({
      ...result,
      ...(answer && { provider: answer.leg.endpoint.provider.slug, model: answer.leg.model.id }),
      ...(outcome !== 'completed' && { error: outcome }),
    });
  }
}
