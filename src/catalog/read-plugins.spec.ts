// The configuration of plugins is read exactly, engines that cannot be called are absent, and a fault is reported with
// its field. The `plugins` of a small file beside two models, whole readings compared.
import { credentialSources } from '../../test/support/credential-sources.js';
import type { PluginsConfiguration } from '../core/routing/catalog.js';
import { describeFault } from './fault.js';
import { readCatalog } from './read-catalog.js';

const MODELS = ['acme/large', 'acme/guard'].map(
  (id) => `  - { id: ${id}, name: A, context_length: 9, endpoints: [{ provider: acme, model: m, free: true }] }\n`,
);
const SOUND = `version: 1
providers: [{ slug: acme, name: Acme, dialect: openai-chat, base_url: "http://acme.test" }]
models:
${MODELS.join('')}`;

function read(plugins: string, variables: Record<string, string> = {}): PluginsConfiguration | string[] {
  const file = { name: 'own.yaml', text: `${SOUND}plugins: ${plugins}\n` };
  const reading = readCatalog(file, undefined, credentialSources(variables, {}));
  return 'faults' in reading ? reading.faults.map(describeFault) : reading.snapshot.plugins;
}

const OCR =
  '{ mistral-ocr: { base_url: "http://ocr.test", credential: { env: MISTRAL_API_KEY }, price_per_page: "0.002" } }';
const OPENAI = '{ base_url: "http://mod.test/v1", credential: { env: OPENAI_API_KEY }, model: omni }';

it('reads nothing from an absent field', () => {
  expect(read('{}')).toEqual({});
});

it('has the engine that reads scans where its credential is set', () => {
  expect(read(`{ file-parser: ${OCR} }`)).toEqual({});
  const { ocr } = read(`{ file-parser: ${OCR} }`, { MISTRAL_API_KEY: 'key' }) as PluginsConfiguration;
  expect([ocr?.baseUrl, ocr?.credential?.reveal(), ocr?.price]).toEqual(['http://ocr.test', 'key', 2_000_000_000n]);
});

it('keeps a judge without a credential: no other replaces it', () => {
  const moderation = `{ moderation: { engine: openai, openai: ${OPENAI} } }`;
  expect(read(moderation)).toEqual({ moderation: { engine: 'openai', model: 'omni' } });
  const { moderation: ready } = read(moderation, { OPENAI_API_KEY: 'key' }) as PluginsConfiguration;
  expect(ready).toMatchObject({ engine: 'openai', model: 'omni', service: { baseUrl: 'http://mod.test/v1' } });
});

it('reads the other judges, patterns and panels', () => {
  expect(read('{ moderation: { engine: local } }')).toEqual({ moderation: { engine: 'local' } });
  expect(read('{ moderation: { engine: model, model: acme/guard } }')).toEqual({
    moderation: { engine: 'model', model: 'acme/guard' },
  });
  expect(read('{ auto-router: { models: ["acme/*"] } }')).toEqual({ autoRouter: { models: ['acme/*'] } });
  const panel = { analysisModels: ['acme/large', 'acme/guard'], model: 'acme/large' };
  expect(
    read('{ fusion: { presets: { general-high: { analysis_models: [acme/large, acme/guard], model: acme/large } } } }'),
  ).toEqual({ fusion: { presets: new Map([['general-high', panel]]) } });
});

const preset = (text: string): string => `{ fusion: { presets: { general-fast: ${text} } } }`;
const nine = Array.from({ length: 9 }, () => 'acme/large').join(', ');

// oxfmt-ignore
it.each([
  ['an unknown plugin', '{ web: {} }', 'plugins.web: is not a known field'],
  ['a scan reader of another name', '{ file-parser: { ocr: {} } }', 'plugins.file-parser.ocr: is not a known field', 'plugins.file-parser.mistral-ocr: is required'],
  ['a price of a use for one of a page', '{ file-parser: { mistral-ocr: { base_url: "http://x.test", price: "1" } } }', 'plugins.file-parser.mistral-ocr.price: is not a known field'],
  ['an unknown judge', '{ moderation: { engine: other } }', 'plugins.moderation.engine: must be one of "local", "openai", "model"'],
  ['a judge without its service', '{ moderation: { engine: openai } }', 'plugins.moderation.engine: needs an "openai" beside it'],
  ['a service without a model', '{ moderation: { engine: openai, openai: { base_url: "http://x.test" } } }', 'plugins.moderation.openai.model: is required'],
  ['a judge without its model', '{ moderation: { engine: model } }', 'plugins.moderation.engine: needs a "model" beside it'],
  ['a judge that is no model here', '{ moderation: { engine: model, model: acme/none } }', 'plugins.moderation.model: names no model of this catalog'],
  ['no pattern at all', '{ auto-router: { models: [] } }', 'plugins.auto-router.models: must name at least one model or pattern'],
  ['an unknown preset', '{ fusion: { presets: { best: {} } } }', 'plugins.fusion.presets.best: is not a known field'],
  ['an empty panel', preset('{ analysis_models: [], model: acme/large }'), 'plugins.fusion.presets.general-fast.analysis_models: must name 1 to 8 models'],
  ['a panel of nine', preset(`{ analysis_models: [${nine}], model: acme/large }`), 'plugins.fusion.presets.general-fast.analysis_models: must name 1 to 8 models'],
  ['a panelist that is no model here', preset('{ analysis_models: [acme/none], model: acme/large }'), 'plugins.fusion.presets.general-fast.analysis_models.0: names no model of this catalog'],
])('refuses %s', (_, plugins, ...faults) => {
  expect(read(plugins)).toEqual(faults.map((fault) => `own.yaml:6: ${fault}`));
});
