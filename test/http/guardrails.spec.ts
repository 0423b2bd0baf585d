// Checks the administration of guardrails and of their assignments as clients use it: statuses, bodies, limits, the
// released clients' own schemas, and the audit log and budgets after each change. The real app is called over HTTP
// on each database.
import { randomUUID } from 'node:crypto';
import type { OpenRouter } from '@openrouter/sdk';
import { DataSource } from 'typeorm';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { importNatively } from '../support/native-import.js';
import type { JsonBody } from '../support/recorded-request.js';

interface Reply {
  readonly status: number;
  readonly body: JsonBody;
}

const MS = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const NOTHING = {
  description: null,
  limit_usd: null,
  reset_interval: null,
  include_byok_in_budgets: false,
  allowed_models: null,
  ignored_models: null,
  allowed_providers: null,
  ignored_providers: null,
  allowed_data_regions: null,
  enforce_zdr: null,
  enforce_zdr_anthropic: null,
  enforce_zdr_openai: null,
  enforce_zdr_google: null,
  enforce_zdr_xai: null,
  enforce_zdr_other: null,
  content_filters: null,
  content_filter_builtins: null,
  enable_free_model_publication: null,
  enable_free_model_training: null,
  enable_paid_model_training: null,
};
const EVERYTHING = {
  name: 'all',
  description: 'a description',
  limit_usd: 12.5,
  reset_interval: 'monthly',
  include_byok_in_budgets: true,
  allowed_models: ['anthropic/*', 'openai/gpt-5'],
  ignored_models: ['*:free'],
  allowed_providers: ['anthropic', 'openai'],
  ignored_providers: ['deepseek'],
  enforce_zdr: true,
  enforce_zdr_anthropic: false,
  enforce_zdr_openai: true,
  enforce_zdr_google: null,
  enforce_zdr_xai: false,
  enforce_zdr_other: true,
  content_filters: [
    { pattern: 'PRJ-\\d+', action: 'redact', label: 'project' },
    { pattern: 'secret', action: 'block', label: null },
    { pattern: '(?i)draft', action: 'flag', label: 'draft' },
  ],
  enable_free_model_publication: false,
  enable_free_model_training: true,
  enable_paid_model_training: false,
};
const BUILTINS = [
  { slug: 'email', action: 'redact' },
  { slug: 'phone', action: 'block' },
  { slug: 'ssn', action: 'block' },
  { slug: 'credit-card', action: 'redact' },
  { slug: 'ip-address', action: 'redact' },
  { slug: 'person-name', action: 'redact' },
  { slug: 'address', action: 'redact' },
  { slug: 'regex-prompt-injection', action: 'flag', scan_scope: 'user_only' },
];
const long = (length: number): string => 'x'.repeat(length);
const many = <T>(count: number, entry: T): T[] => Array.from({ length: count }, () => entry);

describeOnEmbedded('guardrails over HTTP', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database);
  }, 240_000);
  afterAll(() => gateway?.close());

  async function call(
    method: string,
    path: string,
    body?: unknown,
    key: string | null = MANAGEMENT_KEY,
  ): Promise<Reply> {
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
  const query = (text: string, values: readonly unknown[] = []): Promise<JsonBody[]> =>
    gateway.gateway.app.get(DataSource, { strict: false }).query(text, [...values]);

  async function create(fields: object = {}): Promise<JsonBody> {
    const { status, body } = await call('POST', '/guardrails', { name: 'a guardrail', ...fields });
    expect([status, body.error]).toEqual([201, undefined]);
    return body.data;
  }
  async function newKey(fields: object = {}): Promise<string> {
    return (await call('POST', '/keys', { name: 'a key', ...fields })).body.data.hash;
  }
  const assign = (id: string, ...key_hashes: string[]): Promise<Reply> =>
    call('POST', `/guardrails/${id}/assignments/keys`, { key_hashes });
  const assignMembers = (id: string, ...member_user_ids: string[]): Promise<Reply> =>
    call('POST', `/guardrails/${id}/assignments/members`, { member_user_ids });
  const budgetsOf = (id: string): Promise<JsonBody[]> =>
    query(
      `select scope_id, interval, limit_usd::float8 as limit_usd, include_byok from budgets
       where scope = 'guardrail' and scope_id like $1 order by scope_id`,
      [`${id}:%`],
    );

  describe('a guardrail', () => {
    it('has nothing but its name at first', async () => {
      const { status, body } = await call('POST', '/guardrails', { name: 'plain' });
      expect(status).toBe(201);
      const [home] = await query(`select id from workspaces where is_default`);
      expect(body).toEqual({
        data: {
          ...NOTHING,
          id: expect.any(String),
          workspace_id: home.id,
          name: 'plain',
          created_at: MS,
          updated_at: null,
        },
      });
      expect((await call('GET', `/guardrails/${body.data.id}`)).body).toEqual(body);
    });

    it('is shown with all that it was made with', async () => {
      const shown = await create({ ...EVERYTHING, content_filter_builtins: BUILTINS });
      expect(shown).toEqual({
        ...NOTHING,
        ...EVERYTHING,
        content_filter_builtins: BUILTINS.map((entry) => ({
          ...entry,
          label: entry.slug === 'regex-prompt-injection' ? 'prompt-injection' : entry.slug,
        })),
        id: expect.any(String),
        workspace_id: expect.any(String),
        created_at: MS,
        updated_at: null,
      });
      expect((await call('GET', `/guardrails/${shown.id.toUpperCase()}`)).body.data).toEqual(shown);
    });

    it('changes what is named, clears what is null, and leaves the rest', async () => {
      const before = await create({ ...EVERYTHING, content_filter_builtins: BUILTINS });
      const changed = await call('PATCH', `/guardrails/${before.id}`, {
        name: 'new',
        limit_usd: null,
        allowed_models: null,
      });
      expect([changed.status, changed.body.data]).toEqual([
        200,
        { ...before, name: 'new', limit_usd: null, allowed_models: null, updated_at: MS },
      ]);
      const unchanged = await call('PATCH', `/guardrails/${before.id}`, {
        name: 'new',
        enforce_zdr: before.enforce_zdr,
      });
      expect(unchanged.body).toEqual(changed.body);
    });

    it('is gone when it is deleted', async () => {
      const { id } = await create();
      const deleted = await call('DELETE', `/guardrails/${id}`);
      expect([deleted.status, deleted.body]).toEqual([200, { deleted: true }]);
      for (const method of ['GET', 'PATCH', 'DELETE'])
        expect((await call(method, `/guardrails/${id}`, method === 'PATCH' ? {} : undefined)).status).toBe(404);
    });

    it('is listed newest first, page by page, of all workspaces or one', async () => {
      const workspace = (await call('POST', '/workspaces', { name: 'w', slug: 'guarded' })).body.data;
      const older = await create({ workspace_id: workspace.id });
      const newer = await create({ workspace_id: workspace.id.toUpperCase() });
      await create();
      const listed = await call('GET', `/guardrails?workspace_id=${workspace.id}`);
      expect([listed.status, listed.body]).toEqual([200, { data: [newer, older], total_count: 2 }]);
      expect((await call('GET', `/guardrails?workspace_id=${workspace.id}&offset=1&limit=1`)).body).toEqual({
        data: [older],
        total_count: 2,
      });
      expect((await call('GET', `/guardrails?offset=999`)).body.data).toEqual([]);
    });

    it.each([
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['offset=-1', 'offset'],
      ['workspace_id=', 'workspace_id'],
    ])('refuses the list ?%s', async (parameters, field) => {
      const { status, body } = await call('GET', `/guardrails?${parameters}`);
      expect([status, body.error.code]).toEqual([400, 400]);
      expect(body.error.message).toContain(`${field}:`);
    });

    it.each([
      ['name', [long(1), long(200)], ['', long(201), null, 1, '\u0000']],
      ['description', ['', long(1_000), null], [long(1_001), 1]],
      ['limit_usd', [0, 0.000000000001, 999999999999999, null], [-1, '1', 1e15, 1e-13, true]],
      ['reset_interval', ['daily', 'weekly', 'monthly', null], ['lifetime', 'yearly', 1]],
      ['include_byok_in_budgets', [true, false], [null, 'true', 1]],
      [
        'allowed_models',
        [['a/b'], ['*'], many(500, 'a/*'), [long(255)], null],
        [[], many(501, 'a'), [long(256)], [''], [1], 'a'],
      ],
      ['ignored_models', [['a/b'], null], [[], 'a']],
      ['allowed_providers', [['openai'], ['OpenAI', 'azure'], null], [[], ['no-such-provider'], [1], 'openai']],
      ['ignored_providers', [['openai'], null], [[], ['no-such-provider'], 'openai']],
      ['allowed_data_regions', [null], [['global'], []]],
      ['enforce_zdr', [true, false, null], ['true', 1]],
      ['enforce_zdr_anthropic', [true, null], [1]],
      ['enforce_zdr_openai', [true, null], [1]],
      ['enforce_zdr_google', [true, null], [1]],
      ['enforce_zdr_xai', [true, null], [1]],
      ['enforce_zdr_other', [true, null], [1]],
      ['enable_free_model_publication', [true, null], [1]],
      ['enable_free_model_training', [true, null], [1]],
      ['enable_paid_model_training', [true, null], [1]],
      [
        'content_filters',
        [
          [{ pattern: long(100_000), action: 'block' }],
          [{ pattern: 'a', action: 'redact', label: long(100) }],
          many(50, { pattern: 'a', action: 'flag' }),
          null,
        ],
        [
          [],
          many(51, { pattern: 'a', action: 'flag' }),
          [{ pattern: long(100_001), action: 'block' }],
          [{ pattern: '', action: 'block' }],
          [{ pattern: 'a', action: 'allow' }],
          [{ pattern: 'a' }],
          [{ action: 'block' }],
          [{ pattern: 'a', action: 'block', label: long(101) }],
          [{ pattern: 'a', action: 'block', label: 1 }],
          [{ pattern: 'a', action: 'block', lable: 'a' }],
          ['a'],
          {},
        ],
      ],
      [
        'content_filter_builtins',
        [
          [{ slug: 'email', action: 'block', label: 'mine' }],
          BUILTINS,
          [{ slug: 'regex-prompt-injection', action: 'redact', scan_scope: 'all_messages' }],
          null,
        ],
        [
          [],
          many(17, { slug: 'email', action: 'block' }),
          [{ slug: 'iban', action: 'block' }],
          [{ slug: 'email', action: 'block', scope: 'user_only' }],
          [{ slug: 'email' }],
          [{ slug: 'email', action: 'flag' }],
          [{ slug: 'email', action: 'block', scan_scope: 'user_only' }],
          [{ slug: 'regex-prompt-injection', action: 'flag', scan_scope: 'system' }],
          'email',
        ],
      ],
    ] as [string, unknown[], unknown[]][])('%s', async (field, good, bad) => {
      const { id } = await create();
      for (const value of good) {
        const { status, body } = await call('PATCH', `/guardrails/${id}`, { [field]: value });
        expect([field, status, body.error]).toEqual([field, 200, undefined]);
      }
      for (const value of bad) {
        const patched = await call('PATCH', `/guardrails/${id}`, { [field]: value });
        const posted = await call('POST', '/guardrails', { name: 'n', [field]: value });
        for (const { status, body } of [patched, posted]) {
          expect([JSON.stringify(value).slice(0, 60), status, body.error?.code]).toEqual([
            expect.any(String),
            400,
            400,
          ]);
          expect(body.error.message).toMatch(new RegExp(`^${field}[.:]`));
        }
      }
    });

    it.each(['(?=a)b', '(?<!a)b', '(a)\\1', '(', 'a**', 'a{1001}', 'a*', '(?:ab){900}|'.repeat(12)])(
      'refuses the pattern %j',
      async (pattern) => {
        const { status, body } = await call('POST', '/guardrails', {
          name: 'n',
          content_filters: [
            { pattern: 'fine', action: 'block' },
            { pattern, action: 'block' },
          ],
        });
        expect(status).toBe(400);
        expect(body.error.message).toMatch(/^content_filters\.1\.pattern: invalid_regex_pattern: ./);
        expect(body.error.message.length).toBeLessThan(200);
      },
    );

    it('bounds what all patterns of a guardrail cost together', async () => {
      const filters = (count: number, pattern: string): object => ({
        content_filters: Array.from({ length: count }, (_, index) => ({
          pattern: `${pattern}${index}`,
          action: 'block',
        })),
      });
      const { id } = await create(filters(2, long(99_990)));
      const texts = await call('PATCH', `/guardrails/${id}`, filters(3, long(99_990)));
      expect([texts.status, texts.body.error.message]).toEqual([400, expect.stringContaining('content_filters.2.pattern: invalid_regex_pattern')]); // oxfmt-ignore
      const sizes = await call('PATCH', `/guardrails/${id}`, filters(30, 'a.{390}'));
      expect([sizes.status, sizes.body.error.message]).toEqual([400, expect.stringContaining('10000 instructions')]);
    });

    it('bounds what one pattern costs', async () => {
      const { id } = await create({ content_filters: [{ pattern: 'a.{390}', action: 'block' }] });
      const change = { content_filters: [{ pattern: 'a.{400}', action: 'block' }] };
      const { status, body } = await call('PATCH', `/guardrails/${id}`, change);
      expect([status, body.error.message]).toEqual([400, expect.stringContaining('more than 400 instructions')]);
    });

    it.each([
      [{}, 400, 'name: is required'],
      [{ name: 'n', workspace_id: 'no-such' }, 404, 'workspace_id: there is no such workspace'],
      [{ name: 'n', limitUsd: 1 }, 400, 'limitUsd: is not a known field; did you mean limit_usd?'],
      [{ name: 'n', workspace_id: null }, 400, 'workspace_id: must be'],
      [{ name: 'n', workspace_id: randomUUID() }, 404, 'workspace_id: there is no such workspace'],
      ['[]', 400, 'must be an object'],
    ])('is not made of %j', async (body, status, message) => {
      const reply = await call('POST', '/guardrails', body);
      expect([reply.status, reply.body.error.code]).toEqual([status, status]);
      expect(reply.body.error.message).toContain(message);
    });

    it('stays in its workspace', async () => {
      const { id, workspace_id } = await create();
      const { status, body } = await call('PATCH', `/guardrails/${id}`, { workspace_id });
      expect([status, body.error.message]).toEqual([400, expect.stringContaining('workspace_id: cannot be changed')]);
    });
  });

  describe('assignments', () => {
    it('are made, listed and taken back', async () => {
      const { id } = await create();
      const hash = await newKey({ name: 'theirs' });
      expect((await assign(id, hash, hash)).body).toEqual({ assigned_count: 1 });
      expect((await assign(id, hash)).body).toEqual({ assigned_count: 0 });
      expect((await assignMembers(id, 'ann', 'bob')).body).toEqual({ assigned_count: 2 });
      const [account] = await query('select id from accounts');
      const [key] = await query('select label from api_keys where hash = $1', [hash]);
      expect((await call('GET', `/guardrails/${id}/assignments/keys`)).body).toEqual({
        data: [
          {
            id: expect.any(String),
            guardrail_id: id,
            key_hash: hash,
            key_name: 'theirs',
            key_label: key.label,
            assigned_by: null,
            created_at: MS,
          },
        ],
        total_count: 1,
      });
      const members = (await call('GET', `/guardrails/${id}/assignments/members?limit=1`)).body;
      expect(members).toEqual({
        data: [
          {
            id: expect.any(String),
            guardrail_id: id,
            user_id: expect.stringMatching(/^ann|bob$/),
            organization_id: account.id,
            assigned_by: null,
            created_at: MS,
          },
        ],
        total_count: 2,
      });
      const removed = await call('POST', `/guardrails/${id}/assignments/keys/remove`, {
        key_hashes: [hash, 'f'.repeat(64)],
      });
      expect([removed.status, removed.body]).toEqual([200, { unassigned_count: 1 }]);
      const left = await call('POST', `/guardrails/${id}/assignments/members/remove`, {
        member_user_ids: ['ann', 'eve'],
      });
      expect(left.body).toEqual({ unassigned_count: 1 });
      expect((await call('GET', `/guardrails/${id}/assignments/keys`)).body).toEqual({ data: [], total_count: 0 });
      expect((await call('GET', `/guardrails/${id}/assignments/members`)).body.data).toMatchObject([
        { user_id: 'bob' },
      ]);
    });

    it('move: a key or a member holds one guardrail', async () => {
      const [one, other] = [await create(), await create()];
      const hash = await newKey();
      await assign(one.id, hash);
      await assignMembers(one.id, 'mover');
      expect((await assign(other.id, hash)).body).toEqual({ assigned_count: 1 });
      expect((await assignMembers(other.id, 'mover')).body).toEqual({ assigned_count: 1 });
      for (const kind of ['keys', 'members']) {
        expect((await call('GET', `/guardrails/${one.id}/assignments/${kind}`)).body.total_count).toBe(0);
        expect((await call('GET', `/guardrails/${other.id}/assignments/${kind}`)).body.total_count).toBe(1);
      }
      const all = (await call('GET', '/guardrails/assignments/keys')).body;
      expect(all.data.filter(({ key_hash }: JsonBody) => key_hash === hash)).toMatchObject([
        { guardrail_id: other.id },
      ]);
      // Whom it is taken from must hold it.
      const strangers = await call('POST', `/guardrails/${one.id}/assignments/keys/remove`, { key_hashes: [hash] });
      expect(strangers.body).toEqual({ unassigned_count: 0 });
    });

    it('are deleted with their guardrail, and with their key', async () => {
      const [one, other] = [await create(), await create()];
      const [first, second] = [await newKey(), await newKey()];
      await assign(one.id, first);
      await assign(other.id, second);
      await call('DELETE', `/guardrails/${one.id}`);
      await call('DELETE', `/keys/${second}`);
      const hashes = (await call('GET', '/guardrails/assignments/keys')).body.data.map(
        ({ key_hash }: JsonBody) => key_hash,
      );
      expect(hashes).not.toContain(first);
      expect(hashes).not.toContain(second);
    });

    it.each([
      ['keys', {}, 'key_hashes: is required'],
      ['keys', { key_hashes: [] }, 'key_hashes: must have at least 1 entry'],
      ['keys', { key_hashes: many(501, 'a'.repeat(64)) }, 'key_hashes: must have at most 500 entries'],
      ['keys', { key_hashes: null }, 'key_hashes: must be an array'],
      ['keys', { key_hashes: ['A'.repeat(64)] }, 'key_hashes.0: must be the hash'],
      ['keys', { key_hashes: ['f'.repeat(64)] }, 'key_hashes: there is no key'],
      ['members', { member_user_ids: [] }, 'member_user_ids: must have at least 1 entry'],
      ['members', { member_user_ids: [''] }, 'member_user_ids.0: must be at least 1 character'],
      ['members', { member_user_ids: [long(256)] }, 'member_user_ids.0: must be at most 255 characters'],
      ['members', { member_user_ids: ['\u0000'] }, 'member_user_ids.0: must not contain'],
      ['members', { member_user_ids: 'ann' }, 'member_user_ids: must be an array'],
    ])('of %s are not made of %j', async (kind, body, message) => {
      const { id } = await create();
      const reply = await call('POST', `/guardrails/${id}/assignments/${kind}`, body);
      expect([reply.status, reply.body.error.code]).toEqual([400, 400]);
      expect(reply.body.error.message).toContain(message);
    });
  });

  const ROUTES: readonly (readonly [method: string, path: string, body: object | undefined])[] = [
    ['GET', '', undefined],
    ['PATCH', '', {}],
    ['DELETE', '', undefined],
    ['GET', '/assignments/keys', undefined],
    ['POST', '/assignments/keys', { key_hashes: ['f'.repeat(64)] }],
    ['POST', '/assignments/keys/remove', { key_hashes: ['f'.repeat(64)] }],
    ['GET', '/assignments/members', undefined],
    ['POST', '/assignments/members', { member_user_ids: ['u'] }],
    ['POST', '/assignments/members/remove', { member_user_ids: ['u'] }],
  ];

  it.each(ROUTES)(
    '%s /guardrails/{id}%s knows no foreign id and takes no inference key',
    async (method, path, body) => {
      for (const id of [randomUUID(), 'x', '%00', "'%20OR%20'1'='1"]) {
        const { status, body: reply } = await call(method, `/guardrails/${id}${path}`, body);
        expect([id, status, reply.error.code]).toEqual([id, 404, 404]);
      }
      const { id } = await create();
      const { status, body: reply } = await call(method, `/guardrails/${id}${path}`, body, API_KEY);
      expect([status, reply]).toEqual([
        403,
        { error: { code: 403, message: 'Only management keys can perform this operation' } },
      ]);
    },
  );

  describe('budgets', () => {
    it('are kept for each key and each member, and follow every change', async () => {
      const { id } = await create({ limit_usd: 5, reset_interval: 'daily' });
      expect(await budgetsOf(id)).toEqual([]);
      const [one, other] = [await newKey(), await newKey()];
      await assign(id, one, other);
      await assignMembers(id, 'budgeted');
      const holders = [`${id}:key:${one}`, `${id}:key:${other}`, `${id}:member:budgeted`].sort();
      const rows = (interval: string, limit_usd: number, include_byok: boolean, of = holders): object[] =>
        of.map((scope_id) => ({ scope_id, interval, limit_usd, include_byok }));
      expect(await budgetsOf(id)).toEqual(rows('daily', 5, false));
      await call('PATCH', `/guardrails/${id}`, { limit_usd: 0.5, include_byok_in_budgets: true });
      expect(await budgetsOf(id)).toEqual(rows('daily', 0.5, true));
      await call('PATCH', `/guardrails/${id}`, { reset_interval: null });
      expect(await budgetsOf(id)).toEqual(rows('lifetime', 0.5, true));
      await call('POST', `/guardrails/${id}/assignments/keys/remove`, { key_hashes: [one] });
      const left = holders.filter((holder) => !holder.includes(one));
      expect(await budgetsOf(id)).toEqual(rows('lifetime', 0.5, true, left));
      const elsewhere = await create({ limit_usd: 7 });
      await assign(elsewhere.id, other);
      expect(await budgetsOf(id)).toEqual(rows('lifetime', 0.5, true, [`${id}:member:budgeted`]));
      expect(await budgetsOf(elsewhere.id)).toEqual(rows('lifetime', 7, false, [`${elsewhere.id}:key:${other}`]));
      await call('PATCH', `/guardrails/${id}`, { limit_usd: null });
      expect(await budgetsOf(id)).toEqual([]);
      await call('DELETE', `/guardrails/${elsewhere.id}`);
      expect(await budgetsOf(elsewhere.id)).toEqual([]);
    });
  });

  describe.each([
    ['of today', '@openrouter/sdk'],
    ['of long ago', 'openrouter-sdk-0'],
  ])('a client %s', (when, name) => {
    it('makes, shows, lists, changes, assigns and deletes guardrails', async () => {
      const { OpenRouter: Client } = await importNatively<{ readonly OpenRouter: typeof OpenRouter }>(name);
      const client = new Client({ apiKey: MANAGEMENT_KEY, serverURL: `${gateway.origin}/api/v1` }).guardrails;
      const { data: made } = await client.create({
        createGuardrailRequest: {
          name: `by client ${when}`,
          limitUsd: 12.5,
          resetInterval: 'weekly',
          allowedModels: ['anthropic/*'],
          contentFilters: [{ pattern: 'PRJ-\\d+', action: 'redact', label: 'project' }],
          contentFilterBuiltins: [{ slug: 'email', action: 'redact' }],
        },
      });
      expect(made).toMatchObject({
        limitUsd: 12.5,
        contentFilters: [{ label: 'project' }],
        contentFilterBuiltins: [{ slug: 'email', label: 'email' }],
      });
      const { id } = made;
      expect((await client.get({ id })).data).toEqual(made);
      const updated = await client.update({ id, updateGuardrailRequest: { description: null, enforceZdr: true } });
      expect(updated.data).toMatchObject({ enforceZdr: true, limitUsd: 12.5 });
      const keyHashes = [await newKey()];
      const memberUserIds = [`client ${when}`];
      expect(await client.bulkAssignKeys({ id, bulkAssignKeysRequest: { keyHashes } })).toEqual({ assignedCount: 1 });
      expect(await client.bulkAssignMembers({ id, bulkAssignMembersRequest: { memberUserIds } })).toEqual({
        assignedCount: 1,
      });
      const pages = [
        await client.list({}),
        await client.listKeyAssignments({}),
        await client.listMemberAssignments({}),
        await client.listGuardrailKeyAssignments({ id }),
        await client.listGuardrailMemberAssignments({ id }),
      ];
      for (const { result } of pages) expect(result.data.length).toBeGreaterThan(0);
      expect(pages[3]!.result.data).toMatchObject([{ keyHash: keyHashes[0], guardrailId: id }]);
      expect(pages[4]!.result.data).toMatchObject([{ userId: memberUserIds[0], guardrailId: id }]);
      expect(await client.bulkUnassignKeys({ id, bulkUnassignKeysRequest: { keyHashes } })).toEqual({
        unassignedCount: 1,
      });
      expect(await client.bulkUnassignMembers({ id, bulkUnassignMembersRequest: { memberUserIds } })).toEqual({
        unassignedCount: 1,
      });
      expect(await client.delete({ id })).toEqual({ deleted: true });
    });
  });

  it('logs its former assignments when it is deleted: keys, members, and workspaces whose default it was', async () => {
    const { id } = await create({ limit_usd: 5 });
    const hash = await newKey();
    await call('POST', `/guardrails/${id}/assignments/keys`, { key_hashes: [hash] });
    await call('POST', `/guardrails/${id}/assignments/members`, { member_user_ids: ['one', 'other'] });
    const before = (await call('PATCH', '/workspaces/default', { default_guardrail_id: id })).body.data;
    await call('DELETE', `/guardrails/${id}`);
    const after = (await call('GET', '/workspaces/default')).body.data;
    expect(after).toEqual({ ...before, default_guardrail_id: expect.not.stringContaining(id), updated_at: MS });
    const { data } = (await call('GET', '/audit?limit=4')).body;
    const entries = data.map((entry: JsonBody) => [entry.action, entry.target, entry.before, entry.after]);
    expect(entries.reverse()).toEqual([
      ['guardrail.unassign', id, { key_hashes: [hash] }, null],
      ['guardrail.unassign', id, { member_user_ids: expect.arrayContaining(['one', 'other']) }, null],
      ['workspace.update', before.id, before, after],
      ['guardrail.delete', id, expect.objectContaining({ id, limit_usd: 5 }), null],
    ]);
  });

  it('stores a change of an amount that is displayed alike', async () => {
    const [one, other] = ['123456789012345.000000000001', '123456789012345.000000000002'];
    const { data } = (await call('POST', '/guardrails', `{"name":"n","limit_usd":${one}}`)).body;
    await call('PATCH', `/guardrails/${data.id}`, `{"limit_usd":${other}}`);
    const limit = 'select limit_usd::text from guardrails where id = $1';
    expect(await query(limit, [data.id])).toEqual([{ limit_usd: other }]);
  });

  it('logs every change, once, and nothing where nothing changed', async () => {
    const logged = async (): Promise<JsonBody[]> =>
      (
        await query(
          `select action, target, before, after from audit_entries where action like 'guardrail.%' order by seq`,
        )
      ).map(({ action, target, before, after }) => [action, target, JSON.parse(before), JSON.parse(after)]);
    const before = (await logged()).length;
    const made = await create({ name: 'one' });
    const other = await create({ name: 'other' });
    const changed = (await call('PATCH', `/guardrails/${made.id}`, { name: 'two' })).body.data;
    await call('PATCH', `/guardrails/${made.id}`, { name: 'two' });
    const hash = await newKey();
    await assign(made.id, hash);
    await assign(made.id, hash);
    await assign(other.id, hash);
    await call('POST', `/guardrails/${made.id}/assignments/keys/remove`, { key_hashes: [hash] });
    await call('POST', `/guardrails/${other.id}/assignments/keys/remove`, { key_hashes: [hash] });
    await assignMembers(made.id, 'logged');
    await call('DELETE', `/guardrails/${made.id}`);
    await call('DELETE', `/guardrails/${made.id}`);
    expect((await logged()).slice(before)).toEqual([
      ['guardrail.create', made.id, null, made],
      ['guardrail.create', other.id, null, other],
      ['guardrail.update', made.id, made, changed],
      ['guardrail.assign', made.id, null, { key_hashes: [hash] }],
      ['guardrail.assign', other.id, { [hash]: made.id }, { key_hashes: [hash] }],
      ['guardrail.unassign', other.id, { key_hashes: [hash] }, null],
      ['guardrail.assign', made.id, null, { member_user_ids: ['logged'] }],
      ['guardrail.unassign', made.id, { member_user_ids: ['logged'] }, null],
      ['guardrail.delete', made.id, changed, null],
    ]);
  });
});
