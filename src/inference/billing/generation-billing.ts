import { GatewayError } from '../../core/errors.js';
import { ENDINGS } from '../../core/generation/ending.js';
import type { Generation, GenerationObserver, ToolUseRecord } from '../../core/generation/generation.js';
import type { ModelRun } from '../../core/generation/model-run.js';
import type { CallCharge, ProviderCall } from '../../core/generation/provider-call.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import { addUsage, iterationOf, NO_USAGE, type Usage } from '../../core/conversation/usage.js';
import { addBill, billBound, billOf, cappedBill, paidBill, withTools, type Bill } from '../../core/money/bill.js';
import { wantsHourCache } from '../../core/conversation/wants-hour-cache.js';
import { formatUsd, usdNumber, type PicoUsd } from '../../core/money/credits.js';
import { estimateInputTokens } from '../../core/money/estimate.js';
import { judgeUsage, type JudgedUsage } from '../../core/money/judge-usage.js';
import type { MeasuredPrompt } from '../../core/money/measure-prompt.js';
import { providerCost } from '../../core/money/charged-rate.js';
import type { Widening } from '../../core/money/widening.js';
import type { Leg } from '../../core/routing/plan.js';
import { countedBy, remainingOf, type HeldAmounts, type Hold, type HoldRefusal } from '../../ledger/hold.js';
import type { Settlement } from '../../ledger/settlement.js';
import type { BillingDependencies } from './billing-dependencies.js';
import { buildGenerationRow, type GenerationCharge } from './build-generation-row.js';
import { OpenRisks } from './engine-risks.js';
import { isRecordedRefusal } from '../refusal-records.js';

interface PricedCall {
  readonly call: ProviderCall;
  readonly judged: JudgedUsage;
  readonly money: CallCharge;
}

/** An extension that counters did not cover. */
interface RefusedExtension {
  /** Counters that refused, at least one. Amounts that this hold has taken are not counted. */
  readonly refusing: readonly HoldRefusal[];
  /** The amounts of the hold if the extension had been granted. */
  readonly amounts: HeldAmounts;
}

/** The sum over the calls of a generation. */
interface GenerationTotals {
  readonly calls: readonly PricedCall[];
  /** The usage of the answer; estimated where a provider reported none. */
  readonly usage: Usage;
  /** The usage of consulted models, which is reported separately. */
  readonly consulted: Usage;
  /** Undefined: the caller is charged nothing. */
  readonly bill: Bill | undefined;
  readonly operatorCost: PicoUsd;
  /** A call reported more than is possible, and is charged at its bound. */
  readonly isCapped: boolean;
}

/**
 * The money of one generation, from its hold to its settlement: the usage of its calls, however each ended, becomes one
 * charge and one row. Until then the hold can query the amount so far, in case this process dies.
 */
export class GenerationBilling implements GenerationObserver {
  /** The calls that have ended, by index. */
  private readonly priced: PricedCall[] = [];

  /** The highest possible cost of the running and reserved calls and tool uses, the answer's first call among them. */
  private readonly reservedAhead: HeldAmounts[];
  /** The latest extension that was refused; undefined: none was, or the hold no longer exists. */
  refused: RefusedExtension | undefined;
  /** Settles, never rejects, when the latest reservation has succeeded or failed. */
  private pendingReservation: Promise<unknown> = DONE;
  /** Made with the first purchase. */
  private openRisks: OpenRisks | undefined;
  /** The calls and uses that had ended at the latest note, and a promise that the note is durable. Never rejects. */
  private lastNote = '';
  private pendingNote = DONE;

  constructor(
    private readonly billing: BillingDependencies,
    private readonly generation: Generation,
    readonly hold: Hold,
    private readonly prompt: MeasuredPrompt,
  ) {
    hold.observe = () => this.observed();
    // The hold was taken for the first call: a model that is consulted before that call ends has no share in it.
    this.reservedAhead = [hold.bound];
  }

  /** Engine calls that may be billed: noted before the engine is called. */
  get risks(): OpenRisks {
    return (this.openRisks ??= new OpenRisks(() => this.note()));
  }

  /** Releases the reservation of a call or use, once it has ended and its usage is known. */
  release(reserved: HeldAmounts): void {
    const index = this.reservedAhead.indexOf(reserved);
    if (index !== -1) this.reservedAhead.splice(index, 1);
  }

  /**
   * Reserves more for further calls, from the same counters.
   * @param extra see `LedgerService.extend`
   * @returns whether the balance covered what is missing
   * @throws GatewayError `service-unavailable` while the ledger cannot be written
   */
  async reserve(needed: HeldAmounts, extra?: HeldAmounts): Promise<boolean> {
    const { ledger } = this.billing;
    const outcome = await ledger.extend(this.hold, needed, extra);
    if (outcome === undefined || outcome === 'gone') return outcome === undefined;
    // Settled generations count with their whole bound until they are posted: after posting, a refusal is accurate.
    await ledger.postSettled(outcome.refused);
    const again = await ledger.extend(this.hold, needed, extra);
    this.refused = again !== undefined && again !== 'gone' ? this.refusedBy(again.refused, needed) : undefined;
    return again === undefined;
  }

  /** Amounts that this hold has taken are not counted as held by others. */
  private refusedBy(refusing: readonly HoldRefusal[], needed: HeldAmounts): RefusedExtension {
    const { bound } = this.hold;
    return {
      refusing: refusing.map((counter) => ({ ...counter, held: positive(counter.held - countedBy(counter, bound)) })),
      amounts: { credits: bound.credits + needed.credits, byok: bound.byok + needed.byok },
    };
  }

  /**
   * Reserves for the next call or use, beside what was used and what else is coming. What has ended by then is noted
   * in the ledger, so that it is charged even if this process dies.
   * @returns releases the reservation after its use; undefined where the balance does not cover it
   * @throws GatewayError `service-unavailable` while the ledger cannot be written
   */
  reserveNext(next: HeldAmounts): Promise<(() => void) | undefined> {
    // Sequential: the missing amount is known only after the reservation before it.
    const made = this.pendingReservation.then(() => this.reserveAfter(next));
    this.pendingReservation = made.catch(() => undefined);
    return made;
  }

  private async reserveAfter(next: HeldAmounts): Promise<(() => void) | undefined> {
    this.reservedAhead.push(next);
    try {
      const pendingNote = this.note();
      // A step without cost does not wait for the note: the call after it does.
      const [isCovered] = await Promise.all([this.covers(next), isNothing(next) ? undefined : pendingNote]);
      if (isCovered) return () => this.release(next);
    } catch (error) {
      this.release(next);
      throw error;
    }
    this.release(next);
    return undefined;
  }

  /**
   * Whether the hold covers everything used and coming, `next` included. Where it does not, it is extended by the
   * missing amount and, where the counters have plenty left, by as much again as was used, or by twice `next` where
   * that is more. So a loop extends its hold once or twice, not for each call.
   */
  private async covers(next: HeldAmounts): Promise<boolean> {
    const { bound } = this.hold;
    // Running calls are covered by their whole bound in `coming`, the first call included.
    const used = this.costs(({ ending }) => ending !== undefined);
    const reservedAhead = { credits: 0n, byok: 0n };
    for (const { credits, byok } of this.reservedAhead) {
      reservedAhead.credits += credits;
      reservedAhead.byok += byok;
    }
    const needed = {
      credits: positive(used.credits + reservedAhead.credits - bound.credits),
      byok: positive(used.byok + reservedAhead.byok - bound.byok),
    };
    if (needed.credits === 0n && needed.byok === 0n) return true;
    return this.reserve(needed, {
      credits: needed.credits === 0n ? 0n : larger(used.credits, 2n * next.credits),
      byok: needed.byok === 0n ? 0n : larger(used.byok, 2n * next.byok),
    });
  }

  private note(): Promise<void> {
    const { calls, toolUses } = this.generation;
    const ended = `${calls.filter(({ ending }) => ending !== undefined).length} ${costOf(toolUses)} ${this.openRisks?.count ?? 0}`;
    if (ended !== this.lastNote) {
      this.lastNote = ended;
      this.pendingNote = this.billing.ledger.note(this.hold);
    }
    return this.pendingNote;
  }

  /** The cost so far. */
  get spent(): PicoUsd {
    return this.costs(() => true).credits;
  }

  /** The cost of the given runs; calls are matched by plan, because the request may be reduced for a leg. */
  spentOn(runs: readonly ModelRun[]): PicoUsd {
    let cost = 0n;
    for (const call of this.generation.calls) {
      if (runs.some(({ plan }) => plan === call.run.plan)) cost += this.priceOf(call).money.bill?.cost ?? 0n;
    }
    return cost;
  }

  /** Resolves when the ledger allows the last byte to be sent. Never rejects. */
  async ended(): Promise<void> {
    const { generation, hold } = this;
    const { ledger } = this.billing;
    try {
      if (!generation.wasCalled && !generation.hasPurchases && !isRecordedRefusal(generation))
        return ledger.release(hold);
      const priced = this.price();
      for (const { call, judged, money } of priced.calls) {
        call.money = money;
        call.charged = judged.usage;
        call.isPlausible = judged.isPlausible;
        if (call.isCallers) this.report(call, judged.usage, money);
        if (judged.excess) this.learn(call, judged.excess);
      }
      const { bound } = hold;
      if (priced.bill && generation.ending !== 'shutdown' && isBeyond(priced.bill, bound))
        await this.extend(priced.bill);
      const charged = this.charge(priced, bound);
      generation.bill = charged.bill;
      generation.charged = priced.usage;
      const isWritten = await ledger.settle(hold, this.row(priced, charged, bound));
      const paid = isWritten ? charged : this.withhold(priced, charged, bound);
      if (paid.operatorCost > 0n) this.reportLoss(priced, paid);
      this.reportSpend(priced, paid);
    } catch (error) {
      // After a bug of the gateway no hold may remain for ever.
      ledger.giveUp(hold, error);
    }
  }

  /**
   * The charge exists only in memory: a charged reply does not end as complete, and the operator bears its cost if the
   * database stores it later.
   * @returns what is charged
   */
  private withhold(priced: GenerationTotals, charged: GenerationCharge, bound: HeldAmounts): GenerationCharge {
    const { generation, hold } = this;
    const { bill, cost, operatorCost } = charged;
    const isOwed = cost > 0n || (bill?.byokCost ?? 0n) > 0n;
    if (!isOwed || generation.ending !== 'completed') return charged;
    const unpaid = bill && paidBill(bill, 0n);
    const withheld = { bill: unpaid, cost: 0n, operatorCost: operatorCost + cost, isOverBound: false };
    this.billing.ledger.keep(hold, { ...this.row(priced, withheld, bound), outcome: 'service-unavailable' });
    generation.bill = unpaid;
    generation.isUnrecorded = true;
    return withheld;
  }

  /** The settlement if this process died now; undefined while no provider or engine bills anything. */
  private observed(): Settlement | undefined {
    const { openRisks: risks, generation, hold } = this;
    const { calls, toolUses, hasPurchases } = generation;
    const isBilled = hasPurchases || risks?.areOpen === true;
    if (!isBilled && !calls.some(({ answers, isAbandoned }) => answers || isAbandoned)) return undefined;
    const priced = this.price();
    const { bill } = priced;
    const cost = bill ? smaller(bill.cost, hold.bound.credits) : 0n;
    const operatorCost = priced.operatorCost + (risks?.total ?? 0n) + (bill?.cost ?? 0n) - cost;
    const charged = { bill: bill && paidBill(bill, cost), cost, operatorCost, isOverBound: priced.isCapped };
    const row = this.row(priced, charged, hold.bound);
    if (!isBilled || !risks) return row;
    const engineCosts = [...risks.costsWith(toolUses)].map(([engine, lost]) => [engine, formatUsd(lost)] as const);
    return engineCosts.length === 0 ? row : { ...row, engine_costs: Object.fromEntries(engineCosts) };
  }

  /** The cost of the matching caller's calls and of all tool uses; computed at each step of a loop. */
  private costs(isOfThem: (call: ProviderCall) => boolean): HeldAmounts {
    let credits = costOf(this.generation.toolUses);
    let byok = 0n;
    for (const call of this.generation.calls) {
      const bill = isOfThem(call) ? this.priceOf(call).money.bill : undefined;
      credits += bill?.cost ?? 0n;
      byok += bill?.byokCost ?? 0n;
    }
    return { credits, byok };
  }

  private price(): GenerationTotals {
    const calls: PricedCall[] = [];
    let usage = NO_USAGE;
    let consulted = NO_USAGE;
    let bill: Bill | undefined;
    let operatorCost = 0n;
    let isCapped = false;
    for (const call of this.generation.calls) {
      const priced = this.priceOf(call);
      const { judged, money } = priced;
      const used = judged.usage;
      calls.push(priced);
      isCapped ||= money.isCapped === true;
      operatorCost += money.operatorCost;
      if (call.isCallers && call.run.purpose === 'answer') usage = usage === NO_USAGE ? used : addUsage(usage, used);
      else if (call.isCallers) consulted = addUsage(consulted, used);
      if (money.bill) bill = bill ? addBill(bill, money.bill) : money.bill;
    }
    const { toolUses } = this.generation;
    const bought = toolUses.length > 0 ? costOf(toolUses) : 0n;
    if (bought > 0n) bill = withTools(bought, bill);
    for (const { lost } of toolUses) operatorCost += lost;
    if (calls.length > 1 || toolUses.length > 0) usage = combinedUsage(usage, calls, toolUses);
    return { calls, usage, consulted, bill, operatorCost, isCapped };
  }

  private priceOf(call: ProviderCall): PricedCall {
    const known = this.priced[call.index];
    if (known) return known;
    const { request, prompt } = call.run;
    const judged = judgeUsage({
      reported: call.usage,
      isReportFinal: call.isReportFinal,
      request,
      prompt,
      leg: call.leg,
      estimatePrompt,
      wantsHourCache,
      outputBytes: call.outputBytes,
      ranVendorTool: call.ranVendorTool,
      citesPages: call.citesPages,
      searchCalls: call.searchCalls,
      end: !(call.answers || call.isAbandoned) ? 'lost' : call.stop ? 'whole' : 'cut',
    });
    const priced = { call, judged, money: this.chargeOf(call, judged) };
    // The price of an ended call is final, and a loop needs it at each step.
    if (call.ending !== undefined) this.priced[call.index] = priced;
    return priced;
  }

  /**
   * The caller is charged for the plausible usage of answered and abandoned calls. The operator bears failed and unused
   * calls that used its credential.
   */
  private chargeOf(call: ProviderCall, { usage, isPlausible }: JudgedUsage): CallCharge {
    const { leg, stop, isCallers, isAbandoned, usesSharedCredential } = call;
    const { prompt } = call.run;
    const isFault = call.ending !== undefined && ENDINGS[call.ending].charge === 'operator';
    // The operator loses the amount that a provider bills for a call that no caller is charged for, whatever its
    // ending.
    const isLost = usesSharedCredential && (isCallers ? isFault : usage !== NO_USAGE);
    const lost = isLost ? providerCost(usage, leg, prompt.images) : 0n;
    if (!isCallers) return { bill: undefined, isCapped: false, operatorCost: lost };
    const { fee } = this.billing;
    const uncapped = billOf(usage, leg, { stop, inFault: isFault, isAbandoned }, prompt.images, fee);
    const bill = isPlausible ? uncapped : cappedBill(uncapped, billBound(prompt, leg, fee));
    const isCapped = bill !== uncapped;
    return {
      bill,
      isCapped,
      operatorCost: lost + (usesSharedCredential ? uncapped.cost - bill.cost + bill.beyondPlan : 0n),
    };
  }

  /** @param bound the held amounts before the extension at settlement */
  private charge({ bill, operatorCost, isCapped }: GenerationTotals, bound: HeldAmounts): GenerationCharge {
    if (!bill) return { bill, cost: 0n, operatorCost, isOverBound: false };
    // A caller that the gateway's own stop cut off has to repeat the request: the completed calls and tools gave it no
    // result.
    if (this.generation.ending === 'shutdown')
      return { bill: paidBill(bill, 0n), cost: 0n, operatorCost: operatorCost + bill.cost, isOverBound: false };
    const cost = smaller(bill.cost, this.hold.bound.credits);
    return {
      bill: paidBill(bill, cost),
      cost,
      operatorCost: operatorCost + bill.cost - cost,
      isOverBound: isCapped || isBeyond(bill, bound),
    };
  }

  /** Takes the missing amount up to the remaining balance of every counter. */
  private async extend({ cost, byokCost }: Bill): Promise<void> {
    const { ledger, metrics } = this.billing;
    const { credits, byok } = this.hold.bound;
    const needed = { credits: positive(cost - credits), byok: positive(byokCost - byok) };
    metrics.ledgerEvent('over_bound');
    try {
      const outcome = await ledger.extend(this.hold, needed);
      if (outcome === undefined || outcome === 'gone') return;
      const { refused } = outcome;
      const remaining = refused.map(remainingOf).reduce(smaller);
      if (
        remaining <= 0n ||
        needed.credits === 0n ||
        refused.every((counter) => countedBy(counter, needed) <= remaining)
      )
        return;
      await ledger.extend(this.hold, { credits: smaller(remaining, needed.credits), byok: 0n });
    } catch (error) {
      // The ledger is unavailable: the operator bears the rest.
      if (!(error instanceof GatewayError)) throw error;
    }
  }

  private report({ stop, leg }: ProviderCall, usage: Usage, { bill, isCapped }: CallCharge): void {
    const { metrics } = this.billing;
    if (isCapped) metrics.ledgerEvent('implausible');
    if (usage.estimated) metrics.ledgerEvent('estimated');
    const isZero = bill?.list.total === 0n && (usage.inputTokens ?? 0) === 0;
    if (stop && leg.endpoint.pricing !== null && isZero) metrics.ledgerEvent('zero_usage');
  }

  /** Later calls at this endpoint are held for as much as this one used. */
  private learn({ leg }: ProviderCall, excess: Widening): void {
    const { bounds, metrics } = this.billing;
    bounds.exceeded(leg, excess, this.generation.caller.keyHash);
    metrics.ledgerEvent('widened');
  }

  /** Reports the loss of each call, and the amount that no counter covered at the provider that answered. */
  private reportLoss({ calls, operatorCost }: GenerationTotals, charged: GenerationCharge): void {
    const { metrics } = this.billing;
    const { toolUses, recorded } = this.generation;
    const report = (leg: Leg, amount: PicoUsd): void =>
      metrics.operatorCost(leg.endpoint.provider.slug, usdNumber(amount));
    for (const { call, money } of calls) report(call.leg, money.operatorCost);
    for (const { engine, lost } of toolUses) if (engine && lost > 0n) metrics.engineCost(engine, usdNumber(lost));
    const leg = (recorded ?? calls.at(-1)?.call)?.leg;
    const rest = charged.operatorCost - operatorCost;
    if (leg) report(leg, rest);
    else if (rest > 0n) metrics.engineCost(toolUses.find(({ engine }) => engine)?.engine ?? 'gateway', usdNumber(rest));
  }

  /** Reports what callers pay for each call; the answering call without the amount that no counter covered. */
  private reportSpend({ calls, bill }: GenerationTotals, { cost }: GenerationCharge): void {
    if (!bill) return;
    const needed = bill.cost - cost;
    const { recorded } = this.generation;
    for (const { call, money } of calls) {
      if (!money.bill) continue;
      const paid = money.bill.cost - (call === recorded ? needed : 0n);
      const { model, endpoint } = call.leg;
      this.billing.metrics.spent({ provider: endpoint.provider.slug, model: model.id }, usdNumber(paid));
    }
  }

  /** @param bound see `charge` */
  private row({ usage, consulted }: GenerationTotals, charged: GenerationCharge, bound: HeldAmounts): Settlement {
    const { generation, hold, prompt, billing } = this;
    const pricing = (charged.bill?.rate ?? generation.recorded?.leg)?.endpoint.pricing;
    return buildGenerationRow(generation, {
      hold,
      bound,
      usage: consulted === NO_USAGE ? usage : addUsage(consulted, usage),
      charged,
      images: prompt.images,
      settledAt: billing.clock.now(),
      priceVersion: pricing ? billing.prices.versionOf(pricing) : null,
    });
  }
}

const DONE = Promise.resolve();

/** For requests whose providers did not report their prompt: running calls are priced at each heartbeat. */
const estimates = new WeakMap<ModelRequest, number>();

function estimatePrompt(request: ModelRequest): number {
  let tokens = estimates.get(request);
  if (tokens === undefined) estimates.set(request, (tokens = estimateInputTokens(request)));
  return tokens;
}

const isBeyond = ({ cost, byokCost }: Bill, { credits, byok }: HeldAmounts): boolean =>
  cost > credits || byokCost > byok;

const costOf = (uses: readonly ToolUseRecord[]): PicoUsd => uses.reduce((sum, { cost }) => sum + cost, 0n);

/** The usage of a generation with several calls, each as an iteration; unchanged where there was only one. */
function combinedUsage(usage: Usage, calls: readonly PricedCall[], uses: readonly ToolUseRecord[]): Usage {
  const own = calls.filter(({ call }) => call.isCallers);
  if (own.length <= 1 && uses.length === 0) return usage;
  const iterations = own.flatMap(({ call: { run, leg }, judged: { usage: used } }) => [
    ...(used.iterations ?? [iterationOf(used, run.purpose === 'answer' ? 'message' : run.purpose, leg.model.id)]),
  ]);
  const { extras: _ofOneCall, ...sum } = usage;
  const searches = uses.filter(({ web }) => web?.kind === 'search').length;
  const fetches = uses.filter(({ web }) => web?.kind === 'fetch').length;
  const byVendors = (usage.webSearchRequests ?? 0) + (usage.webFetchRequests ?? 0);
  const called = uses.filter(({ isOfPlugin }) => isOfPlugin !== true);
  const refused = called.filter(({ refusal }) => refusal !== undefined).length;
  const requested = byVendors + called.length;
  return {
    ...sum,
    iterations,
    toolCalls: { requested, executed: requested - refused },
    ...(searches > 0 && { webSearchRequests: (usage.webSearchRequests ?? 0) + searches }),
    ...(fetches > 0 && { webFetchRequests: (usage.webFetchRequests ?? 0) + fetches }),
  };
}

const isNothing = ({ credits, byok }: HeldAmounts): boolean => credits === 0n && byok === 0n;
const positive = (amount: PicoUsd): PicoUsd => (amount > 0n ? amount : 0n);
const larger = (one: PicoUsd, other: PicoUsd): PicoUsd => (one > other ? one : other);
const smaller = (one: PicoUsd, other: PicoUsd): PicoUsd => (one < other ? one : other);
