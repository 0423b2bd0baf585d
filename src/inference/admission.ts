import { Injectable } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import type { CancelSignal } from '../core/cancellation.js';
import { GatewayError } from '../core/errors.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { Generation } from '../core/generation/generation.js';
import type { ProviderCall } from '../core/generation/provider-call.js';
import type { GenerationId } from '../core/ids.js';
import { billBound, isFreeVariant } from '../core/money/bill.js';
import { PICO_PER_USD, type PicoUsd } from '../core/money/credits.js';
import {
  FRAME_TOKENS,
  listPdfs,
  measurePrompt,
  withPdfSizes,
  type MeasuredPrompt,
} from '../core/money/measure-prompt.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import type { Exclusion, Leg, Plan, PlannedLeg } from '../core/routing/plan.js';
import { Clock, DAY_MS, windowStart, type Interval } from '../core/time.js';
import {
  countedBy,
  remainingOf,
  type HeldAmounts,
  type Hold,
  type HoldOutcome,
  type HoldRefusal,
  type HoldRequest,
} from '../ledger/hold.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { FreeGate, freeDayError, type FreePlace } from '../limits/free-gate.js';
import { isLimitedCaller, KeyGate } from '../limits/key-gate.js';
import { ModelGate } from '../limits/model-gate.js';
import type { LimitSlot } from '../limits/limit-slot.js';
import type { ModelLimiter } from '../routing/plan-runner.js';
import {
  affordableAtRest,
  affordableTogether,
  isAffordable,
  mostExpensive,
  type PricedLeg,
} from './affordable-legs.js';
import { BillingService } from './billing.service.js';
import { FreeRequest } from './free-request.js';
import { GenerationBilling } from './generation-billing.js';
import { holdError } from './hold-error.js';
import { KeyRate, mostTokens } from './key-rate.js';
import { ModelPlaces } from './model-slots.js';
import { PdfCounter } from './pdf-counter.js';

/** Holds that are tried for one request: as it was planned, once more when counters are posted, and narrower, twice. */
const TRIES_MAX = 6;

/** What is to be paid for, and from whose counters. */
export interface AdmissionInputs {
  readonly request: ModelRequest;
  readonly caller: Caller;
  /** Budgets of guardrails. */
  readonly guardrails: readonly string[];
}

/** What a generation goes on with. */
export interface Admitted {
  /** Without the legs that cannot be paid for. */
  readonly plan: Plan;
  readonly prompt: MeasuredPrompt;
  /** Reserves more for further calls. */
  readonly billing: GenerationBilling;
  /** Whether models with limits may be called. */
  readonly modelLimiter: ModelLimiter;
  /** Takes what further calls need of the limits of its key; undefined: it has none. */
  readonly keyRate: KeyRate | undefined;
  /** As `NextCall` has it, of the call that it goes on with. */
  readonly release: () => void;
}

/** What a further call goes on with. */
export interface NextCall extends Pick<Admitted, 'plan' | 'prompt'> {
  /** Lets go of what was reserved for it: it has ended, and what it used is known. */
  readonly release: () => void;
}

/** What a plan asks the ledger for. */
interface Reservation extends AdmissionInputs {
  readonly id: GenerationId;
  readonly plan: Plan;
  readonly prompt: MeasuredPrompt;
  readonly legs: readonly PricedLeg[];
}

/** Counters without room for what was asked. */
type Refused = Extract<HoldOutcome, { readonly refused: unknown }>['refused'];

/** A hold, and the legs that it covers. */
interface Reserved {
  readonly hold: Hold;
  readonly legs: readonly PricedLeg[];
}

/** What it takes of limits of number beside that. */
interface Entered extends Reserved {
  /** Absent where none of the legs is free. */
  readonly freeRequest?: FreeRequest;
  /** Taken of the limits of the key; absent: it has none. */
  readonly keySlot?: LimitSlot;
}

/** What admission would say of a leg at this moment. */
export interface LegForecast {
  readonly bound: HeldAmounts;
  /** The first counter without room for it; absent: it would be granted. */
  readonly refused?: {
    readonly counter: string;
    readonly interval: Interval;
    readonly limit: PicoUsd;
    readonly left: PicoUsd;
  };
}

/** Who may go on: reserves the most a plan can cost, counts what is free, and takes places at the limits of models. */
@Injectable()
export class Admission {
  private readonly modelLimiter: ModelLimiter;

  constructor(
    private readonly ledger: LedgerService,
    private readonly billing: BillingService,
    private readonly keyGate: KeyGate,
    private readonly freeGate: FreeGate,
    models: ModelGate,
    private readonly pdfs: PdfCounter,
    private readonly clock: Clock,
  ) {
    this.modelLimiter = new ModelPlaces(models);
  }

  /** The most that a call of each leg can cost; what a caller is shown and what is held. */
  price(prompt: MeasuredPrompt, leg: Leg): HeldAmounts {
    const { cost, byokCost } = billBound(prompt, leg, this.billing.fee);
    return { credits: cost, byok: byokCost };
  }

  /** Whether each leg would be granted, alone and now. Takes nothing, and asks nothing of limits of number. */
  async forecast(plan: Plan, { request, caller, guardrails }: AdmissionInputs): Promise<ReadonlyMap<Leg, LegForecast>> {
    const prompt = await this.measure(request);
    const counters = await this.ledger.listCounters(caller, guardrails);
    return new Map(
      plan.legs.map((leg): [Leg, LegForecast] => {
        const bound = this.price(prompt, leg);
        const refused = counters.find((counter) => !isAffordable(counter, { leg, amounts: bound }));
        return [leg, { bound, ...(refused && { refused: viewRefusal(refused) }) }];
      }),
    );
  }

  /**
   * Takes the hold of a generation's plan before anything is sent upstream. A leg that has no room is left out; one
   * that has keeps its place. From here on the generation is billed.
   * @throws GatewayError 402 or 403 when no leg can be paid for, 429 past the limits of the key or the free requests,
   *   503 while the ledger cannot be written
   */
  async admit(generation: Generation, payer: AdmissionInputs, signal: CancelSignal): Promise<Admitted> {
    const measured = this.measure(payer.request);
    // No turn of the microtask queue for what is at hand.
    const prompt = measured instanceof Promise ? await measured : measured;
    const { id, plan: planned } = generation;
    const { caller, guardrails } = payer;
    const legs: PricedLeg[] = [];
    for (const leg of planned!.legs) {
      const { cost, byokCost } = billBound(prompt, leg, this.billing.fee);
      legs.push({ leg, amounts: { credits: cost, byok: byokCost } });
    }
    const asked: Reservation = { id, request: payer.request, caller, guardrails, plan: planned!, prompt, legs };
    const outcome = await this.ledger.hold(this.holdFor(asked, legs), signal);
    const reserved =
      'granted' in outcome ? { hold: outcome.granted, legs } : await this.reserveLess(asked, outcome.refused, signal);
    const { hold } = reserved;
    const isCounted = caller.rateLimits !== undefined || hold.request.isFree;
    const entered: Entered = isCounted ? await this.enter(reserved, prompt) : reserved;
    const billing = new GenerationBilling(this.billing, generation, hold, prompt);
    generation.observe(billing);
    if (entered.freeRequest) generation.observe(entered.freeRequest);
    const keyRate = entered.keySlot && this.keyRateOf(generation, entered.keySlot);
    const plan = entered.legs.length === planned!.legs.length ? planned! : withLegs(planned!, entered.legs);
    generation.held(plan);
    const { bound } = hold;
    const release = (): void => billing.release(bound);
    return { plan, prompt, billing, modelLimiter: this.modelLimiter, keyRate, release };
  }

  /**
   * Has room for a further call of an admitted generation: by the dearest of its legs, else by the first alone.
   * @returns undefined where there is no room for either
   * @throws GatewayError 503 while the ledger cannot be written
   */
  async admitNext(
    { billing }: Pick<Admitted, 'billing'>,
    plan: Plan,
    request: ModelRequest,
  ): Promise<NextCall | undefined> {
    const measured = this.measure(request);
    const prompt = measured instanceof Promise ? await measured : measured;
    const priced = plan.legs.map((leg): PricedLeg => ({ leg, amounts: this.price(prompt, leg) }));
    for (const legs of priced.length > 1 ? [priced, priced.slice(0, 1)] : [priced]) {
      const release = await billing.makeRoom({ ...mostExpensive(legs) });
      if (release) return { plan: withLegs(plan, legs), prompt, release };
    }
    return undefined;
  }

  /**
   * What an admitted call may cost beyond what is reserved for it, should so many tokens be added to its prompt.
   * @param legs those that are to have room
   */
  growthOf(
    { plan, prompt }: Pick<Admitted, 'plan' | 'prompt'>,
    legs: readonly PlannedLeg[],
    tokens: number,
  ): HeldAmounts {
    const grown = { ...prompt, textTokens: prompt.textTokens + (tokens > 0 ? FRAME_TOKENS + tokens : 0) };
    const most = (of: MeasuredPrompt, some: readonly PlannedLeg[]): HeldAmounts =>
      mostExpensive(some.map((leg): PricedLeg => ({ leg, amounts: this.price(of, leg) })));
    const [before, after] = [most(prompt, plan.legs), most(grown, legs)];
    return { credits: after.credits - before.credits, byok: after.byok - before.byok };
  }

  /**
   * The same for the call that was admitted, whose prompt has grown since: of the limits of its key it takes the
   * difference.
   * @throws GatewayError 429 past the limits of the key, 503 while the ledger cannot be written
   */
  async admitGrown(admitted: Admitted, request: ModelRequest): Promise<NextCall | undefined> {
    const next = await this.admitNext(admitted, admitted.plan, request);
    try {
      if (next) await admitted.keyRate?.grow(next.plan, admitted.prompt, next.prompt);
      return next;
    } catch (error) {
      next?.release();
      throw error;
    }
  }

  /**
   * The same for a further step of the answer, which takes of the limits of the key as well.
   * @returns undefined where there is no room, there too
   */
  async admitStep(
    admitted: Pick<Admitted, 'billing' | 'keyRate'>,
    plan: Plan,
    request: ModelRequest,
  ): Promise<NextCall | undefined> {
    const next = await this.admitNext(admitted, plan, request);
    if (!next || !admitted.keyRate) return next;
    try {
      await admitted.keyRate.claim(next.plan, next.prompt);
      return next;
    } catch (error) {
      next.release();
      if (error instanceof GatewayError && error.kind === 'rate-limited') return undefined;
      throw error;
    }
  }

  /**
   * The same for a model that is consulted on the way: where it is a free variant, that counts as a free request of its
   * own.
   * @throws GatewayError 429 past the limits of the key or the free requests, 503 while the ledger cannot be written
   */
  async admitConsulted(
    generation: Generation,
    { billing, keyRate }: Pick<Admitted, 'billing' | 'keyRate'>,
    plan: Plan,
    request: ModelRequest,
  ): Promise<NextCall | undefined> {
    const next = await this.admitNext({ billing }, plan, request);
    if (!next) return undefined;
    try {
      await keyRate?.claim(next.plan, next.prompt);
    } catch (error) {
      next.release();
      throw error;
    }
    if (!next.plan.legs.some(isFreeVariant)) return next;
    try {
      const place = await this.countConsulted(billing.hold);
      generation.observe(new FreeRequest(this.ledger, billing.hold, place, ({ run }) => run.plan === next.plan));
      return next;
    } catch (error) {
      const paid = next.plan.legs.filter((leg) => !isFreeVariant(leg));
      if (paid.length > 0) return { ...next, plan: { ...next.plan, legs: paid } };
      next.release();
      throw error;
    }
  }

  /** Of the day, and of the minute. @throws GatewayError as `admitConsulted` */
  private async countConsulted(hold: Hold): Promise<FreePlace> {
    const { caller } = hold.request;
    const outcome = await this.ledger.countFree(hold, this.freeGate.isShared(caller));
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

  private measure(request: ModelRequest): MeasuredPrompt | Promise<MeasuredPrompt> {
    const prompt = measurePrompt(request);
    // Where the context bounds it, pages do not matter.
    if (prompt.documents === 0 || prompt.fillsContext) return prompt;
    return this.pdfs.measure(listPdfs(request)).then((sizes) => withPdfSizes(prompt, sizes));
  }

  private holdFor({ id, caller, guardrails, plan }: Reservation, legs: readonly PricedLeg[]): HoldRequest {
    let isFree = false;
    for (const { leg } of legs) if (isFreeVariant(leg)) isFree = true;
    return {
      id,
      caller,
      guardrails,
      model: legs[0]?.leg.model.id ?? plan.requested,
      bound: legs.length === 1 ? legs[0]!.amounts : mostExpensive(legs),
      isFree,
      isShared: isFree && this.freeGate.isShared(caller),
    };
  }

  /**
   * Reserves less than the plan as it is, which was refused.
   * @throws GatewayError where no leg can be paid for
   */
  private async reserveLess(asked: Reservation, refused: Refused, signal: CancelSignal): Promise<Reserved> {
    let possible = asked.legs;
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
        if (chosen.length === 0 || tries >= TRIES_MAX)
          throw this.refusalOf(counters, possible, asked.prompt, asked.caller);
        // A narrower hold may meet figures that have moved on: before it is refused they are posted again.
        isPosted = false;
      }
      const outcome = await this.ledger.hold(this.holdFor(asked, chosen), signal);
      if ('granted' in outcome) return { hold: outcome.granted, legs: chosen };
      counters = withLatest(counters, outcome.refused);
    }
  }

  /** Told of the leg that comes nearest, by the counters that refuse it. */
  private refusalOf(
    counters: readonly HoldRefusal[],
    legs: readonly PricedLeg[],
    prompt: MeasuredPrompt,
    caller: Caller,
  ): GatewayError {
    const nearest = nearestOf(legs, counters[0]);
    const refusing = counters.filter((counter) => !nearest || !isAffordable(counter, nearest));
    const told = refusing.length > 0 ? refusing : counters;
    const money = told.filter(isPostable);
    if (money.length > 0)
      return holdError(money, nearest && { ...nearest, prompt, price: (other) => this.price(other, nearest.leg) });
    return this.freeDayRefusal(told[0]!, caller);
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

  /** Limits of number come after money: what they refuse was not admitted, and is held for no longer. */
  private async enter({ hold, legs }: Reserved, prompt: MeasuredPrompt): Promise<Entered> {
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

  private async enterFree(hold: Hold, legs: readonly PricedLeg[]): Promise<Entered> {
    if (!hold.request.isFree) return { hold, legs };
    try {
      const place = await this.freeGate.enter(hold.request.caller);
      return { hold, legs, freeRequest: new FreeRequest(this.ledger, hold, place, isAnswer) };
    } catch (error) {
      // It was not admitted as a free one, so it does not count.
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

const viewRefusal = (refused: HoldRefusal): NonNullable<LegForecast['refused']> => ({
  counter: refused.scope,
  interval: refused.interval,
  limit: refused.limit,
  left: remainingOf(refused),
});

/** What the caller asked himself, in however many steps it is answered. */
const isAnswer = ({ run }: ProviderCall): boolean => run.purpose === 'answer';

const noLongerHeld = (): GatewayError =>
  new GatewayError('service-unavailable', 'The reservation for this request has ended meanwhile; send it again.');

/** Counts of requests move at once. */
const isPostable = ({ scope }: HoldRefusal): boolean => scope !== 'free_requests';

/** What is known of counters, by the latest figures of each. */
function withLatest(known: readonly HoldRefusal[], latest: readonly HoldRefusal[]): readonly HoldRefusal[] {
  const isLatest = ({ scope, scopeId, interval }: HoldRefusal): boolean =>
    latest.some((one) => one.scope === scope && one.scopeId === scopeId && one.interval === interval);
  return [...latest, ...known.filter((counter) => !isLatest(counter))];
}

/** The leg that takes the least of a counter. */
function nearestOf(legs: readonly PricedLeg[], counter: HoldRefusal | undefined): PricedLeg | undefined {
  let nearest = legs[0];
  for (const priced of legs) {
    if (counter && nearest && countedBy(counter, priced.amounts) < countedBy(counter, nearest.amounts))
      nearest = priced;
  }
  return nearest;
}

function withLegs(plan: Plan, legs: readonly PricedLeg[]): Plan {
  if (legs.length === plan.legs.length) return plan;
  const kept = new Set<Leg>(legs.map(({ leg }) => leg));
  const excluded = plan.legs.filter((leg) => !kept.has(leg)).map(unaffordable);
  return { ...plan, legs: legs.map(({ leg }) => leg), excluded: [...plan.excluded, ...excluded] };
}

const unaffordable = ({ model, tag, endpoint, credential }: PlannedLeg): Exclusion => ({
  model: model.id,
  tag,
  provider: endpoint.provider.name,
  ...(credential !== SHARED_CREDENTIAL && { credential }),
  reason: 'unaffordable',
});
