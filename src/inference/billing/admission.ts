import { Injectable } from '@nestjs/common';
import type { Caller } from '../../core/caller.js';
import type { BudgetSubject } from '../../accounts/budget-subjects.js';
import type { CancelSignal } from '../../core/cancellation.js';
import { GatewayError } from '../../core/errors.js';
import type { ModelRequest } from '../../core/conversation/request.js';
import type { Generation } from '../../core/generation/generation.js';
import type { ProviderCall } from '../../core/generation/provider-call.js';
import type { GenerationId } from '../../core/ids.js';
import { billBound, isFreeVariant } from '../../core/money/bill.js';
import { PICO_PER_USD, type PicoUsd } from '../../core/money/credits.js';
import {
  FRAME_TOKENS,
  listPdfs,
  measurePrompt,
  withPdfSizes,
  type MeasuredPrompt,
} from '../../core/money/measure-prompt.js';
import { SHARED_CREDENTIAL } from '../../core/routing/credential.js';
import type { Exclusion, Leg, Plan, PlannedLeg } from '../../core/routing/plan.js';
import { Clock, DAY_MS, windowStart, type Interval } from '../../core/time.js';
import {
  countedBy,
  remainingOf,
  type HeldAmounts,
  type Hold,
  type HoldOutcome,
  type HoldRefusal,
  type HoldRequest,
} from '../../ledger/hold.js';
import { LedgerService } from '../../ledger/ledger.service.js';
import { FreeVariantsGate, freeDayError, type FreeRequestCount } from '../../rate-limits/free-variants-gate.js';
import { isLimitedCaller, KeyGate } from '../../rate-limits/key-gate.js';
import { ModelGate } from '../../rate-limits/model-gate.js';
import type { LimitSlot } from '../../rate-limits/limit-slot.js';
import type { ModelLimiter } from '../../routing/plan-runner.js';
import {
  affordableAtRest,
  affordableTogether,
  isAffordable,
  mostExpensive,
  type PricedLeg,
} from './affordable-legs.js';
import { BillingDependencies } from './billing-dependencies.js';
import type { FreeCounting } from './reserved-free-requests.js';
import { budgetsLeft, type BudgetLeft } from '../../ledger/budgets-left.js';
import { FreeRequest } from './free-request.js';
import { GenerationBilling } from './generation-billing.js';
import { holdError } from './hold-error.js';
import { KeyRate, mostTokens } from './key-rate.js';
import { GenerationModelSlots } from '../model-slots.js';
import { PdfCounter } from '../pdf/pdf-counter.js';

/**
 * Attempts to take a hold for one request: three plans (as planned, and twice with fewer legs), each before and after
 * counters are posted.
 */
const TRIES_MAX = 6;

/** The request to pay for, and the counters that pay. */
export interface AdmissionInputs {
  readonly request: ModelRequest;
  readonly caller: Caller;
  /** Budgets of guardrails. */
  readonly guardrails: readonly string[];
  /** Users, members and tags with budgets. */
  readonly subjects: readonly BudgetSubject[];
}

/** An admitted request. */
export interface Admitted {
  /** The plan without the legs that cannot be paid for. */
  readonly plan: Plan;
  readonly prompt: MeasuredPrompt;
  /** Reserves more for further calls. */
  readonly billing: GenerationBilling;
  /** Whether models with limits may be called. */
  readonly modelLimiter: ModelLimiter;
  /** Takes the share of further calls from the limits of its key; undefined: it has none. */
  readonly keyRate: KeyRate | undefined;
  /** Releases the reservation of the first call, after it has ended and its usage is known. */
  readonly release: () => void;
}

/** The hold to take for a plan. */
interface Reservation extends AdmissionInputs {
  readonly id: GenerationId;
  readonly plan: Plan;
  readonly prompt: MeasuredPrompt;
  readonly legs: readonly PricedLeg[];
}

/** Counters whose remaining balance is below the requested amounts. */
type RefusedCounters = Extract<HoldOutcome, { readonly refused: unknown }>['refused'];

/** A hold, and the legs that it covers. */
interface ReservedHold {
  readonly hold: Hold;
  readonly legs: readonly PricedLeg[];
}

/** The counted limits that it uses besides the hold. */
interface EnteredLimits extends ReservedHold {
  /** Absent where none of the legs is free. */
  readonly freeRequest?: FreeRequest;
  /** Slot in the rate limits of the key; absent if the key has no limits. */
  readonly keySlot?: LimitSlot;
}

/** The decision of admission about a leg at this moment. */
export interface LegForecast {
  readonly bound: HeldAmounts;
  /** The first counter without enough balance for it; absent: it would be admitted. */
  readonly refused?: {
    readonly counter: string;
    readonly interval: Interval;
    readonly limit: PicoUsd;
    readonly left: PicoUsd;
  };
}

/**
 * Admits requests: reserves the highest cost of a plan, counts free requests, and takes from the limits of the key. The
 * plan runner takes from the limits of models, for each leg.
 */
@Injectable()
export class Admission {
  private readonly modelLimiter: ModelLimiter;

  constructor(
    private readonly ledger: LedgerService,
    private readonly billing: BillingDependencies,
    private readonly keyGate: KeyGate,
    private readonly freeGate: FreeVariantsGate,
    models: ModelGate,
    private readonly pdfs: PdfCounter,
    private readonly clock: Clock,
  ) {
    this.modelLimiter = new GenerationModelSlots(models);
  }

  /** The highest cost of a call of each leg, which is shown to the caller and held. */
  price(prompt: MeasuredPrompt, leg: Leg): HeldAmounts {
    const { cost, byokCost } = billBound(prompt, leg, this.billing.fee);
    return { credits: cost, byok: byokCost };
  }

  /** Whether each leg alone would be admitted now. Takes nothing, and does not check counted limits. */
  async forecast(
    plan: Plan,
    { request, caller, guardrails, subjects }: AdmissionInputs,
  ): Promise<ReadonlyMap<Leg, LegForecast>> {
    const prompt = await this.measure(request);
    const counters = await this.ledger.listCounters(caller, guardrails, subjects);
    return new Map(
      plan.legs.map((leg): [Leg, LegForecast] => {
        const bound = this.price(prompt, leg);
        const refused = counters.find((counter) => !isAffordable(counter, { leg, amounts: bound }));
        return [leg, { bound, ...(refused && { refused: viewRefusal(refused) }) }];
      }),
    );
  }

  /** The remaining amounts of the budgets of users, members and tags, for a request. */
  async listBudgets({ caller, guardrails, subjects }: AdmissionInputs): Promise<readonly BudgetLeft[]> {
    return subjects.length === 0 ? [] : budgetsLeft(await this.ledger.listCounters(caller, guardrails, subjects));
  }

  /**
   * Takes the hold for a generation's plan before anything is sent upstream. A leg that the balance does not cover is
   * left out; the others keep their order. From here on the generation is billed.
   * @throws GatewayError 402 or 403 when no leg can be paid for, 429 past the limits of the key or the free requests,
   *   503 while the ledger cannot be written
   */
  async admit(generation: Generation, payer: AdmissionInputs, signal: CancelSignal): Promise<Admitted> {
    const measured = this.measure(payer.request);
    // Avoids an await when the result is synchronous.
    const prompt = measured instanceof Promise ? await measured : measured;
    const { id, plan: planned } = generation;
    const { caller, guardrails, subjects } = payer;
    const legs: PricedLeg[] = [];
    for (const leg of planned!.legs) {
      const { cost, byokCost } = billBound(prompt, leg, this.billing.fee);
      legs.push({ leg, amounts: { credits: cost, byok: byokCost } });
    }
    const reservation: Reservation = {
      id,
      request: payer.request,
      caller,
      guardrails,
      subjects,
      plan: planned!,
      prompt,
      legs,
    };
    const outcome = await this.ledger.hold(this.holdFor(reservation, legs), signal);
    const reserved =
      'granted' in outcome
        ? { hold: outcome.granted, legs }
        : await this.reserveLess(reservation, outcome.refused, signal);
    const { hold } = reserved;
    const isCounted = caller.rateLimits !== undefined || hold.request.isFree;
    const entered: EnteredLimits = isCounted ? await this.enter(reserved, prompt) : reserved;
    const billing = new GenerationBilling(this.billing, generation, hold, prompt);
    generation.observe(billing);
    if (entered.freeRequest) generation.observe(entered.freeRequest);
    const keyRate = entered.keySlot && this.keyRateOf(generation, entered.keySlot);
    const plan =
      entered.legs.length === planned!.legs.length
        ? planned!
        : withLegs(
            planned!,
            entered.legs.map(({ leg }) => leg),
          );
    generation.held(plan);
    const { bound } = hold;
    const release = (): void => billing.release(bound);
    return { plan, prompt, billing, modelLimiter: this.modelLimiter, keyRate, release };
  }

  /** The highest cost of a call of any of these legs. */
  mostOf(prompt: MeasuredPrompt, legs: readonly PlannedLeg[]): HeldAmounts {
    return mostExpensive(legs.map((leg): PricedLeg => ({ leg, amounts: this.price(prompt, leg) })));
  }

  /** The size of a request. */
  measure(request: ModelRequest): MeasuredPrompt | Promise<MeasuredPrompt> {
    const prompt = measurePrompt(request);
    // The number of pages has no effect where the context bounds the prompt.
    if (prompt.documents === 0 || prompt.fillsContext) return prompt;
    return this.pdfs.measure(listPdfs(request)).then((sizes) => withPdfSizes(prompt, sizes));
  }

  /** The free requests of models that are consulted, each of which counts. */
  countingFree(hold: Hold): FreeCounting {
    return {
      count: () => this.countConsulted(hold),
      giveBack: (freeCount) => {
        freeCount.giveBack();
        return this.ledger.uncountFree(hold);
      },
    };
  }

  /** @param includes whether a call belongs to it */
  freeRequest(hold: Hold, freeCount: FreeRequestCount, includes: (call: ProviderCall) => boolean): FreeRequest {
    return new FreeRequest(this.ledger, hold, freeCount, includes);
  }

  /** Counts towards the free requests of the day and of the minute. @throws GatewayError `rate-limited` */
  private async countConsulted(hold: Hold): Promise<FreeRequestCount> {
    const { caller } = hold.request;
    const outcome = await this.ledger.countFree(hold, this.freeGate.hasContention(caller));
    if (outcome !== undefined) {
      const refused = outcome === 'gone' ? undefined : outcome.refused.find((counter) => !isPostable(counter));
      throw refused ? this.freeDayRefusal(refused, caller) : noLongerHeld();
    }
    try {
      return await this.freeGate.enter(caller);
    } catch (error) {
      await this.ledger.uncountFree(hold);
      throw error;
    }
  }

  private holdFor({ id, caller, guardrails, subjects, plan }: Reservation, legs: readonly PricedLeg[]): HoldRequest {
    let isFree = false;
    for (const { leg } of legs) if (isFreeVariant(leg)) isFree = true;
    return {
      id,
      caller,
      guardrails,
      subjects,
      model: legs[0]?.leg.model.id ?? plan.requested,
      bound: legs.length === 1 ? legs[0]!.amounts : mostExpensive(legs),
      isFree,
      hasContention: isFree && this.freeGate.hasContention(caller),
    };
  }

  /**
   * Reserves less than the whole plan, after the hold for that was refused.
   * @throws GatewayError if no leg can be paid for
   */
  private async reserveLess(
    reservation: Reservation,
    refused: RefusedCounters,
    signal: CancelSignal,
  ): Promise<ReservedHold> {
    let possible = reservation.legs;
    let counters = withLatest([], refused);
    let isPosted = false;
    for (let tries = 1; ; tries++) {
      let chosen = affordableTogether(possible, counters);
      const atRest = affordableAtRest(possible, counters);
      const postable = counters.filter(isPostable);
      if (!isPosted && postable.length > 0 && (chosen.length === 0 || chosen.length < atRest.length)) {
        await this.ledger.postSettled(postable);
        if (atRest.length > 0) possible = atRest;
        [chosen, counters, isPosted] = [possible, [], true];
      } else {
        if (chosen.length === 0 || tries >= TRIES_MAX) throw this.refusalOf(counters, possible, reservation);
        // The figures may have changed before the narrower hold: if it is refused, they are posted again.
        isPosted = false;
      }
      const outcome = await this.ledger.hold(this.holdFor(reservation, chosen), signal);
      if ('granted' in outcome) return { hold: outcome.granted, legs: chosen };
      counters = withLatest(counters, outcome.refused);
    }
  }

  /** The error names the leg that is closest to being affordable, and the counters that refuse it. */
  private refusalOf(
    counters: readonly HoldRefusal[],
    legs: readonly PricedLeg[],
    { prompt, caller, request: { fieldNames } }: Reservation,
  ): GatewayError {
    const nearest = nearestOf(legs, counters[0]);
    const refusing = counters.filter((counter) => !nearest || !isAffordable(counter, nearest));
    const reported = refusing.length > 0 ? refusing : counters;
    const money = reported.filter(isPostable);
    if (money.length > 0) {
      const needed = nearest && { ...nearest, prompt, price: (size: MeasuredPrompt) => this.price(size, nearest.leg) };
      return holdError(money, needed, fieldNames);
    }
    return this.freeDayRefusal(reported[0]!, caller);
  }

  private freeDayRefusal(refused: HoldRefusal, caller: Caller): GatewayError {
    const limit = Number(refused.limit / PICO_PER_USD);
    const isShare = refused.scopeId === caller.keyHash;
    return freeDayError({ limit, isShare, resetAtMs: windowStart('daily', this.clock.now()).getTime() + DAY_MS });
  }

  private keyRateOf(generation: Generation, slot: LimitSlot): KeyRate | undefined {
    const { caller } = generation;
    if (!isLimitedCaller(caller)) return undefined;
    const keyRate = new KeyRate(this.keyGate, generation, caller, slot);
    generation.observe(keyRate);
    return keyRate;
  }

  /**
   * Counted limits are checked after the money: a request that they refuse is not admitted, and its hold is withdrawn.
   */
  private async enter({ hold, legs }: ReservedHold, prompt: MeasuredPrompt): Promise<EnteredLimits> {
    const { caller, id } = hold.request;
    if (!isLimitedCaller(caller)) return this.enterFree(hold, legs);
    const tokens = mostTokens(
      legs.map(({ leg }) => leg),
      prompt,
    );
    let keySlot: LimitSlot;
    try {
      keySlot = await this.keyGate.enter(caller, id, tokens);
    } catch (error) {
      await this.ledger.withdraw(hold);
      throw error;
    }
    try {
      return { ...(await this.enterFree(hold, legs)), keySlot };
    } catch (error) {
      keySlot.release(0);
      throw error;
    }
  }

  private async enterFree(hold: Hold, legs: readonly PricedLeg[]): Promise<EnteredLimits> {
    if (!hold.request.isFree) return { hold, legs };
    try {
      const freeCount = await this.freeGate.enter(hold.request.caller);
      return { hold, legs, freeRequest: new FreeRequest(this.ledger, hold, freeCount, isAnswer) };
    } catch (error) {
      // The request was not admitted as a free one, so it does not count as one.
      const paid = legs.filter(({ leg }) => !isFreeVariant(leg));
      if (paid.length === 0) {
        await this.ledger.withdraw(hold);
        throw error;
      }
      await this.ledger.uncountFree(hold);
      return { hold, legs: paid };
    }
  }
}

/** The prompt with one more message of so many tokens. */
export const withMoreTokens = (prompt: MeasuredPrompt, tokens: number): MeasuredPrompt =>
  tokens > 0 ? { ...prompt, textTokens: prompt.textTokens + FRAME_TOKENS + tokens } : prompt;

const viewRefusal = (refused: HoldRefusal): NonNullable<LegForecast['refused']> => ({
  counter: refused.scope,
  interval: refused.interval,
  limit: refused.limit,
  left: remainingOf(refused),
});

/** The caller's own request, in however many steps it is answered. */
const isAnswer = ({ run }: ProviderCall): boolean => run.purpose === 'answer';

const noLongerHeld = (): GatewayError =>
  new GatewayError('service-unavailable', 'The reservation for this request has ended meanwhile; send it again.');

/** Counters of requests have nothing to post. */
const isPostable = ({ scope }: HoldRefusal): boolean => scope !== 'free_requests';

/** The known counters, each with its latest figures. */
function withLatest(known: readonly HoldRefusal[], latest: readonly HoldRefusal[]): readonly HoldRefusal[] {
  const isLatest = ({ scope, scopeId, interval }: HoldRefusal): boolean =>
    latest.some((counter) => counter.scope === scope && counter.scopeId === scopeId && counter.interval === interval);
  return [...latest, ...known.filter((counter) => !isLatest(counter))];
}

/** The leg that needs the least of a counter. */
function nearestOf(legs: readonly PricedLeg[], counter: HoldRefusal | undefined): PricedLeg | undefined {
  let nearest = legs[0];
  for (const priced of legs) {
    if (counter && nearest && countedBy(counter, priced.amounts) < countedBy(counter, nearest.amounts))
      nearest = priced;
  }
  return nearest;
}

/** The plan with some of its legs. */
export function withLegs(plan: Plan, legs: readonly PlannedLeg[]): Plan {
  if (legs.length === plan.legs.length) return plan;
  const kept = new Set(legs);
  const excluded = plan.legs.filter((leg) => !kept.has(leg)).map(unaffordable);
  return { ...plan, legs, excluded: [...plan.excluded, ...excluded] };
}

const unaffordable = ({ model, tag, endpoint, credential }: PlannedLeg): Exclusion => ({
  model: model.id,
  tag,
  provider: endpoint.provider.name,
  ...(credential !== SHARED_CREDENTIAL && { credential }),
  reason: 'unaffordable',
});
