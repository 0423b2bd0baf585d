// Goal: no call costs more than its bound. Method: the written formula in tables; then random prompts and price lists,
// whose costs are held against the bound for usages that a tokenizer of the worst allowed kind would give: a token of
// every two ASCII bytes and of every other byte, and 64 for each message and tool.
import fc from 'fast-check';
import { endpoint, model } from '../../../test/support/route-inputs.js';
import type { ModelRequest } from '../conversation/request.js';
import type { Endpoint, Model, Pricing } from '../routing/catalog.js';
import { SERVICE_TIERS, type ServiceTier } from '../routing/plan.js';
import { boundOf, boundTokens, type BoundLeg } from './bound.js';
import { measurePrompt, type MeasuredPrompt } from './measure-prompt.js';
import { costOf } from './pricing.js';

const CONTEXT = 10_000;
const plain: Pricing = { prompt: 3n, completion: 15n, tiers: [] };

const legOf = (
  parts: Partial<Endpoint> = {},
  ofModel: Partial<Model> = {},
  tier: ServiceTier = 'standard',
): BoundLeg => {
  const one = endpoint('p', { pricing: plain, contextLength: CONTEXT, ...parts });
  return { endpoint: one, model: model('a/b', [one], ofModel), tier };
};
const measured = (parts: Partial<MeasuredPrompt> = {}): MeasuredPrompt => ({
  textTokens: 100,
  images: 0,
  documents: 0,
  fillsContext: false,
  webSearches: 0,
  maxOutputTokens: 10,
  ...parts,
});
const withoutLimit = (({ maxOutputTokens: _, ...others }) => others)(measured());

describe('boundTokens', () => {
  it.each<[string, Partial<MeasuredPrompt>, Partial<Model>, number]>([
    ['text', {}, {}, 100],
    ['text at the context', { textTokens: CONTEXT }, {}, CONTEXT],
    ['text past the context', { textTokens: CONTEXT + 1 }, {}, CONTEXT],
    ['images at their written maximum', { images: 2 }, { imageTokensMax: 1_600 }, 3_300],
    ['images without one', { images: 1 }, { pageTokensMax: 1 }, CONTEXT],
    ['many images', { images: 7 }, { imageTokensMax: 1_600 }, CONTEXT],
    ['a thousand pages a document', { documents: 2 }, { pageTokensMax: 3 }, 6_100],
    ['documents without a maximum', { documents: 1 }, { imageTokensMax: 1 }, CONTEXT],
    ['what fills the context', { fillsContext: true }, { imageTokensMax: 1 }, CONTEXT],
  ])('bounds the input by %s', (_, parts, ofModel, input) => {
    expect(boundTokens(measured(parts), legOf({}, ofModel)).input).toBe(input);
  });

  it('bounds the input by the context of the endpoint, not of the model', () => {
    expect(boundTokens(measured({ fillsContext: true }), legOf({ contextLength: 50 })).input).toBe(50);
  });

  it.each<[string, MeasuredPrompt, Partial<Endpoint>, Partial<Model>, number]>([
    ['max_tokens', measured(), { maxCompletionTokens: 20 }, { maxCompletionTokens: 30 }, 10],
    ["the endpoint's maximum", withoutLimit, { maxCompletionTokens: 20 }, { maxCompletionTokens: 30 }, 20],
    ["the model's maximum", withoutLimit, {}, { maxCompletionTokens: 30 }, 30],
    ['the context', withoutLimit, {}, {}, CONTEXT],
    ['the context, however full', { ...withoutLimit, fillsContext: true }, {}, {}, CONTEXT],
  ])('bounds the output by %s', (_, prompt, ofEndpoint, ofModel, output) => {
    expect(boundTokens(prompt, legOf(ofEndpoint, ofModel)).output).toBe(output);
  });
});

describe('boundOf', () => {
  it.each<[string, Partial<Pricing>, Partial<MeasuredPrompt>, ServiceTier, bigint]>([
    ['prompt and completion', {}, {}, 'standard', 300n + 150n],
    [
      'the most expensive class of input',
      { inputCacheRead: 1n, inputCacheWrite: 4n, inputCacheWrite1h: 6n },
      {},
      'standard',
      600n + 150n,
    ],
    ['the most expensive class of output', { reasoning: 20n }, {}, 'standard', 300n + 200n],
    ['a cheaper class not', { inputCacheRead: 1n, reasoning: 2n }, {}, 'standard', 300n + 150n],
    ['the fee of a request', { request: 7n }, {}, 'standard', 457n],
    ['the fee of each image', { image: 7n }, { images: 2 }, 'standard', 464n],
    ['the fee of each search', { webSearch: 7n }, { webSearches: 30 }, 'standard', 660n],
    [
      'a length the prompt reaches',
      { tiers: [{ minPromptTokens: 100, prompt: 6n, completion: 22n }] },
      {},
      'standard',
      600n + 220n,
    ],
    [
      'a length it does not reach',
      { tiers: [{ minPromptTokens: 101, prompt: 6n, completion: 22n }] },
      {},
      'standard',
      450n,
    ],
    [
      'a length that is cheaper',
      { tiers: [{ minPromptTokens: 50, prompt: 1n, completion: 1n }] },
      {},
      'standard',
      450n,
    ],
    [
      'a dear length between cheap ones',
      {
        tiers: [
          { minPromptTokens: 50, prompt: 9n },
          { minPromptTokens: 60, prompt: 1n },
        ],
      },
      {},
      'standard',
      900n + 150n,
    ],
    ["the tier's own list", { fast: { prompt: 30n, completion: 150n } }, {}, 'fast', 3_000n + 1_500n],
    ['what the tier does not name', { flex: { prompt: 1n }, inputCacheWrite: 4n }, {}, 'flex', 400n + 150n],
    ['the dear tier not where another is asked for', { fast: { prompt: 30n } }, {}, 'standard', 450n],
  ])('counts %s', (_, parts, prompt, tier, expected) => {
    expect(
      boundOf(
        measured({ images: 0, ...prompt }),
        legOf({ pricing: { ...plain, ...parts } }, { imageTokensMax: 0 }, tier),
      ),
    ).toBe(expected);
  });

  it('is nothing where the endpoint is free', () => {
    expect(boundOf(measured({ images: 3, webSearches: 3 }), legOf({ pricing: null }))).toBe(0n);
  });

  const amount = fc.bigInt({ min: 0n, max: 10n ** 9n });
  const classes = {
    prompt: amount,
    completion: amount,
    reasoning: amount,
    inputCacheRead: amount,
    inputCacheWrite: amount,
    inputCacheWrite1h: amount,
  };
  const partial = fc.record(classes, { requiredKeys: [] });
  const tiers = fc
    .uniqueArray(fc.integer({ min: 1, max: 3_000 }), { maxLength: 3 })
    .chain((lengths) =>
      fc.tuple(
        ...lengths
          .sort((a, b) => a - b)
          .map((length) => partial.map((prices) => ({ minPromptTokens: length, ...prices }))),
      ),
    );
  const pricings: fc.Arbitrary<Pricing> = fc.record(
    {
      ...classes,
      request: amount,
      image: amount,
      webSearch: amount,
      tiers,
      fast: partial,
      priority: partial,
      flex: partial,
    },
    { requiredKeys: ['prompt', 'completion', 'tiers'] },
  );
  const tier = fc.constantFrom(...SERVICE_TIERS);
  const texts = fc.string({ unit: fc.constantFrom('a', ' ', '9', 'ß', '漢', '😀'), maxLength: 400 });
  const text = (value: string) => ({ type: 'text', text: value }) as const;
  const image = { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } } as const;
  const requests: fc.Arbitrary<ModelRequest> = fc
    .record({
      system: fc.array(texts, { maxLength: 2 }),
      turns: fc.array(fc.array(fc.option(texts), { maxLength: 3 }), { maxLength: 4 }),
      tools: fc.array(texts, { maxLength: 2 }),
      searches: fc.option(fc.integer({ min: 0, max: 20 })),
      maxOutputTokens: fc.integer({ min: 1, max: 500 }),
    })
    .map(({ system, turns, tools, searches, maxOutputTokens }) => ({
      model: 'm',
      system: system.map(text),
      messages: turns.map((parts) => ({
        role: 'user',
        content: parts.map((part) => (part === null ? image : text(part))),
      })),
      stream: false,
      sampling: {},
      tools: [
        ...tools.map((description) => ({ type: 'function', name: 'f', description, inputSchema: {} }) as const),
        ...(searches === null
          ? []
          : [
              {
                type: 'vendor',
                opaque: { vendor: 'anthropic', value: { type: 'web_search_20250305', max_uses: searches } },
              } as const,
            ]),
      ],
      preferences: {},
      plugins: [],
      betas: [],
      maxOutputTokens,
    }));
  const IMAGE_TOKENS_MAX = 90;

  /** What the worst tokenizer makes of it, cut where the provider would refuse. */
  function worstTokens({ system, messages, tools }: ModelRequest): number {
    const parts = [...system, ...messages.flatMap(({ content }) => content)];
    const strings = parts.map((part) => (part.type === 'text' ? part.text : ''));
    for (const tool of tools) if (tool.type === 'function') strings.push(tool.name, tool.description ?? '', '{}');
    const bytes = Buffer.from(strings.join(''));
    const ascii = bytes.filter((byte) => byte < 0x80).length;
    const images = parts.filter((part) => part.type === 'image').length;
    const frames = (system.length > 0 ? 1 : 0) + messages.length + tools.length;
    const tokens = Math.ceil(ascii / 2) + bytes.length - ascii + images * IMAGE_TOKENS_MAX + frames * 64;
    return Math.min(tokens, CONTEXT);
  }

  const share = fc.double({ min: 0, max: 1, noNaN: true });

  it('is never below the cost of a usage that fits it', () => {
    fc.assert(
      fc.property(
        requests,
        pricings,
        tier,
        fc.array(share, { minLength: 6, maxLength: 6 }),
        (one, pricing, asked, cuts) => {
          const prompt = measurePrompt(one);
          const leg = legOf({ pricing }, { imageTokensMax: IMAGE_TOKENS_MAX }, asked);
          // A vendor's search tool brings results of any length in: then every prompt up to the context is possible.
          const most = prompt.fillsContext ? CONTEXT : worstTokens(one);
          expect(boundTokens(prompt, leg).input).toBeGreaterThanOrEqual(most);
          const total = Math.floor(most * (cuts[0]! < 0.5 ? 1 : cuts[0]!));
          const [read, write, hour] = [cuts[1]!, cuts[2]!, cuts[3]!].map((cut) => Math.floor((total * cut) / 3)) as [
            number,
            number,
            number,
          ];
          const outputTokens = Math.floor(one.maxOutputTokens! * cuts[4]!);
          const usage = {
            inputTokens: total - read - write - hour,
            cacheReadTokens: read,
            cacheWriteTokens: write,
            cacheWrite1hTokens: hour,
            outputTokens,
            reasoningTokens: Math.floor(outputTokens * cuts[5]!),
            webSearchRequests: prompt.webSearches,
          };
          expect(costOf(usage, leg, prompt.images).total <= boundOf(prompt, leg)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is met exactly by a call of the most expensive classes', () => {
    const pricing = { ...plain, inputCacheWrite1h: 6n, reasoning: 20n, request: 1n, image: 2n, webSearch: 3n };
    const leg = legOf({ pricing }, { imageTokensMax: 5 });
    const prompt = measured({ images: 2, webSearches: 4 });
    const usage = { cacheWrite1hTokens: 110, outputTokens: 10, reasoningTokens: 10, webSearchRequests: 4 };
    expect(boundOf(prompt, leg)).toBe(costOf(usage, leg, prompt.images).total);
  });

  it('never falls when the prompt or the limit of the output grows', () => {
    fc.assert(
      fc.property(requests, texts, fc.nat(500), pricings, tier, (one, more, tokens, pricing, asked) => {
        const leg = legOf({ pricing }, { imageTokensMax: IMAGE_TOKENS_MAX }, asked);
        const before = boundOf(measurePrompt(one), leg);
        const longer = { ...one, messages: [...one.messages, { role: 'user', content: [text(more)] } as const] };
        expect(boundOf(measurePrompt(longer), leg) >= before).toBe(true);
        const further = { ...one, maxOutputTokens: one.maxOutputTokens! + tokens };
        expect(boundOf(measurePrompt(further), leg) >= before).toBe(true);
        const { maxOutputTokens: _, ...unlimited } = one;
        const shorter = boundOf(measurePrompt(unlimited), leg);
        expect(boundOf(measurePrompt({ ...unlimited, messages: longer.messages }), leg) >= shorter).toBe(true);
      }),
    );
  });
});
