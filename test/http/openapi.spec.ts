/**
 * Checks that the description is true: it has every route of the API and no other, every example works as printed,
 * and every reply, of success and of failure, has the described form. This is also the one suite that calls every
 * route on both databases; other suites of HTTP run on one. Routes are taken from the router, examples and forms from
 * `/openapi.json`. Objects of the described replies are closed to further keys, so that an undescribed key fails. Ids
 * are those of objects created before.
 */
import { DataSource } from 'typeorm';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashKey } from '../../src/core/ids.js';
import { API_KEY, extendedCatalogOf, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase, describeOnEmbedded } from '../support/database.js';
import { ApiDescription, type DescribedOperation } from '../support/description.js';
import type { JsonBody } from '../support/recorded-request.js';

/** The parts of Express's router that the test reads. */
interface Router {
  readonly stack: readonly {
    readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
  }[];
}

const ROOT = join(__dirname, '..', '..');

/** Sends nothing to other hosts. */
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };

const run = (command: string, args: readonly string[]): Promise<{ status: number | null; output: string }> =>
  new Promise((resolve) => {
    const child = execFile(command, args, { env: { ...process.env, ...QUIET } }, (_, out, err) =>
      resolve({ status: child.exitCode, output: out + err }),
    );
  });

/**
 * What browsers load of the pages, and what leads them to it: docs-page.spec.ts and console-page.spec.ts hold it; and
 * the sessions of the console, which serve its own pages alone: console-sessions.spec.ts.
 */
const UNLISTED = [
  'GET /',
  'GET /favicon.ico',
  'GET /docs/*path',
  'GET /api/v1/docs/*path',
  'GET /console',
  'GET /console/*path',
  'POST /console/session',
  'POST /console/oidc',
  'GET /console/session',
  'DELETE /console/session',
  'GET /console/sessions',
  'DELETE /console/sessions/:id',
];

/** Nothing listens there: whether a credential works stays unknown. */
const UNREACHABLE = 'http://127.0.0.1:9';

/** In examples: stands for a key of the reader's own. */
const EXAMPLE_HASH = '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef';

describeOnEachDatabase('the description', (database) => {
  let gateway: TestGateway;
  let description: ApiDescription;
  /** Ids of existing objects, by the first segment of the path. */
  const ids: Record<string, string> = {};
  let generationId: string;
  let streamId: string;
  /** The operations that have succeeded, by their ids. */
  const succeeded = new Set<string>();

  beforeAll(async () => {
    gateway = await startGateway(database, {
      variables: { FAIRLEAD_FLOOD: 'auth=100000/60s' },
      catalog: extendedCatalogOf({ id: 'test/model', at: [{ url: UNREACHABLE, dialect: 'openai-chat' }] }),
    });
    description = await ApiDescription.of(gateway);
    const made = async (path: string, body: object): Promise<JsonBody> => (await manage('POST', path, body)).data;
    ids['keys'] = (await made('/keys', { name: 'ours' })).hash;
    ids['byok'] = (await made('/byok', { provider: 'openai', key: 'sk-nothing' })).id;
    ids['workspaces'] = (await made('/workspaces', { name: 'Ours', slug: 'ours' })).id;
    ids['guardrails'] = (await made('/guardrails', { name: 'ours' })).id;
    await made('/presets/echo/messages', { temperature: 1 });
    ids['alarms'] = (await made('/alarms', { name: 'ours', on: { kind: 'limit', key: '*' }, destination_ids: [] })).id;
    const config = { url: 'https://alarms.example.com/' };
    ids['observability'] = (await made('/observability/destinations', { name: 'ours', type: 'webhook', config })).id;
    await manage('PUT', `/workspaces/${ids['workspaces']}/budgets/daily`, { limit_usd: 5 });
    ids['budgets'] = 'a-user';
    await manage('PUT', '/budgets/users/a-user/daily', { limit_usd: 5 });
    await manage('POST', `/workspaces/${ids['workspaces']}/members/add`, { user_ids: ['a-user'] });
    await manage('POST', `/guardrails/${ids['guardrails']}/assignments/keys`, { key_hashes: [ids['keys']] });
    await manage('POST', `/guardrails/${ids['guardrails']}/assignments/members`, { member_user_ids: ['a-user'] });
    const answer = await gateway.messages({
      model: 'sandbox/echo',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'hi' }],
    });
    generationId = ((await answer.json()) as JsonBody).id;
    const body = { model: 'sandbox/echo', max_tokens: 9, stream: true, messages: [{ role: 'user', content: 'hi' }] };
    const stream = await gateway.messages(body, { headers: { 'X-Fairlead-Resumable': 'true' } });
    streamId = stream.headers.get('x-generation-id')!;
    await stream.text();
  }, 240_000);
  afterAll(() => gateway?.close());

  const manage = async (method: string, path: string, body: object): Promise<JsonBody> =>
    (await send(method, `/api/v1${path}`, { key: MANAGEMENT_KEY, body })).body;

  interface Sent {
    readonly status: number;
    readonly type: string;
    readonly body: JsonBody;
    readonly text: string;
  }

  async function send(
    method: string,
    path: string,
    { key, body }: { key?: string; body?: unknown } = {},
  ): Promise<Sent> {
    const response = await fetch(`${gateway.origin}${path}`, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const type = response.headers.get('content-type')!.split(';')[0]!;
    return { status: response.status, type, text, body: type === 'application/json' ? JSON.parse(text) : text };
  }

  const room = ({ path }: DescribedOperation): string => path.split('/')[1]!;

  const keyFor = (operation: DescribedOperation): string =>
    description.document.paths[operation.path][operation.method.toLowerCase()].description.includes('`management`')
      ? MANAGEMENT_KEY
      : API_KEY;

  /** The path with ids of existing objects. */
  function pathOf(operation: DescribedOperation): string {
    const path = operation.path
      .replace('secrets/{id}', `secrets/${ids['secrets']}`)
      .replace(/\{(id|hash|reference)\}/, ids[room(operation)] ?? '')
      .replace('{scope}', 'users')
      .replace('{interval}', 'daily')
      .replace('{month}', new Date().toISOString().slice(0, 7))
      .replace('{author}', 'sandbox')
      .replace('{slug}', 'echo')
      .replace('{version}', '1')
      .replace('{name}', 'sandbox%2Fecho');
    const id = { '/generation': generationId, '/generation/stream': streamId }[path];
    return `${operation.servers[0]}${path}${id === undefined ? '' : `?id=${id}`}`;
  }

  const withIds = (body: object): JsonBody => JSON.parse(JSON.stringify(body).replaceAll(EXAMPLE_HASH, ids['keys']!));

  it('has every route of the application but those of its page, and no other', () => {
    const { router } = gateway.gateway.app.getHttpAdapter().getInstance() as unknown as { readonly router: Router };
    const routes = router.stack.flatMap(({ route }) => {
      const [method, ...others] = Object.keys(route?.methods ?? {});
      // A route for every method is Nest's own refusal of undefined methods.
      return !route || !method || others.length > 0 ? [] : [`${method.toUpperCase()} ${route.path}`];
    });
    const described = description.operations.flatMap(({ method, path, servers }) =>
      servers.filter((url) => url !== '/v1').map((url) => `${method} ${url}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect([...described, ...UNLISTED].sort()).toEqual(routes.sort());
    expect(described.length).toBeGreaterThan(55);
  });

  it('describes itself, at both addresses, without data of any account', async () => {
    const { document } = description;
    expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.0.0']);
    const texts = await Promise.all(
      ['/openapi.json', '/api/v1/openapi.json', '/v1/openapi.json'].map(async (path) => (await send('GET', path)).text),
    );
    expect(new Set(texts).size).toBe(1);
    for (const secret of [API_KEY, MANAGEMENT_KEY, hashKey(API_KEY), database.settings.dataDir])
      expect(texts[0]!.includes(secret)).toBe(false);
  });

  it('has a sentence for every field of every body and reply, and for every parameter', () => {
    const { components, paths } = description.document;
    const bare: string[] = [];
    let count = 0;
    const judge = (text: unknown, path: string): void => {
      count++;
      if (typeof text !== 'string' || !/^[A-Z`].*\.$/s.test(text)) bare.push(path);
    };
    // Conditions (`if`, `not`) describe no field.
    const walk = (schema: JsonBody, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      const { properties = {}, if: _, not: __, ...parts } = schema;
      for (const [name, field] of Object.entries<JsonBody>(properties)) {
        judge(field.description, `${path}.${name}`);
        walk(field, `${path}.${name}`);
      }
      for (const part of Object.values<JsonBody>(parts)) walk(part, path);
    };
    for (const [name, schema] of Object.entries<JsonBody>(components.schemas)) walk(schema, name);
    for (const item of Object.values<JsonBody>(paths)) {
      for (const { operationId, parameters = [], responses, requestBody } of Object.values<JsonBody>(item)) {
        if (operationId === undefined) continue;
        for (const { name, description: text } of parameters) judge(text, `${operationId}?${name}`);
        for (const { content = {} } of [...Object.values<JsonBody>(responses), requestBody ?? {}])
          for (const { schema } of Object.values<JsonBody>(content)) walk(schema, operationId);
      }
    }
    expect(bare).toEqual([]);
    expect(count).toBeGreaterThan(2_000);
  });

  it('is verified by tests that would notice undescribed keys', () => {
    const show = description.operations.find(({ id }) => id === 'creditsShow')!;
    const data = { total_credits: 1, total_usage: 0 };
    expect(description.faults(show, 200, 'application/json', { data })).toEqual([]);
    expect(description.faults(show, 200, 'application/json', { data: { ...data, more: 1 } })).toHaveLength(1);
    expect(description.faults(show, 200, 'application/json', { data: { total_usage: 0 } })).toHaveLength(1);
    expect(description.faults(show, 204, 'application/json', { data })).toHaveLength(1);
  });

  it('has an example of every body', () => {
    const silent = description.operations.filter(
      ({ path, method, examples }) =>
        description.document.paths[path][method.toLowerCase()].requestBody && Object.keys(examples).length === 0,
    );
    expect(silent.map(({ id }) => id)).toEqual([]);
  });

  it('has a total for every list that is read by offset', () => {
    const parametersOf = ({ path, method }: DescribedOperation): JsonBody[] =>
      description.document.paths[path][method.toLowerCase()].parameters ?? [];
    const lists = description.operations.filter(
      (one) => one.path !== '/models/count' && parametersOf(one).some(({ name }) => name === 'offset'),
    );
    expect(lists.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        '/keys',
        '/byok',
        '/guardrails',
        '/workspaces',
        '/alarms',
        '/observability/destinations',
      ]),
    );
    for (const { path } of lists) {
      const { schema } = description.document.paths[path].get.responses['200'].content['application/json'];
      expect([path, schema.required]).toEqual([path, expect.arrayContaining(['data', 'total_count'])]);
    }
  });

  it('describes what is read as it is', async () => {
    const faults: string[] = [];
    for (const operation of description.operations.filter(({ method }) => method === 'GET')) {
      const { status, type, body } = await send('GET', pathOf(operation), { key: keyFor(operation) });
      expect([operation.id, status]).toEqual([operation.id, 200]);
      succeeded.add(operation.id);
      faults.push(...description.faults(operation, status, type, body));
    }
    expect(faults).toEqual([]);
  });

  it('describes what answers the examples, and every example is taken', async () => {
    const faults: string[] = [];
    const exampleCalls = description.operations.flatMap((operation) =>
      Object.entries(operation.examples).map(([name, body]) => ({ operation, name, body: withIds(body) })),
    );
    expect(exampleCalls.length).toBeGreaterThan(25);
    for (const { operation, name, body } of exampleCalls) {
      const reply = await send(operation.method, pathOf(operation), { key: keyFor(operation), body });
      expect([operation.id, name, reply.status, reply.text]).toEqual([
        operation.id,
        name,
        operation.status,
        expect.anything(),
      ]);
      succeeded.add(operation.id);
      const isStream = reply.type === 'text/event-stream';
      expect(isStream).toBe(body.stream === true && !/Count|Presets|explain/.test(operation.id));
      const bodies = isStream ? eventsOf(reply.text) : [reply.body];
      for (const one of bodies) faults.push(...description.faults(operation, reply.status, reply.type, one));
    }
    expect([...new Set(faults)]).toEqual([]);
  }, 240_000);

  /** The data of the events but the sentinel. */
  const eventsOf = (text: string): JsonBody[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
      .map((line) => JSON.parse(line.slice('data: '.length)));

  it('describes what testing an alarm and a destination answers', async () => {
    for (const id of ['alarmsTest', 'destinationsTest']) {
      const operation = description.operations.find((one) => one.id === id)!;
      const { status, type, body } = await send('POST', pathOf(operation), { key: MANAGEMENT_KEY, body: {} });
      expect([id, status]).toEqual([id, 200]);
      succeeded.add(id);
      expect(description.faults(operation, status, type, body)).toEqual([]);
    }
  }, 240_000);

  it('describes what closing a month answers', async () => {
    const store = gateway.gateway.app.get(DataSource);
    await store.query(
      `insert into credit_grants (id, account_id, kind, amount, created_at)
       select gen_random_uuid(), id, 'grant', 0, '2026-01-31T00:00:00Z' from accounts`,
    );
    const operation = description.operations.find(({ id }) => id === 'statementsClose')!;
    const path = `${operation.servers[0]}/statements/2026-01/close`;
    const { status, type, body } = await send('POST', path, { key: MANAGEMENT_KEY, body: {} });
    expect([status, body.data.status]).toEqual([200, 'closed']);
    succeeded.add(operation.id);
    expect(description.faults(operation, status, type, body)).toEqual([]);
  });

  it('describes what trying a credential answers', async () => {
    const operation = description.operations.find(({ id }) => id === 'byokTest')!;
    const { data } = await manage('POST', '/byok', { provider: 'p0', key: 'sk-nothing' });
    const path = `${operation.servers[0]}/byok/${data.id}/test`;
    const { status, type, body } = await send('POST', path, { key: MANAGEMENT_KEY, body: {} });
    expect([status, body.data.works]).toEqual([200, null]);
    succeeded.add(operation.id);
    expect(description.faults(operation, status, type, body)).toEqual([]);
  }, 240_000);

  it('describes how requests without a key are refused', async () => {
    const faults: string[] = [];
    for (const operation of description.operations.filter(({ isOpen }) => !isOpen)) {
      const { status, type, body } = await send(operation.method, pathOf(operation));
      expect([operation.id, status]).toEqual([operation.id, 401]);
      faults.push(...description.faults(operation, status, type, body));
    }
    expect(faults).toEqual([]);
  });

  it('describes how the wrong kind of key is refused', async () => {
    const faults: string[] = [];
    for (const operation of description.operations.filter(({ isOpen }) => !isOpen)) {
      const other = keyFor(operation) === MANAGEMENT_KEY ? API_KEY : MANAGEMENT_KEY;
      const { status, type, body } = await send(operation.method, pathOf(operation), {
        key: other,
        body: operation.method === 'GET' ? undefined : '{',
      });
      if (status === 403) faults.push(...description.faults(operation, status, type, body));
      else
        expect(
          description.document.paths[operation.path][operation.method.toLowerCase()].responses['403'],
        ).toBeUndefined();
    }
    expect(faults).toEqual([]);
  });

  it('describes how bodies are refused that are no JSON, or of another type', async () => {
    const faults: string[] = [];
    for (const operation of description.operations.filter(({ examples }) => Object.keys(examples).length > 0)) {
      const key = keyFor(operation);
      const broken = await send(operation.method, pathOf(operation), { key, body: '{' });
      const untyped = await fetch(`${gateway.origin}${pathOf(operation)}`, {
        method: operation.method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'text/plain' },
        body: '{}',
      });
      expect([operation.id, broken.status, untyped.status]).toEqual([operation.id, 400, 415]);
      faults.push(...description.faults(operation, 400, broken.type, broken.body));
      faults.push(...description.faults(operation, 415, 'application/json', await untyped.json()));
    }
    expect(faults).toEqual([]);
  });

  it('describes the reply for a missing object', async () => {
    const faults: string[] = [];
    // What saves a preset makes one of any slug.
    const named = description.operations.filter(
      ({ id, parameters }) => parameters.length > 0 && !id.endsWith('PresetsSave'),
    );
    for (const operation of named) {
      const [example] = Object.values(operation.examples);
      const path = operation.path
        .replaceAll(/\{(id|hash|reference)\}/g, '00000000-0000-8000-8000-000000000000')
        .replace('{interval}', 'daily')
        .replace('{month}', '2000-01')
        .replaceAll(/\{(author|slug|name|scope)\}/g, 'none');
      const reply = await send(operation.method, `${operation.servers[0]}${path}`, {
        key: keyFor(operation),
        ...(example && { body: withIds(example) }),
      });
      expect([operation.id, reply.status]).toEqual([operation.id, 404]);
      faults.push(...description.faults(operation, 404, reply.type, reply.body));
    }
    for (const operation of description.operations.filter(({ path }) =>
      /^\/(messages|chat\/completions)$/.test(path),
    )) {
      const reply = await send('POST', pathOf(operation), {
        key: API_KEY,
        body: { ...operation.examples['minimal'], model: 'no/such' },
      });
      expect([operation.id, reply.status]).toEqual([operation.id, 404]);
      faults.push(...description.faults(operation, 404, reply.type, reply.body));
    }
    expect(faults).toEqual([]);
  });

  it('describes what deleting answers', async () => {
    const faults: string[] = [];
    const deletions = description.operations.filter(({ method }) => method === 'DELETE');
    const rotated = await manage('POST', `/keys/${ids['keys']}/rotate`, { grace_seconds: 60 });
    ids['secrets'] = rotated.data.former_secrets[0].id;
    // Nested objects come first.
    for (const operation of deletions.sort((a, b) => b.path.length - a.path.length)) {
      const { status, type, body } = await send('DELETE', pathOf(operation), { key: MANAGEMENT_KEY });
      if (status !== operation.status) faults.push(`${operation.id}: ${status} ${JSON.stringify(body)}`);
      else {
        succeeded.add(operation.id);
        faults.push(...description.faults(operation, status, type, body));
      }
    }
    expect(deletions.length).toBeGreaterThan(4);
    expect(faults).toEqual([]);
  });

  it('has called every route with success, by the tests before', () => {
    expect(description.operations.map(({ id }) => id).filter((id) => !succeeded.has(id))).toEqual([]);
  });
});

describeOnEmbedded('the document', (database) => {
  it('passes its linter, without a warning', async () => {
    const gateway = await startGateway(database);
    const { document } = await ApiDescription.of(gateway);
    await gateway.close();
    const file = join(database.settings.dataDir, 'openapi.json');
    await writeFile(file, JSON.stringify(document));
    const linter = join(ROOT, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
    const { status, output } = await run(process.execPath, [
      linter,
      'lint',
      file,
      '--config',
      join(ROOT, 'redocly.yaml'),
    ]);
    expect([status, output]).toEqual([0, expect.stringContaining('Your API description is valid')]);
  });
});
