/**
 * Checks that a key makes no more requests and uses no more tokens per minute than its limits, with any payer, and
 * calls no model outside its list, by whatever field the model is named; that refused requests cost nothing and are
 * held no longer. The application runs before scripted providers, on a clock that is set to the middle of a minute.
 * Rules: docs/use/limits.md#limits-of-keys, docs/operate/keys.md#rates-and-models.
 */
import { StandingClock } from '../support/ahead-clock.js';
import { anthropicError, anthropicText } from '../support/anthropic-upstream.js';
import { extendedCatalogOf, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { json } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask } from './messages-bench.js';

/** Tokens of the prompt of `ask`, at most: three for `Hello`, and its frame. */
const PROMPT_TOKENS = 67;
/** Tokens of `ask` with its maximum output. */
const RESERVED = PROMPT_TOKENS + 100;
/** Tokens of one answer: 12 of its prompt, and 7. */
const USED = 19;
/** Since the minute began. */
const INTO_MINUTE_MS = 20_000;

const FACES = [
  { route: '/messages', stream: false },
  { route: '/messages', stream: true },
  { route: '/chat/completions', stream: false },
  { route: '/chat/completions', stream: true },
] as const;

describeOnEmbedded('what keys are held to', (database) => {
  const clock = new StandingClock();
  let upstream: Upstream;
  let gateway: TestGateway;
  let ledger: LedgerReader;
  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    const at = [{ url: upstream.url, dialect: 'anthropic-messages' }] as const;
    gateway = await startGateway(database, {
      clock,
      coolsDown: false,
      catalog: extendedCatalogOf(
        { id: 'test/one', at, model: { aliases: ['one-latest'] } },
        { id: 'test/two', at },
        { id: 'other/three', at },
        { id: 'test/free:free', at, endpoint: { pricing: undefined, free: true } },
      ),
    });
    ledger = new LedgerReader(gateway);
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });
  beforeEach(() => {
    upstream.script(anthropicText('Hi.'));
    upstream.requests.length = 0;
    const next = 60_000 - (clock.now() % 60_000);
    clock.aheadMs += next + INTO_MINUTE_MS;
  });

  async function send(method: string, path: string, body?: object, key = MANAGEMENT_KEY): Promise<JsonBody> {
    const response = await gateway.request(path, {
      method,
      key,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }
  const message = (key: string, more: object = {}): Promise<JsonBody> =>
    send('POST', '/messages', ask('test/one', more), key);
  const newKey = async (fields: object): Promise<string> => (await gateway.newKey(fields)).key;

  describe('rates', () => {
    it.each(FACES)(
      'refuses the request past those of a minute, before any provider is called: $route $stream',
      async (face) => {
        const { route, stream } = face;
        const key = await newKey({ rate_limits: { requests_per_minute: 2 } });
        for (let request = 0; request < 2; request++)
          expect((await send('POST', route, ask('test/one', { stream }), key)).status).toBe(200);
        const { status, headers, body } = await send('POST', route, ask('test/two', { stream }), key);
        expect([status, upstream.requests.length]).toEqual([429, 2]);
        const limitHeaders = {
          'X-RateLimit-Limit': '2',
          'X-RateLimit-Remaining': '0',
          'X-RateLimit-Reset': String(clock.now() + 60_000 - INTO_MINUTE_MS),
        };
        for (const [name, value] of Object.entries(limitHeaders))
          expect([name, headers.get(name)]).toEqual([name, value]);
        expect(headers.get('retry-after')).toBe('40');
        expect(body.error).toMatchObject({
          code: 429,
          message: 'Rate limit exceeded: this key may make 2 requests a minute; wait for the next minute.',
          metadata: { limit_source: 'key_rate_limit', limit: 'requests_per_minute', headers: limitHeaders },
        });
        const errorType = route === '/messages' ? body.error.error_type : body.error.metadata.error_type;
        expect(errorType).toBe('rate_limit_exceeded');
        await ledger.rest();
        expect([await ledger.openHolds(), (await ledger.account()).held]).toEqual([0, 0]);
        // No other key has a request in this minute.
        expect((await message(await newKey({}))).status).toBe(200);
        clock.aheadMs += 60_000;
        expect((await send('POST', route, ask('test/one', { stream }), key)).status).toBe(200);
      },
    );

    it('counts tokens as they are reserved, and then as they were used', async () => {
      const { key, hash } = await gateway.newKey({ rate_limits: { tokens_per_minute: RESERVED + USED } });
      for (let request = 0; request < 2; request++) expect((await message(key)).status).toBe(200);
      await ledger.rest();
      const { status, headers, body } = await message(key);
      expect([status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([
        429,
        String(RESERVED + USED),
        String(RESERVED - USED),
      ]);
      expect(body.error).toMatchObject({
        message: expect.stringContaining('this key may use 186 tokens a minute'),
        metadata: { limit_source: 'key_rate_limit', limit: 'tokens_per_minute' },
      });
      // A smaller request is within the limit.
      expect((await message(key, { max_tokens: 50 })).status).toBe(200);
      await send('PATCH', `/keys/${hash}`, { rate_limits: { requests_per_minute: 100 } });
      expect((await message(key)).status).toBe(200);
    });

    it('is shown, changed at once, and cleared by null', async () => {
      const limits = { requests_per_minute: 1, tokens_per_minute: null };
      const { key, hash } = await gateway.newKey({ rate_limits: { requests_per_minute: 1 } });
      for (const shown of [await send('GET', `/keys/${hash}`), await send('GET', '/key', undefined, key)])
        expect(shown.body.data).toMatchObject({ rate_limits: limits, allowed_models: null });
      expect([(await message(key)).status, (await message(key)).status]).toEqual([200, 429]);
      const cleared = await send('PATCH', `/keys/${hash}`, { rate_limits: null });
      expect(cleared.body.data.rate_limits).toBeNull();
      expect((await message(key)).status).toBe(200);
    });

    it('counts both secrets of a rotated key together', async () => {
      const { key, hash } = await gateway.newKey({ rate_limits: { requests_per_minute: 2 } });
      const second = (await send('POST', `/keys/${hash}/rotate`, { grace_seconds: 3_600 })).body.key;
      expect([(await message(key)).status, (await message(second)).status]).toEqual([200, 200]);
      expect([(await message(key)).status, (await message(second)).status]).toEqual([429, 429]);
    });

    it('is checked after money, and before the daily limit of free variants', async () => {
      const poor = await newKey({ limit: 0.000001, rate_limits: { requests_per_minute: 1 } });
      for (let request = 0; request < 2; request++) expect((await message(poor)).status).toBe(402);
      const free = await newKey({ rate_limits: { requests_per_minute: 1 } });
      const day = async (): Promise<number> =>
        (await send('GET', '/key', undefined, free)).body.data.free_model_daily_requests.used;
      const statuses = [];
      for (let request = 0; request < 3; request++)
        statuses.push((await send('POST', '/messages', ask('test/free:free'), free)).status);
      expect(statuses).toEqual([200, 429, 429]);
      await ledger.rest();
      expect(await day()).toBe(1);
    });

    it('counts requests through credentials of the caller as well', async () => {
      await send('POST', '/workspaces', { name: 'w', slug: 'own' });
      await send('POST', '/byok', { provider: 'p0', key: 'sk-of-a-caller', workspace_id: 'own' });
      const key = await newKey({ workspace_id: 'own', rate_limits: { requests_per_minute: 1 } });
      const first = await message(key);
      expect([first.status, (await message(key)).status]).toEqual([200, 429]);
      expect(upstream.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['sk-of-a-caller']);
    });

    it('does not apply to counts of tokens, explanations and lists', async () => {
      const key = await newKey({ rate_limits: { requests_per_minute: 1 } });
      expect((await message(key)).status).toBe(200);
      const { max_tokens: _, ...counted } = ask('test/one');
      expect((await send('POST', '/messages/count_tokens', counted, key)).status).toBe(200);
      expect((await send('POST', '/routing/explain', ask('test/one'), key)).status).toBe(200);
      expect((await send('GET', '/models/user', undefined, key)).status).toBe(200);
    });
  });

  describe('models', () => {
    it.each(FACES)('refuses one that the key may not use, by name: $route $stream', async ({ route, stream }) => {
      const key = await newKey({ allowed_models: ['test/one'] });
      const { status, body } = await send('POST', route, ask('test/two', { stream }), key);
      expect([status, upstream.requests.length]).toEqual([403, 0]);
      expect(body.error).toMatchObject({
        code: 403,
        message: 'The allowed_models of this key do not have test/two.',
        metadata: { limit_source: 'key_allowed_models', models: ['test/two'] },
      });
      expect((await send('POST', route, ask('test/one', { stream }), key)).status).toBe(200);
    });

    it.each<[string, string[], object, string[]]>([
      ['a pattern', ['test/*'], ask('test/two'), ['test/two']],
      ['another name of a model', ['one-latest'], ask('test/one'), ['test/one']],
      ['a model by another name', ['test/one'], ask('one-latest'), ['test/one']],
      [
        'all of several',
        ['other/*', 'test/t*'],
        ask('test/two', { models: ['other/three'] }),
        ['test/two', 'other/three'],
      ],
      ['the second of models', ['other/*'], ask('test/one', { models: ['other/three'] }), ['other/three']],
      ['the first of models', ['test/one'], ask('test/one', { models: ['other/three', 'test/two'] }), ['test/one']],
      [
        'the first of fallbacks',
        ['test/one'],
        ask('test/one', { fallbacks: [{ model: 'other/three' }] }),
        ['test/one'],
      ],
    ])('binds every model of a request: %s', async (_, allowed, body, plan) => {
      const key = await newKey({ allowed_models: allowed });
      const { data } = (await send('POST', '/routing/explain', body, key)).body;
      expect([...new Set(data.candidates.map(({ model }: JsonBody) => model))]).toEqual(plan);
      // The remaining models fail: no other is called.
      upstream.script(json(anthropicError('api_error', 'Down.'), 500));
      expect((await send('POST', '/messages', body, key)).status).toBe(502);
      expect(upstream.requests).toHaveLength(plan.length);
    });

    it('is shown by an explanation, and together with what a guardrail forbids', async () => {
      const { key, hash } = await gateway.newKey({ allowed_models: ['test/*'] });
      const { data: guardrail } = (await send('POST', '/guardrails', { name: 'g', ignored_models: ['test/two'] })).body;
      await send('POST', `/guardrails/${guardrail.id}/assignments/keys`, { key_hashes: [hash] });
      const body = ask('other/three', { models: ['test/two'] });
      const { data } = (await send('POST', '/routing/explain', body, key)).body;
      expect(data.candidates).toEqual([]);
      expect(data.excluded).toMatchObject([
        { model: 'other/three', reason: 'model-not-for-key' },
        { model: 'test/two', reason: 'model-not-allowed' },
      ]);
      const refused = await send('POST', '/messages', body, key);
      expect([refused.status, refused.body.error.message]).toEqual([
        403,
        'The allowed_models of this key do not have other/three. A guardrail of this key does not allow test/two.',
      ]);
    });

    it('refuses suffixes that are preferences of requests, and permits them in a request', async () => {
      for (const [model, suffix] of [
        ['test/one:online', 'online'],
        ['test/one:free:nitro', 'nitro'],
      ]) {
        const made = await send('POST', '/keys', { name: 'k', allowed_models: ['test/two', model] });
        expect([made.status, made.body.error.message]).toEqual([
          400,
          `allowed_models.1: :${suffix} is a wish of single requests; name the model without it`,
        ]);
      }
      const { key, hash } = await gateway.newKey({ allowed_models: ['test/one'] });
      expect((await send('PATCH', `/keys/${hash}`, { allowed_models: ['test/one:floor'] })).status).toBe(400);
      expect((await send('POST', '/messages', ask('test/one:floor'), key)).status).toBe(200);
    });

    it('narrows the list of models, is shown, and cleared by null', async () => {
      const { key, hash } = await gateway.newKey({ allowed_models: ['test/t*', 'other/three'] });
      const listed = async (): Promise<JsonBody> => {
        const { data, total_count: total } = (await send('GET', '/models/user', undefined, key)).body;
        expect(total).toBe(data.length);
        return data.map(({ id }: JsonBody) => id).sort();
      };
      expect(await listed()).toEqual(['other/three', 'test/two']);
      expect((await send('GET', '/key', undefined, key)).body.data.allowed_models).toEqual(['test/t*', 'other/three']);
      await send('PATCH', `/keys/${hash}`, { allowed_models: null });
      expect(await listed()).toEqual(expect.arrayContaining(['test/one', 'test/two']));
      expect((await message(key)).status).toBe(200);
    });

    it('is checked before money', async () => {
      const key = await newKey({ limit: 0, allowed_models: ['test/two'] });
      expect((await message(key)).status).toBe(403);
    });
  });

  it.each(['rate_limits', 'allowed_models'])('refuses %s of a management key, which calls no models', async (field) => {
    const value = field === 'rate_limits' ? { requests_per_minute: 1 } : ['test/*'];
    const expected = [400, `${field}: is for inference keys; management keys call no models`];
    const made = await send('POST', '/keys', { name: 'n', kind: 'management', [field]: value });
    expect([made.status, made.body.error.message]).toEqual(expected);
    const { hash } = await gateway.newKey({ kind: 'management' });
    const changed = await send('PATCH', `/keys/${hash}`, { [field]: value });
    expect([changed.status, changed.body.error.message]).toEqual(expected);
    expect((await send('PATCH', `/keys/${hash}`, { [field]: null })).status).toBe(200);
  });

  it('lists keys by a part of their names, with how many there are', async () => {
    for (const name of ['Blue boat', 'blue house', 'red']) {
      clock.aheadMs += 1;
      await gateway.newKey({ name });
    }
    const { body } = await send('GET', '/keys?name=BLUE&limit=1');
    expect([body.data.map(({ name }: JsonBody) => name), body.total_count]).toEqual([['blue house'], 2]);
    expect((await send('GET', '/keys?name=blue%20b')).body).toMatchObject({
      data: [{ name: 'Blue boat' }],
      total_count: 1,
    });
    expect((await send('GET', '/keys?name=%25')).body).toEqual({ data: [], total_count: 0 });
    for (const query of ['name=', 'name=a&name=b', 'name=a%00', `name=${'n'.repeat(256)}`])
      expect([query, (await send('GET', `/keys?${query}`)).status]).toEqual([query, 400]);
  });
});
