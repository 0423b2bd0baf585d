// The shipped properties of a provider are copied unchanged into an entry of its own: every definition and every
// shipped entry is written, and read again by the catalog's own reader.
import { readFileSync } from 'node:fs';
import { NO_CREDENTIALS } from '../../../test/support/credential-sources.js';
import { readCatalog } from '../../catalog/read-catalog.js';
import type { CatalogProvider, CatalogSnapshot } from '../../core/routing/catalog.js';
import { DEFINITIONS } from '../../providers/catalog/index.js';
import { viewPricing } from './shipped-endpoints.js';
import { viewQuirks, viewTerms } from './view-provider.js';

function read(text: string): CatalogSnapshot {
  const reading = readCatalog({ name: 'test', text }, undefined, NO_CREDENTIALS);
  if ('faults' in reading) throw new Error(reading.faults.map(({ field, message }) => `${field} ${message}`).join());
  return reading.snapshot;
}

const shipped = read(readFileSync('catalog/default.yaml', 'utf8'));
const written = (parts: object): CatalogProvider => {
  const entry = { slug: 'p', name: 'P', dialect: 'openai-chat', base_url: 'http://p', ...parts };
  return read(JSON.stringify({ version: 1, providers: [entry] })).providers.get('p')!;
};

it.each(DEFINITIONS.map(({ slug, quirks }) => [slug, quirks] as const))('quirks of %s', (_, quirks) => {
  expect(written({ quirks: viewQuirks(quirks) }).quirks).toEqual(quirks);
});

it('terms of every shipped provider', () => {
  for (const { slug, policy, aborts } of shipped.providers.values()) {
    const again = written(viewTerms(shipped.providers.get(slug)!));
    expect([slug, again.policy, again.aborts]).toEqual([slug, policy, aborts]);
  }
});

it('prices of every shipped endpoint', () => {
  const priced = [...shipped.models.values()].flatMap(({ endpoints }) => endpoints.filter(({ pricing }) => pricing));
  expect(priced.length).toBeGreaterThan(800);
  const endpoints = priced.map(({ pricing }, index) => ({
    provider: 'p',
    model: 'm',
    variant: `v${index}`,
    pricing: viewPricing(pricing!),
  }));
  const provider = { slug: 'p', name: 'P', dialect: 'openai-chat', base_url: 'http://p' };
  const model = { id: 'a/m', name: 'M', context_length: 1, endpoints };
  const again = read(JSON.stringify({ version: 1, providers: [provider], models: [model] })).models.get('a/m')!;
  expect(again.endpoints.map(({ pricing }) => pricing)).toEqual(priced.map(({ pricing }) => pricing));
});
