import { Injectable } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import type { CancelSignal } from '../core/cancellation.js';
import type { ModelRequest } from '../core/conversation/request.js';
import type { Generation } from '../core/generation/generation.js';
import type { GenerationId } from '../core/ids.js';
import { billBound } from '../core/money/bill.js';
import { PICO_PER_USD, type PicoUsd } from '../core/money/credits.js';
import { measurePrompt, type MeasuredPrompt } from '../core/money/measure-prompt.js';
import { SHARED_CREDENTIAL } from '../core/routing/credential.js';
import type { Exclusion, Leg, Plan, PlannedLeg } from '../core/routing/plan.js';
import { Clock, DAY_MS, windowStart, type Interval } from '../core/time.js';
import { countedBy, remainingOf, type HeldAmounts, type Hold, type HoldRefusal } from '../ledger/hold.js';
import { LedgerService } from '../ledger/ledger.service.js';
import { FreeGate, freeDayError } from '../limits/free-gate.js';
import { ModelGate } from '../limits/model-gate.js';
import { BillingService } from './billing.service.js';
import { GenerationBilling } from './generation-billing.js';
import { holdError, type CheapestLeg } from './hold-error.js';
import { ModelSlots } from './model-slots.js';

/** Statements for one request: each further one leaves out what the one before it found no room for. */
const TRIES_MAX = 4;
/** Catalogue variants that cost nothing and are limited by number instead. */
const FREE_VARIANT = ':free';

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
  /** Whether its models may be called. */
  readonly modelLimiter: ModelSlots;
}

interface PricedLeg extends CheapestLeg {
  readonly leg: PlannedLeg;
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
  constructor(
    private readonly ledger: LedgerService,
    private readonly billing: BillingService,
    private readonly freeGate: FreeGate,
    private readonly models: ModelGate,
    private readonly clock: Clock,
  ) {}

  /** The most that a call of each leg can cost; what a caller is shown and what is held. */
  price(prompt: MeasuredPrompt, leg: Leg): HeldAmounts {
    const { cost, byokCost } = billBound(prompt, leg, this.billing.fee);
    return { credits: cost, byok: byokCost };
  }

  /** Whether each leg would be granted, alone and now. Takes nothing, and asks nothing of limits of number. */
  async forecast(plan: Plan, { request, caller, guardrails }: AdmissionInputs): Promise<ReadonlyMap<Leg, LegForecast>> {
    const prompt = measurePrompt(request);
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
   * @throws GatewayError 402 or 403 when no leg can be paid for, 429 past the free requests, 503 while the
   *   ledger cannot be written
   */
  async admit(generation: Generation, payer: AdmissionInputs, signal: CancelSignal): Promise<Admitted> {
    const prompt = measurePrompt(payer.request);
    const planned = generation.plan!;
    const { hold, legs } = await this.reserve(generation.id, planned, prompt, payer, signal);
    const billing = new GenerationBilling(this.billing, generation, hold, prompt);
    const modelLimiter = new ModelSlots(this.models, generation);
    generation.observe(billing);
    generation.observe(modelLimiter);
    const plan = withLegs(planned, legs);
    generation.held(plan);
    return { plan, prompt, billing, modelLimiter };
  }

  private async reserve(
    id: GenerationId,
    plan: Plan,
    prompt: MeasuredPrompt,
    { caller, guardrails }: AdmissionInputs,
    signal: CancelSignal,
  ): Promise<{ readonly hold: Hold; readonly legs: readonly PricedLeg[] }> {
    let legs: readonly PricedLeg[] = plan.legs.map((leg) => ({ leg, amounts: this.price(prompt, leg) }));
    for (let tries = 1; ; tries++) {
      const isFree = legs.some(({ leg }) => isFreeVariant(leg));
      const model = legs[0]?.leg.model.id ?? plan.requested;
      const outcome = await this.ledger.hold(
        { id, caller, guardrails, model, bound: mostExpensive(legs), isFree },
        signal,
      );
      if ('granted' in outcome) {
        const hold = outcome.granted;
        return { hold, legs: isFree ? await this.enterFree(hold, legs) : legs };
      }
      const { refused } = outcome;
      const next = withoutRefused(legs, refused);
      if (next.length === 0 || tries === TRIES_MAX) throw refusalOf(refused, prompt, legs, this.clock.now());
      legs = next;
    }
  }

  private async enterFree(hold: Hold, legs: readonly PricedLeg[]): Promise<readonly PricedLeg[]> {
    try {
      await this.freeGate.enter(hold.request.caller.accountId);
      return legs;
    } catch (error) {
      const paid = legs.filter(({ leg }) => !isFreeVariant(leg));
      if (paid.length > 0) return paid;
      // It was not admitted, so it does not count.
      await this.ledger.withdraw(hold);
      throw error;
    }
  }
}

const viewRefusal = (refused: HoldRefusal): NonNullable<LegForecast['refused']> => ({
  counter: refused.scope,
  interval: refused.interval,
  limit: refused.limit,
  left: remainingOf(refused),
});

/** Through the caller's own credential nothing is free, nor counted as such (docs/wire/limits.md#free-variants). */
const isFreeVariant = ({ model, credential }: Leg): boolean =>
  credential === SHARED_CREDENTIAL && model.id.endsWith(FREE_VARIANT);

/** One call of any leg: only one answers, and only that one is charged. */
function mostExpensive(legs: readonly PricedLeg[]): HeldAmounts {
  let credits = 0n;
  let byok = 0n;
  for (const { amounts } of legs) {
    if (amounts.credits > credits) credits = amounts.credits;
    if (amounts.byok > byok) byok = amounts.byok;
  }
  return { credits, byok };
}

function isAffordable(refused: HoldRefusal, { leg, amounts }: PricedLeg): boolean {
  if (refused.scope === 'free_requests') return !isFreeVariant(leg);
  const counted = countedBy(refused, amounts);
  // What costs nothing passes as long as nothing is owed.
  return counted === 0n ? refused.used <= refused.limit : counted <= remainingOf(refused);
}

/** What is left to try when a counter had no room for the most expensive of these legs. */
function withoutRefused(legs: readonly PricedLeg[], refused: HoldRefusal): readonly PricedLeg[] {
  const left = legs.filter((priced) => isAffordable(refused, priced));
  // What has room by these figures was refused by figures that have moved on: the most expensive goes.
  const cheaper = left.length < legs.length ? left : withoutMostExpensive(legs, refused);
  // Either kind alone has room: together they are held as if both were called. The caller's own come first.
  return cheaper.length < legs.length ? cheaper : legs.filter(({ leg }) => leg.credential !== SHARED_CREDENTIAL);
}

function withoutMostExpensive(legs: readonly PricedLeg[], refused: HoldRefusal): readonly PricedLeg[] {
  const most = mostExpensive(legs);
  return legs.filter(({ amounts }) => countedBy(refused, amounts) < countedBy(refused, most));
}

function refusalOf(refused: HoldRefusal, prompt: MeasuredPrompt, legs: readonly PricedLeg[], now: number): Error {
  if (refused.scope === 'free_requests') {
    const limit = Number(refused.limit / PICO_PER_USD);
    return freeDayError({ limit, resetAtMs: windowStart('daily', now).getTime() + DAY_MS });
  }
  let cheapest = legs[0];
  for (const priced of legs) {
    if (cheapest && countedBy(refused, priced.amounts) < countedBy(refused, cheapest.amounts)) cheapest = priced;
  }
  return holdError(refused, prompt, cheapest);
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
