// Goal: the catalog that ships is sound, is what its script makes, and holds the whole sandbox.
// Method: the file itself is read; the script's generator runs in the test.
import { readFileSync } from 'node:fs';
import { seedCatalog } from '../../scripts/seed-catalog.js';
import type { CatalogSnapshot } from '../core/routing/catalog.js';
import { describeFault } from './fault.js';
import { readCatalog } from './read-catalog.js';

const text = readFileSync('catalog/default.yaml', 'utf8');

function shipped(): CatalogSnapshot {
  const reading = readCatalog({ name: 'catalog/default.yaml', text }, undefined, () => undefined);
  if ('faults' in reading) throw new Error(reading.faults.map(describeFault).join('\n'));
  return reading.snapshot;
}

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
