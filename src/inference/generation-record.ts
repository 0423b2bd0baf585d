import { charactersOf, type ModelEvent, type StopReason } from '../core/conversation/event.js';
import { mergeUsage, NO_USAGE, type Usage } from '../core/conversation/usage.js';
import type { GenerationId } from '../core/ids.js';
import { CallerGone, GatewayError, ProviderFault } from '../core/errors.js';
import type { AnsweredPlan } from '../routing/plan-runner.js';
import type { GenerationFacts } from '../shared/http/request-log.js';
import type { AttemptOutcome } from '../shared/metrics.js';
import type { SpanResult, TraceSpan } from '../shared/tracing.js';

/** Follows one generation to its end, however it ends: usage, the facts of its log line, its span. Never content. */
export class GenerationRecord {
  private latestUsage: Usage = NO_USAGE;
  private latestStop: StopReason | undefined;
  private answering: AnsweredPlan | undefined;
  private replyId: string | undefined;
  private characters = 0;
  private answeredAt = 0;
  private readonly began = performance.now();

  constructor(
    private readonly facts: GenerationFacts,
    readonly span: TraceSpan,
  ) {}

  get id(): GenerationId {
    return this.facts.id;
  }

  /** As far as it was reported. */
  get usage(): Usage {
    return this.latestUsage;
  }

  /** Who answers. Undefined before anybody does. */
  get answer(): AnsweredPlan | undefined {
    return this.answering;
  }

  /** Why the reply ended. Undefined unless it came to its end. */
  get stop(): StopReason | undefined {
    return this.latestStop;
  }

  /** How the generation ended: `completed`, `caller-gone`, or the kind of the error. Undefined while it runs. */
  get outcome(): string | undefined {
    return this.facts.outcome;
  }

  /** The provider's own id of the reply. */
  get upstreamId(): string | undefined {
    return this.replyId;
  }

  /** Characters of text, reasoning and arguments that came, for an estimate. */
  get outputLength(): number {
    return this.characters;
  }

  get answeredAfterMs(): number {
    return this.answeredAt - this.began;
  }

  /** A provider committed itself. */
  answered(answer: AnsweredPlan): void {
    this.answering = answer;
    this.answeredAt = performance.now();
    this.facts.model = answer.leg.model.id;
    this.facts.provider = answer.leg.endpoint.provider.slug;
  }

  /** @returns whether the reply ended with these events */
  observe(batch: readonly ModelEvent[]): boolean {
    for (const event of batch) {
      if (event.type === 'block-delta') this.characters += charactersOf(event.delta);
      else if (event.type === 'usage') this.latestUsage = mergeUsage(this.latestUsage, event.usage);
      else if (event.type === 'reply-start') this.replyId = event.id;
      else if (event.type === 'reply-end') {
        this.latestStop = event.stop;
        return true;
      }
    }
    return false;
  }

  finished(): void {
    this.end('completed', 'answered');
  }

  failed(reason: unknown): void {
    if (reason instanceof CallerGone) this.end('caller-gone', 'aborted');
    else if (reason instanceof ProviderFault) this.end(reason.kind, reason.kind, reason);
    else this.end(reason instanceof GatewayError ? reason.kind : 'internal', 'aborted');
  }

  /** Whoever read the events stopped. Says nothing new of a generation that has ended. */
  left(): void {
    this.end('caller-gone', 'aborted');
  }

  private end(
    outcome: 'completed' | NonNullable<SpanResult['error']>,
    attempt: AttemptOutcome,
    fault?: ProviderFault,
  ): void {
    if (this.facts.outcome !== undefined) return;
    this.facts.outcome = outcome;
    const { latestUsage: usage, latestStop, answer } = this;
    const stop = latestStop && { stop: latestStop.unified };
    answer?.record.end(attempt, { usage, ...stop, ...(fault && { fault }) });
    this.span.end({
      usage,
      ...stop,
      ...(answer && { provider: answer.leg.endpoint.provider.slug, model: answer.leg.model.id }),
      ...(outcome !== 'completed' && { error: outcome }),
    });
  }
}
