/**
 * Budgets of users, members and tags: own ones and the default, refusals that name them, what is left, temporary raises
 * that end at their moment, idle counters, and races over two replicas. The real application over HTTP on both
 * databases; the second replica shares the PostgreSQL store. `ledger:verify` finds no difference at the end.
 */
import { DataSource } from 'typeorm';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { AheadClock } from '../support/ahead-clock.js';
import { describeOnEachDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const EMOJI = '🙂'.repeat(256);

describeOnEachDatabase('budgets of users, members and tags', (database) => {
  const clock = new AheadClock();
  let gateway: TestGateway;
  let second: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database, { clock });
    second = database.kind === 'postgres' ? await startGateway(database, { clock }) : gateway;
  }, 240_000);
  afterAll(async () => {
    const { differences } = await verifyLedger(gateway.gateway.app.get(DataSource, { strict: false }));
    if (second !== gateway) await second?.close();
    await gateway?.close();
    expect(differences).toEqual([]);
  });

  async function call(method: string, path: string, body?: object): Promise<JsonBody> {
    const response = await gateway.request(path, {
      method,
      key: MANAGEMENT_KEY,
      ...(body && { headers: JSON_TYPE, body: JSON.stringify(body) }),
    });
    return { status: response.status, ...((await response.json()) as object) };
  }

  interface Sent {
    readonly key: string;
    readonly fields?: object;
    readonly header?: string;
    readonly at?: TestGateway;
  }

  async function ask({ key, fields, header, at = gateway }: Sent): Promise<JsonBody> {
    const response = await at.request('/messages', {
      method: 'POST',
      key,
      headers: { ...JSON_TYPE, ...(header !== undefined && { 'X-Fairlead-Tags': header }) },
      body: JSON.stringify({
        model: 'sandbox/echo',
        max_tokens: 64,
        messages: [{ role: 'user', content: 'Hello, Fairlead' }],
        ...fields,
      }),
    });
    const body = (await response.json()) as JsonBody;
    return { status: response.status, source: body.error?.metadata?.limit_source, error: body.error, body };
  }

  /** The bound of such a request, and with it a limit that admits exactly one at a time. */
  async function boundOf(key: string): Promise<number> {
    const response = await gateway.request('/routing/explain', {
      method: 'POST',
      key,
      headers: JSON_TYPE,
      body: JSON.stringify({
        model: 'sandbox/echo',
        max_tokens: 64,
        messages: [{ role: 'user', content: 'Hello, Fairlead' }],
      }),
    });
    return Number(((await response.json()) as JsonBody).data.candidates[0].bound);
  }

  it.each([
    ['users', 'u1', { fields: { user: 'u1' } }],
    ['users', EMOJI, { fields: { user: EMOJI } }],
    ['users', 'claude', { fields: { metadata: { user_id: 'claude' } } }],
    ['tags', 'team=search', { header: 'team=search' }],
  ])('%s: refuses %.12s beyond its budget, and nobody else', async (scope, id, fields) => {
    const { key } = await gateway.newKey();
    const path = `/budgets/${scope}/${encodeURIComponent(id)}/daily`;
    const set = await call('PUT', path, { limit_usd: 0.000001 });
    expect(set).toMatchObject({ status: 200, data: { scope, id, interval: 'daily', limit_usd: 0.000001, usage: 0 } });
    const refused = await ask({ key, ...fields });
    expect([refused.status, refused.source]).toEqual([403, `budget:${scope}:${id}:daily`]);
    expect(refused.error.metadata).toMatchObject({ interval: 'daily', reason: 'budget_exceeded' });
    expect((await ask({ key })).status).toBe(200);
    await call('PUT', path, { limit_usd: 1 });
    expect((await ask({ key, ...fields })).status).toBe(200);
    const { data } = await call('GET', path);
    expect(data.usage).toBeGreaterThan(0);
    expect(data.remaining_usd).toBeCloseTo(1 - data.usage, 9);
    expect((await call('GET', `/budgets?scope=${scope}&id=${encodeURIComponent(id)}`)).data).toEqual([data]);
    expect(await call('DELETE', path)).toEqual({ status: 200, deleted: true });
    expect((await call('GET', path)).status).toBe(404);
  });

  // Browsers and most clients resolve the first two in a path, however they are spelt.
  it.each(['.', '..', '-', 'default', 'a/b', '/', '100%', '%2e%2e', 'who?', 'b#1', '🙂', 'a&id=b', '+ ', 'u'.repeat(256)])(
    'users: reads, sets, raises, exhausts and deletes the budget of %.20s, whose id is in the query',
    async (id) => {
      const { key } = await gateway.newKey();
      const budgetPath = (interval: string, more = ''): string =>
        `/budgets/users/-/${interval}${more}?id=${encodeURIComponent(id)}`;
      const seen = { scope: 'users', id, interval: 'daily', limit_usd: 0.000001 };
      expect((await call('GET', budgetPath('daily'))).status).toBe(404);
      expect(await call('PUT', budgetPath('daily'), { limit_usd: 0.000001 })).toMatchObject({ status: 200, data: seen });
      expect(await call('GET', budgetPath('daily'))).toMatchObject({ status: 200, data: seen });
      if (id !== 'default')
        expect((await ask({ key, fields: { user: id } })).source).toBe(`budget:users:${id}:daily`);
      const raise = { amount_usd: 1, until: '2099-12-31T23:59:59Z' };
      expect(await call('POST', budgetPath('daily', '/raise'), raise)).toMatchObject({
        status: 200,
        data: { ...seen, raise: { amount_usd: 1 } },
      });
      expect((await ask({ key, fields: { user: id } })).status).toBe(200);
      expect(await call('DELETE', budgetPath('daily'))).toEqual({ status: 200, deleted: true });
      expect((await call('GET', `/budgets?scope=users&id=${encodeURIComponent(id)}`)).total_count).toBe(0);
    },
  ); // oxfmt-ignore

  it('takes an id of the query for no other than the one in the path', async () => {
    const { status, error } = await call('PUT', '/budgets/users/anna/daily?id=bob', { limit_usd: 1 });
    expect([status, error.message]).toEqual([400, 'id: is in the query only beside “-” in the path']);
    expect((await call('PUT', '/budgets/users/-/daily?id=', { limit_usd: 1 })).status).toBe(400);
    expect((await call('PUT', '/budgets/users/-/daily?id=a&id=b', { limit_usd: 1 })).status).toBe(400);
    expect((await call('GET', '/budgets?scope=users')).total_count).toBe(0);
    // Without a query it is an id as any other.
    expect((await call('PUT', '/budgets/users/-/daily', { limit_usd: 1 })).data.id).toBe('-');
    expect((await call('DELETE', '/budgets/users/-/daily?id=-')).status).toBe(200);
    expect((await call('GET', '/budgets/users/-/daily')).status).toBe(404);
  });

  const CONTROLS =
    Array.from({ length: 31 }, (_, index) => String.fromCharCode(index + 1)).join('') + '\u007f\u0085\u2028\u202e';
  it.each<[string, string, number, number, number]>([
    ['256 emoji', EMOJI, 200, 200, 200],
    ['257 emoji', `${EMOJI}🙂`, 400, 200, 200],
    ['1,024 emoji', '🙂'.repeat(1_024), 400, 200, 200],
    ['1,025 emoji', '🙂'.repeat(1_025), 400, 400, 400],
    ['control characters', CONTROLS, 200, 200, 200],
    ['a line break alone', '\n', 200, 200, 200],
    ['spaces alone', '   ', 200, 200, 200],
    ['signs of addresses', '/a?b=c#d%2Fe&../..', 200, 200, 200],
    ['a name of JavaScript', '__proto__', 200, 200, 200],
    // Stored as U+FFFD.
    ['U+0000 alone', '\u0000', 200, 200, 400],
    ['U+0000 within', 'a\u0000b', 200, 200, 400],
  ])('takes or refuses %s as a user by both faces and in addresses, and never fails', async (_, id, user, metadata, put) => {
    const { key } = await gateway.newKey();
    const path = `/budgets/users/${encodeURIComponent(id)}/daily`;
    const send = async (face: string, fields: object): Promise<number> => {
      const response = await gateway.request(face, {
        method: 'POST',
        key,
        headers: JSON_TYPE,
        body: JSON.stringify({ model: 'sandbox/echo', max_tokens: 64, messages: [{ role: 'user', content: 'x' }], ...fields }),
      });
      await response.text();
      return response.status;
    };
    const statuses = async (): Promise<number[]> => [
      await send('/messages', { user: id }),
      await send('/chat/completions', { user: id }),
      await send('/messages', { metadata: { user_id: id } }),
    ];
    // Chat completions set no limit.
    expect(await statuses()).toEqual([user, 200, metadata]);
    const set = await call('PUT', path, { limit_usd: 0.000001 });
    expect([set.status, set.data?.id]).toEqual([put, put === 200 ? id : undefined]);
    expect((await call('GET', path)).status).toBe(put);
    expect((await call('POST', `${path}/raise`, { amount_usd: 1, until: '2999-01-01T00:00:00Z' })).status).toBe(put);
    if (put === 200) await call('PUT', path, { limit_usd: 0.000001 });
    await call('DELETE', path);
    if (put !== 200) return;
    await call('PUT', path, { limit_usd: 0.000001 });
    // What is taken counts: each is refused by this budget now.
    expect(await statuses()).toEqual([user === 200 ? 403 : 400, 403, 403]);
    const listed = await call('GET', `/generations?user=${encodeURIComponent(id)}&limit=100`);
    expect(listed.status).toBe(200);
    expect(listed.data.length).toBeGreaterThan(0);
    expect(listed.data.every((one: JsonBody) => (one.user ?? one.external_user) !== undefined)).toBe(true);
    expect(await call('DELETE', path)).toMatchObject({ status: 200 });
  }, 240_000); // oxfmt-ignore

  it.each([
    ['/budgets/users/%ED%A0%80/daily', 'a lone surrogate'],
    ['/budgets/users/%FF/daily', 'what is no UTF-8'],
    ['/budgets/users/%/daily', 'a broken percent sign'],
  ])('PUT %s is a 400: %s', async (path) => {
    expect((await call('PUT', path, { limit_usd: 1 })).status).toBe(400);
  });

  it('takes no lone surrogate as a user by either face', async () => {
    const { key } = await gateway.newKey();
    for (const face of ['/messages', '/chat/completions']) {
      const body =
        '{"model":"sandbox/echo","max_tokens":64,"messages":[{"role":"user","content":"x"}],"user":"a\\ud800"}';
      const response = await gateway.request(face, { method: 'POST', key, headers: JSON_TYPE, body });
      expect([face, response.status]).toEqual([face, expect.any(Number)]);
      await response.text();
      expect([200, 400]).toContain(response.status);
    }
  });

  it('gives all others the default, each a counter of their own', async () => {
    const { key } = await gateway.newKey();
    const bound = await boundOf(key);
    await call('PUT', '/budgets/users/default/daily', { limit_usd: bound });
    await call('PUT', '/budgets/users/rich/daily', { limit_usd: 1 });
    for (const user of ['a', 'b']) {
      expect([user, (await ask({ key, fields: { user } })).status]).toEqual([user, 200]);
      expect((await ask({ key, fields: { user } })).source).toBe('budget:users:default:daily');
    }
    for (let times = 0; times < 2; times++) expect((await ask({ key, fields: { user: 'rich' } })).status).toBe(200);
    expect((await call('GET', '/budgets/users/default/daily')).data).toMatchObject({
      usage: null,
      remaining_usd: null,
    });
    await call('DELETE', '/budgets/users/default/daily');
    await call('DELETE', '/budgets/users/rich/daily');
    expect((await ask({ key, fields: { user: 'a' } })).status).toBe(200);
  });

  it('shows what is left to a member and to tags of the key, and in explanations', async () => {
    const { key } = await gateway.newKey({ creator_user_id: 'anna', metadata: { tags: { team: 'left' } } });
    await call('PUT', '/budgets/members/anna/monthly', { limit_usd: 2 });
    await call('PUT', '/budgets/tags/team=left/lifetime', { limit_usd: 3 });
    const left = [
      { scope: 'members', id: 'anna', interval: 'monthly', limit_usd: 2, remaining_usd: 2 },
      { scope: 'tags', id: 'team=left', interval: 'lifetime', limit_usd: 3, remaining_usd: 3 },
    ];
    const status = (await (await gateway.request('/key', { key })).json()) as JsonBody;
    expect(status.data.budgets).toEqual(left);
    const explained = await gateway.request('/routing/explain', {
      method: 'POST',
      key,
      headers: JSON_TYPE,
      body: JSON.stringify({ model: 'sandbox/echo', max_tokens: 64, messages: [{ role: 'user', content: 'x' }] }),
    });
    expect(((await explained.json()) as JsonBody).data.budgets).toEqual(left);
    await call('PUT', '/budgets/members/anna/monthly', { limit_usd: 0.000001 });
    expect((await ask({ key })).source).toBe('budget:members:anna:monthly');
    await call('DELETE', '/budgets/members/anna/monthly');
    await call('DELETE', '/budgets/tags/team=left/lifetime');
  });

  it('raises a budget and a limit until their moment, exactly', async () => {
    const { key, hash } = await gateway.newKey({ limit: 0.000001 });
    const until = new Date(clock.now() + 60 * 60_000).toISOString();
    await call('PUT', '/budgets/users/raised/daily', { limit_usd: 0.000001 });
    const asked = { key, fields: { user: 'raised' } };
    expect((await ask(asked)).status).toBe(402);
    const raised = await call('POST', `/keys/${hash}/raise`, { amount_usd: 1, until });
    expect(raised.data).toMatchObject({
      limit: 0.000001,
      limit_raise: { amount_usd: 1, until },
      limit_remaining: 1.000001,
    });
    expect((await ask(asked)).source).toBe('budget:users:raised:daily');
    const { data } = await call('POST', '/budgets/users/raised/daily/raise', { amount_usd: 1, until });
    expect(data).toMatchObject({ limit_usd: 0.000001, raise: { amount_usd: 1, until }, remaining_usd: 1.000001 });
    expect((await ask(asked)).status).toBe(200);
    clock.aheadMs += 60 * 60_000;
    expect((await ask(asked)).status).toBe(402);
    clock.aheadMs -= 60 * 60_000;
    const log = (await call('GET', '/audit?action=budget.raise')).data;
    expect(log[0]).toMatchObject({ target: 'users:raised:daily', after: { raise: { amount_usd: 1, until } } });
    expect((await call('GET', `/audit?action=api_key.raise&target=${hash}`)).data).toHaveLength(1);
    await call('DELETE', '/budgets/users/raised/daily');
  });

  it('lets exactly one of fifty pass at a cap of one, over two replicas', async () => {
    const { key } = await gateway.newKey();
    await call('PUT', '/budgets/users/raced/daily', { limit_usd: await boundOf(key) });
    // The first budget of a scope is known at the other replica within five seconds.
    const deadline = performance.now() + 20_000;
    while ((await ask({ key, fields: { user: 'warm' }, at: second })).status !== 200) expect(performance.now()).toBeLessThan(deadline); // oxfmt-ignore
    await call('PUT', '/budgets/users/seen/daily', { limit_usd: 0.000001 });
    while ((await ask({ key, fields: { user: 'seen' }, at: second })).status !== 403) expect(performance.now()).toBeLessThan(deadline); // oxfmt-ignore
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        ask({ key, fields: { user: 'raced' }, at: index % 2 ? second : gateway }),
      ),
    );
    const counts = outcomes.map(({ status }) => status);
    expect(counts.filter((status) => status === 200)).toHaveLength(1);
    expect(counts.filter((status) => status === 403)).toHaveLength(49);
    await call('DELETE', '/budgets/users/raced/daily');
    await call('DELETE', '/budgets/users/seen/daily');
  }, 240_000);

  it('removes counters of windows that have passed, and of open ones only those without spending', async () => {
    const store = gateway.gateway.app.get(DataSource, { strict: false });
    const add = (id: string, interval: string, daysAgo: number, used: number): Promise<unknown> =>
      store.query(
        `insert into spending_windows (account_id, scope, scope_id, interval, window_start, used)
         select id, 'users', $1, $2, window_start_of($2, now() - $3 * interval '1 day'), $4 from accounts`,
        [id, interval, daysAgo, used],
      );
    await add('passed', 'daily', 3, 1);
    await add('yesterday', 'daily', 1, 1);
    await add('unspent', 'lifetime', 0, 0);
    const left = async (): Promise<string[]> => {
      const rows = await store.query(
        `select scope_id from spending_windows where scope_id in ('passed', 'yesterday', 'unspent') order by 1`,
      );
      return rows.map((row: JsonBody) => row.scope_id);
    };
    const spent = async (): Promise<number> =>
      (await store.query(`select count(*)::int as n from spending_windows where scope = 'users' and used > 0`))[0].n;
    const before = await spent();
    expect(before).toBeGreaterThan(2);
    await store.query('select remove_idle_counters_1(0, 1000)');
    expect(await left()).toEqual(['yesterday']);
    expect(await spent()).toBe(before - 1);
    await store.query(`delete from spending_windows where scope_id = 'yesterday'`);
  });

  it.each([
    ['PUT', '/budgets/keys/x/daily', { limit_usd: 1 }, 404, 'There are budgets of users, members, tags only.'],
    ['PUT', '/budgets/users/x/hourly', { limit_usd: 1 }, 400, 'interval: must be one of'],
    ['PUT', '/budgets/tags/x/daily', { limit_usd: 1 }, 400, 'id: must be the name of a tag and its value'],
    ['PUT', '/budgets/users/a%00/daily', { limit_usd: 1 }, 400, 'id: must not contain NUL characters'],
    ['PUT', '/budgets/users/x/daily', { limit_usd: 0 }, 400, 'limit_usd: must be a number of USD above 0'],
    ['PUT', '/budgets/users/x/daily', { limit_usd: 1, include: 1 }, 400, 'include: is not a known field'],
    ['GET', '/budgets?id=x', undefined, 400, 'id: needs a scope'],
    ['GET', '/budgets?scop=users', undefined, 400, 'scop: is not a known parameter; did you mean scope?'],
    ['GET', '/budgets/users/nobody/daily', undefined, 404, 'There is no daily budget of users nobody.'],
    ['POST', '/budgets/users/nobody/daily/raise', { amount_usd: 1, until: '2999-01-01T00:00:00Z' }, 404, 'There is no'],
    [
      'POST',
      '/budgets/users/x/daily/raise',
      { amount_usd: 1, until: '2000-01-01T00:00:00Z' },
      400,
      'until: must be in',
    ],
    ['POST', '/budgets/users/x/daily/raise', { amount_usd: -1, until: '2999-01-01T00:00:00Z' }, 400, 'amount_usd: '],
  ])('%s %s %j: %s', async (method, path, body, status, message) => {
    const reply = await call(method, path, body);
    expect([reply.status, reply.error.message]).toEqual([status, expect.stringContaining(message)]);
  });

  it('takes a shorter interval only with a smaller limit', async () => {
    await call('PUT', '/budgets/members/order/daily', { limit_usd: 5 });
    const reply = await call('PUT', '/budgets/members/order/weekly', { limit_usd: 5 });
    expect([reply.status, reply.error.message]).toEqual([
      400,
      expect.stringContaining('must be above the daily limit'),
    ]);
    await call('DELETE', '/budgets/members/order/daily');
  });
});
