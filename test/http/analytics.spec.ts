// What `/analytics` lists is what it answers: every metric, dimension, operator and granularity that `/meta` names is
// requested and compared with figures that are known from the rows. Then bounds, order, and every refusal.
import { DataSource } from 'typeorm';
import { shortEndUser } from '../../src/core/end-user.js';
import { hashKey } from '../../src/core/ids.js';
import { FIGURES_MS_MAX } from '../../src/ledger/figures/figures.repository.js';
import type { GenerationRow } from '../../src/ledger/generations/generation-row.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase, describeOnPostgres } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { addKey, addStrangers, generationRow, ownerOf, settle, type Owner } from './generation-rows.js';

const RANGE = { start: '2026-11-01T00:00:00Z', end: '2026-11-16T00:00:00Z' };

const post = (gateway: TestGateway, body: unknown, key = MANAGEMENT_KEY): Promise<Response> =>
  gateway.request('/analytics/query', {
    key,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Records have its hash. */
const LONG_USER = 'b'.repeat(300);

describeOnEachDatabase('/analytics', (database) => {
  let gateway: TestGateway;
  let owner: Owner;
  let further: Owner;

  beforeAll(async () => {
    gateway = await startGateway(database);
    const store = gateway.gateway.app.get(DataSource, { strict: false });
    owner = await ownerOf(store, hashKey(API_KEY));
    further = await addKey(store, owner.account_id);
    const strangers = await addStrangers(store);
    const row = (held_at: string, changes: Partial<GenerationRow> = {}, whose = owner): GenerationRow =>
      generationRow(whose, { held_at, cost: '0.1', prompt_tokens: 10, completion_tokens: 20, ...changes });
    await settle(
      store,
      row('2026-11-02T10:00:00Z', { latency_ms: 100, generation_ms: 1_000, end_user: 'ann', cache_read_tokens: 30 }),
      row('2026-11-02T10:00:30Z', {
        latency_ms: 200,
        generation_ms: 3_000,
        end_user: shortEndUser(LONG_USER),
        cost: '0.2',
      }),
      row('2026-11-02T11:00:00Z', { latency_ms: 900, model: 'test/other', cost: '1', web_searches: 2 }, further),
      row('2026-11-09T00:00:00Z', { outcome: 'provider-overloaded', provider: null, cost: '0', operator_cost: '0.5' }),
      row('2026-11-02T10:00:00Z', { cost: '500' }, strangers),
    );
  }, 240_000);
  afterAll(() => gateway?.close());

  async function send(
    body: unknown,
    key = MANAGEMENT_KEY,
  ): Promise<{ readonly status: number; readonly body: JsonBody }> {
    const response = await post(gateway, body, key);
    return { status: response.status, body: (await response.json()) as JsonBody };
  }

  async function ask(body: object): Promise<JsonBody> {
    const { status, body: answer } = await send({ time_range: RANGE, ...body });
    expect([status, answer.error]).toEqual([200, undefined]);
    return answer.data;
  }
  const rows = async (body: object): Promise<JsonBody[]> => (await ask(body)).data;

  const meta = async (): Promise<JsonBody> =>
    ((await (await gateway.request('/analytics/meta', { key: MANAGEMENT_KEY })).json()) as JsonBody).data;

  it('states every metric of the range', async () => {
    const { metrics } = await meta();
    const names = metrics.map(({ name }: JsonBody) => name as string);
    expect(await rows({ metrics: names })).toEqual([
      {
        request_count: 4,
        error_count: 1,
        error_rate: 0.25,
        total_usage: 1.3,
        usage_prompt: 0,
        usage_completion: 0,
        usage_tools: 0,
        usage_byok: 0,
        operator_cost: 0.5,
        tokens_total: 150,
        tokens_prompt: 70,
        tokens_completion: 80,
        reasoning_tokens: 0,
        cached_tokens: 30,
        cache_write_tokens: 0,
        cache_hit_rate: expect.closeTo(3 / 7, 9),
        web_searches: 2,
        web_fetches: 0,
        avg_latency: 400,
        p50_latency: 200,
        p90_latency: 760,
        avg_throughput: 10,
      },
    ]);
    expect(metrics.find(({ name }: JsonBody) => name === 'cache_hit_rate')).toEqual({
      name: 'cache_hit_rate',
      display_label: 'Cache hit rate',
      display_format: 'percent',
      is_rate: true,
    });
  });

  it('is grouped by every dimension, and adds up', async () => {
    const { dimensions } = await meta();
    expect(dimensions.length).toBeGreaterThan(10);
    for (const { name: printed } of dimensions) {
      const name = printed.replace('<name>', 'team');
      const found = await rows({ metrics: ['request_count'], dimensions: [name] });
      expect([name, found.reduce((sum, { request_count: count }) => sum + count, 0)]).toEqual([name, 4]);
      expect(found[0]).toHaveProperty(name);
    }
  });

  it('is made of every granularity', async () => {
    const { granularities } = await meta();
    const dates: Record<string, unknown> = {};
    for (const { name } of granularities)
      dates[name] = (await rows({ metrics: ['request_count'], granularity: name })).map(({ date, request_count: count }) => [date, count]); // oxfmt-ignore
    expect(dates).toEqual({
      minute: [['2026-11-02T10:00:00Z', 2], ['2026-11-02T11:00:00Z', 1], ['2026-11-09T00:00:00Z', 1]],
      hour: [['2026-11-02T10:00:00Z', 2], ['2026-11-02T11:00:00Z', 1], ['2026-11-09T00:00:00Z', 1]],
      day: [['2026-11-02', 3], ['2026-11-09', 1]],
      week: [['2026-11-02', 3], ['2026-11-09', 1]],
      month: [['2026-11-01', 4]],
    }); // oxfmt-ignore
  });

  it('returns keys and workspaces by their names, and finds them by name and id', async () => {
    const found = await rows({ metrics: ['total_usage'], dimensions: ['api_key_id', 'workspace'] });
    expect(found).toContainEqual({ api_key_id: 'further', workspace: 'further', total_usage: 1 });
    for (const value of ['further', further.key_hash])
      expect(await rows({ metrics: ['total_usage'], filters: [{ field: 'api_key_id', operator: 'eq', value }] })).toEqual([{ total_usage: 1 }]); // oxfmt-ignore
    for (const operator of ['neq', 'not_in'])
      expect(await rows({ metrics: ['total_usage'], filters: [{ field: 'workspace', operator, value: operator === 'neq' ? 'further' : ['further'] }] })).toEqual([{ total_usage: 0.3 }]); // oxfmt-ignore
  });

  it.each([
    [[{ field: 'user', operator: 'eq', value: 'ann' }], 1],
    [[{ field: 'user', operator: 'neq', value: 'ann' }], 1],
    [[{ field: 'user', operator: 'eq', value: LONG_USER }], 1],
    [[{ field: 'user', operator: 'neq', value: 'ann', include_unset: true }], 3],
    [[{ field: 'user', operator: 'in', value: ['ann', LONG_USER] }], 2],
    [[{ field: 'user', operator: 'not_in', value: ['ann', LONG_USER], include_unset: true }], 2],
    [[{ field: 'model', operator: 'gt', value: 'test/model' }], 1],
    [[{ field: 'status', operator: 'gte', value: 500 }], 1],
    [[{ field: 'status', operator: 'lt', value: '500' }], 3],
    [[{ field: 'error_type', operator: 'eq', value: 'provider_overloaded', include_unset: true }], 4],
    [[{ field: 'member', operator: 'eq', value: "x' or true --" }], 0],
    [[{ field: 'provider', operator: 'eq', value: 'sandbox' }], 0],
    [[{ field: 'model', operator: 'not_in', value: ['sandbox/echo', 'test/other'] }], 3],
    [[{ field: 'provider', operator: 'gt', value: 'any text' }], 3],
    [[{ field: 'model', operator: 'eq', value: 'test/model' }, { field: 'error_type', operator: 'neq', value: 'rate_limit_exceeded' }], 1],
    [Array.from({ length: 20 }, () => ({ field: 'model', operator: 'eq', value: 'test/other' })), 1],
  ])('filters by %j', async (filters, expected) => {
    expect(await rows({ metrics: ['request_count'], filters })).toEqual([{ request_count: expected }]);
  }); // oxfmt-ignore

  it('keeps groups whose metric fits', async () => {
    const filters = [{ field: 'total_usage', operator: 'gt', value: 0.5 }];
    expect(await rows({ metrics: ['request_count'], dimensions: ['model'], filters })).toEqual([
      { model: 'test/other', request_count: 1 },
    ]);
  });

  it('orders, limits rows and groups, and states what is missing', async () => {
    const base = { metrics: ['total_usage', 'request_count'], dimensions: ['model'] };
    const models = async (more: object): Promise<string[]> => (await rows({ ...base, ...more })).map(({ model }) => model as string); // oxfmt-ignore
    expect(await models({})).toEqual(['test/other', 'test/model']);
    expect(await models({ order_by: { field: 'total_usage', direction: 'asc' } })).toEqual([
      'test/model',
      'test/other',
    ]);
    expect(await models({ order_by: { field: 'model', direction: 'desc' } })).toEqual(['test/other', 'test/model']);
    expect(await models({ group_limit: 1, granularity: 'hour' })).toEqual(['test/other']);
    expect((await ask({ ...base, limit: 2 })).metadata).toMatchObject({ row_count: 2, truncated: false });
    const { data, metadata, warnings } = await ask({ ...base, limit: 1 });
    expect([data.length, metadata, warnings]).toEqual([
      1,
      { query_time_ms: expect.any(Number), row_count: 1, truncated: true },
      undefined,
    ]);
  });

  it('warns of a range that was not given, of the future, and of what has no effect', async () => {
    const warningsOf = async (body: object): Promise<string[]> => (await send({ metrics: ['request_count'], ...body })).body.data.warnings; // oxfmt-ignore
    expect(await warningsOf({})).toEqual(['time_range: is absent, so these are the last 30 days']);
    expect(
      await warningsOf({ group_limit: 2, time_range: { start: '2030-01-01T00:00:00Z', end: '2030-01-02T00:00:00Z' } }),
    ).toEqual(['time_range.end: is in the future', 'group_limit: has no effect without dimensions']);
  });

  const metrics = ['request_count'];
  it.each([
    [{}, 'metrics: is required'],
    [{ metrics: [] }, 'metrics: must'],
    [{ metrics: ['total_use'] }, 'metrics.0: is not known; did you mean total_usage?'],
    [{ metrics: ['constructor'] }, 'metrics.0: must be one of request_count'],
    [{ metrics: ['request_count', 'request_count'] }, 'metrics.1: is there already'],
    [{ metrics, dimensions: ['modle'] }, 'dimensions.0: is not known; did you mean model?'],
    [{ metrics, dimensions: ['app'] }, 'dimensions.0: '],
    [{ metrics, dimensions: ['tag:Team'] }, 'dimensions.0: must be tag:<name>, where <name> is that of a tag, such as tag:team'],
    [{ metrics, dimensions: ['tag:<name>'] }, 'dimensions.0: must be tag:<name>, where <name> is that of a tag, such as tag:team'],
    [{ metrics, filters: [{ field: 'tag', operator: 'eq', value: 'a' }] }, 'filters.0.field: must be tag:<name>, where <name> is that of a tag, such as tag:team'],
    [{ metrics, filters: [{ field: 'tag:no name', operator: 'eq', value: 'a' }] }, 'filters.0.field: '],
    [{ metrics, dimensions: ['model', 'user', 'workspace'] }, 'dimensions: must'],
    [{ metrics, dimensions: ['model', 'model'] }, 'dimensions.1: is there already'],
    [{ metrics, dimension: ['model'] }, 'dimension: is not a known field; did you mean dimensions?'],
    [{ metrics, granularity: 'year' }, 'granularity: must be one of minute, hour, day, week, month'],
    [{ metrics, filters: [{ field: 'modl', operator: 'eq', value: 1 }] }, 'filters.0.field: is not known; did you mean model?'],
    [{ metrics, filters: [{ field: 'model', operator: 'like', value: 'a' }] }, 'filters.0.operator: must be one of'],
    [{ metrics, filters: [{ field: 'model', operator: 'in', value: 'a' }] }, 'filters.0.value: must be a list for in'],
    [{ metrics, filters: [{ field: 'model', operator: 'eq', value: ['a'] }] }, 'filters.0.value: must be one value'],
    [{ metrics, filters: [{ field: 'model', operator: 'eq' }] }, 'filters.0.value: is required'],
    [{ metrics, filters: [{ field: 'status', operator: 'gt', value: 'many' }] }, 'filters.0.value: status is compared with numbers'],
    [{ metrics, filters: [{ field: 'workspace', operator: 'gt', value: 'a' }] }, 'filters.0.operator: workspace takes eq, neq, in and not_in'],
    [{ metrics, filters: [{ field: 'total_usage', operator: 'gt', value: 1, include_unset: true }] }, 'filters.0.include_unset: is for'],
    [{ metrics, filters: Array.from({ length: 21 }, () => ({ field: 'model', operator: 'eq', value: 'a' })) }, 'filters: must'],
    [{ metrics, filters: [{ field: 'model', operator: 'eq', value: 'a\0' }] }, 'filters.0.value: must not contain NUL'],
    [{ metrics, filters: [{ field: 'model', operator: 'eq', value: 'sandbox/eccho' }] }, 'filters.0.value: no model of the catalog and no record has this name; did you mean sandbox/echo?'],
    [{ metrics, filters: [{ field: 'status', operator: 'eq', value: 200 }, { field: 'provider', operator: 'not_in', value: ['p0', "x' or true --"] }] }, 'filters.1.value: no provider of the catalog and no record has this name'],
    [{ metrics, filters: [{ field: 'endpoint', operator: 'neq', value: 'sandbocks' }] }, 'filters.0.value: no endpoint of the catalog and no record has this name; did you mean sandbox?'],
    [{ metrics, filters: [{ field: 'api', operator: 'in', value: ['chat', 'mesages'] }] }, 'filters.0.value: is not known; did you mean messages?'],
    [{ metrics, filters: [{ field: 'outcome', operator: 'eq', value: 'complete' }] }, 'filters.0.value: is not known; did you mean completed?'],
    [{ metrics, filters: [{ field: 'error_type', operator: 'eq', value: 'rate_limit' }] }, 'filters.0.value: must be one of'],
    [{ metrics, filters: [{ field: 'dialect', operator: 'eq', value: 'openai-chats' }] }, 'filters.0.value: is not known; did you mean openai-chat?'],
    [{ metrics, order_by: { field: 'total_usage', direction: 'asc' } }, 'order_by.field: must be one of request_count'],
    [{ metrics, order_by: { field: 'date', direction: 'asc' } }, 'order_by.field: '],
    [{ metrics, order_by: { field: 'request_count', direction: 'up' } }, 'order_by.direction: must be one of asc, desc'],
    [{ metrics, limit: 0 }, 'limit: must'],
    [{ metrics, limit: 10_001 }, 'limit: must'],
    [{ metrics, group_limit: 1_001 }, 'group_limit: must'],
    [{ metrics, time_range: { start: RANGE.start } }, 'time_range.end: is required'],
    [{ metrics, time_range: { start: '2026-11-01T00:00Z', end: RANGE.end } }, 'time_range.start: must be an ISO 8601 time in UTC with seconds'],
    [{ metrics, time_range: { start: RANGE.end, end: RANGE.start } }, 'time_range.end: must be later than time_range.start'],
    [{ metrics, time_range: { start: '2024-01-01T00:00:00Z', end: RANGE.end } }, 'time_range.start: at most 400 days before time_range.end'],
    [{ metrics: ['p90_latency'], time_range: { start: '2026-10-01T00:00:00Z', end: RANGE.end } }, 'time_range.start: at most 31 days before time_range.end, because percentiles are those of single generations'],
    [{ metrics, dimensions: ['generation_id'], time_range: { start: '2026-10-01T00:00:00Z', end: RANGE.end } }, 'because generation_id is known of single generations alone'],
    [{ metrics, granularity: 'hour', time_range: { start: '2026-10-01T00:00:00Z', end: RANGE.end } }, 'because granularity is hour'],
  ])('refuses %j', async (body, words) => {
    const { status, body: answer } = await send(body);
    expect([status, answer.error.message]).toEqual([400, expect.stringContaining(words)]);
  }); // oxfmt-ignore

  it('is for management keys', async () => {
    expect((await send({ metrics }, API_KEY)).status).toBe(403);
    expect((await gateway.request('/analytics/meta', { key: API_KEY })).status).toBe(403);
  });
});

describeOnPostgres('figures that take too long', (database) => {
  it('are a 408 that says what to do', async () => {
    const gateway = await startGateway(database);
    try {
      const store = gateway.gateway.app.get(DataSource, { strict: false });
      await store.query(
        `create function pg_temp_wait() returns void language plpgsql as $$ begin perform pg_sleep(60); end $$`,
      );
      const { prototype } = store.createEntityManager().constructor as { readonly prototype: { query: (text: string, values?: unknown) => Promise<unknown> } }; // oxfmt-ignore
      const original = Object.getOwnPropertyDescriptor(prototype, 'query')!.value as typeof prototype.query;
      const slow = jest.spyOn(prototype, 'query').mockImplementation(function (this: typeof prototype, text, values) {
        // The time limit is shortened, the statement lengthened.
        if (text.includes(`'${FIGURES_MS_MAX}'`)) return original.call(this, text.replace(`'${FIGURES_MS_MAX}'`, `'50'`), values);
        return original.call(this, text.startsWith('WITH f AS') ? 'select pg_temp_wait()' : text, text.startsWith('WITH f AS') ? [] : values);
      }); // oxfmt-ignore
      const response = await post(gateway, { metrics: ['request_count'] }); // oxfmt-ignore
      slow.mockRestore();
      const { error } = (await response.json()) as JsonBody;
      expect([response.status, error.code, error.message]).toEqual([408, 408, expect.stringContaining('give a shorter range')]); // oxfmt-ignore
    } finally {
      await gateway.close();
    }
  });
});
