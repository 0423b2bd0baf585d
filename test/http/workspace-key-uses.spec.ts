/**
 * Checks that a management key that is bound to a workspace reaches nothing beyond it, on both databases. Routes come
 * from the description, and what a bound key may do by each from the table `WORKSPACE_KEY_USES`: every route is called
 * with the ids of its own workspace and with those of another, and every table is compared. A route without a row
 * fails.
 * test/http/isolation.spec.ts does the same for accounts.
 */
import { DataSource } from 'typeorm';
import { hashKey } from '../../src/core/ids.js';
import { WORKSPACE_KEY_USES, type WorkspaceKeyUse } from '../../src/shared/http/workspace-key-uses.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { ApiDescription, type DescribedOperation } from '../support/description.js';
import type { JsonBody } from '../support/recorded-request.js';
import { generationRow, ownerOf, settle } from './generation-rows.js';
import { ask } from './messages-bench.js';

const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString();
const DAY = YESTERDAY.slice(0, 10);
const REFUSAL = 'only a management key of the account can perform this operation';
/** The catalog is the same for all workspaces. */
const COMMON = /^\/(models?|embeddings|endpoints|providers|routing)(\/|$)/;

/** Ids and names of everything in a workspace. */
interface Things {
  readonly workspace: string;
  readonly slug: string;
  readonly key: string;
  readonly secret: string;
  readonly user: string;
  readonly credential: string;
  readonly guardrail: string;
  /** The account has assigned it to a member. */
  readonly membersGuardrail: string;
  readonly generation: string;
  /** A management key that is bound to it. */
  readonly head: string;
  readonly headHash: string;
}

interface Route extends DescribedOperation {
  /** As in the table: `GET /keys/{hash}`. */
  readonly name: string;
  readonly use: WorkspaceKeyUse;
  /** Names of its query parameters, and of the fields of its body. */
  readonly query: readonly string[];
  readonly fields: readonly string[];
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly body: JsonBody;
}

describeOnEachDatabase('management keys that are bound to a workspace', (database) => {
  let gateway: TestGateway;
  let store: DataSource;
  let routes: readonly Route[];
  let ours: Things;
  let theirs: Things;
  let home: string;
  const account: Record<string, string> = {};

  beforeAll(async () => {
    gateway = await startGateway(database);
    store = gateway.gateway.app.get(DataSource);
    routes = routesOf(await ApiDescription.of(gateway));
    ours = await makeThings('ours');
    theirs = await makeThings('theirs');
    home = (await ownerOf(store, hashKey(API_KEY))).workspace_id;
    const config = { url: 'https://alarms.example.com/' };
    const destination = await gateway.manage('POST', '/observability/destinations', { name: 'd', type: 'webhook', config, workspace_id: ours.workspace }); // oxfmt-ignore
    account['destination'] = destination.data.id;
    const on = { kind: 'limit', key: ours.key };
    account['alarm'] = (await gateway.manage('POST', '/alarms', { name: 'a', on, destination_ids: [] })).data.id;
    await gateway.manage('PUT', '/budgets/users/a-user/daily', { limit_usd: 5 });
    await gateway.manage('POST', '/credits', { amount: 3, note: 'note of the account' });
    account['key'] = hashKey(MANAGEMENT_KEY);
    account['inference'] = hashKey(API_KEY);
  }, 240_000);
  afterAll(() => gateway?.close());

  async function send(method: string, path: string, key: string, body?: object): Promise<Reply> {
    const response = await gateway.request(path, {
      method,
      key,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, text, body: isJson && text !== '' ? JSON.parse(text) : undefined };
  }

  async function makeThings(slug: string): Promise<Things> {
    const create = async (path: string, body: object): Promise<JsonBody> => gateway.manage('POST', path, body);
    const { data: workspace } = await create('/workspaces', { name: `name-of-${slug}`, slug });
    const within = { workspace_id: workspace.id };
    const user = `user-of-${slug}`;
    const { data: key } = await create('/keys', { name: `key-of-${slug}`, limit: 5, creator_user_id: user, ...within });
    const rotated = await create(`/keys/${key.hash}/rotate`, { grace_seconds: 3_600 });
    const { data: credential } = await create('/byok', { provider: 'sandbox', key: 'opens-nothing', ...within });
    const { data: guardrail } = await create('/guardrails', { name: `guardrail-of-${slug}`, limit_usd: 5, ...within });
    await create(`/guardrails/${guardrail.id}/assignments/keys`, { key_hashes: [key.hash] });
    const { data: membersGuardrail } = await create('/guardrails', { name: `further-guardrail-of-${slug}`, ...within });
    const members = { member_user_ids: [`member-of-${slug}`] };
    await create(`/guardrails/${membersGuardrail.id}/assignments/members`, members);
    await create(`/workspaces/${workspace.id}/members/add`, { user_ids: [`member-of-${slug}`] });
    await gateway.manage('PUT', `/workspaces/${workspace.id}/budgets/daily`, { limit_usd: 5 });
    await create(`/presets/preset-of-${slug}/messages?workspace_id=${workspace.id}`, { temperature: 1 });
    const head = await create('/keys', { name: `head-of-${slug}`, kind: 'management', ...within });
    const row = generationRow(await ownerOf(store, key.hash), { held_at: YESTERDAY, cost: '0.25', key_user: user });
    await settle(store, row);
    return {
      workspace: workspace.id,
      slug,
      key: key.hash,
      secret: rotated.data.former_secrets[0].id,
      user,
      credential: credential.id,
      guardrail: guardrail.id,
      membersGuardrail: membersGuardrail.id,
      generation: row.id,
      head: head.key,
      headHash: head.data.hash,
    };
  }

  /** What is shown of these nowhere else. */
  const marksOf = ({ head: _, ...things }: Things): string[] => [
    ...Object.values(things).filter((mark) => mark !== things.slug),
    ...['name', 'user', 'member', 'key', 'guardrail', 'preset', 'head'].map((kind) => `${kind}-of-${things.slug}`),
  ];
  /** The marks of other workspaces and of the account in a reply. The log may name a key of the account as an actor. */
  const foreignMarks = (text: string, path = ''): string[] => {
    const { key = '', ...things } = account;
    const ofAccount = [...Object.values(things), home, 'note of the account', ...(path === '/audit' ? [] : [key])];
    return [...marksOf(theirs), ...ofAccount].filter((mark) => text.includes(mark));
  };

  /** Every row, but for the time at which an alarm was last judged. */
  const everything = (): Promise<JsonBody[]> =>
    store.query(
      ['accounts', 'workspaces', 'workspace_members', 'budgets', 'provider_credentials', 'guardrails', 'guardrail_assignments', 'presets', 'preset_versions', 'api_keys', 'api_key_secrets', 'destinations', 'alarms', 'outbox_events', 'credit_grants', 'statements', 'audit_entries']
        .map((table) => `select '${table}' as name, coalesce(json_agg(to_jsonb(t) - 'judged_at' order by t::text), '[]')::text as rows from ${table} t`)
        .join(' union all '),
    ); // oxfmt-ignore

  function pathOf({ path }: Route, things: Things): string {
    const ids: Record<string, string> = {
      keys: things.secret,
      byok: things.credential,
      guardrails: things.guardrail,
      alarms: account['alarm']!,
      observability: account['destination']!,
      budgets: 'a-user',
    };
    return path
      .replace('{hash}', things.key)
      .replace('{id}', ids[path.split('/')[1]!] ?? 'none')
      .replace('{reference}', things.workspace)
      .replace('{slug}', `preset-of-${things.slug}`)
      .replace('{version}', '1')
      .replace('{interval}', 'daily')
      .replace('{month}', new Date().toISOString().slice(0, 7))
      .replace('{scope}', 'users');
  }

  /** Bodies that are valid for these things, by the name of the route. */
  const bodyOf = ({ name }: Route, things: Things): object | undefined => {
    const bodies: Record<string, object> = {
      'POST /keys': { name: 'a further key' },
      'POST /keys/disable': { creator_user_id: things.user },
      'PATCH /keys/{hash}': { name: `key-of-${things.slug}, renamed` },
      'POST /keys/{hash}/raise': { amount_usd: 1, until: '2099-01-01T00:00:00Z' },
      'POST /keys/{hash}/rotate': { grace_seconds: 0 },
      'POST /byok': { provider: 'sandbox', key: 'opens-nothing' },
      'PATCH /byok/{id}': { name: 'renamed' },
      'POST /analytics/query': { metrics: ['request_count', 'total_usage'], dimensions: ['workspace', 'api_key_id'] },
      'PATCH /workspaces/{reference}': { description: 'Ours', tags: { team: 'ours' }, enforce_zdr: true },
      'POST /workspaces/{reference}/members/add': { user_ids: ['another-member'] },
      'POST /workspaces/{reference}/members/remove': { user_ids: ['another-member'] },
      'POST /guardrails': { name: 'a further guardrail' },
      'PATCH /guardrails/{id}': { limit_usd: 4 },
      'POST /guardrails/{id}/test': { text: 'a text' },
      'POST /guardrails/{id}/assignments/keys': { key_hashes: [things.key] },
      'POST /guardrails/{id}/assignments/keys/remove': { key_hashes: [things.key] },
      'PATCH /presets/{slug}': { description: 'Ours' },
      'POST /presets/{slug}/messages': { temperature: 1 },
      'POST /presets/{slug}/chat/completions': { temperature: 1 },
      'POST /presets/{slug}/responses': { temperature: 1 },
      'POST /routing/explain': ask('sandbox/echo'),
    };
    return bodies[name];
  };

  /** Queries by the name of the route. */
  const queryOf = ({ name }: Route, things: Things): string => {
    const queries: Record<string, string> = {
      'GET /generation': `?id=${things.generation}`,
      'GET /activity': `?from=${DAY}&group_by=workspace,key`,
    };
    return queries[name] ?? '';
  };

  const own = (): readonly Route[] =>
    routes.filter(({ path, use }) => use === 'own workspace' && !COMMON.test(path)).toSorted(byEnds);

  it('have a row for every route that takes a management key, and for no other', () => {
    // Sessions of the console are not described: test/http/console-sessions.spec.ts.
    const described = Object.keys(WORKSPACE_KEY_USES).filter((name) => !name.includes(' /console/'));
    expect(routes.map(({ name }) => name).sort()).toEqual(described.sort());
    expect(new Set(routes.map(({ use }) => use)).size).toBe(2);
  });

  it('are refused, with the reason, by every route that is for keys of the account', async () => {
    const before = await everything();
    const refused = routes.filter(({ use }) => use === 'account only');
    expect(refused.length).toBeGreaterThan(20);
    for (const route of refused)
      for (const things of [ours, theirs]) {
        const { status, body } = await send(route.method, pathOf(route, things), ours.head, bodyOf(route, things));
        expect([route.name, status, body.error.code]).toEqual([route.name, 403, 403]);
        expect(body.error.message).toContain(REFUSAL);
      }
    expect(await everything()).toEqual(before);
    for (const route of refused.filter(({ method }) => method === 'GET'))
      expect([route.name, (await send('GET', pathOf(route, ours), MANAGEMENT_KEY)).status]).toEqual([route.name, 200]);
    expect((await send('HEAD', '/credits', ours.head)).status).toBe(403);
    expect((await send('HEAD', '/keys', ours.head)).status).toBe(200);
  });

  it('read the catalog as every key does', async () => {
    for (const route of routes.filter(({ path }) => COMMON.test(path))) {
      const path = route.path.replace('{author}', 'sandbox').replace(/\{\w+\}/, 'echo');
      const [bound, unbound] = await Promise.all(
        [ours.head, MANAGEMENT_KEY].map((key) => send(route.method, path, key, bodyOf(route, ours))),
      );
      expect([route.name, bound!.status]).toEqual([route.name, unbound!.status]);
      expect([200, 404]).toContain(bound!.status);
    }
  });

  it('find nothing of another workspace by its id, and change nothing of it, on any route', async () => {
    const before = await everything();
    // Each workspace may have a preset of any slug.
    const named = own().filter(({ name, parameters }) => parameters.length > 0 && !name.startsWith('POST /presets/'));
    expect(named.length).toBeGreaterThan(20);
    for (const route of named) {
      const path = pathOf(route, theirs);
      for (const one of new Set([path, path.replace(theirs.workspace, theirs.slug)])) {
        const { status, body } = await send(route.method, one, ours.head, bodyOf(route, theirs));
        expect([route.name, one, status, body.error?.code]).toEqual([route.name, one, 404, 404]);
      }
    }
    expect(await everything()).toEqual(before);
  });

  it('name no other workspace in a query or a body, on any route', async () => {
    const before = await everything();
    let calls = 0;
    for (const route of own()) {
      const body = bodyOf(route, ours);
      const [isQuery, isField] = [route.query, route.fields].map((names) => names.includes('workspace_id'));
      if (!isQuery && !isField) continue;
      for (const reference of [theirs.workspace, theirs.slug, home, 'default']) {
        const query = isQuery ? `?workspace_id=${reference}` : '';
        const reply = await send(route.method, pathOf(route, ours) + query, ours.head, isField ? { ...body, workspace_id: reference } : body); // oxfmt-ignore
        // A field that never changes is refused as such.
        const expected = isField && route.method === 'PATCH' ? 400 : 404;
        expect([route.name, reference, reply.status]).toEqual([route.name, reference, expected]);
        calls++;
      }
    }
    expect(calls).toBeGreaterThan(30);
    expect(await everything()).toEqual(before);
  });

  it('see everything of their own workspace in every list, and nothing else, in every format', async () => {
    /** What each list has to show. */
    const shown: Record<string, readonly string[]> = {
      'GET /keys': [ours.key, ours.headHash],
      'GET /key': [ours.workspace],
      'GET /byok': [ours.credential],
      'GET /generation': [ours.generation],
      'GET /generations': [ours.generation],
      'GET /activity': [ours.workspace, ours.key],
      'GET /analytics/meta': [],
      'GET /catalog': [],
      'GET /credits/entries': [ours.generation],
      'GET /workspaces': [ours.workspace],
      'GET /organization/members': [ours.user, 'member-of-ours'],
      'GET /guardrails': [ours.guardrail, ours.membersGuardrail],
      'GET /guardrails/assignments/keys': [ours.key, ours.guardrail],
      'GET /guardrails/assignments/members': ['member-of-ours'],
      'GET /presets': ['preset-of-ours'],
      'GET /audit': [ours.workspace, ours.key, ours.credential, ours.guardrail],
    };
    const lists = own().filter(({ method, parameters }) => method === 'GET' && parameters.length === 0);
    expect(lists.map(({ name }) => name).sort()).toEqual(Object.keys(shown).sort());
    for (const route of lists) {
      const further = ['workspace_id=ours', `workspace_id=${ours.workspace}`, 'format=csv', 'format=ndjson', 'include_deleted=true', 'include_disabled=true', 'sort=usage', 'limit=100'].filter((query) => route.query.includes(query.split('=')[0]!)); // oxfmt-ignore
      for (const parameter of ['', ...further]) {
        const first = queryOf(route, ours);
        const query = parameter === '' ? first : `${first}${first === '' ? '?' : '&'}${parameter}`;
        const { status, text } = await send('GET', route.path + query, ours.head);
        expect([route.name, query, status, foreignMarks(text, route.path)]).toEqual([route.name, query, 200, []]);
        for (const mark of shown[route.name]!) expect([route.name, query, text]).toEqual([route.name, query, expect.stringContaining(mark)]); // oxfmt-ignore
      }
    }
  });

  it('count only what they see', async () => {
    for (const path of ['/workspaces', '/byok', '/guardrails/assignments/keys', '/guardrails/assignments/members']) {
      const { body } = await send('GET', path, ours.head);
      expect([path, body.total_count, body.data.length]).toEqual([path, 1, 1]);
    }
    for (const path of ['/keys', '/guardrails', '/organization/members']) {
      const { body } = await send('GET', `${path}?limit=1`, ours.head);
      expect([path, body.total_count]).toEqual([path, 2]);
    }
  });

  it('sum up only their own workspace, whatever is filtered by', async () => {
    const query = { metrics: ['request_count', 'total_usage'], dimensions: ['workspace'] };
    const rowsBy = async (filters: object[]): Promise<JsonBody> =>
      (await send('POST', '/analytics/query', ours.head, { ...query, filters })).body.data.data;
    const all = await rowsBy([]);
    expect(all).toMatchObject([{ request_count: 1, total_usage: 0.25 }]);
    expect(all).toHaveLength(1);
    for (const [operator, value] of [
      ['neq', ours.workspace],
      ['eq', theirs.workspace],
      ['in', [theirs.workspace, home]],
    ] as const)
      // oxfmt-ignore
      expect([operator, await rowsBy([{ field: 'workspace', operator, value, include_unset: true }])]).toEqual([operator, []]);
    expect(await rowsBy([{ field: 'api_key_id', operator: 'eq', value: 'key-of-theirs' }])).toEqual([]);
    const activity = await send('GET', '/activity', ours.head);
    expect(activity.body.data).toMatchObject([{ requests: 1, usage: 0.25 }]);
    for (const path of [
      `/activity?key=${theirs.key}`,
      `/activity?api_key_hash=${theirs.key}`,
      `/generations?key=${theirs.key}`,
      `/generation?id=${theirs.generation}`,
    ])
      // oxfmt-ignore
      expect([path, (await send('GET', path, ours.head)).status]).toEqual([path, 404]);
    for (const path of [
      `/activity?member=${theirs.user}`,
      `/generations?from=${DAY}&member=${theirs.user}`,
      '/credits/entries?kind=grant',
      '/credits/entries?kind=purchase',
    ])
      // oxfmt-ignore
      expect([path, (await send('GET', path, ours.head)).body.data]).toEqual([path, []]);
  });

  it('accept no cursor of another key', async () => {
    const earlier = new Date(Date.parse(YESTERDAY) - 1_000).toISOString();
    for (const { key } of [ours, theirs])
      await settle(store, generationRow(await ownerOf(store, key), { held_at: earlier, cost: '0.5' }));
    for (const path of ['/generations?limit=1', '/credits/entries?limit=1']) {
      const cursorFor = async (key: string): Promise<string> => (await send('GET', path, key)).body.next_cursor;
      const goOn = (cursor: string): Promise<Reply> => send('GET', `${path}&cursor=${cursor}`, ours.head);
      for (const key of [MANAGEMENT_KEY, theirs.head]) expect((await goOn(await cursorFor(key))).status).toBe(400);
      const next = await goOn(await cursorFor(ours.head));
      expect([next.status, next.body.data.length, foreignMarks(next.text)]).toEqual([200, 1, []]);
    }
    // A cursor of the account's log gives no access by itself.
    const { body } = await send('GET', '/audit?limit=1', MANAGEMENT_KEY);
    const further = await send('GET', `/audit?limit=100&cursor=${body.next_cursor}`, ours.head);
    expect([further.status, foreignMarks(further.text, '/audit')]).toEqual([200, []]);
    expect(further.body.data.length).toBeGreaterThan(0);
  });

  describe('as makers of keys', () => {
    const make = (body: object, key = ours.head): Promise<Reply> =>
      send('POST', '/keys', key, { name: 'made', ...body });

    it('make inference keys and bound management keys of their workspace, and no others', async () => {
      for (const [kind, bound] of [['inference', false], ['management', true]] as const)
        for (const query of [{}, { workspace_id: ours.slug }, { workspace_id: ours.workspace }]) {
          const { status, body } = await make({ kind, ...query });
          expect([status, body.data.workspace_id, body.data.is_workspace_bound]).toEqual([201, ours.workspace, bound]);
          if (bound) expect((await send('GET', '/credits', body.key)).status).toBe(403);
        } // oxfmt-ignore
    });

    it('are bound where a workspace is given for them, also the default one, and else of the account', async () => {
      for (const [query, bound, status] of [[{}, false, 200], [{ workspace_id: 'default' }, true, 403], [{ workspace_id: home }, true, 403], [{ workspace_id: 'theirs' }, true, 403]] as const) {
        const { body } = await make({ kind: 'management', ...query }, MANAGEMENT_KEY);
        expect([query, body.data.is_workspace_bound]).toEqual([query, bound]);
        expect((await send('GET', `/keys/${body.data.hash}`, MANAGEMENT_KEY)).body.data.is_workspace_bound).toBe(bound);
        const { data } = (await send('GET', '/key', body.key)).body;
        expect([data.is_management_key, data.is_workspace_bound]).toEqual([true, bound]);
        expect([query, (await send('GET', '/credits', body.key)).status]).toEqual([query, status]);
        await gateway.manage('DELETE', `/keys/${body.data.hash}`);
      } // oxfmt-ignore
      const { data } = (await make({ workspace_id: 'theirs' }, MANAGEMENT_KEY)).body;
      expect([data.kind, data.is_workspace_bound]).toEqual(['inference', false]);
      await gateway.manage('DELETE', `/keys/${data.hash}`);
    });

    it('see no more of the account in their own status than inference keys', async () => {
      const status = async (key: string): Promise<string[]> =>
        Object.keys((await send('GET', '/key', key)).body.data).sort();
      expect(await status(ours.head)).toEqual(await status(API_KEY));
    });

    it('stay bound when they are rotated, and work no longer when they are deleted', async () => {
      const made = await make({ kind: 'management' });
      const { key } = await gateway.manage('POST', `/keys/${made.body.data.hash}/rotate`, { grace_seconds: 0 });
      const rotated = await send('POST', `/keys/${made.body.data.hash}/rotate`, key, { grace_seconds: 0 });
      expect([rotated.status, rotated.body.data.is_workspace_bound]).toEqual([201, true]);
      for (const [path, status] of [['/credits', 403], [`/keys/${theirs.key}`, 404], [`/keys/${ours.key}`, 200]] as const)
        expect([path, (await send('GET', path, rotated.body.key)).status]).toEqual([path, status]);
      expect((await send('DELETE', `/keys/${made.body.data.hash}`, rotated.body.key)).status).toBe(200);
      expect((await send('GET', '/keys', rotated.body.key)).status).toBe(401);
    }); // oxfmt-ignore

    it('disable the keys of a user in their workspace alone', async () => {
      const both = { creator_user_id: 'in both' };
      const [mine, other] = [await make(both), await make({ ...both, workspace_id: 'theirs' }, MANAGEMENT_KEY)];
      const { body } = await send('POST', '/keys/disable', ours.head, both);
      expect(body.data).toEqual({ disabled: 1 });
      const isDisabled = async (reply: Reply): Promise<boolean> =>
        (await gateway.manage('GET', `/keys/${reply.body.data.hash}`)).data.disabled;
      expect([await isDisabled(mine), await isDisabled(other)]).toEqual([true, false]);
      expect((await send('POST', '/keys/disable', ours.head, { creator_user_id: theirs.user })).body.data).toEqual({ disabled: 0 }); // oxfmt-ignore
      await gateway.manage('DELETE', `/keys/${other.body.data.hash}`);
    });

    it('never count as the last management key of the account', async () => {
      for (const [method, body] of [['DELETE', undefined], ['PATCH', { disabled: true }]] as const) {
        const reply = await send(method, `/keys/${account['key']}`, MANAGEMENT_KEY, body);
        expect([reply.status, reply.body.error.message]).toEqual([400, expect.stringContaining('last management key of the account')]);
      } // oxfmt-ignore
    });
  });

  describe('of the default workspace, in which the keys of the account are stored', () => {
    let head: string;
    beforeAll(async () => {
      head = (await gateway.manage('POST', '/keys', { name: 'head-of-home', kind: 'management', workspace_id: 'default' })).key; // oxfmt-ignore
    });
    afterAll(() => gateway.manage('DELETE', `/keys/${hashKey(head)}`));

    it('see, change and rotate none of those keys', async () => {
      const before = await everything();
      const path = `/keys/${account['key']}`;
      for (const [method, one, body] of [
        ['GET', path, undefined],
        ['PATCH', path, { name: 'mine now' }],
        ['DELETE', path, undefined],
        ['POST', `${path}/rotate`, { grace_seconds: 0 }],
      ] as const)
        expect([method, one, (await send(method, one, head, body)).status]).toEqual([method, one, 404]);
      expect(await everything()).toEqual(before);
      const { text, body } = await send('GET', '/keys', head);
      expect([text.includes(account['key']!), text.includes(account['inference']!)]).toEqual([false, true]);
      expect(body.total_count).toBe(2);
      expect((await send('GET', `/audit?target=${account['key']}`, head)).body.data).toEqual([]);
      expect((await send('GET', `/audit?target=${account['inference']}`, head)).body.data).toHaveLength(1);
      expect((await send('GET', `/activity?key=${account['key']}`, head)).status).toBe(404);
    });

    it('disable none of them with the keys of their user', async () => {
      const user = { creator_user_id: 'an administrator' };
      const { data } = await gateway.manage('POST', '/keys', { name: 'of the account', kind: 'management', ...user });
      expect((await send('POST', '/keys/disable', head, user)).body.data).toEqual({ disabled: 0 });
      const { text } = await send('GET', '/organization/members', head);
      expect(text).not.toContain('an administrator');
      const all = await gateway.manage('GET', '/organization/members?limit=100');
      expect(all.data.find(({ id }: JsonBody) => id === 'an administrator').role).toBe('org:admin');
      await gateway.manage('DELETE', `/keys/${data.hash}`);
    });
  });

  describe('leave what the account decides', () => {
    const refusalOf = async (method: string, path: string, body?: object): Promise<[number, string]> => {
      const reply = await send(method, path, ours.head, body);
      return [reply.status, reply.body.error?.message];
    };
    const OF_ACCOUNT = expect.stringContaining('only a management key of the account can');

    it('of a workspace: its slug, what its budgets count, a guardrail over it', async () => {
      const path = `/workspaces/${ours.workspace}`;
      for (const body of [{ slug: 'mine' }, { include_byok_in_budgets: true }])
        expect(await refusalOf('PATCH', path, body)).toEqual([403, OF_ACCOUNT]);
      expect((await send('PATCH', path, ours.head, { slug: 'ours', include_byok_in_budgets: false, name: 'name-of-ours' })).status).toBe(200); // oxfmt-ignore
      expect((await send('PATCH', path, ours.head, { default_guardrail_id: ours.guardrail })).status).toBe(200);
      expect((await send('PATCH', path, ours.head, { default_guardrail_id: theirs.guardrail })).status).toBe(404);
      expect((await send('PATCH', path, ours.head, { default_guardrail_id: null })).status).toBe(200);
      await gateway.manage('PATCH', path, { default_guardrail_id: theirs.guardrail });
      for (const id of [null, ours.guardrail])
        expect(await refusalOf('PATCH', path, { default_guardrail_id: id })).toEqual([403, OF_ACCOUNT]);
      await gateway.manage('PATCH', path, { default_guardrail_id: null });
    });

    it('of guardrails: those in force for members or elsewhere, and those of other workspaces on its keys', async () => {
      const further = `/guardrails/${ours.membersGuardrail}`;
      for (const [method, body] of [['PATCH', { limit_usd: 9 }], ['DELETE', undefined]] as const)
        expect(await refusalOf(method, further, body)).toEqual([403, OF_ACCOUNT]);
      const guardrail = `/guardrails/${ours.guardrail}`;
      await gateway.manage('POST', `${guardrail}/assignments/keys`, { key_hashes: [theirs.key] });
      expect(await refusalOf('PATCH', guardrail, { limit_usd: 9 })).toEqual([403, OF_ACCOUNT]);
      const shown = await send('GET', `${guardrail}/assignments/keys`, ours.head);
      expect([shown.body.total_count, foreignMarks(shown.text)]).toEqual([1, []]);
      expect((await send('POST', `${guardrail}/assignments/keys/remove`, ours.head, { key_hashes: [theirs.key] })).body).toEqual({ unassigned_count: 0 });
      await gateway.manage('POST', `/guardrails/${theirs.guardrail}/assignments/keys`, { key_hashes: [theirs.key, ours.key] });
      expect(await refusalOf('POST', `${guardrail}/assignments/keys`, { key_hashes: [ours.key] })).toEqual([403, OF_ACCOUNT]);
      expect((await send('GET', '/guardrails/assignments/keys', ours.head)).body.total_count).toBe(0);
      await gateway.manage('POST', `${guardrail}/assignments/keys`, { key_hashes: [ours.key] });
      expect((await refusalOf('POST', `${guardrail}/assignments/keys`, { key_hashes: [theirs.key] }))[0]).toBe(400);
      await gateway.manage('PATCH', '/workspaces/theirs', { default_guardrail_id: ours.guardrail });
      expect(await refusalOf('PATCH', guardrail, { limit_usd: 9 })).toEqual([403, OF_ACCOUNT]);
      await gateway.manage('PATCH', '/workspaces/theirs', { default_guardrail_id: null });
      expect((await send('PATCH', guardrail, ours.head, { limit_usd: 9 })).status).toBe(200);
    }); // oxfmt-ignore

    it('of credentials: none is for keys of other workspaces', async () => {
      const body = { provider: 'sandbox', key: 'x', allowed_api_key_hashes: [theirs.key] };
      expect((await refusalOf('POST', '/byok', body))[0]).toBe(400);
      expect((await refusalOf('PATCH', `/byok/${ours.credential}`, { allowed_api_key_hashes: [theirs.key] }))[0]).toBe(400); // oxfmt-ignore
      const made = await send('POST', '/byok', ours.head, { ...body, allowed_api_key_hashes: [ours.key] });
      expect([made.status, made.body.data.workspace_id]).toEqual([201, ours.workspace]);
    });
  });

  // The last: it ends what the others use.
  it('do all of it in their own workspace, on every route', async () => {
    const before = await rowsOf(theirs.workspace);
    for (const route of own()) {
      const path = pathOf(route, ours) + queryOf(route, ours);
      const { status, text, body } = await send(route.method, path, ours.head, bodyOf(route, ours));
      // Entries of its own guardrails name what the account has assigned them to.
      const foreign = route.path === '/audit' ? [] : foreignMarks(text);
      expect([route.name, status, foreign]).toEqual([route.name, route.status, []]);
      const query = body.data?.workspace_id;
      if (query !== undefined) expect([route.name, query]).toEqual([route.name, ours.workspace]);
    }
    expect(await rowsOf(theirs.workspace)).toEqual(before);
  });

  const rowsOf = (workspace: string): Promise<JsonBody[]> =>
    store.query(
      ['workspace_members', 'provider_credentials', 'guardrails', 'api_keys']
        .map((table) => `select '${table}' as name, coalesce(json_agg(t order by t::text), '[]')::text as rows from ${table} t where workspace_id = $1`)
        .join(' union all '),
      [workspace],
    ); // oxfmt-ignore
});

/** Routes that take a management key, alone or as either kind. */
function routesOf({ document, operations }: ApiDescription): readonly Route[] {
  return operations.flatMap((operation) => {
    const { method, path, isOpen } = operation;
    const described = document.paths[path][method.toLowerCase()];
    if (isOpen || described['x-key-kind'] === 'inference') return [];
    const name = `${method} ${path}`;
    const { $ref = '' } = described.requestBody?.content['application/json'].schema ?? {};
    const body = document.components.schemas[$ref.split('/').at(-1)];
    const query = (described.parameters ?? []).filter((parameter: JsonBody) => parameter.in === 'query');
    return [
      {
        ...operation,
        name,
        use: WORKSPACE_KEY_USES[name] ?? 'account only',
        query: query.map((parameter: JsonBody) => parameter.name),
        fields: Object.keys(body?.properties ?? {}),
      },
    ];
  });
}

/** What ends something that the other routes need, in this order. */
const ENDS = [
  'DELETE /keys/{hash}/secrets/{id}',
  'POST /keys/{hash}/rotate',
  'POST /keys/disable',
  'DELETE /guardrails/{id}',
  'DELETE /byok/{id}',
  'DELETE /presets/{slug}',
  'DELETE /keys/{hash}',
];
const byEnds = (one: Route, other: Route): number => ENDS.indexOf(one.name) - ENDS.indexOf(other.name);
