/** The most tokens one call may be charged for. */
export interface TokenBound {
  readonly input: number;
  readonly output: number;
}

/**
 * How far replies of an endpoint have gone beyond what they were held for, of late: factors from 1 to `WIDENING_MAX`
 * for either side (docs/decisions/0051-bounds-widen-by-what-was-learnt.md).
 */
export interface Widening {
  readonly input: number;
  readonly output: number;
}

/** Past it a provider is not believed, however often it repeats itself. */
export const WIDENING_MAX = 4;

/**
 * Words of a vendor's own that no size of the request tells: instructions it puts before a prompt or its tools. They
 * are known to come to some hundred tokens (docs/reasons/money.md#plausible-usage). Chosen well above.
 */
export const VENDOR_PROMPT_TOKENS = 4_096;

/**
 * The same of a reply: its end, a count that is off by some, the least that a vendor says. Nothing is learnt of that,
 * or whoever asks for a single token would widen the bounds of all.
 */
export const VENDOR_OUTPUT_TOKENS = 256;

/**
 * What a prompt and a reply are held for where a reply of theirs went beyond its bound. No model reads or writes more
 * than its context: what was learnt of short replies does not take long ones past it.
 * @param contextLength of the endpoint, tokens
 */
export const widened = ({ input, output }: TokenBound, by: Widening, contextLength: number): TokenBound => ({
  input: side(input, VENDOR_PROMPT_TOKENS, by.input, contextLength),
  output: side(output, VENDOR_OUTPUT_TOKENS, by.output, contextLength),
});

/**
 * What a reply teaches of its endpoint: held for it, the same reply would have been paid.
 * @param told tokens of either side, of all calls that were held together
 * @param bound what sizes alone say of one of them
 * @returns undefined where it kept to its bound
 */
export function learntFrom(told: TokenBound, bound: TokenBound, calls: number): Widening | undefined {
  const input = factor(told.input, calls * (bound.input + VENDOR_PROMPT_TOKENS));
  const output = factor(told.output, calls * (bound.output + VENDOR_OUTPUT_TOKENS));
  return input > 1 || output > 1 ? { input, output } : undefined;
}

const side = (tokens: number, slack: number, by: number, most: number): number =>
  by > 1 ? Math.max(tokens, Math.min(most, Math.ceil((tokens + slack) * by))) : tokens;

const factor = (told: number, held: number): number => Math.min(WIDENING_MAX, Math.max(1, told / held));
