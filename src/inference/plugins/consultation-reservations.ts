import { Injectable } from '@nestjs/common';
import type { PicoUsd } from '../../core/money/credits.js';
import type { PlanningContext, RequiredCalls } from '../../core/plugin.js';
import { GatewayError } from '../../core/errors.js';
import type { HeldAmounts } from '../../ledger/hold.js';
import type { AdmittedGeneration } from '../billing/admitted-generation.js';
import { FurtherCalls, isLimited, type PricedRun, type AheadReservation } from '../further-calls.js';
import type { GenerationBilling } from '../billing/generation-billing.js';
import { holdError } from '../billing/hold-error.js';
import type { TokenReservation } from '../billing/key-rate.js';
import type { ChargedToolUse } from '../billing/charged-tool-use.js';
import type { PlannedRequest } from '../request-planner.js';
import { isOnlySandbox } from '../tools/only-sandbox.js';
import type { ActivePlugin } from './active-plugins.js';
import { ConsultationPlanner, type Consulting } from './consultation-planner.js';

/** The consultation of one plugin, with its reservation. */
export interface PluginConsultation {
  readonly active: ActivePlugin;
  readonly use: ChargedToolUse;
  readonly price: PicoUsd;
  /** The minimum of tokens that it adds to the prompt. */
  readonly addedTokens: number;
  /** The part of `addedTokens` that is held for already. */
  readonly heldTokens: number;
}

/** The reservations for the consultations of one generation. */
export class ConsultationReservation {
  /** For purchases and for what they add to the prompt. */
  private purchases: AheadReservation | undefined;
  private readonly calls = new Map<PluginConsultation, AheadReservation>();
  private readonly reviews = new Map<PluginConsultation, AheadReservation>();
  private readonly watches: AheadReservation[] = [];

  addPurchases(reservation: AheadReservation): void {
    this.purchases = reservation;
  }

  /** For the models that a plugin consults. */
  addCalls(consultation: PluginConsultation, reservation: AheadReservation): void {
    this.calls.set(consultation, reservation);
  }

  /** For the models that judge a plugin's content. */
  addReviews(consultation: PluginConsultation, reservation: AheadReservation): void {
    this.reviews.set(consultation, reservation);
  }

  /** For the models that judge the beginning of the answer. */
  addWatch(reservation: AheadReservation): void {
    this.watches.push(reservation);
  }

  /** Releases the reservation of the models that the plugin consults: each makes its reservation when it is called. */
  begin(consultation: PluginConsultation): void {
    this.calls.get(consultation)?.release();
  }

  /**
   * Releases the reservation of the models that judge the plugin's content: each makes its reservation when it is
   * called.
   */
  review(consultation: PluginConsultation): void {
    this.reviews.get(consultation)?.release();
  }

  /** The tokens of the key that are reserved for the longer prompt. */
  get tokens(): TokenReservation | undefined {
    return this.purchases?.tokens;
  }

  /** Releases the money. The tokens of the longer prompt stay reserved for it. */
  releaseMoney(): void {
    this.purchases?.releaseMoney();
    for (const { release } of [...this.calls.values(), ...this.reviews.values()]) release();
  }

  release(): void {
    this.releaseMoney();
    this.purchases?.release();
    for (const { release } of this.watches) release();
  }
}

/**
 * Reserves, before a plugin buys anything, the minimum of what the purchases need and of everything that depends on
 * them: money, tokens of the key, slots at the limits of models, free requests.
 */
@Injectable()
export class ConsultationReservations {
  constructor(
    private readonly further: FurtherCalls,
    private readonly planner: ConsultationPlanner,
  ) {}

  /** @throws GatewayError `payment-required` where there is no money, `rate-limited` past a limit */
  async reserve(
    start: AdmittedGeneration,
    consultations: readonly PluginConsultation[],
  ): Promise<ConsultationReservation> {
    const { generation, admitted } = start;
    const reservation = new ConsultationReservation();
    const price = consultations.reduce((sum, consultation) => sum + consultation.price, 0n);
    const tokens = consultations.reduce((sum, { addedTokens }) => sum + addedTokens, 0);
    const held = consultations.reduce((sum, { heldTokens }) => sum + heldTokens, 0);
    try {
      const areJudged = await this.reserveJudges(start, consultations, reservation);
      if (price > 0n) await this.reserveModels(start, consultations, reservation);
      if (price > 0n || tokens > 0) {
        const uses = consultations.map(({ use }) => use);
        const purchases = await this.further.admitPurchases(admitted, amountsToReserve(price, uses), { tokens, held });
        if (!purchases) throw noBudgetLeft(admitted.billing);
        reservation.addPurchases(purchases);
      }
      // Last, because a slot counts as a request whatever follows.
      if (areJudged || price > 0n || tokens > 0) await this.further.enterModels(generation, admitted, tokens);
      return reservation;
    } catch (error) {
      reservation.release();
      throw error;
    }
  }

  /** Whether calls could be made at this moment. */
  async canReserve(start: AdmittedGeneration, required: RequiredCalls): Promise<boolean> {
    if (required.calls.length === 0) return true;
    try {
      const reservation = await this.reserveNext(start, await this.planner.planRuns(required, consultingOf(start)));
      reservation?.release();
      return reservation !== undefined;
    } catch (error) {
      if (isLimited(error)) return false;
      throw error;
    }
  }

  /**
   * Reserves for the models that judge the caller's own content and the beginning of the answer: all their calls, or
   * none is made.
   * @returns whether there are any
   */
  private async reserveJudges(
    start: AdmittedGeneration,
    consultations: readonly PluginConsultation[],
    reservation: ConsultationReservation,
  ): Promise<boolean> {
    const { request, plugins } = start.planned;
    const planningContext = planningContextOf(start.planned);
    let areJudged = false;
    for (const consultation of consultations) {
      const { plugin, options } = consultation.active;
      if (!plugins.reviewing.includes(consultation.active)) continue;
      const calls = (await plugin.planConsultations?.(request, options, planningContext)) ?? NONE;
      await this.add({ calls }, start, 0, (made) => reservation.addCalls(consultation, made));
      const ofReply = plugin.planWatchConsultations?.(request, options, planningContext) ?? NONE;
      await this.add({ calls: ofReply }, start, 0, (made) => reservation.addWatch(made));
      areJudged ||= calls.length + ofReply.length > 0;
    }
    return areJudged;
  }

  /** Reserves for the models that purchases require: those that judge them, and those that read them first. */
  private async reserveModels(
    start: AdmittedGeneration,
    consultations: readonly PluginConsultation[],
    reservation: ConsultationReservation,
  ): Promise<void> {
    const { request, plugins } = start.planned;
    const planningContext = planningContextOf(start.planned);
    /** Tokens that the plugins before it add. */
    let added = 0;
    for (const consultation of consultations) {
      const { active, addedTokens } = consultation;
      const { plugin, options } = active;
      if (plugins.reviewing.includes(active)) continue;
      if (plugin.requires) {
        // The output of its models is not judged.
        if (added === 0) continue;
        const required = plugin.requires(request, options, planningContext, added);
        await this.add(required, start, added, (made) => reservation.addCalls(consultation, made));
      } else if (addedTokens > 0) {
        const calls = plugins.reviewing.flatMap(
          (reviewer) =>
            reviewer.plugin.requires?.(request, reviewer.options, planningContext, addedTokens).calls ?? NONE,
        );
        await this.add({ calls }, start, 0, (made) => reservation.addReviews(consultation, made));
        added += addedTokens;
      }
    }
  }

  /**
   * @param tokens that each of the calls reads beside its request
   * @throws GatewayError `payment-required` where there is no money, `rate-limited` past a limit
   */
  private async add(
    required: RequiredCalls,
    start: AdmittedGeneration,
    tokens: number,
    keep: (reservation: AheadReservation) => void,
  ): Promise<void> {
    const runs = await this.planner.planRuns(required, consultingOf(start), tokens);
    if (runs.length === 0) return;
    const reservation = await this.reserveNext(start, runs);
    if (!reservation) throw noBudgetLeft(start.admitted.billing);
    keep(reservation);
  }

  /** @param runs as `ConsultationPlanner.planRuns` returns them: reserves for the first set that has it */
  private async reserveNext(
    { generation, admitted }: AdmittedGeneration,
    runs: readonly (readonly PricedRun[])[],
  ): Promise<AheadReservation | undefined> {
    if (runs.length === 0) return NOTHING_TO_RESERVE;
    let refusal: unknown;
    for (const some of runs) {
      try {
        const reservation = await this.further.admitAhead(generation, admitted, some);
        // The others cost more.
        if (reservation || !refusal) return reservation;
      } catch (error) {
        if (!isLimited(error)) throw error;
        refusal ??= error;
      }
    }
    throw refusal;
  }
}

const NONE: readonly never[] = [];
const NOTHING_TO_RESERVE: AheadReservation = { releaseMoney: () => undefined, release: () => undefined };

export const planningContextOf = ({ routed }: PlannedRequest): PlanningContext => ({
  catalog: routed.inputs.catalog,
  isSandbox: isOnlySandbox(routed.plan),
});

const consultingOf = ({ generation, signal }: AdmittedGeneration): Consulting => ({
  caller: generation.caller,
  signal,
});

/** Amounts that have been charged are no longer coming. */
const amountsToReserve = (price: PicoUsd, uses: readonly ChargedToolUse[]): HeldAmounts => ({
  byok: 0n,
  get credits() {
    return uses.reduce((rest, { cost }) => rest - cost, price);
  },
});

/** The error names the counters without enough balance, where they are known. */
export const noBudgetLeft = ({ refused }: GenerationBilling): GatewayError =>
  refused
    ? holdError(refused.refusing, refused)
    : new GatewayError(
        'payment-required',
        'Credits or limits do not cover what this request would cost with its plugins.',
      );
