import type { Generation, GenerationObserver } from '../../core/generation/generation.js';
import type { MeasuredPrompt } from '../../core/money/measure-prompt.js';
import type { PlannedLeg } from '../../core/routing/plan.js';
import type { KeyGate, LimitedCaller } from '../../rate-limits/key-gate.js';
import type { LimitSlot } from '../../rate-limits/limit-slot.js';
import { reservedFor, usedBy } from './call-tokens.js';

type Legs = readonly Pick<PlannedLeg, 'model'>[];

/** The most tokens that a call of any of these legs may use. */
export const mostTokens = (legs: Legs, prompt: MeasuredPrompt): number =>
  legs.reduce((most, { model }) => Math.max(most, reservedFor(model, prompt)), 0);

/** The tokens that were taken at one time from the minute of the key. */
interface TakenTokens {
  readonly slot: LimitSlot;
  readonly tokens: number;
  /** Tokens that are neither used by a call nor reserved for one. */
  spare: number;
  /** The prompts of the calls whose usage counts in it. */
  readonly prompts: Set<MeasuredPrompt>;
}

interface TokenShare {
  readonly of: TakenTokens;
  readonly tokens: number;
}

/**
 * Tokens that are reserved before a purchase for the calls that read it, so that no limit refuses those. Once it is
 * released, any call of its generation may use them.
 */
export class TokenReservation {
  /** The parts of the earliest claims first. */
  constructor(private parts: readonly TokenShare[]) {}

  get tokens(): number {
    return this.parts.reduce((sum, { tokens }) => sum + tokens, 0);
  }

  /** Removes and returns all parts. */
  take(): readonly TokenShare[] {
    const { parts } = this;
    this.parts = [];
    return parts;
  }

  release(): void {
    for (const { of, tokens } of this.take()) of.spare += tokens;
  }
}

/**
 * The use of its key's limits by one generation: one request, and the tokens of all its calls, including further steps
 * and consultations, in the minutes in which they begin or in which something is bought for them. Corrected at its end,
 * while those minutes last.
 */
export class KeyRate implements GenerationObserver {
  /** Taken after the admission of the request. */
  private readonly taken: TakenTokens[] = [];
  private takings = 0;
  /** Settles, never rejects, when the latest claim has succeeded or failed. */
  private taking: Promise<unknown> = DONE;

  /** @param first the slot that the request itself was admitted with */
  constructor(
    private readonly gate: KeyGate,
    private readonly generation: Generation,
    private readonly caller: LimitedCaller,
    private readonly first: LimitSlot,
  ) {}

  /**
   * Takes the tokens of a further call.
   * @param prompt of its run alone
   * @param reservation reserved for it, of which it uses what it needs
   * @throws GatewayError `rate-limited`: the reservation is unchanged
   */
  async takeTokens(legs: Legs, prompt: MeasuredPrompt, reservation?: TokenReservation): Promise<void> {
    const parts = await this.take(this.limited(mostTokens(legs, prompt)), reservation);
    parts.at(-1)?.of.prompts.add(prompt);
  }

  /**
   * Takes the additional tokens of the admitted call, whose prompt has grown.
   * @param reservation as for `takeTokens`
   * @throws GatewayError `rate-limited`
   */
  async takeAddedTokens(
    legs: Legs,
    prompt: MeasuredPrompt,
    admitted: AdmittedCall,
    reservation?: TokenReservation,
  ): Promise<void> {
    await this.take(this.addedTokensOf(legs, prompt, admitted), reservation);
  }

  /** Reserves the tokens of a further call. @throws GatewayError `rate-limited` */
  async reserve(tokens: number): Promise<TokenReservation> {
    return new TokenReservation(await this.take(this.limited(tokens)));
  }

  /** Reserves what `takeAddedTokens` takes for such a prompt. @throws GatewayError `rate-limited` */
  async reserveAddedTokens(legs: Legs, prompt: MeasuredPrompt, admitted: AdmittedCall): Promise<TokenReservation> {
    return new TokenReservation(await this.take(this.addedTokensOf(legs, prompt, admitted)));
  }

  /** Returns each slot whose tokens are all unused. A slot that is partly used is kept whole. */
  giveBack(): void {
    for (let index = this.taken.length - 1; index >= 0; index--) {
      const { slot, tokens, spare } = this.taken[index]!;
      if (spare < tokens) continue;
      slot.release(0);
      this.taken.splice(index, 1);
    }
  }

  ended({ calls }: Generation): undefined {
    const counted = new Set<MeasuredPrompt>();
    for (const { slot, prompts } of this.taken) {
      slot.release(usedBy(calls.filter(({ run }) => prompts.has(run.prompt))));
      for (const prompt of prompts) counted.add(prompt);
    }
    this.first.release(usedBy(calls.filter(({ run }) => !counted.has(run.prompt))));
  }

  /** A call that needs more than a whole minute takes all of it. */
  private limited(tokens: number): number {
    const { tokensPerMinute = 0 } = this.caller.rateLimits;
    return Math.min(Math.ceil(tokens), tokensPerMinute);
  }

  /** The growth of a call that has all of a minute takes nothing. */
  private addedTokensOf(legs: Legs, prompt: MeasuredPrompt, admitted: AdmittedCall): number {
    const { tokensPerMinute = 0 } = this.caller.rateLimits;
    const before = mostTokens(admitted.plan.legs, admitted.prompt);
    return before < tokensPerMinute ? Math.ceil(mostTokens(legs, prompt) - before) : 0;
  }

  /** Takes tokens one after another, because each taking decides how many the next one needs. */
  private take(tokens: number, reservation?: TokenReservation): Promise<readonly TokenShare[]> {
    if (tokens <= 0) return NOTHING;
    const taken = this.taking.then(() => this.takeNext(tokens, reservation));
    this.taking = taken.catch(() => undefined);
    return taken;
  }

  private async takeNext(tokens: number, reservation: TokenReservation | undefined): Promise<readonly TokenShare[]> {
    const spare = this.taken.reduce((sum, part) => sum + part.spare, reservation?.tokens ?? 0);
    if (tokens > spare) await this.takeMore(tokens - spare);
    reservation?.release();
    const parts: TokenShare[] = [];
    let needed = tokens;
    // The latest first: its minute lasts longest.
    for (const of of this.taken.toReversed()) {
      const some = Math.min(needed, of.spare);
      if (some === 0) continue;
      of.spare -= some;
      needed -= some;
      parts.unshift({ of, tokens: some });
    }
    return parts;
  }

  private async takeMore(tokens: number): Promise<void> {
    const slot = await this.gate.enterFurther(this.caller, `${this.generation.id}:${++this.takings}`, tokens);
    if (this.generation.phase === 'ended') slot.release(0);
    else this.taken.push({ slot, tokens, spare: tokens, prompts: new Set() });
  }
}

/** The call that a request was admitted for. */
interface AdmittedCall {
  readonly plan: { readonly legs: Legs };
  readonly prompt: MeasuredPrompt;
}

const DONE = Promise.resolve();
const NOTHING = Promise.resolve<readonly TokenShare[]>([]);
