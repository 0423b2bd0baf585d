import { GatewayError } from '../core/errors.js';
import { ENDINGS } from '../core/generation/ending.js';
import type { Generation, GenerationObserver, ToolUseRecord } from '../core/generation/generation.js';
import type { ModelRun } from '../core/generation/model-run.js';
import type { CallCharge, ProviderCall } from '../core/generation/provider-call.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { addUsage, iterationOf, NO_USAGE, type Usage } from '../core/conversation/usage.js';
import { addBill, billBound, billOf, cappedBill, paidBill, withTools, type Bill } from '../core/money/bill.js';
import { wantsHourCache } from '../core/conversation/wants-hour-cache.js';
import { usdNumber, type PicoUsd } from '../core/money/credits.js';
import { estimateInputTokens } from '../core/money/estimate.js';
import { judgeUsage, type JudgedUsage } from '../core/money/judge-usage.js';
import type { MeasuredPrompt } from '../core/money/measure-prompt.js';
import { askedCost } from '../core/money/charged-rate.js';
import type { Widening } from '../core/money/widening.js';
import type { Leg } from '../core/routing/plan.js';
import { countedBy, remainingOf, type HeldAmounts, type Hold, type HoldRefusal } from '../ledger/hold.js';
import type { Settlement } from '../ledger/settlement.js';
import type { BillingService } from './billing.service.js';
import { buildGenerationRow, type Charged } from './build-generation-row.js';
import { isRecordedRefusal } from './refusal-records.js';

interface PricedCall {
  readonly call: ProviderCall;
  readonly judged: JudgedUsage;
  readonly money: CallCharge;
}

/** What the calls of a generation come to together. */
interface Priced {
  readonly calls: readonly PricedCall[];
  /** Of what the caller was answered; estimated where a provider did not tell. */
  readonly usage: Usage;
  /** Of the models that were consulted on the way, which is told beside that. */
  readonly consulted: Usage;
  /** Undefined where nothing is the caller's. */
  readonly bill: Bill | undefined;
  readonly operatorCost: PicoUsd;
  /** One of them told what cannot be, and is charged at its bound. */
  readonly isCapped: boolean;
}

/**
 * The money of one generation, from its hold to its settlement: what its calls used, whatever way each ended, becomes
 * one charge and one row. Tells the hold what it has come to meanwhile, should this process die.
 */
export class GenerationBilling implements GenerationObserver {
  /** Of the calls that have ended, by their index. */
  private readonly priced: PricedCall[] = [];

  /** What calls and uses of tools may come to that are under way or to come, the answer's first call among them. */
  private readonly coming: HeldAmounts[];
  /** The counters that had no room when it was last wanted in vain; empty where the hold stands no more. */
  refusing: readonly HoldRefusal[] = [];
  /** Settles, never rejects, when room was last made, or there was none. */
  private making: Promise<unknown> = DONE;
  /** What had ended when that was last written down, and when nobody can lose it. Never rejects. */
  private noted = '';
  private noting = DONE;

  constructor(
    private readonly billing: BillingService,
    private readonly generation: Generation,
    readonly hold: Hold,
    private readonly prompt: MeasuredPrompt,
  ) {
    hold.observe = () => this.observed();
    // What is held was taken for the first call: whoever is consulted before it has ended has no part of that.
    this.coming = [hold.bound];
  }

  /** Lets go of what was kept for a call or a use, once: it has ended, and what it used is known. */
  release(room: HeldAmounts): void {
    const place = this.coming.indexOf(room);
    if (place !== -1) this.coming.splice(place, 1);
  }

  /**
   * Reserves more for further calls, from the same counters.
   * @param ahead as of `LedgerService.extend`
   * @returns whether there was room for what is missing
   * @throws GatewayError `unavailable` while the ledger cannot be written
   */
  async reserve(missing: HeldAmounts, ahead?: HeldAmounts): Promise<boolean> {
    const { ledger } = this.billing;
    const outcome = await ledger.extend(this.hold, missing, ahead);
    if (outcome === undefined || outcome === 'gone') return outcome === undefined;
    // What others have settled still counts with its whole bound until it is posted: a refusal is true.
    await ledger.postSettled(outcome.refused);
    const again = await ledger.extend(this.hold, missing, ahead);
    this.refusing = again !== undefined && again !== 'gone' ? again.refused : [];
    return again === undefined;
  }

  /**
   * Has room for what comes next, beside what was used so far and what else is to come. What has ended by then is
   * written down, so that it is charged whatever becomes of this process.
   * @returns lets go of that room, when it has been used; undefined where there is none
   * @throws GatewayError `unavailable` while the ledger cannot be written
   */
  makeRoom(next: HeldAmounts): Promise<(() => void) | undefined> {
    // One after the other: what is missing is known when the one before has what it asked for.
    const made = this.making.then(() => this.makeRoomNext(next));
    this.making = made.catch(() => undefined);
    return made;
  }

  private async makeRoomNext(next: HeldAmounts): Promise<(() => void) | undefined> {
    this.coming.push(next);
    try {
      const noting = this.note();
      // What costs nothing waits for nothing: the call behind it will.
      const [isCovered] = await Promise.all([this.covers(next), isNothing(next) ? undefined : noting]);
      if (isCovered) return () => this.release(next);
    } catch (error) {
      this.release(next);
      throw error;
    }
    this.release(next);
    return undefined;
  }

  /**
   * Whether the hold covers all that was used and is to come, `next` among it, extended where it does not yet: by what
   * is missing and, where counters keep plenty free, by as much again as was used, or twice what is next where that is
   * more. A loop then asks the ledger once or twice, not for each of its calls.
   */
  private async covers(next: HeldAmounts): Promise<boolean> {
    const { bound } = this.hold;
    // What is under way has its whole room in what is coming, the first call as well.
    const used = this.costs(({ ending }) => ending !== undefined);
    const coming = { credits: 0n, byok: 0n };
    for (const { credits, byok } of this.coming) {
      coming.credits += credits;
      coming.byok += byok;
    }
    const missing = {
      credits: positive(used.credits + coming.credits - bound.credits),
      byok: positive(used.byok + coming.byok - bound.byok),
    };
    if (missing.credits === 0n && missing.byok === 0n) return true;
    return this.reserve(missing, {
      credits: missing.credits === 0n ? 0n : larger(used.credits, 2n * next.credits),
      byok: missing.byok === 0n ? 0n : larger(used.byok, 2n * next.byok),
    });
  }

  private note(): Promise<void> {
    const { calls, toolUses } = this.generation;
    const ended = `${calls.filter(({ ending }) => ending !== undefined).length} ${costOf(toolUses)}`;
    if (ended !== this.noted) {
      this.noted = ended;
      this.noting = this.billing.ledger.note(this.hold);
    }
    return this.noting;
  }

  /** What it has come to so far. */
  get spent(): PicoUsd {
    return this.costs(() => true).credits;
  }

  /** What of that further runs of models came to; calls are known by their plan, for a leg may be asked less. */
  spentOn(runs: readonly ModelRun[]): PicoUsd {
    let cost = 0n;
    for (const call of this.generation.calls) {
      if (runs.some(({ plan }) => plan === call.run.plan)) cost += this.priceOf(call).money.bill?.cost ?? 0n;
    }
    return cost;
  }

  /** Resolves when the ledger says that the last byte may go. Never rejects. */
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
      // A fault of ours must leave no hold that stands for ever.
      ledger.giveUp(hold, error);
    }
  }

  /**
   * The charge stands nowhere but in memory: a reply that is charged does not come to its end, and its cost is the
   * operator's, should the database take it later.
   * @returns what is charged
   */
  private withhold(priced: Priced, charged: Charged, bound: HeldAmounts): Charged {
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

  /** What it would be settled with, were this process to die at this moment; undefined while nobody bills anything. */
  private observed(): Settlement | undefined {
    const { calls, hasPurchases } = this.generation;
    if (!hasPurchases && !calls.some(({ answers, isAbandoned }) => answers || isAbandoned)) return undefined;
    const priced = this.price();
    const { bill } = priced;
    const cost = bill ? smaller(bill.cost, this.hold.bound.credits) : 0n;
    const operatorCost = priced.operatorCost + (bill?.cost ?? 0n) - cost;
    return this.row(
      priced,
      { bill: bill && paidBill(bill, cost), cost, operatorCost, isOverBound: priced.isCapped },
      this.hold.bound,
    );
  }

  /** What the caller's calls among those, and uses of tools, come to; asked for at each step of a loop. */
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

  private price(): Priced {
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
    if (calls.length > 1 || toolUses.length > 0) usage = behindOne(usage, calls, toolUses);
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
    // What has ended comes to nothing else, and a loop asks for it again at each of its steps.
    if (call.ending !== undefined) this.priced[call.index] = priced;
    return priced;
  }

  /**
   * What was answered, or left by the caller, is the caller's, as far as it can be; what failed, or did not serve, is
   * the operator's where his credential was used.
   */
  private chargeOf(call: ProviderCall, { usage, isPlausible }: JudgedUsage): CallCharge {
    const { leg, stop, isCallers, isAbandoned, isShared } = call;
    const { prompt } = call.run;
    const isFault = call.ending !== undefined && ENDINGS[call.ending].charge === 'operator';
    // Whatever ended a call that nobody pays for, what its provider bills of it is lost.
    const isLost = isShared && (isCallers ? isFault : usage !== NO_USAGE);
    const lost = isLost ? askedCost(usage, leg, prompt.images) : 0n;
    if (!isCallers) return { bill: undefined, isCapped: false, operatorCost: lost };
    const { fee } = this.billing;
    const told = billOf(usage, leg, { stop, inFault: isFault, isAbandoned }, prompt.images, fee);
    const bill = isPlausible ? told : cappedBill(told, billBound(prompt, leg, fee));
    const isCapped = bill !== told;
    return { bill, isCapped, operatorCost: lost + (isShared ? told.cost - bill.cost + bill.beyondPlan : 0n) };
  }

  /** @param bound as it was held before settling took more */
  private charge({ bill, operatorCost, isCapped }: Priced, bound: HeldAmounts): Charged {
    if (!bill) return { bill, cost: 0n, operatorCost, isOverBound: false };
    // Who is cut off by our own stop asks anew: the calls and tools of a loop that had ended brought him nothing.
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
      const room = refused.map(remainingOf).reduce(smaller);
      if (room <= 0n || missing.credits === 0n || refused.every((one) => countedBy(one, missing) <= room)) return;
      await ledger.extend(this.hold, { credits: smaller(room, missing.credits), byok: 0n });
    } catch (error) {
      // The ledger is away: the rest is the operator's.
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

  /** Later calls at this endpoint are held for what this one came to. */
  private learn({ leg }: ProviderCall, excess: Widening): void {
    const { bounds, metrics } = this.billing;
    bounds.exceeded(leg, excess, this.generation.caller.keyHash);
    metrics.ledgerEvent('widened');
  }

  /** Each call's own, and what no counter had room for at whoever answered. */
  private reportLoss({ calls, operatorCost }: Priced, charged: Charged): void {
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

  /** What callers pay for each call: of whoever answered, without what no counter had room for. */
  private reportSpend({ calls, bill }: Priced, { cost }: Charged): void {
    if (!bill) return;
    const missing = bill.cost - cost;
    const { recorded } = this.generation;
    for (const { call, money } of calls) {
      if (!money.bill) continue;
      const paid = money.bill.cost - (call === recorded ? missing : 0n);
      const { model, endpoint } = call.leg;
      this.billing.metrics.spent({ provider: endpoint.provider.slug, model: model.id }, usdNumber(paid));
    }
  }

  /** @param bound as `charge` */
  private row({ usage, consulted }: Priced, charged: Charged, bound: HeldAmounts): Settlement {
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

/** Of requests whose calls' providers did not report their prompt: what is under way is asked for at each beat. */
const estimates = new WeakMap<ModelRequest, number>();

function estimatePrompt(request: ModelRequest): number {
  let tokens = estimates.get(request);
  if (tokens === undefined) estimates.set(request, (tokens = estimateInputTokens(request)));
  return tokens;
}

const isBeyond = ({ cost, byokCost }: Bill, { credits, byok }: HeldAmounts): boolean =>
  cost > credits || byokCost > byok;

const costOf = (uses: readonly ToolUseRecord[]): PicoUsd => uses.reduce((sum, { cost }) => sum + cost, 0n);

/** The usage of a generation of several calls, each an iteration of it; as it is where there was one alone. */
function behindOne(usage: Usage, calls: readonly PricedCall[], uses: readonly ToolUseRecord[]): Usage {
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
