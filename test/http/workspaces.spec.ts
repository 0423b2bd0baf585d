// Checks /workspaces, their members and the account's preferences as clients use them: statuses, bodies, limits, the
// replies to strangers and for deleted workspaces, and the audit log. The real app is called over HTTP and by two
// releases of a client; rows of another account are inserted by hand.
import type { OpenRouter } from '@openrouter/sdk';
import { DataSource } from 'typeorm';
import { newUuid } from '../../src/core/ids.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { importNatively } from '../support/native-import.js';
import type { JsonBody } from '../support/recorded-request.js';

interface Reply {
  readonly status: number;
  readonly body: JsonBody;
}

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
const UNKNOWN_ID = '0198c0de-0000-7000-8000-000000000001';
const LONG = (length: number): string => 'x'.repeat(length);

describeOnEmbedded('workspaces over HTTP', (database) => {
  let gateway: TestGateway;
  let made = 0;

  beforeAll(async () => {
    gateway = await startGateway(database);
  }, 240_000);
  afterAll(() => gateway?.close());

  async function call(method: string, path: string, body?: unknown, key = MANAGEMENT_KEY): Promise<Reply> {
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

  const query = (text: string, values: readonly unknown[] = []): Promise<JsonBody> =>
    gateway.gateway.app.get(DataSource).query(text, [...values]);

  async function create(more: object = {}): Promise<JsonBody> {
    const reply = await call('POST', '/workspaces', { name: 'a workspace', slug: `made-${made++}`, ...more });
    expect([reply.status, reply.body]).toEqual([201, { data: expect.anything() }]);
    return reply.body.data;
  }

  const accountId = async (): Promise<string> =>
    (await query('select id from accounts order by created_at limit 1'))[0].id;

  /** The entries of the log for an object, oldest first. */
  const audited = async (target: string): Promise<JsonBody[]> => {
    const rows = await query('select * from audit_entries where target = $1 order by seq', [target]);
    return rows.map(({ action, actor_user, workspace_id, before, after }: JsonBody) => ({
      action,
      actor_user,
      workspace_id,
      before: before && JSON.parse(before),
      after: after && JSON.parse(after),
    }));
  };

  async function addStranger(): Promise<{
    readonly account: string;
    readonly workspace: string;
    readonly slug: string;
  }> {
    const [account, workspace] = [newUuid(Date.now()), newUuid(Date.now())];
    const slug = `theirs-${made++}`;
    await query(`insert into accounts (id, name, free_tier, created_at) values ($1, 'theirs', true, now())`, [account]);
    await query(
      `insert into workspaces (id, account_id, name, slug, is_default, created_at) values ($1, $2, 'theirs', $3, false, now())`,
      [workspace, account, slug],
    );
    return { account, workspace, slug };
  }

  describe('a workspace', () => {
    it('is made from a name and a slug, and shown by either id', async () => {
      const { status, body } = await call('POST', '/workspaces', { name: 'Team', slug: 'team' });
      expect(status).toBe(201);
      expect(body.data).toEqual({
        id: UUID,
        name: 'Team',
        slug: 'team',
        description: null,
        created_at: TIME,
        updated_at: null,
        created_by: null,
        default_text_model: null,
        default_image_model: null,
        default_provider_sort: null,
        default_guardrail_id: UUID,
        is_data_discount_logging_enabled: false,
        is_observability_broadcast_enabled: false,
        is_observability_io_logging_enabled: false,
        io_logging_sampling_rate: 1,
        io_logging_api_key_ids: null,
        include_byok_in_budgets: false,
        allowed_providers: null,
        ignored_providers: null,
        data_collection: 'allow',
        enforce_zdr: false,
        plugins: [],
        tags: {},
        required_tags: [],
      });
      for (const reference of [body.data.id, body.data.id.toUpperCase(), 'team'])
        expect(await call('GET', `/workspaces/${reference}`)).toEqual({ status: 200, body });
      expect(await audited(body.data.id)).toEqual([
        {
          action: 'workspace.create',
          actor_user: null,
          workspace_id: body.data.id,
          before: null,
          after: body.data,
        },
      ]);
    });

    it('takes everything at once, changes what is named, clears what is null, and leaves the rest', async () => {
      const settings = {
        description: 'For the team',
        default_text_model: 'test/text',
        default_image_model: 'test/image',
        default_provider_sort: 'latency',
        is_data_discount_logging_enabled: true,
        is_observability_broadcast_enabled: true,
        is_observability_io_logging_enabled: true,
        io_logging_sampling_rate: 0.25,
        io_logging_api_key_ids: [1, 2],
        allowed_providers: ['anthropic', 'openai'],
        ignored_providers: ['groq'],
        data_collection: 'deny',
        enforce_zdr: true,
        plugins: [{ id: 'web', engine: 'exa', enabled: false, prevent_overrides: true }, { id: 'response-healing' }],
      };
      const workspace = await create(settings);
      expect(workspace).toMatchObject(settings);
      const cleared = { description: null, default_text_model: null, default_provider_sort: null, io_logging_api_key_ids: null, allowed_providers: null }; // oxfmt-ignore
      const changes = { ...cleared, name: 'New', slug: `${workspace.slug}-new`, data_collection: 'allow' };
      const { status, body } = await call('PATCH', `/workspaces/${workspace.slug}`, { ...changes, plugins: null });
      expect([status, body.data]).toEqual([200, { ...workspace, ...changes, plugins: [], updated_at: TIME }]);
      expect((await call('GET', `/workspaces/${workspace.id}`)).body).toEqual(body);
      expect((await call('GET', `/workspaces/${workspace.slug}`)).status).toBe(404);
      expect(await audited(workspace.id)).toMatchObject([
        { action: 'workspace.create' },
        { action: 'workspace.update', before: workspace, after: body.data },
      ]);
    });

    it('stays as it is, without a line in the log, where a change changes nothing', async () => {
      const workspace = await create({ description: 'kept' });
      for (const body of [
        {},
        { description: 'kept', name: workspace.name },
        { disabled_server_tools: [], plugins: null },
      ])
        expect((await call('PATCH', `/workspaces/${workspace.id}`, body)).body.data).toEqual(workspace);
      expect(await audited(workspace.id)).toHaveLength(1);
    });

    it('is listed with all others, newest first and page by page', async () => {
      const [older, newer] = [await create(), await create()];
      const { status, body } = await call('GET', '/workspaces');
      expect(status).toBe(200);
      expect(body.data.slice(0, 2)).toEqual([newer, older]);
      expect(body.data.at(-1)).toMatchObject({ slug: 'default' });
      expect(body.total_count).toBe(body.data.length);
      expect((await call('GET', '/workspaces?offset=1&limit=1')).body).toEqual({
        data: [older],
        total_count: body.total_count,
      });
      expect((await call('GET', `/workspaces?offset=${body.total_count}`)).body.data).toEqual([]);
    });

    it.each(['limit=0', 'limit=101', 'limit=', 'limit=x', 'offset=-1', 'offset=1.5', 'limit=1&limit=2'])(
      'is not listed by %s',
      async (parameters) => {
        const { status, body } = await call('GET', `/workspaces?${parameters}`);
        expect([status, body.error.message]).toEqual([400, expect.stringContaining(parameters.split('=')[0]!)]);
      },
    );

    it('has its slug for itself, until it is deleted', async () => {
      const [first, second] = [await create(), await create()];
      for (const [method, path] of [
        ['POST', '/workspaces'],
        ['PATCH', `/workspaces/${second.id}`],
      ] as const) {
        const { status, body } = await call(method, path, { name: 'n', slug: first.slug });
        expect([status, body.error.message]).toEqual([400, 'slug: another workspace of the account has it']);
      }
      expect((await call('GET', `/workspaces/${second.slug}`)).body.data).toEqual(second);
      expect((await call('DELETE', `/workspaces/${first.id}`)).body).toEqual({ deleted: true });
      expect((await call('PATCH', `/workspaces/${second.id}`, { slug: first.slug })).body.data.id).toBe(second.id);
      expect((await call('GET', `/workspaces/${first.slug}`)).body.data.id).toBe(second.id);
      expect((await call('GET', `/workspaces/${first.id}`)).status).toBe(404);
    });

    it('may have the slug of another account', async () => {
      const stranger = await addStranger();
      expect((await create({ slug: stranger.slug })).id).not.toBe(stranger.workspace);
    });

    it('is found by its id where its slug looks like the id of another', async () => {
      const first = await create();
      const second = await create({ slug: first.id });
      expect((await call('GET', `/workspaces/${first.id}`)).body.data.id).toBe(first.id);
      await call('DELETE', `/workspaces/${first.id}`);
      expect((await call('GET', `/workspaces/${first.id}`)).body.data.id).toBe(second.id);
    });

    it('has a guardrail of the account for default, and none again', async () => {
      const workspace = await create();
      const path = `/workspaces/${workspace.id}`;
      const ours = newUuid(Date.now());
      const insert = `insert into guardrails (id, account_id, workspace_id, name, include_byok_in_budgets, created_at) values ($1, $2, $3, 'g', false, now())`;
      await query(insert, [ours, await accountId(), workspace.id]);
      const stranger = await addStranger();
      const theirs = newUuid(Date.now());
      await query(insert, [theirs, stranger.account, stranger.workspace]);
      for (const id of [theirs, UNKNOWN_ID]) {
        const { status, body } = await call('PATCH', path, { default_guardrail_id: id });
        expect([status, body.error.message]).toEqual([404, 'default_guardrail_id: there is no such guardrail']);
      }
      const set = await call('PATCH', path, { default_guardrail_id: ours.toUpperCase() });
      expect(set.body.data.default_guardrail_id).toBe(ours);
      for (const none of [null, workspace.default_guardrail_id]) {
        await call('PATCH', path, { default_guardrail_id: ours });
        const { body } = await call('PATCH', path, { default_guardrail_id: none });
        expect(body.data.default_guardrail_id).toBe(workspace.default_guardrail_id);
        expect(await query('select default_guardrail_id from workspaces where id = $1', [workspace.id])).toEqual([
          { default_guardrail_id: null },
        ]);
      }
    });
  });

  describe('a body', () => {
    const FIELDS: readonly (readonly [field: string, good: readonly unknown[], bad: readonly unknown[], reason: string])[] =
      [
        ['name', ['n', LONG(100)], ['', LONG(101), null, 1, 'a\u0000b'], 'must'],
        ['slug', ['s', LONG(50), 'a-1-b'], ['', LONG(51), 'A', 'a--b', '-a', 'a-', 'a_b', 'é', null, 1], 'must be'],
        ['description', ['', LONG(500), null], [LONG(501), 1, {}, '\u0000'], 'must'],
        ['default_text_model', ['m', LONG(255), null], ['', LONG(256), 1], 'must be'],
        ['default_image_model', ['m', LONG(255), null], ['', LONG(256), 1], 'must be'],
        ['default_provider_sort', ['price', 'throughput', 'latency', 'exacto', null], ['quality', '', 1], 'must be one of'],
        ['is_data_discount_logging_enabled', [true, false], [null, 'true', 1], 'must be a boolean'],
        ['is_observability_broadcast_enabled', [true, false], [null, 'true', 1], 'must be a boolean'],
        ['is_observability_io_logging_enabled', [true, false], [null, 'true', 1], 'must be a boolean'],
        ['io_logging_sampling_rate', [0.0001, 1], [0.00009, 1.0001, 0, null, '1'], 'must be'],
        ['io_logging_api_key_ids', [[], [0], [Number.MAX_SAFE_INTEGER], new Array(1_000).fill(1), null], [[-1], [1.5], ['1'], [null], 1, new Array(1_001).fill(1)], 'must'],
        ['allowed_providers', [['openai'], new Array(500).fill('openai/turbo'), null], [[], new Array(501).fill('openai'), ['nobody-knows'], [1], 'openai', ['']], ''],
        ['ignored_providers', [['openai'], new Array(500).fill('openai/turbo'), null], [[], new Array(501).fill('openai'), ['nobody-knows'], [null], {}, ['']], ''],
        ['data_collection', ['allow', 'deny'], ['maybe', '', null, true], 'must be one of allow, deny'],
        ['enforce_zdr', [true, false], [null, 'true', 0], 'must be a boolean'],
      ]; // oxfmt-ignore

    it.each(FIELDS.flatMap(([field, good]) => good.map((value) => [field, value] as const)))(
      'accepts %s (%#)',
      async (field, value) => {
        const wanted = field === 'slug' ? { slug: (value as string).slice(0, 46) + made++ } : { [field]: value };
        const workspace = await create(field === 'slug' ? { slug: value } : wanted);
        expect(workspace[field]).toEqual(value);
        const { status, body } = await call('PATCH', `/workspaces/${workspace.id}`, wanted);
        expect([status, body.data[field]]).toEqual([200, wanted[field as keyof typeof wanted]]);
        await call('DELETE', `/workspaces/${workspace.id}`);
      },
    );

    it.each(FIELDS.flatMap(([field, , bad, reason]) => bad.map((value) => [field, value, reason] as const)))(
      'refuses %s (%#)',
      async (field, value, reason) => {
        for (const [method, path] of [
          ['POST', '/workspaces'],
          ['PATCH', '/workspaces/default'],
        ] as const) {
          const { status, body } = await call(method, path, { name: 'n', slug: 's', [field]: value });
          expect([status, body.error.code]).toEqual([400, 400]);
          expect(body.error.message).toMatch(new RegExp(`^${field}(\\.0)?: ${reason}`));
        }
      },
    );

    it.each([
      ['{}', 'name: is required'],
      ['{"name":"n"}', 'slug: is required'],
      ['[]', 'must be an object'],
      ['null', 'must be an object'],
      ['{"__proto__":{"name":"n","slug":"s"}}', '__proto__'],
      ['{', ''],
    ])('is not %s', async (text, message) => {
      const { status, body } = await call('POST', '/workspaces', text);
      expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
    });

    it.each(['x', '', 1, true])('has no default_guardrail_id %j', async (id) => {
      const { status, body } = await call('PATCH', '/workspaces/default', { default_guardrail_id: id });
      expect([status, body.error.message]).toEqual([400, expect.stringMatching(/^default_guardrail_id: must/)]);
    });
  });

  describe('deleting', () => {
    it('is refused for the default workspace, whose slug may change', async () => {
      const { body } = await call('PATCH', '/workspaces/default', { slug: 'home' });
      expect(body.data).toMatchObject({ slug: 'home', name: 'Default workspace' });
      for (const reference of ['home', body.data.id]) {
        const refused = await call('DELETE', `/workspaces/${reference}?confirm_default_workspace_deletion=true`);
        expect([refused.status, refused.body.error.message]).toEqual([403, 'The default workspace cannot be deleted.']);
      }
      await call('PATCH', '/workspaces/home', { slug: 'default' });
      expect((await call('POST', '/keys', { name: 'n' })).body.data.workspace_id).toBe(body.data.id);
    });

    it('is refused while there are active keys, and takes those out of use along', async () => {
      const workspace = await create();
      const keys = [1, 2].map(() => call('POST', '/keys', { name: 'n', workspace_id: workspace.id }));
      const [first, second] = (await Promise.all(keys)).map(({ body }) => body.data.hash);
      for (const [hash, words] of [
        [first, '2 active keys'],
        [second, '1 active key;'],
      ]) {
        const refused = await call('DELETE', `/workspaces/${workspace.id}`);
        expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining(words)]);
        await call('PATCH', `/keys/${hash}`, { disabled: true });
      }
      expect(await call('DELETE', `/workspaces/${workspace.id}`)).toEqual({ status: 200, body: { deleted: true } });
      expect((await call('PATCH', `/keys/${first}`, { disabled: false })).status).toBe(404);
      expect((await call('POST', '/keys', { name: 'n', workspace_id: workspace.id })).status).toBe(404);
      const { updated_at: _, ...before } = workspace;
      expect((await audited(workspace.id)).at(-1)).toMatchObject({ action: 'workspace.delete', before, after: null });
    });

    it('stops a key at once that this process still believes in', async () => {
      const workspace = await create();
      const { key, data } = (await call('POST', '/keys', { name: 'n', workspace_id: workspace.id })).body;
      // A route that needs nothing of the store but the key.
      const ask = { model: 'no/such', messages: [{ role: 'user', content: 'hi' }] };
      const status = async (): Promise<number> => (await gateway.messages(ask, { key })).status;
      expect(await status()).toBe(404);
      // As another replica does it.
      await query('update api_keys set disabled = true where hash = $1', [data.hash]);
      expect(await status()).toBe(404);
      await call('DELETE', `/workspaces/${workspace.id}`);
      expect(await status()).toBe(401);
    });

    it('is logged with all that is deleted along', async () => {
      const workspace = await create();
      const path = `/workspaces/${workspace.id}`;
      const query = { workspace_id: workspace.id };
      const { data: key } = (await call('POST', '/keys', { name: 'n', ...query })).body;
      const { data: disabled } = (await call('PATCH', `/keys/${key.hash}`, { disabled: true })).body;
      const { data: credential } = (await call('POST', '/byok', { provider: 'openai', key: 'sk-nobodys', ...query })).body; // oxfmt-ignore
      await call('PUT', `${path}/budgets/daily`, { limit_usd: 1 });
      await call('PUT', `${path}/budgets/weekly`, { limit_usd: 2 });
      const users = Array.from({ length: 600 }, (_, index) => `user ${index}`);
      for (let from = 0; from < users.length; from += 100)
        await call('POST', `${path}/members/add`, { user_ids: users.slice(from, from + 100) });
      await call('DELETE', path);
      const { data } = (await call('GET', `/audit?workspace_id=${workspace.id}&limit=7`)).body;
      const entries = data.reverse().map(({ action, target, before }: JsonBody) => [action, target, before]);
      const budget = (interval: string, limit_usd: number): object => ({ interval, limit_usd, include_byok_in_budgets: false }); // oxfmt-ignore
      expect(entries).toEqual([
        ['api_key.delete', key.hash, expect.objectContaining({ hash: key.hash, disabled: disabled.disabled })],
        ['byok.delete', credential.id, expect.objectContaining({ id: credential.id, label: credential.label })],
        ['workspace.members.remove', workspace.id, { user_ids: expect.any(Array) }],
        ['workspace.members.remove', workspace.id, { user_ids: expect.any(Array) }],
        ['workspace.budget.remove', workspace.id, budget('daily', 1)],
        ['workspace.budget.remove', workspace.id, budget('weekly', 2)],
        ['workspace.delete', workspace.id, expect.objectContaining({ id: workspace.id })],
      ]);
      expect([...entries[2][2].user_ids, ...entries[3][2].user_ids].sort()).toEqual(users.sort());
      expect(JSON.stringify(entries)).not.toContain('sk-nobodys');
    });

    it('leaves its guardrails in force for their assignments', async () => {
      const workspace = await create();
      const { data: guardrail } = (await call('POST', '/guardrails', { name: 'g', workspace_id: workspace.id })).body;
      const { data: key } = (await call('POST', '/keys', { name: 'n' })).body;
      const assignments = `/guardrails/${guardrail.id}/assignments/keys`;
      await call('POST', assignments, { key_hashes: [key.hash] });
      await call('DELETE', `/workspaces/${workspace.id}`);
      expect((await call('GET', assignments)).body.data).toMatchObject([{ key_hash: key.hash }]);
      expect((await call('DELETE', `/guardrails/${guardrail.id}`)).status).toBe(200);
    });

    it('wipes its credentials and ends its budgets and memberships', async () => {
      const workspace = await create();
      await call('PUT', `/workspaces/${workspace.id}/budgets/daily`, { limit_usd: 1 });
      await call('POST', `/workspaces/${workspace.id}/members/add`, { user_ids: ['someone'] });
      const credential = newUuid(Date.now());
      await query(
        `insert into provider_credentials (id, account_id, workspace_id, provider, label, disabled, is_fallback, is_required,
           is_byok_only, sort_order, key_id, wrapped_key, sealed, created_at)
         values ($1, $2, $3, 'openai', 'l', false, false, false, false, 0, 'k', '\\x01', '\\x02', now())`,
        [credential, await accountId(), workspace.id],
      );
      await call('DELETE', `/workspaces/${workspace.id}`);
      expect(
        await query('select deleted_at, key_id, wrapped_key, sealed from provider_credentials where id = $1', [
          credential,
        ]),
      ).toEqual([{ deleted_at: expect.any(Date), key_id: null, wrapped_key: null, sealed: null }]);
      expect(await query('select 1 from budgets where scope_id = $1', [workspace.id])).toEqual([]);
      expect(await query('select 1 from workspace_members where workspace_id = $1', [workspace.id])).toEqual([]);
    });
  });

  describe('members', () => {
    const names = (body: JsonBody): string[] => body.data.map(({ user_id }: JsonBody) => user_id);

    it('are added once, listed newest first and page by page, and removed', async () => {
      const { id, slug } = await create();
      const added = await call('POST', `/workspaces/${slug}/members/add`, { user_ids: ['a', 'b', 'a'] });
      const view = { id: UUID, workspace_id: id, role: 'member', created_at: TIME };
      expect(added).toEqual({
        status: 200,
        body: { data: ['a', 'b'].map((user) => ({ ...view, user_id: user })), added_count: 2 },
      });
      const again = await call('POST', `/workspaces/${id}/members/add`, { user_ids: ['b', 'c'] });
      expect([names(again.body), again.body.added_count]).toEqual([['c'], 1]);
      const listed = await call('GET', `/workspaces/${id}/members`);
      expect([names(listed.body), listed.body.total_count]).toEqual([['c', 'a', 'b'], 3]);
      expect(listed.body.data[1]).toEqual(added.body.data[0]);
      const page = await call('GET', `/workspaces/${id}/members?offset=1&limit=1`);
      expect([names(page.body), page.body.total_count]).toEqual([['a'], 3]);
      const past = await call('GET', `/workspaces/${id}/members?offset=3`);
      expect(past.body).toEqual({ data: [], total_count: 3 });
      expect(await call('POST', `/workspaces/${id}/members/remove`, { user_ids: ['a', 'c', 'x'] })).toEqual({
        status: 200,
        body: { removed_count: 2 },
      });
      expect((await call('POST', `/workspaces/${id}/members/remove`, { user_ids: ['a'] })).body.removed_count).toBe(0);
      expect(names((await call('GET', `/workspaces/${id}/members`)).body)).toEqual(['b']);
      const logged = (await audited(id)).slice(1);
      expect(logged.map(({ action, before, after }) => [action, (before ?? after).user_ids.sort()])).toEqual([
        ['workspace.members.add', ['a', 'b']],
        ['workspace.members.add', ['c']],
        ['workspace.members.remove', ['a', 'c']],
      ]);
    });

    it('stay while they have active keys there', async () => {
      const { id } = await create();
      await call('POST', `/workspaces/${id}/members/add`, { user_ids: ['idle', 'busy', 'elsewhere'] });
      const key = await call('POST', '/keys', { name: 'n', workspace_id: id, creator_user_id: 'busy' });
      await call('POST', '/keys', { name: 'n', creator_user_id: 'elsewhere' });
      const refused = await call('POST', `/workspaces/${id}/members/remove`, {
        user_ids: ['idle', 'busy', 'elsewhere'],
      });
      expect([refused.status, refused.body.error.message]).toEqual([
        400,
        expect.stringMatching(/^user_ids: .*: busy$/),
      ]);
      expect((await call('GET', `/workspaces/${id}/members`)).body.total_count).toBe(3);
      await call('DELETE', `/keys/${key.body.data.hash}`);
      const removed = await call('POST', `/workspaces/${id}/members/remove`, {
        user_ids: ['idle', 'busy', 'elsewhere'],
      });
      expect(removed.body).toEqual({ removed_count: 3 });
    });

    it('are at most a hundred in a request', async () => {
      const { id } = await create();
      const users = Array.from({ length: 101 }, (_, index) => `user ${index}`);
      expect((await call('POST', `/workspaces/${id}/members/add`, { user_ids: users })).status).toBe(400);
      const { body } = await call('POST', `/workspaces/${id}/members/add`, { user_ids: users.slice(1) });
      expect(body.added_count).toBe(100);
      const page = (await call('GET', `/workspaces/${id}/members`)).body;
      expect([page.data.length, page.total_count]).toEqual([50, 100]);
      expect((await call('GET', `/workspaces/${id}/members?limit=100`)).body.data).toHaveLength(100);
    });

    it.each([
      [{}, 'user_ids: is required'],
      [{ user_ids: null }, 'user_ids: must be an array'],
      [{ user_ids: [] }, 'user_ids: must have at least 1 entry'],
      [{ user_ids: 'a' }, 'user_ids: must be an array'],
      [{ user_ids: [''] }, 'user_ids.0: must be at least 1 character'],
      [{ user_ids: [LONG(256)] }, 'user_ids.0: must be at most 255'],
      [{ user_ids: ['a', 1] }, 'user_ids.1: must be a string'],
      [{ user_ids: ['\u0000'] }, 'user_ids.0: must not contain NUL'],
    ])('are not named by %#', async (request, message) => {
      for (const verb of ['add', 'remove']) {
        const { status, body } = await call('POST', `/workspaces/default/members/${verb}`, request);
        expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
      }
    });
  });

  describe('preferences of the account', () => {
    const DEFAULTS = {
      allowed_providers: null,
      ignored_providers: null,
      data_collection: 'allow',
      enforce_zdr: false,
      egress: null,
      plugins: [],
    };

    it('are changed, cleared and logged', async () => {
      expect(await call('GET', '/account/preferences')).toEqual({ status: 200, body: { data: DEFAULTS } });
      const wanted = {
        allowed_providers: ['openai'],
        ignored_providers: ['groq/x'],
        data_collection: 'deny',
        enforce_zdr: true,
        egress: { allowed_domains: ['docs.example.com'], blocked_domains: null },
        plugins: [{ id: 'context-compression', enabled: false }],
      };
      expect(await call('PATCH', '/account/preferences', wanted)).toEqual({
        status: 200,
        body: { data: wanted },
      });
      for (const [body, message] of [
        [{ plugins: [{ id: 'web', enabeld: true }] }, 'plugins.0.enabeld: is not a known field; did you mean enabled?'],
        [{ data_colection: 'deny' }, 'data_colection: is not a known field; did you mean data_collection?'],
      ] as const) {
        const refused = await call('PATCH', '/account/preferences', body);
        expect([refused.status, refused.body.error.message]).toEqual([400, message]);
      }
      expect((await call('PATCH', '/account/preferences', {})).body.data).toEqual(wanted);
      expect((await call('PATCH', '/account/preferences', { ignored_providers: null })).body.data).toEqual({
        ...wanted,
        ignored_providers: null,
      });
      await call('PATCH', '/account/preferences', DEFAULTS);
      expect((await call('GET', '/account/preferences')).body.data).toEqual(DEFAULTS);
      expect(await audited(await accountId())).toMatchObject([
        { action: 'account.preferences.update', workspace_id: null, before: DEFAULTS, after: wanted },
        { before: wanted, after: { ...wanted, ignored_providers: null } },
        { after: DEFAULTS },
      ]);
    });

    it.each([
      [{ allowed_providers: [] }, 'allowed_providers: must have at least 1 entry'],
      [{ ignored_providers: ['openai', 'nobody-knows'] }, 'ignored_providers.1: "nobody-knows" is no known provider'],
      [{ data_collection: null }, 'data_collection: must be one of allow, deny'],
      [{ enforce_zdr: null }, 'enforce_zdr: must be a boolean'],
      [{ egress: { allowed_domains: ['a.example', 'a b'] } }, 'egress.allowed_domains.1: must be a domain such as'],
    ])('are not %j', async (request, message) => {
      const { status, body } = await call('PATCH', '/account/preferences', request);
      expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
      expect((await call('GET', '/account/preferences')).body.data).toEqual(DEFAULTS);
    });
  });

  const ROUTES: readonly (readonly [method: string, path: string, body?: object])[] = [
    ['GET', ''],
    ['PATCH', '', { name: 'mine' }],
    ['DELETE', ''],
    ['GET', '/members'],
    ['POST', '/members/add', { user_ids: ['a'] }],
    ['POST', '/members/remove', { user_ids: ['a'] }],
    ['GET', '/budgets'],
    ['GET', '/budgets/daily'],
    ['PUT', '/budgets/daily', { limit_usd: 1 }],
    ['DELETE', '/budgets/daily'],
  ];

  it('are listed with the owners of keys as the users of the account', async () => {
    const { total_count: others } = (await call('GET', '/organization/members')).body;
    const { id } = await create();
    await call('POST', `/workspaces/${id}/members/add`, { user_ids: ['both', 'member@example.com'] });
    await call('POST', '/keys', { name: 'n', creator_user_id: 'both' });
    await call('POST', '/keys', { name: 'n', creator_user_id: 'owner', kind: 'management' });
    const gone = await call('POST', '/keys', { name: 'n', creator_user_id: 'gone' });
    await call('DELETE', `/keys/${gone.body.data.hash}`);
    const stranger = await addStranger();
    await query(
      `insert into workspace_members (account_id, workspace_id, user_id, created_at) values ($1, $2, 'theirs', now())`,
      [stranger.account, stranger.workspace],
    );

    const unnamed = { first_name: null, last_name: null };
    const expected = [
      { id: 'owner', email: '', ...unnamed, role: 'org:admin' },
      { id: 'both', email: '', ...unnamed, role: 'org:member' },
      { id: 'member@example.com', email: 'member@example.com', ...unnamed, role: 'org:member' },
    ];
    const page = await call('GET', '/organization/members?limit=3');
    expect(page.body).toEqual({ data: expected, total_count: others + 3 });
    const second = await call('GET', '/organization/members?offset=1&limit=1');
    expect(second.body).toEqual({ data: [expected[1]], total_count: others + 3 });
    const past = await call('GET', `/organization/members?offset=${others + 3}`);
    expect(past.body).toEqual({ data: [], total_count: others + 3 });
    expect((await call('GET', '/organization/members?role=x')).status).toBe(400);

    const { OpenRouter: Client } = await importNatively<{ readonly OpenRouter: typeof OpenRouter }>('@openrouter/sdk');
    const client = new Client({ apiKey: MANAGEMENT_KEY, serverURL: `${gateway.origin}/api/v1` });
    const { result } = await client.organization.listMembers({ limit: 1 });
    expect(result.data).toMatchObject([{ id: 'owner', role: 'org:admin' }]);
  });

  it('are not there for another account, and stay as they were', async () => {
    const stranger = await addStranger();
    const [before] = await query('select * from workspaces where id = $1', [stranger.workspace]);
    for (const reference of [stranger.workspace, stranger.slug])
      for (const [method, path, body] of ROUTES)
        expect([method, path, (await call(method, `/workspaces/${reference}${path}`, body)).status]).toEqual([
          method,
          path,
          404,
        ]);
    const { body } = await call('GET', '/workspaces?limit=100');
    expect(body.data.map(({ id }: JsonBody) => id)).not.toContain(stranger.workspace);
    expect(await query('select * from workspaces where id = $1', [stranger.workspace])).toEqual([before]);
    expect(await query('select 1 from budgets where scope_id = $1', [stranger.workspace])).toEqual([]);
  });

  it.each([UNKNOWN_ID, 'nobody', 'Nobody', '%00', "'%20OR%20'1'='1", LONG(51), '%ED%A0%80'])(
    'none is called %s',
    async (reference) => {
      for (const [method, path, body] of ROUTES) {
        const { status } = await call(method, `/workspaces/${reference}${path}`, body);
        expect([method, path, status]).toEqual([method, path, reference === '%ED%A0%80' ? 400 : 404]);
      }
    },
  );

  it('are managed with management keys only', async () => {
    for (const [method, path, body] of [
      ['GET', '/workspaces'],
      ['POST', '/workspaces', {}],
      ...ROUTES.map(([verb, rest, sent]) => [verb, `/workspaces/default${rest}`, sent] as const),
      ['GET', '/organization/members'],
      ['GET', '/account/preferences'],
      ['PATCH', '/account/preferences', {}],
    ] as const) {
      const { status } = await call(method, path, body, API_KEY);
      expect([method, path, status]).toEqual([method, path, 403]);
    }
  });

  describe.each([
    ['of today', '@openrouter/sdk'],
    ['of long ago', 'openrouter-sdk-0'],
  ])('a client %s', (when, name) => {
    it('lists, makes, shows, changes and deletes workspaces, their members and budgets', async () => {
      const { OpenRouter: Client } = await importNatively<{ readonly OpenRouter: typeof OpenRouter }>(name);
      const client = new Client({ apiKey: MANAGEMENT_KEY, serverURL: `${gateway.origin}/api/v1` }).workspaces;
      const slug = `by-client-${made++}`;
      const { data } = await client.create({
        createWorkspaceRequest: { name: 'Theirs', slug, ioLoggingApiKeyIds: [1], ioLoggingSamplingRate: 0.5 },
      });
      expect(data).toMatchObject({ name: 'Theirs', slug, ioLoggingApiKeyIds: [1], ioLoggingSamplingRate: 0.5 });
      const { id } = data;
      expect((await client.get({ id: slug })).data).toEqual(data);
      const updated = await client.update({
        id,
        updateWorkspaceRequest: { description: 'd', defaultProviderSort: 'price' },
      });
      expect(updated.data).toMatchObject({ description: 'd', defaultProviderSort: 'price', updatedAt: TIME });
      const ids: string[] = [];
      for await (const { result } of await client.list({ limit: 100 })) ids.push(...result.data.map((one) => one.id));
      expect(ids).toContain(id);

      const users = { userIds: ['u1', 'u2'] };
      expect(await client.bulkAddMembers({ id, bulkAddWorkspaceMembersRequest: users })).toMatchObject({
        addedCount: 2,
      });
      const members: string[] = [];
      for await (const { result } of await client.listMembers({ id }))
        members.push(...result.data.map((one) => one.userId));
      expect(members).toEqual(['u1', 'u2']);
      expect(await client.bulkRemoveMembers({ id, bulkRemoveWorkspaceMembersRequest: users })).toEqual({
        removedCount: 2,
      });

      const reference = { id, workspaceRef: id };
      const set = await client.setBudget({
        ...reference,
        interval: 'weekly',
        upsertWorkspaceBudgetRequest: { limitUsd: 2.5, includeByokInBudgets: true },
      });
      expect(set.data).toMatchObject({ limitUsd: 2.5, resetInterval: 'weekly', workspaceId: id });
      const lifetime = { ...reference, interval: 'lifetime' as const, upsertWorkspaceBudgetRequest: { limitUsd: 5 } };
      expect((await client.setBudget(lifetime)).data).toMatchObject({ limitUsd: 5, resetInterval: null });
      const listed = await client.listBudgets(reference);
      expect(listed.data.map(({ limitUsd }) => limitUsd)).toEqual([2.5, 5]);
      if (when === 'of today') {
        expect(await client.getBudget({ ...reference, interval: 'weekly' })).toMatchObject({
          includeByokInBudgets: true,
        });
      }
      expect(await client.deleteBudget({ ...reference, interval: 'weekly' })).toEqual({ deleted: true });
      expect(await client.delete({ id })).toEqual({ deleted: true });
      await expect(client.get({ id })).rejects.toMatchObject({ statusCode: 404 });
    });
  });
});
