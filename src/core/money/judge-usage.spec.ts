/**
 * A table of incomplete and false reports, and properties over any figures: charges are plausible reports or at least
 * the estimate, whole figures, never below what was received where nothing was reported, and judging twice changes
 * nothing.
 */
import fc from 'fast-check';
import { endpoint, model, perMillion } from '../../../test/support/route-inputs.js';
import type { ModelRequest } from '../conversation/request.js';
import type { Usage } from '../conversation/usage.js';
import { judgeUsage, type CallFacts } from './judge-usage.js';
import type { MeasuredPrompt } from './measure-prompt.js';
import { costOf } from './pricing.js';
import { VENDOR_OUTPUT_TOKENS, VENDOR_PROMPT_TOKENS } from './widening.js';

const PRICES = { prompt: perMillion(3), completion: perMillion(15), inputCacheWrite1h: perMillion(6), tiers: [] };
const EXECUTOR = endpoint('p', { pricing: PRICES, contextLength: 100_000, upstreamModel: 'small' });
const LEG = { model: model('a/small', [EXECUTOR]), endpoint: EXECUTOR, tier: 'standard' } as const;
const ADVISOR = endpoint('p', { upstreamModel: 'large-1', pricing: { ...PRICES, prompt: perMillion(15) } });
const LARGE = model('a/large', [endpoint('q', { upstreamModel: 'large-1' }), ADVISOR]);

const PROMPT: MeasuredPrompt = {
  textTokens: 200,
  images: 0,
  documents: 0,
  fillsContext: false,
  webSearches: 0,
  maxOutputTokens: 10,
};
const ESTIMATE = 50;
/** 40 bytes: ten tokens. */
const SEEN = 40;

const facts = (reported: Usage, others: Partial<CallFacts> = {}): CallFacts => ({
  reported,
  isReportFinal: true,
  request: {} as ModelRequest,
  prompt: PROMPT,
  leg: LEG,
  estimatePrompt: () => ESTIMATE,
  wantsHourCache: () => false,
  outputBytes: SEEN,
  ranVendorTool: false,
  citesPages: false,
  searchCalls: 0,
  end: 'whole',
  ...others,
});
const judged = (reported: Usage, others?: Partial<CallFacts>): Usage => judgeUsage(facts(reported, others)).usage;
const GOOD = { inputTokens: 60, outputTokens: 9 };

describe('judgeUsage', () => {
  it('returns a credible report unchanged', () => {
    expect(judged(GOOD)).toBe(GOOD);
  });

  it.each<[string, Usage, Partial<CallFacts>, Usage]>([
    ['no report', {}, {}, { inputTokens: 50, outputTokens: 10 }],
    ['no output where some was seen', { inputTokens: 60 }, {}, { inputTokens: 60, outputTokens: 10 }],
    ['0 where some was seen', { inputTokens: 60, outputTokens: 0 }, {}, { inputTokens: 60, outputTokens: 10 }],
    ['no prompt', { outputTokens: 9 }, {}, { inputTokens: 50, outputTokens: 9 }],
    ['a prompt of 0', { inputTokens: 0, outputTokens: 9 }, {}, { inputTokens: 50, outputTokens: 9 }],
    ['a prompt below 0 that cost nothing', { inputTokens: -5, outputTokens: 9, promptIsFree: true }, {}, { inputTokens: 50, outputTokens: 9, promptIsFree: true }],
    ['a prompt below 0', { inputTokens: -5, outputTokens: 9 }, {}, { inputTokens: 50, outputTokens: 9 }],
    ['a fraction below the floor', { inputTokens: 60, outputTokens: 2.5 }, {}, { inputTokens: 60, outputTokens: 10 }],
    ['a fraction above it', { inputTokens: 70.2, outputTokens: 20.5 }, {}, { inputTokens: 71, outputTokens: 21 }],
    ['words', { inputTokens: '60' as never, outputTokens: null as never }, {}, { inputTokens: 50, outputTokens: 10 }],
    ['a report before the last words', { inputTokens: 60, outputTokens: 1 }, { isReportFinal: false }, { inputTokens: 60, outputTokens: 10 }],
    ['one of more than was seen', { inputTokens: 60, outputTokens: 11 }, { isReportFinal: false }, { inputTokens: 60, outputTokens: 11 }],
    ['a reply that was cut', { inputTokens: 60, outputTokens: 4 }, { end: 'cut' }, { inputTokens: 60, outputTokens: 10 }],
    ['a cached prompt without its uncached part', { cacheReadTokens: 30, outputTokens: 9 }, {}, { inputTokens: 20, cacheReadTokens: 30, outputTokens: 9 }],
  ])('estimates, and marks the usage as estimated, for %s', (_, reported, others, usage) => {
    expect(judged(reported, others)).toEqual({ ...usage, estimated: true });
  }); // oxfmt-ignore

  it.each<[string, Usage, Partial<CallFacts>]>([
    ['a whole prompt from the cache', { inputTokens: 0, cacheReadTokens: 60, outputTokens: 9 }, {}],
    ['a prompt of 0 that cost nothing', { inputTokens: 0, outputTokens: 9, promptIsFree: true }, {}],
    ['a reported empty output', { inputTokens: 60, outputTokens: 0 }, { outputBytes: 0 }],
    ['a turn of the vendor’s own code', { inputTokens: 0, outputTokens: 0 }, { outputBytes: 0 }],
    ['what a lost call reported', { outputTokens: 0 }, { end: 'lost' }],
  ])('accepts %s', (_, reported, others) => {
    expect(judged(reported, others)).toEqual(reported);
  });

  it('counts writes for an hour as such where only their sum is reported', () => {
    const written = { ...GOOD, cacheWriteTokens: 100 };
    const hour = { wantsHourCache: () => true };
    expect(judged(written)).toEqual(written);
    expect(judged(written, hour)).toEqual({ ...GOOD, cacheWriteTokens: 0, cacheWrite1hTokens: 100 });
    const parted = { ...written, cacheWrite1hTokens: 0 };
    expect(judged(parted, hour)).toEqual(parted);
    expect(costOf(judged(written, hour), LEG).prompt).toBe(60n * PRICES.prompt + 100n * PRICES.inputCacheWrite1h);
  });

  it('counts one search where none is reported, one was requested and pages are cited', () => {
    const searching = { prompt: { ...PROMPT, webSearches: 30 }, citesPages: true };
    expect(judged(GOOD, searching)).toEqual({ ...GOOD, webSearchRequests: 1, estimated: true });
    expect(judged({ ...GOOD, webSearchRequests: 0 }, searching).webSearchRequests).toBe(0);
    expect(judged(GOOD, { ...searching, citesPages: false })).toBe(GOOD);
    expect(judged(GOOD, { citesPages: true })).toBe(GOOD);
  });

  it('counts the visible searches where none is reported', () => {
    const searching = { prompt: { ...PROMPT, webSearches: 30 }, searchCalls: 2 };
    expect(judged(GOOD, searching)).toEqual({ ...GOOD, webSearchRequests: 2, estimated: true });
    expect(judged(GOOD, { ...searching, citesPages: true }).webSearchRequests).toBe(2);
    expect(judged({ ...GOOD, webSearchRequests: 1 }, searching).webSearchRequests).toBe(1);
  });

  describe('the widening observed in a reply', () => {
    const held = { input: 200 + VENDOR_PROMPT_TOKENS, output: 10 + VENDOR_OUTPUT_TOKENS };
    /** A token for each byte that was sent, and what the vendor adds. */
    const CACHED_MAX = 2 * 200 + VENDOR_PROMPT_TOKENS;
    const widenedLeg = { ...LEG, health: { widening: { input: 1, output: 2 } } };

    it.each<[string, Usage, Partial<CallFacts>, object]>([
      ['within its bound: nothing', GOOD, {}, { isPlausible: true }],
      ['a little above: nothing', { ...GOOD, outputTokens: 11 }, {}, { isPlausible: false, excess: undefined }],
      [
        'far above: how far',
        { ...GOOD, outputTokens: 2 * held.output },
        {},
        { isPlausible: false, excess: { input: 1, output: 2 } },
      ],
      [
        'a long prompt: how far',
        { ...GOOD, inputTokens: 3 * held.input },
        {},
        { isPlausible: false, excess: { input: 3, output: 1 } },
      ],
      [
        'within the widened bound: it is accepted, and observed again',
        { ...GOOD, outputTokens: 2 * held.output },
        { leg: widenedLeg },
        { isPlausible: true, excess: { input: 1, output: 2 } },
      ],
      [
        'above the widened bound: it is not',
        { ...GOOD, outputTokens: 2 * held.output + 1 },
        { leg: widenedLeg },
        { isPlausible: false, excess: { input: 1, output: expect.closeTo(2, 2) } },
      ],
      ['within the original bound again: nothing', GOOD, { leg: widenedLeg }, { isPlausible: true, excess: undefined }],
      [
        'of a tool that the vendor ran: nothing',
        { ...GOOD, outputTokens: 5_000 },
        { ranVendorTool: true },
        { isPlausible: true },
      ],
      [
        'more searches than it may: nothing',
        { ...GOOD, outputTokens: 5_000, webSearchRequests: 1_000 },
        {},
        { isPlausible: false },
      ],
      [
        'a prompt of the context: how far',
        { ...GOOD, inputTokens: 100_000 },
        {},
        { isPlausible: false, excess: { input: 4, output: 1 } },
      ],
      [
        'a prompt of more than the context: nothing',
        { ...GOOD, inputTokens: 100_001 },
        {},
        { isPlausible: false, excess: undefined },
      ],
      [
        'a reply of more than the context: nothing',
        { ...GOOD, outputTokens: 1e12 },
        {},
        { isPlausible: false, excess: undefined },
      ],
      [
        'a trillion of cached tokens: nothing',
        { ...GOOD, cacheReadTokens: 1e12 },
        {},
        { isPlausible: false, excess: undefined },
      ],
      [
        'as many cached tokens as were sent: how far',
        { ...GOOD, cacheReadTokens: CACHED_MAX },
        {},
        { isPlausible: false, excess: { input: (CACHED_MAX + 60) / held.input, output: 1 } },
      ],
      [
        'more cached tokens than were sent: nothing',
        { ...GOOD, cacheReadTokens: CACHED_MAX + 1 },
        {},
        { isPlausible: false, excess: undefined },
      ],
      [
        'more written ones: nothing',
        { ...GOOD, cacheWriteTokens: CACHED_MAX, cacheWrite1hTokens: 1 },
        {},
        { isPlausible: false, excess: undefined },
      ],
      [
        'figures that are no numbers: nothing',
        { ...GOOD, cacheReadTokens: NaN, cacheWriteTokens: -1e12 },
        {},
        { isPlausible: true, excess: undefined },
      ],
      ['an estimate: nothing', { inputTokens: 60 }, { outputBytes: 40_000 }, { isPlausible: false, excess: undefined }],
    ])('%s', (_, reported, others, judgement) => {
      const { usage: _usage, ...rest } = judgeUsage(facts(reported, others));
      expect(rest).toEqual(judgement);
    });
  });

  describe('calls as iterations', () => {
    const call = { inputTokens: 1_000, outputTokens: 100 };

    it('charges a compaction beside the answer, at the same price', () => {
      const usage = judged({
        ...GOOD,
        iterations: [
          { kind: 'compaction', ...call },
          { kind: 'message', ...GOOD },
        ],
      });
      expect(usage).toMatchObject(GOOD);
      expect(costOf(usage, LEG).total).toBe(1_060n * PRICES.prompt + 109n * PRICES.completion);
    });

    it('accepts no compaction above the bound, nor above twice the bound where one was requested', () => {
      const compacted = (tokens: number): Usage => ({
        ...GOOD,
        iterations: [{ kind: 'compaction', inputTokens: tokens, outputTokens: 1 }],
      });
      const room = PROMPT.textTokens + VENDOR_PROMPT_TOKENS;
      const compacting = { prompt: { ...PROMPT, compacts: true } };
      const isPlausible = (tokens: number, others?: Partial<CallFacts>): boolean =>
        judgeUsage(facts(compacted(tokens), others)).isPlausible;
      expect(isPlausible(room - GOOD.inputTokens)).toBe(true);
      expect(isPlausible(room)).toBe(false);
      expect(isPlausible(room, compacting)).toBe(true);
      expect(isPlausible(2 * room, compacting)).toBe(false);
      expect(isPlausible(2 * room, { ...compacting, ranVendorTool: true })).toBe(true);
    });

    it('takes the sum of the calls where the reported total is lower', () => {
      const iterations = [GOOD, GOOD].map((figures) => ({ kind: 'message' as const, ...figures }));
      expect(judged({ ...GOOD, iterations })).toMatchObject({ inputTokens: 120, outputTokens: 18 });
    });

    it.each(['large-1', 'large-1-20260101', undefined])('charges the advisor %s at its own price', (name) => {
      const advised = { kind: 'advisor' as const, ...call, ...(name !== undefined && { model: name }) };
      const prompt = { ...PROMPT, advisors: [{ model: LARGE, uses: 1 }] };
      const usage = judged({ ...GOOD, iterations: [advised] }, { prompt });
      expect(costOf(usage, LEG).total).toBe(
        60n * PRICES.prompt + 9n * PRICES.completion + 1_000n * perMillion(15) + 100n * PRICES.completion,
      );
    });

    it.each([
      [ADVISOR.contextLength - 7, true],
      [ADVISOR.contextLength - 6, false],
    ])(
      'accepts a call of an advisor up to its context: %d tokens of prompt and 7 of output',
      (inputTokens, isPlausible) => {
        const advised = { kind: 'advisor' as const, model: 'large-1', inputTokens, outputTokens: 7 };
        const prompt = { ...PROMPT, advisors: [{ model: LARGE, uses: 1 }] };
        const reported = { ...GOOD, iterations: [{ kind: 'message' as const, ...GOOD }, advised] };
        expect(judgeUsage(facts(reported, { prompt, ranVendorTool: true })).isPlausible).toBe(isPlausible);
      },
    );

    it('charges nothing for an advisor that was not requested', () => {
      const usage = judged({ ...GOOD, iterations: [{ kind: 'advisor', model: 'large-1', ...call }] });
      expect(costOf(usage, LEG)).toEqual(costOf(GOOD, LEG));
    });
  });

  const inputMost = PROMPT.textTokens + VENDOR_PROMPT_TOKENS;
  it.each<[string, Usage, Partial<CallFacts>, boolean]>([
    ['all the output that was allowed', { inputTokens: 60, outputTokens: 10 }, {}, true],
    ['more', { inputTokens: 60, outputTokens: 11 }, {}, false],
    ['more, by reasoning that is in it', { inputTokens: 60, outputTokens: 30, reasoningTokens: 25 }, {}, false],
    ['more, by reasoning that is apart', { inputTokens: 60, outputTokens: 30, reasoningTokens: 25, reasoningIsApart: true }, {}, true],
    ['more, besides such reasoning', { inputTokens: 60, outputTokens: 36, reasoningTokens: 25, reasoningIsApart: true }, {}, false],
    ['more, where the vendor ran a tool', { inputTokens: 60, outputTokens: 11 }, { ranVendorTool: true }, true],
    ['more searches than were allowed', { webSearchRequests: 3 }, { prompt: { ...PROMPT, webSearches: 2 } }, false],
    ['as many as were allowed', { webSearchRequests: 2 }, { prompt: { ...PROMPT, webSearches: 2 } }, true],
    ['searches without a request', { webSearchRequests: 30 }, {}, true],
    ['more of these than the default limit', { webSearchRequests: 31 }, {}, false],
    ['more, where it searched', { inputTokens: 60, outputTokens: 11, webSearchRequests: 1 }, {}, true],
    ['more, where it reports that it ran tools', { inputTokens: 60, outputTokens: 11, ranVendorTools: true }, {}, true],
    ['more, where it cites pages', { inputTokens: 60, outputTokens: 11 }, { citesPages: true }, true],
    ['the longest possible prompt', { inputTokens: inputMost, outputTokens: 1 }, {}, true],
    ['more prompt', { inputTokens: inputMost, cacheReadTokens: 1, outputTokens: 1 }, {}, false],
    ['any output where none was limited', { inputTokens: 60, outputTokens: 100_000 }, { prompt: { ...PROMPT, maxOutputTokens: undefined as never } }, true],
  ])('of %s', (_, reported, others, isPlausible) => {
    expect(judgeUsage(facts(reported, others)).isPlausible).toBe(isPlausible);
  }); // oxfmt-ignore

  const figure = fc.oneof(
    fc.integer({ min: -10, max: 500_000 }),
    fc.double(),
    fc.constantFrom(NaN, Infinity, -0, 2 ** 53, null, '3', undefined),
  ) as fc.Arbitrary<number>;
  const call = fc.record(
    { inputTokens: figure, outputTokens: figure, cacheReadTokens: figure, cacheWriteTokens: figure },
    { requiredKeys: [] },
  );
  const anyUsage = fc
    .tuple(
      fc.record(
        {
          inputTokens: figure,
          outputTokens: figure,
          cacheReadTokens: figure,
          cacheWriteTokens: figure,
          cacheWrite1hTokens: figure,
          reasoningTokens: figure,
          webSearchRequests: figure,
        },
        { requiredKeys: [] },
      ),
      fc.option(fc.array(fc.tuple(fc.constantFrom('message', 'compaction', 'advisor'), call), { maxLength: 3 }), {
        nil: undefined,
      }),
    )
    .map(([usage, calls]) => ({
      ...usage,
      ...(calls && { iterations: calls.map(([kind, figures]) => ({ kind, ...figures })) }),
    })) as fc.Arbitrary<Usage>;
  const anyFacts = fc
    .record({
      reported: anyUsage,
      isReportFinal: fc.boolean(),
      outputBytes: fc.nat(10_000),
      end: fc.constantFrom('whole' as const, 'cut' as const),
      hour: fc.boolean(),
    })
    .map(({ hour, reported, ...others }) => facts(reported, { ...others, wantsHourCache: () => hour }));

  it('charges whole figures, never below zero, and at least the floor where it estimates', () => {
    fc.assert(
      fc.property(anyFacts, (call) => {
        const { usage } = judgeUsage(call);
        expect(costOf(usage, LEG).total).toBeGreaterThanOrEqual(0n);
        for (const value of [usage.inputTokens, usage.outputTokens]) {
          expect(Number.isSafeInteger(value)).toBe(true);
          expect(value).toBeGreaterThanOrEqual(0);
        }
        if (call.outputBytes > 0) expect(usage.outputTokens).toBeGreaterThan(0);
        if (!call.isReportFinal || call.end === 'cut')
          expect(usage.outputTokens).toBeGreaterThanOrEqual(Math.ceil(call.outputBytes / 4));
      }),
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(anyFacts, (call) => {
        const { usage } = judgeUsage(call);
        expect(judgeUsage({ ...call, reported: usage }).usage).toEqual(usage);
      }),
      { numRuns: 1_000 },
    );
  });

  it('estimates the prompt of 0 of a call whose output is in the list of calls alone', () => {
    const iterations = [{ kind: 'message', outputTokens: 1 }] as const;
    const call = facts({ inputTokens: 0, outputTokens: 0, iterations });
    const { usage } = judgeUsage(call);
    expect(usage).toMatchObject({ estimated: true, outputTokens: 1 });
    expect(usage.inputTokens).toBeGreaterThan(0);
    expect(judgeUsage({ ...call, reported: usage }).usage).toEqual(usage);
  });

  it('cuts the sum of calls like each of them', () => {
    const iterations = [
      { kind: 'message', inputTokens: 9_007_199_254_740_992 },
      { kind: 'message', inputTokens: 5e-324 },
    ] as const;
    const call = facts({ inputTokens: 0, outputTokens: 0, cacheWriteTokens: 0, iterations });
    const { usage } = judgeUsage(call);
    expect(usage.inputTokens).toBe(400_000);
    expect(judgeUsage({ ...call, reported: usage }).usage).toEqual(usage);
  });
});
