// Checks provider credentials as administrators use them: statuses and bodies of /byok, what is refused and under
// which name, what is kept of a credential and of a deleted one, and that the text of a credential appears nowhere.
// The real app runs over loopback upstreams; at the end everything it stored, logged and answered is searched.
import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { UnreadableCredentials } from '../../src/byok/unreadable-credentials.js';
import { hashKey, newUuid } from '../../src/core/ids.js';
import { HealthRegistry } from '../../src/endpoint-health/health-registry.js';
import { Clock } from '../../src/core/time.js';
import { AheadClock } from '../support/ahead-clock.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY, extendedCatalogOf, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { cutAfter, json, neverAnswers } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

interface Credential {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** The parts of bodies that the tests read. */
interface Body {
  readonly data: Credential & Iterable<Credential>;
  readonly total_count: number;
  readonly deleted: boolean;
  readonly error: { readonly code: number; readonly message: string };
}

interface Reply {
  readonly status: number;
  readonly body: Body;
}

/** The state of a credential that has never been used. */
const UNTESTED = {
  status: 'untested',
  status_reason: null,
  status_at: null,
  last_used_at: null,
  last_refusal: null,
  last_refused_at: null,
};
/** Fields shown of a credential that the audit log does not keep. */
const PASSING = [...Object.keys(UNTESTED), 'routable'];
const termsOf = (shown: object): object =>
  Object.fromEntries(Object.entries(shown).filter(([name]) => !PASSING.includes(name)));

const NOWHERE = '0198c0de-0000-7000-8000-000000000001';
const HASH = hashKey(API_KEY);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** In every credential of this suite, where no label shows it. */
const CANARY = `canary${randomBytes(8).toString('hex')}`;
const keyOf = (end = 'AbCd'): string => `sk-own-${CANARY}-${end}`;

const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `entry-${index}`);
const hashes = (count: number): string[] => Array.from({ length: count }, () => HASH);

/** Values that each field of both bodies takes, at its limits. */
const TAKEN: readonly (readonly [string, unknown])[] = [
  ['name', null],
  ['name', ''],
  ['name', 'n'.repeat(255)],
  ['name', '😀'.repeat(255)],
  ['allowed_models', null],
  ['allowed_models', []],
  ['allowed_models', many(100)],
  ['allowed_models', ['m'.repeat(255)]],
  ['allowed_user_ids', null],
  ['allowed_user_ids', []],
  ['allowed_user_ids', many(100)],
  ['allowed_api_key_hashes', null],
  ['allowed_api_key_hashes', [HASH]],
  ['allowed_api_key_hashes', hashes(100)],
  ['disabled', true],
  ['is_fallback', true],
  ['is_required', true],
  ['is_byok_only', true],
  ['declared_zdr', true],
  ['declared_zdr', false],
  ['declared_zdr', null],
  ['sort_order', 0],
  ['sort_order', -2147483648],
  ['sort_order', 2147483647],
];

/** The value in a test's name. */
const short = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}… (${text.length})` : text;
};

/** Cases with the value's name behind the field's. */
const named = (cases: readonly (readonly [string, unknown, string?])[]): [string, string, unknown, string][] =>
  cases.map(([field, value, message = '']) => [field, short(value), value, message]);

const LIST_ENTRY = 'must be a string';
/** Values that each route refuses, with the beginning of the message that the caller receives. */
const REFUSED: readonly (readonly [string, unknown, string])[] = [
  ['key', null, 'key: must be a string'],
  ['key', '', 'key: must be at least 1 character'],
  ['key', 'k'.repeat(65_537), 'key: must be at most 65536 characters'],
  ['key', 7, 'key: must be a string'],
  ['key', 'k\u0000', 'key: must not contain NUL'],
  ['name', 'n'.repeat(256), 'name: must be at most 255 characters'],
  ['name', 1, 'name: must be a string'],
  ['name', 'n\u0000', 'name: must not contain NUL'],
  ['allowed_models', many(101), 'allowed_models: must have at most 100 entries'],
  ['allowed_models', 'm', 'allowed_models: must be an array'],
  ['allowed_models', ['m', null], `allowed_models.1: ${LIST_ENTRY}`],
  ['allowed_models', [''], 'allowed_models.0: must be at least 1 character'],
  ['allowed_models', ['m'.repeat(256)], 'allowed_models.0: must be at most 255 characters'],
  ['allowed_user_ids', many(101), 'allowed_user_ids: must have at most 100 entries'],
  ['allowed_user_ids', {}, 'allowed_user_ids: must be an array'],
  ['allowed_user_ids', [1], `allowed_user_ids.0: ${LIST_ENTRY}`],
  ['allowed_api_key_hashes', [], 'allowed_api_key_hashes: must have at least 1 entry'],
  ['allowed_api_key_hashes', hashes(101), 'allowed_api_key_hashes: must have at most 100 entries'],
  ['allowed_api_key_hashes', HASH, 'allowed_api_key_hashes: must be an array'],
  ['allowed_api_key_hashes', [HASH.toUpperCase()], 'allowed_api_key_hashes.0: must be the hash of an API key'],
  [
    'allowed_api_key_hashes',
    [HASH, 'f'.repeat(64)],
    'allowed_api_key_hashes: must be hashes of API keys of this account',
  ],
  ['disabled', null, 'disabled: must be a boolean'],
  ['disabled', 'true', 'disabled: must be a boolean'],
  ['is_fallback', null, 'is_fallback: must be a boolean'],
  ['is_fallback', 1, 'is_fallback: must be a boolean'],
  ['is_required', null, 'is_required: must be a boolean'],
  ['is_byok_only', null, 'is_byok_only: must be a boolean'],
  ['declared_zdr', 'no', 'declared_zdr: must be a boolean'],
  ['sort_order', null, 'sort_order: must be an integer'],
  ['sort_order', 1.5, 'sort_order: must be an integer'],
  ['sort_order', 2147483648, 'sort_order: must be at most 2147483647'],
];

describeOnEmbedded('provider credentials over HTTP', (database) => {
  let upstream: Upstream;
  let gateway: TestGateway;
  let store: DataSource;
  const answers: string[] = [];
  /** Logs of gateways that have stopped. */
  const logs: TestGateway['log'][] = [];

  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    await start();
  }, 240_000);

  async function start(): Promise<void> {
    gateway = await startGateway(database, {
      clock: new AheadClock(),
      catalog: extendedCatalogOf(
        { id: 'test/cheap', at: [{ url: upstream.url, dialect: 'anthropic-messages' }] },
        {
          id: 'test/dear',
          at: [{ url: upstream.url, dialect: 'anthropic-messages' }],
          endpoint: { pricing: { prompt: '900', completion: '900' } },
        },
      ),
    });
    store = gateway.gateway.app.get(DataSource, { strict: false });
  }
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });

  async function call(
    method: string,
    path: string,
    { key = MANAGEMENT_KEY, body }: { key?: string | null; body?: unknown } = {},
  ): Promise<Reply> {
    const response = await gateway.request(path, {
      method,
      key,
      ...(body !== undefined && {
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    });
    const text = await response.text();
    answers.push(text);
    return { status: response.status, body: JSON.parse(text) as Body };
  }

  const create = async (body: object = {}): Promise<Credential> => {
    const reply = await call('POST', '/byok', { body: { provider: 'openai', key: keyOf(), ...body } });
    expect([reply.body.error, reply.status]).toEqual([undefined, 201]);
    return reply.body.data;
  };

  const rowOf = async (id: string): Promise<Record<string, unknown>> =>
    (await store.query('select * from provider_credentials where id = $1', [id]))[0];

  const auditOf = async (id: string): Promise<{ action: string; before: unknown; after: unknown }[]> => {
    const entries = await store.query(
      `select action, before, after, actor from audit_entries where target = $1 order by seq`,
      [id],
    );
    return entries.map(({ action, before, after }: Record<string, string | null>) => ({
      action,
      before: before && JSON.parse(before),
      after: after && JSON.parse(after),
    }));
  };

  const defaultWorkspace = async (): Promise<string> =>
    (await store.query('select id from workspaces where is_default'))[0].id;

  describe('creating', () => {
    it('answers 201 with the credential, masked, and what was left out at its defaults', async () => {
      const { status, body } = await call('POST', '/byok', { body: { provider: 'mistral', key: keyOf() } });
      expect(status).toBe(201);
      expect(body).toEqual({
        data: {
          id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
          provider: 'mistral',
          name: null,
          label: 'sk-...AbCd',
          disabled: false,
          is_fallback: false,
          sort_order: 0,
          workspace_id: await defaultWorkspace(),
          created_at: expect.stringMatching(TIME),
          allowed_models: null,
          allowed_user_ids: null,
          allowed_api_key_hashes: null,
          is_required: false,
          is_byok_only: false,
          declared_zdr: null,
          ...UNTESTED,
          routable: true,
        },
      });
      expect((await call('GET', `/byok/${body.data.id}`)).body).toEqual(body);
      const view = termsOf(body.data);
      expect(await auditOf(body.data.id)).toEqual([{ action: 'byok.create', before: null, after: view }]);
    });

    it('reports why no request can be sent to a provider', async () => {
      const made = await create({ provider: 'deepgram' });
      expect(made).toMatchObject({ routable: false, reason: 'Speech only: it serves no chat model' });
      expect(await create({ provider: 'perceptron' })).toMatchObject({
        routable: false,
        reason: expect.stringContaining('The catalog has no endpoint at this provider'),
      });
      expect((await call('GET', `/byok/${made.id}`)).body.data).toEqual(made);
    });

    it('takes everything at once, in a workspace named in any case', async () => {
      const workspace = await defaultWorkspace();
      const fields = {
        name: 'All of it',
        allowed_models: ['test/cheap'],
        allowed_user_ids: ['user'],
        allowed_api_key_hashes: [HASH],
        disabled: true,
        is_fallback: true,
        is_required: true,
        declared_zdr: true,
        sort_order: -5,
      };
      const created = await create({ ...fields, workspace_id: workspace.toUpperCase() });
      expect(created).toMatchObject({ ...fields, workspace_id: workspace, status: 'untested' });
      expect((await call('GET', `/byok/${created.id}`)).body.data).toEqual(created);
    });

    it('puts each behind the others of its workspace and provider', async () => {
      const orders = [];
      for (const provider of ['groq', 'groq', 'xai', 'groq']) orders.push((await create({ provider })).sort_order);
      await create({ provider: 'groq', sort_order: 2147483647 });
      orders.push((await create({ provider: 'groq' })).sort_order);
      expect(orders).toEqual([0, 1, 0, 2, 2147483647]);
    });

    it('gives those made at once different positions', async () => {
      const made = await Promise.all(many(5).map(() => create({ provider: 'cohere' })));
      expect(made.map(({ sort_order }) => sort_order).sort()).toEqual([0, 1, 2, 3, 4]);
    });

    it.each(named(TAKEN))('takes %s %s', async (field, _, value) => {
      expect((await create({ [field]: value }))[field]).toEqual(value);
    });

    it('takes keys of one character and of the most', async () => {
      expect((await create({ key: 'k' })).label).toBe('...');
      expect((await create({ key: `${'k'.repeat(65_532)}AbCd` })).label).toBe('kkk...AbCd');
    });

    it.each(named([...REFUSED, ['workspace_id', '', 'workspace_id: must be at least 1 character']]))(
      'refuses %s %s',
      async (field, _, value, message) => {
        const { status, body } = await call('POST', '/byok', {
          body: { provider: 'openai', key: keyOf(), [field]: value },
        });
        expect([status, body.error.code]).toEqual([400, 400]);
        expect(body.error.message.startsWith(message)).toBe(true);
      },
    );

    it.each([
      [{ provider: 'openai' }, 'key: is required'],
      [{ key: 'k' }, 'provider: is required'],
      [{ key: 'k', provider: null }, 'provider: must be a string'],
      [{ key: 'k', provider: 'OpenAI' }, 'provider: must be the slug of a known provider'],
      [{ key: 'k', provider: 'no-such' }, 'provider: must be the slug of a known provider'],
      [{ key: 'k', provider: 'openai', is_byok_only: true, is_fallback: true }, 'is_byok_only: can be true only'],
      [{ key: 'k', provider: 'openai', workspace_id: null }, 'workspace_id: must be a string'],
      [{ key: 'k', provider: 'openai', workspace_id: NOWHERE }, 'workspace_id: there is no such workspace'],
      [{ key: 'k', provider: 'openai', workspace_id: 'no-such' }, 'workspace_id: there is no such workspace'],
      [{ key: 'k', provider: 'openai', isFallbak: true }, 'isFallbak: is not a known field; did you mean is_fallback?'],
      [{ key: `[{"resource_name":"${CANARY}"}]`, provider: 'azure' }, 'key.0.api_key: is required'],
      [
        { key: `${CANARY} x`, provider: 'google-vertex' },
        "key: must be an API key, or the JSON of a service account's key",
      ],
      ['[]', 'body: must be an object'],
    ])('refuses %j', async (body, message) => {
      const reply = await call('POST', '/byok', { body });
      expect(reply.status).toBe(message.includes('no such workspace') ? 404 : 400);
      expect(reply.body.error.message.startsWith(message)).toBe(true);
    });

    it.each([
      [' sk-own-0123456789-0123456789 '],
      ['sk-own-0123456789-0123456789\n'],
      ['\r\n\tsk-own-0123456789-0123456789\u00a0\ufeff'],
    ])('keeps %j without surrounding characters', async (key) => {
      upstream.script(anthropicText('Hello'));
      const { id, label } = await create({ provider: 'p0', key });
      expect(label).toBe('sk-...6789');
      expect((await call('POST', `/byok/${id}/test`, { body: {} })).body.data['works']).toBe(true);
      expect(upstream.requests.at(-1)!.headers['x-api-key']).toBe('sk-own-0123456789-0123456789');
      await call('PATCH', `/byok/${id}`, { body: { key: `${keyOf('WxYz')}\n` } });
      await call('POST', `/byok/${id}/test`, { body: {} });
      expect(upstream.requests.at(-1)!.headers['x-api-key']).toBe(keyOf('WxYz'));
    });

    it.each([
      ['  \n', 'key: must not be blank'],
      [`${CANARY} x`, 'key: must be printable ASCII characters without blanks'],
      [`Bearer ${CANARY}`, 'key: must be printable ASCII characters without blanks'],
      [`${CANARY}\n${CANARY}`, 'key: must be printable ASCII characters without blanks'],
      [`${CANARY}\u200b`, 'key: must be printable ASCII characters without blanks'],
      [`{"${CANARY}": x`, 'key: must be printable ASCII characters without blanks'],
      [`"${CANARY}"`, 'key: must not be in quotation marks'],
    ])('refuses the text %j', async (key, message) => {
      const made = await call('POST', '/byok', { body: { provider: 'openai', key } });
      expect([made.status, made.body.error.message]).toEqual([400, expect.stringContaining(message)]);
      expect(made.body.error.message).not.toContain(CANARY);
      const { id } = await create({ provider: 'openai' });
      expect((await call('PATCH', `/byok/${id}`, { body: { key } })).status).toBe(400);
    });

    it.each([
      ['openai', `sk-ant-api03-${CANARY}`, 'Anthropic', 'OpenAI'],
      ['anthropic', `sk-proj-${CANARY}`, 'OpenAI', 'Anthropic'],
      ['mistral', `gsk_${CANARY}`, 'Groq', 'Mistral'],
      ['google-ai-studio', `sk-or-v1-${CANARY}`, 'OpenRouter', 'Google'],
      ['openai', `AIza${'x'.repeat(35)}`, 'Google', 'OpenAI'],
      ['anthropic', `sk-fl-v1-${CANARY}`, 'this gateway', 'Anthropic'],
    ])('refuses at %s a key of the form of another vendor, %#', async (provider, key, maker, owner) => {
      const { status, body } = await call('POST', '/byok', { body: { provider, key } });
      const message = `key: has the form of a key of ${maker}; ${owner} does not take it`;
      expect([status, body.error.message]).toEqual([400, message]);
      const { id } = await create({ provider });
      expect((await call('PATCH', `/byok/${id}`, { body: { key } })).body.error.message).toBe(message);
    });

    it.each([
      ['anthropic', `sk-ant-api03-${CANARY}`],
      ['openai', `sk-${CANARY}`],
      // At an address other than a vendor's own, a key may have any form.
      ['p0', `sk-ant-api03-${CANARY}`],
      ['azure', `sk-proj-${CANARY}`],
    ])('takes at %s a key that may be one of its own', async (provider, key) => {
      expect(await create({ provider, key })).toMatchObject({ provider, ...UNTESTED });
    });

    it('keeps a thousand in a workspace and no more', async () => {
      const workspace = newUuid(Date.now());
      await store.query(
        `insert into workspaces (id, account_id, name, slug, is_default, created_at)
         select $1, id, 'full', 'full', false, now() from accounts`,
        [workspace],
      );
      const first = await create({ workspace_id: workspace });
      await store.query(
        `insert into provider_credentials select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid()))).*
         from provider_credentials c, generate_series(1, 998) where id = $1`,
        [first.id],
      );
      await create({ workspace_id: workspace });
      const { status, body } = await call('POST', '/byok', {
        body: { provider: 'openai', key: keyOf(), workspace_id: workspace },
      });
      expect([status, body.error.message]).toEqual([400, expect.stringMatching(/^workspace_id: .* 1000 credentials/)]);
      await store.query('delete from provider_credentials where workspace_id = $1', [workspace]);
    });

    it('takes providers of the published list and of the catalog', async () => {
      for (const provider of ['ncompass', 'amazon-bedrock/claude-on-aws', 'anthropic/2', 'p0'])
        expect((await create({ provider })).provider).toBe(provider);
    });
  });

  describe('listing', () => {
    it('shows the newest first, page by page, with the number of all', async () => {
      const older = await create({ provider: 'deepseek' });
      const newer = await create({ provider: 'deepseek' });
      const whole = await call('GET', '/byok?provider=deepseek');
      expect(whole.body).toEqual({ data: [newer, older], total_count: 2 });
      expect((await call('GET', '/byok?provider=deepseek&limit=1&offset=1')).body).toEqual({
        data: [older],
        total_count: 2,
      });
      expect((await call('GET', '/byok?provider=deepseek&offset=2')).body).toEqual({ data: [], total_count: 2 });
      const all = await call('GET', '/byok');
      expect([...all.body.data]).toHaveLength(Math.min(50, all.body.total_count));
    });

    it('shows those of one workspace', async () => {
      const workspace = await defaultWorkspace();
      const { total_count } = (await call('GET', `/byok?workspace_id=${workspace}`)).body;
      expect(total_count).toBeGreaterThan(0);
      expect((await call('GET', '/byok?workspace_id=default')).body.total_count).toBe(total_count);
      expect((await call('GET', `/byok?workspace_id=${NOWHERE}`)).status).toBe(404);
    });

    it.each([
      ['limit=0', 'limit: must be an integer from 1 to 100'],
      ['limit=101', 'limit: must be an integer from 1 to 100'],
      ['limit=x', 'limit: must be'],
      ['offset=-1', 'offset: must be an integer from 0'],
      ['workspace_id=', 'workspace_id: must be at least 1 character'],
      ['provider=no-such', 'provider: must be the slug of a known provider'],
    ])('refuses %s', async (query, message) => {
      const { status, body } = await call('GET', `/byok?${query}`);
      expect([status, body.error.message.startsWith(message)]).toEqual([400, true]);
    });
  });

  describe('changing', () => {
    it.each(named(TAKEN))('takes %s %s, and leaves the rest', async (field, _, value) => {
      const created = await create({ name: 'n', allowed_models: ['m'], allowed_user_ids: ['u'], declared_zdr: true });
      const { status, body } = await call('PATCH', `/byok/${created.id}`, { body: { [field]: value } });
      expect(status).toBe(200);
      expect(body.data).toEqual({ ...created, [field]: value });
      expect((await call('GET', `/byok/${created.id}`)).body).toEqual(body);
    });

    it.each(
      named([
        ...REFUSED,
        ['provider', 'openai', 'provider: cannot be changed'],
        ['provider', null, 'provider: cannot be changed'],
        ['workspace_id', NOWHERE, 'workspace_id: cannot be changed'],
      ]),
    )('refuses %s %s, and changes nothing', async (field, _, value, message) => {
      const created = await create();
      const { status, body } = await call('PATCH', `/byok/${created.id}`, { body: { disabled: true, [field]: value } });
      expect([status, body.error.code]).toEqual([400, 400]);
      expect(body.error.message.startsWith(message)).toBe(true);
      expect((await call('GET', `/byok/${created.id}`)).body.data).toEqual(created);
    });

    it('holds is_byok_only and is_fallback apart, whichever is set later', async () => {
      for (const [made, change] of [
        [{ is_byok_only: true }, { is_fallback: true }],
        [{ is_fallback: true }, { is_byok_only: true }],
      ]) {
        const { id } = await create(made);
        const { status, body } = await call('PATCH', `/byok/${id}`, { body: change });
        expect([status, body.error.message]).toEqual([400, expect.stringMatching(/^is_byok_only: /)]);
      }
    });

    it('replaces the text in place, and updates its label', async () => {
      const created = await create();
      const before = await rowOf(created.id);
      const { body } = await call('PATCH', `/byok/${created.id}`, { body: { key: keyOf('WxYz') } });
      const after: Credential = { ...created, label: 'sk-...WxYz' };
      expect(body.data).toEqual(after);
      const row = await rowOf(created.id);
      expect(row['sealed']).not.toEqual(before['sealed']);
      expect(row['wrapped_key']).not.toEqual(before['wrapped_key']);
      const view = termsOf(after);
      expect((await auditOf(created.id))[1]).toEqual({
        action: 'byok.update',
        before: { ...view, label: created.label },
        after: { ...view, key: 'rotated' },
      });
    });

    it('holds a new text to the form of its provider', async () => {
      const entry = { api_key: CANARY, resource_name: 'one', resource_type: 'openai' };
      const created = await create({ provider: 'azure', key: JSON.stringify([entry]) });
      expect(created.label).toBe('one');
      const { status, body } = await call('PATCH', `/byok/${created.id}`, { body: { key: `{"${CANARY}":1}` } });
      expect([status, body.error.message]).toEqual([400, 'key.tenant_id: is required']);
    });

    it('records nothing where nothing changes', async () => {
      const { status: _, ...created } = await create({ name: 'same' });
      for (const body of [{}, { name: 'same' }, { name: 'same', disabled: false }]) {
        expect((await call('PATCH', `/byok/${created.id}`, { body })).body.data).toMatchObject(created);
      }
      expect(await auditOf(created.id)).toHaveLength(1);
      expect((await rowOf(created.id))['updated_at']).toBeNull();
    });
  });

  describe('deleting', () => {
    it('wipes the text, keeps the row, and no longer finds it', async () => {
      const { id, ...created } = await create();
      expect(await call('DELETE', `/byok/${id}`)).toEqual({ status: 200, body: { deleted: true } });
      expect(await rowOf(id)).toMatchObject({
        key_id: null,
        wrapped_key: null,
        sealed: null,
        label: created['label'],
        deleted_at: expect.any(Date),
      });
      for (const [method, path] of [
        ['GET', `/byok/${id}`],
        ['PATCH', `/byok/${id}`],
        ['DELETE', `/byok/${id}`],
        ['POST', `/byok/${id}/test`],
      ] as const) {
        const reply = await call(method, path, method === 'PATCH' || method === 'POST' ? { body: {} } : {});
        expect([method, reply.status, reply.body.error.code]).toEqual([method, 404, 404]);
      }
      const listed = [...(await call('GET', '/byok?limit=100')).body.data];
      expect(listed.some((entry) => entry.id === id)).toBe(false);
      const view = termsOf(created);
      expect((await auditOf(id))[1]).toEqual({ action: 'byok.delete', before: { id, ...view }, after: null });
    });
  });

  describe('permissions', () => {
    it.each([NOWHERE, NOWHERE.toUpperCase(), 'x', '%00', "'%20OR%20'1'='1"])('finds no credential %s', async (id) => {
      for (const method of ['GET', 'DELETE']) expect((await call(method, `/byok/${id}`)).status).toBe(404);
      expect((await call('PATCH', `/byok/${id}`, { body: {} })).status).toBe(404);
      expect((await call('POST', `/byok/${id}/test`, { body: {} })).status).toBe(404);
    });

    it("finds nothing of another account's", async () => {
      const { id } = await create();
      const other = { account: newUuid(Date.now()), workspace: newUuid(Date.now()), credential: newUuid(Date.now()) };
      await store.query(`insert into accounts (id, name, free_tier, created_at) values ($1, 'other', true, now())`, [
        other.account,
      ]);
      await store.query(
        `insert into workspaces (id, account_id, name, slug, is_default, created_at) values ($1, $2, 'o', 'o', false, now())`,
        [other.workspace, other.account],
      );
      await store.query(
        `insert into provider_credentials select (jsonb_populate_record(c, jsonb_build_object(
           'id', $2::text, 'account_id', $3::text, 'workspace_id', $4::text))).*
         from provider_credentials c where id = $1`,
        [id, other.credential, other.account, other.workspace],
      );
      const path = `/byok/${other.credential}`;
      for (const method of ['GET', 'DELETE']) expect((await call(method, path)).status).toBe(404);
      expect((await call('PATCH', path, { body: { name: 'mine' } })).status).toBe(404);
      expect((await call('POST', `${path}/test`, { body: {} })).status).toBe(404);
      expect((await call('GET', `/byok?workspace_id=${other.workspace}`)).status).toBe(404);
      const inTheirs = { provider: 'openai', key: keyOf(), workspace_id: other.workspace };
      expect((await call('POST', '/byok', { body: inTheirs })).status).toBe(404);
      expect(await rowOf(other.credential)).toMatchObject({ name: null, deleted_at: null });
      await store.query('delete from provider_credentials where account_id = $1', [other.account]);
    });

    it('is for management keys', async () => {
      const { id } = await create();
      for (const [method, path] of [
        ['GET', '/byok'],
        ['POST', '/byok'],
        ['GET', `/byok/${id}`],
        ['PATCH', `/byok/${id}`],
        ['DELETE', `/byok/${id}`],
        ['POST', `/byok/${id}/test`],
      ] as const) {
        expect(await call(method, path, { key: API_KEY })).toEqual({
          status: 403,
          body: { error: { code: 403, message: 'Only management keys can perform this operation' } },
        });
        expect(await call(method, path, { key: null })).toEqual({
          status: 401,
          body: { error: { code: 401, message: expect.stringMatching(/^Missing Authentication header: /) } },
        });
      }
    });
  });

  describe('testing', () => {
    const test = async (id: string): Promise<unknown> => {
      const { status, body } = await call('POST', `/byok/${id}/test`, { body: {} });
      expect(status).toBe(200);
      return body.data;
    };
    const complaint = (status: number, message: string) =>
      json({ type: 'error', error: { type: 'some_error', message } }, status);

    it('makes one small call with the credential to the cheapest endpoint, and charges nothing', async () => {
      upstream.script(anthropicText('Hello'));
      const { id } = await create({ provider: 'p0' });
      const [before] = await store.query(`select * from spending_windows where scope = 'account'`);
      const calls = upstream.requests.length;
      expect(await test(id)).toEqual({
        works: true,
        status: 200,
        model: 'test/cheap',
        latency_ms: expect.any(Number),
        message: 'The provider accepts the credential.',
      });
      const [request, ...others] = upstream.requests.slice(calls);
      expect(others).toEqual([]);
      expect(request!.headers['x-api-key']).toBe(keyOf());
      expect(request!.json).toMatchObject({ model: 'upstream-cheap', max_tokens: 16 });
      expect(await store.query(`select * from spending_windows where scope = 'account'`)).toEqual([before]);
      expect(await auditOf(id)).toHaveLength(1);
    });

    it('uses the text that is in force, and only models the credential is for', async () => {
      const { id } = await create({ provider: 'p0', allowed_models: ['test/dear'] });
      await call('PATCH', `/byok/${id}`, { body: { key: keyOf('WxYz') } });
      expect(await test(id)).toMatchObject({ works: true, model: 'test/dear' });
      expect(upstream.requests.at(-1)!.headers['x-api-key']).toBe(keyOf('WxYz'));
      await call('PATCH', `/byok/${id}`, { body: { allowed_models: ['no/such'] } });
      expect(await test(id)).toMatchObject({ works: null, model: null, message: expect.stringContaining('none of') });
    });

    it.each([
      [401, false, 'The provider refuses the credential: '],
      [403, false, 'The provider refuses the credential: '],
      [402, false, "The credential's account at the provider has nothing left to spend: "],
      [400, null, 'The provider refuses the request of the test: '],
      [404, null, 'The provider does not serve the model to this credential: '],
      [429, null, 'The provider limits the rate of calls at the moment: '],
      [500, null, 'The provider failed: '],
      [529, null, 'The provider is overloaded at the moment: '],
    ])('reports %d', async (status, works, words) => {
      const { id } = await create({ provider: 'p0' });
      upstream.script(complaint(status, `What of ${keyOf()}, said it`));
      const health = gateway.gateway.app.get(HealthRegistry);
      const failed = jest.spyOn(health, 'failed');
      expect(await test(id)).toMatchObject({ works, status, message: expect.stringMatching(`^${words}What of `) });
      expect(answers.at(-1)).not.toContain(CANARY);
      expect(failed).not.toHaveBeenCalled();
      failed.mockRestore();
    });

    it('reports an answer that is not a reply', async () => {
      const { id } = await create({ provider: 'p0' });
      upstream.script(json({ hello: 1 }));
      expect(await test(id)).toMatchObject({ works: null, status: 200 });
    });

    it('reports an error inside an answer, and an answer that breaks off', async () => {
      const { id } = await create({ provider: 'p0' });
      upstream.script(json({ type: 'error', error: { type: 'authentication_error', message: `no ${keyOf()}` } }));
      expect(await test(id)).toMatchObject({ works: false, status: 200 });
      expect(answers.at(-1)).not.toContain(CANARY);
      upstream.script(cutAfter(complaint(401, 'You may not.'), 30));
      expect(await test(id)).toMatchObject({ works: false, status: 401 });
    });

    it('reports why there was no call', async () => {
      const calls = upstream.requests.length;
      const untried = { works: null, status: null, model: null, latency_ms: null };
      const disabled = await create({ provider: 'p0', disabled: true });
      expect(await test(disabled.id)).toEqual({ ...untried, message: expect.stringContaining('disabled') });
      const unserved = await create({ provider: 'deepgram' });
      expect(await test(unserved.id)).toEqual({ ...untried, message: expect.stringContaining('no model') });
      const sandbox = await create({ provider: 'sandbox' });
      expect(await test(sandbox.id)).toEqual({ ...untried, message: expect.stringContaining('no credential') });
      expect(upstream.requests).toHaveLength(calls);
    });

    it('changes the state of the credential, but not by a result that proves nothing about it', async () => {
      const { id, ...made } = await create({ provider: 'p0' });
      const stateOf = async (): Promise<unknown> => {
        const { data } = (await call('GET', `/byok/${id}`)).body;
        return Object.fromEntries(Object.keys(UNTESTED).map((name) => [name, data[name]]));
      };
      expect(made).toMatchObject(UNTESTED);
      upstream.script(complaint(500, 'Broken.'));
      await test(id);
      expect(await stateOf()).toEqual(UNTESTED);
      upstream.script(complaint(401, `No ${keyOf()}.`));
      await test(id);
      const failing = {
        status: 'failing',
        status_reason: 'The provider refuses the credential (status 401).',
        status_at: expect.stringMatching(TIME),
        // A test is no use.
        last_used_at: null,
        last_refusal: 'The provider refuses the credential (status 401).',
        last_refused_at: expect.stringMatching(TIME),
      };
      expect(await stateOf()).toEqual(failing);
      upstream.script(complaint(429, 'Slowly.'));
      await test(id);
      expect(await stateOf()).toEqual(failing);
      upstream.script(anthropicText('Hello'));
      await test(id);
      expect(await stateOf()).toEqual({
        ...failing,
        status: 'ok',
        status_reason: null,
        status_at: expect.stringMatching(TIME),
      });
      upstream.script(complaint(402, 'Pay.'));
      await test(id);
      expect(await stateOf()).toMatchObject({ status: 'failing', status_reason: expect.stringContaining('402') });
      // A change of its traits proves nothing about the text; another text is another credential.
      await call('PATCH', `/byok/${id}`, { body: { name: 'renamed' } });
      expect(await stateOf()).toMatchObject({ status: 'failing' });
      await call('PATCH', `/byok/${id}`, { body: { key: keyOf('WxYz') } });
      expect(await stateOf()).toEqual(UNTESTED);
    });

    it('leaves the provider when the client leaves', async () => {
      const { id } = await create({ provider: 'p0' });
      upstream.script(neverAnswers());
      const received = upstream.request();
      const leave = new AbortController();
      const reply = gateway.request(`/byok/${id}/test`, {
        method: 'POST',
        key: MANAGEMENT_KEY,
        body: '{}',
        headers: { 'content-type': 'application/json' },
        signal: leave.signal,
      });
      const { closed } = await received;
      leave.abort();
      await expect(reply).rejects.toThrow();
      await closed;
    });
  });

  it('shows one that cannot be decrypted, and uses the others', async () => {
    const broken = await create({ provider: 'p0', name: 'broken' });
    const whole = await create({ provider: 'p0', name: 'whole' });
    await store.query('update provider_credentials set sealed = $2 where id = $1', [broken.id, randomBytes(99)]);
    const shown = { ...broken, status: 'undecryptable', status_reason: expect.stringContaining('cannot be decrypted') };
    expect((await call('GET', `/byok/${broken.id}`)).body.data).toEqual(shown);
    const listed = [...(await call('GET', '/byok?provider=p0')).body.data];
    expect(listed).toEqual(expect.arrayContaining([shown, whole]));
    expect((await call('POST', `/byok/${broken.id}/test`, { body: {} })).body.data).toMatchObject({
      works: null,
      message: expect.stringContaining('cannot be decrypted'),
    });
    upstream.script(anthropicText('Hello'));
    expect((await call('POST', `/byok/${whole.id}/test`, { body: {} })).body.data['works']).toBe(true);
    // A new process logs a warning for its operator, and serves.
    logs.push(gateway.log);
    await gateway.close();
    await start();
    await gateway.gateway.app.get(UnreadableCredentials, { strict: false }).settled;
    const named = gateway.log.filter(({ msg }) => String(msg).includes(`sk-...AbCd (p0, ${broken.id})`));
    expect(named).toMatchObject([{ level: 'error', msg: expect.stringContaining('cannot be decrypted') }]);
    expect((await call('GET', `/byok/${broken.id}`)).body.data).toEqual(shown);
    // A new text repairs it.
    const mended = await call('PATCH', `/byok/${broken.id}`, { body: { key: keyOf('WxYz') } });
    expect(mended.body.data).toMatchObject({ ...UNTESTED, label: 'sk-...WxYz' });
  });

  it('calls with the credential from the next request on, and no longer once it is disabled', async () => {
    for (const { id } of (await call('GET', '/byok?provider=p0&limit=100')).body.data)
      await call('DELETE', `/byok/${id}`);
    upstream.script(anthropicText('Hello'));
    const used = async (): Promise<unknown> => {
      const body = { model: 'test/cheap', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
      const response = await gateway.messages(body);
      answers.push(await response.text());
      expect(response.status).toBe(200);
      return upstream.requests.at(-1)!.headers['x-api-key'];
    };
    expect(await used()).toBe('credential-of-p0');
    const { id } = await create({ provider: 'p0' });
    expect(await used()).toBe(keyOf());
    await call('PATCH', `/byok/${id}`, { body: { key: keyOf('WxYz') } });
    expect(await used()).toBe(keyOf('WxYz'));
    await call('PATCH', `/byok/${id}`, { body: { disabled: true } });
    expect(await used()).toBe('credential-of-p0');
    await call('PATCH', `/byok/${id}`, { body: { disabled: false, allowed_user_ids: ['somebody'] } });
    expect(await used()).toBe('credential-of-p0');
    await call('DELETE', `/byok/${id}`);
    expect(await used()).toBe('credential-of-p0');
  });

  it('follows live calls: failing when its provider refuses it, ok when one is answered', async () => {
    for (const { id } of (await call('GET', '/byok?provider=p0&limit=100')).body.data)
      await call('DELETE', `/byok/${id}`);
    const { id, label } = await create({ provider: 'p0', is_required: true });
    const clock = gateway.gateway.app.get(Clock, { strict: false }) as AheadClock;
    const ask = async (stream = false): Promise<{ status: number; message: string }> => {
      // States are written at most once a second.
      clock.aheadMs += 1_001;
      const body = { model: 'test/cheap', max_tokens: 9, stream, messages: [{ role: 'user', content: 'hi' }] };
      const response = await gateway.messages(body);
      const text = await response.text();
      answers.push(text);
      const failed = response.status === 200 ? undefined : (JSON.parse(text) as Body);
      return { status: response.status, message: failed?.error.message ?? '' };
    };
    const becomes = async (expected: object): Promise<void> => {
      let state: Credential | undefined;
      for (let turn = 0; turn < 200; turn++) {
        state = (await call('GET', `/byok/${id}`)).body.data;
        if (state.status === (expected as { readonly status: string }).status) break;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      expect(state).toMatchObject({ ...expected, status_at: expect.stringMatching(TIME) });
    };
    upstream.script(anthropicText('Hello'));
    expect((await ask()).status).toBe(200);
    await becomes({ status: 'ok', status_reason: null, last_used_at: expect.stringMatching(TIME), last_refusal: null });
    const refusal = (status: number, message: string, type = 'authentication_error') =>
      json({ type: 'error', error: { type, message } }, status);
    upstream.script(refusal(401, `invalid x-api-key ${keyOf()}`));
    const refused = await ask();
    expect(refused).toEqual({
      status: 502,
      message: expect.stringMatching(`^Provider p0 refuses your own credential ${String(label)}: invalid x-api-key`),
    });
    expect(refused.message).not.toContain(CANARY);
    await becomes({ status: 'failing', status_reason: 'The provider refuses the credential (status 401).' });
    // Results that prove nothing about the credential, such as a refused topic, change no state.
    for (const [status, words] of [
      [400, 'Bad words.'],
      [403, 'Not about this topic.'],
      [500, 'Broken.'],
    ] as const) {
      upstream.script(refusal(status, words, 'some_error'));
      const reply = await ask();
      expect([status, reply.message]).toEqual([status, expect.not.stringContaining('your own credential')]);
    }
    await becomes({ status: 'failing', status_reason: 'The provider refuses the credential (status 401).' });
    upstream.script(anthropicText('Hello'));
    expect((await ask(true)).status).toBe(200);
    await becomes({
      status: 'ok',
      status_reason: null,
      last_refusal: 'The provider refuses the credential (status 401).',
      last_refused_at: expect.stringMatching(TIME),
    });
    expect(await auditOf(id)).toHaveLength(1);
  });

  // Last, because it inspects everything that the other tests left behind.
  it('shows the text of no credential in any row, line or answer', async () => {
    expect(await store.query('select id from provider_credentials')).not.toEqual([]);
    const tables = await store.query(
      `select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    );
    const hex = Buffer.from(CANARY).toString('hex');
    for (const { table_name } of tables) {
      const found = await store.query(
        `select '${table_name}' as place from "${table_name}" t where t::text like $1 or t::text like $2 limit 1`,
        [`%${CANARY}%`, `%${hex}%`],
      );
      expect(found).toEqual([]);
    }
    expect(gateway.log.length).toBeGreaterThan(0);
    expect(JSON.stringify([...logs, gateway.log])).not.toContain(CANARY);
    expect(answers.length).toBeGreaterThan(100);
    expect(answers.join()).not.toContain(CANARY);
  });
});
