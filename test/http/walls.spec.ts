/**
 * Goal: nobody reaches a row of somebody else's, and no secret leaves by any way out
 * (docs/reasons/security.md#no-route-without-guards, docs/reasons/security.md#secrets-in-errors,
 * docs/reasons/security.md#other-peoples-objects, docs/reasons/security.md#secrets-at-the-start). Method: the real app
 * on both databases. One account makes one of everything; a second one, made by hand, asks for each of these by its id
 * on every route that is described. Secrets are planted wherever one can be, everything is made to fail at debug level,
 * and all that was answered, logged, measured and stored is searched for them.
 */
import { DataSource } from 'typeorm';
import { hashKey, newUuid } from '../../src/core/ids.js';
import { anthropicError } from '../support/anthropic-upstream.js';
import { API_KEY, catalogOf, ENCRYPTION_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { ApiDescription, type DescribedOperation } from '../support/description.js';
import { describeOnEachDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { json } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask } from './messages-bench.js';

const FOREIGN_MANAGEMENT_KEY = 'foreign-management-key-0123456789';
const FOREIGN_API_KEY = 'foreign-inference-key-0123456789';
const CANARIES = ['canary-of-the-catalog-1234', 'canary-of-byok-5678-abcdef', 'canary-in-the-prompt-9012'] as const;
const [CATALOG_CANARY, BYOK_CANARY, PROMPT_CANARY] = CANARIES;

/** The catalogue is the same for all. */
const COMMON = /^\/models?\//;

type Route = Pick<DescribedOperation, 'method' | 'path' | 'parameters'>;

describeOnEachDatabase('the walls', (database) => {
  let upstream: Upstream;
  let gateway: TestGateway;
  let routes: readonly Route[];
  /** All that was answered. */
  const replies: string[] = [];
  /** Ids of what the first account has, by the name of the route. */
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    const catalog = catalogOf({ id: 'test/one', at: [{ url: upstream.url, dialect: 'anthropic-messages' }] });
    const [provider] = (catalog as JsonBody).providers;
    provider.credential.value = CATALOG_CANARY;
    gateway = await startGateway(database, { catalog, coolsDown: false, variables: { LOG_LEVEL: 'debug' } });
    routes = (await ApiDescription.of(gateway.origin)).operations;
    await makeOneOfEverything();
    await makeSecondAccount();
  }, 60_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });

  async function send(method: string, path: string, key: string, body?: object): Promise<JsonBody> {
    const response = await gateway.request(path, {
      method,
      key,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    replies.push(text);
    return { status: response.status, body: JSON.parse(text) };
  }

  const manage = async (method: string, path: string, body?: object): Promise<JsonBody> => {
    const { status, body: reply } = await send(method, path, MANAGEMENT_KEY, body);
    expect([path, status < 300]).toEqual([path, true]);
    return reply;
  };

  async function makeOneOfEverything(): Promise<void> {
    const { data: workspace } = await manage('POST', '/workspaces', { name: 'Ours', slug: 'ours' });
    ids['workspaces'] = workspace.id;
    const { data: key } = await manage('POST', '/keys', { name: 'ours', workspace_id: workspace.id });
    ids['keys'] = key.hash;
    const { data: credential } = await manage('POST', '/byok', { key: BYOK_CANARY, provider: 'p0' });
    ids['byok'] = credential.id;
    await manage('PUT', `/workspaces/${workspace.id}/budgets/daily`, { limit_usd: 5 });
    await manage('POST', `/workspaces/${workspace.id}/members/add`, { user_ids: ['a-user'] });
    const { data: guardrail } = await manage('POST', '/guardrails', { name: 'ours', limit_usd: 5 });
    ids['guardrails'] = guardrail.id;
    await manage('POST', `/guardrails/${guardrail.id}/assignments/keys`, { key_hashes: [key.hash] });
  }

  const rowsOf = async (statement: string): Promise<JsonBody[]> =>
    gateway.gateway.app.get(DataSource).query<JsonBody[]>(statement);

  async function makeSecondAccount(): Promise<void> {
    const store = gateway.gateway.app.get(DataSource);
    const [account, workspace] = [newUuid(Date.now()), newUuid(Date.now())];
    await store.query(`insert into accounts (id, name) values ($1, 'Foreign')`, [account]);
    await store.query(`insert into workspaces (id, account_id, name, slug) values ($1, $2, 'Theirs', 'theirs')`, [
      workspace,
      account,
    ]);
    for (const [key, kind] of [
      [FOREIGN_MANAGEMENT_KEY, 'management'],
      [FOREIGN_API_KEY, 'inference'],
    ] as const) {
      await store.query(
        `insert into api_keys (hash, account_id, workspace_id, kind, name, label, created_at)
         values ($1, $2, $3, $4, 'theirs', 'theirs', now())`,
        [hashKey(key), account, workspace, kind],
      );
    }
  }

  /** Bodies that are valid, so that nothing but the id can be what is wrong. */
  const bodyFor = ({ method, path }: Route): object | undefined => {
    if (method === 'GET') return undefined;
    if (path.includes('/assignments/keys')) return { key_hashes: [hashKey(FOREIGN_API_KEY)] };
    if (path.includes('/assignments/members')) return { member_user_ids: ['a-user'] };
    if (path.includes('/members/')) return { user_ids: ['a-user'] };
    if (path.includes('/budgets/')) return method === 'PUT' ? { limit_usd: 1 } : undefined;
    return method === 'PATCH' ? { name: 'theirs now' } : undefined;
  };

  const everything = (): Promise<JsonBody[]> =>
    rowsOf(
      ['accounts', 'workspaces', 'workspace_members', 'budgets', 'provider_credentials', 'guardrails', 'guardrail_assignments', 'api_keys', 'audit_entries']
        .map((table) => `select '${table}' as name, coalesce(json_agg(t order by t::text), '[]')::text as rows from ${table} t`)
        .join(' union all '),
    ); // prettier-ignore

  it('shows each thing by its id to nobody else, and lets nobody else change it, on every route that names one', async () => {
    const before = await everything();
    const named = routes.filter(({ path, parameters }) => parameters.length > 0 && !COMMON.test(path));
    const asked = named.map((route) => {
      const room = route.path.split('/')[1]!;
      const path = route.path.replace(/\{(id|hash|reference)\}/, ids[room] ?? 'none').replace('{interval}', 'daily');
      return { route, room, path };
    });
    // A new kind of thing with an id has to be made above before it can be held to this.
    expect([...new Set(asked.map(({ room }) => room))].filter((room) => !(room in ids))).toEqual([]);
    expect(asked.length).toBeGreaterThan(15);
    for (const { route, path } of asked) {
      const { status, body } = await send(route.method, path, FOREIGN_MANAGEMENT_KEY, bodyFor(route));
      expect([route.method, path, status, body.error?.code]).toEqual([route.method, path, 404, 404]);
    }
    expect(await everything()).toEqual(before);
  });

  it('lists nothing of anybody else', async () => {
    for (const list of ['/keys', '/byok', '/workspaces', '/guardrails', '/audit', '/guardrails/assignments/keys', '/guardrails/assignments/members']) {
      const { status, body } = await send('GET', list, FOREIGN_MANAGEMENT_KEY);
      expect([list, status]).toEqual([list, 200]);
      const text = JSON.stringify(body);
      for (const id of Object.values(ids)) expect([list, text.includes(id)]).toEqual([list, false]);
    } // prettier-ignore
    const { body } = await send('GET', '/credits', FOREIGN_MANAGEMENT_KEY);
    expect(body.data).toEqual({ total_credits: 0, total_usage: 0 });
  });

  it.each([
    ['a workspace for a key', 'POST', '/keys', () => ({ name: 'mine', workspace_id: ids['workspaces'] })],
    ['a workspace for a credential', 'POST', '/byok', () => ({ key: 'x', provider: 'p0', workspace_id: ids['workspaces'] })],
    ['a key for a credential', 'POST', '/byok', () => ({ key: 'x', provider: 'p0', allowed_api_key_hashes: [ids['keys']] })],
    ['a workspace for a guardrail', 'POST', '/guardrails', () => ({ name: 'mine', workspace_id: ids['workspaces'] })],
  ])('lets nobody name somebody else’s thing in a body: %s', async (_, method, path, body) => {
    const { status } = await send(method, path, FOREIGN_MANAGEMENT_KEY, body());
    expect([400, 404]).toContain(status);
  }); // prettier-ignore

  it('tells of a generation to nobody but its workspace', async () => {
    upstream.script((request) => json({ id: 'm', type: 'message', role: 'assistant', model: request.json.model, content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } })); // prettier-ignore
    const { body } = await send('POST', '/messages', API_KEY, ask('test/one'));
    const { body: made } = await send('POST', '/keys', MANAGEMENT_KEY, {
      name: 'neighbour',
      workspace_id: ids['workspaces'],
    });
    const path = `/generation?id=${body.id}`;
    expect((await send('GET', path, API_KEY)).status).toBe(200);
    for (const key of [made.key, FOREIGN_API_KEY, FOREIGN_MANAGEMENT_KEY])
      expect((await send('GET', path, key)).status).toBe(404);
    replies.splice(replies.indexOf(JSON.stringify(made)), 1);
  });

  it('lets no secret out, whatever fails, in answers, logs, metrics or rows', async () => {
    const echo = ({ headers, json: body }: JsonBody): string =>
      `${String(headers['x-api-key'])} with ${JSON.stringify(body.messages)}`;
    upstream.script((request) => json(anthropicError('authentication_error', `bad key ${echo(request)}`), 401));
    await send('POST', '/messages', API_KEY, ask('test/one', { messages: [{ role: 'user', content: PROMPT_CANARY }] }));
    await send('POST', `/byok/${ids['byok']}/test`, MANAGEMENT_KEY);
    await send('PATCH', `/byok/${ids['byok']}`, MANAGEMENT_KEY, { name: 5, key: BYOK_CANARY });
    await send('PATCH', `/byok/${ids['byok']}`, MANAGEMENT_KEY, { key: BYOK_CANARY });
    await send('GET', '/byok', MANAGEMENT_KEY);
    await send('GET', '/audit', MANAGEMENT_KEY);
    await send('POST', '/routing/explain', API_KEY, ask('test/one'));
    await gateway.request('/key', { key: `${FOREIGN_API_KEY}-unknown` });

    const metrics = await (await fetch(`${gateway.origin}/metrics`)).text();
    const tables = await rowsOf(
      `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`,
    );
    const rows: string[] = [];
    for (const { name } of tables) {
      const [{ text }] = await rowsOf(`select coalesce(string_agg(t::text, E'\\n'), '') as text from "${name}" t`);
      rows.push(text);
    }
    expect(tables.length).toBeGreaterThan(15);
    const secrets = {
      catalog: CATALOG_CANARY,
      byok: BYOK_CANARY,
      'byok as bytes': Buffer.from(BYOK_CANARY).toString('hex'),
      management: MANAGEMENT_KEY,
      inference: API_KEY,
      unknown: `${FOREIGN_API_KEY}-unknown`,
      encryption: ENCRYPTION_KEY.split(':')[1]!,
      prompt: PROMPT_CANARY,
    };
    const ways = { answers: replies.join('\n'), log: JSON.stringify(gateway.log), metrics, rows: rows.join('\n') };
    const found = Object.entries(ways).flatMap(([way, text]) =>
      Object.entries(secrets).flatMap(([name, secret]) => (text.includes(secret) ? [`${name} in ${way}`] : [])),
    );
    // What a provider says of the caller's own prompt is the caller's to read, and nobody else's.
    expect(found.filter((one) => one !== 'prompt in answers')).toEqual([]);
  });
});
