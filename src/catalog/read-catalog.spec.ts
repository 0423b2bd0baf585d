// A good file becomes exactly the catalog it describes; a bad one is refused with file, line and field of every fault.
// A small valid file, with one line changed per case; whole readings are compared, not single fields.
import fc from 'fast-check';
import { formatUsd } from '../core/money/credits.js';
import { DIALECT_IDS, PLATFORM_IDS, type CatalogSnapshot } from '../core/routing/catalog.js';
import { Secret } from '../core/secret.js';
import { describeFault } from './fault.js';
import { readCatalog, type CatalogFile } from './read-catalog.js';
import { QUIRK_KEYS } from './read-quirks.js';
import { credentialSources, NO_CREDENTIALS } from '../../test/support/credential-sources.js';

const DIALECTS = DIALECT_IDS.map((id) => JSON.stringify(id)).join(', ');
const PLATFORMS = PLATFORM_IDS.map((id) => JSON.stringify(id)).join(', ');

const SOUND = `version: 1
providers:
  - slug: acme
    name: Acme
    dialect: openai-chat
    base_url: https://api.acme.test/v1/
    credential: { env: ACME_API_KEY }
models:
  - id: acme/large
    name: "Acme: Large"
    context_length: 1000
    endpoints:
      - provider: acme
        model: large-1
        pricing: { prompt: "3", completion: "15" }
`;

const FILES = { '/run/secrets/key': ' sk-file\n', '/run/secrets/empty': ' \n' };
const fileOf = (text: string, name = 'test.yaml'): CatalogFile => ({ name, text });

function faultsOf(text: string, shipped?: string): string[] {
  const reading = readCatalog(
    fileOf(text),
    shipped === undefined ? undefined : fileOf(shipped, 'shipped.yaml'),
    NO_CREDENTIALS,
  );
  return 'faults' in reading ? reading.faults.map(describeFault) : [];
}

function catalogOf(text: string, shipped?: string, variables: Record<string, string> = {}): CatalogSnapshot {
  const base = shipped === undefined ? undefined : fileOf(shipped, 'shipped.yaml');
  const reading = readCatalog(fileOf(text), base, credentialSources(variables, FILES));
  if ('faults' in reading) throw new Error(reading.faults.map(describeFault).join('\n'));
  return reading.snapshot;
}

/** The valid file with one of its lines replaced. */
function withLine(line: number, text: string): string {
  const lines = SOUND.split('\n');
  lines[line - 1] = text;
  return lines.join('\n');
}

const pricing = (text: string): string => withLine(15, `        pricing: ${text}`);
const endpoint = (text: string): string => `${SOUND}        ${text}\n`;
const model = (text: string): string => `${SOUND}    ${text}\n`;
const tools = (text: string): string => `${SOUND}tools: ${text}\n`;

describe('a valid file', () => {
  it('becomes the catalog it describes, with restrictive defaults for absent fields', () => {
    const { providers, models, tools } = catalogOf(SOUND);
    const acme = {
      slug: 'acme',
      name: 'Acme',
      dialect: 'openai-chat',
      baseUrl: 'https://api.acme.test/v1',
      credentialSource: { env: 'ACME_API_KEY' },
      policy: { collectsData: true, zeroDataRetention: false },
    };
    expect([...providers]).toEqual([['acme', acme]]);
    expect(models.get('acme/large')).toEqual({
      id: 'acme/large',
      name: 'Acme: Large',
      contextLength: 1000,
      inputModalities: ['text'],
      outputModalities: ['text'],
      scores: {},
      endpoints: [
        {
          tag: 'acme',
          provider: acme,
          upstreamModel: 'large-1',
          pricing: { prompt: 3_000_000n, completion: 15_000_000n, tiers: [] },
          quantization: 'unknown',
          contextLength: 1000,
          supportedParameters: [],
        },
      ],
    });
    expect(tools).toEqual({});
  });

  it.each([
    ['{ stream: billed }', { stream: 'billed', whole: 'billed' }],
    ['{ whole: stops }', { stream: 'stops', whole: 'stops' }],
    ['{}', { stream: 'stops', whole: 'billed' }],
  ])('reads %s for abandoned calls, and the default for the rest', (aborts, expected) => {
    expect(catalogOf(withLine(7, `    aborts: ${aborts}`)).providers.get('acme')?.aborts).toEqual(expected);
  });

  it.each([
    ['true', true],
    ['false', undefined],
  ])('reads passes_unknown_fields %s', (value, expected) => {
    const { providers } = catalogOf(withLine(7, `    passes_unknown_fields: ${value}`));
    expect(providers.get('acme')?.passesUnknownFields).toBe(expected);
  });

  it.each(['"yes"', '1', 'null', '[store]'])('refuses passes_unknown_fields %s', (value) => {
    expect(faultsOf(withLine(7, `    passes_unknown_fields: ${value}`))).toEqual([
      expect.stringContaining('passes_unknown_fields: must be true or false'),
    ]);
  });

  it('leaves a placeholder of an address for the platform to fill', () => {
    const { providers } = catalogOf(
      withLine(6, '    base_url: "https://models.{region}.acme.test/"\n    platform: vertex'),
    );
    expect(providers.get('acme')?.baseUrl).toBe('https://models.{region}.acme.test');
    const inPath = catalogOf(withLine(6, '    base_url: https://x.test/a/{project}\n    platform: vertex'));
    expect(inPath.providers.get('acme')?.baseUrl).toBe('https://x.test/a/{project}');
  });

  it('reads every quirk', () => {
    const quirks = `{ max_tokens_field: max_completion_tokens, system_role: developer, reasoning_style: thinking_object, rerank: voyage,
      efforts: [none, max], counts_reasoning_apart: true, returns_reasoning: true, returns_reasoning_details: true, service_tiers: false, repeats_messages: true, stores_replies: true, omit: [seed],
      accepts_files: true, accepts_cache_markers: true, names_allowed_tools: true, checks_strict_schemas: true, tool_name_max: 40, tool_call_id_max: 64, tool_call_id_length: 9,
      vendor_tools: [bash, web_fetch], gemini_generation: gemini-2.5 }`;
    const { providers } = catalogOf(withLine(7, `    quirks: ${quirks}`));
    expect(providers.get('acme')?.quirks).toEqual({
      maxTokensField: 'max_completion_tokens',
      systemRole: 'developer',
      reasoningStyle: 'thinking_object',
      rerank: 'voyage',
      efforts: ['none', 'max'],
      countsReasoningApart: true,
      returnsReasoning: true,
      returnsReasoningDetails: true,
      serviceTiers: false,
      repeatsMessages: true,
      storesReplies: true,
      omit: ['seed'],
      acceptsFiles: true,
      acceptsCacheMarkers: true,
      namesAllowedTools: true,
      checksStrictSchemas: true,
      toolNameMax: 40,
      toolCallIdMax: 64,
      toolCallIdLength: 9,
      vendorTools: ['bash', 'web_fetch'],
      geminiGeneration: 'gemini-2.5',
    });
    const all = catalogOf(withLine(7, '    quirks: { vendor_tools: all }'));
    expect(all.providers.get('acme')?.quirks).toEqual({ vendorTools: 'all' });
    expect(QUIRK_KEYS.filter((key) => !quirks.includes(`${key}:`))).toEqual([]);
  });

  it.each([
    ['{ reasoning_style: loud }', 'reasoning_style: must be one of'],
    ['{ efforts: [] }', 'efforts: must name at least one effort'],
    ['{ efforts: [huge] }', 'efforts.0: must be one of'],
    ['{ omit: [model] }', 'omit.0: cannot be left out of a call'],
    ['{ omit: ["A b"] }', 'omit.0: must be the name of a request field'],
    ['{ vendor_tools: [bash_20250124] }', 'vendor_tools.0: must be one of'],
    ['{ vendor_tools: most }', 'vendor_tools: must be a list'],
    ['{ tool_name_max: 8 }', 'tool_name_max: must be at least 9'],
    ['{ returns_reasoning: "yes" }', 'returns_reasoning: must be true or false'],
    ['{ reasoningStyle: reasoning_effort }', 'reasoningStyle: is not a known field'],
    ['[]', 'quirks: must be an object'],
  ])('refuses quirks %s', (quirks, fault) => {
    expect(faultsOf(withLine(7, `    quirks: ${quirks}`))).toEqual([expect.stringContaining(fault)]);
  });

  it('carries every field of the format', () => {
    const { providers, models, tools } = catalogOf(`version: 1
providers:
  - { slug: acme-one, name: Acme, dialect: anthropic-messages, base_url: "http://127.0.0.1:9/x//", credential: { value: " key\\n" },
      platform: direct, policy: { collects_data: false, zero_data_retention: true, region: us },
      aborts: { stream: billed, whole: stops }, passes_unknown_fields: true }
  - { slug: play, name: Play, dialect: simulated }
models:
  - id: acme/large:free
    name: Large
    created: 2025-09-29
    context_length: 200000
    max_completion_tokens: 64000
    input_modalities: [text, image, file, audio, video, text]
    output_modalities: [text, image]
    distillable: false
    image_tokens_max: 1600
    page_tokens_max: 3000
    image_tokens: openai-tiles
    scores: { quality: { value: 0, source: a }, coding: { value: 1, source: b } }
    limits: { requests_per_minute: 600, tokens_per_minute: 1000000, concurrency: 50 }
    endpoints:
      - provider: acme-one
        model: large-1
        variant: us-east
        dialect: openai-chat
        pricing: { prompt: "0.000001", completion: "1", reasoning: "2", input_cache_read: "3", input_cache_write: "4",
                   input_cache_write_1h: "5", request: "0", image: "0.000000000001", web_search: "0.01",
                   tiers: [{ min_prompt_tokens: 1, prompt: "6" }, { min_prompt_tokens: 2, completion: "7" }],
                   fast: { prompt: "8" }, priority: { completion: "9" }, flex: { input_cache_read: "10" } }
        quantization: mxfp4
        context_length: 100000
        max_completion_tokens: 32000
        supported_parameters: [max_tokens, tools, max_tokens]
        timeouts: { first: 60s }
      - { provider: play, model: echo, free: true, timeouts: { first: 500ms } }
tools:
  web_search:
    default: exa
    engines: { searxng: { base_url: "http://search.test/" }, simulated: { price: "0.001" },
               exa: { base_url: "https://exa.test", credential: { value: key }, price: "0.007" } }
  web_fetch: { price: "0.002", engines: { firecrawl: { base_url: "http://fire.test" } } }
  image_generation: { model: "acme/large:free" }
  bash: { price: "0.0005", memory: 128MiB, time: 45s }
`);
    expect(providers.get('acme-one')?.baseUrl).toBe('http://127.0.0.1:9/x');
    expect(providers.get('acme-one')?.platform).toBe('direct');
    expect(providers.get('acme-one')?.credential?.reveal()).toBe('key');
    expect(providers.get('acme-one')?.policy).toEqual({ collectsData: false, zeroDataRetention: true, region: 'us' });
    expect(providers.get('acme-one')?.aborts).toEqual({ stream: 'billed', whole: 'stops' });
    expect(providers.get('acme-one')?.passesUnknownFields).toBe(true);
    expect(providers.get('play')?.baseUrl).toBe('simulated://play');
    const large = models.get('acme/large:free');
    expect(large).toMatchObject({
      created: 1_759_104_000,
      maxCompletionTokens: 64000,
      inputModalities: ['text', 'image', 'file', 'audio', 'video'],
      outputModalities: ['text', 'image'],
      distillable: false,
      imageTokensMax: 1600,
      pageTokensMax: 3000,
      imageTokens: 'openai-tiles',
      scores: { quality: { value: 0, source: 'a' }, coding: { value: 1, source: 'b' } },
      limits: { requestsPerMinute: 600, tokensPerMinute: 1_000_000, concurrency: 50 },
    });
    expect(large?.endpoints[0]).toEqual({
      tag: 'acme-one/us-east',
      provider: providers.get('acme-one'),
      variant: 'us-east',
      upstreamModel: 'large-1',
      dialect: 'openai-chat',
      pricing: {
        prompt: 1n,
        completion: 1_000_000n,
        reasoning: 2_000_000n,
        inputCacheRead: 3_000_000n,
        inputCacheWrite: 4_000_000n,
        inputCacheWrite1h: 5_000_000n,
        request: 0n,
        image: 1n,
        webSearch: 10_000_000_000n,
        tiers: [
          { minPromptTokens: 1, prompt: 6_000_000n },
          { minPromptTokens: 2, completion: 7_000_000n },
        ],
        fast: { prompt: 8_000_000n },
        priority: { completion: 9_000_000n },
        flex: { inputCacheRead: 10_000_000n },
      },
      quantization: 'mxfp4',
      contextLength: 100_000,
      maxCompletionTokens: 32_000,
      supportedParameters: ['max_tokens', 'tools'],
      firstTimeoutMs: 60_000,
    });
    expect(large?.endpoints[1]).toMatchObject({
      tag: 'play',
      pricing: null,
      contextLength: 200_000,
      firstTimeoutMs: 500,
    });
    expect(tools.imageGeneration).toEqual({ model: 'acme/large:free' });
    expect(tools.webSearch?.default).toBe('exa');
    expect(tools.webSearch?.engines).toEqual(
      new Map([
        ['searxng', { baseUrl: 'http://search.test' }],
        ['simulated', { price: 1_000_000_000n }],
        ['exa', { baseUrl: 'https://exa.test', credential: expect.any(Secret) as Secret, price: 7_000_000_000n }],
      ]),
    );
    expect(tools.webSearch?.engines.get('exa')?.credential?.reveal()).toBe('key');
    expect(tools.webFetch).toEqual({
      price: 2_000_000_000n,
      engines: new Map([['firecrawl', { baseUrl: 'http://fire.test' }]]),
    });
    expect(tools.bash).toEqual({ price: 500_000_000n, memoryBytes: 128 * 1024 * 1024, timeMs: 45_000 });
  });

  it('may be JSON, indented with tabs', () => {
    const json = JSON.stringify({ version: 1, extends: 'default' }, undefined, '\t');
    expect([...catalogOf(json, SOUND).models.keys()]).toEqual(['acme/large']);
  });

  it('may share parts by anchors and merges', () => {
    const shared = `${SOUND}  - { id: acme/small, name: Small, context_length: 9, endpoints: [{ <<: &free { provider: acme, free: true }, model: s }] }
  - { id: acme/tiny, name: Tiny, context_length: 9, endpoints: [{ <<: *free, model: t }] }
`;
    expect(catalogOf(shared).models.get('acme/tiny')?.endpoints[0]).toMatchObject({ tag: 'acme', upstreamModel: 't' });
  });

  it.each([
    ['set', 'secret', 'secret'],
    ['set with a line break around it', ' secret\n', 'secret'],
    ['set to nothing', '', undefined],
    ['not set', undefined, undefined],
  ])('takes a credential from a variable that is %s', (_, value, expected) => {
    const { providers } = catalogOf(SOUND, undefined, value === undefined ? {} : { ACME_API_KEY: value });
    expect(providers.get('acme')?.credential?.reveal()).toBe(expected);
  });
});

describe('texts that were parsed before', () => {
  it('are used again, and none is stored anew', () => {
    const kept = new Map<string, unknown>();
    const keep = (text: string, value: unknown): void => void kept.set(text, value);
    const own = 'version: 1\nextends: default\n';
    const first = readCatalog(fileOf(own), fileOf(SOUND), NO_CREDENTIALS, new Map(), keep);
    expect([...kept.keys()]).toEqual([own, SOUND]);
    const known = new Map(kept);
    kept.clear();
    expect(readCatalog(fileOf(own), fileOf(SOUND), NO_CREDENTIALS, known, keep)).toEqual(first);
    // A known value is used instead of the text.
    const other = new Map([[SOUND, { version: 1 }]]);
    expect(readCatalog(fileOf(own), fileOf(SOUND), NO_CREDENTIALS, other)).toMatchObject({
      snapshot: { models: new Map() },
    });
    expect(kept.size).toBe(0);
  });

  it('give the lines of their faults', () => {
    const bad = withLine(4, '    name: " "');
    const kept = new Map<string, unknown>();
    const keep = (text: string, value: unknown): void => void kept.set(text, value);
    const first = readCatalog(fileOf(bad), undefined, NO_CREDENTIALS, new Map(), keep);
    expect(readCatalog(fileOf(bad), undefined, NO_CREDENTIALS, kept)).toEqual(first);
    expect(first).toMatchObject({ faults: [{ line: 4 }] });
  });

  it('are not stored where they are not valid YAML', () => {
    readCatalog(fileOf('version: [1'), undefined, NO_CREDENTIALS, new Map(), () => {
      throw new Error('kept');
    });
  });
});

describe('extends: default', () => {
  const OWN = `version: 1
extends: default
providers:
  - { slug: acme, name: My Acme, dialect: openai-chat, base_url: http://acme.internal }
models:
  - { id: acme/small, name: Small, context_length: 9, endpoints: [{ provider: acme, model: small, free: true }] }
`;

  it('adds to the shipped catalog and replaces entries of the same name', () => {
    const catalog = catalogOf(OWN, SOUND);
    expect([...catalog.models.keys()]).toEqual(['acme/large', 'acme/small']);
    expect(catalog.models.get('acme/large')?.endpoints[0]?.provider).toMatchObject({
      name: 'My Acme',
      baseUrl: 'http://acme.internal',
    });
    const replaced = catalogOf(`${OWN.replace('acme/small', 'acme/large')}`, SOUND);
    expect([...replaced.models.values()].map(({ name }) => name)).toEqual(['Small']);
  });

  it('moves an alias from a model of the shipped file, which keeps its others', () => {
    const shipped = model('aliases: [big, huge]');
    const aliasesOf = (own: string): unknown =>
      [...catalogOf(own, shipped).models.values()].map(({ id, aliases }) => [id, aliases]);
    expect(aliasesOf(OWN)).toEqual([
      ['acme/large', ['big', 'huge']],
      ['acme/small', undefined],
    ]);
    expect(aliasesOf(OWN.replace('name: Small', 'name: Small, aliases: [big, tiny, tiny]'))).toEqual([
      ['acme/large', ['huge']],
      ['acme/small', ['big', 'tiny']],
    ]);
  });

  it('keeps tools of the shipped file that it does not name', () => {
    const draws = withLine(11, '    context_length: 1000\n    output_modalities: [text, image]');
    const shipped = `${draws}tools: { image_generation: { model: acme/large } }\n`;
    expect(catalogOf(OWN, shipped).tools).toEqual({ imageGeneration: { model: 'acme/large' } });
  });

  it('hashes exactly the files that were used', () => {
    expect(catalogOf(SOUND).hash).toBe(catalogOf(SOUND, 'anything').hash);
    expect(catalogOf(OWN, SOUND).hash).not.toBe(catalogOf(OWN, `${SOUND}# changed\n`).hash);
    expect(catalogOf(SOUND).hash).not.toBe(catalogOf(`${SOUND}# changed\n`).hash);
    expect(catalogOf(SOUND).hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('names the file that has a fault', () => {
    expect(faultsOf(`${OWN}nonsense: 1\n`, withLine(4, '    name: 7'))).toEqual([
      'shipped.yaml:4: providers.0.name: must be a text that is not empty',
      'test.yaml:7: nonsense: is not a known field',
    ]);
    expect(faultsOf(OWN)[0]).toBe('test.yaml:2: extends: there is no shipped catalog to extend');
  });
});

describe('a bad file', () => {
  const ID = 'must be author/slug or author/slug:variant';
  const SLUG = 'must be in lower case with hyphens, such as "google-vertex"';
  const TEXT = 'must be a text that is not empty';
  const WHOLE = 'must be a whole number above 0';
  const DECIMAL = 'must be a decimal string such as "0.25"';
  const SHARE = 'must be a number from 0 to 1';
  const DURATION = 'must be a duration such as "500ms" or "60s"';
  const prompt = (value: string): string => pricing(`{ prompt: ${value}, completion: "1" }`);
  const PROMPT = '15: models.0.endpoints.0.pricing.prompt';
  const ENDPOINT = 'models.0.endpoints.0';

  // oxfmt-ignore
  it.each<[rule: string, text: string, ...faults: string[]]>([
    // The file as a whole.
    ['is empty', '', '1: must be an object'],
    ['is a list', '- 1', '1: must be an object'],
    ['has no version', 'providers: []', '1: version: is required'],
    ['has an unknown version', withLine(1, 'version: 2'), '1: version: must be 1'],
    ['has a version in quotes', withLine(1, 'version: "1"'), '1: version: must be 1'],
    ['extends anything but default', withLine(1, 'version: 1\nextends: other'), '2: extends: must be "default"'],
    ['extends null', withLine(1, 'version: 1\nextends:'), '2: extends: must be "default"'],
    ['has an unknown field', `${SOUND}aliases: {}\n`, '16: aliases: is not a known field'],
    ['has a field that names a prototype', `${SOUND}__proto__: {}\n`, '16: __proto__: is not a known field'],
    ['has a field whose name moves terminals', `${SOUND}"a\\e[31m\\nFAKE": 1\n`, '16: a [31m FAKE: is not a known field'],
    ['has providers that are null', 'version: 1\nproviders:\n', '2: providers: must be a list'],
    ['gives a field twice', withLine(4, '    name: Acme\n    name: Other'), '5: providers.0.name: is given twice'],
    ['has an unknown tag', withLine(4, '    name: !secret x'), '4: providers.0.name: is not valid YAML: Unresolved tag: !secret'],
    ['names an anchor that is not there', withLine(4, '    name: *x'), '4: providers.0.name: names "x", an anchor that is not set before'],

    // Providers.
    ['has a provider that is a text', 'version: 1\nproviders: [acme]', '2: providers.0: must be an object'],
    ['has a provider in upper case', withLine(3, '  - slug: Acme'), `3: providers.0.slug: ${SLUG}`],
    ['has a provider without a name', withLine(4, ''), '3: providers.0.name: is required'],
    ['has a provider with a blank name', withLine(4, '    name: " "'), `4: providers.0.name: ${TEXT}`],
    ['has an unknown dialect', withLine(5, '    dialect: soap'), `5: providers.0.dialect: must be one of ${DIALECTS}`],
    ['has an unknown platform', withLine(6, '    base_url: https://x\n    platform: mainframe'), `7: providers.0.platform: must be one of ${PLATFORMS}`],
    ['has a platform that does not serve its dialect', withLine(5, '    dialect: cohere-chat\n    platform: azure'), '5: providers.0.dialect: has no address on the platform azure; it has: anthropic-messages, openai-chat, openai-responses'],
    ['has a dialect that needs a platform, and none', withLine(5, '    dialect: bedrock-converse'), '5: providers.0.dialect: needs `platform: bedrock`: its calls need that platform'],
    ['states that it is reached directly in a dialect that needs a platform', withLine(5, '    dialect: bedrock-converse\n    platform: direct'), `5: providers.0.dialect: has no address on the platform direct; it has: ${DIALECT_IDS.filter((id) => id !== 'bedrock-converse').join(', ')}`],
    ['has a provider without an address', withLine(6, ''), '3: providers.0: needs a base_url'],
    ['gives the sandbox an address', withLine(5, '    dialect: simulated'), '6: providers.0.base_url: is not for the simulated dialect, which makes no calls'],
    ['has an address of another scheme', withLine(6, '    base_url: ftp://x'), '6: providers.0.base_url: must be an http or https URL'],
    ['has an address that is none', withLine(6, '    base_url: acme'), '6: providers.0.base_url: must be an http or https URL'],
    ['has an address with credentials', withLine(6, '    base_url: https://u:p@x'), '6: providers.0.base_url: must not contain credentials; use `credential`'],
    ['has an address with a query', withLine(6, '    base_url: https://x/?a'), '6: providers.0.base_url: must not contain a query or a fragment'],
    ['has an address with a fragment', withLine(6, '    base_url: "https://x/#"'), '6: providers.0.base_url: must not contain a query or a fragment'],
    ['has a credential that is a text', withLine(7, '    credential: abc'), '7: providers.0.credential: must be an object'],
    ['has a credential of both kinds', withLine(7, '    credential: { env: A, value: b }'), '7: providers.0.credential: must have exactly one of env, value and file'],
    ['has a credential of no kind', withLine(7, '    credential: {}'), '7: providers.0.credential: must have exactly one of env, value and file'],
    ['has a credential of a file that is not there', withLine(7, '    credential: { file: /no/where }'), '7: providers.0.credential.file: names a file that cannot be read (ENOENT)'],
    ['has a key for none', withLine(7, '    credential: nothing'), '7: providers.0.credential: must be an object'],
    ['has a version of an API that has none', withLine(7, '    api_version: "2024-10-21"'), '7: providers.0.api_version: is for the platform azure'],
    ['has a version that cannot exist', withLine(7, '    platform: azure\n    api_version: "2024?x"'), '8: providers.0.api_version: must be a version such as "2024-10-21"'],
    ['has a placeholder in its address that nothing fills', withLine(6, '    base_url: https://{region}.x/{resource}\n    platform: vertex'), '6: providers.0.base_url: holds {resource}, which nothing fills'],
    ['has such a placeholder without a platform', withLine(6, '    base_url: https://{region}.x'), '6: providers.0.base_url: holds {region}, which nothing fills'],
    ['has days that cannot be', withLine(7, '    policy: { retention_days: 1.5 }'), '7: providers.0.policy.retention_days: must be a whole number from 0 on'],
    ['has a variable that cannot exist', withLine(7, '    credential: { env: A-B }'), '7: providers.0.credential.env: must be the name of an environment variable'],
    ['has a policy that is not a flag', withLine(7, '    policy: { collects_data: "no" }'), '7: providers.0.policy.collects_data: must be true or false'],
    ['has a rule for calls that are left that is none', withLine(7, '    aborts: { stream: never }'), '7: providers.0.aborts.stream: must be one of "stops", "billed"'],
    ['has such a rule for what is no call', withLine(7, '    aborts: { whole: stops, chunk: stops }'), '7: providers.0.aborts.chunk: is not a known field'],
    ['has such rules as a word', withLine(7, '    aborts: stops'), '7: providers.0.aborts: must be an object'],
    ['has a provider twice', withLine(8, '  - { slug: acme, name: A, dialect: simulated }\nmodels:'), '8: providers.1: has the slug "acme" of an entry before it'],

    // Models.
    ['has a model id without an author', withLine(9, '  - id: large'), `9: models.0.id: ${ID}`],
    ['has a model id with two variants', withLine(9, '  - id: acme/large:free:x'), `9: models.0.id: ${ID}`],
    ['has a model id that is a routing suffix', withLine(9, '  - id: acme/large:nitro'), '9: models.0.id: must not end in ":nitro", which is a routing suffix'],
    ['has a model twice', `${SOUND}  - { id: acme/large, name: A, context_length: 1, endpoints: [{ provider: acme, model: m, free: true }] }`, '16: models.1: has the id "acme/large" of an entry before it'],
    ['has an alias with a variant', model('aliases: [large:free]'), '16: models.0.aliases.0: must be a name such as "claude-sonnet-4-5" or "author/slug", without ":"'],
    ['has an alias that is an id', `${SOUND}  - { id: acme/small, aliases: [acme/large], name: A, context_length: 1, endpoints: [{ provider: acme, model: m, free: true }] }`, '16: models.1.aliases.0: names "acme/large" already; "acme/small" needs another alias'],
    ['has an alias of two models', `${model('aliases: [big]')}  - { id: acme/small, aliases: [big], name: A, context_length: 1, endpoints: [{ provider: acme, model: m, free: true }] }`, '17: models.1.aliases.0: names "acme/large" already; "acme/small" needs another alias'],
    ['has a context of zero', withLine(11, '    context_length: 0'), `11: models.0.context_length: ${WHOLE}`],
    ['has a context in quotes', withLine(11, '    context_length: "1000"'), `11: models.0.context_length: ${WHOLE}`],
    ['has a context with a fraction', withLine(11, '    context_length: 1.5'), `11: models.0.context_length: ${WHOLE}`],
    ['has an output limit that is null', model('max_completion_tokens:'), `16: models.0.max_completion_tokens: ${WHOLE}`],
    ['has an unknown modality', model('input_modalities: [text, smell]'), '16: models.0.input_modalities.1: must be one of "text", "image", "file", "audio", "video"'],
    ['has no modality', model('output_modalities: []'), '16: models.0.output_modalities: must name at least one modality'],
    ['has a day that no month has', model('created: 2025-02-30'), '16: models.0.created: must be a day such as "2025-09-29"'],
    ['has a day that is a time', model('created: "2025-02-03T00:00:00Z"'), '16: models.0.created: must be a day such as "2025-09-29"'],
    ['has a score above 1', model('scores: { quality: { value: 1.01, source: a } }'), `16: models.0.scores.quality.value: ${SHARE}`],
    ['has a score below 0', model('scores: { coding: { value: -0.01, source: a } }'), `16: models.0.scores.coding.value: ${SHARE}`],
    ['has a score that is no number', model('scores: { coding: { value: .nan, source: a } }'), `16: models.0.scores.coding.value: ${SHARE}`],
    ['has a score of unknown source', model('scores: { coding: { value: 0.5 } }'), '16: models.0.scores.coding.source: is required'],
    ['has a limit below 1', model('limits: { concurrency: 0 }'), `16: models.0.limits.concurrency: ${WHOLE}`],
    ['has an unknown limit', model('limits: { per_day: 1 }'), '16: models.0.limits.per_day: is not a known field'],

    // Endpoints.
    ['has a model without endpoints', SOUND.replace(/endpoints:[^]*/, 'endpoints: []'), '12: models.0.endpoints: must have at least one endpoint'],
    ['names a provider that is not there', withLine(13, '      - provider: other'), `13: ${ENDPOINT}.provider: names no provider of this catalog`],
    ['has an endpoint without pricing', withLine(15, ''), `13: ${ENDPOINT}: needs pricing; set \`free: true\` to serve it at no cost`],
    ['has an endpoint that is not free and has no pricing', withLine(15, '        free: false'), `13: ${ENDPOINT}: needs pricing; set \`free: true\` to serve it at no cost`],
    ['has a free endpoint with pricing', endpoint('free: true'), `15: ${ENDPOINT}.pricing: must be absent when free is true`],
    ['has an unknown quantization', endpoint('quantization: q4'), `16: ${ENDPOINT}.quantization: must be one of "int4", "int8", "fp4", "fp6", "fp8", "fp16", "bf16", "fp32", "unknown", "mxfp4", "nvfp4", "mxfp8"`],
    ['has a variant with a slash', endpoint('variant: a/b'), `16: ${ENDPOINT}.variant: ${SLUG}`],
    ['has an endpoint of an unknown dialect', endpoint('dialect: soap'), `16: ${ENDPOINT}.dialect: must be one of ${DIALECTS}`],
    ['has an endpoint that its platform does not serve', `${withLine(7, '    platform: vertex')}        dialect: bedrock-converse\n`, `13: ${ENDPOINT}.provider: is on the platform vertex, which has no address for calls of bedrock-converse`],
    ['has an endpoint whose dialect needs a platform that its provider has not', endpoint('dialect: bedrock-converse'), `13: ${ENDPOINT}.provider: is on no platform, and calls of bedrock-converse need \`platform: bedrock\``],
    ['has a simulated endpoint at a provider that is real', endpoint('dialect: simulated'), `13: ${ENDPOINT}.provider: speaks openai-chat, and none of its endpoints simulated`],
    ['has a tag twice', endpoint('\n      - { provider: acme, model: b, free: true }'), '17: models.0.endpoints.1: has the tag "acme" of endpoint 0; give it a variant of its own'],
    ['has a parameter that is no name', endpoint('supported_parameters: [top-k]'), `16: ${ENDPOINT}.supported_parameters.0: must be the name of a request field`],
    ['has a time-out without a unit', endpoint('timeouts: { first: 60 }'), `16: ${ENDPOINT}.timeouts.first: ${DURATION}`],
    ['has a time-out of nothing', endpoint('timeouts: { first: 0s }'), `16: ${ENDPOINT}.timeouts.first: ${DURATION}`],
    ['has a time-out above an hour', endpoint('timeouts: { first: 3601s }'), `16: ${ENDPOINT}.timeouts.first: must be at most "3600s"`],

    // Prices.
    ['has no price for completions', pricing('{ prompt: "1" }'), `15: ${ENDPOINT}.pricing.completion: is required`],
    ['has a price that is a number', prompt('3'), `${PROMPT}: ${DECIMAL}`],
    ['has a price that is null', prompt('null'), `${PROMPT}: ${DECIMAL}`],
    ['has a price with an exponent', prompt('"1e-3"'), `${PROMPT}: ${DECIMAL}`],
    ['has a price with a comma', prompt('"0,25"'), `${PROMPT}: ${DECIMAL}`],
    ['has a price without a whole part', prompt('".5"'), `${PROMPT}: ${DECIMAL}`],
    ['has a negative price', prompt('"-1"'), `${PROMPT}: must not be negative`],
    ['has a price per token with 7 decimals', prompt('"0.0000001"'), `${PROMPT}: must have at most 6 decimals`],
    ['has a price of 16 digits', prompt('"1000000000000000"'), `${PROMPT}: must have at most 15 digits before the point`],
    ['has a price per unit with 13 decimals', pricing('{ prompt: "1", completion: "1", image: "0.0000000000001" }'), `15: ${ENDPOINT}.pricing.image: must have at most 12 decimals`],
    ['has tiers that do not rise', pricing('{ prompt: "1", completion: "1", tiers: [{ min_prompt_tokens: 5, prompt: "2" }, { min_prompt_tokens: 5 }] }'), `15: ${ENDPOINT}.pricing.tiers.1.min_prompt_tokens: must be above that of the tier before`],
    ['has a tier from zero', pricing('{ prompt: "1", completion: "1", tiers: [{ min_prompt_tokens: 0 }] }'), `15: ${ENDPOINT}.pricing.tiers.0.min_prompt_tokens: ${WHOLE}`],
    ['has a unit price in a tariff', pricing('{ prompt: "1", completion: "1", fast: { image: "1" } }'), `15: ${ENDPOINT}.pricing.fast.image: is not a known field`],

    // Tools.
    ['names an image model that is not there', tools('{ image_generation: { model: acme/none } }'), '16: tools.image_generation.model: names no model of this catalog'],
    ['names an image model that makes none', tools('{ image_generation: { model: acme/large } }'), '16: tools.image_generation.model: names a model that makes no images'],
  ])('is refused when it %s', (_, text, ...faults) => {
    expect(faultsOf(text)).toEqual(faults.map((fault) => `test.yaml:${fault}`));
  });

  it('lists all its faults, by line', () => {
    const text = SOUND.replace('dialect: openai-chat', 'dialect: soap')
      .replace('"15"', '15')
      .replace('"Acme: Large"', '7');
    expect(faultsOf(text).map((fault) => fault.split(':')[1])).toEqual(['5', '10', '15']);
  });

  it('lists twenty faults at most', () => {
    const unknown = (count: number): string => Array.from({ length: count }, (_, index) => `x${index}: 1\n`).join('');
    expect(faultsOf(SOUND + unknown(20))).toHaveLength(20);
    expect(faultsOf(SOUND + unknown(21))).toHaveLength(20);
  });

  it('is not faulty for endpoints of a provider that has a fault itself', () => {
    expect(faultsOf(withLine(5, '    dialect: soap'))).toHaveLength(1);
  });

  it('is reported at the shared text, where that is wrong', () => {
    const shared = `${SOUND}  - { id: a/b, name: B, context_length: 9, endpoints: [{ <<: &base { provider: acme,\n    free: 1 }, model: s }] }\n`;
    expect(faultsOf(shared)[0]).toBe('test.yaml:17: models.1.endpoints.0.free: must be true or false');
  });

  // oxfmt-ignore
  it.each([
    ['nested lists', '['.repeat(100_000)],
    ['aliases of aliases', `a: &a [1]\n${Array.from({ length: 9 }, (_, i) => `b${i}: &b${i} [${Array(9).fill(i === 0 ? '*a' : `*b${i - 1}`).join()}]\n`).join('')}`],
  ])('cannot exhaust the process by %s', (_, text) => {
    expect(faultsOf(text).join()).toContain('is not valid YAML');
  });

  it('reads a credential from a file, or none at all', () => {
    const ofFile = catalogOf(withLine(7, '    credential: { file: /run/secrets/key }')).providers.get('acme');
    expect(ofFile?.credential?.reveal()).toBe('sk-file');
    expect(ofFile?.needsNoCredential).toBeUndefined();
    const ofNone = catalogOf(withLine(7, '    credential: none')).providers.get('acme');
    expect([ofNone?.credential, ofNone?.needsNoCredential]).toEqual([undefined, true]);
    expect(faultsOf(withLine(7, '    credential: { file: /run/secrets/empty }'))).toHaveLength(1);
  });

  it.each([
    ['{ env: ACME_API_KEY }', { env: 'ACME_API_KEY' }],
    ['{ file: /run/secrets/key }', { file: '/run/secrets/key' }],
    ['{ value: abc }', 'catalog'],
    ['none', undefined],
  ])('records the source of the credential %s, set or not', (credential, source) => {
    const acme = catalogOf(withLine(7, `    credential: ${credential}`)).providers.get('acme');
    expect(acme?.credentialSource).toEqual(source);
  });

  it('reads what a provider does with data; absent fields have the restrictive default', () => {
    const policyOf = (policy: string): unknown => catalogOf(withLine(7, policy)).providers.get('acme')?.policy;
    expect(policyOf('    policy: { collects_data: false, trains: false, retention_days: 30, region: us }')).toEqual({
      collectsData: false,
      trains: false,
      retentionDays: 30,
      zeroDataRetention: false,
      region: 'us',
    });
    expect(policyOf('')).toEqual({ collectsData: true, zeroDataRetention: false });
  });

  it('accepts a credential as long as the key of a service account, but a bounded one', () => {
    const withValue = (length: number) => faultsOf(withLine(7, `    credential: { value: "${'k'.repeat(length)}" }`));
    expect(withValue(64 * 1024)).toEqual([]);
    expect(withValue(64 * 1024 + 1)).toEqual([expect.stringContaining('must have at most 65536 characters')]);
  });

  it('never shows a possible credential', () => {
    const faults = faultsOf(withLine(7, '    credential: { value: 12345 }\n    base_url2: https://me:hunter2@x'));
    expect(faults).toHaveLength(2);
    expect(faults.join()).not.toMatch(/12345|hunter2/);
  });
});

it('reads every price exactly as it is written', () => {
  const decimal = (decimals: number): fc.Arbitrary<string> =>
    fc
      .tuple(fc.bigInt(0n, 10n ** 9n), fc.bigInt(0n, 10n ** BigInt(decimals) - 1n))
      .map(([whole, fraction]) => `${whole}.${fraction.toString().padStart(decimals, '0')}`);
  const canonical = (text: string): string => text.replace(/0+$/, '').replace(/\.$/, '');
  fc.assert(
    fc.property(decimal(6), decimal(6), decimal(12), (prompt, completion, request) => {
      const text = pricing(`{ prompt: "${prompt}", completion: "${completion}", request: "${request}" }`);
      const prices = catalogOf(text).models.get('acme/large')?.endpoints[0]?.pricing;
      expect(prices && formatUsd(prices.prompt * 1_000_000n)).toBe(canonical(prompt));
      expect(prices && formatUsd(prices.completion * 1_000_000n)).toBe(canonical(completion));
      expect(prices?.request !== undefined && formatUsd(prices.request)).toBe(canonical(request));
    }),
    { numRuns: 100 },
  );
});
