/**
 * Sessions of the console: how they begin, what they may do, and all that ends them. The real application on both
 * databases; requests are sent by a socket, so that each header is the test's own. Time passes by a clock that the test
 * moves.
 */
import { DataSource } from 'typeorm';
import { hashKey } from '../../src/core/ids.js';
import { HOUR_MS, MINUTE_MS } from '../../src/core/time.js';
import { AheadClock } from '../support/ahead-clock.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { CONSOLE_HEADERS, sendByConsole, signInByKey, type ConsoleRequest } from '../support/console-session.js';
import { describeOnEachDatabase, describeOnEmbedded } from '../support/database.js';
import type { RawResponse } from '../support/raw-client.js';

/** Environment of a start that makes its management key by itself. */
const GENERATED = { FAIRLEAD_MANAGEMENT_KEY: '' };

const OVER = 'The session of the console has ended. Sign in again.';

describeOnEachDatabase('sessions of the console', (database) => {
  let gateway: TestGateway;
  const clock = new AheadClock();

  beforeAll(async () => {
    gateway = await startGateway(database, { clock, variables: { FAIRLEAD_FLOOD: 'auth=10000/60s' } });
  }, 240_000);
  afterAll(() => gateway?.close());

  const send = (request: ConsoleRequest): Promise<RawResponse> => sendByConsole(gateway, request);
  const signIn = (key = MANAGEMENT_KEY): Promise<string> => signInByKey(gateway, key);
  const statusOf = async (cookie: string): Promise<number> => (await send({ path: '/api/v1/keys', cookie })).status;
  const newAdmin = async (): Promise<{ readonly key: string; readonly hash: string }> =>
    gateway.newKey({ name: 'an admin', kind: 'management' });

  it('begin with a management key, and leave a cookie that only browsers of this host have', async () => {
    const reply = await send({ method: 'POST', path: '/console/session', body: { key: MANAGEMENT_KEY } });
    expect([reply.status, reply.headers['cache-control']]).toEqual([201, 'no-store']);
    const [cookie, ...attributes] = reply.headers['set-cookie']!.split('; ');
    expect(cookie).toMatch(/^__Host-fairlead=[\w-]{43}$/);
    expect(attributes.filter((one) => !/^Expires=/.test(one)).toSorted()).toEqual([
      'HttpOnly',
      'Max-Age=43200',
      'Path=/',
      'SameSite=Strict',
      'Secure',
    ]);
    const token = cookie!.split('=')[1]!;
    expect(reply.json.data).toEqual({
      id: hashKey(token),
      key: hashKey(MANAGEMENT_KEY),
      label: 'Another program',
      created_at: expect.any(String),
      last_seen_at: expect.any(String),
      expires_at: expect.any(String),
      current: true,
    });
    expect(reply.body.toString()).not.toContain(token);
    // Nothing in the store is a credential.
    const rows = JSON.stringify(await gateway.gateway.app.get(DataSource).query('select * from console_sessions'));
    expect([rows.includes(token), rows.includes(MANAGEMENT_KEY)]).toEqual([false, false]);
    expect((await send({ path: '/console/session', cookie })).json.data).toEqual(reply.json.data);
  });

  it.each([
    ['an unknown key', 401, { key: 'sk-fl-v1-nobody' }],
    ['an inference key', 403, { key: API_KEY }],
    ['a hash of a key', 401, { key: hashKey(MANAGEMENT_KEY) }],
    ['an unknown link', 401, { link: 'a'.repeat(43) }],
    ['a link that can be none', 400, { link: 'a' }],
    ['both', 400, { key: MANAGEMENT_KEY, link: 'a'.repeat(43) }],
    ['neither', 400, {}],
    ['an unknown field', 400, { key: MANAGEMENT_KEY, keys: 1 }],
    ['a key that is no text', 400, { key: 5 }],
  ])('do not begin with %s', async (_, status, body) => {
    const reply = await send({ method: 'POST', path: '/console/session', body });
    expect([reply.status, reply.json.error.code, reply.headers['set-cookie']]).toEqual([status, status, undefined]);
    expect(reply.body.toString()).not.toContain(MANAGEMENT_KEY);
  });

  it('do not begin with a body that is large, of another type, or no JSON', async () => {
    const attempt = async (body: string, type = 'application/json'): Promise<number> =>
      (await fetch(`${gateway.origin}/console/session`, { method: 'POST', headers: { 'content-type': type }, body }))
        .status;
    expect([
      await attempt(JSON.stringify({ key: 'k'.repeat(5_000) })),
      await attempt('{"key":"x"}', 'text/plain'),
      await attempt(`key=${MANAGEMENT_KEY}`, 'application/x-www-form-urlencoded'),
      await attempt('{'),
      await attempt(''),
    ]).toEqual([413, 415, 415, 400, 400]);
  });

  it.each([
    ['cross-site', 403],
    ['same-site', 403],
    ['same-origin', 201],
    ['none', 201],
  ])('begin for a page of this origin alone: %s', async (site, status) => {
    const headers = { 'sec-fetch-site': site };
    const reply = await send({ method: 'POST', path: '/console/session', headers, body: { key: MANAGEMENT_KEY } });
    expect(reply.status).toBe(status);
  });

  describe('act for their key', () => {
    const SITES = [undefined, 'none', 'same-origin', 'same-site', 'cross-site'] as const;
    const MARKS = [undefined, '0', '1'] as const;

    it('by every method, from pages of the console alone', async () => {
      const cookie = await signIn();
      const outcomes: unknown[] = [];
      for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'])
        for (const site of SITES)
          for (const mark of MARKS)
            for (const presents of [true, false]) {
              const headers = { ...(site && { 'sec-fetch-site': site }), ...(mark && { 'x-fairlead-console': mark }) };
              const path = method === 'GET' || method === 'POST' ? '/api/v1/keys' : method === 'PUT' ? '/api/v1/budgets/users/u/daily' : `/api/v1/keys/${'0'.repeat(64)}`; // oxfmt-ignore
              const body = method === 'GET' || method === 'DELETE' ? undefined : method === 'PUT' ? { limit_usd: 5 } : { name: 'n' }; // oxfmt-ignore
              const { status } = await send({ method, path, headers, body, ...(presents && { cookie }) });
              const isOwn = method === 'GET' ? site !== 'same-site' && site !== 'cross-site' : site === 'same-origin' && mark === '1'; // oxfmt-ignore
              const done = { GET: 200, POST: 201, PATCH: 404, PUT: 200, DELETE: 404 }[method];
              const expected = !presents ? 401 : isOwn ? done : 403;
              if (status !== expected) outcomes.push({ method, site, mark, presents, status, expected });
            }
      expect(outcomes).toEqual([]);
    });

    it('on the routes of either kind, and never where models are called', async () => {
      const cookie = await signIn();
      const own = await send({ path: '/api/v1/key', cookie });
      expect([own.status, own.json.data.is_management_key]).toEqual([200, true]);
      expect((await send({ path: '/v1/models/count', cookie })).status).toBe(200);
      const body = { model: 'sandbox/echo', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
      for (const path of ['/api/v1/messages', '/api/v1/chat/completions', '/api/v1/messages/count_tokens'])
        expect([path, (await send({ method: 'POST', path, cookie, body })).status]).toEqual([path, 401]);
    });

    it('with replies and refusals that no cache keeps', async () => {
      const cookie = await signIn();
      const kept = async (request: ConsoleRequest): Promise<unknown> => {
        const { status, headers } = await send({ cookie, ...request });
        return [status, headers['cache-control']];
      };
      for (const path of ['/api/v1/keys', '/api/v1/keys?format=csv', '/api/v1/audit', '/api/v1/models', '/console/sessions'])
        expect([path, await kept({ path })]).toEqual([path, [200, 'no-store']]);
      expect(await kept({ path: `/api/v1/keys/${'0'.repeat(64)}` })).toEqual([404, 'no-store']);
      expect(await kept({ path: '/api/v1/keys?limit=0' })).toEqual([400, 'no-store']);
      expect(await kept({ path: '/api/v1/keys', headers: { 'sec-fetch-site': 'cross-site' } })).toEqual([403, 'no-store']);
      expect(await kept({ path: '/api/v1/keys', cookie: `${cookie.slice(0, -4)}none` })).toEqual([401, 'no-store']);
    }); // oxfmt-ignore

    it('only where no key is presented', async () => {
      const cookie = await signIn();
      const statusWith = async (headers: Readonly<Record<string, string>>): Promise<number> =>
        (await send({ path: '/api/v1/keys', cookie, headers })).status;
      expect(await statusWith({ authorization: 'Bearer nobody' })).toBe(401);
      expect(await statusWith({ 'x-api-key': API_KEY })).toBe(403);
      // A key needs nothing of the console.
      const headers = { 'x-api-key': MANAGEMENT_KEY, 'sec-fetch-site': 'cross-site' };
      expect((await send({ method: 'POST', path: '/api/v1/keys', cookie, headers, body: { name: 'n' } })).status).toBe(
        201,
      );
    });

    it.each([
      ['another name', (token: string) => `fairlead=${token}`],
      ['a part of the name', (token: string) => `x__Host-fairlead=${token}`],
      ['a cut token', (token: string) => `__Host-fairlead=${token.slice(1)}`],
      ['another token', () => `__Host-fairlead=${'A'.repeat(43)}`],
      ['the hash of the token', (token: string) => `__Host-fairlead=${hashKey(token)}`],
    ])('not by a cookie with %s', async (_, printed) => {
      const token = (await signIn()).split('=')[1]!;
      expect(await statusOf(printed(token))).toBe(401);
      expect(await statusOf(`a=b; __Host-fairlead=${token}; c=d`)).toBe(200);
    });

    it('with the key as the author in the audit log, by a session', async () => {
      const admin = await newAdmin();
      const cookie = await signIn(admin.key);
      const made = await send({ method: 'POST', path: '/api/v1/keys', cookie, body: { name: 'by a session' } });
      expect(made.status).toBe(201);
      await send({ method: 'DELETE', path: '/console/session', cookie });
      const { data } = await gateway.manage('GET', `/audit?actor=${admin.hash}`);
      const author = { key_hash: admin.hash, user_id: null };
      expect(data.map((one: { action: string; actor: object }) => [one.action, one.actor])).toEqual([
        ['console_session.end', { ...author, session: true }],
        ['api_key.create', { ...author, session: true }],
        ['console_session.create', author],
      ]);
      expect(data[1].target).toBe(made.json.data.hash);
      expect(JSON.stringify(data)).not.toContain(cookie.split('=')[1]);
    });
  });

  describe('end', () => {
    it('after thirty minutes without a request, of which each minute is noted once', async () => {
      const cookie = await signIn();
      const seen = async (): Promise<number> =>
        Date.parse((await send({ path: '/console/session', cookie })).json.data.last_seen_at);
      const first = await seen();
      clock.aheadMs += 30_000;
      expect(await seen()).toBe(first);
      clock.aheadMs += 31_000;
      expect(await statusOf(cookie)).toBe(200);
      expect((await seen()) - first).toBeGreaterThanOrEqual(61_000);
      clock.aheadMs += 29 * MINUTE_MS;
      expect(await statusOf(cookie)).toBe(200);
      clock.aheadMs += 30 * MINUTE_MS + 1;
      const { status, json } = await send({ path: '/api/v1/keys', cookie });
      expect([status, json.error.message]).toEqual([401, OVER]);
    });

    it('after twelve hours, however they are used', async () => {
      const cookie = await signIn();
      for (let past = 0; past + 25 * MINUTE_MS < 12 * HOUR_MS; past += 25 * MINUTE_MS) {
        expect(await statusOf(cookie)).toBe(200);
        clock.aheadMs += 25 * MINUTE_MS;
      }
      expect(await statusOf(cookie)).toBe(200);
      clock.aheadMs += 25 * MINUTE_MS;
      expect(await statusOf(cookie)).toBe(401);
    });

    it('by signing out, which takes the cookie away', async () => {
      const cookie = await signIn();
      const reply = await send({ method: 'DELETE', path: '/console/session', cookie });
      expect([reply.status, reply.json]).toEqual([200, { deleted: true }]);
      expect(reply.headers['set-cookie']).toMatch(/^__Host-fairlead=; Path=\/; Expires=Thu, 01 Jan 1970/);
      expect(await statusOf(cookie)).toBe(401);
      expect((await send({ method: 'DELETE', path: '/console/session', cookie })).status).toBe(401);
    });

    it('by their list, one by one', async () => {
      const [mine, other] = [await signIn(), await signIn()];
      const list = await send({ path: '/console/sessions?limit=2', cookie: mine });
      expect(list.status).toBe(200);
      expect(list.json.total_count).toBeGreaterThanOrEqual(2);
      expect(list.json.data.map(({ current }: { current: boolean }) => current)).toEqual([false, true]);
      const [{ id }] = list.json.data;
      expect(id).toBe(hashKey(other.split('=')[1]!));
      expect((await send({ method: 'DELETE', path: `/console/sessions/${id}`, cookie: mine })).status).toBe(200);
      expect([await statusOf(other), await statusOf(mine)]).toEqual([401, 200]);
      expect((await send({ method: 'DELETE', path: `/console/sessions/${id}`, cookie: mine })).status).toBe(404);
      for (const unknown of ['x', '0'.repeat(64), `${id} `])
        expect((await send({ method: 'DELETE', path: `/console/sessions/${encodeURIComponent(unknown)}`, cookie: mine })).status).toBe(404); // oxfmt-ignore
      // By a key too, without a page.
      const [{ id: own }] = list.json.data.slice(1);
      const byKey = { 'x-api-key': MANAGEMENT_KEY };
      expect((await send({ method: 'DELETE', path: `/console/sessions/${own}`, headers: byKey })).status).toBe(200);
      expect(await statusOf(mine)).toBe(401);
      expect((await send({ path: '/console/session', headers: byKey })).status).toBe(404);
    });

    it('by a key that is bound to a workspace, its own alone', async () => {
      const bound = await gateway.newKey({ name: 'a head', kind: 'management', workspace_id: 'default' });
      const [foreign, own] = [await signIn(), await signIn(bound.key)];
      const list = await send({ path: '/console/sessions', cookie: own });
      const [{ id }] = list.json.data;
      expect([list.json.total_count, id]).toEqual([1, hashKey(own.split('=')[1]!)]);
      const end = async (cookie: string): Promise<number> =>
        (await send({ method: 'DELETE', path: `/console/sessions/${hashKey(cookie.split('=')[1]!)}`, cookie: own })).status; // oxfmt-ignore
      expect([await end(foreign), await statusOf(foreign)]).toEqual([404, 200]);
      expect((await send({ path: '/api/v1/credits', cookie: own })).status).toBe(403);
      expect([await end(own), await statusOf(own)]).toEqual([200, 401]);
    });

    it.each([
      ['disabled', (hash: string) => gateway.manage('PATCH', `/keys/${hash}`, { disabled: true })],
      ['deleted', (hash: string) => gateway.manage('DELETE', `/keys/${hash}`)],
      ['rotated', (hash: string) => gateway.manage('POST', `/keys/${hash}/rotate`, { grace_seconds: 0 })],
    ])('at once with their key, where it is %s', async (_, change) => {
      const { key, hash } = await newAdmin();
      const cookie = await signIn(key);
      expect(await statusOf(cookie)).toBe(200);
      await change(hash);
      const { status, json } = await send({ path: '/api/v1/keys', cookie });
      expect([status, json.error.message]).toEqual([401, OVER]);
    });

    it('with the secret that signed in, where the key is rotated with a grace', async () => {
      const { key, hash } = await newAdmin();
      const cookie = await signIn(key);
      const renewed = (await gateway.manage('POST', `/keys/${hash}/rotate`, { grace_seconds: 600 })).key as string;
      const later = await signIn(renewed);
      expect([await statusOf(cookie), await statusOf(later)]).toEqual([200, 200]);
      clock.aheadMs += 11 * MINUTE_MS;
      expect([await statusOf(cookie), await statusOf(later)]).toEqual([401, 200]);
    });

    it('with a key that expires', async () => {
      const expires_at = new Date(clock.now() + 10 * MINUTE_MS).toISOString();
      const { key } = await gateway.newKey({ kind: 'management', expires_at });
      const cookie = await signIn(key);
      expect(await statusOf(cookie)).toBe(200);
      clock.aheadMs += 10 * MINUTE_MS;
      expect(await statusOf(cookie)).toBe(401);
    });

    it('where a key has more than a hundred: the oldest', async () => {
      const { key } = await newAdmin();
      const cookies: string[] = [];
      for (let count = 0; count < 101; count++) {
        // Sessions are ordered by time.
        clock.aheadMs += 1;
        cookies.push(await signIn(key));
      }
      expect([await statusOf(cookies[0]!), await statusOf(cookies[1]!), await statusOf(cookies[100]!)]).toEqual([401, 200, 200]); // oxfmt-ignore
    }, 240_000);
  });
});

describeOnEachDatabase('the link of the first start', (database) => {
  const clock = new AheadClock();

  it('signs in once, and later starts have none', async () => {
    const first = await startGateway(database, { clock, variables: GENERATED });
    const link = first.gateway.keys.signInLink!;
    expect(link).toMatch(/^[\w-]{43}$/);
    const use = (): Promise<RawResponse> =>
      sendByConsole(first, { method: 'POST', path: '/console/session', body: { link } });
    // A reader of addresses does not use it up.
    expect((await sendByConsole(first, { path: '/console', headers: {} })).status).toBe(200);
    const replies = await Promise.all([use(), use(), use()]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 401, 401]);
    const taken = replies.find(({ status }) => status === 201)!;
    expect(taken.json.data.key).toBe(hashKey(first.gateway.keys.managementKey!));
    const cookie = taken.headers['set-cookie']!.split(';')[0]!;
    expect((await sendByConsole(first, { path: '/api/v1/keys', cookie, headers: CONSOLE_HEADERS })).status).toBe(200);
    expect((await use()).status).toBe(401);
    const rows = await first.gateway.app.get(DataSource).query('select count(*)::int as links from console_links');
    expect(rows).toEqual([{ links: 0 }]);
    await first.close();
    const second = await startGateway(database, { clock, variables: GENERATED });
    expect(second.gateway.keys.signInLink).toBeUndefined();
    await second.close();
  }, 240_000);
});

describeOnEmbedded('the link of a first start', (database) => {
  it('is good for fifteen minutes', async () => {
    const clock = new AheadClock();
    const gateway = await startGateway(database, { clock, variables: GENERATED });
    try {
      const link = gateway.gateway.keys.signInLink!;
      clock.aheadMs += 15 * MINUTE_MS;
      const { status } = await sendByConsole(gateway, { method: 'POST', path: '/console/session', body: { link } });
      expect(status).toBe(401);
    } finally {
      await gateway.close();
    }
  }, 240_000);
});

describeOnEmbedded('a first start with keys of its own', (database) => {
  it('has no link: its operator knows them, and its output stays as it is', async () => {
    const gateway = await startGateway(database);
    expect(gateway.gateway.keys).toEqual({});
    await gateway.close();
  }, 240_000);
});

describeOnEmbedded('a gateway without a console', (database) => {
  it('has no page, no link, and takes no session', async () => {
    const withConsole = await startGateway(database);
    const cookie = await signInByKey(withConsole, MANAGEMENT_KEY);
    await withConsole.close();
    const gateway = await startGateway(database, { variables: { FAIRLEAD_CONSOLE: 'off' } });
    try {
      const statusOf = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> =>
        (await sendByConsole(gateway, { path, cookie, headers })).status;
      expect([await statusOf('/console'), await statusOf('/console/session'), await statusOf('/api/v1/keys')]).toEqual([404, 404, 401]); // oxfmt-ignore
      const root = await sendByConsole(gateway, { path: '/', headers: { accept: 'text/html' } });
      expect([root.status, root.headers['location']]).toEqual([302, '/docs']);
    } finally {
      await gateway.close();
    }
  }, 240_000);
});

describeOnEmbedded('guesses at the console', (database) => {
  it('are limited by address, as guesses at keys are, and together with them', async () => {
    const gateway = await startGateway(database, { variables: { FAIRLEAD_FLOOD: 'auth=6/60s' } });
    try {
      const guesses: ConsoleRequest[] = [
        { method: 'POST', path: '/console/session', body: { key: 'nobody' } },
        { method: 'POST', path: '/console/session', body: { link: 'b'.repeat(43) } },
        { path: '/api/v1/keys', cookie: `__Host-fairlead=${'c'.repeat(43)}` },
        { path: '/api/v1/keys', headers: { 'x-api-key': 'nobody' } },
      ];
      const statuses: number[] = [];
      for (let round = 0; round < 2; round++)
        for (const guess of guesses) statuses.push((await sendByConsole(gateway, guess)).status);
      expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429, 429]);
    } finally {
      await gateway.close();
    }
  }, 240_000);
});
