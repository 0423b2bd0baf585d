// Goal: a file under catalog/models is read with every source beside its fact, shared facts are merged as
// docs/operate/add-a-model.md describes, and each fault names its file, line, model and field. Method: texts, and the
// example of the page, which becomes a catalog that the gateway reads.
import { readFileSync } from 'node:fs';
import { NO_CREDENTIALS } from '../../test/support/credential-sources.js';
import { buildCatalog } from '../../scripts/catalog/build-catalog.js';
import { readAuthorFile, type AuthorReading } from '../../scripts/catalog/read-author-file.js';
import { readProviderFile } from '../../scripts/catalog/read-providers.js';
import { readCatalog } from './read-catalog.js';

const COMMON = { id: 'common', title: 'Common', url: 'https://common.example', read: '2026-11-01' };
const common = { named: (name: string) => (name === 'common' ? COMMON : undefined) };

const HEAD = `author: acme
sources:
  card: { url: "https://acme.example/card", read: 2026-11-29 }
`;
const ENDPOINT = `{ provider: groq, model: swift, max_completion_tokens: { value: 10, source: card } }`;

const read = (text: string): AuthorReading => readAuthorFile('acme.yaml', text, 'acme', common);

function modelOf(text: string): object {
  const reading = read(text);
  if ('faults' in reading) throw new Error(reading.faults.join('\n'));
  return reading.models[0]!;
}

const PAGE = readFileSync('docs/operate/add-a-model.md', 'utf8');
const [, example] = /## One block[^]*?```yaml\n([^]*?)```/.exec(PAGE)!;

describe('the example of the page', () => {
  const reading = read(example!);
  const models = 'models' in reading ? reading.models : [];

  it('has no fault, and its sources beside its facts', () => {
    expect(reading).not.toHaveProperty('faults');
    expect(models[0]).toMatchObject({
      id: 'acme/swift-2',
      created: { value: '2026-11-02', source: { url: 'https://huggingface.co/acme/swift-2', read: '2026-11-29' } },
      images: { max: { value: 4_098, basis: 'vendor' } },
      endpoints: [{ provider: 'deepinfra', listing: { source: { asOf: 'November 2026' } } }],
    });
  });

  it('becomes a catalog that the gateway reads', () => {
    const built = buildCatalog(models).catalog.replace(/^plugins:[^]*/m, '');
    const catalog = readCatalog({ name: 'built', text: built }, undefined, NO_CREDENTIALS);
    if ('faults' in catalog) throw new Error(JSON.stringify(catalog.faults));
    const model = catalog.snapshot.models.get('acme/swift-2')!;
    expect(model).toMatchObject({
      contextLength: 131_072,
      maxCompletionTokens: 32_768,
      created: Date.UTC(2026, 10, 2) / 1_000,
      imageTokensMax: 4_098,
      distillable: true,
    });
    expect(model.endpoints[0]!.pricing).toMatchObject({ prompt: 200_000n, completion: 600_000n });
  });

  it('is cited figure by figure', () => {
    const { sources } = buildCatalog(models);
    expect(sources).toContain('created: huggingface-co-acme-swift-2\n');
    expect(sources).toContain('deepinfra: { pricing: docs-host-example-pricing }\n');
  });
});

it('has an example of each key of the page in the shipped files', () => {
  const keys = [...PAGE.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`(\w+)`/g)].map(([, key]) => key!),
  );
  expect(keys.length).toBeGreaterThan(20);
  const files = ['acme', 'openai', 'anthropic', 'z-ai', 'bytedance', 'google'].map((author) =>
    author === 'acme' ? example! : readFileSync(`catalog/models/${author}.yaml`, 'utf8'),
  );
  const others = ['catalog/common.yaml', 'catalog/providers.yaml'].map((file) => readFileSync(file, 'utf8'));
  const shipped = [...files, ...others].join('\n');
  const isBasis = (key: string): boolean => ['vendor', 'family', 'assumed'].includes(key);
  expect(keys.filter((key) => !isBasis(key) && !new RegExp(`\\b${key}:`).test(shipped))).toEqual([]);
});

describe('shared facts', () => {
  const SHARED = `${HEAD}shared:
  first:
    images: { tokens_max: 1, source: card }
    distillable: { value: true, source: common }
    endpoints: { groq: { dialect: openai-responses, refuses: [seed] }, novita: { refuses: [stop] } }
  second: { images: { tokens_max: 2, source: card, basis: family } }
models:
`;

  it('are merged in their order, below what the model states, by the provider of each endpoint', () => {
    const text = `${SHARED}  - { id: acme/a, name: A, uses: [first, second], endpoints: [${ENDPOINT}, { provider: groq, variant: b, model: b, refuses: [top_p] }] }`;
    expect(modelOf(text)).toMatchObject({
      images: { max: { value: 2, basis: 'family' } },
      distillable: { value: true, source: COMMON },
      endpoints: [
        { model: 'swift', dialect: 'openai-responses', refuses: ['seed'], maxCompletionTokens: { value: 10 } },
        { model: 'b', dialect: 'openai-responses', refuses: ['top_p'] },
      ],
    });
  });

  it('lose to the keys of the model', () => {
    const text = `${SHARED}  - { id: acme/a, name: A, uses: [second, first], images: { tokens_max: 3, source: card }, endpoints: [${ENDPOINT}] }`;
    expect(modelOf(text)).toMatchObject({ images: { max: { value: 3, basis: 'vendor' } } });
  });
});

it.each([
  ['an unknown key', `  - { id: acme/a, name: A, context: 1, endpoints: [${ENDPOINT}] }`, 'acme.yaml:5: acme/a, context: is not a known field'],
  ['a missing key', `  - { id: acme/a, name: A, endpoints: [{ provider: groq, max_completion_tokens: { value: 1, source: card } }] }`, 'acme.yaml:5: acme/a, endpoints.0.model: is required'],
  ['a figure without a source', `  - { id: acme/a, name: A, endpoints: [{ provider: groq, model: b, context_length: 5 }, ${ENDPOINT}] }`, 'acme.yaml:5: acme/a, endpoints.0.context_length: must be an object'],
  ['a source that is not there', `  - { id: acme/a, name: A, distillable: { value: true, source: absent }, endpoints: [${ENDPOINT}] }`, 'acme.yaml:5: acme/a, distillable.source: names no source: "absent" is in no list of sources'],
  ['shared facts that are not there', `  - { id: acme/a, name: A, uses: [absent], endpoints: [${ENDPOINT}] }`, 'acme.yaml:5: acme/a, uses.0: names no shared facts: "absent" is not under shared'],
  ['a model of another author', `  - { id: other/a, name: A, endpoints: [${ENDPOINT}] }`, 'acme.yaml:5: other/a, id: must begin with acme/'],
  ['a price that is a number', `  - { id: acme/a, name: A, endpoints: [${ENDPOINT}, { provider: groq, variant: b, model: b, context_length: 1, source: card, pricing: { prompt: 1, completion: "1" } }] }`, 'acme.yaml:5: acme/a, endpoints.1.pricing.prompt: must be a decimal text such as "0.25", with at most six decimals'],
  ['a price without its source', `  - { id: acme/a, name: A, endpoints: [${ENDPOINT}, { provider: groq, variant: b, model: b, context_length: 1, pricing: { prompt: "1", completion: "1" } }] }`, 'acme.yaml:5: acme/a, endpoints.1: needs context_length and source: no table lists what states its own pricing'],
  ['a source of no price', `  - { id: acme/a, name: A, endpoints: [${ENDPOINT}, { provider: groq, variant: b, model: b, source: card }] }`, 'acme.yaml:5: acme/a, endpoints.1: needs pricing: source is stated with it alone'],
  ['a basis that is none', `  - { id: acme/a, name: A, images: { tokens_max: 1, source: card, basis: guess }, endpoints: [${ENDPOINT}] }`, 'acme.yaml:5: acme/a, images.basis: must be one of "vendor", "family", "third-party", "assumed"'],
  ['no endpoint', `  - { id: acme/a, name: A, distillable: { value: true, source: card }, endpoints: [] }`, 'acme.yaml:5: acme/a, endpoints: must have at least one endpoint'],
  ['a source that nothing names', `  - { id: acme/a, name: A, endpoints: [{ provider: groq, model: b }] }`, 'acme.yaml:3: sources.card: is a source that no fact names'],
])('refuses %s by file, line, model and field', (_, model, fault) => {
  expect(read(`${HEAD}models:\n${model}\n`)).toEqual({ faults: [fault] });
});

it('refuses shared facts that no model uses, a file of another author, and a source with address and package', () => {
  const text = `author: other
sources:
  card: { url: "https://acme.example", package: "a@1", read: 2026-11-29 }
shared:
  unused: { endpoints: { groq: { refuses: [seed] } } }
models: []
`;
  expect(read(text)).toEqual({
    faults: [
      'acme.yaml:1: author: must be "acme"',
      'acme.yaml:3: sources.card: must have exactly one of url and package',
      'acme.yaml:5: shared.unused: is used by no model',
    ],
  });
});

it.each([
  ['a key that is none', 'aborts: billed', 'host, aborts: is not a known field'],
  ['an address without TLS', 'base_url: http://host.example', 'host, base_url: must be an https address without a slash at its end'],
  ['a credential that is a value', 'credential: sk-1', 'host, credential: must be the name of a variable'],
  ['a policy without a source', 'policy: { trains: false }', 'host, policy.source: is required'],
])('refuses of a provider %s', (_, line, fault) => {
  const lines = [
    'slug: host',
    'name: Host',
    'dialect: openai-chat',
    'base_url: https://host.example',
    'credential: HOST_KEY',
    'source: common',
  ];
  const [key] = line.split(':');
  const kept = lines.filter((one) => !one.startsWith(`${key}:`));
  const text = `providers:\n  - ${[...kept, line].join('\n    ')}\n`;
  expect(readProviderFile('providers.yaml', text, common).faults).toEqual([expect.stringContaining(`: ${fault}`)]);
});
