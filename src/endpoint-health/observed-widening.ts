import { WIDENING_MAX, type Widening } from '../core/money/widening.js';

/**
 * Half-life of a widening. Chosen: a repaired endpoint is back to usual holds after two hours; an unrepaired one renews
 * its widening with every reply.
 */
export const WIDENING_HALF_LIFE_MS = 30 * 60_000;
/**
 * Maximum number of callers that are kept separately; the one whose replies exceeded their bounds longest ago is
 * dropped.
 */
const CALLERS_MAX = 64;
/** Factors are rounded up to multiples of one part in this many, so that a record of them is short and exact. */
const STEPS = 16;

interface ObservedFactors extends Widening {
  /** Epoch milliseconds. */
  readonly at: number;
}

/**
 * Factors by which an endpoint's replies have exceeded their bounds, by caller. The replies of one caller widen only
 * the bounds of that caller, whose requests may have caused them. A factor that the replies of at least two callers
 * have exceeded applies to all.
 */
export class ObservedWidening {
  /** The most recent last. */
  private readonly callers = new Map<string, ObservedFactors>();

  observe(caller: string, { input, output }: Widening, now: number): void {
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
   * The rest of the widening, which fades with time.
   * @param caller the requesting caller; absent: the widening that applies to all
   * @returns undefined where it has faded completely
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

/** Rounds up, so that it is enough; less than a step is dropped. */
const inSteps = (factor: number): number => (factor < 1 + 1 / STEPS ? 1 : Math.ceil(factor * STEPS) / STEPS);

/** The second highest factor: at least two callers have reached it. */
const secondOf = (factors: readonly number[]): number => factors.toSorted((one, other) => other - one)[1] ?? 1;
