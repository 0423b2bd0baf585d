// Checks that no request passes without a key of the right kind on any route, and that nothing is done for
// unauthenticated clients. The routes of the real app are taken from its own description, which openapi.spec.ts
// proves complete, so a new route is covered automatically.
import { hashKey } from '../../src/core/ids.js';
import { KeysRepository } from '../../src/keys/keys.repository.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { ApiDescription } from '../support/description.js';
import { describeOnEmbedded } from '../support/database.js';
import { exchange, RawClient } from '../support/raw-client.js';
import type { JsonBody } from '../support/recorded-request.js';

/** docs/use/conventions.md#who-may-call: these need no key. */
const OPEN = new Set(['/health/live', '/health/ready', '/metrics', '/openapi.json', '/docs']);
const isOpen = (path: string): boolean => OPEN.has(path.replace(/^\/(api\/)?v1\//, '/'));
/**
 * docs/use/conventions.md#who-may-call: the one kind of key for everything below a path;
 * everything else takes either kind.
 */
const KIND_OF_KEY: readonly (readonly [RegExp, 'management' | 'inference'])[] = [
  [
    /^\/(keys|byok|catalog|credits|statements|activity|analytics|workspaces|organization|guardrails|audit|alarms|observability)(\/|$)/,
    'management',
  ],
  [
    /^\/(messages|chat\/completions|responses|embeddings|rerank|messages\/count_tokens|generation\/stream)$/,
    'inference',
  ],
];

describeOnEmbedded('who may call', (database) => {
  let gateway: TestGateway;
  let routes: { readonly method: string; readonly path: string }[];

  beforeAll(async () => {
    gateway = await startGateway(database, {
      variables: { FAIRLEAD_FLOOD: 'auth=100000/60s', FAIRLEAD_BODIES_IN_FLIGHT: '32MiB' },
    });
    const { operations } = await ApiDescription.of(gateway);
    routes = operations.flatMap(({ method, path, servers }) =>
      servers.map((server) => ({ method, path: server + path.replaceAll(/\{\w+\}/g, 'f'.repeat(64)) })),
    );
  }, 240_000);
  afterAll(() => gateway?.close());

  const bearer = (key: string): [string, string] => ['authorization', `Bearer ${key}`];
  const JSON_TYPE = ['content-type', 'application/json'] as const;
  const isMessages = (path: string): boolean => path.includes('/messages');

  it('sees the routes', () => {
    const seen = routes.map(({ method, path }) => `${method} ${path}`);
    expect(seen).toEqual(expect.arrayContaining(['POST /api/v1/messages', 'GET /api/v1/key', 'POST /api/v1/keys']));
    expect(seen.length).toBeGreaterThan(8);
  });

  it('requires a key on every route but the open ones, at both addresses', async () => {
    for (const { method, path } of routes.flatMap(({ method, path }) => [
      { method, path },
      { method, path: path.replace('/api/v1', '/v1') },
    ])) {
      for (const headers of [[], [bearer('nobody')], [['x-api-key', 'nobody'] as const]]) {
        const { status, json } = await exchange(gateway.origin, { method, path, headers });
        const requested = `${method} ${path} ${headers.join()}`;
        if (isOpen(path)) expect([requested, status]).toEqual([requested, 200]);
        else expect([requested, status, json.error.code]).toEqual([requested, 401, 401]);
      }
    }
  });

  it('requires the kind of key of each route before any other check', async () => {
    for (const { method, path } of routes.filter(({ path }) => !isOpen(path))) {
      const kind = KIND_OF_KEY.find(([paths]) => paths.test(path.replace('/api/v1', '')))?.[1];
      const other = kind === 'management' ? API_KEY : MANAGEMENT_KEY;
      const { status, json } = await exchange(gateway.origin, { method, path, headers: [bearer(other)], body: '{' });
      if (kind === undefined) expect([path, status]).not.toEqual([path, 403]);
      else {
        expect([path, status, json.error.code]).toEqual([path, 403, 403]);
        expect(json.error.type).toBe(isMessages(path) ? 'permission_error' : undefined);
      }
    }
  });

  it('requires no key where there is no route', async () => {
    expect((await exchange(gateway.origin, { method: 'GET', path: '/api/v1/nowhere' })).status).toBe(404);
    expect((await exchange(gateway.origin, { method: 'PUT', path: '/api/v1/messages' })).status).toBe(405);
  });

  describe('a key is presented', () => {
    const status = async (...headers: (readonly [string, string])[]): Promise<number> =>
      (await exchange(gateway.origin, { method: 'GET', path: '/api/v1/key', headers })).status;

    it.each([
      ['as a bearer', 200, [bearer(API_KEY)]],
      ['under a scheme in any case', 200, [['authorization', `bEARER   ${API_KEY} `]]],
      ['as x-api-key', 200, [['x-api-key', API_KEY]]],
      ['twice: x-api-key counts', 200, [['x-api-key', API_KEY], bearer('nobody')]],
      ['twice: x-api-key counts, wrong as it is', 401, [['x-api-key', 'nobody'], bearer(API_KEY)]],
      ['beside an empty x-api-key', 200, [['x-api-key', ''], bearer(API_KEY)]],
      ['in two bearers: the first counts', 200, [bearer(API_KEY), bearer('nobody')]],
      ['in two bearers: the first counts, wrong as it is', 401, [bearer('nobody'), bearer(API_KEY)]],
      [
        'in two x-api-keys: together they are no key',
        401,
        [
          ['x-api-key', API_KEY],
          ['x-api-key', API_KEY],
        ],
      ],
      ['with another scheme', 401, [['authorization', `Basic ${API_KEY}`]]],
      ['without scheme', 401, [['authorization', API_KEY]]],
      ['with nothing after the scheme', 401, [['authorization', 'Bearer ']]],
      ['in other letters', 401, [bearer(API_KEY.toUpperCase())]],
      ['as its own hash', 401, [bearer(hashKey(API_KEY))]],
      ['in a cookie', 401, [['cookie', `authorization=Bearer ${API_KEY}`]]],
    ] satisfies [string, number, [string, string][]][])('%s: %d', async (_, expected, headers) => {
      expect(await status(...headers)).toBe(expected);
    });

    it.each(['Basic', 'Digest', 'Token', 'AWS4-HMAC-SHA256'])(
      'under %s: the 401 of each face names it',
      async (scheme) => {
        const headers = [['authorization', `${scheme} canary-0123456789`] as const];
        const reason = `the Authorization header has the scheme ${scheme}, and this gateway reads Bearer alone.`;
        const refusalAt = async (path: string): Promise<JsonBody> => {
          const answer = await exchange(gateway.origin, { method: 'POST', path, headers, body: '{}' });
          expect([answer.status, JSON.stringify(answer.json).includes('canary')]).toEqual([401, false]);
          return answer.json;
        };
        expect(await refusalAt('/api/v1/messages')).toMatchObject({
          type: 'error',
          error: {
            type: 'authentication_error',
            code: 401,
            message: expect.stringMatching(`^Invalid API key: ${reason}`),
          },
        });
        expect(await refusalAt('/api/v1/chat/completions')).toMatchObject({
          error: { code: 401, message: expect.stringMatching(`^Missing Authentication header: ${reason}`) },
        });
      },
    );

    it('never in the address', async () => {
      const path = `/api/v1/key?key=${API_KEY}&api_key=${API_KEY}`;
      expect((await exchange(gateway.origin, { method: 'GET', path })).status).toBe(401);
    });
  });

  it('holds no bytes for the body of a client that left while the key was looked up', async () => {
    const repository = gateway.gateway.app.get(KeysRepository, { strict: false });
    const [known] = await repository.listActive([hashKey(API_KEY)]);
    let answer = (): void => undefined;
    const lookedUp = new Promise<void>((resolve) => {
      jest.spyOn(repository, 'listActive').mockImplementationOnce(async ([hash]) => {
        resolve();
        await new Promise<void>((release) => (answer = release));
        return [{ ...known!, caller: { ...known!.caller, keyHash: hash! } }];
      });
    });
    const client = await RawClient.connect(gateway.origin);
    client.send({
      path: '/api/v1/messages',
      headers: [bearer('not asked before'), JSON_TYPE, ['content-length', String(32 * 1024 * 1024)]],
    });
    await lookedUp;
    client.reset();
    while (!gateway.log.some(({ outcome }) => outcome === 'caller-gone')) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    answer();
    const response = await gateway.messages({ model: 'no/such', messages: [{ role: 'user', content: 'hi' }] });
    expect(response.status).toBe(404);
  });

  describe('order of refusals', () => {
    const BYTES_33M = String(33 * 1024 * 1024);

    /** Sends the head of a request, never its body. */
    async function answerToHead(headers: readonly (readonly [string, string])[]): Promise<string> {
      const client = await RawClient.connect(gateway.origin);
      client.send({ path: '/api/v1/messages', headers: [...headers, ['content-length', BYTES_33M]] });
      await client.response();
      client.destroy();
      return client.text;
    }

    it.each([
      ['a stranger', '401 Unauthorized', [JSON_TYPE]],
      ['the wrong kind of key', '403 Forbidden', [JSON_TYPE, bearer(MANAGEMENT_KEY)]],
      ['the right key with too much', '413 Payload Too Large', [JSON_TYPE, bearer(API_KEY)]],
      ['the right key with another type', '415 Unsupported Media Type', [bearer(API_KEY)]],
    ] satisfies [string, string, (readonly [string, string])[]][])(
      'returns %s before any of the body is read: %s',
      async (_, status, headers) => {
        expect(await answerToHead(headers)).toMatch(new RegExp(`^HTTP/1.1 ${status}\r\n`));
        // A client that waits for "100 Continue" does not receive it.
        expect(await answerToHead([...headers, ['expect', '100-continue']])).toMatch(
          new RegExp(`^HTTP/1.1 ${status}\r\n`),
        );
      },
    );

    it('sends "100 Continue" to a client that waits for it, where the request is accepted', async () => {
      const body = JSON.stringify({
        model: 'sandbox/echo',
        max_tokens: 9,
        messages: [{ role: 'user', content: 'hi' }],
      });
      const client = await RawClient.connect(gateway.origin);
      client.send({
        path: '/api/v1/messages',
        headers: [bearer(API_KEY), JSON_TYPE, ['content-length', String(body.length)], ['expect', '100-continue']],
      });
      await client.until('HTTP/1.1 100 Continue\r\n\r\n');
      client.write(body);
      await client.until('"end_turn"');
      client.destroy();
      expect(client.text).toContain('HTTP/1.1 200 OK');
    });

    const ask = { max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] };
    it.each([
      ['no JSON', 400, 'invalid_request_error', '{"model":"no/such"'],
      ['an invalid field and an unknown model', 400, 'invalid_request_error', { ...ask, model: 'no/such', top_k: 'x' }],
      ['an unknown model alone', 404, 'not_found_error', { ...ask, model: 'no/such' }],
    ] as const)('answers %s with %d', async (_, status, type, body) => {
      const response = await gateway.messages(body);
      expect([response.status, ((await response.json()) as { error: object }).error]).toEqual([
        status,
        expect.objectContaining({ type, code: status }),
      ]);
    });
  });
});
