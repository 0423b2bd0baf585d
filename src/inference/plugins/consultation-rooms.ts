import { Injectable } from '@nestjs/common';
import type { PicoUsd } from '../../core/money/credits.js';
import type { Foresight, RequiredCalls } from '../../core/plugin.js';
import { GatewayError } from '../../core/errors.js';
import type { HeldAmounts } from '../../ledger/hold.js';
import type { AdmittedGeneration } from '../admitted-generation.js';
import { FurtherCalls, isLimited, type ForeseenRun, type RoomAhead } from '../further-calls.js';
import type { GenerationBilling } from '../generation-billing.js';
import { holdError } from '../hold-error.js';
import type { KeyRoom } from '../key-rate.js';
import type { OpenUse } from '../open-use.js';
import type { PlannedRequest } from '../request-planner.js';
import { isOnlySandbox } from '../tools/only-sandbox.js';
import type { ActivePlugin } from './active-plugins.js';
import { ForeseenRuns, type Consulting } from './foreseen-runs.js';

/** The consultation of one plugin, with its reservation. */
export interface Turn {
  readonly active: ActivePlugin;
  readonly use: OpenUse;
  readonly price: PicoUsd;
  /** The minimum of tokens that it adds to the prompt. */
  readonly growth: number;
  /** Those that are held for already. */
  readonly heldGrowth: number;
}

/** The reservations for the consultations of one generation. */
export class ConsultationRoom {
  /** For purchases and for what they add to the prompt. */
  private purchases: RoomAhead | undefined;
  private readonly calls = new Map<Turn, RoomAhead>();
  private readonly reviews = new Map<Turn, RoomAhead>();
  private readonly watches: RoomAhead[] = [];

  addPurchases(room: RoomAhead): void {
    this.purchases = room;
  }

  /** For the models that a plugin consults. */
  addCalls(turn: Turn, room: RoomAhead): void {
    this.calls.set(turn, room);
  }

  /** For the models that judge a plugin's content. */
  addReviews(turn: Turn, room: RoomAhead): void {
    this.reviews.set(turn, room);
  }

  /** For the models that judge the beginning of the answer. */
  addWatch(room: RoomAhead): void {
    this.watches.push(room);
  }

  /** Releases the room of the models that the plugin consults: they make reservations of their own. */
  begin(turn: Turn): void {
    this.calls.get(turn)?.release();
  }

  /** Releases the room of the models that judge the plugin's content: they make reservations of their own. */
  review(turn: Turn): void {
    this.reviews.get(turn)?.release();
  }

  /** The tokens of the key that are reserved for the longer prompt. */
  get tokens(): KeyRoom | undefined {
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
 * them: money, tokens of the key, places at the limits of models, free requests.
 */
@Injectable()
export class ConsultationRooms {
  constructor(
    private readonly further: FurtherCalls,
    private readonly foreseen: ForeseenRuns,
  ) {}

  /** @throws GatewayError `payment-required` where there is no money, `rate-limited` past a limit */
  async reserve(start: AdmittedGeneration, turns: readonly Turn[]): Promise<ConsultationRoom> {
    const { generation, admitted } = start;
    const room = new ConsultationRoom();
    const price = turns.reduce((sum, turn) => sum + turn.price, 0n);
    const tokens = turns.reduce((sum, { growth }) => sum + growth, 0);
    const held = turns.reduce((sum, { heldGrowth }) => sum + heldGrowth, 0);
    try {
      const areJudged = await this.reserveJudges(start, turns, room);
      if (price > 0n) await this.reserveModels(start, turns, room);
      if (price > 0n || tokens > 0) {
        const uses = turns.map(({ use }) => use);
        const purchases = await this.further.admitPurchases(admitted, roomOf(price, uses), { tokens, held });
        if (!purchases) throw noRoom(admitted.billing);
        room.addPurchases(purchases);
      }
      // Last, because a place counts as a request whatever follows.
      if (areJudged || price > 0n || tokens > 0) await this.further.enterModels(generation, admitted, tokens);
      return room;
    } catch (error) {
      room.release();
      throw error;
    }
  }

  /** Whether calls could be made at this moment. */
  async isThereRoom(start: AdmittedGeneration, required: RequiredCalls): Promise<boolean> {
    if (required.calls.length === 0) return true;
    try {
      const room = await this.makeRoom(start, await this.foreseen.of(required, consultingOf(start)));
      room?.release();
      return room !== undefined;
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
    turns: readonly Turn[],
    room: ConsultationRoom,
  ): Promise<boolean> {
    const { request, plugins } = start.planned;
    const foresight = foresightOf(start.planned);
    let areJudged = false;
    for (const turn of turns) {
      const { plugin, options } = turn.active;
      if (!plugins.reviewing.includes(turn.active)) continue;
      const calls = (await plugin.foresee?.(request, options, foresight)) ?? NONE;
      await this.add({ calls }, start, 0, (made) => room.addCalls(turn, made));
      const ofReply = plugin.foreseeWatch?.(request, options, foresight) ?? NONE;
      await this.add({ calls: ofReply }, start, 0, (made) => room.addWatch(made));
      areJudged ||= calls.length + ofReply.length > 0;
    }
    return areJudged;
  }

  /** Reserves for the models that purchases require: those that judge them, and those that read them first. */
  private async reserveModels(
    start: AdmittedGeneration,
    turns: readonly Turn[],
    room: ConsultationRoom,
  ): Promise<void> {
    const { request, plugins } = start.planned;
    const foresight = foresightOf(start.planned);
    /** Tokens that the plugins before it add. */
    let added = 0;
    for (const turn of turns) {
      const { active, growth } = turn;
      const { plugin, options } = active;
      if (plugins.reviewing.includes(active)) continue;
      if (plugin.requires) {
        // The output of its models is not judged.
        if (added === 0) continue;
        const required = plugin.requires(request, options, foresight, added);
        await this.add(required, start, added, (made) => room.addCalls(turn, made));
      } else if (growth > 0) {
        const calls = plugins.reviewing.flatMap(
          (reviewer) => reviewer.plugin.requires?.(request, reviewer.options, foresight, growth).calls ?? NONE,
        );
        await this.add({ calls }, start, 0, (made) => room.addReviews(turn, made));
        added += growth;
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
    keep: (room: RoomAhead) => void,
  ): Promise<void> {
    const runs = await this.foreseen.of(required, consultingOf(start), tokens);
    if (runs.length === 0) return;
    const room = await this.makeRoom(start, runs);
    if (!room) throw noRoom(start.admitted.billing);
    keep(room);
  }

  /** @param runs as `ForeseenRuns.of` returns them: makes room for the first set that has it */
  private async makeRoom(
    { generation, admitted }: AdmittedGeneration,
    runs: readonly (readonly ForeseenRun[])[],
  ): Promise<RoomAhead | undefined> {
    if (runs.length === 0) return NO_ROOM_NEEDED;
    let refusal: unknown;
    for (const some of runs) {
      try {
        const room = await this.further.admitAhead(generation, admitted, some);
        // The others cost more.
        if (room || !refusal) return room;
      } catch (error) {
        if (!isLimited(error)) throw error;
        refusal ??= error;
      }
    }
    throw refusal;
  }
}

const NONE: readonly never[] = [];
const NO_ROOM_NEEDED: RoomAhead = { releaseMoney: () => undefined, release: () => undefined };

export const foresightOf = ({ routed }: PlannedRequest): Foresight => ({
  catalog: routed.inputs.catalog,
  isSandbox: isOnlySandbox(routed.plan),
});

const consultingOf = ({ generation, signal }: AdmittedGeneration): Consulting => ({
  caller: generation.caller,
  signal,
});

/** Amounts that have been charged are no longer coming. */
const roomOf = (price: PicoUsd, uses: readonly OpenUse[]): HeldAmounts => ({
  byok: 0n,
  get credits() {
    return uses.reduce((rest, { cost }) => rest - cost, price);
  },
});

/** The error names the counters without room, where they are known. */
export const noRoom = ({ refused }: GenerationBilling): GatewayError =>
  refused
    ? holdError(refused.refusing, refused)
    : new GatewayError(
        'payment-required',
        'Credits or limits do not cover what this request would cost with its plugins.',
      );
