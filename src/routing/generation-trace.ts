import { ENDINGS } from '../core/generation/ending.js';
import type { Generation, GenerationObserver } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import { usdNumber } from '../core/money/credits.js';
import type { SpanResult, TraceSpan, Tracing } from '../shared/telemetry/tracing.js';
import { secondsToFirstToken } from './call-telemetry.js';

/** The spans of a generation and its calls. Never content. One per generation, where there is an exporter. */
export class GenerationTrace implements GenerationObserver {
  private readonly span: TraceSpan | undefined;
  /** Spans of the calls, by their index. */
  private readonly calls: (TraceSpan | undefined)[] = [];

  constructor(tracing: Tracing, { id, request, origin }: Generation) {
    this.span = tracing.startRequest({
      model: request.model,
      generationId: id,
      streamed: request.stream,
      ...origin,
    });
  }

  called({ request }: Generation, call: ProviderCall): void {
    const { provider, upstreamModel } = call.leg.endpoint;
    const span = this.span?.startAttempt({ provider: provider.slug, model: upstreamModel, streamed: request.stream });
    call.traceparent = span?.traceparent;
    this.calls[call.index] = span;
  }

  callEnded({ request }: Generation, call: ProviderCall): void {
    const { usage, stop, leg, fault, isCallers } = call;
    const { name } = ENDINGS[call.ending!];
    const firstToken = request.stream ? secondsToFirstToken(call) : undefined;
    const result: SpanResult = {
      model: leg.endpoint.upstreamModel,
      ...((stop !== undefined || isCallers) && { usage }),
      ...(stop && { stop: stop.unified }),
      ...(firstToken !== undefined && { secondsToFirstToken: firstToken }),
      ...(name !== 'completed' && { error: name }),
      ...(fault?.detail.status !== undefined && { status: fault.detail.status }),
    };
    this.calls[call.index]?.end(result);
  }

  ended(generation: Generation): undefined {
    const endedAt = performance.now();
    // The cost is known when the observers after this one have ended as well, and it is settled.
    queueMicrotask(() => {
      const end = (): void => this.span?.end({ ...resultOf(generation), endedAt });
      generation.settlement.then(end, end);
    });
  }
}

const resultOf = ({ answer, outcome, usage, bill }: Generation): SpanResult => ({
  usage,
  ...(answer?.stop && { stop: answer.stop.unified }),
  ...(answer && { provider: answer.leg.endpoint.provider.slug, model: answer.leg.model.id }),
  ...(outcome !== 'completed' && { error: outcome! }),
  ...(bill && { costUsd: usdNumber(bill.cost) }),
});
