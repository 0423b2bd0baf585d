/** The most tokens that one call may be charged for. */
export interface TokenBound {
  readonly input: number;
  readonly output: number;
}

/**
 * Factors by which recent replies of an endpoint exceeded the bounds of their holds: from 1 to `WIDENING_MAX`, for each
 * side (docs/contribute/decisions/0035-one-rule-for-usage.md).
 */
export interface Widening {
  readonly input: number;
  readonly output: number;
}

/** Figures beyond this factor are not accepted from a provider, however often it reports them. */
export const WIDENING_MAX = 4;

/**
 * Tokens that a vendor adds to a prompt and that the sizes of the request do not show: instructions before the prompt
 * or its tools. Vendors are known to add some hundred (docs/contribute/reasons/money.md#plausible-usage). Chosen well
 * above.
 */
export const VENDOR_PROMPT_TOKENS = 4_096;

/**
 * Tokens that a vendor adds to a reply: its end marker, small errors of the count, the vendor's minimum. They widen
 * nothing, because a request for a single token would otherwise widen the bounds for all callers.
 */
export const VENDOR_OUTPUT_TOKENS = 256;

/**
 * The bound of a call at an endpoint whose replies exceeded their bounds. No model reads or writes more than its
 * context, so that factors observed in short replies do not take long ones past it.
 * @param contextLength of the endpoint, in tokens
 */
export const widened = ({ input, output }: TokenBound, by: Widening, contextLength: number): TokenBound => ({
  input: side(input, VENDOR_PROMPT_TOKENS, by.input, contextLength),
  output: side(output, VENDOR_OUTPUT_TOKENS, by.output, contextLength),
});

/**
 * The widening that a reply shows to be necessary: with it, the hold would have covered the same reply.
 * @param reported tokens of either side, of all calls that were held together
 * @param bound of one of them, from sizes alone
 * @returns undefined where it kept to its bound
 */
export function observedExcess(reported: TokenBound, bound: TokenBound, calls: number): Widening | undefined {
  const input = factor(reported.input, calls * (bound.input + VENDOR_PROMPT_TOKENS));
  const output = factor(reported.output, calls * (bound.output + VENDOR_OUTPUT_TOKENS));
  return input > 1 || output > 1 ? { input, output } : undefined;
}

const side = (tokens: number, slack: number, by: number, most: number): number =>
  by > 1 ? Math.max(tokens, Math.min(most, Math.ceil((tokens + slack) * by))) : tokens;

const factor = (reported: number, held: number): number => Math.min(WIDENING_MAX, Math.max(1, reported / held));
