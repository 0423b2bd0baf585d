import { WIDENING_MAX, type Widening } from '../core/money/widening.js';

/**
 * What was learnt is half as much after so long. Chosen: an endpoint that is mended is held for as others are after two
 * hours; one that is not teaches it anew with every reply.
 */
export const WIDENING_HALF_LIFE_MS = 30 * 60_000;
/** Most callers that are told apart; the one whose replies went beyond longest ago goes. */
const CALLERS_MAX = 64;
/** Factors are whole steps, so that a record of them is short and exact. */
const STEPS = 16;

interface Learnt extends Widening {
  /** Epoch milliseconds. */
  readonly at: number;
}

/**
 * How far an endpoint's replies have gone beyond their bounds, by caller. One caller's replies widen the bounds of that
 * one alone: what he sent may have caused it. Where those of two did, all are held for what both have seen.
 */
export class LearntWidening {
  /** The latest last. */
  private readonly callers = new Map<string, Learnt>();

  learn(caller: string, { input, output }: Widening, now: number): void {
    const known = this.callers.get(caller);
    this.callers.delete(caller);
    if (this.callers.size === CALLERS_MAX) this.callers.delete(this.callers.keys().next().value!);
    this.callers.set(caller, {
      input: Math.min(WIDENING_MAX, Math.max(input, known ? faded(known.input, known.at, now) : 1)),
      output: Math.min(WIDENING_MAX, Math.max(output, known ? faded(known.output, known.at, now) : 1)),
      at: now,
    });
  }

  /**
   * What is left of it.
   * @param caller who asks; absent: as all see it
   * @returns undefined where nothing is
   */
  at(now: number, caller?: string): Widening | undefined {
    const inputs: number[] = [];
    const outputs: number[] = [];
    let own: Widening = NONE;
    for (const [name, { input, output, at }] of this.callers) {
      const left = { input: inSteps(faded(input, at, now)), output: inSteps(faded(output, at, now)) };
      if (left.input === 1 && left.output === 1) this.callers.delete(name);
      inputs.push(left.input);
      outputs.push(left.output);
      if (name === caller) own = left;
    }
    const input = Math.max(own.input, secondOf(inputs));
    const output = Math.max(own.output, secondOf(outputs));
    return input > 1 || output > 1 ? { input, output } : undefined;
  }

  get isEmpty(): boolean {
    return this.callers.size === 0;
  }
}

const NONE: Widening = { input: 1, output: 1 };

/** A clock that was set back adds nothing. */
const faded = (factor: number, at: number, now: number): number =>
  1 + (factor - 1) * 2 ** (-Math.max(0, now - at) / WIDENING_HALF_LIFE_MS);

/** Upwards, so that it is enough; less than a step is nothing. */
const inSteps = (factor: number): number => (factor < 1 + 1 / STEPS ? 1 : Math.ceil(factor * STEPS) / STEPS);

/** What at least two have come to. */
const secondOf = (factors: readonly number[]): number => factors.toSorted((one, other) => other - one)[1] ?? 1;
