/**
 * Checks that callers' own credentials are used in the documented order, only for the callers they are meant for, and
 * charged by their kind (docs/operate/byok.md#order-of-use). The upstreams record the credential of each call;
 * replies, reports and ledger rows are compared. The model costs 3 USD per million input tokens and 15 USD per
 * million output tokens; the fee is 5 %. Rules: docs/contribute/threat-model.md.
 */
import { anthropicError, anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY, catalogOf, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { RawClient } from '../support/raw-client.js';
import type { JsonBody, RecordedRequest } from '../support/recorded-request.js';
import { frame, HANG, json, neverAnswers, sse, type Answer } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask, askStream, delta, OPEN } from './messages-bench.js';

/** List price of one answer, in USD. */
const COST = 0.000141;
const FEE = 0.05;
/** List price of the most that one call may cost. */
const BOUND = (67 * 3 + 100 * 15) / 1e6;
const SHARED = ['credential-of-p0', 'credential-of-p1'] as const;

interface Reply {
  readonly status: number;
  readonly body: JsonBody;
}

describeOnEmbedded("callers' own credentials", (database) => {
  let upstream: Upstream;
  let gateway: TestGateway;
  /** Credentials that upstreams refuse, with their statuses. */
  const refused = new Map<string, number>();
  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    const at = ['/0', '/1'].map((path) => ({ url: upstream.url + path, dialect: 'anthropic-messages' }) as const);
    const first = at.slice(0, 1);
    gateway = await startGateway(database, {
      coolsDown: false,
      variables: { FAIRLEAD_BYOK_FEE_PERCENT: '5', FAIRLEAD_INITIAL_CREDITS: '0' },
      catalog: catalogOf(
        { id: 'test/one', at: first },
        // At one price, so that nothing but the order of credentials decides.
        { id: 'test/two', at, endpoint: { pricing: { prompt: '3', completion: '15' } } },
        { id: 'test/advisor', at: first },
        { id: 'test/some:free', at: first, endpoint: { pricing: undefined, free: true } },
      ),
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });
  beforeEach(async () => {
    refused.clear();
    upstream.script((request, index) => answerTo(request) ?? anthropicText('Hi.')(request, index));
    await setBalance(1);
  });
  afterEach(async () => {
    const { body } = await manage('GET', '/byok?limit=100');
    for (const { id } of body.data) await manage('DELETE', `/byok/${id}`);
  });

  function answerTo(request: RecordedRequest): Answer | undefined {
    const status = refused.get(keyOf(request));
    if (status === undefined) return undefined;
    return json(anthropicError('authentication_error', `no ${keyOf(request)}`), status);
  }

  const keyOf = ({ headers }: RecordedRequest): string => String(headers['x-api-key']);

  async function send(method: string, path: string, key: string, body?: object, headers: object = {}): Promise<Reply> {
    const response = await gateway.request(path, {
      method,
      key,
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as JsonBody };
  }

  const manage = (method: string, path: string, body?: object): Promise<Reply> =>
    send(method, path, MANAGEMENT_KEY, body);

  async function setBalance(usd: number): Promise<void> {
    const { body } = await manage('GET', '/credits');
    const amount = Number((usd - (body.data.total_credits - body.data.total_usage)).toFixed(12));
    if (amount !== 0) await manage('POST', '/credits', { amount, kind: 'adjustment' });
  }

  /** Stores a credential and returns its id; its text begins with the name, so that calls show it. */
  async function own(name: string, provider = 'p0', fields: object = {}): Promise<string> {
    const { status, body } = await manage('POST', '/byok', { key: `${name}-own-credential`, provider, ...fields });
    expect(status).toBe(201);
    return body.data.id;
  }

  async function newKey(fields: object = {}): Promise<{ readonly key: string; readonly hash: string }> {
    const { body } = await manage('POST', '/keys', { name: 'a key', ...fields });
    return { key: body.key, hash: body.data.hash };
  }

  /** One request: its reply, and the credentials it was tried with, in order, by their names. */
  async function call(
    model: string,
    key = API_KEY,
    more: object = {},
    headers: object = {},
  ): Promise<Reply & { readonly tried: string[] }> {
    const before = upstream.requests.length;
    const reply = await send('POST', '/messages', key, ask(model, more), headers);
    return { ...reply, tried: upstream.requests.slice(before).map((request) => keyOf(request).split('-own-')[0]!) };
  }

  describe('their order', () => {
    it('own ones by sort_order, then the shared one, then fallback ones', async () => {
      await own('F2', 'p0', { is_fallback: true, sort_order: 9 });
      await own('B', 'p0', { sort_order: 2 });
      await own('A', 'p0', { sort_order: 1 });
      await own('F1', 'p0', { is_fallback: true, sort_order: 8 });
      for (const key of ['A', 'B', 'F1', 'F2']) refused.set(`${key}-own-credential`, key === 'A' ? 401 : 429);
      refused.set(SHARED[0], 403);
      const { status, tried } = await call('test/one');
      expect([status, tried]).toEqual([429, ['A', 'B', SHARED[0], 'F1', 'F2']]);
    });

    it('those of all providers before any shared one, whatever `order` specifies', async () => {
      await own('A');
      await own('B', 'p1');
      for (const key of ['A-own-credential', 'B-own-credential', SHARED[1]]) refused.set(key, 503);
      const { status, tried, body } = await call('test/two', API_KEY, { provider: { order: ['p1', 'p0'] } });
      expect([status, tried]).toEqual([200, ['B', 'A', SHARED[1], SHARED[0]]]);
      expect(body.usage.is_byok).toBe(false);
    });

    it('one for the second of two providers: that, then shared ones as they were ordered', async () => {
      await own('B', 'p1');
      for (const key of ['B-own-credential', SHARED[0]]) refused.set(key, 401);
      const { status, tried } = await call('test/two', API_KEY, { provider: { order: ['p0', 'p1'] } });
      expect([status, tried]).toEqual([200, ['B', SHARED[0], SHARED[1]]]);
    });

    it('one that was refused where the operator paid: each attempt reports whose it was', async () => {
      await own('A');
      refused.set('A-own-credential', 401);
      const { body } = await call('test/one', API_KEY, {}, { 'x-router-metadata': 'enabled' });
      const attempt = { provider: 'Provider p0', model: 'test/one' };
      expect(body.router_metadata.attempts).toEqual([
        { ...attempt, status: 401, is_byok: true, credential_refused: true },
        { ...attempt, status: 200 },
      ]);
      const { body: shown } = await send('GET', `/generation?id=${body.id}`, API_KEY);
      expect(shown.data.provider_responses).toMatchObject([
        { is_byok: true, credential_refused: true },
        { status: 200 },
      ]);
      expect(Object.keys(shown.data.provider_responses[1])).not.toContain('is_byok');
    });

    it('one that forbids the operator’s: that is not used however it was refused', async () => {
      await own('A', 'p0', { is_byok_only: true });
      for (const status of [401, 402, 403, 429, 529]) {
        refused.set('A-own-credential', status);
        const { tried, body } = await call('test/one', API_KEY, {}, { 'x-router-metadata': 'enabled' });
        expect([status, tried]).toEqual([status, ['A']]);
        expect(body.router_metadata.attempts).toMatchObject([{ status, is_byok: true }]);
      }
    });

    it('one that is required: no shared one of its provider', async () => {
      await own('A', 'p0', { is_required: true });
      refused.set('A-own-credential', 401);
      const { status, tried, body } = await call('test/one');
      expect([status, tried]).toEqual([502, ['A']]);
      expect(JSON.stringify(body)).not.toContain('own-credential');
    });

    it('a rate limit at one: the next one of the same provider, and nothing of the account', async () => {
      await own('A');
      await own('B', 'p0', { is_fallback: true, is_required: false });
      refused.set('A-own-credential', 429).set(SHARED[0], 429);
      const { status, tried, body } = await call('test/one');
      expect([status, tried, body.usage.is_byok]).toEqual([200, ['A', SHARED[0], 'B'], true]);
    });
  });

  describe('the callers they are for', () => {
    it.each([
      ['of another model', { allowed_models: ['test/two'] }],
      ['of another user', { allowed_user_ids: ['somebody'] }],
      ['disabled', { disabled: true }],
      ['of another provider', {}, 'p1'],
    ])('%s: not used', async (_, fields: object, provider = 'p0') => {
      await own('A', provider, fields);
      expect((await call('test/one')).tried).toEqual([SHARED[0]]);
    });

    it('of another model than is consulted: not used, by the operator’s instead', async () => {
      const tools = [{ type: 'advisor_20260301', name: 'advisor', model: 'test/advisor', max_uses: 1 }];
      await own('A', 'p0', { allowed_models: ['test/one'], is_byok_only: true });
      await setBalance(100);
      expect((await call('test/one', API_KEY, { tools })).tried).toEqual([SHARED[0]]);
      expect((await call('test/one')).tried).toEqual(['A']);
      await own('B', 'p0', { allowed_models: ['test/one', 'test/advisor'] });
      expect((await call('test/one', API_KEY, { tools })).tried).toEqual(['B']);
    });

    it('for this model, user and key: used', async () => {
      const { key, hash } = await newKey({ creator_user_id: 'somebody' });
      const other = await newKey({ creator_user_id: 'somebody else' });
      await own('A', 'p0', {
        allowed_models: ['test/one'],
        allowed_user_ids: ['somebody'],
        allowed_api_key_hashes: [hash],
      });
      expect((await call('test/one', key)).tried).toEqual(['A']);
      expect((await call('test/one', other.key)).tried).toEqual([SHARED[0]]);
      expect((await call('test/one')).tried).toEqual([SHARED[0]]);
    });

    it('of another workspace: neither used nor seen', async () => {
      const { body } = await manage('POST', '/workspaces', { name: 'Other', slug: `other-${Date.now()}` });
      await own('A', 'p0', { workspace_id: body.data.id });
      const there = await newKey({ workspace_id: body.data.id });
      expect((await call('test/one')).tried).toEqual([SHARED[0]]);
      expect((await call('test/one', there.key)).tried).toEqual(['A']);
    });

    it('changes are in force at once here', async () => {
      const id = await own('A');
      expect((await call('test/one')).tried).toEqual(['A']);
      await manage('PATCH', `/byok/${id}`, { disabled: true });
      expect((await call('test/one')).tried).toEqual([SHARED[0]]);
      await manage('PATCH', `/byok/${id}`, { disabled: false, key: 'N-own-credential' });
      expect((await call('test/one')).tried).toEqual(['N']);
      await manage('DELETE', `/byok/${id}`);
      expect((await call('test/one')).tried).toEqual([SHARED[0]]);
    });
  });

  describe('what they cost', () => {
    it('the fee, reported as the cost, and the list price in windows of their own', async () => {
      await own('A');
      const { key } = await newKey({ limit: 1 });
      const { body } = await call('test/one', key);
      expect(body.usage).toMatchObject({ is_byok: true });
      expect(body.usage.cost).toBeCloseTo(COST * FEE, 12);
      expect(body.usage.cost_details.upstream_inference_cost).toBeCloseTo(COST, 12);
      const { data } = (await send('GET', '/key', key)).body;
      expect(data.usage).toBeCloseTo(COST * FEE, 12);
      for (const window of ['', '_daily', '_weekly', '_monthly'])
        expect(data[`byok_usage${window}`]).toBeCloseTo(COST, 12);
      const generation = (await send('GET', `/generation?id=${body.id}`, key)).body.data;
      expect([generation.is_byok, generation.usage]).toEqual([true, body.usage.cost]);
      expect(generation.upstream_inference_cost).toBeCloseTo(COST, 12);
    });

    it.each([
      ['before the first word', askStream('test/one'), neverAnswers(), undefined, 21e-6],
      ['in mid-stream', askStream('test/one'), sse([OPEN + delta('x'.repeat(40)), HANG]), 'xxxx', 159e-6],
    ] as const)('the fee on what the provider bills of an abandoned call %s', async (_, body, answer, sees, listed) => {
      await own('A');
      const ledger = new LedgerReader(gateway);
      upstream.script(answer);
      const arrival = upstream.request();
      const client = await RawClient.connect(gateway.origin);
      client.send({ path: '/api/v1/messages', headers: [['authorization', `Bearer ${API_KEY}`]], body });
      const record = await arrival;
      if (sees === undefined) for (let turn = 0; turn < 3; turn++) await send('GET', '/key', API_KEY);
      else await client.until(sees);
      client.destroy();
      await record.closed;
      await ledger.rest();
      const row = await ledger.latest();
      expect(row).toMatchObject({ outcome: 'caller-gone', is_byok: true, is_estimated: true });
      expect([row.cost, row.byok_cost, row.operator_cost].map(Number)).toEqual([
        expect.closeTo(listed * FEE, 12),
        expect.closeTo(listed, 12),
        0,
      ]);
    });

    it('no more than its bound where more is reported than is possible', async () => {
      await own('A');
      upstream.script(anthropicText('Hi.', { usage: { input_tokens: 12, output_tokens: 200_000 } }));
      const { key } = await newKey({ limit: 1, include_byok_in_limit: true });
      const { body } = await call('test/one', key);
      const { cost, cost_details: details } = body.usage;
      expect(cost).toBeCloseTo(BOUND * FEE, 12);
      expect(details.upstream_inference_cost).toBeCloseTo(BOUND, 12);
      const parts = details.upstream_inference_prompt_cost + details.upstream_inference_completions_cost;
      expect(parts).toBeCloseTo(BOUND, 12);
      expect((await send('GET', '/key', key)).body.data.byok_usage).toBeCloseTo(BOUND, 12);
    });

    it('what a shared one costs, where that answered', async () => {
      await own('A');
      refused.set('A-own-credential', 401);
      const { key } = await newKey();
      const { body } = await call('test/one', key);
      expect([body.usage.is_byok, body.usage.cost]).toEqual([false, COST]);
      const { data } = (await send('GET', '/key', key)).body;
      expect([data.usage, data.byok_usage]).toEqual([COST, 0]);
    });

    it('a fee at a balance of zero: refused; below zero: refused', async () => {
      await own('A', 'p0', { is_required: true });
      for (const balance of [0, -1]) {
        await setBalance(balance);
        expect((await call('test/one')).status).toBe(402);
      }
    });

    it('credit for the fee alone suffices, and shared ones are left out', async () => {
      await own('A');
      await setBalance(Number((BOUND * FEE).toFixed(12)));
      const { status, tried, body } = await call('test/one');
      expect([status, tried, body.usage.is_byok]).toEqual([200, ['A'], true]);
      refused.set('A-own-credential', 401);
      expect(await call('test/one')).toMatchObject({ status: 402, tried: [] });
    });

    it('a cap that counts them holds their list price, one that does not holds the fee', async () => {
      await own('A', 'p0', { is_required: true });
      const limit = Number((BOUND / 2).toFixed(12));
      const counting = await newKey({ limit, include_byok_in_limit: true });
      const notCounting = await newKey({ limit });
      expect((await call('test/one', counting.key)).status).toBe(402);
      expect((await call('test/one', notCounting.key)).status).toBe(200);
    });

    it('a free variant is not counted among the free requests', async () => {
      await own('A');
      for (let count = 0; count < 25; count++) expect((await call('test/some:free')).status).toBe(200);
    });
  });

  it('are listed by explain with their holds', async () => {
    const id = await own('A');
    const { body } = await send('POST', '/routing/explain', API_KEY, ask('test/one'));
    const [mine, shared] = body.data.candidates;
    expect([mine.credential, mine.is_byok, shared.credential, shared.is_byok]).toEqual([id, true, 'shared', false]);
    expect(Number(mine.bound)).toBeCloseTo(BOUND * FEE, 12);
    expect(JSON.stringify(body)).not.toContain('own-credential');
  });

  it('are reported correctly by router metadata', async () => {
    await own('A');
    const response = await gateway.messages(ask('test/one'), { headers: { 'x-router-metadata': 'enabled' } });
    const { router_metadata: metadata } = (await response.json()) as JsonBody;
    expect(metadata).toMatchObject({ is_byok: true, attempt: 1 });
  });

  it('never leave with an error, not even mid-stream', async () => {
    await own('A', 'p0', { is_required: true });
    upstream.script((request) => {
      const start = { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 3, output_tokens: 0 } } }; // oxfmt-ignore
      const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
      const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } };
      const error = anthropicError('api_error', `the key ${keyOf(request)} broke`);
      return sse([frame('message_start', start), frame('content_block_start', block), frame('content_block_delta', delta), frame('error', error)]); // oxfmt-ignore
    });
    const response = await gateway.messages(ask('test/one', { stream: true }));
    const text = await response.text();
    expect(text).toContain('the key [secret] broke');
    expect(text + JSON.stringify(gateway.log)).not.toContain('A-own-credential');
  });

  it('one that is refused leaves no endpoint alone for others', async () => {
    const { key } = await newKey();
    const theirs = await newKey();
    const { body } = await manage('GET', `/keys/${theirs.hash}`);
    await own('A', 'p0', { is_required: true, allowed_api_key_hashes: [body.data.hash] });
    refused.set('A-own-credential', 401);
    for (let count = 0; count < 5; count++) expect((await call('test/one', theirs.key)).status).not.toBe(200);
    expect(await call('test/one', key)).toMatchObject({ status: 200, tried: [SHARED[0]] });
  });
});
