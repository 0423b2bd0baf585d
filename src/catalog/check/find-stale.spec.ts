// Sources that are too old are reported with the number of figures that still come from them. A shipped catalog with
// its sources, and catalogs with some of its figures and some of their own.
import { catalogOf, endpoint, model, perMillion } from '../../../test/support/route-inputs.js';
import type { Model } from '../../core/routing/catalog.js';
import { findStale, type Staleness } from './find-stale.js';
import { readSources } from './read-sources.js';

const SOURCES = `
version: 1
sources:
  - { id: page, title: Prices of Alpha, url: "https://alpha.example/prices", read: 2026-06-01 }
  - { id: data, title: A table, package: "tables@1.2.3", published: 2026-09-23, read: 2026-11-01, licence: MIT }
providers:
  alpha: { policy: page, supported_parameters: page }
models:
  vendor/m:
    context_length: data
    max_completion_tokens: page
    endpoints:
      alpha: { pricing: page, tariffs: data, quantization: page }
      beta: { pricing: data }
`;

function sourcesOf(text: string) {
  const reading = readSources('sources.yaml', text);
  if ('faults' in reading) throw new Error(JSON.stringify(reading.faults));
  return reading.sources;
}

const alpha = endpoint('alpha', {
  quantization: 'fp8',
  supportedParameters: ['tools'],
  pricing: { prompt: perMillion(1), completion: perMillion(2), tiers: [], flex: { prompt: perMillion(0.5) } },
});
const shipped = model('vendor/m', [alpha, endpoint('beta')], { maxCompletionTokens: 8_000 });
const catalog = catalogOf(shipped);

const found = (own: Model, staleness: Partial<Staleness> = {}) =>
  findStale({ models: [own], providers: own.endpoints.map(({ provider }) => provider) }, catalog, sourcesOf(SOURCES), {
    today: '2026-11-24',
    days: 90,
    ...staleness,
  }).flatMap(({ subjects }) => subjects);

const PAGE = 'Prices of Alpha (https://alpha.example/prices), read on 2026-06-01, 176 days old';

it('counts the figures of each source that is too old', () => {
  // policy, max_completion_tokens, pricing, quantization, supported_parameters
  expect(found(shipped)).toEqual([`${PAGE}: 5 figures`]);
});

it('counts from the published day, and not yet on the last one', () => {
  expect(found(shipped, { days: 176 })).toEqual([]);
  expect(found(shipped, { today: '2026-08-30' })).toEqual([]);
  expect(found(shipped, { days: 62 })).toEqual([`${PAGE}: 5 figures`]);
  expect(found(shipped, { days: 61 })).toEqual([
    `${PAGE}: 5 figures`,
    // context_length, tariffs, and what beta costs
    'A table (tables@1.2.3), of 2026-09-23, read on 2026-11-01, 62 days old: 3 figures',
  ]);
});

it('omits figures that no longer match the source', () => {
  const cheaper = { ...alpha, pricing: { ...alpha.pricing!, prompt: perMillion(3) } };
  expect(found({ ...shipped, endpoints: [cheaper] })).toEqual([`${PAGE}: 4 figures`]);
  const own = { ...cheaper, quantization: 'fp16', supportedParameters: ['stop'] } as const;
  const { maxCompletionTokens: _, ...less } = shipped;
  expect(found({ ...less, endpoints: [own] })).toEqual([`${PAGE}: 1 figure`]);
});

it('separates prices from those of tiers, which may be of another source', () => {
  const flexible = { ...alpha, pricing: { ...alpha.pricing!, flex: { prompt: perMillion(9) } } };
  expect(found({ ...shipped, endpoints: [flexible] })).toEqual([`${PAGE}: 5 figures`]);
});

it('names the source with most figures first, and one without a title by its address alone', () => {
  const text = SOURCES.replace('Prices of Alpha', 'alpha.example/prices').replace('max_completion_tokens: page', 'max_completion_tokens: data').replace('quantization: page', 'quantization: data');
  const subjects = findStale(
    { models: [shipped], providers: [] },
    catalog,
    sourcesOf(text),
    { today: '2026-11-24', days: 9 },
  ).flatMap((finding) => finding.subjects);
  expect(subjects).toEqual([
    'A table (tables@1.2.3), of 2026-09-23, read on 2026-11-01, 62 days old: 5 figures',
    'https://alpha.example/prices, read on 2026-06-01, 176 days old: 2 figures',
  ]);
});

it('ignores models, endpoints and providers that do not ship', () => {
  expect(found(model('mine/m', [endpoint('mine')]))).toEqual([]);
});

it('reports missing sources', () => {
  const findings = findStale({ models: [], providers: [] }, catalog, undefined, { today: '2026-11-24', days: 90 });
  expect(findings).toMatchObject([{ group: 'stale', subjects: ['catalog/sources.yaml'] }]);
});

it.each([
  ['read: 2026-06-01', 'read: 2026-06-31', '4: sources.0.read: must be a day such as 2026-11-24'],
  ['published: 2026-09-23', 'published: soon', '5: sources.1.published: must be a day such as 2026-11-24'],
  ['url: "https://alpha.example/prices", ', '', '4: sources.0: must have exactly one of url and package'],
  ['policy: page', 'policy: elsewhere', '7: providers.alpha.policy: names no source of this file'],
  ['  vendor/m:', '  nobody:', '9: models.nobody: must be named author/slug'],
  ['beta: {', 'beta/: {', '14: models.vendor/m.endpoints.beta/: must be named as the tag of an endpoint'],
])('refuses a file of sources with a fault: %s → %s', (right, wrong, fault) => {
  const reading = readSources('sources.yaml', SOURCES.replace(right, wrong));
  if (!('faults' in reading)) throw new Error('was read');
  const [{ line, field, message }] = reading.faults;
  expect(`${line}: ${field}: ${message}`).toBe(fault);
});
