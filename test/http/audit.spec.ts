// Checks that /audit lists every change of keys and credits once, unaltered and without a secret, omits what failed
// or changed nothing, and that its pages neither repeat nor hide an entry. The real app is called over HTTP; hashes
// are recomputed from the returned entries.
import { DataSource } from 'typeorm';
import { AuditLog, hashEntry, operatorOf } from '../../src/audit/audit-log.js';
import { hashKey, newUuid } from '../../src/core/ids.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { addStrangers, ownerOf, type Owner } from './generation-rows.js';

interface Entry {
  readonly id: string;
  readonly created_at: string;
  readonly actor: { readonly key_hash: string; readonly user_id: string | null };
  readonly action: string;
  readonly target: string;
  readonly workspace_id: string | null;
  readonly before: object | null;
  readonly after: object | null;
  readonly previous_hash: string;
  readonly hash: string;
  readonly seal: string;
}

interface Page {
  readonly data: readonly Entry[];
  readonly next_cursor: string | null;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly body: Page & {
    readonly key: string;
    readonly data: { readonly hash: string };
    readonly error: { readonly code: number; readonly message: string };
  };
}

const FIGURES = /usage|remaining|held|last_used_at|former_secrets/;

describeOnEmbedded('the audit log over HTTP', (database) => {
  let gateway: TestGateway;
  let store: DataSource;
  let owner: Owner;

  beforeAll(async () => {
    gateway = await startGateway(database);
    store = gateway.gateway.app.get(DataSource, { strict: false });
    owner = await ownerOf(store, hashKey(API_KEY));
  }, 240_000);
  afterAll(() => gateway?.close());

  async function call(method: string, path: string, body?: object, key = MANAGEMENT_KEY): Promise<Reply> {
    const response = await gateway.request(path, {
      method,
      key,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) as Reply['body'] };
  }

  async function list(query = ''): Promise<Page> {
    const { status, body } = await call('GET', `/audit?${query}`);
    expect([query, status]).toEqual([query, 200]);
    return body;
  }

  /** The entries appended since then, oldest first. */
  async function entriesOf(act: () => Promise<unknown>): Promise<readonly Entry[]> {
    const newest = Number((await list('limit=1')).data[0]!.id);
    await act();
    const { data } = await list('limit=100');
    return data.filter(({ id }) => Number(id) > newest).reverse();
  }

  async function create(
    body: object = {},
  ): Promise<{ readonly key: string; readonly data: { readonly hash: string } }> {
    const reply = await call('POST', '/keys', { name: 'name', ...body });
    expect(reply.status).toBe(201);
    return reply.body;
  }

  it('begins with the keys of the variables, by the operator', async () => {
    const { data } = await list('actor=operator&action=api_key.create');
    expect(data.map(({ target }) => target)).toEqual([hashKey(API_KEY), hashKey(MANAGEMENT_KEY)]);
    expect(data[1]).toEqual({
      id: expect.stringMatching(/^[1-9]\d*$/),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      actor: { key_hash: 'operator', user_id: null },
      action: 'api_key.create',
      target: hashKey(MANAGEMENT_KEY),
      workspace_id: owner.workspace_id,
      before: null,
      after: {
        hash: hashKey(MANAGEMENT_KEY),
        name: 'FAIRLEAD_MANAGEMENT_KEY',
        label: expect.any(String),
        kind: 'management',
        is_workspace_bound: false,
        disabled: false,
        limit: null,
        limit_reset: null,
        limit_raise: null,
        include_byok_in_limit: false,
        metadata: { tags: {} },
        egress: null,
        rate_limits: null,
        allowed_models: null,
        created_at: expect.any(String),
        updated_at: null,
        expires_at: null,
        creator_user_id: null,
        external_user: null,
        workspace_id: owner.workspace_id,
      },
      previous_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      seal: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('lists how a key was created, changed, disabled and deleted, and by whom, but never the key', async () => {
    const admin = await create({ kind: 'management', creator_user_id: 'admin 7' });
    let made!: Awaited<ReturnType<typeof create>>;
    const views: object[] = [];
    const entries = await entriesOf(async () => {
      made = await create({ limit: 2.5, limit_reset: 'daily' });
      for (const body of [{ limit: null, name: 'new' }, { disabled: true }]) {
        const changed = await call('PATCH', `/keys/${made.data.hash}`, body, admin.key);
        expect(changed.status).toBe(200);
        views.push(changed.body.data);
      }
      expect((await call('DELETE', `/keys/${made.data.hash}`, undefined, admin.key)).status).toBe(200);
    });
    const audited = (view: object): object =>
      Object.fromEntries(Object.entries(view).filter(([name]) => !FIGURES.test(name)));
    const [first, changed, disabled] = [made.data, ...views].map(audited);
    const common = { target: made.data.hash, workspace_id: owner.workspace_id };
    const byAdmin = { ...common, actor: { key_hash: hashKey(admin.key), user_id: 'admin 7' } };
    expect(entries).toEqual([
      expect.objectContaining({
        ...common,
        actor: { key_hash: hashKey(MANAGEMENT_KEY), user_id: null },
        action: 'api_key.create',
        before: null,
        after: first,
      }),
      expect.objectContaining({ ...byAdmin, action: 'api_key.update', before: first, after: changed }),
      expect.objectContaining({ ...byAdmin, action: 'api_key.update', before: changed, after: disabled }),
      expect.objectContaining({ ...byAdmin, action: 'api_key.delete', before: disabled, after: null }),
    ]);
    expect(changed).toMatchObject({ limit: null, limit_reset: 'daily', name: 'new', disabled: false });
    expect(disabled).toMatchObject({ disabled: true });
    const { text } = await call('GET', '/audit?limit=100');
    for (const key of [made.key, admin.key, MANAGEMENT_KEY, API_KEY]) expect(text).not.toContain(key);
    await call('DELETE', `/keys/${admin.data.hash}`);
  });

  it('lists no key change that failed or changed nothing', async () => {
    const { hash } = (await create({ limit: 1, limit_reset: 'weekly' })).data;
    const { body: shown } = await call('GET', `/keys/${hash}`);
    const entries = await entriesOf(async () => {
      for (const [method, path, body, status] of [
        ['PATCH', hash, {}, 200],
        ['PATCH', hash, { name: 'name', limit: 1, limit_reset: 'weekly', disabled: false }, 200],
        ['PATCH', hash, { name: '' }, 400],
        ['PATCH', 'f'.repeat(64), { name: 'new' }, 404],
        ['DELETE', 'f'.repeat(64), undefined, 404],
        ['PATCH', hashKey(MANAGEMENT_KEY), { disabled: true }, 400],
        ['DELETE', hashKey(MANAGEMENT_KEY), undefined, 400],
      ] as const)
        expect([path, (await call(method, `/keys/${path}`, body)).status]).toEqual([path, status]);
      expect((await call('POST', '/keys', { name: 'n', workspace_id: newUuid(Date.now()) })).status).toBe(404);
      expect((await call('POST', '/keys', { name: 'n', expires_at: '2020-01-01T00:00:00Z' })).status).toBe(400);
    });
    expect(entries).toEqual([]);
    expect((await call('GET', `/keys/${hash}`)).body).toEqual(shown);
  });

  it('lists credits once, however often they are entered', async () => {
    const body = { amount: 20.25, note: 'Invoice 7', idempotency_key: 'order-1' };
    let entered!: object;
    const entries = await entriesOf(async () => {
      const replies = await Promise.all(Array.from({ length: 5 }, () => call('POST', '/credits', body)));
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
      entered = replies[0]!.body.data;
      // Refused: another amount, too much altogether, wrong.
      expect((await call('POST', '/credits', { ...body, amount: 1 })).status).toBe(409);
      expect((await call('POST', '/credits', { amount: 999_999_999_999_999 })).status).toBe(400);
      expect((await call('POST', '/credits', { amount: 999_999_999_999_999, kind: 'adjustment' })).status).toBe(400);
      expect((await call('POST', '/credits', { amount: 0 })).status).toBe(400);
    });
    expect(entries).toEqual([
      expect.objectContaining({
        actor: { key_hash: hashKey(MANAGEMENT_KEY), user_id: null },
        action: 'credits.enter',
        target: (entered as { id: string }).id,
        workspace_id: null,
        before: null,
        after: entered,
      }),
    ]);
  });

  it('can be verified from what it shows', async () => {
    await create({ limit: 0.000000000001, name: 'ß 🧾 " \\' });
    const data = (await list('limit=100')).data.toReversed();
    expect(data.length).toBeGreaterThan(5);
    const printed = (thing: object | null): string | null => thing && JSON.stringify(thing);
    let previousHash = '0'.repeat(64);
    for (const [index, entry] of data.entries()) {
      expect([entry.id, entry.previous_hash]).toEqual([String(index + 1), previousHash]);
      expect(entry.hash).toBe(
        hashEntry({
          accountId: owner.account_id,
          seq: Number(entry.id),
          at: entry.created_at,
          actor: entry.actor.key_hash,
          actorUser: entry.actor.user_id,
          action: entry.action,
          target: entry.target,
          workspaceId: entry.workspace_id,
          before: printed(entry.before),
          after: printed(entry.after),
          previousHash: entry.previous_hash,
        }),
      );
      previousHash = entry.hash;
    }
  });

  it('pages from the newest on, while others are appended', async () => {
    const all = (await list('limit=100')).data;
    expect(all.length).toBeLessThan(100);
    const seen: Entry[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await list(cursor === null ? 'limit=2' : `limit=2&cursor=${cursor}`);
      seen.push(...page.data);
      cursor = page.next_cursor;
      await create();
    } while (cursor !== null);
    expect(seen).toEqual(all);
  });

  it('has no further page where the last one is full, nor beyond the oldest', async () => {
    const query = `target=${hashKey(MANAGEMENT_KEY)}`;
    const { data } = await list(query);
    const full = await list(`${query}&limit=${data.length}`);
    expect(full).toEqual({ data, next_cursor: null });
    const { next_cursor: cursor } = await list('limit=1');
    expect(cursor).not.toBeNull();
    expect(await list(`actor=${'f'.repeat(64)}&cursor=${cursor}`)).toEqual({ data: [], next_cursor: null });
  });

  it('has 50 on a page by default', async () => {
    const { data } = await list('limit=100');
    await Promise.all(Array.from({ length: Math.max(0, 51 - data.length) }, () => create()));
    const page = await list();
    expect(page.data).toHaveLength(50);
    expect(page.next_cursor).not.toBeNull();
  });

  it('is filtered by what must be equal', async () => {
    const { hash } = (await create({ name: 'filtered' })).data;
    await call('PATCH', `/keys/${hash}`, { name: 'filtered twice' });
    const found = async (query: string): Promise<readonly string[]> =>
      (await list(query)).data.map(({ action }) => action);
    expect(await found(`target=${hash}`)).toEqual(['api_key.update', 'api_key.create']);
    expect(await found(`target=${hash}&action=api_key.create`)).toEqual(['api_key.create']);
    expect(await found(`target=${hash.slice(0, 63)}`)).toEqual([]);
    expect(await found(`target=${hash}&actor=${hashKey(MANAGEMENT_KEY)}`)).toHaveLength(2);
    expect(await found(`target=${hash}&actor=operator`)).toEqual([]);
    expect(await found(`target=${hash}&workspace_id=${owner.workspace_id.toUpperCase()}`)).toHaveLength(2);
    expect(await found(`target=${hash}&workspace_id=default`)).toHaveLength(2);
    expect((await call('GET', `/audit?workspace_id=${newUuid(Date.now())}`)).status).toBe(404);
  });

  it('begins with what the account was granted at its opening', async () => {
    const { data } = await list('action=credits.enter&actor=operator');
    expect(data).toMatchObject([{ id: '1', before: null, after: { kind: 'grant', note: 'Initial credits' } }]);
  });

  it("shows no other account's entries", async () => {
    const strangers = await addStrangers(store);
    const audit = gateway.gateway.app.get(AuditLog, { strict: false });
    await store.transaction('READ COMMITTED', (manager) =>
      audit.record(manager, operatorOf(strangers.account_id), [{ action: 'their.change', target: 'theirs' }]),
    );
    expect((await list('limit=1')).data[0]!.action).not.toBe('their.change');
    expect((await list('target=theirs')).data).toEqual([]);
  });

  const REFUSED = [
    ['limit=0', 'limit: must be an integer from 1 to 100'],
    ['limit=101', 'limit: must be an integer from 1 to 100'],
    ['limit=1.5', 'limit: must be'],
    ['limit=', 'limit: must be'],
    ['limit=1&limit=2', 'limit: must be'],
    ['cursor=', 'cursor: must be'],
    ['cursor=7', 'cursor: must be the next_cursor of an earlier page'],
    ['cursor=%00', 'cursor: must be'],
    [`cursor=${Buffer.from('0').toString('base64url')}`, 'cursor: must be'],
    [`cursor=${Buffer.from('-1').toString('base64url')}`, 'cursor: must be'],
    [`cursor=${Buffer.from('9'.repeat(16)).toString('base64url')}`, 'cursor: must be'],
    [`cursor=${Buffer.from('12').toString('base64url')}%20`, 'cursor: must be'],
    [`cursor=${'a'.repeat(256)}`, 'cursor: must be at most 255 characters'],
    ['action=api_key.creat', 'did you mean api_key.create?'],
    ['action=', 'action: must be one of account.preferences.update, '],
    ['target=%00', 'target: must not contain NUL'],
    [`target=${'a'.repeat(256)}`, 'target: must be at most 255 characters'],
    ['actor=nobody', 'actor: must be operator or the hash of a key'],
    ['workspace_id=', 'workspace_id: must be at least 1 character'],
  ] as const;
  it.each(REFUSED.map(([query, message]) => [query.slice(0, 60), message, query]))(
    'refuses ?%s: %s',
    async (_, message, query) => {
      const { status, body } = await call('GET', `/audit?${query}`);
      expect([status, body.error?.code]).toEqual([400, 400]);
      expect(body.error.message).toContain(message);
    },
  );

  it('accepts values at their limits', async () => {
    const last = Buffer.from('9'.repeat(15)).toString('base64url');
    for (const query of [`cursor=${last}`, `target=${'a'.repeat(255)}`, 'limit=100']) await list(query);
  });

  it('shows that its chain is whole, and where it is broken', async () => {
    const verified = async (): Promise<unknown> => (await call('GET', '/audit/verification')).body.data;
    const { id, hash, seal } = (await list('limit=1')).data[0]!;
    const whole = { verified_at: expect.stringMatching(/Z$/), entries: Number(id), unsealed: 0, unchecked: 0 };
    expect(await verified()).toEqual({ ...whole, last: { id, hash, seal }, broken: null });
    const tamper = async (target: string): Promise<void> => {
      await store.query('alter table audit_entries disable trigger audit_entries_append_only');
      await store.query('update audit_entries set target = $1 where account_id = $2 and seq = 2', [
        target,
        owner.account_id,
      ]);
      await store.query('alter table audit_entries enable trigger audit_entries_append_only');
    };
    const [{ target }] = await store.query('select target from audit_entries where account_id = $1 and seq = 2', [
      owner.account_id,
    ]);
    await tamper('another');
    expect(await verified()).toMatchObject({
      entries: 1,
      last: { id: '1' },
      broken: { id: '2', reason: 'The entry was changed after it was recorded: its hash differs.' },
    });
    await tamper(target);
    expect(await verified()).toMatchObject({ entries: Number(id), broken: null });
    expect((await call('GET', '/audit/verification', undefined, API_KEY)).status).toBe(403);
  });

  it('is not for inference keys', async () => {
    const { status, text } = await call('GET', '/audit', undefined, API_KEY);
    expect([status, JSON.parse(text)]).toEqual([
      403,
      { error: { code: 403, message: 'Only management keys can perform this operation' } },
    ]);
  });
});
