/**
 * Goal: a provider receives only those undeclared top-level fields that are known to be safe with it. The routing
 * metadata and `/routing/explain` name the others. Where nothing may be kept, the call forbids storing, whatever the
 * caller's value (docs/use/translation.md#undeclared-fields). Method: the application before loopback upstreams
 * that take any field, with the slugs of the shipped definitions and some of the operator's own; the calls that arrive.
 * A property: random bodies over all shipped definitions and all faces.
 */
import fc from 'fast-check';
import type { Json } from '../../src/core/json/json.js';
import type { ProviderDefinition } from '../../src/core/provider.js';
import { DEFINITIONS } from '../../src/providers/catalog/index.js';
import { PURPOSE_FIELDS } from '../../src/providers/fitting/undeclared-fields.js';
import type { TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody, RecordedRequest } from '../support/recorded-request.js';
import { ask, at, inTurn, model, RoutingBench, type ProviderParts } from './routing-bench.js';

type Face = 'messages' | 'chat' | 'responses';
type Kind = NonNullable<ProviderParts['kind']>;

const PRIVATE = { policy: { collects_data: false, zero_data_retention: true } };
const kindOf = (slug: string): Kind => (slug === 'anthropic' ? 'anthropic' : 'openai');
const shippedAt = (kind: (slug: string) => Kind): Readonly<Record<string, ProviderParts>> =>
  Object.fromEntries(DEFINITIONS.map(({ slug }) => [slug, { kind: kind(slug), ...PRIVATE }]));
const SHIPPED = shippedAt(kindOf);
const OWN: Readonly<Record<string, ProviderParts>> = {
  mine: { kind: 'openai', ...PRIVATE },
  open: { kind: 'openai', passes_unknown_fields: true, ...PRIVATE },
  eu: {
    kind: 'openai',
    passes_unknown_fields: true,
    quirks: { stores_replies: true, omit: ['min_tokens'] },
    ...PRIVATE,
  },
  mirror: { kind: 'anthropic', passes_unknown_fields: true, ...PRIVATE },
};
const SLUGS = [...Object.keys(SHIPPED), ...Object.keys(OWN)];
const WITH_METADATA = { 'x-router-metadata': 'enabled' };

const PATHS = { messages: '/messages', chat: '/chat/completions', responses: '/responses' } as const;
const FORMATS = { messages: 'anthropic', chat: 'openai', responses: 'responses' } as const;
/** Fields that a face declares. */
const DECLARED: ReadonlySet<string> = new Set(['debug', 'fallbacks', 'thinking', 'provider', 'web_search_options']);
const DECLARED_BY_RESPONSES: ReadonlySet<string> = new Set(['store', 'background', 'safety_identifier']);
const isDeclared = (face: Face, name: string): boolean =>
  DECLARED.has(name) || (face === 'responses' && DECLARED_BY_RESPONSES.has(name));
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

type Rule = NonNullable<ProviderDefinition['undeclared']>;
const namesOf = (rule: Rule): Iterable<string> => ('only' in rule ? rule.only : rule.allBut.keys());

/** The rule, read apart from the code under test. */
function mayPass(rule: Rule | undefined, name: string, value: Json): boolean {
  if (!rule) return false;
  if ('only' in rule) return [...rule.only].includes(name);
  return ![...rule.allBut].some(([denied, values]) => denied === name && !values.some((one) => one === value));
}

/** Where parameters are required, an endpoint has to list what is declared. */
const LISTED = { supported_parameters: ['max_tokens'] };

/** A body of `POST /messages` in the form of a face. */
function bodyOf(face: Face, to: string, fields: object): object {
  const body = ask(to, fields);
  if (face !== 'responses') return body;
  const { messages: input, max_tokens: max_output_tokens, ...rest } = body as JsonBody;
  return { ...rest, input, max_output_tokens };
}

/** Calls of a gateway, and what arrives of them. */
const callsOf = (benchOf: () => RoutingBench) => {
  const post = async (
    path: string,
    body: object,
    headers: object = {},
  ): Promise<{ status: number; body: JsonBody }> => {
    const response = await benchOf().gateway.request(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...WITH_METADATA, ...headers },
    });
    return { status: response.status, body: await response.json() };
  };

  /** Sends a request for the model, and returns its attempts. */
  async function send(face: Face, to: string, fields: object, headers: object = {}): Promise<JsonBody[]> {
    const { status, body } = await post(PATHS[face], bodyOf(face, to, fields), headers);
    expect([status, body.error ?? undefined]).toEqual([200, undefined]);
    return body.router_metadata.attempts;
  }

  async function explained(face: Face, to: string, fields: object): Promise<JsonBody> {
    const { body } = await post(`/routing/explain?format=${face}`, bodyOf(face, to, fields));
    return body.data;
  }

  /** What of these fields arrived. */
  const arrived = (slug: string, fields: object): JsonBody =>
    Object.fromEntries(Object.entries(benchOf().sent(slug).json).filter(([field]) => Object.hasOwn(fields, field)));

  return { post, send, explained, arrived };
};

describeOnEmbedded('undeclared fields', (database) => {
  let bench: RoutingBench;
  beforeAll(async () => {
    bench = await RoutingBench.start(database, {
      coolsDown: false,
      providers: { ...SHIPPED, ...OWN },
      models: [
        ...SLUGS.map((slug) => model(`test/${slug}`, [at(slug)])),
        ...SLUGS.map((slug) => model(`test/listing-${slug}`, [at(slug, LISTED)])),
        model(
          'test/listing-turns',
          inTurn(['groq', 'mine', 'openai', 'open']).map((endpoint) => ({ ...endpoint, ...LISTED })),
        ),
        model('test/searching', [at('mine', { pricing: { web_search: '0.01' } })]),
        model('test/turns', inTurn(['groq', 'mine', 'openai', 'open'])),
      ],
    });
    for (const slug of SLUGS) bench.upstream(slug).strict = false;
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  const { post, send, explained, arrived } = callsOf(() => bench);

  const MIXED = {
    reasoning_format: 'raw',
    safe_prompt: true,
    thinking: { type: 'disabled' },
    safety_identifier: 'abc',
    chat_template_kwargs: { enable_thinking: false },
    audio: { voice: 'ash', format: 'wav' },
    background: true,
    mcp_servers: [{ type: 'url', url: 'https://mcp.test', name: 'm' }],
    min_tokens: 1,
  };
  const COSTLY = ['audio', 'background', 'mcp_servers'];

  it.each<[string, readonly (keyof typeof MIXED)[]]>([
    ['openai', ['reasoning_format', 'safe_prompt', 'thinking', 'safety_identifier', 'chat_template_kwargs', 'min_tokens']],
    ['groq', ['reasoning_format']],
    ['mistral', ['safe_prompt']],
    ['moonshotai', ['thinking', 'safety_identifier']],
    ['deepinfra', ['chat_template_kwargs']],
    ['xai', []],
    ['openrouter', ['safe_prompt', 'safety_identifier']],
    ['mine', []],
    ['open', Object.keys(MIXED) as (keyof typeof MIXED)[]],
    ['eu', Object.keys(MIXED).filter((field) => field !== 'min_tokens') as (keyof typeof MIXED)[]],
  ])('go to %s as far as its rule lets them, and the rest is named', async (slug, passing) => {
    const [attempt] = await send('chat', `test/${slug}`, MIXED);
    expect(arrived(slug, MIXED)).toEqual(Object.fromEntries(passing.map((field) => [field, MIXED[field]])));
    const rest = Object.keys(MIXED).filter((field) => !passing.includes(field as keyof typeof MIXED));
    expect(attempt!.dropped).toEqual(rest.length > 0 ? rest : undefined);
    const { candidates } = await explained('chat', `test/${slug}`, MIXED);
    expect(candidates[0].dropped).toEqual(rest);
    if (slug === 'openai') expect(rest).toEqual(COSTLY);
  }); // oxfmt-ignore

  it('of a Messages body go to Anthropic, but for what costs, keeps or fetches, with the betas of what is sent', async () => {
    const fields = {
      diagnostics: { previous_message_id: null },
      container: { skills: [{ type: 'anthropic', skill_id: 'xlsx', version: 'latest' }] },
      mcp_servers: [{ type: 'url', url: 'https://mcp.test', name: 'm' }],
    };
    const [attempt] = await send('messages', 'test/anthropic', fields);
    expect(arrived('anthropic', fields)).toEqual({ diagnostics: fields.diagnostics });
    expect(bench.sent('anthropic').headers['anthropic-beta']).toBeUndefined();
    expect(attempt!.dropped).toEqual(['container', 'mcp_servers']);
    expect((await explained('messages', 'test/anthropic', fields)).candidates[0].dropped).toEqual(attempt!.dropped);

    const [whole] = await send('messages', 'test/mirror', fields);
    expect(arrived('mirror', fields)).toEqual(fields);
    expect(bench.sent('mirror').headers['anthropic-beta']).toBe('mcp-client-2025-04-04,skills-2025-10-02');
    expect(whole).not.toHaveProperty('dropped');
  });

  it.each<[Face, string]>([
    ['messages', 'mirror'],
    ['chat', 'open'],
  ])(
    'of a %s body that hold another part of the conversation are refused even where all may go',
    async (face, slug) => {
      for (const fields of [
        { thread: { type: 'create' } },
        { conversation: 'c' },
        { previous_response_id: 'r' },
        { previous_message_id: 'm' },
      ]) {
        const { status } = await post(PATHS[face], ask(`test/${slug}`, fields));
        expect([fields, status]).toEqual([fields, 400]);
      }
      expect(bench.calls).toEqual([]);
    },
  );

  /** The vendor of the format judges fields of a chat body by itself, but for those that it is denied. */
  const OTHERS = ['anthropic', 'amazon-bedrock'];
  const ALL = ['openai', ...OTHERS];
  it.each<[Face, Readonly<Record<string, unknown>>, string, readonly string[]]>([
    ['chat', { cached_content: 'cachedContents/1' }, 'open', OTHERS],
    ['chat', { cachedContent: 'cachedContents/1' }, 'open', OTHERS],
    ['chat', { documents: [{ source: { type: 'text', text: 'Owls hoot.' } }] }, 'open', OTHERS],
    ['chat', { data_sources: [{ type: 'azure_search', parameters: {} }] }, 'open', ALL],
    ['chat', { extra_body: { google: { cached_content: 'cachedContents/1' } } }, 'open', ALL],
    ['messages', { container: 'container_1' }, 'mirror', ALL],
    ['messages', { container: { id: 'container_1', skills: [] } }, 'mirror', ALL],
  ])('of a %s body that name stored context go where they are taken, and no other provider answers: %j', async (face, fields, taker, refusing) => {
    await send(face, `test/${taker}`, fields);
    expect(arrived(taker, fields)).toEqual(fields);
    const [field] = Object.keys(fields);
    for (const stream of [false, true]) {
      for (const slug of refusing) {
        bench.reset();
        const { status, body } = await post(PATHS[face], { ...ask(`test/${slug}`, fields), stream });
        expect([slug, status, body.error.message]).toEqual([slug, 400, expect.stringContaining(`${field}: `)]);
        expect(bench.calls).toEqual([]);
      }
    }
    for (const nothing of [null, '', [], {}]) await send(face, 'test/openai', { [field!]: nothing });
  }); // oxfmt-ignore

  it('that request something other than the next turn go where they are taken, and no other provider answers', async () => {
    const fields = { compaction: { type: 'summarize' } };
    await send('messages', 'test/anthropic', fields);
    expect(arrived('anthropic', fields)).toEqual(fields);
    for (const slug of ['openai', 'amazon-bedrock', 'open']) {
      bench.reset();
      const { status, body } = await post(PATHS.messages, ask(`test/${slug}`, fields));
      expect([slug, status, body.error.message]).toEqual([slug, 400, expect.stringContaining('compaction: ')]);
      expect(bench.calls).toEqual([]);
      const { candidates } = await explained('messages', `test/${slug}`, fields);
      expect(candidates[0].untranslatable).toMatchObject({ field: 'compaction' });
    }
    await send('messages', 'test/openai', { compaction: null });
    const attempts = await send('messages', 'test/openai', { ...fields, models: ['test/openai', 'test/anthropic'] });
    expect(attempts.map(({ provider }) => provider)).toEqual(
      expect.arrayContaining([expect.stringMatching(/anthropic/i)]),
    );
  });

  it.each<[Face, string]>([
    ['messages', 'open'],
    ['chat', 'mirror'],
    ['responses', 'mirror'],
    ['responses', 'open'],
  ])('of a %s body go to no provider of another format, and are named', async (face, slug) => {
    const [attempt] = await send(face, `test/${slug}`, { owl: 1, hoot: null });
    expect(bench.sent(slug).json).not.toHaveProperty('owl');
    expect(attempt!.dropped).toEqual(['owl']);
  });

  it('are judged for each attempt anew', async () => {
    for (const slug of ['groq', 'mine', 'openai']) bench.fails(slug, 503);
    const fields = { reasoning_format: 'raw', audio: { voice: 'ash' } };
    const attempts = await send('chat', 'test/turns', fields);
    expect(attempts.map(({ dropped }) => dropped)).toEqual([
      ['audio'],
      ['reasoning_format', 'audio'],
      ['audio'],
      undefined,
    ]);
    expect(['groq', 'mine', 'openai', 'open'].map((slug) => Object.keys(arrived(slug, fields)))).toEqual([
      ['reasoning_format'],
      [],
      ['reasoning_format'],
      ['reasoning_format', 'audio'],
    ]);
  });

  it('leave out each provider that would drop one, where all are required', async () => {
    const required = { provider: { require_parameters: true } };
    const fields = { reasoning_format: 'raw', safe_prompt: null, ...required };
    const { candidates, excluded } = await explained('chat', 'test/listing-turns', fields);
    expect(candidates.map(({ tag }: JsonBody) => tag)).toEqual(['groq', 'openai', 'open']);
    expect(excluded).toMatchObject([{ tag: 'mine', reason: 'unsupported-parameter', detail: 'reasoning_format' }]);
    const { status } = await post(PATHS.chat, ask('test/listing-openai', { audio: {}, ...required }));
    expect(status).toBe(404);
    // No provider there takes a field of another format.
    expect((await post(PATHS.messages, ask('test/listing-open', { owl: 1, ...required }))).status).toBe(404);
    expect((await post(PATHS.messages, ask('test/listing-anthropic', { owl: 1, ...required }))).status).toBe(200);
    expect(bench.calls).toEqual(['anthropic']);
  });

  it('search where searches are sold, whatever else the provider takes', async () => {
    const fields = { search_parameters: { mode: 'auto' }, owl: 1 };
    const [attempt] = await send('chat', 'test/searching', fields);
    expect(arrived('mine', fields)).toEqual({ search_parameters: fields.search_parameters });
    expect(attempt!.dropped).toEqual(['owl']);
    const [free] = await send('chat', 'test/openai', fields);
    expect(arrived('openai', fields)).toEqual({ owl: 1 });
    expect(free!.dropped).toEqual(['search_parameters']);
  });

  it('do not hide declared fields: the key of the prompt cache is sent as before', async () => {
    await send('chat', 'test/mine', { prompt_cache_key: 'k' });
    expect(bench.sent('mine').json).toMatchObject({ prompt_cache_key: 'k' });
  });

  it('may be many, and long: a bounded number is named', async () => {
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`${index}${'x'.repeat(300)}`, 1]));
    const [attempt] = await send('messages', 'test/openai', fields);
    expect(attempt!.dropped).toHaveLength(100);
    expect(JSON.stringify(attempt!.dropped).length).toBeLessThan(7_500);
  });

  describe('`store`', () => {
    const manage: TestGateway['manage'] = (...call) => bench.gateway.manage(...call);
    const storeAt = (slug: string): unknown => bench.sent(slug).json.store;

    it.each<[object, unknown, string[] | undefined]>([
      [{}, undefined, undefined],
      [{ store: false }, false, undefined],
      [{ store: true }, undefined, ['store']],
    ])('%j reaches OpenAI as %s where keeping is permitted', async (fields, stored, dropped) => {
      const [attempt] = await send('chat', 'test/openai', fields);
      expect([storeAt('openai'), attempt!.dropped]).toEqual([stored, dropped]);
    });

    const WISHES: readonly [string, object][] = [
      ['zdr', { provider: { zdr: true } }],
      ['data_collection', { provider: { data_collection: 'deny' } }],
    ];
    const STORE_VALUES: readonly object[] = [{}, { store: true }, { store: false }, { store: null }, { store: 'yes' }];
    it.each(WISHES)("is false under %s, whatever the caller's value", async (_, wish) => {
      for (const fields of STORE_VALUES) {
        const [attempt] = await send('chat', 'test/openai', { ...fields, ...wish });
        const isOverruled = 'store' in fields && fields.store !== false && fields.store !== null;
        expect([fields, storeAt('openai'), attempt!.dropped]).toEqual([
          fields,
          false,
          isOverruled ? ['store'] : undefined,
        ]);
      }
      for (const face of ['messages', 'responses'] as const) {
        await send(face, 'test/openai', wish);
        expect(storeAt('openai')).toBe(false);
      }
      await send('messages', 'test/eu', wish);
      expect(storeAt('eu')).toBe(false);
      await send('chat', 'test/open', { store: true, ...wish });
      expect(storeAt('open')).toBe(false);
    });

    it.each(['groq', 'mine', 'open', 'anthropic'])('is not sent to %s, which has no such field', async (slug) => {
      await send('chat', `test/${slug}`, { provider: { zdr: true } });
      expect(bench.sent(slug).json).not.toHaveProperty('store');
    });

    it('is false under what the account, the workspace and a guardrail forbid', async () => {
      const free = { data_collection: 'allow', enforce_zdr: false };
      for (const path of ['/account/preferences', '/workspaces/default']) {
        for (const policy of [{ enforce_zdr: true }, { data_collection: 'deny' }]) {
          await manage('PATCH', path, policy);
          await send('chat', 'test/openai', { store: true });
          expect([path, policy, storeAt('openai')]).toEqual([path, policy, false]);
          await manage('PATCH', path, free);
        }
      }
      await send('chat', 'test/openai', { store: true });
      expect(storeAt('openai')).toBeUndefined();
      const made = await bench.gateway.guardedKey({ enforce_zdr: true });
      const body = ask('test/openai', { store: true });
      const { status } = await post(PATHS.chat, body, { authorization: `Bearer ${made.key}` });
      expect([status, storeAt('openai')]).toEqual([200, false]);
    });
  });
});

describeOnEmbedded('undeclared fields of responses', (database) => {
  const SLUGS_OF_FORMAT = ['openai', 'groq', 'mistral', 'xai', 'mine', 'open'];
  let bench: RoutingBench;
  const { post, send, explained, arrived } = callsOf(() => bench);
  beforeAll(async () => {
    const open = { passes_unknown_fields: true, ...PRIVATE };
    const providers: Record<string, ProviderParts> = {
      ...Object.fromEntries(SLUGS_OF_FORMAT.map((slug) => [slug, { kind: 'responses', ...PRIVATE }])),
      open: { kind: 'responses', ...open },
      chat: { kind: 'openai', ...open },
      native: { kind: 'anthropic', ...open },
    };
    bench = await RoutingBench.start(database, {
      coolsDown: false,
      providers,
      models: [
        ...Object.keys(providers).map((slug) => model(`test/${slug}`, [at(slug)])),
        model('test/searching', [at('mine', { pricing: { web_search: '0.01' } })]),
        model(
          'test/listing',
          inTurn(['chat', 'mine', 'openai', 'open']).map((endpoint) => ({ ...endpoint, ...LISTED })),
        ),
      ],
    });
    for (const slug of Object.keys(providers)) bench.upstream(slug).strict = false;
  }, 240_000);
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  const MIXED = {
    reasoning_format: 'raw',
    safe_prompt: true,
    chat_template_kwargs: { enable_thinking: false },
    min_tokens: 1,
    prompt_cache_retention: '24h',
    audio: { voice: 'ash' },
    mcp_servers: [{ type: 'url', url: 'https://mcp.test', name: 'm' }],
    tool_resources: { code_interpreter: { file_ids: ['f'] } },
  };
  it.each<[string, readonly (keyof typeof MIXED)[]]>([
    ['openai', ['reasoning_format', 'safe_prompt', 'chat_template_kwargs', 'min_tokens']],
    ['groq', ['reasoning_format']],
    ['mistral', ['safe_prompt']],
    ['xai', []],
    ['mine', []],
    ['open', Object.keys(MIXED) as (keyof typeof MIXED)[]],
    ['chat', []],
    ['native', []],
  ])('go to %s as far as its rule lets them, and the rest is named', async (slug, passing) => {
    const [attempt] = await send('responses', `test/${slug}`, MIXED);
    expect(arrived(slug, MIXED)).toEqual(Object.fromEntries(passing.map((field) => [field, MIXED[field]])));
    const rest = Object.keys(MIXED).filter((field) => !passing.includes(field as keyof typeof MIXED));
    expect(attempt!.dropped).toEqual(rest.length > 0 ? rest : undefined);
    const { candidates } = await explained('responses', `test/${slug}`, MIXED);
    expect(candidates[0].dropped).toEqual(rest);
  });

  it.each<object>([
    { thread: { type: 'create' } },
    { conversation: 'c' },
    { conversation: { id: 'c' } },
    { previous_response_id: 'r' },
    { previous_message_id: 'm' },
    { Previous_Response_Id: 'r' },
    { prompt: { id: 'p' } },
    { messages: [{ role: 'user', content: 'Hello' }] },
    { system: 'Be brief.' },
    { store: true },
    { background: true },
  ])(
    'that hold a part of the conversation, or keep the reply, are refused even where all may go: %j',
    async (fields) => {
      const { status, body } = await post(PATHS.responses, { ...bodyOf('responses', 'test/open', {}), ...fields });
      expect([status, body.error.code]).toEqual([400, 400]);
      expect(body.error.message.toLowerCase()).toContain(Object.keys(fields)[0]!.toLowerCase());
      expect(bench.calls).toEqual([]);
    },
  );

  it.each<object>([
    { cached_content: 'cachedContents/1' },
    { documents: [{ source: { type: 'text', text: 'Owls hoot.' } }] },
    { data_sources: [{ type: 'azure_search', parameters: {} }] },
    { container: { id: 'container_1' } },
    { extra_body: { google: { cached_content: 'cachedContents/1' } } },
    { compaction: { type: 'summarize' } },
  ])('that name stored context go where they are taken, and no other provider answers: %j', async (fields) => {
    await send('responses', 'test/open', fields);
    expect(arrived('open', fields)).toEqual(fields);
    for (const stream of [false, true]) {
      for (const slug of ['chat', 'native', 'mine']) {
        bench.reset();
        const { status, body } = await post(
          PATHS.responses,
          bodyOf('responses', `test/${slug}`, { ...fields, stream }),
        );
        expect([slug, status, body.error.message]).toEqual([
          slug,
          400,
          expect.stringContaining(`${Object.keys(fields)[0]}: `),
        ]);
        expect(bench.calls).toEqual([]);
      }
    }
  });

  it('leave out each provider that would drop one, where all are required', async () => {
    const fields = { reasoning_format: 'raw', safe_prompt: null, provider: { require_parameters: true } };
    const { candidates, excluded } = await explained('responses', 'test/listing', fields);
    expect(candidates.map(({ tag }: JsonBody) => tag)).toEqual(['openai', 'open']);
    expect(excluded).toMatchObject(
      ['chat', 'mine'].map((tag) => ({ tag, reason: 'unsupported-parameter', detail: 'reasoning_format' })),
    );
  });

  it('search where searches are sold, whatever else the provider takes', async () => {
    const fields = { search_parameters: { mode: 'auto' }, owl: 1 };
    const [attempt] = await send('responses', 'test/searching', fields);
    expect(arrived('mine', fields)).toEqual({ search_parameters: fields.search_parameters });
    expect(attempt!.dropped).toEqual(['owl']);
  });

  it.each([{}, { store: false }, { store: null }, { provider: { zdr: true } }])(
    'do not include `store`, which is always false: %j',
    async (fields) => {
      for (const slug of SLUGS_OF_FORMAT) {
        const [attempt] = await send('responses', `test/${slug}`, fields);
        expect([slug, bench.sent(slug).json.store, attempt!.dropped]).toEqual([slug, false, undefined]);
      }
    },
  );

  it.each<Face>(['messages', 'chat'])(
    'of a %s body include `store` that is false, where it is always sent',
    async (face) => {
      for (const slug of SLUGS_OF_FORMAT) {
        const [attempt] = await send(face, `test/${slug}`, { store: false });
        expect([slug, bench.sent(slug).json.store, attempt!.dropped]).toEqual([slug, false, undefined]);
        const [other] = await send(face, `test/${slug}`, { store: true });
        expect([slug, bench.sent(slug).json.store, other!.dropped]).toEqual([slug, false, ['store']]);
      }
      const required = { store: false, provider: { require_parameters: true, only: ['openai'] } };
      expect((await send(face, 'test/listing', required)).map(({ provider }) => provider)).toEqual(['Openai']);
    },
  );
});

describe.each<[string, (slug: string) => Kind]>([
  ['of the formats of chat and Messages', kindOf],
  ['of the responses format', () => 'responses'],
])('at providers %s', (_, kind) => {
  describeOnEmbedded('undeclared fields of random bodies', (database) => {
    let bench: RoutingBench;
    const { send } = callsOf(() => bench);
    beforeAll(async () => {
      const providers = shippedAt(kind);
      const models = Object.keys(providers).map((slug) => model(`test/${slug}`, [at(slug)]));
      bench = await RoutingBench.start(database, { coolsDown: false, providers, models });
      for (const slug of Object.keys(providers)) bench.upstream(slug).strict = false;
    }, 240_000);
    afterAll(() => bench?.close());
    beforeEach(() => bench.reset());

    /** Names that rules speak of, and others. */
    const NAMES = [
      ...new Set(DEFINITIONS.flatMap(({ undeclared }) => (undeclared ? [...namesOf(undeclared)] : []))),
      ...['search_parameters', 'enable_search', 'debug', 'fallbacks', 'owl', 'constructor', 'toString'],
    ]; // oxfmt-ignore
    // A body with such a key is refused before any rule applies.
    const values = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('"__proto__":'));
    const bodies = fc.record({
      slug: fc.constantFrom(...Object.keys(SHIPPED)),
      face: fc.constantFrom<Face>('messages', 'chat', 'responses'),
      zdr: fc.boolean(),
      fields: fc.dictionary(
        fc.oneof(
          { weight: 4, arbitrary: fc.constantFrom(...NAMES) },
          fc.stringMatching(/^[a-z_]{1,12}$/).map((name) => `u_${name}`),
        ),
        fc.oneof(fc.constantFrom<Json>(null, true, false, 0, '', 'in_memory'), values as fc.Arbitrary<Json>),
        { maxKeys: 8 },
      ),
    });

    it('no field arrives that the rule of its provider does not let through, and each that does not is named', async () => {
      const baseline = new Map<string, ReadonlySet<string>>();
      await fc.assert(
        fc.asyncProperty(bodies, async ({ slug, face, zdr, fields: random }) => {
          // What a face declares is no field of this kind.
          const fields = Object.fromEntries(
            Object.entries(random).filter(
              ([name]) => !isDeclared(face, name) && !PURPOSE_FIELDS.has(name.trim().toLowerCase()),
            ),
          );
          const key = `${slug} ${face}`;
          if (!baseline.has(key)) {
            await send(face, `test/${slug}`, {});
            baseline.set(key, new Set(Object.keys(bench.sent(slug).json)));
          }
          const wish = zdr ? { provider: { zdr } } : {};
          const [attempt] = await send(face, `test/${slug}`, { ...fields, ...wish });
          const sent: RecordedRequest['json'] = bench.sent(slug).json;
          const { undeclared } = DEFINITIONS.find((one) => one.slug === slug)!;
          for (const [name, value] of Object.entries<Json>(sent)) {
            if (baseline.get(key)!.has(name)) continue;
            // Set by the gateway for targets that know the field, or by the caller.
            if (name === 'store' && zdr)
              expect([value, kind(slug) === 'openai' || fields['store'] === false]).toEqual([false, true]);
            else
              expect([name, mayPass(undeclared, name, value), kind(slug) === FORMATS[face]]).toEqual([
                name,
                true,
                true,
              ]);
          }
          const isLost = ([name, value]: [string, Json]): boolean =>
            value !== null && !(name in sent && same(sent[name], value));
          const lost = Object.entries(fields).filter((entry) => isLost(entry));
          expect(new Set(attempt!.dropped ?? [])).toEqual(new Set(lost.map(([name]) => name)));
        }),
        { numRuns: 100 },
      );
    }, 240_000);
  });
});
