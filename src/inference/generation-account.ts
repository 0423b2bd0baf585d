import { GatewayError } from '../core/errors.js';
import type { JsonObject } from '../core/json.js';
import { printJson } from '../core/exact-json.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { Usage } from '../core/conversation/usage.js';
import { billOf, type Bill, type FeeShare } from '../core/money/bill.js';
import { formatUsd, type PicoUsd } from '../core/money/credits.js';
import { estimateInputTokens, estimateTokens } from '../core/money/estimate.js';
import { costOf } from '../core/money/pricing.js';
import { sanitizeUsage } from '../core/money/sane-usage.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import type { Leg } from '../core/routing/plan.js';
import type { Clock } from '../core/time.js';
import type { GenerationRow } from '../ledger/generation-row.js';
import { countedBy, roomOf, type Hold } from '../ledger/hold.js';
import type { Ledger } from '../ledger/ledger.js';
import type { PriceBook } from '../ledger/price-book.js';
import type { Metrics } from '../shared/metrics.js';
import type { AdmittedPlan } from './admission.js';
import type { GenerationRecord } from './generation-record.js';
import type { Inference } from './inference.js';
import type { RouteTrace } from './route-trace.js';

/** What the gateway charges with. One of each per process. */
export interface Cashier {
  readonly ledger: Ledger;
  readonly prices: PriceBook;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly fee: FeeShare;
}

/** Longest `trace` of a caller's that is kept, in characters of its JSON; a longer one is left out. */
const TRACE_CHARACTERS_MAX = 4_096;
/** What an attempt that the caller did not wait for is shown with. */
const CLIENT_CLOSED_STATUS = 499;
/** Ways of ending in which the provider itself failed: what it cost is the operator's. The clock running out is none of them. */
const CHARGED_ENDINGS = new Set(['completed', 'caller-gone', 'timed-out']);

interface Charged {
  readonly bill: Bill | undefined;
  /** To credits, as far as there was room. */
  readonly cost: PicoUsd;
  /** What nobody is charged for. */
  readonly operatorCost: PicoUsd;
  readonly isOverBound: boolean;
}

/**
 * The money of one generation, from its hold to its settlement: what was used, whatever way it ended, becomes one charge and one row.
 * Tells the hold what it has come to meanwhile, should this process die.
 */
export class GenerationAccount {
  private charged: Charged | undefined;
  private closing: Promise<void> | undefined;
  private readonly hold: Hold;
  private readonly began = performance.now();

  constructor(
    private readonly cashier: Cashier,
    private readonly inference: Inference,
    private readonly admitted: AdmittedPlan,
    private readonly record: GenerationRecord,
    private readonly trace: RouteTrace,
  ) {
    this.hold = admitted.hold;
    this.hold.observe = () => this.observe();
  }

  /** What the reply is charged. Undefined before it ended. */
  get bill(): Bill | undefined {
    const { charged } = this;
    return charged?.bill && { ...charged.bill, cost: charged.cost };
  }

  /** Charges and settles, once; resolves when the books say that the last byte may go. Never throws. */
  close(): Promise<void> {
    return (this.closing ??= this.settle().catch((error: unknown) => {
      // A fault of ours must leave no hold that stands for ever.
      this.cashier.ledger.giveUp(this.hold, error);
    }));
  }

  private async settle(): Promise<void> {
    const { ledger } = this.cashier;
    if ((this.trace.run?.calls ?? 0) === 0) return ledger.release(this.hold);
    const usage = this.usage();
    this.charged = await this.charge(usage);
    await ledger.settle(this.hold, this.row(usage, this.charged));
  }

  private observe(): GenerationRow | undefined {
    if (!this.record.answer) return undefined;
    const usage = this.usage();
    const bill = this.billFor(usage);
    const cost = bill ? smaller(bill.cost, this.hold.bound.credits) : 0n;
    return this.row(usage, { bill, cost, operatorCost: 0n, isOverBound: false });
  }

  /** What the provider told, or, where the reply did not come to its end, at least what went out of it. */
  private usage(): Usage {
    const { usage, stop, answer, outputLength } = this.record;
    if (!answer || stop) return usage;
    const said = usage.outputTokens ?? 0;
    const seen = estimateTokens(outputLength);
    const inputTokens = usage.inputTokens ?? estimateInputTokens(this.request);
    return { ...usage, inputTokens, outputTokens: Math.max(said, seen), estimated: true };
  }

  private billFor(usage: Usage): Bill | undefined {
    const { answer, outcome, stop } = this.record;
    if (!answer) return undefined;
    const ended = { stop, inFault: outcome !== undefined && !CHARGED_ENDINGS.has(outcome) };
    return billOf(usage, answer.leg, ended, this.admitted.prompt.images, this.cashier.fee);
  }

  private async charge(usage: Usage): Promise<Charged> {
    const bill = this.billFor(usage);
    const failed = this.costOfFailed(usage);
    if (!bill) return { bill, cost: 0n, operatorCost: failed, isOverBound: false };
    this.tell(usage, bill);
    const over = bill.cost - this.hold.bound.credits;
    const overByok = bill.byokCost - this.hold.bound.byok;
    const isOverBound = over > 0n || overByok > 0n;
    if (isOverBound) await this.extend(over, overByok);
    const cost = smaller(bill.cost, this.hold.bound.credits);
    return { bill, cost, operatorCost: failed + bill.cost - cost, isOverBound };
  }

  /** Takes what is missing as far as every counter still has room. */
  private async extend(credits: PicoUsd, byok: PicoUsd): Promise<void> {
    const { ledger, metrics } = this.cashier;
    metrics.bookEvent('over_bound');
    const missing = { credits: positive(credits), byok: positive(byok) };
    try {
      const outcome = await ledger.extend(this.hold, missing);
      if (outcome === undefined || outcome === 'gone') return;
      const { refused } = outcome;
      const room = roomOf(refused);
      if (room <= 0n || missing.credits === 0n || countedBy(refused, missing) <= room) return;
      await ledger.extend(this.hold, { credits: smaller(room, missing.credits), byok: 0n });
    } catch (error) {
      // The books are away: the rest is the operator's.
      if (!(error instanceof GatewayError)) throw error;
    }
  }

  /** Faults and refusals before the answer, and an answer whose provider failed. */
  private costOfFailed(usage: Usage): PicoUsd {
    const { answer, outcome } = this.record;
    const { images } = this.admitted.prompt;
    let total = 0n;
    for (const attempt of this.trace.run?.failed ?? []) {
      if (attempt.usage) total += costOf(attempt.usage, attempt.leg, images).total;
    }
    const isFault = outcome !== undefined && !CHARGED_ENDINGS.has(outcome);
    return answer && isFault && isShared(answer.leg) ? total + costOf(usage, answer.leg, images).total : total;
  }

  private tell(usage: Usage, { list }: Bill): void {
    const { metrics } = this.cashier;
    const { answer, stop } = this.record;
    if (usage.estimated) metrics.bookEvent('estimated');
    const hasPrice = answer?.leg.endpoint.pricing !== null;
    if (stop && hasPrice && list.total === 0n && (usage.inputTokens ?? 0) === 0) metrics.bookEvent('zero_usage');
  }

  private get request(): ModelRequest {
    return this.inference.request;
  }

  private row(told: Usage, { bill, cost, operatorCost, isOverBound }: Charged): GenerationRow {
    const { hold, record, request, cashier } = this;
    const { caller, api } = this.inference;
    const { answer, stop } = record;
    const leg = answer?.leg;
    const usage = leg ? sanitizeUsage(told, leg.endpoint.contextLength) : told;
    const pricing = leg?.endpoint.pricing;
    return {
      id: hold.id,
      held_at: hold.heldAt,
      settled_at: new Date(cashier.clock.now()).toISOString(),
      account_id: caller.accountId,
      workspace_id: caller.workspaceId,
      key_hash: caller.keyHash,
      key_user: caller.userId,
      api_type: api,
      requested_model: request.model,
      model: leg?.model.id ?? null,
      provider: leg?.endpoint.provider.slug ?? null,
      provider_name: leg?.endpoint.provider.name ?? null,
      endpoint: leg?.tag ?? null,
      upstream_id: record.upstreamId ?? null,
      service_tier: leg?.tier ?? null,
      credential: leg && !isShared(leg) ? leg.credential : null,
      is_byok: leg !== undefined && !isShared(leg),
      streamed: request.stream,
      outcome: record.outcome ?? 'running',
      finish_reason: stop?.unified ?? null,
      native_finish_reason: stop?.raw ?? null,
      prompt_tokens: usage.inputTokens ?? 0,
      completion_tokens: usage.outputTokens ?? 0,
      reasoning_tokens: usage.reasoningTokens ?? 0,
      cache_read_tokens: usage.cacheReadTokens ?? 0,
      cache_write_tokens: usage.cacheWriteTokens ?? 0,
      cache_write_1h_tokens: usage.cacheWrite1hTokens ?? 0,
      images: this.admitted.prompt.images,
      web_searches: usage.webSearchRequests ?? 0,
      web_fetches: usage.webFetchRequests ?? 0,
      bound: formatUsd(hold.bound.credits),
      cost: formatUsd(cost),
      byok_cost: formatUsd(bill?.byokCost ?? 0n),
      prompt_cost: formatUsd(bill?.list.prompt ?? 0n),
      completion_cost: formatUsd(bill?.list.completion ?? 0n),
      tools_cost: formatUsd(bill?.list.tools ?? 0n),
      operator_cost: formatUsd(operatorCost),
      price_version: pricing ? cashier.prices.versionOf(pricing) : null,
      is_estimated: usage.estimated === true,
      is_over_bound: isOverBound,
      is_recovered: false,
      is_corrected: false,
      latency_ms: answer ? Math.round(record.answeredAfterMs) : null,
      generation_ms: Math.round(performance.now() - this.began),
      session_id: request.sessionId ?? null,
      end_user: request.user ?? null,
      trace: keptTrace(request.trace),
      attempts: this.attempts(),
    };
  }

  private attempts(): readonly JsonObject[] {
    const calls = this.trace.attempts().map(({ leg, status }) => viewCall(leg, status));
    const run = this.trace.run;
    // The one under way when the caller left is neither failed nor answered.
    if (run?.calling && calls.length < run.calls) calls.push(viewCall(run.calling, CLIENT_CLOSED_STATUS));
    return calls;
  }
}

const viewCall = (leg: Leg, status: number): JsonObject => ({
  provider: leg.endpoint.provider.name,
  model: leg.model.id,
  endpoint: leg.tag,
  status,
});

const isShared = ({ credential }: Leg): boolean => credential === SHARED_CREDENTIAL;
const positive = (amount: PicoUsd): PicoUsd => (amount > 0n ? amount : 0n);
const smaller = (one: PicoUsd, other: PicoUsd): PicoUsd => (one < other ? one : other);

/** Its numbers become doubles: it groups records, nothing is computed from it. */
function keptTrace(trace: ModelRequest['trace']): JsonObject | null {
  if (!trace) return null;
  const text = printJson(trace);
  return text.length > TRACE_CHARACTERS_MAX ? null : (JSON.parse(text) as JsonObject);
}
