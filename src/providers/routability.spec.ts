// Goal: a provider is routable exactly where the current catalog serves a model there, and else gets a reason. Method:
// catalogs of one provider, with and without a model.
import type { CatalogSnapshot } from '../core/routing/catalog.js';
import { readCatalog } from '../catalog/read-catalog.js';
import { NO_CREDENTIALS } from '../../test/support/credential-sources.js';
import { UNROUTABLE } from './catalog/unroutable.js';
import { routabilityOf } from './routability.js';

function catalogWith(slug: string, served = true): CatalogSnapshot {
  const provider = { slug, name: slug, dialect: 'openai-chat', base_url: 'https://provider.example/v1' };
  const endpoint = { provider: slug, model: 'm', pricing: { prompt: '1', completion: '2' } };
  const models = served ? [{ id: 'acme/one', name: 'One', context_length: 1000, endpoints: [endpoint] }] : [];
  const text = JSON.stringify({ version: 1, providers: [provider], models });
  const reading = readCatalog({ name: 'catalog.json', text }, undefined, NO_CREDENTIALS);
  if ('faults' in reading) throw new Error(reading.faults[0].message);
  return reading.snapshot;
}

it('is routable where an endpoint serves a model', () => {
  for (const slug of ['groq', 'my-vllm', 'modal']) {
    expect(routabilityOf(slug, catalogWith(slug))).toEqual({ routable: true });
  }
});

it('states that an endpoint is missing', () => {
  expect(routabilityOf('groq', catalogWith('groq', false))).toEqual({
    routable: false,
    reason: 'The catalog has no endpoint at this provider: a model of a catalog file has to name one',
  });
});

it('states that the current catalog leaves out what the shipped one has', () => {
  expect(routabilityOf('groq', catalogWith('together'))).toEqual({
    routable: false,
    reason: 'The active catalog does not have this provider; the shipped catalog does, and files that extend it',
  });
});

it('states that an unknown one needs an entry', () => {
  expect(routabilityOf('my-vllm', catalogWith('together'))).toEqual({
    routable: false,
    reason: 'The catalog has no such provider: it needs an entry with dialect and base_url',
  });
});

it.each([...UNROUTABLE])('states for %s: %s', (slug, reason) => {
  expect(routabilityOf(slug, catalogWith('groq'))).toEqual({ routable: false, reason });
});
