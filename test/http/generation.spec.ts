// Checks that the owner of a generation can read its outcome, exactly as it was settled, and that no one else can.
// The real app is used; rows are settled by the ledger's own statement, and read over HTTP.
import { DataSource } from 'typeorm';
import { hashKey, newUuid } from '../../src/core/ids.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { addKey, addStrangers, generationId, generationRow, ownerOf, settle, type Owner } from './generation-rows.js';

/** docs/use/charges.md#get-generation: the keys that clients require, and those that may be missing. */
const REQUIRED_KEYS =
  'id upstream_id created_at model provider_name api_type app_id router preset_id streamed cancelled is_byok origin http_referer ' +
  'user_agent external_user service_tier data_region finish_reason native_finish_reason generation_time latency ' +
  'moderation_latency tokens_prompt tokens_completion native_tokens_prompt native_tokens_completion ' +
  'native_tokens_completion_images native_tokens_reasoning native_tokens_cached num_media_prompt num_media_completion ' +
  'num_input_audio_prompt num_search_results num_fetches web_search_engine usage total_cost cache_discount ' +
  'upstream_inference_cost provider_responses workspace_id request_id session_id response_cache_source_id';

const NOW = '2026-11-15T12:00:00.123Z';
const REQUEST_ID = newUuid(Date.parse(NOW));

describeOnEachDatabase('GET /generation', (database) => {
  let gateway: TestGateway;
  let store: DataSource;
  let owner: Owner;

  beforeAll(async () => {
    gateway = await startGateway(database);
    store = gateway.gateway.app.get(DataSource, { strict: false });
    owner = await ownerOf(store, hashKey(API_KEY));
  }, 240_000);
  afterAll(() => gateway?.close());

  interface Body {
    readonly data: { readonly [key: string]: unknown };
    readonly error: { readonly code: number; readonly message: string };
  }

  async function read(query: string, key = API_KEY): Promise<{ status: number; body: Body }> {
    const response = await gateway.request(`/generation${query}`, { key });
    return { status: response.status, body: (await response.json()) as Body };
  }

  async function show(id: string, key = API_KEY): Promise<Body['data']> {
    const { status, body } = await read(`?id=${id}`, key);
    expect([id, status]).toEqual([id, 200]);
    return body.data;
  }

  it('shows all of it, to either kind of key', async () => {
    const row = generationRow(owner, {
      held_at: NOW,
      request_id: REQUEST_ID,
      requested_model: 'test/wanted',
      model: 'test/answered',
      provider_name: 'Provider One',
      upstream_model: 'answered-1',
      upstream_id: 'msg_1',
      service_tier: 'priority',
      streamed: true,
      prompt_tokens: 100,
      cache_read_tokens: 2_000,
      cache_write_tokens: 30,
      cache_write_1h_tokens: 4,
      completion_tokens: 70,
      reasoning_tokens: 20,
      images: 2,
      web_fetches: 1,
      cost: '0.000123456789',
      latency_ms: 320,
      generation_ms: 4_321,
      session_id: 'session',
      end_user: 'user-7',
      trace: { trace_id: 't', nested: { kept: [1] } },
      attempts: [
        {
          ...{
            provider: 'Provider Zero',
            model: 'test/wanted',
            status: 529,
            endpoint: 'p0/turbo',
            started: 3,
            took: 90,
          },
          ...{ fault: 'overloaded', cost: '0' },
        },
        {
          ...{
            provider: 'Provider One',
            model: 'test/answered',
            status: 200,
            endpoint: 'p1',
            started: 100,
            took: 4_200,
          },
          cost: '0.000123456789',
        },
      ],
    });
    await settle(store, row);
    const data = await show(row.id);
    expect(data).toEqual({
      id: row.id,
      request_id: REQUEST_ID,
      session_id: 'session',
      workspace_id: owner.workspace_id,
      key: owner.key_hash,
      member: null,
      upstream_id: 'msg_1',
      created_at: NOW,
      model: 'test/answered',
      requested_model: 'test/wanted',
      upstream_model: 'answered-1',
      provider: 'p0',
      provider_name: 'Provider One',
      provider_responses: [
        { status: 529, provider_name: 'Provider Zero', model_permaslug: 'test/wanted', endpoint_id: 'p0/turbo' },
        { status: 200, provider_name: 'Provider One', model_permaslug: 'test/answered', endpoint_id: 'p1' },
      ],
      api: 'messages',
      api_type: 'completions',
      router: null,
      preset_id: null,
      service_tier: 'priority',
      data_region: 'global',
      is_byok: false,
      outcome: 'completed',
      status: 200,
      error_type: null,
      streamed: true,
      cancelled: false,
      finish_reason: 'stop',
      native_finish_reason: 'end_turn',
      latency: 320,
      generation_time: 4_321,
      moderation_latency: null,
      tokens_prompt: 2_134,
      tokens_completion: 70,
      native_tokens_prompt: 2_134,
      native_tokens_completion: 70,
      native_tokens_completion_images: null,
      native_tokens_reasoning: 20,
      native_tokens_cached: 2_000,
      num_media_prompt: 2,
      num_media_completion: null,
      num_input_audio_prompt: null,
      num_search_results: 0,
      num_searches: 0,
      num_fetches: 1,
      web_search_engine: null,
      usage: 0.000123456789,
      server_tool_cost: 0,
      total_cost: 0.000123456789,
      price_version: null,
      cache_discount: null,
      upstream_inference_cost: 0,
      is_estimated: false,
      is_over_bound: false,
      is_recovered: false,
      user: 'user-7',
      external_user: 'user-7',
      tags: null,
      trace: { trace_id: 't', nested: { kept: [1] } },
      response_cache_source_id: null,
      app_id: null,
      origin: '',
      http_referer: null,
      user_agent: null,
      attempts: [
        {
          provider: 'p0',
          model: 'test/wanted',
          status: 529,
          fault: 'overloaded',
          started_at: '2026-11-15T11:59:55.805Z',
          duration_ms: 90,
          cost: 0,
        },
        {
          provider: 'p1',
          model: 'test/answered',
          status: 200,
          fault: null,
          started_at: '2026-11-15T11:59:55.902Z',
          duration_ms: 4_200,
          cost: 0.000123456789,
        },
      ],
      decision: null,
    });
    expect(REQUIRED_KEYS.split(' ').filter((key) => !(key in data))).toEqual([]);
    expect(await show(row.id, MANAGEMENT_KEY)).toEqual(data);
  });

  it.each([
    [
      'one without a reply',
      { model: null, provider_name: null, outcome: 'provider-overloaded', finish_reason: null, cost: '0' },
      { model: 'test/model', provider_name: null, cancelled: false, finish_reason: 'error', usage: 0 },
    ],
    [
      'one whose caller left',
      { outcome: 'caller-gone', finish_reason: null },
      { cancelled: true, finish_reason: null },
    ],
    [
      'one that ended by a word of another release',
      { outcome: 'swept-away' as 'recovered', finish_reason: null },
      { outcome: 'swept-away', cancelled: false, finish_reason: 'error' },
    ],
    [
      'one without a stop reason, and without a fault',
      { outcome: 'completed', finish_reason: null },
      { cancelled: false, finish_reason: null },
    ],
    [
      'one through an own credential',
      { is_byok: true, cost: '0.05', byok_cost: '1' },
      { is_byok: true, usage: 0.05, total_cost: 0.05, upstream_inference_cost: 1 },
    ],
    [
      'one whose first step went through an own credential, and its last did not',
      { is_byok: false, cost: '0.05', byok_cost: '1' },
      { is_byok: false, total_cost: 0.05, upstream_inference_cost: 1 },
    ],
    [
      'one that was counted here',
      { is_estimated: true, is_over_bound: true },
      { is_estimated: true, is_over_bound: true },
    ],
    [
      'one that was recovered',
      { outcome: 'recovered', finish_reason: null, is_recovered: true },
      { outcome: 'recovered', finish_reason: null, is_recovered: true },
    ],
    ['one that searched', { web_searches: 3 }, { num_searches: 3, num_search_results: null }],
    [
      'one whose searches are known',
      { web_searches: 3, web_search_results: 7, web_search_engine: 'exa', tools_cost: '0.015' },
      { num_searches: 3, num_search_results: 7, web_search_engine: 'exa', server_tool_cost: 0.015 },
    ],
    ['the other face', { api_type: 'chat' }, { api_type: 'completions' }],
    [
      'an attempt without answer',
      { attempts: [{ provider: 'P', model: 'm', status: null }] },
      { provider_responses: [{ status: null, provider_name: 'P', model_permaslug: 'm' }] },
    ],
    ['none attempted', { attempts: [] }, { provider_responses: [] }],
    [
      'amounts and counts past 2^31',
      { cost: '12345678901.5', prompt_tokens: 4_000_000_000 },
      { usage: 12345678901.5, tokens_prompt: 4_000_000_000 },
    ],
  ] as const)('shows %s', async (_, changes, expected) => {
    const row = generationRow(owner, changes);
    await settle(store, row);
    expect(await show(row.id)).toMatchObject(expected);
  });

  it.each([
    ['end-turn', 'stop'],
    ['stop-sequence', 'stop'],
    ['pause', 'stop'],
    ['compaction', 'stop'],
    ['other', 'stop'],
    ['output-limit', 'length'],
    ['context-limit', 'length'],
    ['tool-use', 'tool_calls'],
    ['refusal', 'content_filter'],
    ['content-filter', 'content_filter'],
  ])('shows the stop reason %s as %s', async (stop, expected) => {
    const row = generationRow(owner, { finish_reason: stop, native_finish_reason: 'theirs' });
    await settle(store, row);
    expect(await show(row.id)).toMatchObject({ finish_reason: expected, native_finish_reason: 'theirs' });
  });

  it('is there when the reply is, with the values that the reply reported', async () => {
    const response = await gateway.messages({
      model: 'sandbox/echo',
      max_tokens: 50,
      session_id: 's',
      user: 'u',
      messages: [{ role: 'user', content: 'say it again' }],
    });
    const reply = (await response.json()) as {
      readonly id: string;
      readonly usage: { readonly cost: number; readonly input_tokens: number; readonly output_tokens: number };
    };
    expect(response.status).toBe(200);
    expect(reply.usage.cost).toBeGreaterThan(0);
    expect(await show(reply.id)).toMatchObject({
      id: response.headers.get('x-generation-id'),
      model: 'sandbox/echo',
      outcome: 'completed',
      finish_reason: 'stop',
      session_id: 's',
      external_user: 'u',
      usage: reply.usage.cost,
      tokens_prompt: reply.usage.input_tokens,
      tokens_completion: reply.usage.output_tokens,
      provider_responses: [expect.objectContaining({ status: 200, model_permaslug: 'sandbox/echo' })],
    });
  });

  it('finds a generation whose hold is in another month than its id, because clocks differ', async () => {
    const held = { held_at: '2026-12-01T00:00:00.500Z', id: generationId('2026-11-30T23:59:58Z') };
    await settle(store, generationRow(owner, held));
    expect(await show(held.id)).toMatchObject({ id: held.id, created_at: held.held_at });
  });

  it('does not find one that is still running', async () => {
    const id = generationId(new Date().toISOString());
    await store.query(
      `insert into holds (generation_id, held_at, account_id, workspace_id, key_hash, key_interval, bound, byok_bound)
       values ($1, now(), $2, $3, $4, 'lifetime', 1, 0)`,
      [id, owner.account_id, owner.workspace_id, owner.key_hash],
    );
    expect((await read(`?id=${id}`)).status).toBe(404);
    await settle(store, generationRow(owner, { id }));
    expect(await show(id)).toMatchObject({ id });
  });

  it('is closed to other workspaces and accounts', async () => {
    const elsewhere = generationRow(await addKey(store, owner.account_id));
    const theirs = generationRow(await addStrangers(store));
    // Ids of workspaces are never taken for those of accounts: the same workspace under another account has no owner.
    const mixed = generationRow({ ...owner, account_id: theirs.account_id });
    await settle(store, elsewhere, theirs, mixed);
    const isFound = async (id: string, key: string): Promise<boolean> => {
      const { status, body } = await read(`?id=${id}`, key);
      if (status !== 200) expect([status, body.error.code]).toEqual([404, 404]);
      return status === 200;
    };
    for (const { id } of [elsewhere, theirs, mixed]) expect(await isFound(id, API_KEY)).toBe(false);
    for (const { id } of [theirs, mixed]) expect(await isFound(id, MANAGEMENT_KEY)).toBe(false);
    // Administrators see the whole account.
    expect(await isFound(elsewhere.id, MANAGEMENT_KEY)).toBe(true);
  });

  it('finds it by the id of its request, as the reply has it, for every caller that finds it by its own id', async () => {
    const response = await gateway.messages({
      model: 'sandbox/echo',
      max_tokens: 50,
      messages: [{ role: 'user', content: 'by its request' }],
    });
    const { id } = (await response.json()) as { readonly id: string };
    const requestId = response.headers.get('request-id')!;
    for (const key of [API_KEY, MANAGEMENT_KEY]) {
      expect(await show(requestId, key)).toMatchObject({ id, request_id: requestId });
      expect(await show(requestId.toUpperCase(), key)).toMatchObject({ id });
    }
    const elsewhere = generationRow(await addKey(store, owner.account_id), { request_id: newUuid(Date.now()) });
    const theirs = generationRow(await addStrangers(store), { request_id: newUuid(Date.now()) });
    const before = generationRow(owner);
    await settle(store, elsewhere, theirs, before);
    expect((await read(`?id=${elsewhere.request_id}`)).status).toBe(404);
    expect((await show(elsewhere.request_id!, MANAGEMENT_KEY))['id']).toBe(elsewhere.id);
    expect((await read(`?id=${theirs.request_id}`, MANAGEMENT_KEY)).status).toBe(404);
    // Rows of the release before have no request.
    expect(await show(before.id)).toMatchObject({ request_id: null });
    expect((await read(`?id=${newUuid(Date.now())}`)).status).toBe(404);
  });

  it.each([
    ['', 400, 'id: is required'],
    ['?id=', 400, 'id: must be at least 1 character'],
    ['?id=a&id=b', 400, 'id: must be a string'],
    ['?id[x]=a', 400, 'id[x]: is not a known parameter; the known ones are id'],
    [`?id=gen-1763208000-${'a'.repeat(20)}`, 404, 'There is no generation'],
    [`?id=gen-99999999999-${'a'.repeat(20)}`, 404, 'There is no generation'],
    [`?id=gen-${'9'.repeat(400)}-${'a'.repeat(20)}`, 404, 'There is no generation'],
    ['?id=gen-1763208000-short', 404, 'There is no generation'],
    ['?id=msg_1', 404, 'There is no generation'],
    ['?id=%00', 404, 'There is no generation'],
    ["?id='%20or%201=1--", 404, 'There is no generation'],
  ])('answers %s with %d', async (query, status, message) => {
    const reply = await read(query);
    expect([reply.status, reply.body.error.code]).toEqual([status, status]);
    expect(reply.body.error.message).toContain(message);
  });

  it('shows the calls of a real generation with their times and costs, and why they were made', async () => {
    const answer = await gateway.messages({
      model: 'sandbox/tools',
      max_tokens: 500,
      tools: [{ type: 'openrouter:datetime' }],
      messages: [{ role: 'user', content: 'call datetime' }],
    });
    const { id } = (await answer.json()) as { id: string };
    let data = await show(id);
    // Decisions are written a moment after records.
    for (; data['decision'] === null; data = await show(id)) await new Promise((resolve) => setTimeout(resolve, 10));
    const attempts = data['attempts'] as { started_at: string; duration_ms: number; cost: number; fault: null }[];
    expect(attempts.length).toBe(2);
    const [first, second] = attempts.map(({ started_at: at }) => Date.parse(at));
    expect(second! - first!).toBeGreaterThanOrEqual(0);
    expect(Math.abs(first! - Date.now())).toBeLessThan(60_000);
    for (const attempt of attempts) expect(attempt).toMatchObject({ provider: 'sandbox', fault: null, status: 200 });
    const paid = attempts.reduce((sum, { cost }) => sum + cost, 0);
    expect(paid).toBeGreaterThan(0);
    expect(paid).toBeCloseTo(data['usage'] as number, 12);
    expect(data['decision']).toMatchObject({ derivation: 'derived', requested: 'sandbox/tools', consulted: [] });
  });
});
