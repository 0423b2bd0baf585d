import { Injectable } from '@nestjs/common';
import type { CancelSignal, Cancellation } from '../core/cancellation.js';
import { GatewayError, ProviderFault } from '../core/errors.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { newGenerationId } from '../core/ids.js';
import type { Model } from '../core/routing/catalog.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import { forbiddenModels, noRouteError } from '../core/routing/no-route-error.js';
import { Clock } from '../core/time.js';
import { Guardrails, type GuardrailSet } from '../guardrails/guardrails.js';
import { Ledger } from '../ledger/ledger.js';
import { PriceBook } from '../ledger/price-book.js';
import { ModelGate } from '../limits/model-gate.js';
import { DecisionLog } from '../routing/decision-log.js';
import { PlanRunner, type AnsweredPlan, type PlanRun } from '../routing/plan-runner.js';
import { RoutePlanner, type RoutedPlan } from '../routing/route-planner.js';
import { SessionPins } from '../routing/session-pins.js';
import { Environment } from '../shared/environment.js';
import type { GenerationFacts } from '../shared/http/request-log.js';
import { Metrics } from '../shared/metrics.js';
import { Tracing } from '../shared/tracing.js';
import { Admission, type AdmittedPlan } from './admission.js';
import type { Answer, Exchange } from './exchange.js';
import { GenerationAccount, type Cashier } from './generation-account.js';
import { GenerationRecord } from './generation-record.js';
import type { Inference } from './inference.js';
import { ModelSlots } from './model-slots.js';
import { RouteTrace } from './route-trace.js';
import { WatchedReply } from './watched-reply.js';

/** The one use case behind every inference face: plan, reserve, run, settle. */
@Injectable()
export class CreateCompletion {
  private readonly cashier: Cashier;

  constructor(
    private readonly guardrails: Guardrails,
    private readonly planner: RoutePlanner,
    private readonly admission: Admission,
    private readonly models: ModelGate,
    private readonly plans: PlanRunner,
    private readonly pins: SessionPins,
    private readonly decisions: DecisionLog,
    private readonly tracing: Tracing,
    private readonly environment: Environment,
    private readonly clock: Clock,
    ledger: Ledger,
    prices: PriceBook,
    metrics: Metrics,
  ) {
    this.cashier = { ledger, prices, metrics, clock, fee: admission.fee };
  }

  /**
   * Begins one inference of a request that has been read. Aborting the controller ends it at any stage and closes
   * every socket of it; the total time-out aborts it as well.
   */
  begin(inference: Inference, abort: Cancellation): Exchange {
    const { request, wantsRouterMetadata } = inference;
    const id = newGenerationId(this.clock.now());
    const facts: GenerationFacts = { id, streamed: request.stream };
    const span = this.tracing.startRequest({ model: request.model, generationId: id, streamed: request.stream });
    const trace = new RouteTrace();
    return {
      id,
      facts,
      answer: this.answer(inference, new GenerationRecord(facts, span), trace, abort),
      spoiled: (error) => {
        trace.hasFailed = true;
        // Its events were in order and the generation counts as completed: only in print it showed that they make no valid reply.
        if (error instanceof ProviderFault) facts.outcome = error.kind;
      },
      ...(wantsRouterMetadata && { routerMetadata: () => trace.view() }),
    };
  }

  private async answer(
    inference: Inference,
    record: GenerationRecord,
    trace: RouteTrace,
    abort: Cancellation,
  ): Promise<Answer> {
    const { request: asked, caller, wantsRouterMetadata } = inference;
    const deadline = setTimeout(() => {
      abort.abort(new GatewayError('timed-out', 'The request took longer than this gateway allows.'));
    }, this.environment.timeouts.totalMs);
    let account: GenerationAccount | undefined;
    const slots = new ModelSlots(this.models, caller.accountId, record.id);
    const close = (): void => {
      clearTimeout(deadline);
      slots.leave(record.answer?.leg.model, record.usage);
    };
    try {
      const guardrails = await this.guardrails.of(caller);
      const routed = await this.planner.plan(asked, caller, guardrails.policies);
      const request = this.inspect(asked, guardrails, routed, trace);
      const payer = { request, caller, guardrails: guardrails.budgets };
      const admitted = await this.admission.admit(routed.plan, payer, record.id, abort.signal);
      const charged = (account = new GenerationAccount(this.cashier, inference, admitted, record, trace));
      const answered = await this.run(routed, admitted, { ...inference, request }, record, trace, slots, abort.signal);
      const { leg } = answered;
      record.answered(answered);
      return {
        model: leg.model.id,
        provider: leg.endpoint.provider.name,
        isByok: leg.credential !== SHARED_CREDENTIAL,
        ...(answered.events.sentBody !== undefined && { upstreamBody: answered.events.sentBody }),
        bill: () => charged.bill,
        events: new WatchedReply(answered, record, charged, abort.signal, {
          finished: () => this.pins.answered(caller, asked, routed.plan, leg, record.usage.cacheReadTokens ?? 0),
          failed: () => (trace.hasFailed = true),
          closed: close,
        }),
        ...(wantsRouterMetadata && { routerMetadata: () => trace.view() }),
      };
    } catch (error) {
      close();
      trace.hasFailed = true;
      record.failed(error);
      // Nothing is charged, so nothing is waited for.
      void account?.close();
      throw error;
    }
  }

  /**
   * The request as guardrails let it through.
   * @throws GatewayError 403 where none of its models is allowed, or a content filter blocks it
   */
  private inspect(asked: ModelRequest, guardrails: GuardrailSet, routed: RoutedPlan, trace: RouteTrace): ModelRequest {
    const { request, stages, blocked } = guardrails.inspect(asked);
    trace.pipeline = stages;
    const refusal = forbiddenModels(routed.plan) ?? blocked;
    if (!refusal) return request;
    // Nobody was called, and the caller may want to know who would have been.
    trace.run = { ...routed, failed: [], calls: 0 };
    throw refusal;
  }

  private async run(
    { inputs, plan: routed, reveal }: RoutedPlan,
    { plan, prompt }: AdmittedPlan,
    { request, caller }: Inference,
    record: GenerationRecord,
    trace: RouteTrace,
    slots: ModelSlots,
    signal: CancelSignal,
  ): Promise<AnsweredPlan> {
    const run: PlanRun = (trace.run = { plan, reveal, failed: [], calls: 0 });
    const enter = (model: Model): boolean | Promise<boolean> => slots.enter(model, prompt);
    try {
      if (plan.legs.length === 0) throw noRouteError(plan, this.clock.now());
      return await this.plans.run(run, request, record.span, signal, enter);
    } catch (error) {
      // Nobody was called because of limits of ours: they are what the caller is told.
      throw run.calls === 0 && !signal.aborted ? (slots.refusal ?? error) : error;
    } finally {
      this.decisions.keep({ id: record.id, caller, inputs, plan: routed, attempts: trace.attempts() });
    }
  }
}
