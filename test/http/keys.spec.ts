// Checks keys and authentication as clients use them: statuses, bodies and headers of /keys and /key, and the
// replies to unauthenticated clients. The real app is called over HTTP; hostile headers are written to the socket
// byte by byte.
import { connect } from 'node:net';
import { DataSource } from 'typeorm';
import { hashKey } from '../../src/core/ids.js';
import { DAY_MS, windowStart, type Interval } from '../../src/core/time.js';
import { KeysRepository } from '../../src/keys/keys.repository.js';
import { AheadClock } from '../support/ahead-clock.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';

/** The parts of bodies that the tests read; the rest is compared whole. */
interface Body {
  readonly key: string;
  readonly data: { readonly hash: string; readonly workspace_id: string } & Iterable<{ readonly hash: string }>;
  readonly error: { readonly code: number; readonly message: string };
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

const FAILURES_MAX = 40;
const UNKNOWN_HASH = 'f'.repeat(64);

const FIGURES = {
  limit_held: 0,
  limit_raise: null,
  usage: 0,
  usage_daily: 0,
  usage_weekly: 0,
  usage_monthly: 0,
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
};

describeOnEmbedded('keys over HTTP', (database) => {
  const clock = new AheadClock();
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway(database, { clock, variables: { FAIRLEAD_FLOOD: `auth=${FAILURES_MAX}/60s` } });
  }, 240_000);
  afterAll(() => gateway?.close());

  async function call(method: string, path: string, options: { key?: string; body?: unknown } = {}): Promise<Reply> {
    const { key = MANAGEMENT_KEY, body } = options;
    const response = await fetch(`${gateway.origin}${path}`, {
      method,
      headers: {
        ...(key !== '' && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  }

  const create = async (body: object): Promise<{ key: string; hash: string }> => {
    const reply = await call('POST', '/api/v1/keys', { body: { name: 'name', ...body } });
    expect(reply.status).toBe(201);
    return { key: reply.body.key, hash: reply.body.data.hash };
  };

  /** Status of a reply to a request whose header holds these very bytes. */
  function statusOfRaw(header: Buffer): Promise<number> {
    const { hostname, port } = new URL(gateway.origin);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk.toString('latin1')));
      socket.on('close', () => resolve(Number(answer.split(' ')[1])));
      // The server may stop reading a header it has refused already.
      socket.on('error', (error) => (answer === '' ? reject(error) : undefined));
      socket.write('GET /api/v1/key HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\nAuthorization: Bearer ');
      socket.write(header);
      socket.write('\r\n\r\n');
    });
  }

  it('creates a key, whose text is returned once', async () => {
    const reply = await call('POST', '/api/v1/keys', {
      body: {
        name: 'team',
        limit: 12.5,
        limit_reset: 'monthly',
        include_byok_in_limit: true,
        egress: { blocked_domains: ['paste.example.com'] },
        expires_at: '2100-01-01T00:00:00Z',
        creator_user_id: 'user',
        external: { user: 'theirs' },
      },
    });
    expect(reply.status).toBe(201);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const { key } = reply.body;
    expect(key).toMatch(/^sk-fl-v1-[0-9a-f]{64}$/);
    expect(reply.body.data).toEqual({
      ...FIGURES,
      hash: hashKey(key),
      name: 'team',
      label: `${key.slice(0, 12)}...${key.slice(-3)}`,
      kind: 'inference',
      is_workspace_bound: false,
      disabled: false,
      limit: 12.5,
      limit_remaining: 12.5,
      limit_reset: 'monthly',
      include_byok_in_limit: true,
      rate_limits: null,
      allowed_models: null,
      egress: { allowed_domains: null, blocked_domains: ['paste.example.com'] },
      metadata: { tags: {} },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: null,
      expires_at: '2100-01-01T00:00:00.000Z',
      creator_user_id: 'user',
      external_user: 'theirs',
      workspace_id: expect.any(String),
      last_used_at: null,
      former_secrets: [],
    });
    const shown = await call('GET', `/api/v1/keys/${hashKey(key)}`);
    expect(shown.body).toEqual({ data: reply.body.data });
    expect(JSON.stringify((await call('GET', '/v1/keys')).body)).not.toContain(key);
  });

  it('lists newest first and page by page', async () => {
    const older = await create({});
    const newer = await create({});
    const hashes = [...(await call('GET', '/api/v1/keys')).body.data].map(({ hash }) => hash);
    expect(hashes.indexOf(newer.hash)).toBeLessThan(hashes.indexOf(older.hash));
    expect((await call('GET', '/api/v1/keys?offset=1&limit=1')).body.data).toMatchObject([{ hash: hashes[1] }]);
    expect((await call('GET', `/api/v1/keys?offset=${hashes.length}`)).body).toEqual({
      data: [],
      total_count: hashes.length,
    });
  });

  it('shows either kind of key its own status', async () => {
    for (const [key, isManagement] of [
      [MANAGEMENT_KEY, true],
      [API_KEY, false],
    ] as const) {
      const reply = await call('GET', '/api/v1/key', { key });
      expect(reply.status).toBe(200);
      expect(reply.body.data).toEqual({
        ...FIGURES,
        label: expect.any(String),
        limit: null,
        limit_remaining: null,
        limit_reset: null,
        include_byok_in_limit: false,
        rate_limits: null,
        allowed_models: null,
        is_free_tier: true,
        is_management_key: isManagement,
        is_workspace_bound: false,
        is_provisioning_key: isManagement,
        creator_user_id: null,
        expires_at: null,
        allowed_data_regions: ['global'],
        free_model_daily_requests: { used: 0, limit: 50, remaining: 50 },
        budgets: [],
        organization_id: null,
        workspace_id: expect.any(String),
        rate_limit: { requests: -1, interval: '10s', note: expect.any(String) },
      });
    }
  });

  it('changes what is named, clears what is null, and leaves the rest', async () => {
    const { hash } = await create({ limit: 1, limit_reset: 'daily', egress: { allowed_domains: [] } });
    const changed = await call('PATCH', `/api/v1/keys/${hash}`, { body: { limit: null, name: 'new' } });
    expect(changed.body.data).toMatchObject({
      egress: { allowed_domains: [], blocked_domains: null },
      name: 'new',
      limit: null,
      limit_reset: 'daily',
      updated_at: expect.any(String),
    });
    const cleared = await call('PATCH', `/api/v1/keys/${hash}`, { body: { egress: null } });
    expect(cleared.body.data).toMatchObject({ egress: null, limit_reset: 'daily' });
  });

  it('stops a key at once when it is disabled or deleted', async () => {
    const { key, hash } = await create({});
    expect((await call('GET', '/api/v1/key', { key })).status).toBe(200);
    await call('PATCH', `/api/v1/keys/${hash}`, { body: { disabled: true } });
    expect((await call('GET', '/api/v1/key', { key })).status).toBe(401);
    await call('PATCH', `/api/v1/keys/${hash}`, { body: { disabled: false } });
    expect((await call('GET', '/api/v1/key', { key })).status).toBe(200);
    const deleted = await call('DELETE', `/api/v1/keys/${hash}`);
    expect([deleted.status, deleted.body]).toEqual([200, { deleted: true }]);
    expect((await call('GET', '/api/v1/key', { key })).status).toBe(401);
    for (const method of ['GET', 'DELETE']) expect((await call(method, `/api/v1/keys/${hash}`)).status).toBe(404);
    expect((await call('PATCH', `/api/v1/keys/${hash}`, { body: { name: 'new' } })).status).toBe(404);
  });

  it('keeps the last management key', async () => {
    const hash = hashKey(MANAGEMENT_KEY);
    const refusals = [
      await call('DELETE', `/api/v1/keys/${hash}`),
      await call('PATCH', `/api/v1/keys/${hash}`, { body: { disabled: true } }),
    ];
    for (const { status, body } of refusals) {
      expect(status).toBe(400);
      expect(body.error.message).toContain('last management key');
    }
  });

  it.each([UNKNOWN_HASH, UNKNOWN_HASH.toUpperCase(), 'x', '%00', "'%20OR%20'1'='1"])(
    'knows no key %s',
    async (hash) => {
      const reply = await call('GET', `/api/v1/keys/${hash}`);
      expect([reply.status, reply.body.error.code]).toEqual([404, 404]);
    },
  );

  it.each([
    [{}, 400, 'name: is required'],
    [{ name: '' }, 400, 'name: must be'],
    [{ name: 'n', limit: -1 }, 400, 'limit: must be'],
    ['{"name":"n","limit":1e400}', 400, 'limit: must be'],
    [{ name: 'n', limit: 0.0000000000001 }, 400, 'limit: must be'],
    [{ name: 'n', limit_reset: 'yearly' }, 400, 'limit_reset: must be one of daily, weekly, monthly'],
    [{ name: 'n', kind: 'admin' }, 400, 'kind: must be one of inference, management'],
    [{ name: 'n', expires_at: '2100-01-01T00:00:00+01:00' }, 400, 'expires_at: must be'],
    [{ name: 'n', expires_at: '2020-01-01T00:00:00Z' }, 400, 'expires_at: must be in the future'],
    [{ name: 'n', workspace_id: 'no-such' }, 404, 'workspace_id: there is no such workspace'],
    [{ name: 'n', workspace_id: "' OR '1'='1" }, 400, 'workspace_id: must be the id of a workspace or its slug'],
    [{ name: 'n', limt: 5 }, 400, 'limt: is not a known field; did you mean limit?'],
    [{ name: 'n', workspace_id: '0198c0de-0000-7000-8000-000000000001' }, 404, 'workspace_id: there is no such'],
    ['{"name":"n\\u0000"}', 400, 'name: must not contain NUL'],
    ['{"__proto__":{"name":"n"}}', 400, '__proto__'],
    ['[]', 400, 'must be an object'],
    ['{', 400, ''],
  ])('refuses %j', async (body, status, message) => {
    const reply = await call('POST', '/api/v1/keys', { body });
    expect([reply.status, reply.body.error.code]).toEqual([status, status]);
    expect(reply.body.error.message).toContain(message);
  });

  it('keeps the kinds of key apart', async () => {
    for (const [method, path] of [
      ['GET', '/api/v1/keys'],
      ['POST', '/api/v1/keys'],
      ['GET', `/api/v1/keys/${UNKNOWN_HASH}`],
      ['PATCH', `/api/v1/keys/${UNKNOWN_HASH}`],
      ['DELETE', `/api/v1/keys/${UNKNOWN_HASH}`],
    ] as const) {
      const reply = await call(method, path, { key: API_KEY });
      expect(reply.status).toBe(403);
      expect(reply.body).toEqual({
        error: { code: 403, message: 'Only management keys can perform this operation' },
      });
    }
    const inference = await call('POST', '/api/v1/messages', { body: {} });
    expect(inference.status).toBe(403);
    expect(inference.body.error).toMatchObject({
      type: 'permission_error',
      message: 'Management keys cannot call inference; use an inference key',
    });
  });

  it('queries the store a few times for 500 calls at once with a key that was never used', async () => {
    const { key } = await create({});
    const lookUps = jest.spyOn(gateway.gateway.app.get(KeysRepository, { strict: false }), 'listActive');
    // A route that needs nothing of the store but the key.
    const body = { model: 'no/such', messages: [{ role: 'user', content: 'hi' }] };
    const replies = await Promise.all(
      Array.from({ length: 500 }, () => call('POST', '/api/v1/messages', { key, body })),
    );
    expect(replies.filter(({ status }) => status !== 404)).toEqual([]);
    expect(lookUps.mock.calls.length).toBeLessThan(20);
    lookUps.mockRestore();
  }, 240_000);

  it('shows what the ledger holds of the current windows, and what is left of the limit', async () => {
    const { key, hash } = await create({ limit: 10, limit_reset: 'daily' });
    const now = clock.now();
    const store = gateway.gateway.app.get(DataSource, { strict: false });
    const record = (
      interval: Interval,
      at: number,
      [used, held]: readonly [string, string],
      [byokUsed, byokHeld]: readonly [string, string] = ['0', '0'],
    ): Promise<unknown> =>
      store.query(
        `insert into spending_windows
           (account_id, scope, scope_id, interval, window_start, used, held, byok_used, byok_held)
         select account_id, 'key', hash, $1, $2, $3, $4, $5, $6 from api_keys where hash = $7`,
        [interval, windowStart(interval, at), used, held, byokUsed, byokHeld, hash],
      );
    await record('daily', now, ['1.5', '0.25'], ['0.1', '0.01']);
    await record('weekly', now, ['2', '0.5']);
    await record('monthly', now, ['3.000000000001', '0']);
    await record('lifetime', now, ['400.1', '0'], ['0.4', '0']);
    for (const interval of ['daily', 'weekly', 'monthly'] as const)
      await record(interval, now - 32 * DAY_MS, ['99', '9'], ['99', '9']);

    const figures = {
      usage: 400.1,
      usage_daily: 1.5,
      usage_weekly: 2,
      usage_monthly: 3.000000000001,
      byok_usage: 0.4,
      byok_usage_daily: 0.1,
      byok_usage_weekly: 0,
      byok_usage_monthly: 0,
    };
    const own = await call('GET', '/api/v1/key', { key });
    expect(own.body.data).toMatchObject({ ...figures, limit: 10, limit_remaining: 8.5, limit_held: 0.25 });
    const listed = [...(await call('GET', '/api/v1/keys')).body.data].find((entry) => entry.hash === hash);
    expect(listed).toMatchObject({ ...figures, limit_remaining: 8.5, limit_held: 0.25 });

    for (const [changes, left] of [
      [{ include_byok_in_limit: true }, { limit_remaining: 8.4, limit_held: 0.26 }],
      [{ limit_reset: 'weekly' }, { limit_remaining: 8, limit_held: 0.5 }],
      [{ limit: 2 }, { limit_remaining: 0 }],
      [{ limit_reset: null }, { limit_remaining: 0, limit_held: 0 }],
      [{ limit: null }, { limit: null, limit_remaining: null }],
      [{ limit: 0 }, { limit: 0, limit_remaining: 0 }],
    ]) {
      const changed = await call('PATCH', `/api/v1/keys/${hash}`, { body: changes });
      expect([changes, changed.body.data]).toEqual([changes, expect.objectContaining({ ...figures, ...left })]);
      expect((await call('GET', '/api/v1/key', { key })).body.data).toMatchObject(left!);
    }
  });

  it('shows the free requests of the day, and how many there are by what was bought', async () => {
    const store = gateway.gateway.app.get(DataSource, { strict: false });
    const shown = async (): Promise<unknown> => (await call('GET', '/api/v1/key', { key: API_KEY })).body.data;
    await store.query(
      `insert into spending_windows (account_id, scope, scope_id, interval, window_start, used)
       select id, 'free_requests', id::text, 'daily', $1, 12 from accounts`,
      [windowStart('daily', clock.now())],
    );
    const expectFreeRequests = async (used: number, limit: number): Promise<void> =>
      expect(await shown()).toMatchObject({
        free_model_daily_requests: { used, limit, remaining: limit - used },
      });
    await expectFreeRequests(12, 50);
    // A first purchase ends the free tier, yet it takes 9 USD for the higher count.
    await store.query(`update accounts set purchased_usd = 8.999999999999, free_tier = false`);
    expect(await shown()).toMatchObject({ is_free_tier: false });
    await expectFreeRequests(12, 50);
    await store.query(`update accounts set purchased_usd = 9`);
    await expectFreeRequests(12, 1000);
    clock.aheadMs += 86_400_000;
    await expectFreeRequests(0, 1000);
    clock.aheadMs -= 86_400_000;
    await store.query(`update accounts set purchased_usd = 0, free_tier = true`);
    await store.query(`delete from spending_windows where scope = 'free_requests'`);
  });

  it('lists disabled keys, and those of one workspace, when requested', async () => {
    const { hash } = await create({});
    const { workspace_id: home } = (await call('PATCH', `/api/v1/keys/${hash}`, { body: { disabled: true } })).body
      .data;
    const listed = async (query: string): Promise<boolean> =>
      [...(await call('GET', `/api/v1/keys?${query}`)).body.data].some((entry) => entry.hash === hash);
    expect(await listed('')).toBe(false);
    expect(await listed('include_disabled=false')).toBe(false);
    expect(await listed('include_disabled=true')).toBe(true);
    expect(await listed(`include_disabled=true&workspace_id=${home}`)).toBe(true);
    expect(await listed('include_disabled=true&workspace_id=default')).toBe(true);
    await call('POST', '/api/v1/workspaces', { body: { name: 'o', slug: 'other' } });
    expect(await listed('include_disabled=true&workspace_id=other')).toBe(false);
  });

  it('lists those of a user, of a kind, disabled ones alone, and deleted ones with their usage', async () => {
    const user = 'leaver';
    const plain = await create({ creator_user_id: user });
    const manager = await create({ creator_user_id: user, kind: 'management' });
    const off = await create({ creator_user_id: user });
    await call('PATCH', `/api/v1/keys/${off.hash}`, { body: { disabled: true } });
    await create({ creator_user_id: 'somebody else' });
    const listed = async (query: string): Promise<string[]> =>
      [...(await call('GET', `/api/v1/keys?creator_user_id=${user}&${query}`)).body.data].map(({ hash }) => hash);
    expect(await listed('')).toEqual([manager.hash, plain.hash]);
    expect(await listed('kind=management')).toEqual([manager.hash]);
    expect(await listed('kind=inference&include_disabled=true')).toEqual([off.hash, plain.hash]);
    expect(await listed('disabled=true')).toEqual([off.hash]);
    expect(await listed('disabled=false&include_disabled=true')).toEqual([manager.hash, plain.hash]);
    expect(await listed('workspace_id=default&disabled=true')).toEqual([off.hash]);
    expect([...(await call('GET', '/api/v1/keys?creator_user_id=nobody')).body.data]).toEqual([]);
    await call('DELETE', `/api/v1/keys/${plain.hash}`);
    expect(await listed('')).toEqual([manager.hash]);
    const { data } = (await call('GET', `/api/v1/keys?creator_user_id=${user}&include_deleted=true`)).body;
    expect([...data]).toMatchObject([
      { hash: manager.hash },
      { hash: plain.hash, usage: 0, deleted_at: expect.stringMatching(/Z$/) },
    ]);
    expect([...data][0]).not.toHaveProperty('deleted_at');
  });

  it('sorts by usage and by the time of the last use', async () => {
    const made: { readonly key: string; readonly hash: string }[] = [];
    for (let index = 0; index < 3; index++) made.push(await create({ creator_user_id: 'sorted' }));
    const [idle, dear, last] = made as [(typeof made)[0], (typeof made)[0], (typeof made)[0]];
    const spend = async (key: string, content: string): Promise<void> => {
      const body = { model: 'sandbox/echo', max_tokens: 500, messages: [{ role: 'user', content }] };
      expect((await gateway.messages(body, { key })).status).toBe(200);
    };
    await spend(dear.key, 'many words '.repeat(50));
    await spend(last.key, 'few');
    const sorted = async (sort: string): Promise<unknown[]> =>
      [...(await call('GET', `/api/v1/keys?creator_user_id=sorted&sort=${sort}`)).body.data].map(({ hash }) => hash);
    expect(await sorted('usage')).toEqual([dear.hash, last.hash, idle.hash]);
    expect(await sorted('last_used_at')).toEqual([last.hash, dear.hash, idle.hash]);
    expect(await sorted('created_at')).toEqual([last.hash, dear.hash, idle.hash]);
    expect((await call('GET', `/api/v1/keys/${last.hash}`)).body.data).toMatchObject({
      last_used_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect((await call('GET', `/api/v1/keys/${idle.hash}`)).body.data).toMatchObject({ last_used_at: null });
  });

  it('disables all keys of a user in one call, but never the last management key', async () => {
    const made = await Promise.all([1, 2].map(() => create({ creator_user_id: 'gone' })));
    const manager = await create({ creator_user_id: 'gone', kind: 'management' });
    const other = await create({ creator_user_id: 'stays' });
    for (const { key } of [...made, manager]) expect((await call('GET', '/api/v1/key', { key })).status).toBe(200);
    const disable = (body: object, key = MANAGEMENT_KEY): Promise<Reply> =>
      call('POST', '/api/v1/keys/disable', { body, key });
    const { status, body } = await disable({ creator_user_id: 'gone' });
    expect([status, body]).toEqual([200, { data: { disabled: 3 } }]);
    for (const { key } of [...made, manager]) expect((await call('GET', '/api/v1/key', { key })).status).toBe(401);
    expect((await call('GET', '/api/v1/key', { key: other.key })).status).toBe(200);
    expect((await disable({ creator_user_id: 'gone' })).body).toEqual({ data: { disabled: 0 } });
    expect((await disable({ user: 'gone' })).status).toBe(400);
    expect((await disable({ creator_user_id: 'gone' }, API_KEY)).status).toBe(403);
    for (const { hash } of [...made, manager]) {
      const logged = await call('GET', `/api/v1/audit?target=${hash}&action=api_key.update`);
      expect([...logged.body.data]).toMatchObject([{ before: { disabled: false }, after: { disabled: true } }]);
    }
  });

  it('disables nothing where no management key would be left', async () => {
    const store = gateway.gateway.app.get(DataSource, { strict: false });
    const usable = `kind = 'management' and not disabled and deleted_at is null`;
    const { hash } = await create({ creator_user_id: 'only one' });
    await store.query(`update api_keys set creator_user_id = 'only one' where ${usable}`);
    const refused = await call('POST', '/api/v1/keys/disable', { body: { creator_user_id: 'only one' } });
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      'The last management key of the account cannot be deleted or disabled; create another first, without workspace_id.',
    ]);
    expect((await call('GET', `/api/v1/keys/${hash}`)).body.data).toMatchObject({ disabled: false });
    await store.query(`update api_keys set creator_user_id = null where ${usable}`);
  });

  it.each([
    ['offset=-1', 'offset: must be'],
    ['offset=1.5', 'offset: must be'],
    ['offset=1000000000', 'offset: must be'],
    ['offset=', 'offset: must be'],
    ['offset=1&offset=2', 'offset: must be'],
    ['limit=0', 'limit: must be'],
    ['limit=101', 'limit: must be'],
    ['include_disabled=yes', 'include_disabled: must be'],
    ['workspace_id=', 'workspace_id: must be at least 1 character'],
    ['workspace_id=default&workspace_id=default', 'workspace_id: must be a string'],
    ['workspace_id=A+B', 'workspace_id: must be the id of a workspace or its slug'],
    ['creator_user=x', 'creator_user: is not a known parameter; did you mean creator_user_id?'],
    ['zzz=1', 'zzz: is not a known parameter; the known ones are limit, include_disabled, '],
    ['kind=inferense', 'kind: must be one of inference, management; did you mean inference?'],
    ['disabled=ture', 'disabled: must be one of true, false; did you mean true?'],
    ['sort=usages', 'sort: must be one of created_at, usage, last_used_at; did you mean usage?'],
    ['sort=name', 'sort: must be one of created_at, usage, last_used_at'],
  ])('refuses the list ?%s', async (query, message) => {
    const reply = await call('GET', `/api/v1/keys?${query}`);
    expect([reply.status, reply.body.error.code]).toEqual([400, 400]);
    expect(reply.body.error.message).toContain(message);
  });

  it('stops a key when its time is over', async () => {
    const { key, hash } = await create({ expires_at: '2100-01-01T00:00:00Z' });
    expect((await call('GET', '/api/v1/key', { key })).status).toBe(200);
    const { aheadMs } = clock;
    clock.aheadMs = Date.parse('2100-01-01T00:00:00Z') - Date.now();
    expect((await call('GET', '/api/v1/key', { key })).status).toBe(401);
    clock.aheadMs = aheadMs;
    await call('DELETE', `/api/v1/keys/${hash}`);
  });

  it('refuses invalid values without a change', async () => {
    const { hash } = await create({});
    for (const [body, message] of [
      [{ disabled: 'yes' }, 'disabled: must be a boolean'],
      [{ name: null }, 'name: must be a string'],
      [{ limit: '1' }, 'limit: must be'],
      [{ limit_reset: 'yearly' }, 'limit_reset: must be one of'],
      [{ include_byok_in_limit: 1 }, 'include_byok_in_limit: must be a boolean'],
      ['null', 'must be an object'],
    ] as const) {
      const reply = await call('PATCH', `/api/v1/keys/${hash}`, { body });
      expect([body, reply.status]).toEqual([body, 400]);
      expect(reply.body.error.message).toContain(message);
    }
    expect((await call('GET', `/api/v1/keys/${hash}`)).body.data).toMatchObject({ name: 'name', updated_at: null });
  });

  it('reports to unauthenticated clients what is missing, in each family', async () => {
    const missing = await call('GET', '/api/v1/key', { key: '' });
    expect([missing.status, missing.body]).toEqual([
      401,
      { error: { code: 401, message: expect.stringMatching(/^Missing Authentication header: no key was sent\. /) } },
    ]);
    const unknown = await call('GET', '/api/v1/key', { key: 'nobody' });
    const inactive = 'Invalid API key: it is not an active key of this gateway.';
    expect([unknown.status, unknown.body]).toEqual([401, { error: { code: 401, message: inactive } }]);
    const messages = await call('POST', '/api/v1/messages', { key: '', body: '{' });
    expect(messages.status).toBe(401);
    expect(messages.body).toMatchObject({
      type: 'error',
      error: {
        type: 'authentication_error',
        code: 401,
        message: expect.stringMatching(/^Invalid API key: no key was sent\. /),
      },
      request_id: null,
    });
  });

  it.each([
    ["' OR '1'='1", [401]],
    ["'; select pg_sleep(5)--", [401]],
    ['{"a","b"}', [401]],
    ['😀'.repeat(20), [401]],
    [Buffer.from([0xff, 0xfe, 0xc0, 0x80]), [401]],
    ['a\0b', [400, 401]],
    ['x'.repeat(4_000), [401]],
    ['x'.repeat(1_048_576), [401, 431]],
  ])('refuses the hostile token %# quickly', async (token, statuses) => {
    const before = performance.now();
    expect(statuses).toContain(await statusOfRaw(Buffer.from(token)));
    // The target is half a second (docs/contribute/threat-model.md#strangers); a busy machine may be
    // slower, but never as slow as the statement in the second token takes.
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  // The last test: afterwards the address is over its limit.
  it('throttles guessing, yet accepts a valid key from the same address', async () => {
    let refused: Reply | undefined;
    for (let guess = 0; guess <= FAILURES_MAX && refused?.status !== 429; guess++) {
      refused = await call('GET', '/api/v1/key', { key: `guess ${guess}` });
      expect([401, 429]).toContain(refused.status);
    }
    expect(refused?.status).toBe(429);
    expect(refused?.body.error).toMatchObject({
      code: 429,
      metadata: { error_type: 'rate_limit_exceeded', limit_source: 'failed_authentications' },
    });
    expect(refused?.headers.get('x-ratelimit-limit')).toBe(String(FAILURES_MAX));
    expect(refused?.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(Number(refused?.headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now());
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    const { key } = await create({});
    const passed = await call('GET', '/api/v1/key', { key });
    expect(passed.status).toBe(200);
    expect([...passed.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  });
});
