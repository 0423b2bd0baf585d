// A configuration of LiteLLM's becomes a catalog that calls the same upstreams; everything else is noted with its
// path, and no key of the file is in the output. The catalog is read by the gateway's own reader over a part of the
// shipped catalog.
import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { readCatalog } from '../../catalog/read-catalog.js';
import type { CatalogSnapshot, Model } from '../../core/routing/catalog.js';
import { modelId } from '../../core/routing/resolve-model.js';
import { importLitellm } from './import-litellm.js';

/** All shipped providers, and only the models that are used here: the whole file takes a second to read. */
const MODELS = ['openai/gpt-4o', 'openai/gpt-4o-mini', 'anthropic/claude-sonnet-4.5'];
const whole = parse(readFileSync('catalog/default.yaml', 'utf8')) as {
  readonly models: readonly { readonly id: string }[];
};
const shipped = {
  name: 'default.yaml',
  text: JSON.stringify({ ...whole, models: whole.models.filter(({ id }) => MODELS.includes(id)), plugins: {} }),
};

interface Outcome {
  readonly catalog: CatalogSnapshot;
  readonly text: string;
  /** `group path: message`, in the order of the notes. */
  readonly noted: readonly string[];
}

function outcomeOf(config: object, variables: NodeJS.ProcessEnv = {}): Outcome {
  const { text, remarks } = importLitellm(stringify(config), { shipped, variables });
  const file = () => ({ failure: 'is not there' });
  const reading = readCatalog({ name: 'written', text }, shipped, { variable: (name) => name, file });
  if ('faults' in reading) throw new Error(reading.faults.map(({ field, message }) => `${field} ${message}`).join());
  const noted = remarks.map(({ group, location, message }) => `${group} ${location}: ${message}`);
  return { catalog: reading.snapshot, text, noted };
}

const deployment = (name: string, params: object, info?: object): object => ({
  model_name: name,
  litellm_params: params,
  ...(info && { model_info: info }),
});

const PRICES = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };

/** The model that this name resolves to. */
function modelOf({ catalog }: Outcome, name: string): Model {
  const id = modelId(catalog, name);
  if (id === undefined) throw new Error(`nothing is called ${name}`);
  return catalog.models.get(id)!;
}

/** The only endpoint of the only deployment. */
function endpointOf(params: object, info: object = {}, variables: NodeJS.ProcessEnv = {}) {
  const outcome = outcomeOf({ model_list: [deployment('x', params, { ...PRICES, ...info })] }, variables);
  const [endpoint, ...others] = modelOf(outcome, 'x').endpoints;
  expect(others).toEqual([]);
  const { upstreamModel, dialect, provider } = endpoint!;
  const { slug, baseUrl, platform, apiVersion, credentialSource, needsNoCredential } = provider;
  return {
    slug,
    upstreamModel,
    baseUrl,
    dialect: dialect ?? provider.dialect,
    ...(platform && { platform }),
    ...(apiVersion !== undefined && { apiVersion }),
    credential: needsNoCredential ? 'none' : (credentialSource as { env: string }).env,
  };
}

describe('what a deployment calls', () => {
  it.each([
    ['a vendor', { model: 'openai/gpt-9' }, ['openai', 'gpt-9', 'https://api.openai.com/v1', 'OPENAI_API_KEY']],
    [
      'a vendor by another variable',
      { model: 'openai/gpt-9', api_key: 'os.environ/MY_KEY' },
      ['openai', 'gpt-9', 'https://api.openai.com/v1', 'MY_KEY'],
    ],
    [
      'a vendor whose variable LiteLLM calls otherwise',
      { model: 'together_ai/meta/llama' },
      ['together', 'meta/llama', 'https://api.together.xyz/v1', 'TOGETHERAI_API_KEY'],
    ],
    [
      'a name that identifies its vendor',
      { model: 'claude-9' },
      ['anthropic', 'claude-9', 'https://api.anthropic.com', 'ANTHROPIC_API_KEY'],
    ],
    [
      'a provider in a field of its own',
      { model: 'deep/model', custom_llm_provider: 'groq' },
      ['groq', 'deep/model', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY'],
    ],
    [
      'the vendor at its own address',
      { model: 'mistral/m', api_base: 'https://api.mistral.ai/v1/' },
      ['mistral', 'm', 'https://api.mistral.ai/v1', 'MISTRAL_API_KEY'],
    ],
    [
      'Ollama',
      { model: 'ollama_chat/llama3:8b' },
      ['ollama-localhost-11434', 'llama3:8b', 'http://localhost:11434/v1', 'none'],
    ],
    [
      'vLLM with a key',
      { model: 'hosted_vllm/a/b', api_base: 'http://gpu:8000', api_key: 'os.environ/VLLM_KEY' },
      ['vllm-gpu-8000', 'a/b', 'http://gpu:8000/v1', 'VLLM_KEY'],
    ],
    [
      'a server of the format, with a word for a key',
      { model: 'openai/opt', api_base: 'http://0.0.0.0:4000/v1', api_key: 'none' },
      ['server-0-0-0-0-4000', 'opt', 'http://0.0.0.0:4000/v1', 'none'],
    ],
    [
      'a proxy of Anthropic’s format without a key: the vendor’s is not sent there',
      { model: 'anthropic/claude-9', api_base: 'https://proxy.example/v1/messages' },
      ['anthropic-proxy', 'claude-9', 'https://proxy.example', 'ANTHROPIC_PROXY_API_KEY'],
    ],
    [
      'OpenRouter',
      { model: 'openrouter/a/b', api_key: 'os.environ/OPENROUTER_API_KEY' },
      ['openrouter', 'a/b', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'],
    ],
  ])('%s', (_, params, [slug, upstreamModel, baseUrl, credential]) => {
    expect(endpointOf(params)).toMatchObject({ slug, upstreamModel, baseUrl, credential });
  });

  it.each([
    [
      'Azure by version',
      { model: 'azure/o_series/d', api_base: 'https://my-eu.openai.azure.com/', api_version: '2024-10-21' },
      { slug: 'azure-my-eu', upstreamModel: 'd', platform: 'azure', apiVersion: '2024-10-21', dialect: 'openai-chat' },
    ],
    [
      'Claude at Foundry',
      { model: 'azure_ai/claude-9', api_base: 'https://f.services.ai.azure.com/anthropic', api_key: 'os.environ/F' },
      { baseUrl: 'https://f.services.ai.azure.com', dialect: 'anthropic-messages', platform: 'azure', credential: 'F' },
    ],
    [
      'an application of Entra',
      { model: 'azure/d', api_base: 'https://e.openai.azure.com', tenant_id: 't', client_id: 'c', client_secret: 's' },
      { slug: 'azure-e', credential: 'AZURE_E_CREDENTIAL' },
    ],
    [
      'Claude at Bedrock, in a region',
      { model: 'bedrock/converse/eu.anthropic.claude-9', aws_region_name: 'eu-central-1' },
      {
        slug: 'amazon-bedrock-eu-central-1',
        upstreamModel: 'eu.anthropic.claude-9',
        baseUrl: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
        dialect: 'anthropic-messages',
        credential: 'AWS_BEARER_TOKEN_BEDROCK',
      },
    ],
    [
      'Bedrock by two keys',
      {
        model: 'bedrock/us-east-1/amazon.nova-pro-v1:0',
        aws_access_key_id: 'os.environ/A',
        aws_secret_access_key: 'b',
      },
      {
        slug: 'amazon-bedrock-us-east-1',
        dialect: 'bedrock-converse',
        credential: 'AMAZON_BEDROCK_US_EAST_1_CREDENTIAL',
      },
    ],
    [
      'Gemini on Vertex',
      { model: 'vertex_ai/gemini-9', vertex_location: 'europe-west1', vertex_credentials: '/keys/one.json' },
      {
        slug: 'google-vertex-europe-west1',
        baseUrl: 'https://europe-west1-aiplatform.googleapis.com',
        dialect: 'google-gemini',
        credential: 'GOOGLE_VERTEX_EUROPE_WEST1_CREDENTIAL',
      },
    ],
    [
      'Claude on Vertex, anywhere',
      { model: 'vertex_ai/claude-9@1', vertex_location: 'global' },
      { baseUrl: 'https://aiplatform.googleapis.com', dialect: 'anthropic-messages' },
    ],
    ['Responses', { model: 'openai/responses/gpt-9' }, { upstreamModel: 'gpt-9', dialect: 'openai-responses' }],
  ])('%s', (_, params, expected) => expect(endpointOf(params)).toMatchObject(expected));

  it('takes addresses from variables, with precedence for those of the file', () => {
    const params = { model: 'azure/d', api_base: 'os.environ/BASE' };
    expect(endpointOf(params, {}, { BASE: 'https://one.openai.azure.com' }).slug).toBe('azure-one');
    const model_list = [deployment('x', params, PRICES)];
    const own = { environment_variables: { BASE: 'https://two.openai.azure.com' } };
    const outcome = outcomeOf({ model_list, ...own }, { BASE: 'https://one.openai.azure.com' });
    expect(modelOf(outcome, 'x').endpoints[0]!.provider.slug).toBe('azure-two');
    expect(outcomeOf({ model_list }).noted).toContain(
      'left-out model_list.0 (x): its address is in the variable BASE: set it and import again',
    );
  });

  it.each([
    [{ model: 'replicate/x' }, 'names an unknown provider "replicate"'],
    [{ model: 'some-model' }, 'does not identify the provider of its model'],
    [{ model: 'hosted_vllm/x' }, 'its api_base is missing, and no other address is known'],
    [{ model: 'azure/x' }, 'its api_base is missing: the address of an Azure resource is its own'],
    [{ model: 'vertex_ai/mistral-large' }, 'nothing here calls such models on Vertex'],
    [
      { model: 'openai/x', api_base: 'https://me:pw@h' },
      'its api_base is no http or https address without credentials',
    ],
    [{ model: 'bedrock/x', aws_region_name: 'a/b' }, 'its aws_region_name is no region'],
    [{}, 'names no model'],
  ])('leaves %j out', (params, message) => {
    const { noted, catalog } = outcomeOf({ model_list: [deployment('x', params, PRICES)] });
    expect(noted).toEqual([`left-out model_list.0 (x): ${message}`]);
    expect(modelId(catalog, 'x')).toBeUndefined();
  });
});

it.each([
  ['http://gpu:8000/sk-in-the-path/v1', true],
  ['http://gpu:8000/v1/0123456789abcdef0123456789abcdef/gateway', true],
  ['http://gpu:8000/v1/some-long-name-of-a-deployment', false],
  ['http://gpu:8000/v1', false],
])('notes for %s whether its path may contain a key: %s', (api_base, isNoted) => {
  const params = { model: 'hosted_vllm/x', api_base, api_key: 'none' };
  const { noted } = outcomeOf({ model_list: [deployment('x', params, PRICES)] });
  const remark =
    'assumed model_list.0.litellm_params.api_base: a part of its path looks like a key: it stands in the catalog as it is';
  expect(noted.includes(remark)).toBe(isNoted);
});

it('notes that the query of an address is dropped', () => {
  const params = { model: 'hosted_vllm/x', api_base: 'http://gpu:8000/v1?key=sk-in-the-query', api_key: 'none' };
  const { noted, text } = outcomeOf({ model_list: [deployment('x', params, PRICES)] });
  expect(noted).toContain('not-carried model_list.0.litellm_params.api_base: its query: an address has none here');
  expect(text + noted.join()).not.toContain('sk-in-the-query');
});

describe('what it costs', () => {
  const noted = (params: object, info?: object) => outcomeOf({ model_list: [deployment('x', params, info)] });

  it('is what the file states, before what is shipped', () => {
    const [endpoint] = modelOf(noted({ model: 'openai/gpt-4o' }, PRICES), 'x').endpoints;
    expect(endpoint!.pricing).toEqual({ prompt: 1_000_000n, completion: 2_000_000n, tiers: [] });
  });

  it.each([
    ['by its name there', { model: 'openai/gpt-4o' }, undefined, 'openai/gpt-4o', 'openai'],
    [
      'by another of its names',
      { model: 'anthropic/claude-sonnet-4-5' },
      undefined,
      'anthropic/claude-sonnet-4.5',
      'anthropic',
    ],
    [
      'by base_model',
      { model: 'azure/mine', api_base: 'https://r.openai.azure.com' },
      { base_model: 'azure/gpt-4o' },
      'openai/gpt-4o',
      'azure',
    ],
  ])('is that of the shipped endpoint, %s', (_, params, info, id, slug) => {
    const outcome = noted(params, info);
    const model = modelOf(outcome, 'x');
    const origin = outcome.catalog.models.get(id)!;
    const endpoint = origin.endpoints.find(({ provider }) => provider.slug === slug)!;
    expect(model.endpoints[0]!.pricing).toEqual(endpoint.pricing);
    expect(model.endpoints[0]).toMatchObject({
      contextLength: endpoint.contextLength,
      quantization: endpoint.quantization,
    });
    expect(model).toMatchObject({ inputModalities: origin.inputModalities, imageTokensMax: origin.imageTokensMax });
    expect(outcome.noted).toContain(
      `assumed model_list.0 (x): has the price of the shipped catalog for ${id} at ${slug}`,
    );
  });

  it('is never invented', () => {
    const { noted: remarks } = noted({ model: 'openai/gpt-99' });
    expect(remarks[0]).toMatch(/^left-out model_list.0 \(x\): has no price: give input_cost_per_token/);
    // A reseller's server has none of the vendor's prices, and is not free.
    for (const params of [
      { model: 'openai/gpt-4o', api_base: 'https://resold.example/v1' },
      { model: 'anthropic/claude-sonnet-4-5', api_base: 'http://localhost:8080' },
      { model: 'litellm_proxy/gpt-4o', api_base: 'http://localhost:4000' },
    ])
      expect(noted(params).noted[0]).toMatch(/has no price/);
  });

  it('is nothing at a private server, and where the file states so', () => {
    const local = noted({ model: 'ollama/llama3' });
    expect(modelOf(local, 'x').endpoints[0]!.pricing).toBeNull();
    expect(local.noted).toContain(
      'assumed model_list.0 (x): is free, because it is your own server and has no price (`free: true`)',
    );
    const zero = noted({ model: 'openai/gpt-4o' }, { input_cost_per_token: 0, output_cost_per_token: 0 });
    expect(modelOf(zero, 'x').endpoints[0]!.pricing).toBeNull();
  });
});

describe('models', () => {
  it('are one for each name, with an endpoint for each deployment', () => {
    const outcome = outcomeOf({
      model_list: [
        deployment('gpt-4o', { model: 'openai/gpt-4o', api_key: 'os.environ/ONE' }),
        deployment('gpt-4o', { model: 'openai/gpt-4o', api_key: 'os.environ/TWO' }),
        deployment('gpt-4o', { model: 'openai/gpt-4o-mini', api_key: 'os.environ/ONE' }),
        deployment('gpt-4o', { model: 'openai/gpt-4o', api_key: 'os.environ/ONE', rpm: 3 }),
        deployment('other', { model: 'openai/gpt-4o-mini', api_key: 'os.environ/ONE' }, { max_input_tokens: 9_000 }),
      ],
    });
    const { id, endpoints } = modelOf(outcome, 'gpt-4o');
    expect(id).toBe('openai/gpt-4o');
    expect(endpoints.map(({ tag, provider }) => [tag, provider.credentialSource])).toEqual([
      ['openai', { env: 'ONE' }],
      ['openai-2', { env: 'TWO' }],
      ['openai/gpt-4o-mini', { env: 'ONE' }],
    ]);
    expect(modelOf(outcome, 'other')).toMatchObject({ id: 'openai/other', contextLength: 9_000 });
    expect(outcome.noted).toEqual(
      expect.arrayContaining([
        'not-carried model_list.3 (gpt-4o): is the same endpoint as model_list.0 (gpt-4o): same address, same key, same model',
        'names openai/gpt-4o: is in the place of the shipped model of that id, with your endpoints alone',
      ]),
    );
  });

  it('keep the quirks of their vendor with another key', () => {
    const { catalog } = outcomeOf({
      model_list: [
        deployment('a', { model: 'mistral/m', api_key: 'os.environ/A' }, PRICES),
        deployment('b', { model: 'mistral/m', api_key: 'os.environ/B' }, PRICES),
      ],
    });
    expect(catalog.providers.get('mistral-2')).toMatchObject({
      quirks: { toolCallIdLength: 9 },
      aborts: { stream: 'billed' },
    });
  });

  it('keep their old names, or the new name is noted', () => {
    const names = ['gpt-4o', 'team/best', 'llama3:8b', 'us.anthropic.claude-9-v1:0', 'a/b/c', 'my model'];
    const outcome = outcomeOf({
      model_list: names.map((name) => deployment(name, { model: 'ollama/m' })),
      router_settings: {
        model_group_alias: { 'gpt-4': 'gpt-4o', hidden: { model: 'a/b/c', hidden: true }, nobody: 'x' },
      },
    });
    const lost = outcome.noted.filter((line) => line.startsWith('names '));
    expect(lost).toEqual([
      'names a/b/c: is no longer available by this name: clients have to request ollama-localhost-11434/c',
      'names my model: is no longer available by this name: clients have to request ollama-localhost-11434/my-model',
    ]);
    for (const name of names.slice(0, 4)) expect(modelOf(outcome, name).name).toBe(name);
    expect(modelOf(outcome, 'gpt-4').name).toBe('gpt-4o');
    expect(modelOf(outcome, 'hidden').name).toBe('a/b/c');
    expect(outcome.noted).toContain(
      'not-carried router_settings.model_group_alias.nobody: names no model that was carried over',
    );
  });
});

describe('what is not carried', () => {
  it.each(['os.environ/NOT_SET', '2024'])(
    'includes a version such as %s: the address without one is called',
    (api_version) => {
      const params = { model: 'azure/d', api_base: 'https://r.openai.azure.com', api_version };
      const { noted, catalog } = outcomeOf({ model_list: [deployment('x', params, PRICES)] });
      expect(noted.at(-1)).toMatch(/^not-carried model_list\.0\.litellm_params\.api_version: is no version/);
      expect(catalog.providers.get('azure-r')!.apiVersion).toBeUndefined();
    },
  );

  it('is noted with its path', () => {
    const { noted } = outcomeOf({
      model_list: [
        deployment('openai/*', { model: 'openai/*' }),
        deployment('emb', { model: 'openai/text-embedding-3-small' }, { mode: 'embedding' }),
        deployment(
          'x',
          { model: 'openai/gpt-4o', rpm: 5, temperature: 0, unheard_of: 1 },
          { access_groups: ['a'], id: '1' },
        ),
        { litellm_params: { model: 'openai/gpt-4o' } },
        'nonsense',
      ],
      litellm_settings: { fallbacks: [{ x: ['y'] }], surprising: true },
      router_settings: { routing_strategy: 'simple-shuffle' },
      general_settings: { master_key: 'sk-1', database_url: 'postgres://u:p@h/d' },
      environment_variables: { OPENAI_API_KEY: 'sk-2' },
    });
    const locations = noted.map((line) => line.split(': ')[0]);
    expect(locations.filter((location) => !/^(?:assumed|variables|names)/.test(location!))).toEqual([
      'left-out model_list.3',
      'left-out model_list.4',
      'left-out model_list.0 (openai/*)',
      'left-out model_list.1 (emb)',
      'not-carried model_list.2.litellm_params.rpm',
      'not-carried model_list.2.litellm_params.temperature',
      'not-carried model_list.2.litellm_params.unheard_of',
      'not-carried model_list.2.model_info.access_groups',
      'not-carried litellm_settings.fallbacks',
      'not-carried litellm_settings.surprising',
      'not-carried router_settings.routing_strategy',
      'not-carried general_settings.master_key',
      'not-carried general_settings.database_url',
      'not-carried environment_variables',
    ]);
  });

  it('includes keys: no secret of the file is written or noted', () => {
    const secrets = Array.from({ length: 9 }, (_, index) => `SECRET-${index}-of-the-file`);
    const [s0, s1, s2, s3, s4, s5, s6, s7, s8] = secrets;
    const { text, noted } = outcomeOf(
      {
        model_list: [
          deployment('a', { model: 'openai/gpt-4o', api_key: s0 }),
          deployment('b', { model: 'openai/gpt-4o', api_key: s1 }),
          deployment(
            'c',
            { model: 'bedrock/x', aws_access_key_id: s2, aws_secret_access_key: s3, aws_session_token: s4 },
            PRICES,
          ),
          deployment('d', { model: 'azure/x', api_base: `https://u:${s5}@h.example`, azure_ad_token: s6 }, PRICES),
          deployment('e', { model: 'vertex_ai/gemini-9', vertex_credentials: s7 }, PRICES),
          deployment('f', { model: 'openai/gpt-4o', extra_headers: { authorization: s8 } }),
        ],
        general_settings: { master_key: s0 },
        environment_variables: { OPENAI_API_KEY: s1 },
      },
      { OPENAI_API_KEY: 'SECRET-of-the-process' },
    );
    expect(`${text}${noted.join('\n')}`).not.toContain('SECRET');
    expect(noted).toEqual(
      expect.arrayContaining([
        'variables OPENAI_API_KEY: the key, for the provider openai',
        'variables OPENAI_2_API_KEY: the key that is in the file as plain text, for the provider openai-2',
        'variables OPENAI_3_API_KEY: the key that is in the file as plain text, for the provider openai-3',
      ]),
    );
  });
});

it.each([
  ['a: [', /^is not valid YAML \([A-Z_]+\)$/],
  ['- 1', /^is no configuration of LiteLLM: it is not an object$/],
  ['general_settings: {}', /^is no configuration of LiteLLM: it has no model_list$/],
  ['', /it is not an object/],
  [
    'a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]',
    /anchors/,
  ],
])('refuses %j in one line', (text, message) => {
  expect(() => importLitellm(text, { shipped, variables: {} })).toThrow(message);
});

it('writes an empty list of models where none could be carried', () => {
  expect(outcomeOf({ model_list: [] }).noted).toEqual([]);
});
