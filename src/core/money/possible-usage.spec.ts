// Figures at and past what can be true, by the context and by the prompt that was sent: what cannot be is not counted,
// whatever else the report contains.
import { endpoint, model } from '../../../test/support/route-inputs.js';
import type { Usage } from '../conversation/usage.js';
import type { MeasuredPrompt } from './measure-prompt.js';
import { possibleUsage, type ReportedCall } from './possible-usage.js';
import { VENDOR_PROMPT_TOKENS } from './widening.js';

const CONTEXT = 100_000;
const ENDPOINT = endpoint('p', { contextLength: CONTEXT });
const LEG = { model: model('a/small', [ENDPOINT]), endpoint: ENDPOINT, tier: 'standard' } as const;
const PROMPT: MeasuredPrompt = { textTokens: 200, images: 0, documents: 0, fillsContext: false, webSearches: 0 };
const CACHED_MAX = 2 * 200 + VENDOR_PROMPT_TOKENS;

const call = (usage: Usage, others: Partial<ReportedCall> = {}): ReportedCall => ({
  usage,
  run: { prompt: PROMPT },
  leg: LEG,
  ranVendorTool: false,
  citesPages: false,
  ...others,
});
const GOOD = { inputTokens: 60, outputTokens: 9 };

it.each<Usage>([
  GOOD,
  {},
  { ...GOOD, inputTokens: CONTEXT },
  { ...GOOD, outputTokens: CONTEXT },
  { ...GOOD, cacheReadTokens: CACHED_MAX },
  { ...GOOD, cacheReadTokens: 1, cacheWriteTokens: 1, cacheWrite1hTokens: CACHED_MAX - 2 },
])('keeps what can be true: %j', (usage) => {
  expect(possibleUsage(call(usage))).toBe(usage);
});

it.each<[Usage, Usage]>([
  [{ ...GOOD, cacheReadTokens: 1e12 }, GOOD],
  [{ ...GOOD, cacheReadTokens: CACHED_MAX + 1 }, GOOD],
  [{ ...GOOD, cacheReadTokens: CACHED_MAX, cacheWriteTokens: 1 }, GOOD],
  [{ ...GOOD, cacheReadTokens: NaN, cacheWriteTokens: -5 }, GOOD],
  [{ inputTokens: 1e12, outputTokens: 9 }, { outputTokens: 9 }],
  [
    { inputTokens: CONTEXT, cacheReadTokens: 1, outputTokens: 9 },
    { cacheReadTokens: 1, outputTokens: 9 },
  ],
  [{ inputTokens: 60, outputTokens: CONTEXT + 1 }, { inputTokens: 60 }],
])('counts what cannot be true as not reported: %j', (usage, possible) => {
  expect(possibleUsage(call(usage))).toEqual(possible);
});

it('does not bound what a vendor reports of its own tools by a single prompt', () => {
  const usage = { ...GOOD, cacheReadTokens: 3 * CONTEXT };
  expect(possibleUsage(call(usage, { ranVendorTool: true }))).toBe(usage);
  expect(possibleUsage(call({ ...usage, webSearchRequests: 1 })).cacheReadTokens).toBe(3 * CONTEXT);
  expect(possibleUsage(call({ ...GOOD, cacheReadTokens: 1e12 }, { citesPages: true })).cacheReadTokens).toBe(
    4 * CONTEXT,
  );
});

it('allows the whole context where only that bounds the prompt', () => {
  const usage = { ...GOOD, cacheReadTokens: CONTEXT - 60 };
  expect(possibleUsage(call(usage, { run: { prompt: { ...PROMPT, fillsContext: true } } }))).toBe(usage);
});
