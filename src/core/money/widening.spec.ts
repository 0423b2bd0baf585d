/**
 * Figures at, past and far past each bound, and a property over random ones: a hold widened by a reply covers the same
 * reply; nothing is widened within the slack, and never more than four times the bound.
 */
import fc from 'fast-check';
import { observedExcess, VENDOR_OUTPUT_TOKENS, VENDOR_PROMPT_TOKENS, widened, WIDENING_MAX } from './widening.js';

const BOUND = { input: 1_000, output: 100 };
const [INPUT, OUTPUT] = [BOUND.input + VENDOR_PROMPT_TOKENS, BOUND.output + VENDOR_OUTPUT_TOKENS];

describe('learntFrom', () => {
  it.each([
    ['at its bound', { input: 1_000, output: 100 }, 1, undefined],
    ['at the slack', { input: INPUT, output: OUTPUT }, 1, undefined],
    ['past the slack of the output', { input: 10, output: OUTPUT * 2 }, 1, { input: 1, output: 2 }],
    ['past the slack of the prompt', { input: INPUT * 1.5, output: 0 }, 1, { input: 1.5, output: 1 }],
    ['without a limit', { input: Number.MAX_SAFE_INTEGER, output: INPUT * 100 }, 1, { input: 4, output: 4 }],
    ['of two calls together', { input: 2 * INPUT, output: 3 * OUTPUT }, 2, { input: 1, output: 1.5 }],
  ])('of a reply %s', (_, reported, calls, excess) => {
    expect(observedExcess(reported, BOUND, calls)).toEqual(excess);
  });

  it('learns nothing from a request for a single token, where the vendor reports some more', () => {
    expect(observedExcess({ input: 5, output: 17 }, { input: 70, output: 1 }, 1)).toBeUndefined();
  });

  it('widens the bound to cover the reply, up to four times', () => {
    const tokens = fc.nat(1_000_000);
    fc.assert(
      fc.property(tokens, tokens, tokens, tokens, (input, output, ofPrompt, ofReply) => {
        const bound = { input: ofPrompt, output: ofReply };
        const excess = observedExcess({ input, output }, bound, 1);
        if (!excess) return;
        const held = widened(bound, excess, Infinity);
        const most = widened(bound, { input: WIDENING_MAX, output: WIDENING_MAX }, Infinity);
        expect(held.input).toBeGreaterThanOrEqual(Math.min(excess.input > 1 ? input : 0, most.input));
        expect(held.output).toBeGreaterThanOrEqual(Math.min(excess.output > 1 ? output : 0, most.output));
      }),
    );
  });
});

describe('widened', () => {
  it('does not change a side without a widening', () => {
    expect(widened(BOUND, { input: 1, output: 2 }, Infinity)).toEqual({ input: 1_000, output: OUTPUT * 2 });
    expect(widened(BOUND, { input: 1.0625, output: 1 }, Infinity)).toEqual({
      input: Math.ceil(INPUT * 1.0625),
      output: 100,
    });
  });

  it('stays within the context, and at least at the bound by size', () => {
    const most = { input: WIDENING_MAX, output: WIDENING_MAX };
    expect(widened({ input: 1_000, output: 6_000 }, most, 8_000)).toEqual({ input: 8_000, output: 8_000 });
    expect(widened({ input: 8_000, output: 9_000 }, most, 8_000)).toEqual({ input: 8_000, output: 9_000 });
  });
});
