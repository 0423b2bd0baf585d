// A credential is tested where it costs least, and only on models that it is for.
import type { CatalogProvider, CatalogSnapshot, Endpoint, Model, Pricing } from '../core/routing/catalog.js';
import { findTestEndpoint } from './test-endpoint.js';

const provider = (slug: string): CatalogProvider => ({
  slug,
  name: slug,
  dialect: 'openai-chat',
  baseUrl: 'https://example.com',
  policy: { collectsData: true, zeroDataRetention: false },
});

const endpoint = (slug: string, price: Partial<Pricing> | null): Endpoint => ({
  tag: slug,
  provider: provider(slug),
  upstreamModel: 'model',
  pricing: price && { prompt: 0n, completion: 0n, tiers: [], ...price },
  quantization: 'unknown',
  contextLength: 1000,
  supportedParameters: [],
});

const model = (id: string, endpoints: Endpoint[], changes: Partial<Model> = {}): [string, Model] => [
  id,
  {
    id,
    name: id,
    contextLength: 1000,
    inputModalities: ['text'],
    outputModalities: ['text'],
    scores: {},
    endpoints,
    ...changes,
  },
];

const catalog = {
  models: new Map([
    model('a/dear', [endpoint('one', { prompt: 9n, completion: 9n })]),
    model('a/cheap', [endpoint('one', { prompt: 1n, completion: 2n }), endpoint('two', null)]),
    model('a/fee', [endpoint('one', { request: 1_000n })]),
    model('a/picture', [endpoint('one', null)], { outputModalities: ['image'] }),
    model('a/ear', [endpoint('one', null)], { inputModalities: ['audio'] }),
  ]),
} as unknown as CatalogSnapshot;

it.each([
  ['one', null, 'a/cheap'],
  ['one', ['a/dear', 'a/fee'], 'a/dear'],
  ['one', ['a/fee', 'x/unknown'], 'a/fee'],
  ['two', null, 'a/cheap'],
  ['one', ['a/f*', 'x/unknown'], 'a/fee'],
  ['one', ['a/*'], 'a/cheap'],
  ['one', ['x/unknown', 'x/*'], undefined],
  ['one', [], undefined],
  ['three', null, undefined],
])('at %s, of %j: %s', (slug, allowed, expected) => {
  const found = findTestEndpoint(catalog, slug, allowed);
  expect(found?.model.id).toBe(expected);
  if (found) expect(found.endpoint.provider.slug).toBe(slug);
});

it('where the credential leads, at the least cost', () => {
  const found = findTestEndpoint(catalog, 'one', null, ({ model: { id } }) => id !== 'a/cheap');
  expect(found?.model.id).toBe('a/dear');
  expect(findTestEndpoint(catalog, 'one', null, () => false)).toBeNull();
});
