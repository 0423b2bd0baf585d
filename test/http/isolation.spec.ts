/**
 * Checks that no account reaches a row of another account, and that no secret leaves by any way out
 * (docs/contribute/threat-model.md#addresses-and-credentials,
 * docs/contribute/threat-model.md#secrets-logs-and-the-operators-side). The real app runs on both databases. One
 * account creates one object of every kind; a second one, created by hand, requests each of these by its id on every
 * described route. Secrets are put into every field that can have them, every operation is made to fail at debug level,
 * and all replies, logs, metrics and stored data are searched for them, in clear, base64 and hex: the given secrets,
 * and those that the gateway generated itself.
 */
import { createHmac } from 'node:crypto';
import { DataSource } from 'typeorm';
import { findGeneratedKeys } from '../../src/vault/key-file.js';
import { DATA_KEY_PURPOSES, DataKeys, type DataKeyPurpose } from '../../src/vault/data-keys.js';
import { KeyService } from '../../src/vault/key-service.js';
import { hashKey, newUuid } from '../../src/core/ids.js';
import { anthropicError } from '../support/anthropic-upstream.js';
import {
  API_KEY,
  extendedCatalogOf,
  ENCRYPTION_KEY,
  MANAGEMENT_KEY,
  startGateway,
  type TestGateway,
} from '../support/app.js';
import { ApiDescription, type DescribedOperation } from '../support/description.js';
import { AWS, KEY_NAME, startKms, startVault, VAULT } from '../byok/key-service-stand-in.js';
import { describeOnEachDatabase, describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { findSecrets } from '../support/secret-forms.js';
import { json } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask } from './messages-bench.js';

const FOREIGN_MANAGEMENT_KEY = 'foreign-management-key-0123456789';
const FOREIGN_API_KEY = 'foreign-inference-key-0123456789';
const CANARIES = ['canary-of-the-catalog-1234', 'canary-of-byok-5678-abcdef', 'canary-in-the-prompt-9012'] as const;
const [CATALOG_CANARY, BYOK_CANARY, PROMPT_CANARY] = CANARIES;
const DESTINATION_CANARY = 'canary-of-a-destination-3456';

/** The catalogue is the same for all. */
const COMMON = /^\/models?\//;

type Route = Pick<DescribedOperation, 'method' | 'path' | 'parameters'>;

describeOnEachDatabase('the isolation of accounts', (database) => {
  let upstream: Upstream;
  let gateway: TestGateway;
  let routes: readonly Route[];
  /** All replies. */
  const replies: string[] = [];
  /** Ids of the first account's objects, by the name of the route. */
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    const catalog = extendedCatalogOf({ id: 'test/one', at: [{ url: upstream.url, dialect: 'anthropic-messages' }] });
    const [provider] = (catalog as JsonBody).providers;
    provider.credential.value = CATALOG_CANARY;
    gateway = await startGateway(database, { catalog, coolsDown: false, variables: { LOG_LEVEL: 'debug' } });
    routes = (await ApiDescription.of(gateway)).operations;
    await makeOneOfEverything();
    await makeSecondAccount();
  }, 240_000);
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
    const config = { url: 'https://alarms.example.com/', headers: { authorization: DESTINATION_CANARY } };
    const { data: destination } = await manage('POST', '/observability/destinations', {
      name: 'ours',
      type: 'webhook',
      config,
    });
    ids['observability'] = destination.id;
    const on = { kind: 'limit', key: key.hash };
    const { data: alarm } = await manage('POST', '/alarms', { name: 'ours', on, destination_ids: [destination.id] });
    ids['alarms'] = alarm.id;
    await manage('PUT', '/budgets/users/a-user/daily', { limit_usd: 5 });
    ids['budgets'] = 'a-user';
    await manage('POST', `/guardrails/${guardrail.id}/assignments/keys`, { key_hashes: [key.hash] });
    ids['presets'] = 'preset-of-ours';
    await manage('POST', '/presets/preset-of-ours/messages', { temperature: 1 });
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

  /** Valid bodies, so that only the id can be wrong. */
  const bodyFor = ({ method, path }: Route): object | undefined => {
    if (method === 'GET') return undefined;
    if (path.includes('/assignments/keys')) return { key_hashes: [hashKey(FOREIGN_API_KEY)] };
    if (path.includes('/assignments/members')) return { member_user_ids: ['a-user'] };
    if (path.endsWith('/rotate')) return { grace_seconds: 0 };
    if (path.endsWith('/raise')) return { amount_usd: 1, until: new Date(Date.now() + 60_000).toISOString() };
    if (path === '/guardrails/{id}/test') return { text: 'a text' };
    if (path.includes('/members/')) return { user_ids: ['a-user'] };
    if (path.includes('/budgets/')) return method === 'PUT' ? { limit_usd: 1 } : undefined;
    return method === 'PATCH' ? { name: 'theirs now' } : undefined;
  };

  const everything = (): Promise<JsonBody[]> =>
    rowsOf(
      ['accounts', 'workspaces', 'workspace_members', 'budgets', 'provider_credentials', 'guardrails', 'guardrail_assignments', 'presets', 'preset_versions', 'api_keys', 'api_key_secrets', 'destinations', 'alarm_destinations', 'outbox_events', 'audit_entries']
        .map((table) => `select '${table}' as name, coalesce(json_agg(t order by t::text), '[]')::text as rows from ${table} t`)
        .join(' union all '),
    ); // oxfmt-ignore

  it('shows each object by its id to its own account alone, and lets no other account change it, on every route that names one', async () => {
    const before = await everything();
    const named = routes.filter(
      ({ method, path, parameters }) =>
        parameters.length > 0 &&
        !COMMON.test(path) &&
        // Each account may have a user of any id, and a budget that does not exist is deleted without an error.
        !(['PUT', 'DELETE'].includes(method) && path.startsWith('/budgets/')) &&
        // Each account may have a preset of any slug.
        !(method === 'POST' && path.startsWith('/presets/')),
    );
    const calls = named.map((route) => {
      const room = route.path.split('/')[1]!;
      const path = route.path
        .replace(/\{(id|hash|reference|slug)\}/, ids[room] ?? 'none')
        .replace('{version}', '1')
        .replace('{interval}', 'daily')
        .replace('{month}', new Date().toISOString().slice(0, 7))
        .replace('{scope}', 'users');
      return { route, room, path };
    });
    // A new kind of object with an id has to be created above first.
    expect([...new Set(calls.map(({ room }) => room))].filter((room) => !(room in ids))).toEqual(['statements']);
    expect(calls.length).toBeGreaterThan(15);
    for (const { route, path } of calls) {
      const { status, body } = await send(route.method, path, FOREIGN_MANAGEMENT_KEY, bodyFor(route));
      expect([route.method, path, status, body.error?.code]).toEqual([route.method, path, 404, 404]);
    }
    expect(await everything()).toEqual(before);
  });

  it('lists nothing of another account', async () => {
    for (const list of ['/keys', '/byok', '/workspaces', '/guardrails', '/presets', '/audit', '/guardrails/assignments/keys', '/guardrails/assignments/members', '/alarms', '/alarms/history', '/observability/destinations', '/statements']) {
      const { status, body } = await send('GET', list, FOREIGN_MANAGEMENT_KEY);
      expect([list, status]).toEqual([list, 200]);
      const text = JSON.stringify(body);
      for (const id of Object.values(ids)) expect([list, text.includes(id)]).toEqual([list, false]);
    } // oxfmt-ignore
    const { body } = await send('GET', '/credits', FOREIGN_MANAGEMENT_KEY);
    expect(body.data).toEqual({ total_credits: 0, total_usage: 0 });
  });

  it.each([
    ['a workspace for a key', 'POST', '/keys', () => ({ name: 'mine', workspace_id: ids['workspaces'] })],
    ['a workspace for a credential', 'POST', '/byok', () => ({ key: 'x', provider: 'p0', workspace_id: ids['workspaces'] })],
    ['a key for a credential', 'POST', '/byok', () => ({ key: 'x', provider: 'p0', allowed_api_key_hashes: [ids['keys']] })],
    ['a workspace for a destination', 'POST', '/observability/destinations', () => ({ name: 'mine', type: 'webhook', config: { url: 'https://alarms.example.com/' }, workspace_id: ids['workspaces'] })],
    ['a key for a destination', 'POST', '/observability/destinations', () => ({ name: 'mine', type: 'webhook', config: { url: 'https://alarms.example.com/' }, api_key_hashes: [ids['keys']] })],
    ['a destination for an alarm', 'POST', '/alarms', () => ({ name: 'mine', on: { kind: 'outage' }, destination_ids: [ids['observability']] })],
    ['a key for an alarm', 'POST', '/alarms', () => ({ name: 'mine', on: { kind: 'limit', key: ids['keys'] }, destination_ids: [] })],
    ['a workspace for an alarm', 'POST', '/alarms', () => ({ name: 'mine', on: { kind: 'budget', scope: 'workspaces', id: ids['workspaces'], interval: 'daily' }, destination_ids: [] })],
    ['a workspace for a guardrail', 'POST', '/guardrails', () => ({ name: 'mine', workspace_id: ids['workspaces'] })],
  ])('refuses an object of another account in a body: %s', async (_, method, path, body) => {
    const { status } = await send(method, path, FOREIGN_MANAGEMENT_KEY, body());
    expect([400, 404]).toContain(status);
  }); // oxfmt-ignore

  it('shows a generation to its workspace alone', async () => {
    upstream.script((request) => json({ id: 'm', type: 'message', role: 'assistant', model: request.json.model, content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } })); // oxfmt-ignore
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

  it('reveals no secret, whatever fails, in answers, logs, metrics or rows', async () => {
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

    const secrets = {
      catalog: CATALOG_CANARY,
      byok: BYOK_CANARY,
      management: MANAGEMENT_KEY,
      inference: API_KEY,
      unknown: `${FOREIGN_API_KEY}-unknown`,
      prompt: PROMPT_CANARY,
      destination: DESTINATION_CANARY,
      ...(await encryptionKeys()),
      ...(await dataKeysOf(gateway)),
    };
    const { answers, ...ways } = await waysOut(gateway, replies);
    // The text of a provider about the caller's own prompt is for that caller alone.
    expect(findSecrets(secrets, { answers }).filter((one) => one !== 'prompt in answers')).toEqual([]);
    // A created key is returned once, to its creator.
    const made = [...answers.matchAll(/"key":"(sk-fl-v1-[0-9a-f]{64})"/g)].map(([, key], index) => [
      `made ${index}`,
      key!,
    ]);
    expect(made.length).toBeGreaterThan(0);
    expect(findSecrets({ ...secrets, ...Object.fromEntries(made) }, ways)).toEqual([]);
  });

  /** The secrets of the variable, or those that the gateway generated. */
  async function encryptionKeys(): Promise<Record<string, Buffer>> {
    if (database.kind === 'postgres') return { encryption: Buffer.from(ENCRYPTION_KEY.split(':')[1]!, 'base64') };
    const generated = await findGeneratedKeys(database.settings.dataDir);
    expect(generated.length).toBeGreaterThan(0);
    return Object.fromEntries(generated.map(({ id, key }) => [id, Buffer.from(key.reveal(), 'base64')]));
  }
});

/** Everything that leaves a gateway, or stays in its store. */
async function waysOut(
  gateway: TestGateway,
  replies: readonly string[],
): Promise<Record<'answers' | 'log' | 'metrics' | 'rows', string>> {
  const store = gateway.gateway.app.get(DataSource);
  const tables = await store.query<{ name: string }[]>(
    `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition`,
  );
  expect(tables.length).toBeGreaterThan(15);
  const rows: string[] = [];
  for (const { name } of tables) {
    const [{ text }] = await store.query<[{ text: string }]>(
      `select coalesce(string_agg(t::text, E'\\n'), '') as text from "${name}" t`,
    );
    rows.push(text);
  }
  return {
    answers: replies.join('\n'),
    log: JSON.stringify(gateway.log),
    metrics: await gateway.metrics(),
    rows: rows.join('\n'),
  };
}

/** The keys by which the gateway seals, unwrapped as it does: of each credential, and of its audit log. */
async function dataKeysOf({ gateway: { app } }: TestGateway): Promise<Record<string, Buffer>> {
  const keys: Record<string, Buffer> = {};
  const service = app.get(KeyService, { strict: false });
  const credentials = await app
    .get(DataSource)
    .query<JsonBody[]>(
      'select id, workspace_id, provider, key_id, wrapped_key from provider_credentials where wrapped_key is not null',
    );
  for (const { id, workspace_id, provider, key_id: keyId, wrapped_key } of credentials) {
    const wrapped = Buffer.from(wrapped_key);
    keys[`data key of ${id}`] = await service.unwrap({ keyId, wrapped }, JSON.stringify([id, workspace_id, provider]));
  }
  const dataKeys = app.get(DataKeys, { strict: false });
  for (const purpose of Object.keys(DATA_KEY_PURPOSES) as DataKeyPurpose[])
    for (const stored of await dataKeys.list(purpose)) keys[`seal key ${stored.id}`] = await dataKeys.unwrap(stored);
  expect(Object.keys(keys).length).toBeGreaterThan(1);
  return keys;
}

describeOnEmbedded('the isolation of accounts, with key services that fail', (database) => {
  it('reveal no secret of their own requests, nor of what they wrap', async () => {
    const [kms, vault] = await Promise.all([startKms(), startVault()]);
    const gateway = await startGateway(database, {
      variables: {
        LOG_LEVEL: 'debug',
        FAIRLEAD_KEY_SERVICE: `aws-kms:${KEY_NAME},vault-transit:${VAULT.mount}/${KEY_NAME}`,
        AWS_REGION: AWS.region,
        AWS_ACCESS_KEY_ID: AWS.accessKeyId,
        AWS_SECRET_ACCESS_KEY: AWS.secretAccessKey,
        AWS_SESSION_TOKEN: AWS.sessionToken,
        AWS_ENDPOINT_URL_KMS: kms.origin,
        VAULT_ADDR: vault.origin,
        VAULT_TOKEN: VAULT.token,
        VAULT_NAMESPACE: VAULT.namespace,
      },
    });
    const replies: string[] = [];
    const add = async (name: string): Promise<number> => {
      const response = await gateway.request('/byok', {
        method: 'POST',
        key: MANAGEMENT_KEY,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ key: BYOK_CANARY, provider: 'anthropic', name }),
      });
      replies.push(await response.text());
      return response.status;
    };
    expect(await add('first')).toBe(201);
    const keys = await dataKeysOf(gateway);
    for (const service of [kms, vault]) {
      // The request comes back within a complaint.
      service.misbehave = (response, index) => {
        const { headers, body } = service.received[index]!;
        response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ headers, body }));
        return true;
      };
    }
    expect(await add('second')).toBe(503);
    const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
    const signing = [day, AWS.region, 'kms', 'aws4_request'].reduce<string | Buffer>(
      (from, part) => createHmac('sha256', from).update(part).digest(),
      `AWS4${AWS.secretAccessKey}`,
    );
    const secrets = {
      'secret access key': AWS.secretAccessKey,
      'session token': AWS.sessionToken,
      'signing key': signing,
      'token of Vault': VAULT.token,
      byok: BYOK_CANARY,
      ...keys,
    };
    const ways = await waysOut(gateway, replies);
    await gateway.close();
    await Promise.all([kms.close(), vault.close()]);
    expect(ways.log).toContain('key service');
    expect(findSecrets(secrets, ways)).toEqual([]);
  }, 240_000);
});
