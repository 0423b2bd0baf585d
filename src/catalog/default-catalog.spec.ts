// Goal: the catalog that ships is sound, is what its script makes, and holds the whole sandbox.
// Method: the file itself is read; the script's generator runs in the test.
import { readFileSync } from 'node:fs';
import { seedCatalog } from '../../scripts/seed-catalog.js';
import { modelRequest } from '../../test/support/model-request.js';
import { png } from '../../test/support/images.js';
import type { ContentBlock } from '../core/conversation/content.js';
import type { ModelRequest } from '../core/conversation/request.js';
import { boundTokens } from '../core/money/bound.js';
import { measurePrompt, type MeasuredPrompt } from '../core/money/measure-prompt.js';
import { isBilledInFull } from '../core/routing/abort-rules.js';
import type { CatalogSnapshot } from '../core/routing/catalog.js';
import { describeFault } from './fault.js';
import { readCatalog } from './read-catalog.js';
import { NO_CREDENTIALS } from '../../test/support/credential-sources.js';

const text = readFileSync('catalog/default.yaml', 'utf8');

function shipped(): CatalogSnapshot {
  const reading = readCatalog({ name: 'catalog/default.yaml', text }, undefined, NO_CREDENTIALS);
  if ('faults' in reading) throw new Error(reading.faults.map(describeFault).join('\n'));
  return reading.snapshot;
}

const requestOf = (...content: readonly ContentBlock[]): ModelRequest =>
  modelRequest({ messages: [{ role: 'user', content }] });

it('is exactly what the seed script writes', () => {
  expect(text).toBe(seedCatalog());
});

it('offers the current models of the main providers', () => {
  const { models, providers } = shipped();
  expect(models.size).toBeGreaterThan(60);
  expect([...providers.keys()]).toEqual(expect.arrayContaining(['anthropic', 'openai', 'mistral', 'groq', 'xai']));
  const serving = new Set(
    [...models.values()].flatMap(({ endpoints }) => endpoints.map(({ provider }) => provider.slug)),
  );
  expect(new Set(providers.keys())).toEqual(serving);
});

it('prices Claude Sonnet 4.5 as Anthropic does', () => {
  expect(shipped().models.get('anthropic/claude-sonnet-4.5')).toMatchObject({
    contextLength: 200_000,
    maxCompletionTokens: 64_000,
    endpoints: [
      {
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
      },
    ],
  });
});

it('serves nothing for free but what says so in its name', () => {
  const free = [...shipped().models.values()].filter(({ endpoints }) =>
    endpoints.some(({ pricing }) => pricing === null),
  );
  expect(free.map(({ id }) => id)).toEqual(['sandbox/echo:free']);
});

it('says nothing of data policies but for the sandbox', () => {
  for (const { slug, policy } of shipped().providers.values()) {
    const own = slug === 'sandbox';
    expect([slug, policy]).toEqual([slug, { collectsData: !own, zeroDataRetention: own }]);
  }
});

it('says which providers bill what is left, by docs/wire/streams.md', () => {
  const providers = [...shipped().providers.values()];
  const slugsOf = (found: typeof providers): string[] => found.map(({ slug }) => slug);
  const billed = providers.filter(({ aborts }) => isBilledInFull(aborts, true));
  expect(slugsOf(billed)).toEqual(['mistral', 'groq', 'minimax']);
  // Nobody bills the sandbox.
  const stopping = providers.filter(({ aborts }) => !isBilledInFull(aborts, false));
  expect(slugsOf(stopping)).toEqual(['sandbox']);
});

// prettier-ignore
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

const takingMedia = [...shipped().models.values()].filter(({ inputModalities }) => inputModalities.includes('image'));

it('takes images at models of every vendor that has them', () => {
  expect(takingMedia.length).toBeGreaterThan(50);
});

it.each(takingMedia.map((model) => [model.id, model] as const))(
  'bounds an image of one pixel at %s by what its vendor counts at most',
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
      // A rule by size makes it a fraction.
      if (model.imageTokens) expect(tokens(sized)).toBeLessThan(0.6 * max);
    }
    expect(max).toBeLessThan(50_000);
  },
);

it('says what a page counts wherever PDFs are taken', () => {
  for (const { id, inputModalities, imageTokensMax = 0, pageTokensMax } of shipped().models.values()) {
    const expected = inputModalities.includes('file') ? imageTokensMax + 3_000 : undefined;
    expect([id, pageTokensMax]).toEqual([id, expected]);
  }
});

it('prices the tiers and places that vendors publish', () => {
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

it('says beside each price list of a tier where it is from, and when', () => {
  const lines = text.split('\n');
  const priced = lines.flatMap((line, index) =>
    / pricing: .*\b(fast|priority|flex|geo): \{/.test(line) ? [index] : [],
  );
  expect(priced.length).toBeGreaterThan(30);
  for (const index of priced)
    expect(lines[index - 1]).toMatch(/^ +# [a-z, ]+: https:\/\/[^ ]+, as of [A-Z][a-z]+ \d{4}$/);
});
