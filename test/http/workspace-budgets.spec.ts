/**
 * Checks that a budget of a workspace stops its keys before anything is sent, and those of no other workspace; that
 * the reported budget is the enforced one; that it begins anew with its window; and that limits keep their order. The
 * application runs before a scripted upstream, through the API alone, with a clock that is moved by hand. The model
 * costs 3 USD per million input tokens and 15 USD per million output tokens.
 */
import { DAY_MS } from '../../src/core/time.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { AheadClock } from '../support/ahead-clock.js';
import { API_KEY, catalogOf, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask, gate, after } from './messages-bench.js';

/** USD; of `ask`, whose `max_tokens` is 100: 67 tokens in at most. */
const BOUND = (67 * 3 + 100 * 15) / 1e6;
const COST = 0.000141;
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
/** Amounts have twelve decimals at most. */
const usd = (amount: number): number => Number(amount.toFixed(12));

interface Reply {
  readonly status: number;
  readonly body: JsonBody;
}

describeOnEmbedded('budgets of workspaces', (database) => {
  const clock = new AheadClock();
  let upstream: Upstream;
  let gateway: TestGateway;
  let ledger: LedgerReader;
  let made = 0;

  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    const at = [{ url: upstream.url, dialect: 'anthropic-messages' }] as const;
    gateway = await startGateway(database, { clock, coolsDown: false, catalog: catalogOf({ id: 'test/paid', at }) });
    ledger = new LedgerReader(gateway);
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });
  beforeEach(() => upstream.script(anthropicText('Hi.')));

  async function send(method: string, path: string, body?: unknown, key = MANAGEMENT_KEY): Promise<Reply> {
    const response = await gateway.request(path, {
      method,
      key,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    });
    return { status: response.status, body: await response.json() };
  }

  const message = (key: string): Promise<Reply> => send('POST', '/messages', ask('test/paid'), key);

  /** A separate workspace with a key. */
  async function open(): Promise<{ readonly id: string; readonly path: string; readonly key: string }> {
    const { body } = await send('POST', '/workspaces', { name: 'n', slug: `budgeted-${made++}` });
    const { id } = body.data;
    const key = (await send('POST', '/keys', { name: 'n', workspace_id: id })).body.key;
    return { id, path: `/workspaces/${id}/budgets`, key };
  }

  const show = async (path: string): Promise<JsonBody> => {
    await ledger.rest();
    return (await send('GET', path)).body.data;
  };

  it('refuses what exceeds it with 403 before anything is sent, and no other workspace', async () => {
    const { path, key } = await open();
    const other = await open();
    expect((await send('PUT', `${path}/weekly`, { limit_usd: usd(BOUND - 1e-12) })).status).toBe(200);
    const calls = upstream.requests.length;
    const { status, body } = await message(key);
    expect([status, body.error.type, body.error.error_type]).toEqual([403, 'permission_error', 'permission_denied']);
    expect(body.error.message).toContain("workspace's weekly budget");
    expect(body.error.metadata).toEqual({
      limit_source: 'workspace_budget',
      interval: 'weekly',
      remedy_hint: 'raise the budget, or wait for its reset',
      requested_tokens: 100,
      affordable_tokens: 99,
    });
    expect(upstream.requests.length).toBe(calls);
    for (const free of [other.key, API_KEY]) expect((await message(free)).status).toBe(200);
    await send('PUT', `${path}/weekly`, { limit_usd: BOUND });
    expect((await message(key)).status).toBe(200);
    expect((await message(key)).status).toBe(403);
    await send('DELETE', `${path}/weekly`);
    expect((await message(key)).status).toBe(200);
  });

  it('covers all keys of the workspace together', async () => {
    const { id, path, key } = await open();
    const second = (await send('POST', '/keys', { name: 'n', workspace_id: id })).body.key;
    await send('PUT', `${path}/daily`, { limit_usd: usd(BOUND + COST / 2) });
    expect((await message(key)).status).toBe(200);
    expect((await message(second)).status).toBe(403);
  });

  it('is reported as it is enforced, calls under way included', async () => {
    const { id, path, key } = await open();
    const limit = usd(2 * BOUND);
    const made = await send('PUT', `${path}/daily`, { limit_usd: limit });
    const next = new Date(clock.now());
    next.setUTCHours(24, 0, 0, 0);
    const view = {
      id: expect.any(String),
      workspace_id: id,
      interval: 'daily',
      reset_interval: 'daily',
      limit_usd: limit,
      include_byok_in_budgets: false,
      usage: 0,
      held: 0,
      remaining: limit,
      resets_at: next.toISOString(),
      created_at: TIME,
      updated_at: TIME,
    };
    expect(made.body).toEqual({ data: view, include_byok_in_budgets: false });
    const answered = gate();
    upstream.script(after(answered.opened, anthropicText('Hi.')));
    const arrival = upstream.request();
    const first = message(key);
    await arrival;
    expect((await send('GET', `${path}/daily`)).body.data).toMatchObject({
      usage: 0,
      held: usd(BOUND),
      remaining: limit,
    });
    answered.open();
    expect((await first).status).toBe(200);
    expect(await show(`${path}/daily`)).toEqual({ ...view, usage: COST, remaining: usd(limit - COST) });
    // The rest of it suffices for exactly one call.
    await send('PUT', `${path}/daily`, { limit_usd: usd(COST + BOUND) });
    expect((await show(`${path}/daily`)).remaining).toBe(usd(BOUND));
    expect((await message(key)).status).toBe(200);
    expect((await message(key)).status).toBe(403);
    await send('PUT', `${path}/daily`, { limit_usd: COST });
    expect(await show(`${path}/daily`)).toMatchObject({ usage: usd(2 * COST), remaining: 0 });
  });

  it('begins anew with its window, but for the lifetime', async () => {
    const { path, key } = await open();
    await send('PUT', `${path}/lifetime`, { limit_usd: usd(3 * BOUND) });
    await send('PUT', `${path}/daily`, { limit_usd: BOUND });
    expect((await message(key)).status).toBe(200);
    expect((await message(key)).body.error.metadata).toMatchObject({ interval: 'daily' });
    clock.aheadMs += DAY_MS;
    expect(await show(`${path}/daily`)).toMatchObject({ usage: 0, remaining: BOUND });
    expect((await message(key)).status).toBe(200);
    expect(await show(path)).toMatchObject([
      { interval: 'daily', usage: COST },
      { interval: 'lifetime', reset_interval: null, usage: usd(2 * COST), resets_at: null },
    ]);
  });

  it('begins anew on Monday, or with the month', async () => {
    const { path } = await open();
    const now = new Date(clock.now());
    const day = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
    const monday = new Date(day + ((8 - now.getUTCDay()) % 7 || 7) * DAY_MS);
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
    await send('PUT', `${path}/weekly`, { limit_usd: 1 });
    await send('PUT', `${path}/monthly`, { limit_usd: 2 });
    expect((await show(path)).map(({ resets_at }: JsonBody) => resets_at)).toEqual([
      monday.toISOString(),
      month.toISOString(),
    ]);
  });

  it('counts what goes through own credentials where it specifies so, for all intervals at once', async () => {
    const { id, path, key } = await open();
    await send('PUT', `${path}/monthly`, { limit_usd: 1 });
    const own = await send('POST', '/byok', {
      provider: 'p0',
      key: 'own-credential-of-the-workspace',
      workspace_id: id,
      is_byok_only: true,
    });
    expect(own.status).toBe(201);
    await send('PUT', `${path}/daily`, { limit_usd: usd(BOUND / 2) });
    expect((await message(key)).status).toBe(200);
    expect(upstream.requests.at(-1)!.headers['x-api-key']).toBe('own-credential-of-the-workspace');
    expect(await show(`${path}/daily`)).toMatchObject({ usage: 0, include_byok_in_budgets: false });
    const { body } = await send('PUT', `${path}/daily`, {
      limit_usd: usd(BOUND + COST),
      include_byok_in_budgets: true,
    });
    expect(body.include_byok_in_budgets).toBe(true);
    await ledger.rest();
    const listed = (await send('GET', path)).body;
    expect(listed).toMatchObject({
      include_byok_in_budgets: true,
      data: [
        { interval: 'daily', usage: COST, remaining: usd(BOUND), include_byok_in_budgets: true },
        { interval: 'monthly', usage: COST, include_byok_in_budgets: true },
      ],
    });
    expect((await send('GET', `/workspaces/${id}`)).body.data.include_byok_in_budgets).toBe(true);
    expect((await message(key)).status).toBe(200);
    expect((await message(key)).status).toBe(403);
    // A change without the switch leaves it.
    await send('PUT', `${path}/weekly`, { limit_usd: 0.5 });
    expect((await show(`${path}/weekly`)).include_byok_in_budgets).toBe(true);
    await send('PUT', `${path}/weekly`, { limit_usd: 0.5, include_byok_in_budgets: false });
    expect((await message(key)).status).toBe(200);
  });

  it('record each one that changed with the switch, wherever it is set', async () => {
    const { id, path } = await open();
    const standing = async (): Promise<readonly boolean[]> =>
      (await show(path)).map((budget: JsonBody) => budget.include_byok_in_budgets);
    await send('PUT', `${path}/daily`, { limit_usd: 1 });
    await send('PUT', `${path}/weekly`, { limit_usd: 2, include_byok_in_budgets: true });
    expect(await standing()).toEqual([true, true]);
    const { status, body } = await send('PATCH', `/workspaces/${id}`, { include_byok_in_budgets: false });
    expect([status, body.data.include_byok_in_budgets, await standing()]).toEqual([200, false, [false, false]]);
    await send('PATCH', `/workspaces/${id}`, { include_byok_in_budgets: false });
    const rows = await ledger.query('select action, before, after from audit_entries where target = $1 order by seq', [
      id,
    ]);
    const flag = (text: string | null): unknown => text && JSON.parse(text).include_byok_in_budgets;
    const changes = rows.map(({ action, before, after }: JsonBody) => [
      action,
      JSON.parse(after).interval,
      flag(before),
      flag(after),
    ]);
    expect(changes.slice(1)).toEqual([
      ['workspace.budget.set', 'daily', null, false],
      ['workspace.budget.set', 'weekly', null, true],
      ['workspace.budget.set', 'daily', false, true],
      ['workspace.update', undefined, true, false],
      ['workspace.budget.set', 'daily', true, false],
      ['workspace.budget.set', 'weekly', true, false],
    ]);
    const counting = { name: 'n', slug: `budgeted-${made++}`, include_byok_in_budgets: true };
    const other = await send('POST', '/workspaces', counting);
    expect([other.status, other.body.data.include_byok_in_budgets]).toEqual([201, true]);
  });

  describe('the limits', () => {
    it('grow with the interval, strictly', async () => {
      const { path } = await open();
      const set = async (interval: string, limit: number): Promise<readonly unknown[]> => {
        const { status, body } = await send('PUT', `${path}/${interval}`, { limit_usd: limit });
        return [status, body.error?.message];
      };
      expect(await set('weekly', 2)).toEqual([200, undefined]);
      expect(await set('daily', 2)).toEqual([400, expect.stringContaining('below the weekly limit of 2 USD')]);
      expect(await set('daily', 1.999999999999)).toEqual([200, undefined]);
      expect(await set('monthly', 2)).toEqual([400, expect.stringContaining('above the weekly limit of 2 USD')]);
      expect(await set('monthly', 2.000000000001)).toEqual([200, undefined]);
      expect(await set('lifetime', 2.000000000001)).toEqual([400, expect.stringContaining('above the monthly limit')]);
      expect(await set('lifetime', 3)).toEqual([200, undefined]);
      expect(await set('weekly', 2.5)).toEqual([400, expect.stringContaining('below the monthly limit')]);
      expect(await set('daily', 9)).toEqual([400, expect.stringContaining('below the weekly limit')]);
      await send('DELETE', `${path}/monthly`);
      expect(await set('weekly', 2.5)).toEqual([200, undefined]);
      expect((await show(path)).map(({ interval, limit_usd }: JsonBody) => [interval, limit_usd])).toEqual([
        ['daily', 1.999999999999],
        ['weekly', 2.5],
        ['lifetime', 3],
      ]);
    });

    it.each(['{"limit_usd":0.000000000001}', '{"limit_usd":999999999999999.999999999999}', '{"limit_usd":1e2}'])(
      'may be %s',
      async (body) => {
        const { path } = await open();
        expect((await send('PUT', `${path}/daily`, body)).status).toBe(200);
        const [row] = await ledger.query('select limit_usd from budgets order by limit_usd = $1 desc limit 1', [
          body.slice('{"limit_usd":'.length, -1),
        ]);
        expect(Number(row.limit_usd)).toBe(JSON.parse(body).limit_usd);
      },
    );

    it.each([
      ['{}', 'limit_usd: is required'],
      ['{"limit_usd":0}', 'limit_usd: must be'],
      ['{"limit_usd":-1}', 'limit_usd: must be'],
      ['{"limit_usd":0.0000000000001}', 'limit_usd: must be'],
      ['{"limit_usd":1000000000000000}', 'limit_usd: must be'],
      ['{"limit_usd":1e400}', 'limit_usd: must be'],
      ['{"limit_usd":null}', 'limit_usd: must be'],
      ['{"limit_usd":"1"}', 'limit_usd: must be'],
      ['{"limit_usd":1,"include_byok_in_budgets":null}', 'include_byok_in_budgets: must be a boolean'],
      ['{"limit_usd":1,"include_byok_in_budgets":"true"}', 'include_byok_in_budgets: must be a boolean'],
      ['[]', 'must be an object'],
    ])('may not be %s', async (text, message) => {
      const { status, body } = await send('PUT', '/workspaces/default/budgets/daily', text);
      expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
    });

    it.each(['yearly', 'Daily', '%20', '__proto__'])('have no interval %s', async (interval) => {
      for (const [method, body] of [['GET'], ['PUT', { limit_usd: 1 }], ['DELETE']] as const) {
        const { status, body: shown } = await send(method, `/workspaces/default/budgets/${interval}`, body);
        expect([method, status, shown.error.message]).toEqual([
          method,
          400,
          'interval: must be one of daily, weekly, monthly, lifetime',
        ]);
      }
    });
  });

  it('can be deleted repeatedly; the audit log lists only real changes', async () => {
    const { id, path } = await open();
    expect((await send('GET', `${path}/daily`)).status).toBe(404);
    expect((await send('GET', path)).body).toEqual({ data: [], include_byok_in_budgets: false });
    await send('PUT', `${path}/daily`, { limit_usd: 0.1 });
    await send('PUT', `${path}/daily`, { limit_usd: 0.1, include_byok_in_budgets: false });
    await send('PUT', `${path}/daily`, { limit_usd: 0.2, include_byok_in_budgets: true });
    for (let time = 0; time < 2; time++) {
      expect(await send('DELETE', `${path}/daily`)).toEqual({ status: 200, body: { deleted: true } });
    }
    expect((await send('GET', `${path}/daily`)).status).toBe(404);
    const rows = await ledger.query(
      `select action, workspace_id, before, after from audit_entries
       where target = $1 and action like 'workspace.budget.%' order by seq`,
      [id],
    );
    const small = { interval: 'daily', limit_usd: 0.1, include_byok_in_budgets: false };
    const large = { interval: 'daily', limit_usd: 0.2, include_byok_in_budgets: true };
    expect(
      rows.map(({ before, after, ...row }: JsonBody) => ({
        ...row,
        before: JSON.parse(before),
        after: JSON.parse(after),
      })),
    ).toEqual([
      { action: 'workspace.budget.set', workspace_id: id, before: null, after: small },
      { action: 'workspace.budget.set', workspace_id: id, before: small, after: large },
      { action: 'workspace.budget.remove', workspace_id: id, before: large, after: null },
    ]);
  });
});
