// Each figure that differs between two catalogs is reported once, by its name in the file, with both values, and
// nothing else is. Catalogs read from texts, so that every field of the file is covered.
import { NO_CREDENTIALS } from '../../../test/support/credential-sources.js';
import type { CatalogSnapshot } from '../../core/routing/catalog.js';
import { readCatalog } from '../read-catalog.js';
import { compareCatalogs } from './compare-catalogs.js';

const provider = {
  slug: 'host',
  name: 'Host',
  dialect: 'openai-chat',
  base_url: 'https://host.example/v1',
  policy: { collects_data: false, retention_days: 30, region: 'eu' },
};
const endpoint = { provider: 'host', model: 'up', pricing: { prompt: '1', completion: '2' } };
const model = { id: 'vendor/m', name: 'M', context_length: 1000, endpoints: [endpoint] };

function catalog(providers: readonly object[], models: readonly object[], tools?: object): CatalogSnapshot {
  const text = JSON.stringify({ version: 1, providers, models, tools });
  const reading = readCatalog({ name: 'catalog', text }, undefined, NO_CREDENTIALS);
  if ('faults' in reading) throw new Error(JSON.stringify(reading.faults));
  return reading.snapshot;
}

const NONE = { providers: [], models: [], endpoints: [] };

/** Changes as `subject figure: before → after`. */
function changes(before: CatalogSnapshot, after: CatalogSnapshot): readonly string[] {
  const { added, removed, figures } = compareCatalogs(before, after);
  expect([added, removed]).toEqual([NONE, NONE]);
  return figures.map(
    (change) => `${change.subject} ${change.figure}: ${change.before ?? '–'} → ${change.after ?? '–'}`,
  );
}

const before = catalog([provider], [model]);

it('finds nothing between a catalog and itself', () => {
  expect(changes(before, catalog([provider], [model]))).toEqual([]);
});

it.each([
  [{ name: 'Hosts' }, 'name: Host → Hosts'],
  [{ dialect: 'openai-responses' }, 'dialect: openai-chat → openai-responses'],
  [{ base_url: 'https://other.example' }, 'base_url: https://host.example/v1 → https://other.example'],
  [{ passes_unknown_fields: true }, 'passes_unknown_fields: – → true'],
  [{ aborts: { stream: 'billed', whole: 'billed' } }, 'aborts.stream: – → billed', 'aborts.whole: – → billed'],
  [{ quirks: { system_role: 'developer' } }, 'quirks: – → {"systemRole":"developer"}'],
  [{ policy: { ...provider.policy, trains: false } }, 'policy.trains: – → false'],
  [{ policy: { ...provider.policy, retention_days: 0 } }, 'policy.retention_days: 30 → 0'],
  [{ policy: { ...provider.policy, zero_data_retention: true } }, 'policy.zero_data_retention: false → true'],
  [{ policy: { ...provider.policy, region: 'us' } }, 'policy.region: eu → us'],
])('reports a change of a provider: %j', (parts, ...expected) => {
  const after = catalog([{ ...provider, ...parts }], [model]);
  expect(changes(before, after)).toEqual(expected.map((change) => `host ${change as string}`));
});

it.each([
  [{ aliases: ['m'] }, 'aliases: – → m'],
  [{ max_completion_tokens: 5 }, 'max_completion_tokens: – → 5'],
  [{ input_modalities: ['text', 'image'] }, 'input_modalities: text → text, image'],
  [{ distillable: false }, 'distillable: – → false'],
  [{ image_tokens_max: 9 }, 'image_tokens_max: – → 9'],
  [{ image_tokens: 'gemini' }, 'image_tokens: – → gemini'],
  [{ scores: { coding: { value: 0.5, source: 'a bench' } } }, 'scores.coding: – → 0.5 (a bench)'],
  [{ limits: { concurrency: 3 } }, 'limits.concurrency: – → 3'],
  // Endpoints without a separate value follow the model.
  [{ context_length: 2000 }, 'context_length: 1000 → 2000'],
])('reports a change of a model: %j', (parts, expected) => {
  expect(changes(before, catalog([provider], [{ ...model, ...parts }]))).toEqual([`vendor/m ${expected}`]);
});

it.each([
  [{ model: 'other' }, 'model: up → other'],
  [{ dialect: 'openai-responses' }, 'dialect: – → openai-responses'],
  [{ quantization: 'fp8' }, 'quantization: – → fp8'],
  [{ context_length: 500 }, 'context_length: – → 500'],
  [{ max_completion_tokens: 7 }, 'max_completion_tokens: – → 7'],
  [{ supported_parameters: ['tools', 'stop'] }, 'supported_parameters: – → tools, stop'],
  [{ timeouts: { first: '2s' } }, 'timeouts.first: – → 2000ms'],
  [{ pricing: { prompt: '1', completion: '2.5' } }, 'pricing.completion: 2 → 2.5'],
  [{ pricing: { ...endpoint.pricing, web_search: '0.01' } }, 'pricing.web_search: – → 0.01'],
  [{ pricing: { ...endpoint.pricing, flex: { prompt: '0.5' } } }, 'pricing.flex.prompt: – → 0.5'],
  [{ pricing: { ...endpoint.pricing, geo: { us: '1.1' } } }, 'pricing.geo.us: – → 1.1'],
  [
    { pricing: { ...endpoint.pricing, tiers: [{ min_prompt_tokens: 10, prompt: '3' }] } },
    'pricing.prompt from 10 tokens: – → 3',
  ],
])('reports a change of an endpoint: %j', (parts, expected) => {
  const after = catalog([provider], [{ ...model, endpoints: [{ ...endpoint, ...parts }] }]);
  expect(changes(before, after)).toEqual([`vendor/m at host ${expected}`]);
});

it('reports that an endpoint became free', () => {
  const { pricing: _, ...bare } = endpoint;
  expect(changes(before, catalog([provider], [{ ...model, endpoints: [{ ...bare, free: true }] }]))).toEqual([
    'vendor/m at host pricing.prompt: 1 → –',
    'vendor/m at host pricing.completion: 2 → –',
    'vendor/m at host free: – → true',
  ]);
});

it('reports added and removed entries; a whole model without its endpoints', () => {
  const other = { ...provider, slug: 'other' };
  const after = catalog(
    [provider, other],
    [
      { ...model, endpoints: [endpoint, { ...endpoint, provider: 'other' }] },
      { ...model, id: 'vendor/new' },
    ],
  );
  const names = { providers: ['other'], models: ['vendor/new'], endpoints: ['vendor/m at other'] };
  expect(compareCatalogs(before, after)).toEqual({ added: names, removed: NONE, figures: [] });
  expect(compareCatalogs(after, before)).toEqual({ added: NONE, removed: names, figures: [] });
});

it('reports the engines of tools and their prices', () => {
  const searx = { base_url: 'http://127.0.0.1:8888' };
  const exa = { base_url: 'https://exa.example', credential: { value: 'not-to-be-shown' }, price: '0.007' };
  const old = catalog([provider], [model], { web_search: { engines: { exa } }, bash: { price: '0.001' } });
  const now = catalog([provider], [model], {
    web_search: { default: 'exa', engines: { searxng: searx, exa: { ...exa, price: '0.008' } } },
    web_fetch: { price: '0.001' },
    bash: { price: '0.001', memory: '128MiB', time: '60s' },
  });
  expect(changes(old, now)).toEqual([
    'tools web_search.engines.exa.price: 0.007 → 0.008',
    'tools bash.memory: 64MiB → 128MiB',
    'tools bash.time: 30s → 60s',
    'tools web_search.engines.searxng.base_url: – → http://127.0.0.1:8888',
    'tools web_search.engines.searxng.price: – → 0',
    'tools web_fetch.price: – → 0.001',
  ]);
});

it('compares no credentials', () => {
  const after = catalog([{ ...provider, credential: { value: 'not-to-be-shown' } }], [model]);
  expect(changes(before, after)).toEqual([]);
});
