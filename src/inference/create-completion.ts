import { Injectable } from '@nestjs/common';
import type { ModelEvent } from '../core/conversation/event.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { GatewayError, ProviderFault } from '../core/errors.js';
import { newGenerationId } from '../core/ids.js';
import { Clock } from '../core/time.js';
import { faultError } from '../routing/fault-policies.js';
import { PlanRunner, type AnsweredPlan } from '../routing/plan-runner.js';
import { RoutePlanner } from '../routing/route-planner.js';
import { Environment } from '../shared/environment.js';
import type { GenerationFacts } from '../shared/http/request-log.js';
import { Tracing } from '../shared/tracing.js';
import type { Answer, Exchange } from './exchange.js';
import { GenerationRecord } from './generation-record.js';

/** The one use case behind every inference face: plan, run, record. */
@Injectable()
export class CreateCompletion {
  constructor(
    private readonly planner: RoutePlanner,
    private readonly plans: PlanRunner,
    private readonly tracing: Tracing,
    private readonly environment: Environment,
    private readonly clock: Clock,
  ) {}

  /**
   * Begins one inference of a request that has been read. Aborting the controller ends it at any stage and closes
   * every socket of it; the total time-out aborts it as well.
   */
  begin(request: ModelRequest, abort: AbortController): Exchange {
    const id = newGenerationId(this.clock.now());
    const facts: GenerationFacts = { id, streamed: request.stream };
    const span = this.tracing.startRequest({ model: request.model, generationId: id, streamed: request.stream });
    return { id, facts, answer: this.answer(request, new GenerationRecord(facts, span), abort) };
  }

  private async answer(request: ModelRequest, record: GenerationRecord, abort: AbortController): Promise<Answer> {
    const deadline = setTimeout(() => {
      abort.abort(new GatewayError('timed-out', 'The request took longer than this gateway allows.'));
    }, this.environment.timeouts.totalMs);
    try {
      const plan = this.planner.plan(request);
      const answered = await this.plans.run(plan, request, record.span, abort.signal);
      record.answered(answered);
      return {
        model: answered.leg.model.id,
        provider: answered.leg.endpoint.provider.name,
        isByok: false,
        events: watch(answered, record, abort.signal, deadline),
      };
    } catch (error) {
      clearTimeout(deadline);
      record.failed(error);
      throw error;
    }
  }
}

/**
 * The events as they go out, watched: usage, the time to the first one, and every way of ending. A provider that fails in
 * mid-reply leaves as the `GatewayError` the caller is told.
 */
async function* watch(
  { leg, events }: AnsweredPlan,
  record: GenerationRecord,
  signal: AbortSignal,
  deadline: NodeJS.Timeout,
): AsyncGenerator<readonly ModelEvent[], void, undefined> {
  try {
    for await (const batch of events) {
      record.observe(batch);
      yield batch;
    }
    record.finished();
  } catch (thrown) {
    const reason: unknown = signal.aborted ? signal.reason : thrown;
    record.failed(reason);
    throw reason instanceof ProviderFault ? faultError(reason, leg) : reason;
  } finally {
    clearTimeout(deadline);
    record.left();
    await events.return();
  }
}
