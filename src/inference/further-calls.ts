import { Injectable } from '@nestjs/common';
import type { ModelRequest } from '../core/conversation/request.js';
import { GatewayError } from '../core/errors.js';
import type { Generation } from '../core/generation/generation.js';
import { isFreeVariant } from '../core/money/bill.js';
import type { MeasuredPrompt } from '../core/money/measure-prompt.js';
import type { Leg, Plan, PlannedLeg } from '../core/routing/plan.js';
import type { HeldAmounts } from '../ledger/hold.js';
import type { ModelLimiter } from '../routing/plan-runner.js';
import { Admission, withMoreTokens, withLegs, type Admitted } from './billing/admission.js';
import { ReservedFreeRequests } from './billing/reserved-free-requests.js';
import type { GenerationBilling } from './billing/generation-billing.js';
import { mostTokens, type TokenReservation } from './billing/key-rate.js';

type Legs = readonly PlannedLeg[];

/** The plan of a further call, with its reservation. */
export interface NextCall extends Pick<Admitted, 'plan' | 'prompt'> {
  /** Releases the reservation, after the call has ended and its usage is known. */
  readonly release: () => void;
}

/** A call that will follow a purchase. */
export interface PricedRun {
  readonly plan: Plan;
  readonly prompt: MeasuredPrompt;
  /** Highest possible cost of the run. */
  readonly bound: HeldAmounts;
}

/** The reservation that is made before a purchase for the calls that follow it. */
export interface AheadReservation {
  /** Absent: its key has no limits. */
  readonly tokens?: TokenReservation | undefined;
  readonly releaseMoney: () => void;
  /** Releases money and tokens to the further calls of the same generation. */
  readonly release: () => void;
}

/** A call that reads the results of tools. */
interface ReadingNeeds {
  /** The request without the results. */
  readonly request: ModelRequest;
  /** Minimum size of the results, as `textTokens` counts them. */
  readonly tokens: number;
  /** Whether its money is reserved too. */
  readonly isPaidFor: boolean;
}

/** The minimum that purchases add to a prompt, as `textTokens` counts it. */
export interface PromptGrowth {
  readonly tokens: number;
  /** The part that is held for already. */
  readonly held: number;
}

/** The needs of a call, by the legs that it may be made at. */
interface ReservationNeeds<Taken> {
  readonly amountsOf: (legs: Legs) => HeldAmounts;
  /** Takes from the limits of the key; absent: it has none. @throws GatewayError `rate-limited` */
  readonly take?: (legs: Legs) => Promise<Taken>;
}

interface ReservedCall<Taken> {
  readonly legs: Legs;
  readonly release: () => void;
  readonly taken: Taken | undefined;
}

/** Takes the tokens of a further call from the limits of its key. @throws GatewayError `rate-limited` */
type TakeTokens = ((legs: Legs, prompt: MeasuredPrompt) => Promise<void>) | undefined;

/**
 * Admits the further calls of an admitted generation: steps of a loop, consulted models, and the calls that read a
 * purchase. What such a call needs is reserved before the purchase, so that no limit refuses it afterwards.
 */
@Injectable()
export class FurtherCalls {
  private readonly reservedFree = new WeakMap<Generation, ReservedFreeRequests>();

  constructor(private readonly admission: Admission) {}

  /**
   * Reserves for uses of tools and for the further call that reads their results: money, and tokens of the key.
   * Reserves for the most expensive of its legs, else for the first alone.
   * @returns undefined if the balance is insufficient
   * @throws GatewayError 429 past the limits of the key, 503 while the ledger cannot be written
   */
  async admitUses(
    { billing, keyRate }: Pick<Admitted, 'billing' | 'keyRate'>,
    uses: HeldAmounts,
    { legs }: Plan,
    { request, tokens, isPaidFor }: ReadingNeeds,
  ): Promise<AheadReservation | undefined> {
    const prompt = withMoreTokens(await this.admission.measure(request), tokens);
    const made = await this.reserveNext(billing, legs, {
      amountsOf: (some) => beside(uses, isPaidFor ? this.admission.mostOf(prompt, some) : NOTHING),
      ...(keyRate && { take: (some) => keyRate.reserve(mostTokens(some, prompt)) }),
    });
    return asAheadReservation(made);
  }

  /**
   * Reserves for purchases, and for what they add at least to the prompt of the admitted call: money, and tokens of
   * the key.
   * @returns undefined where there is no money
   * @throws GatewayError 429 past the limits of the key, 503 while the ledger cannot be written
   */
  async admitPurchases(
    admitted: Admitted,
    purchases: HeldAmounts,
    { tokens, held }: PromptGrowth,
  ): Promise<AheadReservation | undefined> {
    const { billing, keyRate, plan, prompt } = admitted;
    const after = withMoreTokens(prompt, tokens - held);
    const before = this.admission.mostOf(prompt, plan.legs);
    const made = await this.reserveNext(billing, plan.legs, {
      amountsOf: (some) => {
        const { credits, byok } = this.admission.mostOf(after, some);
        return beside(purchases, { credits: credits - before.credits, byok: byok - before.byok });
      },
      ...(keyRate && { take: (some) => keyRate.reserveAddedTokens(some, withMoreTokens(prompt, tokens), admitted) }),
    });
    return asAheadReservation(made);
  }

  /**
   * Reserves for models that must be called once something is bought: money, tokens of the key, slots at the limits
   * of models, and free requests.
   * @returns undefined where there is no money
   * @throws GatewayError 429 past one of these limits, 503 while the ledger cannot be written
   */
  async admitAhead(
    generation: Generation,
    { billing, keyRate, modelLimiter }: Admitted,
    runs: readonly PricedRun[],
  ): Promise<AheadReservation | undefined> {
    let [credits, byok, tokens] = [0n, 0n, 0];
    for (const { plan, prompt, bound } of runs) {
      credits += bound.credits;
      byok += bound.byok;
      tokens += mostTokens(plan.legs, prompt);
    }
    const made = await this.reserveNext(billing, NO_LEGS, {
      amountsOf: () => ({ credits, byok }),
      ...(keyRate && { take: () => keyRate.reserve(tokens) }),
    });
    const reservation = asAheadReservation(made);
    if (!reservation) return undefined;
    try {
      for (const { plan, prompt } of runs) await enterModel(modelLimiter, generation, plan.legs, prompt);
      const free = runs.filter(({ plan }) => plan.legs.every(isFreeVariant)).length;
      if (free === 0) return reservation;
      const releaseFree = await this.reservedFreeOf(generation, billing).reserve(free);
      return {
        ...reservation,
        release: () => {
          reservation.release();
          releaseFree();
        },
      };
    } catch (error) {
      reservation.release();
      throw error;
    }
  }

  /**
   * Counts an admitted call against the limits of its model, before anything is bought for it.
   * @param tokens the minimum that purchases add to its prompt
   * @throws GatewayError `rate-limited` where none of its models has one
   */
  enterModels(generation: Generation, { modelLimiter, plan, prompt }: Admitted, tokens: number): Promise<void> {
    return enterModel(modelLimiter, generation, plan.legs, withMoreTokens(prompt, tokens));
  }

  /**
   * Reserves for the admitted call, whose prompt has become longer: takes the difference from the limits of its key.
   * @param reservation the tokens that were reserved for the longer prompt
   * @returns undefined if the balance is insufficient
   * @throws GatewayError 429 past the limits of the key, 503 while the ledger cannot be written
   */
  admitLongerPrompt(
    admitted: Admitted,
    request: ModelRequest,
    reservation?: TokenReservation,
  ): Promise<NextCall | undefined> {
    const { keyRate, plan } = admitted;
    const take: TakeTokens =
      keyRate && ((legs, prompt) => keyRate.takeAddedTokens(legs, prompt, admitted, reservation));
    return this.admitNext(admitted, plan, request, take);
  }

  /**
   * Reserves for a further step of the answer, which also takes from the limits of the key.
   * @param reservation the tokens that were reserved for it
   * @returns undefined where money or limits have none
   * @throws GatewayError 503 while the ledger cannot be written
   */
  admitStep(
    admitted: Pick<Admitted, 'billing' | 'keyRate'>,
    plan: Plan,
    request: ModelRequest,
    reservation?: TokenReservation,
  ): Promise<NextCall | undefined> {
    const { keyRate } = admitted;
    const take: TakeTokens = keyRate && ((legs, prompt) => keyRate.takeTokens(legs, prompt, reservation));
    return unlessLimited(this.admitNext(admitted, plan, request, take));
  }

  /**
   * Reserves for a model that is consulted. A free variant counts as one more free request.
   * @throws GatewayError 429 past the limits of the key or the free requests, 503 while the ledger cannot be written
   */
  async admitConsulted(
    generation: Generation,
    { billing, keyRate }: Pick<Admitted, 'billing' | 'keyRate'>,
    plan: Plan,
    request: ModelRequest,
  ): Promise<NextCall | undefined> {
    const take: TakeTokens = keyRate && ((legs, prompt) => keyRate.takeTokens(legs, prompt));
    const next = await this.admitNext({ billing }, plan, request, take);
    if (!next?.plan.legs.some(isFreeVariant)) return next;
    try {
      const freeRequest = await this.reservedFreeOf(generation, billing).take();
      generation.observe(this.admission.freeRequest(billing.hold, freeRequest, ({ run }) => run.plan === next.plan));
      return next;
    } catch (error) {
      const paid = next.plan.legs.filter((leg) => !isFreeVariant(leg));
      if (paid.length > 0) return { ...next, plan: { ...next.plan, legs: paid } };
      next.release();
      throw error;
    }
  }

  /** A call of this plan, if so many tokens are added to its prompt. */
  async planRun(plan: Plan, request: ModelRequest, tokens: number): Promise<PricedRun> {
    const prompt = withMoreTokens(await this.admission.measure(request), tokens);
    return { plan, prompt, bound: this.admission.mostOf(prompt, plan.legs) };
  }

  private reservedFreeOf(generation: Generation, { hold }: GenerationBilling): ReservedFreeRequests {
    let reservedFree = this.reservedFree.get(generation);
    if (!reservedFree) {
      reservedFree = new ReservedFreeRequests(this.admission.countingFree(hold));
      this.reservedFree.set(generation, reservedFree);
      generation.observe(reservedFree);
    }
    return reservedFree;
  }

  /**
   * @param take takes its tokens from the limits of the key; absent: it has none
   * @returns undefined where there is no money
   * @throws GatewayError 429 where its key has no tokens, 503 while the ledger cannot be written
   */
  private async admitNext(
    { billing }: Pick<Admitted, 'billing'>,
    plan: Plan,
    request: ModelRequest,
    take: TakeTokens,
  ): Promise<NextCall | undefined> {
    const measured = this.admission.measure(request);
    const prompt = measured instanceof Promise ? await measured : measured;
    const made = await this.reserveNext(billing, plan.legs, {
      amountsOf: (some) => this.admission.mostOf(prompt, some),
      ...(take && { take: (some) => take(some, prompt) }),
    });
    return made && { plan: withLegs(plan, made.legs), prompt, release: made.release };
  }

  /**
   * Reserves for the most expensive of the legs, else for the first alone.
   * @returns undefined if the balance is insufficient for both
   * @throws GatewayError 429 if the balance suffices but the key has no tokens; 503
   */
  private async reserveNext<Taken>(
    billing: GenerationBilling,
    legs: Legs,
    { amountsOf, take }: ReservationNeeds<Taken>,
  ): Promise<ReservedCall<Taken> | undefined> {
    let refusal: GatewayError | undefined;
    for (const some of legs.length > 1 ? [legs, legs.slice(0, 1)] : [legs]) {
      const release = await billing.reserveNext(amountsOf(some));
      if (!release) continue;
      try {
        return { legs: some, release, taken: take && (await take(some)) };
      } catch (error) {
        release();
        if (!isLimited(error)) throw error;
        refusal = error;
      }
    }
    if (refusal) throw refusal;
    return undefined;
  }
}

/** Takes a slot at the limits of the first model that has one. @throws GatewayError `rate-limited` */
async function enterModel(
  limiter: ModelLimiter,
  generation: Generation,
  legs: readonly Leg[],
  prompt: MeasuredPrompt,
): Promise<void> {
  let refusal: GatewayError | undefined;
  for (const model of new Set(legs.map((leg) => leg.model))) {
    const entered = await limiter.acquire(generation, model, prompt);
    if (entered === true) return;
    refusal ??= entered;
  }
  if (refusal) throw refusal;
}

const NO_LEGS: Legs = [];
const NOTHING: HeldAmounts = { credits: 0n, byok: 0n };

/** The sum of two amounts. It falls when a part of the first amount is charged. */
const beside = (held: HeldAmounts, { credits, byok }: HeldAmounts): HeldAmounts => ({
  byok: held.byok + byok,
  get credits() {
    return held.credits + credits;
  },
});

const asAheadReservation = (made: ReservedCall<TokenReservation> | undefined): AheadReservation | undefined =>
  made && {
    tokens: made.taken,
    releaseMoney: made.release,
    release: () => {
      made.release();
      made.taken?.release();
    },
  };

export const isLimited = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && error.kind === 'rate-limited';

/** Returns undefined if a limit is reached. */
async function unlessLimited<T>(reservation: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await reservation;
  } catch (error) {
    if (isLimited(error)) return undefined;
    throw error;
  }
}
