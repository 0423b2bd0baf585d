import { GatewayError } from '../core/errors.js';
import { ENDINGS } from '../core/generation/ending.js';
import type { Generation, GenerationObserver } from '../core/generation/generation.js';
import type { CallCharge, ProviderCall } from '../core/generation/provider-call.js';
import { addUsage, NO_USAGE, type Usage } from '../core/conversation/usage.js';
import { addBill, billOf, type Bill } from '../core/money/bill.js';
import type { PicoUsd } from '../core/money/credits.js';
import { estimateInputTokens, estimateTokens } from '../core/money/estimate.js';
import type { MeasuredPrompt } from '../core/money/measure-prompt.js';
import { costOf } from '../core/money/pricing.js';
import { sanitizeUsage } from '../core/money/sane-usage.js';
import type { GenerationRow } from '../ledger/generation-row.js';
import { countedBy, remainingOf, type HeldAmounts, type Hold } from '../ledger/hold.js';
import type { BillingService } from './billing.service.js';
import { buildGenerationRow, type Charged } from './build-generation-row.js';

/** What the calls of a generation come to together. */
interface Priced {
  readonly calls: readonly { readonly call: ProviderCall; readonly usage: Usage; readonly money: CallCharge }[];
  /** Of what was answered; estimated where a provider did not tell. */
  readonly usage: Usage;
  /** Undefined where nothing was answered. */
  readonly bill: Bill | undefined;
  readonly operatorCost: PicoUsd;
}

/**
 * The money of one generation, from its hold to its settlement: what its calls used, whatever way each ended, becomes
 * one charge and one row. Tells the hold what it has come to meanwhile, should this process die.
 */
export class GenerationBilling implements GenerationObserver {
  constructor(
    private readonly billing: BillingService,
    private readonly generation: Generation,
    private readonly hold: Hold,
    private readonly prompt: MeasuredPrompt,
  ) {
    hold.observe = () => this.observed();
  }

  /**
   * Reserves more for a further call, from the same counters.
   * @returns whether there was room for it
   * @throws GatewayError `unavailable` while the ledger cannot be written
   */
  async reserve(more: HeldAmounts): Promise<boolean> {
    return (await this.billing.ledger.extend(this.hold, more)) === undefined;
  }

  /** Resolves when the ledger says that the last byte may go. Never rejects. */
  ended(): Promise<void> {
    return this.settle().catch((error: unknown) => {
      // A fault of ours must leave no hold that stands for ever.
      this.billing.ledger.giveUp(this.hold, error);
    });
  }

  private async settle(): Promise<void> {
    const { generation, hold } = this;
    const { ledger } = this.billing;
    if (!generation.wasCalled) return ledger.release(hold);
    const priced = this.price();
    for (const { call, usage, money } of priced.calls) {
      call.money = money;
      if (call.answers) this.report(call, usage, money);
    }
    const charged = await this.charge(priced);
    generation.bill = charged.bill && { ...charged.bill, cost: charged.cost };
    await ledger.settle(hold, this.row(priced, charged));
  }

  /** What it would be settled with at this moment; undefined while nothing was answered. */
  private observed(): GenerationRow | undefined {
    if (!this.generation.calls.some(({ answers }) => answers)) return undefined;
    const priced = this.price();
    const { bill } = priced;
    const cost = bill ? smaller(bill.cost, this.hold.bound.credits) : 0n;
    const operatorCost = priced.operatorCost + (bill?.cost ?? 0n) - cost;
    return this.row(priced, { bill, cost, operatorCost, isOverBound: false });
  }

  private price(): Priced {
    const calls: { call: ProviderCall; usage: Usage; money: CallCharge }[] = [];
    let usage = NO_USAGE;
    let bill: Bill | undefined;
    let operatorCost = 0n;
    for (const call of this.generation.calls) {
      const used = this.usageOf(call);
      const money = this.chargeOf(call, used);
      calls.push({ call, usage: used, money });
      operatorCost += money.operatorCost;
      if (call.answers) usage = addUsage(usage, used);
      if (money.bill) bill = bill ? addBill(bill, money.bill) : money.bill;
    }
    return { calls, usage, bill, operatorCost };
  }

  /**
   * What can be believed of what the provider told, or, where its reply did not come to its end, at least what went out
   * of it.
   */
  private usageOf({ usage, stop, answers, outputCharacters, leg, run }: ProviderCall): Usage {
    const { contextLength } = leg.endpoint;
    if (!answers || stop) return sanitizeUsage(usage, contextLength);
    const inputTokens = usage.inputTokens ?? estimateInputTokens(run.request);
    const outputTokens = Math.max(usage.outputTokens ?? 0, estimateTokens(outputCharacters));
    return sanitizeUsage({ ...usage, inputTokens, outputTokens, estimated: true }, contextLength);
  }

  /**
   * What was answered is the caller's; what failed, or did not serve, is the operator's where his credential was used.
   */
  private chargeOf(call: ProviderCall, usage: Usage): CallCharge {
    const { leg, answers, stop } = call;
    const { images } = call.run.prompt;
    const isFault = call.ending !== undefined && ENDINGS[call.ending].charge === 'operator';
    // Whatever ended a call that answered nobody, what its provider told of it is lost.
    const isLost = call.isShared && (answers ? isFault : usage !== NO_USAGE);
    const operatorCost = isLost ? costOf(usage, leg, images).total : 0n;
    if (!answers) return { operatorCost };
    return { bill: billOf(usage, leg, { stop, inFault: isFault }, images, this.billing.fee), operatorCost };
  }

  private async charge({ bill, operatorCost }: Priced): Promise<Charged> {
    const { hold } = this;
    if (!bill) return { bill, cost: 0n, operatorCost, isOverBound: false };
    const isOverBound = bill.cost > hold.bound.credits || bill.byokCost > hold.bound.byok;
    if (isOverBound) await this.extend(bill);
    const cost = smaller(bill.cost, hold.bound.credits);
    return { bill, cost, operatorCost: operatorCost + bill.cost - cost, isOverBound };
  }

  /** Takes what is missing as far as every counter still has room. */
  private async extend({ cost, byokCost }: Bill): Promise<void> {
    const { ledger, metrics } = this.billing;
    const { credits, byok } = this.hold.bound;
    const missing = { credits: positive(cost - credits), byok: positive(byokCost - byok) };
    metrics.ledgerEvent('over_bound');
    try {
      const outcome = await ledger.extend(this.hold, missing);
      if (outcome === undefined || outcome === 'gone') return;
      const { refused } = outcome;
      const room = remainingOf(refused);
      if (room <= 0n || missing.credits === 0n || countedBy(refused, missing) <= room) return;
      await ledger.extend(this.hold, { credits: smaller(room, missing.credits), byok: 0n });
    } catch (error) {
      // The ledger is away: the rest is the operator's.
      if (!(error instanceof GatewayError)) throw error;
    }
  }

  private report({ stop, leg }: ProviderCall, usage: Usage, { bill }: CallCharge): void {
    const { metrics } = this.billing;
    if (usage.estimated) metrics.ledgerEvent('estimated');
    const isZero = bill?.list.total === 0n && (usage.inputTokens ?? 0) === 0;
    if (stop && leg.endpoint.pricing !== null && isZero) metrics.ledgerEvent('zero_usage');
  }

  private row({ usage }: Priced, charged: Charged): GenerationRow {
    const { generation, hold, prompt, billing } = this;
    const pricing = generation.answer?.leg.endpoint.pricing;
    return buildGenerationRow(generation, {
      hold,
      usage,
      charged,
      images: prompt.images,
      settledAt: billing.clock.now(),
      priceVersion: pricing ? billing.prices.versionOf(pricing) : null,
    });
  }
}

const positive = (amount: PicoUsd): PicoUsd => (amount > 0n ? amount : 0n);
const smaller = (one: PicoUsd, other: PicoUsd): PicoUsd => (one < other ? one : other);
