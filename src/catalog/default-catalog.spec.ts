// The shipped catalog is valid, is the output of its script, and contains the whole sandbox. The file itself is read;
// the script's generator runs in the test.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { buildCatalog } from '../../scripts/catalog/build-catalog.js';
import { readModels } from '../../scripts/catalog/read-models.js';
import { modelRequest } from '../../test/support/model-request.js';
import { png } from '../../test/support/images.js';
import { perMillion } from '../../test/support/route-inputs.js';
import type { ContentBlock } from '../core/conversation/content.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { boundOf, boundTokens } from '../core/money/bound.js';
import { measurePrompt, type MeasuredPrompt } from '../core/money/measure-prompt.js';
import { isBilledInFull } from '../core/routing/abort-rules.js';
import { collects, type CatalogSnapshot, type Endpoint } from '../core/routing/catalog.js';
import { resolveModel } from '../core/routing/resolve-model.js';
import { readSources } from './check/read-sources.js';
import { describeFault } from './fault.js';
import { readCatalog } from './read-catalog.js';
import { NO_CREDENTIALS } from '../../test/support/credential-sources.js';

const text = readFileSync('catalog/default.yaml', 'utf8');
const sourcesText = readFileSync('catalog/sources.yaml', 'utf8');

/** `catalog/sources.yaml` (docs/operate/catalog.md#sources). */
interface Sources {
  readonly sources: readonly { readonly id: string; readonly url?: string; readonly package?: string; read: string }[];
  readonly providers: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly models: Readonly<Record<string, { readonly endpoints: Readonly<Record<string, Record<string, string>>> }>>;
}

let read: CatalogSnapshot | undefined;
function shipped(): CatalogSnapshot {
  if (read) return read;
  const reading = readCatalog({ name: 'catalog/default.yaml', text }, undefined, NO_CREDENTIALS);
  if ('faults' in reading) throw new Error(reading.faults.map(describeFault).join('\n'));
  read = reading.snapshot;
  return read;
}

const requestOf = (...content: readonly ContentBlock[]): ModelRequest =>
  modelRequest({ messages: [{ role: 'user', content }] });

it('is exactly what the files under catalog/models make: `npm run catalog:build` writes it', () => {
  expect({ catalog: text, sources: sourcesText }).toEqual(buildCatalog(readModels()));
});

it('offers the current models of the main providers', () => {
  const { models, providers } = shipped();
  const real = [...models.values()].filter(({ id }) => !id.startsWith('sandbox/'));
  expect(real.length).toBeGreaterThanOrEqual(300);
  expect(real.flatMap(({ endpoints }) => endpoints).length).toBeGreaterThanOrEqual(600);
  expect([...providers.keys()]).toEqual(expect.arrayContaining(['anthropic', 'openai', 'mistral', 'groq', 'xai']));
});

it('dates the models whose authors publish a day, with the source of each', () => {
  const { models: sources } = parse(sourcesText) as Sources;
  const dated = [...shipped().models.values()].filter(({ created }) => created !== undefined);
  expect(dated.length).toBeGreaterThan(40);
  for (const { id, created } of dated) {
    expect([id, created! * 1_000 <= Date.now()]).toEqual([id, true]);
    expect(sources[id]).toHaveProperty('created');
  }
});

it('prices Claude Sonnet 4.5 as Anthropic does', () => {
  const model = shipped().models.get('anthropic/claude-sonnet-4.5')!;
  expect(model).toMatchObject({ contextLength: 200_000, maxCompletionTokens: 64_000 });
  expect(model.endpoints[0]).toMatchObject({
    tag: 'anthropic',
    upstreamModel: 'claude-sonnet-4-5-20250929',
    pricing: {
      prompt: 3_000_000n,
      completion: 15_000_000n,
      inputCacheRead: 300_000n,
      inputCacheWrite: 3_750_000n,
      inputCacheWrite1h: 6_000_000n,
      webSearch: 10_000_000_000n,
      tiers: [{ minPromptTokens: 200_001, prompt: 6_000_000n, completion: 22_500_000n }],
    },
  });
});

it('sells Claude on platforms in its own protocol, an hour of cache for twice the prompt', () => {
  const { endpoints } = shipped().models.get('anthropic/claude-opus-4.8')!;
  expect(endpoints.map(({ tag, dialect }) => [tag, dialect])).toEqual([
    ['anthropic', undefined],
    ['amazon-bedrock/global', 'anthropic-messages'],
    ['google-vertex', 'anthropic-messages'],
  ]);
  for (const { pricing } of endpoints) expect(pricing!.inputCacheWrite1h).toBe(2n * pricing!.prompt);
});

// USD per million tokens; https://ai.google.dev/gemini-api/docs/pricing, and OpenAI's models of words and of pictures.
it.each([
  ['openai/gpt-5-image', 400_000, 'openai', 'gpt-5', 'openai-responses', 10, 10, 40],
  ['google/gemini-2.5-flash-image', 32_768, 'google-ai-studio', 'gemini-2.5-flash-image', undefined, 0.3, 2.5, 30],
  ['google/gemini-3-pro-image', 65_536, 'google-ai-studio', 'gemini-3-pro-image', undefined, 2, 12, 120],
  ['google/gemini-3.1-flash-image', 131_072, 'google-ai-studio', 'gemini-3.1-flash-image', undefined, 0.5, 3, 60],
] as const)('has %s make images', (id, contextLength, tag, upstreamModel, dialect, prompt, completion, imageOutput) => {
  const model = shipped().models.get(id)!;
  expect(model).toMatchObject({ contextLength, outputModalities: ['text', 'image'] });
  const [first] = model.endpoints;
  expect([first!.tag, first!.upstreamModel, first!.dialect]).toEqual([tag, upstreamModel, dialect]);
  const [words, pictures] = [{ prompt: perMillion(prompt), completion: perMillion(completion) }, perMillion(imageOutput)];
  for (const { pricing } of model.endpoints) {
    expect(pricing).toMatchObject({ ...words, imageOutput: pictures });
    // Tiers priced for text alone would charge pictures as text.
    expect([pricing!.priority, pricing!.flex]).toEqual([undefined, undefined]);
  }
  expect((parse(sourcesText) as Sources).models[id]).toHaveProperty('output_modalities');
});

it('finds by its slug the text model that a picture model is based on', () => {
  expect(resolveModel(shipped(), 'gpt-5')).toEqual({ id: 'openai/gpt-5' });
});

it('serves nothing for free except models with that in their name', () => {
  const free = [...shipped().models.values()].filter(({ endpoints }) =>
    endpoints.some(({ pricing }) => pricing === null),
  );
  expect(free.map(({ id }) => id)).toEqual(['sandbox/echo:free']);
});

it("has the data policies of the providers' pages, and none of the others", () => {
  const policies = [...shipped().providers.values()].flatMap(({ slug, policy }) =>
    policy.collectsData ? [] : [[slug, policy.zeroDataRetention]],
  );
  expect(policies).toEqual([
    ['groq', false],
    ['fireworks', true],
    ['baseten', true],
    ['deepinfra', false],
    ['perplexity', true],
    ['wandb', false],
    ['sandbox', true],
  ]);
  expect(shipped().providers.get('openai')!.policy).toEqual({
    collectsData: true,
    trains: false,
    retentionDays: 30,
    zeroDataRetention: false,
  });
});

it('leaves models under every rule on data, precision and distillation', () => {
  const real = [...shipped().models.values()].filter(({ id }) => !id.startsWith('sandbox/'));
  const left = (fits: (endpoint: Endpoint) => boolean): number =>
    real.filter(({ endpoints }) => endpoints.some(fits)).length;
  expect(left(({ provider }) => provider.policy.zeroDataRetention)).toBeGreaterThanOrEqual(10);
  expect(left(({ provider }) => !collects(provider.policy))).toBeGreaterThanOrEqual(10);
  expect(left(({ quantization }) => quantization === 'fp8')).toBeGreaterThanOrEqual(10);
  expect(real.filter(({ distillable }) => distillable).length).toBeGreaterThanOrEqual(10);
});

it('lists the parameters of most endpoints, by references: no others are left where parameters are required', () => {
  const real = [...shipped().models.values()].filter(({ id }) => !id.startsWith('sandbox/'));
  const endpoints = real.flatMap((model) => model.endpoints);
  const listing = endpoints.filter(({ supportedParameters }) => supportedParameters.length > 0);
  expect(listing.length).toBeGreaterThanOrEqual(endpoints.length / 2);
  const { providers } = parse(sourcesText) as Sources;
  const referred = (slug: string): boolean => providers[slug]!['supported_parameters'] !== undefined;
  const borrowing = ['amazon-bedrock', 'azure', 'google-vertex'];
  for (const { tag, provider } of listing)
    expect([tag, referred(provider.slug) || borrowing.includes(provider.slug)]).toEqual([tag, true]);
  // Only reasoning models are expected to support reasoning.
  const takes = (provider: string, id: string): boolean | undefined =>
    shipped().models.get(id)!.endpoints.find(({ tag }) => tag === provider)?.supportedParameters.includes('reasoning');
  expect(takes('deepinfra', 'microsoft/phi-4')).toBe(false);
  expect(takes('deepinfra', 'deepseek/deepseek-r1-0528')).toBe(true);
});

it('names a dated source for every price, and none that is not listed', () => {
  const { sources, providers, models } = parse(sourcesText) as Sources;
  const listed = new Map(sources.map((source) => [source.id, source]));
  for (const { id, url, package: name, read } of sources) {
    expect([id, (url === undefined) !== (name === undefined)]).toEqual([id, true]);
    expect(read).toMatch(/^2026-\d\d-\d\d$/);
  }
  const cited = new Set(Object.values(providers).flatMap((figures) => Object.values(figures)));
  const { providers: shippedProviders, models: shippedModels } = shipped();
  const own = (slug: string): boolean => slug !== 'sandbox';
  expect(Object.keys(providers)).toEqual([...shippedProviders.keys()].filter(own));
  for (const { id, endpoints } of [...shippedModels.values()].filter((model) => !model.id.startsWith('sandbox/'))) {
    const { endpoints: figures, ...rest } = models[id]!;
    expect([id, Object.keys(figures)]).toEqual([id, endpoints.map(({ tag }) => tag)]);
    for (const origin of Object.values(figures)) {
      expect(origin['pricing']).toBeDefined();
      for (const source of Object.values(origin)) cited.add(source);
    }
    for (const source of Object.values<unknown>(rest)) cited.add(String(source));
  }
  expect([...cited].filter((id) => !listed.has(id))).toEqual([]);
  expect([...listed.keys()].filter((id) => !cited.has(id))).toEqual([]);
});

it('states which providers bill abandoned calls, as docs/use/streaming.md names them', () => {
  const providers = [...shipped().providers.values()];
  const slugsOf = (found: typeof providers): string[] => found.map(({ slug }) => slug);
  const billed = providers.filter(({ aborts }) => isBilledInFull(aborts, true));
  const page = readFileSync('docs/use/streaming.md', 'utf8');
  const named = /These providers bill a stream to its end: (.*?)\. The other/.exec(page)![1]!;
  expect(named.split(/, | and /)).toEqual(billed.map(({ name }) => name).toSorted());
  // The sandbox bills nothing.
  const stopping = providers.filter(({ aborts }) => !isBilledInFull(aborts, false));
  expect(slugsOf(stopping)).toEqual(['sandbox']);
});

// oxfmt-ignore
it.each([
  'echo', 'tools', 'thinking', 'slow', 'silent', 'overloaded', 'rate-limited', 'unavailable', 'server-error', 'bad-request',
  'unauthorized', 'malformed', 'cut', 'error-event', 'refusal', 'max-tokens', 'long', 'json', 'cache',
])('has sandbox/%s, priced', (name) => {
  expect(shipped().models.get(`sandbox/${name}`)).toMatchObject({
    contextLength: 200_000,
    maxCompletionTokens: 8192,
    inputModalities: ['text', 'image', 'file'],
    endpoints: [{ tag: 'sandbox', pricing: { prompt: 1_000_000n, completion: 2_000_000n } }],
  });
});

const takingMedia = [...shipped().models.values()].filter(({ inputModalities }) =>
  inputModalities.some((modality) => modality === 'image' || modality === 'file'),
);
/** Credits of a new account (docs/operate/configuration.md). */
const INITIAL_CREDITS = 10_000_000_000_000n;

it('has a maximum for an image and for a page at each model that accepts them, with its source', () => {
  expect(takingMedia.length).toBeGreaterThan(100);
  const { models } = parse(sourcesText) as Sources;
  for (const { id, inputModalities, imageTokensMax, pageTokensMax } of takingMedia) {
    expect([id, imageTokensMax]).toEqual([id, expect.any(Number)]);
    expect([id, pageTokensMax]).toEqual([id, inputModalities.includes('file') ? expect.any(Number) : undefined]);
    if (!id.startsWith('sandbox/')) expect(Object.keys(models[id]!)).toContain('image_tokens_max');
  }
});

it.each(takingMedia.map((model) => [model.id, model] as const))(
  'admits an image of one pixel, and a PDF of one page, at %s with the credits of a new account',
  (_, model) => {
    const text = { type: 'text', text: 'What is this?' } as const;
    const image = { type: 'base64', mediaType: 'image/png', data: png(1, 1).toString('base64') } as const;
    // The Messages format requires max_tokens.
    const limits = { maxOutputTokens: 1_000 };
    const pictured = { ...measurePrompt(requestOf(text, { type: 'image', source: image })), ...limits };
    const pdf = { documents: 1, pdfSizes: [{ pages: 1, textBytes: 100 }] };
    const page = { ...measurePrompt(requestOf(text)), ...pdf, ...limits };
    for (const endpoint of model.endpoints) {
      for (const prompt of model.inputModalities.includes('file') ? [pictured, page] : [pictured]) {
        expect(boundOf(prompt, { model, endpoint, tier: 'standard' })).toBeLessThan(INITIAL_CREDITS);
      }
    }
  },
);

it.each(takingMedia.map((model) => [model.id, model] as const))(
  "bounds an image of one pixel at %s by its vendor's maximum",
  (_, model) => {
    const text = { type: 'text', text: 'What is this?' } as const;
    const source = { type: 'base64', mediaType: 'image/png', data: png(1, 1).toString('base64') } as const;
    const without = measurePrompt(requestOf(text));
    const sized = measurePrompt(requestOf(text, { type: 'image', source }));
    const unknown = measurePrompt(requestOf(text, { type: 'image', source: { ...source, data: 'AAAA' } }));
    const max = model.imageTokensMax!;
    for (const endpoint of model.endpoints) {
      const tokens = (prompt: MeasuredPrompt): number =>
        boundTokens(prompt, { model, endpoint, tier: 'standard' }).input -
        boundTokens(without, { model, endpoint, tier: 'standard' }).input;
      expect(tokens(sized)).toBeGreaterThan(0);
      expect(tokens(sized)).toBeLessThanOrEqual(max);
      expect(tokens(unknown)).toBe(max);
      // A rule by size gives a fraction of it.
      if (model.imageTokens) expect(tokens(sized)).toBeLessThan(0.6 * max);
    }
    expect(max).toBeLessThan(130_000);
  },
);

it('states the tokens of a page wherever PDFs are taken and images count', () => {
  const published = new Map(readModels().map(({ id, pages }) => [id, pages?.value]));
  for (const { id, inputModalities, imageTokensMax, pageTokensMax } of shipped().models.values()) {
    const withText = inputModalities.includes('file') && imageTokensMax ? imageTokensMax + 3_000 : undefined;
    expect([id, pageTokensMax]).toEqual([id, published.get(id) ?? withText]);
  }
});

// https://ai.google.dev/gemini-api/docs/media-resolution, https://ai.google.dev/gemini-api/docs/document-processing
it.each([
  ['google/gemini-2.5-pro', 4_144],
  ['google/gemini-3.5-flash', 4_120],
  ['google/gemini-4-argon', 4_120],
])('has the page of %s as Google publishes it', (id, pageTokensMax) => {
  expect(shipped().models.get(id)).toMatchObject({ pageTokensMax });
});

it('states what each maximum of media rests on, where that is not its vendor', () => {
  const reading = readSources('catalog/sources.yaml', sourcesText);
  if ('faults' in reading) throw new Error(reading.faults.map(describeFault).join('\n'));
  const { mediaBases } = reading.sources;
  expect(mediaBases.get('openai/gpt-5.2')).toBe('family');
  expect(mediaBases.get('z-ai/glm-5.3-flash')).toBe('third-party');
  expect(mediaBases.get('bytedance/seed-2.0-pro')).toBe('assumed');
  // The vendor's own table has these: base and tiles of 75 and 150, 70 and 140.
  for (const id of ['openai/o1', 'openai/gpt-5-chat', 'anthropic/claude-opus-5.5'])
    expect([id, mediaBases.get(id)]).toEqual([id, undefined]);
  expect([...mediaBases.keys()].filter((id) => shipped().models.get(id)?.imageTokensMax === undefined)).toEqual([]);
});

it('prices the tiers and locations that vendors publish', () => {
  const { models } = shipped();
  const of = (id: string) => models.get(id)!.endpoints[0]!;
  // https://platform.claude.com/docs/en/about-claude/pricing
  expect(of('anthropic/claude-opus-5.5').pricing!.fast).toMatchObject({ prompt: 8_000_000n, completion: 40_000_000n });
  expect(of('anthropic/claude-opus-5').geographies!.get('us')!.pricing).toMatchObject({
    prompt: 5_500_000n,
    completion: 27_500_000n,
    inputCacheRead: 550_000n,
    inputCacheWrite: 6_875_000n,
    inputCacheWrite1h: 11_000_000n,
    webSearch: 10_000_000_000n,
    fast: { prompt: 11_000_000n, completion: 55_000_000n },
  });
  expect(of('anthropic/claude-haiku-4.5').geographies).toBeUndefined();
  // https://developers.openai.com/api/docs/pricing
  expect(of('openai/gpt-5.6-luna').pricing!.priority).toEqual({
    prompt: 400_000n,
    completion: 2_400_000n,
    inputCacheRead: 40_000n,
    inputCacheWrite: 500_000n,
    tiers: [
      {
        minPromptTokens: 272_000,
        prompt: 800_000n,
        completion: 3_600_000n,
        inputCacheRead: 80_000n,
        inputCacheWrite: 1_000_000n,
      },
    ],
  });
  expect(of('openai/o3').pricing!.flex).toEqual({
    prompt: 1_000_000n,
    completion: 4_000_000n,
    inputCacheRead: 250_000n,
  });
});

it("gives the source and date of each tier's price list", () => {
  const lines = text.split('\n');
  const priced = lines.flatMap((line, index) =>
    / pricing: .*\b(fast|priority|flex|geo): \{/.test(line) ? [index] : [],
  );
  expect(priced.length).toBeGreaterThan(30);
  for (const index of priced)
    expect(lines[index - 1]).toMatch(/^ +# [a-z, ]+: https:\/\/[^ ]+, as of [A-Z][a-z]+ \d{4}$/);
});
