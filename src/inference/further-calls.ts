import { Injectable } from '@nestjs/common';
import type { ModelRequest } from '../core/conversation/request.js';
import { GatewayError } from '../core/errors.js';
import type { Generation } from '../core/generation/generation.js';
import { isFreeVariant } from '../core/money/bill.js';
import type { MeasuredPrompt } from '../core/money/measure-prompt.js';
import type { Leg, Plan, PlannedLeg } from '../core/routing/plan.js';
import type { HeldAmounts } from '../ledger/hold.js';
import type { ModelLimiter } from '../routing/plan-runner.js';
import { Admission, grown, withLegs, type Admitted } from './admission.js';
import { FreeAhead } from './free-ahead.js';
import type { GenerationBilling } from './generation-billing.js';
import { mostTokens, type KeyRoom } from './key-rate.js';

type Legs = readonly PlannedLeg[];

/** What a further call continues with. */
export interface NextCall extends Pick<Admitted, 'plan' | 'prompt'> {
  /** Releases the reservation, after the call has ended and its usage is known. */
  readonly release: () => void;
}

/** A call that will follow a purchase. */
export interface ForeseenRun {
  readonly plan: Plan;
  readonly prompt: MeasuredPrompt;
  /** Its highest cost. */
  readonly bound: HeldAmounts;
}

/** What is reserved before a purchase, for the calls that follow it. */
export interface RoomAhead {
  /** Absent: its key has no limits. */
  readonly tokens?: KeyRoom | undefined;
  readonly releaseMoney: () => void;
  /** Releases all of it to the further calls of the same generation. */
  readonly release: () => void;
}

/** A call that reads the results of tools. */
interface ReadingNeeds {
  /** Without the results. */
  readonly request: ModelRequest;
  /** Minimum size of the results, as `textTokens` counts them. */
  readonly tokens: number;
  /** Whether its money is reserved too. */
  readonly isPaidFor: boolean;
}

/** What purchases add at least to a prompt, as `textTokens` counts it. */
export interface PromptGrowth {
  readonly tokens: number;
  /** The part that is held for already. */
  readonly held: number;
}

/** The needs of a call, by the legs that it may be made at. */
interface RoomNeeds<Taken> {
  readonly amountsOf: (legs: Legs) => HeldAmounts;
  /** Takes from the limits of the key; absent: it has none. @throws GatewayError `rate-limited` */
  readonly take?: (legs: Legs) => Promise<Taken>;
}

interface MadeRoom<Taken> {
  readonly legs: Legs;
  readonly release: () => void;
  readonly taken: Taken | undefined;
}

/** What a further call takes from the limits of its key. @throws GatewayError `rate-limited` */
type TakeTokens = ((legs: Legs, prompt: MeasuredPrompt) => Promise<void>) | undefined;

/**
 * Admits the further calls of an admitted generation: steps of a loop, consulted models, and the calls that read a
 * purchase. What such a call needs is reserved before the purchase, so that no limit refuses it afterwards.
 */
@Injectable()
export class FurtherCalls {
  private readonly freeAhead = new WeakMap<Generation, FreeAhead>();

  constructor(private readonly admission: Admission) {}

  /**
   * Makes room for uses of tools and for the further call that reads their results: money, and tokens of the key. For
   * the most expensive of its legs, else for the first alone.
   * @returns undefined where there is no money
   * @throws GatewayError 429 past the limits of the key, 503 while the ledger cannot be written
   */
  async admitUses(
    { billing, keyRate }: Pick<Admitted, 'billing' | 'keyRate'>,
    uses: HeldAmounts,
    { legs }: Plan,
    { request, tokens, isPaidFor }: ReadingNeeds,
  ): Promise<RoomAhead | undefined> {
    const prompt = grown(await this.admission.measure(request), tokens);
    const made = await this.makeRoom(billing, legs, {
      amountsOf: (some) => beside(uses, isPaidFor ? this.admission.mostOf(prompt, some) : NOTHING),
      ...(keyRate && { take: (some) => keyRate.reserve(mostTokens(some, prompt)) }),
    });
    return asRoomAhead(made);
  }

  /**
   * Makes room for purchases, and for what they add at least to the prompt of the admitted call: money, and tokens of
   * the key.
   * @returns undefined where there is no money
   * @throws GatewayError 429 past the limits of the key, 503 while the ledger cannot be written
   */
  async admitPurchases(
    admitted: Admitted,
    purchases: HeldAmounts,
    { tokens, held }: PromptGrowth,
  ): Promise<RoomAhead | undefined> {
    const { billing, keyRate, plan, prompt } = admitted;
    const after = grown(prompt, tokens - held);
    const before = this.admission.mostOf(prompt, plan.legs);
    const made = await this.makeRoom(billing, plan.legs, {
      amountsOf: (some) => {
        const { credits, byok } = this.admission.mostOf(after, some);
        return beside(purchases, { credits: credits - before.credits, byok: byok - before.byok });
      },
      ...(keyRate && { take: (some) => keyRate.reserveGrowth(some, grown(prompt, tokens), admitted) }),
    });
    return asRoomAhead(made);
  }

  /**
   * Makes room for models that must be called once something is bought: money, tokens of the key, places at the limits
   * of models, and free requests.
   * @returns undefined where there is no money
   * @throws GatewayError 429 past one of these limits, 503 while the ledger cannot be written
   */
  async admitAhead(
    generation: Generation,
    { billing, keyRate, modelLimiter }: Admitted,
    runs: readonly ForeseenRun[],
  ): Promise<RoomAhead | undefined> {
    let [credits, byok, tokens] = [0n, 0n, 0];
    for (const { plan, prompt, bound } of runs) {
      credits += bound.credits;
      byok += bound.byok;
      tokens += mostTokens(plan.legs, prompt);
    }
    const made = await this.makeRoom(billing, NO_LEGS, {
      amountsOf: () => ({ credits, byok }),
      ...(keyRate && { take: () => keyRate.reserve(tokens) }),
    });
    const room = asRoomAhead(made);
    if (!room) return undefined;
    try {
      for (const { plan, prompt } of runs) await enterModel(modelLimiter, generation, plan.legs, prompt);
      const free = runs.filter(({ plan }) => plan.legs.every(isFreeVariant)).length;
      if (free === 0) return room;
      const releaseFree = await this.freeAheadOf(generation, billing).reserve(free);
      return {
        ...room,
        release: () => {
          room.release();
          releaseFree();
        },
      };
    } catch (error) {
      room.release();
      throw error;
    }
  }

  /**
   * Takes the place of an admitted call at the limits of its model, before anything is bought for it.
   * @param tokens the minimum that purchases add to its prompt
   * @throws GatewayError `rate-limited` where none of its models has one
   */
  enterModels(generation: Generation, { modelLimiter, plan, prompt }: Admitted, tokens: number): Promise<void> {
    return enterModel(modelLimiter, generation, plan.legs, grown(prompt, tokens));
  }

  /**
   * Makes room for the admitted call itself, whose prompt has grown: takes the difference from the limits of its key.
   * @param room the tokens that were reserved for that
   * @returns undefined where there is no money
   * @throws GatewayError 429 past the limits of the key, 503 while the ledger cannot be written
   */
  admitGrown(admitted: Admitted, request: ModelRequest, room?: KeyRoom): Promise<NextCall | undefined> {
    const { keyRate, plan } = admitted;
    const take: TakeTokens = keyRate && ((legs, prompt) => keyRate.grow(legs, prompt, admitted, room));
    return this.admitNext(admitted, plan, request, take);
  }

  /**
   * Makes room for a further step of the answer, which also takes from the limits of the key.
   * @param room the tokens that were reserved for it
   * @returns undefined where money or limits have none
   * @throws GatewayError 503 while the ledger cannot be written
   */
  admitStep(
    admitted: Pick<Admitted, 'billing' | 'keyRate'>,
    plan: Plan,
    request: ModelRequest,
    room?: KeyRoom,
  ): Promise<NextCall | undefined> {
    const { keyRate } = admitted;
    const take: TakeTokens = keyRate && ((legs, prompt) => keyRate.claim(legs, prompt, room));
    return unlessLimited(this.admitNext(admitted, plan, request, take));
  }

  /**
   * The same for a model that is consulted: a free variant counts as a free request of its own.
   * @throws GatewayError 429 past the limits of the key or the free requests, 503 while the ledger cannot be written
   */
  async admitConsulted(
    generation: Generation,
    { billing, keyRate }: Pick<Admitted, 'billing' | 'keyRate'>,
    plan: Plan,
    request: ModelRequest,
  ): Promise<NextCall | undefined> {
    const take: TakeTokens = keyRate && ((legs, prompt) => keyRate.claim(legs, prompt));
    const next = await this.admitNext({ billing }, plan, request, take);
    if (!next?.plan.legs.some(isFreeVariant)) return next;
    try {
      const place = await this.freeAheadOf(generation, billing).take();
      generation.observe(this.admission.freeRequest(billing.hold, place, ({ run }) => run.plan === next.plan));
      return next;
    } catch (error) {
      const paid = next.plan.legs.filter((leg) => !isFreeVariant(leg));
      if (paid.length > 0) return { ...next, plan: { ...next.plan, legs: paid } };
      next.release();
      throw error;
    }
  }

  /** A call of this plan, if so many tokens are added to its prompt. */
  async foresee(plan: Plan, request: ModelRequest, tokens: number): Promise<ForeseenRun> {
    const prompt = grown(await this.admission.measure(request), tokens);
    return { plan, prompt, bound: this.admission.mostOf(prompt, plan.legs) };
  }

  private freeAheadOf(generation: Generation, { hold }: GenerationBilling): FreeAhead {
    let ahead = this.freeAhead.get(generation);
    if (!ahead) {
      ahead = new FreeAhead(this.admission.countingFree(hold));
      this.freeAhead.set(generation, ahead);
      generation.observe(ahead);
    }
    return ahead;
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
    const made = await this.makeRoom(billing, plan.legs, {
      amountsOf: (some) => this.admission.mostOf(prompt, some),
      ...(take && { take: (some) => take(some, prompt) }),
    });
    return made && { plan: withLegs(plan, made.legs), prompt, release: made.release };
  }

  /**
   * Makes room for the most expensive of the legs, else for the first alone.
   * @returns undefined where there is no money for either
   * @throws GatewayError 429 where there is money, and its key has no tokens; 503
   */
  private async makeRoom<Taken>(
    billing: GenerationBilling,
    legs: Legs,
    { amountsOf, take }: RoomNeeds<Taken>,
  ): Promise<MadeRoom<Taken> | undefined> {
    let refusal: GatewayError | undefined;
    for (const some of legs.length > 1 ? [legs, legs.slice(0, 1)] : [legs]) {
      const release = await billing.makeRoom(amountsOf(some));
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

/** Takes a place at the limits of the first model that has one. @throws GatewayError `rate-limited` */
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

/** The sum of two amounts. An amount of the first that has been charged meanwhile is no longer coming. */
const beside = (one: HeldAmounts, { credits, byok }: HeldAmounts): HeldAmounts => ({
  byok: one.byok + byok,
  get credits() {
    return one.credits + credits;
  },
});

const asRoomAhead = (made: MadeRoom<KeyRoom> | undefined): RoomAhead | undefined =>
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

/** Undefined where a limit has no room. */
async function unlessLimited<T>(room: Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await room;
  } catch (error) {
    if (isLimited(error)) return undefined;
    throw error;
  }
}
