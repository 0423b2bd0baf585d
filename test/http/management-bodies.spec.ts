/**
 * Checks that no field of a management body is silently ignored: a misspelt one is refused with the likely one, every
 * field of the contract is known, and a field without effect here is refused by name unless it requests nothing;
 * queries are closed in the same way; a missing workspace is a 404 wherever it is named. Every route of the described
 * API that takes a management body or names a workspace is called on the real application.
 */
import { newUuid } from '../../src/core/ids.js';
import { MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { ApiDescription, type DescribedOperation } from '../support/description.js';
import type { JsonBody } from '../support/recorded-request.js';

interface Body {
  readonly operation: DescribedOperation;
  readonly schema: JsonBody;
  /** A valid example. */
  readonly example: object;
}

const POLICY = ['allowed_providers', 'ignored_providers', 'data_collection', 'enforce_zdr', 'plugins'];
const WORKSPACE = [
  'name', 'slug', 'description', 'default_text_model', 'default_image_model', 'default_provider_sort', 'disabled_server_tools',
  'is_data_discount_logging_enabled', 'is_observability_broadcast_enabled', 'is_observability_io_logging_enabled',
  'io_logging_sampling_rate', 'io_logging_api_key_ids', 'include_byok_in_budgets', 'tags', 'required_tags', ...POLICY,
]; // oxfmt-ignore
const KEY = [
  'name',
  'limit',
  'limit_reset',
  'include_byok_in_limit',
  'rate_limits',
  'allowed_models',
  'egress',
  'metadata',
];
const CREDENTIAL = [
  'key', 'name', 'disabled', 'is_fallback', 'is_required', 'is_byok_only', 'declared_zdr', 'allowed_models', 'allowed_user_ids',
  'allowed_api_key_hashes', 'sort_order',
]; // oxfmt-ignore
const GUARDRAIL = [
  'name', 'description', 'limit_usd', 'reset_interval', 'allowed_models', 'ignored_models', 'allowed_providers', 'ignored_providers',
  'enforce_zdr', 'enforce_zdr_anthropic', 'enforce_zdr_openai', 'enforce_zdr_google', 'enforce_zdr_xai', 'enforce_zdr_other',
  'content_filters', 'content_filter_builtins', 'workspace_id', 'include_byok_in_budgets', 'enable_free_model_publication',
  'enable_free_model_training', 'enable_paid_model_training', 'allowed_data_regions',
]; // oxfmt-ignore

const DESTINATION = [
  'name', 'config', 'enabled', 'broadcast', 'privacy_mode', 'sampling_rate', 'api_key_hashes', 'filter_rules', 'broadcast_generation_cost',
  'broadcast_generation_identity', 'broadcast_generation_request_context', 'regions',
]; // oxfmt-ignore
const ALARM = ['name', 'on', 'percents', 'forecast', 'enabled', 'destination_ids'];

/** The fields that clients may send, by route. */
const CONTRACT: Readonly<Record<string, readonly string[]>> = {
  'POST /keys': [...KEY, 'kind', 'expires_at', 'creator_user_id', 'workspace_id', 'external'],
  'PATCH /keys/{hash}': [...KEY, 'disabled'],
  'POST /keys/{hash}/rotate': ['grace_seconds'],
  'POST /keys/{hash}/raise': ['amount_usd', 'until'],
  'POST /keys/disable': ['creator_user_id'],
  'POST /byok': [...CREDENTIAL, 'provider', 'workspace_id'],
  'PATCH /byok/{id}': CREDENTIAL,
  'POST /guardrails': GUARDRAIL,
  'PATCH /guardrails/{id}': GUARDRAIL,
  'POST /guardrails/{id}/test': ['text', 'content_filters', 'content_filter_builtins'],
  'POST /guardrails/{id}/assignments/keys': ['key_hashes'],
  'POST /guardrails/{id}/assignments/keys/remove': ['key_hashes'],
  'POST /guardrails/{id}/assignments/members': ['member_user_ids'],
  'POST /guardrails/{id}/assignments/members/remove': ['member_user_ids'],
  'POST /workspaces': WORKSPACE,
  'PATCH /workspaces/{reference}': [...WORKSPACE, 'default_guardrail_id'],
  'POST /workspaces/{reference}/members/add': ['user_ids'],
  'POST /workspaces/{reference}/members/remove': ['user_ids'],
  'PUT /workspaces/{reference}/budgets/{interval}': ['limit_usd', 'include_byok_in_budgets'],
  'PUT /budgets/{scope}/{id}/{interval}': ['limit_usd'],
  'POST /budgets/{scope}/{id}/{interval}/raise': ['amount_usd', 'until'],
  'PATCH /account/preferences': [...POLICY, 'egress'],
  'POST /alarms': ALARM,
  'PATCH /alarms/{id}': ALARM,
  'POST /observability/destinations': [...DESTINATION, 'type', 'workspace_id'],
  'PATCH /observability/destinations/{id}': DESTINATION,
  'POST /observability/destinations/{id}/rotate': ['grace_seconds'],
  'POST /analytics/query': [
    'metrics',
    'dimensions',
    'filters',
    'granularity',
    'time_range',
    'order_by',
    'limit',
    'group_limit',
  ],
  'POST /credits': ['amount', 'note', 'idempotency_key', 'kind'],
};

/** Known only to be refused, whatever their values: no suggestion may name them. */
const UNUSABLE: Readonly<Record<string, readonly string[]>> = {
  'PATCH /keys/{hash}': ['kind', 'is_workspace_bound', 'expires_at', 'creator_user_id', 'workspace_id', 'external'],
  'PATCH /byok/{id}': ['provider', 'workspace_id'],
  'POST /guardrails': ['allowed_data_regions'],
  'PATCH /guardrails/{id}': ['allowed_data_regions', 'workspace_id'],
  'PATCH /observability/destinations/{id}': ['type', 'workspace_id'],
  'POST /workspaces': ['disabled_server_tools'],
  'PATCH /workspaces/{reference}': ['disabled_server_tools'],
}; // oxfmt-ignore

/** Fields that are fixed once an object is created, or set by the gateway itself. */
const OWN =
  /^(?:id|hash|label|created_(?:at|by)|updated_at|creator_user_id|workspace_id|kind|is_workspace_bound|expires_at|external.*|limit_(?:held|raise|remaining)|(?:byok_)?usage.*|last_used_at|former_secrets)$/;

const NOT_YET = 'is not supported yet by this gateway';

describeOnEmbedded('management bodies', (database) => {
  let gateway: TestGateway;
  let description: ApiDescription;
  let bodies: readonly Body[];

  beforeAll(async () => {
    gateway = await startGateway(database);
    description = await ApiDescription.of(gateway);
    bodies = description.operations.filter(isManagement).flatMap((operation) => {
      const schema = schemaOf(operation);
      const [example = {}] = Object.values(operation.examples);
      return schema ? [{ operation, schema, example }] : [];
    });
  }, 240_000);
  afterAll(() => gateway?.close());

  const describedOf = ({ path, method }: DescribedOperation): JsonBody =>
    description.document.paths[path][method.toLowerCase()];
  const isManagement = (operation: DescribedOperation): boolean =>
    String(describedOf(operation).description).includes('kind `management`');
  const nameOf = ({ method, path }: DescribedOperation): string => `${method} ${path}`;

  /** Undefined where the route takes no body. */
  function schemaOf(operation: DescribedOperation): JsonBody {
    const reference = describedOf(operation).requestBody?.content['application/json'].schema.$ref as string | undefined;
    return reference && description.document.components.schemas[reference.split('/').at(-1)!];
  }

  async function send(method: string, path: string, body?: object): Promise<JsonBody> {
    const response = await gateway.request(path, {
      method,
      key: MANAGEMENT_KEY,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  const filled = (path: string, reference = 'default'): string =>
    path
      .replace('{reference}', reference)
      .replace('{interval}', 'daily')
      .replace('{month}', '2000-01')
      .replaceAll(/\{\w+\}/g, 'none');

  it('are those of the contract, with every field of it', () => {
    const known = Object.fromEntries(
      bodies.map(({ operation, schema }) => [nameOf(operation), Object.keys(schema.properties)]),
    );
    expect(Object.keys(known).sort()).toEqual(Object.keys(CONTRACT).sort());
    for (const [name, fields] of Object.entries(CONTRACT))
      expect([name, fields.filter((field) => !known[name]!.includes(field))]).toEqual([name, []]);
  });

  it('are described as closed, and no others are', () => {
    const closed = description.operations.filter((operation) => schemaOf(operation)?.additionalProperties === false);
    // `PATCH /presets/{slug}` takes either kind of key.
    expect(closed.map(nameOf).sort()).toEqual([...Object.keys(CONTRACT), 'PATCH /presets/{slug}'].sort());
  });

  const unusableOf = (operation: DescribedOperation): readonly string[] => UNUSABLE[nameOf(operation)] ?? [];

  it('refuse each field that is misspelt, with the likely one, if it can be used', async () => {
    for (const { operation, schema, example } of bodies) {
      for (const name of Object.keys(schema.properties)) {
        const middle = Math.floor(name.length / 2);
        const misspelt = name.slice(0, middle) + name.slice(middle + 1);
        const { status, body } = await send(operation.method, filled(operation.path), { ...example, [misspelt]: null });
        // What is left of a shorter name is near none.
        const isUsable = !unusableOf(operation).includes(name) && name.length > 2;
        expect([nameOf(operation), status, body.error.message]).toEqual([
          nameOf(operation),
          400,
          isUsable
            ? `${misspelt}: is not a known field; did you mean ${name}?`
            : expect.stringMatching(new RegExp(`^${misspelt}: is not a known field; (?!did you mean ${name})`)),
        ]);
      }
    }
  }, 240_000);

  it('refuse unknown fields, and list the known ones', async () => {
    for (const { operation, schema, example } of bodies) {
      const { status, body } = await send(operation.method, filled(operation.path), { ...example, zzzzzzzzzz: 1 });
      expect([nameOf(operation), status]).toEqual([nameOf(operation), 400]);
      expect(body.error.message).toMatch(/^zzzzzzzzzz: is not a known field; the known ones are /);
      const named = body.error.message.split('the known ones are ')[1].split(', ');
      const usable = Object.keys(schema.properties).filter((name) => !unusableOf(operation).includes(name));
      expect([nameOf(operation), named.sort()]).toEqual([nameOf(operation), usable.sort()]);
    }
  });

  it.each([
    ['POST', '/guardrails', '{"content_filters":[{"patern":"x","action":"block"}]}', 'content_filters.0.patern: is not a known field; did you mean pattern?'],
    ['PATCH', '/account/preferences', '{"egress":{"blocked_domains":[],"zz":1}}', 'egress.zz: is not a known field; the known ones are allowed_domains, blocked_domains'],
    ['PATCH', '/account/preferences', '{"plugins":[{"id":"web","prevent_override":true}]}', 'plugins.0.prevent_override: is not a known field; did you mean prevent_overrides?'],
    ['PATCH', '/workspaces/default', '{"plugins":[{"id":"file-parser","pdf":{"engin":"native"}}]}', 'plugins.0.pdf.engin: is not a known field; did you mean engine?'],
    ['POST', '/keys', '{"rate_limits":{"requests_per_minut":1}}', 'rate_limits.requests_per_minut: is not a known field; did you mean requests_per_minute?'],
    ['POST', '/keys', '{"external":{"usr":"u"},"limit":"x"}', 'external.usr: is not a known field; did you mean user?'],
    ['POST', '/workspaces/default/members/add', '{"__proto__":1}', '__proto__: is not a known field; the known ones are user_ids'],
    ['POST', '/guardrails', '{"content_filters":[{"__proto__":1}]}', 'content_filters.0.__proto__: is not a known field; the known ones are pattern, action, label'],
  ])('%s %s %s: report unknown fields first, at any depth', async (method, path, text, complaint) => {
    const headers = { 'content-type': 'application/json' };
    const response = await gateway.request(path, { method, key: MANAGEMENT_KEY, headers, body: text });
    const { error } = (await response.json()) as JsonBody;
    expect([response.status, error.message]).toEqual([400, complaint]);
  }); // oxfmt-ignore

  it('must be empty where a route takes no members', async () => {
    const bare = description.operations.filter((one) => isManagement(one) && one.method !== 'GET' && !schemaOf(one));
    expect(bare.map(nameOf).sort()).toEqual([
      'DELETE /alarms/{id}',
      'DELETE /budgets/{scope}/{id}/{interval}',
      'DELETE /byok/{id}',
      'DELETE /guardrails/{id}',
      'DELETE /keys/{hash}',
      'DELETE /keys/{hash}/secrets/{id}',
      'DELETE /observability/destinations/{id}',
      'DELETE /workspaces/{reference}',
      'DELETE /workspaces/{reference}/budgets/{interval}',
      'POST /alarms/{id}/test',
      'POST /byok/{id}/test',
      'POST /observability/destinations/{id}/test',
      'POST /statements/{month}/close',
    ]);
    for (const operation of bare) {
      const sent = async (body: string | undefined, type: string): Promise<readonly unknown[]> => {
        const headers = { 'content-type': type };
        const path = filled(operation.path, newUuid(Date.now()));
        const reply = await gateway.request(path, {
          method: operation.method,
          key: MANAGEMENT_KEY,
          headers,
          ...(body !== undefined && { body }),
        });
        return [nameOf(operation), body, reply.status, ((await reply.json()) as JsonBody).error?.message];
      };
      for (const [body, complaint] of [
        ['{"foo":1,"bar":2}', 'foo: is not a known field; this route takes no body'],
        ['{"__proto__":1}', '__proto__: is not a known field; this route takes no body'],
        ['[]', 'body: must be an object'],
        ['{', expect.stringContaining('body: is not valid JSON')],
      ] as const)
        expect(await sent(body, 'application/json')).toEqual([nameOf(operation), body, 400, complaint]);
      for (const body of [undefined, '', '{}', ' {} '])
        for (const type of ['application/json', 'text/plain'])
          expect((await sent(body, type)).slice(0, 3)).toEqual([nameOf(operation), body, 404]);
    }
  });

  it.each([
    ['/keys', { name: 'n' }, 'hash'],
    ['/guardrails', { name: 'n', content_filters: [{ pattern: 'x', action: 'block' }] }, 'id'],
    ['/workspaces', { name: 'n', slug: 'read-and-sent-back' }, 'id'],
  ])('take back what is shown of %s, but for what is fixed or the gateway’s own', async (path, body, id) => {
    const made = (await send('POST', path, body)).body.data;
    const shown = Object.entries(made).filter(([name]) => !OWN.test(name));
    expect(shown.length).toBeGreaterThan(4);
    const { status, body: reply } = await send('PATCH', `${path}/${made[id]}`, Object.fromEntries(shown));
    expect([status, reply.error?.message]).toEqual([200, undefined]);
  });

  it('go with queries that are closed on every GET, with the nearest parameter', async () => {
    const routes = description.operations.filter((one) => one.method === 'GET' && isManagement(one));
    expect(routes.length).toBeGreaterThan(15);
    for (const operation of routes) {
      const { path } = operation;
      const known = (describedOf(operation).parameters ?? [])
        .filter((one: JsonBody) => one.in === 'query')
        .map(({ name }: JsonBody) => name as string);
      const ask = async (query: string): Promise<unknown> => {
        const reply = await send('GET', `${filled(path)}?${query}`);
        return [nameOf(operation), reply.status, reply.body.error?.message];
      };
      const list = known.length > 0 ? `the known ones are ${known.join(', ')}` : 'this route takes none';
      const message = `zzzzzzzzzz: is not a known parameter; ${list}`;
      expect(await ask('zzzzzzzzzz=1')).toEqual([nameOf(operation), 400, message]);
      for (const name of known.filter((one: string) => one.length > 3)) {
        const misspelt = `${name}s`;
        const meant = `${misspelt}: is not a known parameter; did you mean ${name}?`;
        expect(await ask(`${misspelt}=1`)).toEqual([nameOf(operation), 400, meant]);
      }
    }
  });

  it('leave the queries of inference and of models open, and close those of either kind of key', async () => {
    for (const path of ['/models', '/models/count', '/models/user', '/providers', '/endpoints/zdr'])
      expect([path, (await send('GET', `${path}?zzzzzzzzzz=1&beta=true`)).status]).toEqual([path, 200]);
    for (const [path, message] of [
      ['/key?x=1', 'x: is not a known parameter; this route takes none'],
      ['/generation?ids=1', 'ids: is not a known parameter; did you mean id?'],
      ['/generation?id=1&beta=true', 'beta: is not a known parameter; the known ones are id'],
    ] as const)
      expect([path, (await send('GET', path)).body.error.message]).toEqual([path, message]);
  });

  it('name the nearest of the values that a parameter takes', async () => {
    for (const [path, message] of [
      ['/activity?group_by=workspaces', expect.stringMatching(/^group_by: must be one or two of model, .*; did you mean workspace\?$/)], // oxfmt-ignore
      ['/byok?provider=anthropics', 'provider: must be the slug of a known provider; did you mean anthropic?'],
      ['/keys?kind=inferense', 'kind: must be one of inference, management; did you mean inference?'],
      ['/models?sort=newst', expect.stringMatching(/^sort: must be one of .*; did you mean newest\?$/)],
    ] as const) {
      const { status, body } = await send('GET', path);
      expect([path, status, body.error.message]).toEqual([path, 400, message]);
    }
  });

  it.each([
    ['PATCH', '/workspaces/default', {}, 'disabled_server_tools', [null, []], ['openrouter:web_search']],
  ])('%s %s: %# of what is not acted on yet, only values that request nothing', async (method, path, rest, field, neutral, lacking) => {
    for (const value of neutral) {
      const { status } = await send(method, path, { ...rest, [field]: value });
      expect([value, status < 300]).toEqual([value, true]);
    }
    const { status, body } = await send(method, path, { ...rest, [field]: lacking });
    expect([status, body.error.message]).toEqual([400, `${field}: ${NOT_YET}; leave it out`]);
  }); // oxfmt-ignore

  describe('a workspace that is not there', () => {
    const missing = [newUuid(Date.now()), 'no-such-workspace'];
    /** Neither ids nor slugs. */
    const malformed = ["' OR '1'='1", 'Default', 'a b', '../default', 'x'.repeat(51)];
    const MALFORMED = expect.stringMatching(/^workspace_id: must be (?:the id of a workspace or its slug|at most 50)/);

    it('is a 404 in every address', async () => {
      const named = description.operations.filter(({ path }) => path.includes('{reference}'));
      expect(named.length).toBeGreaterThan(8);
      for (const operation of named) {
        const example = Object.values(operation.examples)[0];
        for (const reference of missing) {
          const { status } = await send(operation.method, filled(operation.path, reference), example);
          expect([nameOf(operation), reference, status]).toEqual([nameOf(operation), reference, 404]);
        }
      }
    });

    it('is a 404 in every query, and a 400 where it cannot be one', async () => {
      const named = description.operations.filter(
        (operation) =>
          describedOf(operation).parameters?.some(
            (one: JsonBody) => one.in === 'query' && one.name === 'workspace_id',
          ) && !operation.path.startsWith('/presets/'),
      );
      expect(named.map(nameOf).sort()).toEqual(['GET /activity', 'GET /audit', 'GET /byok', 'GET /credits/entries', 'GET /generations', 'GET /guardrails', 'GET /keys', 'GET /observability/destinations', 'GET /presets']); // oxfmt-ignore
      for (const { path } of named) {
        // Entries of a workspace are listed within a range only.
        const query = path === '/credits/entries' ? '?from=2026-01-01&workspace_id=' : '?workspace_id=';
        for (const reference of missing) {
          const { status, body } = await send('GET', `${path}${query}${encodeURIComponent(reference)}`);
          expect([path, status, body.error?.message]).toEqual([path, 404, 'workspace_id: there is no such workspace']);
        }
        for (const reference of malformed) {
          const { status, body } = await send('GET', `${path}${query}${encodeURIComponent(reference)}`);
          expect([path, reference, status, body.error?.message]).toEqual([path, reference, 400, MALFORMED]);
        }
        expect([path, (await send('GET', `${path}${query}default`)).status]).toEqual([path, 200]);
      }
    });

    it('is a 404 in every body, and a 400 where it cannot be one', async () => {
      const named = bodies.filter(({ schema }) => schema.properties.workspace_id?.type === 'string');
      expect(named.map(({ operation }) => nameOf(operation)).sort()).toEqual(['POST /byok', 'POST /guardrails', 'POST /keys', 'POST /observability/destinations']); // oxfmt-ignore
      for (const { operation, example } of named) {
        for (const workspace_id of missing) {
          const { status, body } = await send(operation.method, operation.path, { ...example, workspace_id });
          expect([nameOf(operation), status, body.error?.message]).toEqual([
            nameOf(operation),
            404,
            'workspace_id: there is no such workspace',
          ]);
        }
        for (const workspace_id of malformed) {
          const { status, body } = await send(operation.method, operation.path, { ...example, workspace_id });
          expect([nameOf(operation), workspace_id, status, body.error?.message]).toEqual([
            nameOf(operation),
            workspace_id,
            400,
            MALFORMED,
          ]);
        }
        const made = await send(operation.method, operation.path, { ...example, workspace_id: 'default' });
        expect([nameOf(operation), made.status]).toEqual([nameOf(operation), 201]);
      }
    });
  });
});
