/**
 * Checks that the catalogue shows callers exactly what the catalog file specifies, to either kind of key
 * (docs/use/models.md#models-and-providers). The catalog has five models; each filter is tried at its
 * limit, over it and with a wrong value; figures are reported to health by hand.
 */
import { writeFile } from 'node:fs/promises';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { ActiveGuardrails, NONE } from '../../src/guardrails/active-guardrails.js';
import { HealthRegistry } from '../../src/endpoint-health/health-registry.js';
import type { RoutingPolicy } from '../../src/core/routing/route-inputs.js';
import { PUBLISHED_SLUGS } from '../../src/core/routing/published-slugs.js';
import { UNROUTABLE } from '../../src/providers/catalog/unroutable.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { fastest, stopwatch } from '../support/cpu-time.js';
import type { JsonBody } from '../support/recorded-request.js';

const provider = (slug: string, policy?: object): object => ({
  slug,
  name: `Provider ${slug}`,
  dialect: 'simulated',
  ...(policy && { policy }),
});

const MODELS = [
  {
    id: 'acme/one',
    name: 'Acme: One',
    context_length: 200_000,
    max_completion_tokens: 8_192,
    input_modalities: ['text', 'image'],
    distillable: true,
    scores: { quality: { value: 0.8, source: 'test' } },
    endpoints: [
      {
        provider: 'beta',
        model: 'one',
        variant: 'turbo',
        pricing: { prompt: '4', completion: '20' },
        quantization: 'fp8',
        supported_parameters: ['tools', 'tool_choice', 'seed'],
      },
      {
        provider: 'alpha',
        model: 'one',
        max_completion_tokens: 4_096,
        context_length: 100_000,
        pricing: {
          prompt: '3',
          completion: '15',
          input_cache_read: '0.3',
          web_search: '0.01',
          tiers: [{ min_prompt_tokens: 50_000, prompt: '6' }],
          priority: { prompt: '9', completion: '45' },
        },
        supported_parameters: ['max_tokens', 'tools'],
      },
    ],
  },
  {
    id: 'acme/one:free',
    name: 'Acme: One (free)',
    context_length: 8_000,
    endpoints: [{ provider: 'beta', model: 'one', free: true }],
  },
  {
    id: 'Other/two',
    name: 'Two',
    created: '2025-09-29',
    context_length: 8_001,
    distillable: false,
    endpoints: [{ provider: 'gamma', model: 'two', pricing: { prompt: '0.000001', completion: '0.5' } }],
  },
  {
    id: 'other/painter',
    name: 'Painter',
    context_length: 8_000,
    output_modalities: ['image'],
    endpoints: [{ provider: 'gamma', model: 'painter', pricing: { prompt: '1', completion: '1' } }],
  },
  {
    id: 'other/both',
    name: 'Both',
    context_length: 8_000,
    output_modalities: ['text', 'image'],
    endpoints: [{ provider: 'alpha', model: 'both', pricing: { prompt: '1', completion: '1' } }],
  },
  {
    id: 'closed/image',
    name: 'Closed',
    context_length: 8_000,
    output_modalities: ['image'],
    endpoints: [{ provider: 'epsilon', model: 'closed', pricing: { prompt: '1', completion: '1' } }],
  },
];

const CATALOG = {
  version: 1,
  providers: [
    provider('alpha', { collects_data: false, zero_data_retention: true, region: 'eu' }),
    provider('beta', { collects_data: false, zero_data_retention: false, region: 'us' }),
    provider('gamma'),
    // A provider without a credential of the operator.
    { slug: 'epsilon', name: 'Provider epsilon', dialect: 'openai-chat', base_url: 'https://epsilon.example/v1' },
    // A provider without a model.
    { slug: 'delta', name: 'Provider delta', dialect: 'openai-chat', base_url: 'https://delta.example/v1' },
  ],
  models: MODELS,
};

const TEXT = ['acme/one', 'acme/one:free', 'Other/two', 'other/both'];
const idsOf = ({ data }: JsonBody): string[] => data.map(({ id }: JsonBody) => id);

describeOnEmbedded('the catalogue', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database, { catalog: CATALOG });
  }, 240_000);
  afterAll(() => gateway?.close());

  const get = async (path: string, key: string | null = API_KEY): Promise<{ status: number; body: JsonBody }> => {
    const response = await gateway.request(path, { key });
    return { status: response.status, body: await response.json() };
  };

  const PATHS = [
    '/models',
    '/models/count',
    '/models/user',
    '/model/acme/one',
    '/models/acme/one/endpoints',
    '/models/acme%2Fone/endpoints',
    '/endpoints/zdr',
    '/providers',
  ];

  it.each(PATHS)('%s answers either kind of key the same, and refuses requests without one', async (path) => {
    const response = await gateway.request(path);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(await get(path, MANAGEMENT_KEY)).toEqual({ status: 200, body: await response.json() });
    for (const key of [null, 'no-such-key-0123456789']) {
      expect(await get(path, key)).toMatchObject({ status: 401, body: { error: { code: 401 } } });
    }
  });

  it('shows a model by its cheapest endpoint, and null where the file specifies nothing', async () => {
    const { body } = await get('/models');
    expect(body.total_count).toBe(TEXT.length);
    expect(body.links).toEqual({ next: null });
    expect([body.has_more, body.first_id, body.last_id]).toEqual([false, 'acme/one', 'other/both']);
    expect(body.data[2]).toMatchObject({ created: 1_759_104_000, created_at: '2025-09-29T00:00:00Z' });
    expect(body.data[0]).toEqual({
      id: 'acme/one',
      canonical_slug: 'acme/one',
      name: 'Acme: One',
      created: 0,
      created_at: '1970-01-01T00:00:00Z',
      type: 'model',
      display_name: 'Acme: One',
      callable: true,
      context_length: 200_000,
      architecture: {
        modality: 'text+image->text',
        input_modalities: ['text', 'image'],
        output_modalities: ['text'],
        instruct_type: null,
      },
      pricing: {
        prompt: '0.000003',
        completion: '0.000015',
        input_cache_read: '0.0000003',
        web_search: '0.01',
        overrides: [{ min_prompt_tokens: 50_000, prompt: '0.000006' }],
      },
      top_provider: { context_length: 100_000, max_completion_tokens: 4_096, is_moderated: false },
      per_request_limits: null,
      supported_parameters: ['tools', 'tool_choice', 'seed', 'max_tokens'],
      default_parameters: null,
      supported_voices: null,
      links: { details: '/api/v1/models/acme/one/endpoints' },
    });
    expect(body.data[1]).toMatchObject({
      pricing: { prompt: '0', completion: '0' },
      top_provider: { max_completion_tokens: null },
      supported_parameters: [],
    });
  });

  it.each<[string, readonly string[]]>([
    ['', TEXT],
    ['?beta=true', TEXT],
    ['?q=', TEXT],
    ['?q=ACME', ['acme/one', 'acme/one:free']],
    ['?q=(free)', ['acme/one:free']],
    ['?q=nothing', []],
    ['?context=8000', TEXT],
    ['?context=8001', ['acme/one', 'Other/two']],
    ['?context=200000', ['acme/one']],
    ['?context=200001', []],
    ['?min_price=3', ['acme/one']],
    ['?min_price=3.000001', []],
    ['?max_price=3', TEXT],
    ['?max_price=2.999999', ['acme/one:free', 'Other/two', 'other/both']],
    ['?max_price=0', ['acme/one:free']],
    ['?min_price=0.000001&max_price=1', ['Other/two', 'other/both']],
    ['?min_output_price=0.5&max_output_price=1', ['Other/two', 'other/both']],
    ['?max_output_price=0.499999', ['acme/one:free']],
    ['?min_price=2&max_price=1', []],
    ['?supported_parameters=tools', ['acme/one']],
    ['?supported_parameters=tools,max_tokens', ['acme/one']],
    ['?supported_parameters=tools,top_k', []],
    ['?input_modalities=text', TEXT],
    ['?input_modalities=image,text', ['acme/one']],
    ['?input_modalities=video', []],
    ['?output_modalities=text', TEXT],
    ['?output_modalities=image', ['other/painter', 'other/both', 'closed/image']],
    ['?output_modalities=image,text', [...TEXT.slice(0, 3), 'other/painter', 'other/both', 'closed/image']],
    ['?output_modalities=all', [...TEXT.slice(0, 3), 'other/painter', 'other/both', 'closed/image']],
    ['?output_modalities=embeddings', []],
    ['?model_authors=other', ['Other/two', 'other/both']],
    ['?model_authors=acme,OTHER', TEXT],
    ['?providers=beta', ['acme/one', 'acme/one:free']],
    ['?providers=Provider%20gamma,alpha', ['acme/one', 'Other/two', 'other/both']],
    ['?providers=nobody', []],
    ['?distillable=true', ['acme/one']],
    ['?distillable=false', ['acme/one:free', 'Other/two', 'other/both']],
    ['?zdr=true', ['acme/one', 'other/both']],
    ['?region=eu', ['acme/one', 'other/both']],
    ['?region=us', ['acme/one', 'acme/one:free']],
    // One endpoint must meet both filters.
    ['?region=us&zdr=true', []],
    ['?providers=beta&zdr=true', []],
    ['?providers=alpha&zdr=true&region=eu&q=one', ['acme/one']],
    // Values that the file does not specify.
    ['?category=programming', []],
    ['?arch=GPT', []],
    ['?min_intelligence_index=0', []],
    ['?max_coding_index=100', []],
    ['?min_agentic_index=-1.5', []],
    ['?min_tool_success_rate=0', []],
    ['?max_tool_success_rate=1', []],
    ['?sort=pricing-low-to-high', ['acme/one:free', 'Other/two', 'other/both', 'acme/one']],
    ['?sort=newest', ['Other/two', 'acme/one', 'acme/one:free', 'other/both']],
    ['?min_age_days=1', ['Other/two']],
    ['?min_age_days=999999', []],
    ['?max_age_days=999999', ['Other/two']],
    ['?max_age_days=1', []],
    ['?callable=true', TEXT],
    ['?callable=false', []],
    ['?callable=false&output_modalities=all', ['closed/image']],
    ['?use_rss=false', TEXT],
  ])('/models%s', async (query, expected) => {
    const [list, count, user] = await Promise.all(
      ['/models', '/models/count', '/models/user'].map((path) => get(`${path}${query}`)),
    );
    expect([list!.status, idsOf(list!.body), list!.body.total_count]).toEqual([200, expected, expected.length]);
    expect(count).toEqual({ status: 200, body: { data: { count: expected.length } } });
    expect(user!.body).toEqual(list!.body);
  });

  it.each([
    'offset=-1', 'offset=1.5', 'offset=x', 'offset=', 'offset=1000000000', 'offset=0&offset=1',
    'limit=0', 'limit=1001', 'limit=-1', 'limit=all', 'limit=01',
    'sort=cheapest', 'sort=', 'category=sports', 'region=mars', 'region=EU', 'zdr=false', 'zdr=1', 'distillable=yes',
    'context=-1', 'context=1e3', 'min_price=-1', 'max_price=1e-7', 'min_output_price=x', 'max_output_price=.5',
    'input_modalities=smell', 'input_modalities=all', 'output_modalities=text,smell', 'supported_parameters=a&supported_parameters=b',
    'min_age_days=1.5', 'max_age_days=x', 'min_intelligence_index=x', 'max_intelligence_index=', 'min_coding_index=x',
    'max_coding_index=x', 'min_agentic_index=x', 'max_agentic_index=x', 'min_tool_success_rate=1.1', 'max_tool_success_rate=-0.1',
    'use_rss=true', 'use_rss_chat_links=true', 'callable=yes', 'callable=1',
    `q=${'x'.repeat(257)}`, `arch=${'x'.repeat(257)}`, `providers=${'x'.repeat(129)}`, `model_authors=${','.repeat(128)}`,
  ])('refuses %s by its name', async (query) => {
    const name = query.slice(0, query.indexOf('='));
    for (const path of ['/models', '/models/count', '/models/user']) {
      const { status, body } = await get(`${path}?${query}`);
      expect([path, status, body.error.code]).toEqual([path, 400, 400]);
      expect(body.error.message).toMatch(new RegExp(`^${name}: `));
    }
  }); // oxfmt-ignore

  it('refuses a page after a model that is not in the list', async () => {
    for (const path of ['/models', '/models/user']) {
      const { status, body } = await get(`${path}?after_id=nobody`);
      expect([status, body.error.message]).toEqual([400, 'after_id: must be the id of a model of this list']);
    }
  });

  it.each(['limit=1000', 'limit=1', 'offset=999999999', `q=${'x'.repeat(256)}`, `providers=${','.repeat(127)}`])(
    'takes %s',
    async (query) => {
      expect((await get(`/models?${query}`)).status).toBe(200);
    },
  );

  it('is paged by its links', async () => {
    const seen: string[] = [];
    let path: string | null = '/models?output_modalities=all&limit=2';
    while (path !== null) {
      const { body } = await get(path);
      seen.push(...idsOf(body));
      path = body.links.next?.replace('/api/v1', '') ?? null;
    }
    expect(seen).toEqual(MODELS.map(({ id }) => id));
  });

  it.each([
    ['acme/one', 200, 'acme/one'],
    ['acme/one:free', 200, 'acme/one:free'],
    ['acme/one%3Afree', 200, 'acme/one:free'],
    ['acme/one:nitro', 200, 'acme/one'],
    ['acme/one:free:floor', 200, 'acme/one:free'],
    ['acme/one:thinking', 404, undefined],
    ['acme/three', 404, undefined],
    ['acme/__proto__', 404, undefined],
  ])('/model/%s: %d', async (name, status, id) => {
    const answer = await get(`/model/${name}`);
    expect([answer.status, answer.body.data?.id, answer.body.error?.code]).toEqual([
      status,
      id,
      status === 404 ? 404 : undefined,
    ]);
  });

  it.each([
    ['acme/one', 200, 'acme/one'],
    ['acme%2Fone', 200, 'acme/one'],
    ['acme%2Fone%3Afree', 200, 'acme/one:free'],
    ['acme/one:nitro', 200, 'acme/one'],
    // By the slug of one author alone.
    ['painter', 200, 'other/painter'],
    ['acme%2Fthree', 404, undefined],
    ['acme/three', 404, undefined],
    ['three', 404, undefined],
    ['__proto__', 404, undefined],
  ])('/models/%s: %d, as clients retrieve a model', async (name, status, id) => {
    const { status: answered, body } = await get(`/models/${name}`);
    expect([answered, body.id, body.error?.code]).toEqual([status, id, status === 404 ? 404 : undefined]);
    if (id === undefined) return;
    const { data, ...model } = body;
    expect(model).toEqual(data);
    expect({ data }).toEqual((await get(`/model/${id}`)).body);
  });

  it.each([
    ['acme/one', 200, 'acme/one', true],
    ['acme%2Fone', 200, 'acme/one', true],
    ['acme%2Fone%3Afree', 200, 'acme/one:free', true],
    ['acme%2Fone%3Athinking', 200, 'acme/one:thinking', false],
    ['painter', 200, 'other/painter', true],
    ['acme%2Fthree', 404, undefined, false],
    ['three', 404, undefined, false],
  ])('/models/%s/endpoints: %d', async (name, status, id, isServed) => {
    const { status: answered, body } = await get(`/models/${name}/endpoints`);
    expect([answered, body.data?.id, (body.data?.endpoints.length ?? 0) > 0]).toEqual([status, id, isServed]);
  });

  it('is listed and retrieved by clients of the Messages format and of OpenAI', async () => {
    const messages = new Anthropic({ baseURL: `${gateway.origin}/api`, apiKey: API_KEY });
    const seen: string[] = [];
    for await (const { id, type, display_name, created_at } of messages.models.list({ limit: 2 })) {
      expect([type, typeof display_name, Number.isNaN(Date.parse(created_at))]).toEqual(['model', 'string', false]);
      seen.push(id);
    }
    expect(seen).toEqual(TEXT);
    expect(await messages.models.retrieve('acme/one')).toMatchObject({ id: 'acme/one', display_name: 'Acme: One' });
    const chat = new OpenAI({ baseURL: `${gateway.origin}/api/v1`, apiKey: API_KEY });
    expect((await chat.models.retrieve('Other/two')).created).toBe(1_759_104_000);
  });

  it('calls a model callable by a credential of the caller’s own, and only for that caller', async () => {
    const callable = async (key: string): Promise<boolean> =>
      (await get('/model/closed/image', key)).body.data.callable;
    expect(await callable(API_KEY)).toBe(false);
    const { key, hash } = await gateway.newKey();
    const { data } = await gateway.manage('POST', '/byok', {
      provider: 'epsilon',
      key: 'epsilon-credential-0123456789',
      allowed_api_key_hashes: [hash],
    });
    expect([await callable(key), await callable(API_KEY)]).toEqual([true, false]);
    expect(idsOf((await get('/models?callable=true&output_modalities=image', key)).body)).toContain('closed/image');
    await gateway.manage('DELETE', `/byok/${data.id}`);
  });

  it('shows the endpoints of a model in every tier, before any call of them', async () => {
    const { status, body } = await get('/models/acme/one/endpoints');
    expect([status, Object.keys(body.data)]).toEqual([
      200,
      ['id', 'name', 'created', 'description', 'architecture', 'endpoints'],
    ]);
    expect(body.data.architecture).toMatchObject({
      tokenizer: null,
      instruct_type: null,
      modality: 'text+image->text',
    });
    expect(body.data.endpoints.map(({ tag }: JsonBody) => tag)).toEqual(['beta/turbo', 'alpha', 'alpha/priority']);
    expect(body.data.endpoints[0]).toEqual({
      name: 'Provider beta | acme/one',
      model_id: 'acme/one',
      model_name: 'Acme: One',
      context_length: 200_000,
      pricing: { prompt: '0.000004', completion: '0.00002' },
      provider_name: 'Provider beta',
      tag: 'beta/turbo',
      quantization: 'fp8',
      max_completion_tokens: 8_192,
      max_prompt_tokens: null,
      supported_parameters: ['tools', 'tool_choice', 'seed'],
      supports_tool_choice: { auto: true, function: true, none: true, required: true },
      supports_implicit_caching: false,
      status: 0,
      uptime_last_5m: null,
      uptime_last_30m: null,
      uptime_last_1d: null,
      latency_last_30m: null,
      throughput_last_30m: null,
    });
    expect(body.data.endpoints[1]).toMatchObject({
      quantization: 'unknown',
      max_completion_tokens: 4_096,
      supports_tool_choice: { auto: false },
    });
    expect(body.data.endpoints[2].pricing).toMatchObject({ prompt: '0.000009', completion: '0.000045' });
  });

  it.each([
    ['acme/one:thinking', 200, 0],
    ['acme/one:nitro', 200, 3],
    ['acme/one:free', 200, 1],
    ['acme/three', 404, undefined],
    ['acme/three:free', 404, undefined],
  ])('/models/%s/endpoints: %d', async (name, status, count) => {
    const answer = await get(`/models/${name}/endpoints`);
    expect([answer.status, answer.body.data?.endpoints.length]).toEqual([status, count]);
  });

  it('shows what health has seen of an endpoint, and sorts by it', async () => {
    const health = gateway.gateway.app.get(HealthRegistry, { strict: false });
    const key = { model: 'other/both', tag: 'alpha', credential: 'shared' };
    for (let call = 0; call < 6; call++) health.succeeded(key, { secondsToFirstToken: 0.5, tokensPerSecond: 80 });
    health.failed(key, { by: 'rate-limit' });
    // An outage: half of the calls, and of more than one caller.
    for (let call = 0; call < 6; call++)
      health.failed(key, { by: 'fault' }, { caller: call % 2 === 0 ? 'one' : 'other' });
    // The health of a caller's own credential is shown to no other caller.
    health.failed({ ...key, tag: 'alpha', credential: 'somebody' }, { by: 'fault' });
    const { body } = await get('/models/other/both/endpoints');
    const [shown] = body.data.endpoints;
    expect(shown).toMatchObject({ uptime_last_5m: 50, uptime_last_30m: 50, uptime_last_1d: 50 });
    expect(shown).not.toHaveProperty('status');
    for (const name of ['p50', 'p75', 'p90', 'p99']) {
      expect(shown.latency_last_30m[name] / 500).toBeCloseTo(1, 1);
      expect(shown.throughput_last_30m[name] / 80).toBeCloseTo(1, 1);
    }
    for (const sort of ['latency-low-to-high', 'throughput-high-to-low']) {
      expect(idsOf((await get(`/models?sort=${sort}`)).body)[0]).toBe('other/both');
    }
  });

  it('lists the endpoints that keep nothing', async () => {
    const { body } = await get('/endpoints/zdr');
    expect(body.data.map(({ model_id, tag }: JsonBody) => `${model_id} ${tag}`)).toEqual([
      'acme/one alpha',
      'acme/one alpha/priority',
      'other/both alpha',
    ]);
  });

  it('lists the providers', async () => {
    const { body } = await get('/providers');
    const nothing = { privacy_policy_url: null, terms_of_service_url: null, status_page_url: null };
    const listed = ['alpha', 'beta', 'gamma', 'epsilon', 'delta'].map((slug) => ({
      name: `Provider ${slug}`,
      slug,
      ...nothing,
    }));
    const [own, others] = [body.data.slice(0, listed.length), body.data.slice(listed.length)];
    expect(own).toMatchObject(
      listed.map((row) => ({
        ...row,
        routable: row.slug !== 'delta',
        needs_own_credential: ['delta', 'epsilon'].includes(row.slug),
      })),
    );
    expect(own[4].reason).toContain('The catalog has no endpoint at this provider');
    expect(Object.keys(body.data[0])).toEqual([
      ...Object.keys(listed[0]!),
      'data_policy',
      'routable',
      'needs_own_credential',
      'status',
      'endpoints',
      'uptime_last_30m',
      'latency_last_30m',
      'throughput_last_30m',
      'last_fault',
    ]);
    const { policy } = (CATALOG as JsonBody).providers[0];
    expect(body.data[0].data_policy).toEqual({
      collects_data: policy?.collects_data ?? true,
      trains: policy?.trains ?? policy?.collects_data ?? true,
      retention_days: policy?.retention_days ?? null,
      zero_data_retention: policy?.zero_data_retention ?? false,
      region: policy?.region ?? null,
    });
    expect(others.map(({ slug }: JsonBody) => slug)).toEqual([...PUBLISHED_SLUGS]);
    expect(others.find(({ slug }: JsonBody) => slug === 'deepgram')).toMatchObject({
      name: 'deepgram',
      slug: 'deepgram',
      ...nothing,
      data_policy: {
        collects_data: true,
        trains: true,
        retention_days: null,
        zero_data_retention: false,
        region: null,
      },
      routable: false,
      reason: UNROUTABLE.get('deepgram'),
      needs_own_credential: true,
    });
    expect(others.find(({ slug }: JsonBody) => slug === 'groq')).toMatchObject({
      routable: false,
      reason: expect.stringContaining('The active catalog does not have this provider'),
    });
  });
});

describeOnEmbedded('the catalogue of a caller', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database, { catalog: CATALOG });
  }, 240_000);
  afterAll(() => gateway?.close());

  const listed = async (path = '/models/user'): Promise<string[]> => idsOf(await (await gateway.request(path)).json());
  const allow = async (body: object): Promise<void> => {
    const init = { method: 'PATCH', key: MANAGEMENT_KEY, headers: { 'content-type': 'application/json' } };
    expect((await gateway.request('/account/preferences', { ...init, body: JSON.stringify(body) })).status).toBe(200);
  };
  const guard = (...policies: readonly RoutingPolicy[]): void => {
    gateway.gateway.app.get(ActiveGuardrails, { strict: false }).of = () => Promise.resolve({ ...NONE, policies });
  };

  it('is what the account and the guardrails leave, from the next request on', async () => {
    expect(await listed()).toEqual(TEXT);
    await allow({ allowed_providers: ['alpha', 'gamma'] });
    expect(await listed()).toEqual(['acme/one', 'Other/two', 'other/both']);
    guard({ onlyModels: ['acme/*', 'other/*'] });
    expect(await listed()).toEqual(['acme/one', 'other/both']);
    guard({ zeroDataRetention: true }, { ignoreModels: ['*/both'] });
    expect(await listed()).toEqual(['acme/one']);
    guard({ only: [] });
    expect(await listed()).toEqual([]);
    // The whole catalogue is public.
    expect(await listed('/models')).toEqual(TEXT);
    guard();
    await allow({ allowed_providers: null });
    expect(await listed()).toEqual(TEXT);
  });

  it('shows the prices of what is left', async () => {
    const priced = async (): Promise<unknown> =>
      ((await (await gateway.request('/models/user')).json()) as JsonBody).data[0].pricing.prompt;
    expect(await priced()).toBe('0.000003');
    await allow({ ignored_providers: ['alpha'] });
    expect(await priced()).toBe('0.000004');
    await allow({ ignored_providers: null });
  });
});

describeOnEmbedded('a large catalogue', (database) => {
  const COUNT = 600;
  /** Less than 10 on a quiet machine, as the printed figures show; other work may run at the same time here. */
  const MS_MAX = 30;
  const CALLS = 25;
  let gateway: TestGateway;
  beforeAll(async () => {
    const models = Array.from({ length: COUNT }, (_, index) => ({
      ...MODELS[0],
      id: `acme/model-${index}`,
      name: `Acme: Model ${index}`,
    }));
    gateway = await startGateway(database, { catalog: { ...CATALOG, models } });
  }, 240_000);
  afterAll(() => gateway?.close());

  /** Time of the caller and the gateway together; the fastest of many: the first are compiled while they run. */
  async function msOf(path: string, count: number): Promise<number> {
    let best = Infinity;
    for (let call = 0; call < CALLS; call++) {
      const read = stopwatch();
      const response = await gateway.request(path);
      const text = await response.text();
      best = Math.min(best, read());
      expect(JSON.parse(text)).toMatchObject({ total_count: count, links: { next: null } });
    }
    process.stdout.write(`${path}: ${best.toFixed(1)} ms for ${count} models, over HTTP\n`);
    return best;
  }

  it.each([
    ['/models', COUNT],
    ['/models?sort=pricing-low-to-high&supported_parameters=tools&q=model', COUNT],
    ['/models/user', COUNT],
  ])('answers %s within 10 ms', async (path, count) => {
    expect(await fastest(() => msOf(path, count), MS_MAX)).toBeLessThan(MS_MAX);
  });

  it('answers /models/user within 10 ms where a policy narrows every model', async () => {
    const guardrails = gateway.gateway.app.get(ActiveGuardrails, { strict: false });
    guardrails.of = () => Promise.resolve({ ...NONE, policies: [{ ignore: ['alpha'] }] });
    expect(await fastest(() => msOf('/models/user', COUNT), MS_MAX)).toBeLessThan(MS_MAX);
    guardrails.of = () => Promise.resolve(NONE);
  });

  it('shows another catalog as soon as it is in force', async () => {
    await writeFile(gateway.catalogPath, JSON.stringify(CATALOG));
    const total = async (): Promise<number> =>
      ((await (await gateway.request('/models')).json()) as JsonBody).total_count;
    while ((await total()) === COUNT) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await total()).toBe(TEXT.length);
  });
});

describeOnEmbedded('the public catalogue', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database, { catalog: CATALOG, variables: { FAIRLEAD_PUBLIC_CATALOG: 'on' } });
  }, 240_000);
  afterAll(() => gateway?.close());

  const statusOf = async (path: string, key: string | null): Promise<number> =>
    (await gateway.request(path, { key })).status;

  it.each([
    '/models',
    '/models?callable=true',
    '/models/count',
    '/models/acme/one',
    '/models/acme%2Fone',
    '/model/acme/one',
    '/models/acme/one/endpoints',
    '/endpoints/zdr',
    '/providers',
  ])('%s answers callers without a key, and no wrong key', async (path) => {
    expect([await statusOf(path, null), await statusOf(path, 'nobody'), await statusOf(path, API_KEY)]).toEqual([
      200, 401, 200,
    ]);
  });

  it.each(['/models/user', '/key', '/keys', '/credits', '/generation?id=x'])('%s still needs a key', async (path) => {
    expect(await statusOf(path, null)).toBe(401);
  });
});

describeOnEmbedded('the public catalogue past its bound', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const variables = { FAIRLEAD_PUBLIC_CATALOG: 'on', FAIRLEAD_FLOOD: 'auth=3/60s' };
    gateway = await startGateway(database, { catalog: CATALOG, variables });
  }, 240_000);
  afterAll(() => gateway?.close());

  it('refuses requests without a key, counted by address and apart from failed authentications', async () => {
    const ask = (path: string, key: string | null): Promise<Response> => gateway.request(path, { key });
    for (const path of ['/models', '/providers', '/models/count']) expect((await ask(path, null)).status).toBe(200);
    const refused = await ask('/models/acme/one', null);
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(refused.headers.get('x-ratelimit-limit')).toBe('3');
    expect(await refused.json()).toMatchObject({
      error: { message: expect.stringContaining('without a key'), metadata: { limit_source: 'keyless_requests' } },
    });
    expect((await ask('/models', API_KEY)).status).toBe(200);
    expect((await ask('/key', null)).status).toBe(401);
  });
});
