// The documented formula in tables; random prompts and price lists, whose costs stay within the bound for the usages of
// the worst allowed tokenizer: a token for every two ASCII bytes and for every other byte, and 64 for each message and
// tool.
import { modelRequest } from '../../../test/support/model-request.js';
import fc from 'fast-check';
import { endpoint, model } from '../../../test/support/route-inputs.js';
import type { ModelRequest } from '../conversation/request.js';
import type { DialectId, Endpoint, Model, Pricing } from '../routing/catalog.js';
import { SERVICE_TIERS, type ServiceTier } from '../routing/plan.js';
import { boundOf, boundTokens, sizedTokens, type BoundLeg } from './bound.js';
import { measurePrompt, type MeasuredPrompt } from './measure-prompt.js';
import { IMAGE_RULES } from './image-tokens.js';
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

const ONE_PIXEL = { width: 1, height: 1 };
const LARGE = { width: 8_000, height: 8_000 };
const CLAUDE: Partial<Model> = { imageTokens: 'anthropic', imageTokensMax: 1_600, pageTokensMax: 4_600 };

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
    ['images at their size', { images: 1, imageSizes: [ONE_PIXEL] }, CLAUDE, 100 + 17],
    ['each image by itself', { images: 3, imageSizes: [ONE_PIXEL, LARGE] }, CLAUDE, 100 + 17 + 2 * 1_600],
    ['a size without a rule', { images: 1, imageSizes: [ONE_PIXEL] }, { imageTokensMax: 1_600 }, 1_700],
    ['a size without anything', { images: 1, imageSizes: [ONE_PIXEL] }, {}, CONTEXT],
    ['a rule without a size', { images: 1 }, { imageTokens: 'anthropic' }, 100 + 4_784],
    ['pages', { documents: 1, pdfSizes: [{ pages: 2, textBytes: 100 }] }, CLAUDE, 100 + 2 * 4_600],
    ['the text of full pages', { documents: 1, pdfSizes: [{ pages: 2, textBytes: 12_000 }] }, CLAUDE, 9_300],
    ['text beyond full pages', { documents: 1, pdfSizes: [{ pages: 2, textBytes: 12_101 }] }, CLAUDE, 9_351],
    [
      'pages of a picture alone',
      { documents: 1, pdfSizes: [{ pages: 2, textBytes: 99 }] },
      { pageTokensMax: 9, imageTokensMax: 9 },
      168,
    ],
    [
      'a document counted and one not',
      { documents: 2, pdfSizes: [{ pages: 1, textBytes: 0 }] },
      { pageTokensMax: 3 },
      3_103,
    ],
    ['what fills the context', { fillsContext: true }, { imageTokensMax: 1 }, CONTEXT],
  ])('bounds the input by %s', (_, parts, ofModel, input) => {
    expect(boundTokens(measured(parts), legOf({}, ofModel)).input).toBe(input);
  });

  it('widens each side by the endpoint’s widening, and the price with them', () => {
    const prompt = measured({ textTokens: 100, maxOutputTokens: 10 });
    const leg = legOf({ contextLength: 20_000 });
    const by = (input: number, output: number): BoundLeg => ({ ...leg, health: { widening: { input, output } } });
    expect(boundTokens(prompt, by(1, 2))).toEqual({ input: 100, output: 2 * (10 + 256) });
    expect(boundTokens(prompt, by(1.5, 1))).toEqual({ input: 1.5 * (100 + 4_096), output: 10 });
    expect(sizedTokens(prompt, by(4, 4))).toEqual({ input: 100, output: 10 });
    expect(boundOf(prompt, by(2, 2))).toBeGreaterThan(boundOf(prompt, leg));
    const long = { ...prompt, maxOutputTokens: 15_000 };
    expect(boundTokens(long, by(4, 4))).toEqual({ input: 4 * (100 + 4_096), output: 20_000 });
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

describe('the price of writing a cache', () => {
  const pricing = { ...plain, inputCacheWrite: 4n, inputCacheWrite1h: 6n };
  const costs = (dialect: DialectId, cacheWrites?: '5m' | '1h'): bigint => {
    const leg = legOf({ pricing });
    const endpoint = { ...leg.endpoint, provider: { ...leg.endpoint.provider, dialect } };
    const prompt = measured({ maxOutputTokens: 0, ...(cacheWrites && { cacheWrites }) });
    return boundOf(prompt, { ...leg, endpoint }) / 100n;
  };

  it.each<[string, DialectId, '5m' | '1h' | undefined, bigint]>([
    ['no writing where nothing is marked', 'anthropic-messages', undefined, 3n],
    ['writing for five minutes where that is requested', 'anthropic-messages', '5m', 4n],
    ['writing for an hour where that is requested', 'anthropic-messages', '1h', 6n],
    ['the highest price where the provider caches by itself', 'openai-chat', undefined, 6n],
    ['the highest price where it also accepts markers', 'openai-chat', '5m', 6n],
  ])('counts %s', (_, dialect, cacheWrites, price) => {
    expect(costs(dialect, cacheWrites)).toBe(price);
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
    ['no cheaper class', { inputCacheRead: 1n, reasoning: 2n }, {}, 'standard', 300n + 150n],
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
      'an expensive length between cheap ones',
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
    ['no expensive tier where another is requested', { fast: { prompt: 30n } }, {}, 'standard', 450n],
  ])('counts %s', (_, parts, prompt, tier, expected) => {
    expect(
      boundOf(
        measured({ images: 0, ...prompt }),
        legOf({ pricing: { ...plain, ...parts } }, { imageTokensMax: 0 }, tier),
      ),
    ).toBe(expected);
  });

  it('is zero where the endpoint is free', () => {
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
    .map(({ system, turns, tools, searches, maxOutputTokens }) =>
      modelRequest({
        system: system.map(text),
        messages: turns.map((parts) => ({
          role: 'user',
          content: parts.map((part) => (part === null ? image : text(part))),
        })),
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
        maxOutputTokens,
      }),
    );
  const IMAGE_TOKENS_MAX = 90;

  /** The tokens of the worst tokenizer, cut where the provider would refuse. */
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

  it('is never below the cost of a usage that fits it, for media too', () => {
    const side = fc.integer({ min: 1, max: 3_000 });
    const media = fc.record({
      sizes: fc.array(fc.record({ width: side, height: side }), { maxLength: 3 }),
      unread: fc.nat(1),
      pdfs: fc.array(fc.record({ pages: fc.integer({ min: 1, max: 3 }), textBytes: fc.nat(20_000) }), { maxLength: 2 }),
      uncounted: fc.nat(1),
    });
    const writes = fc.constantFrom(undefined, '5m', '1h');
    const roomy = 100_000;
    fc.assert(
      fc.property(media, writes, pricings, tier, share, share, (held, cacheWrites, pricing, ofTier, cut, split) => {
        const images = held.sizes.length + held.unread;
        const documents = held.pdfs.length + held.uncounted;
        const prompt = measured({
          images,
          imageSizes: held.sizes,
          documents,
          pdfSizes: held.pdfs,
          ...(cacheWrites && { cacheWrites }),
        });
        const at = legOf({ pricing, contextLength: roomy }, CLAUDE, ofTier);
        const provider = { ...at.endpoint.provider, dialect: 'anthropic-messages' } as const;
        const leg = { ...at, endpoint: { ...at.endpoint, provider } };
        // The most that the vendor counts: patches within its limit, and for a page its picture and all text.
        const patches = held.sizes.map(({ width, height }) => Math.ceil(width / 28) * Math.ceil(height / 28));
        const pictures = patches.map((count) => Math.min(count, 1_568)).reduce((sum, count) => sum + count, 0);
        const pages = held.pdfs.map((pdf) => pdf.pages * 1_568 + Math.ceil(pdf.textBytes / 2));
        const unknown = held.unread * 1_568 + held.uncounted * 600 * 4_568;
        const counted = 100 + pictures + pages.reduce((sum, count) => sum + count, 0) + unknown;
        const most = Math.floor(Math.min(counted, roomy) * (cut < 0.5 ? 1 : cut));
        const written = Math.floor(most * split);
        const usage = {
          inputTokens: most - (cacheWrites ? written : 0),
          ...(cacheWrites === '5m' && { cacheWriteTokens: written }),
          ...(cacheWrites === '1h' && { cacheWrite1hTokens: written }),
          outputTokens: 10,
        };
        expect(costOf(usage, leg, images).total <= boundOf(prompt, leg)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('is never below the cost of a usage that fits it', () => {
    fc.assert(
      fc.property(
        requests,
        pricings,
        tier,
        fc.array(share, { minLength: 6, maxLength: 6 }),
        (one, pricing, ofTier, cuts) => {
          const prompt = measurePrompt(one);
          const leg = legOf({ pricing }, { imageTokensMax: IMAGE_TOKENS_MAX }, ofTier);
          // A vendor's search tool adds results of any length: then every prompt up to the context is possible.
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

  it('uses the most expensive length of the tier itself', () => {
    const pricing = {
      ...plain,
      flex: { prompt: 1n, completion: 1n, tiers: [{ minPromptTokens: 50, completion: 99n }] },
    };
    const leg = legOf({ pricing }, {}, 'flex');
    expect(boundOf(measured({ textTokens: 49 }), leg)).toBe(49n + 10n);
    expect(boundOf(measured({ textTokens: 50 }), leg)).toBe(50n + 990n);
  });

  it('is met exactly by a call of the most expensive classes', () => {
    const pricing = { ...plain, inputCacheWrite1h: 6n, reasoning: 20n, request: 1n, image: 2n, webSearch: 3n };
    const leg = legOf({ pricing }, { imageTokensMax: 5 });
    const prompt = measured({ images: 2, webSearches: 4 });
    const usage = { cacheWrite1hTokens: 110, outputTokens: 10, reasoningTokens: 10, webSearchRequests: 4 };
    expect(boundOf(prompt, leg)).toBe(costOf(usage, leg, prompt.images).total);
  });

  it('never falls when another image or document is added', () => {
    const side = fc.integer({ min: 1, max: 5_000 });
    const size = fc.record({ width: side, height: side });
    const pdfSize = fc.record({ pages: fc.integer({ min: 1, max: 50 }), textBytes: fc.nat(100_000) });
    const rule = fc.constantFrom(...IMAGE_RULES, undefined);
    fc.assert(
      fc.property(
        fc.array(size),
        fc.array(pdfSize),
        size,
        pdfSize,
        rule,
        pricings,
        (sizes, pdfs, image, pdf, imageTokens, pricing) => {
          const leg = legOf({ pricing, contextLength: 1_000_000 }, { ...CLAUDE, ...(imageTokens && { imageTokens }) });
          const before = measured({ images: sizes.length, imageSizes: sizes, documents: pdfs.length, pdfSizes: pdfs });
          const grown = [
            { ...before, images: sizes.length + 1, imageSizes: [...sizes, image] },
            { ...before, images: sizes.length + 1 },
            { ...before, documents: pdfs.length + 1, pdfSizes: [...pdfs, pdf] },
            { ...before, documents: pdfs.length + 1 },
            { ...before, cacheWrites: '1h' } as const,
          ];
          for (const after of grown) expect(boundOf(after, leg) >= boundOf(before, leg)).toBe(true);
        },
      ),
    );
  });

  it('never falls when the prompt or the limit of the output grows', () => {
    fc.assert(
      fc.property(requests, texts, fc.nat(500), pricings, tier, (one, more, tokens, pricing, ofTier) => {
        const leg = legOf({ pricing }, { imageTokensMax: IMAGE_TOKENS_MAX }, ofTier);
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

describe('calls beside the answering one', () => {
  const ADVISOR = endpoint('p', { pricing: { ...plain, prompt: 10n, completion: 50n }, contextLength: 1_000 });
  const large = model('a/large', [endpoint('q'), ADVISOR], { maxCompletionTokens: 20 });

  it('bounds a compaction like a second call', () => {
    expect(boundOf(measured({ compacts: true }), legOf())).toBe(2n * boundOf(measured(), legOf()));
  });

  it.each([
    ['its maximum', {}, 20n],
    ['the limit of the tool', { maxOutputTokens: 7 }, 7n],
  ])('bounds each use of an advisor by its context and %s, at its own price', (_, limit, output) => {
    const advised = measured({ advisors: [{ model: large, uses: 3, ...limit }] });
    expect(boundOf(advised, legOf()) - boundOf(measured(), legOf())).toBe(3n * (1_000n * 10n + output * 50n));
  });

  it('covers the cost of an advisor', () => {
    const advised = measured({ advisors: [{ model: large, uses: 1 }] });
    const call = { kind: 'advisor', inputTokens: 1_000, outputTokens: 20, pricedBy: ADVISOR } as const;
    const usage = { inputTokens: 100, outputTokens: 10, iterations: [call] };
    expect(costOf(usage, legOf()).total).toBeLessThanOrEqual(boundOf(advised, legOf()));
  });

  it('counts no advisor that the provider does not serve, because its calls are refused', () => {
    const elsewhere = measured({ advisors: [{ model: model('a/other', [endpoint('q')]), uses: 1 }] });
    expect(boundOf(elsewhere, legOf())).toBe(boundOf(measured(), legOf()));
  });
});
