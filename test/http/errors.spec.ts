// Checks that every error has the form of its address and names a remedy, and that a lost database gives 503, never
// 401 or 500. The real app is called over HTTP and bare sockets; a proxy before PostgreSQL interrupts the connection
// to it.
import { setTimeout } from 'node:timers/promises';
import { hashKey } from '../../src/core/ids.js';
import { Secret } from '../../src/core/secret.js';
import { AheadClock } from '../support/ahead-clock.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded, describeOnPostgres } from '../support/database.js';
import { exchange, type RawResponse } from '../support/raw-client.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const AUTHORIZATION = ['authorization', `Bearer ${API_KEY}`] as const;
const HASH = hashKey(MANAGEMENT_KEY);

describeOnEmbedded('errors by address', (database) => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startGateway(database, { variables: { FAIRLEAD_FLOOD: 'auth=100000/60s' } });
  }, 240_000);
  afterAll(() => gateway?.close());

  const send = (
    method: string,
    path: string,
    body?: string | object,
    further: readonly (readonly [string, string])[] = [],
  ): Promise<RawResponse> =>
    exchange(gateway.origin, {
      method,
      path,
      headers: [AUTHORIZATION, ['content-type', 'application/json'], ...further],
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const text = ({ body }: RawResponse): string => body.toString();

  it.each([
    ['/api/v1/messages', '{"model":"sandbox/echo","temperature":"x"}', 400, 'invalid-request'],
    ['/api/v1/messages', '{}', 400, 'invalid-request'],
    ['/api/v1/chat/completions', '{', 400, 'invalid-request'],
    ['/api/v1/responses', '{', 400, 'invalid-request'],
    ['/api/v1/embeddings', '{', 400, 'invalid-request'],
    ['/api/v1/rerank', '{}', 400, 'invalid-request'],
    ['/api/v1/nowhere', '{}', 404, 'not-found'],
    ['/api/v1/models', '{}', 405, 'method-not-allowed'],
  ])('logs what %s refuses %s with', async (path, body, status, outcome) => {
    const lines = () => gateway.log.filter(({ msg }) => msg === 'request');
    const before = lines().length;
    await send('POST', path, body);
    while (lines().length === before) await gateway.logged();
    expect(lines()[before]).toMatchObject({ method: 'POST', status, outcome });
  });

  it.each([
    ['/nowhere', 'generic'],
    ['/messages', 'messages'],
    ['/api/messages', 'messages'],
    ['/api/v2/messages', 'messages'],
    ['/api/v1', 'generic'],
    ['/api/v1/', 'generic'],
    ['/v1', 'generic'],
    ['/api/v1/nowhere', 'generic'],
    ['/api/v1//messages', 'messages'],
    ['/api/v1/messagesx', 'messages'],
    ['/api/v1/keys/a/b', 'generic'],
    ['/health', 'generic'],
    ['/api/v1/health/live', 'generic'],
    ['/api/v1/../../metrics', 'generic'],
    ['/%2e%2e/metrics', 'generic'],
    ['/api/v1/messages/nowhere', 'messages'],
    ['/v1/messages/nowhere?beta=true', 'messages'],
    ['*', 'generic'],
  ])('knows no %s, in the form of the %s family', async (path, family) => {
    const reply = await send('POST', path, '{}');
    expect(reply.status).toBe(404);
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    const { message } = reply.json.error;
    expect(message).toMatch(/^There is no such address[.;] .*The base URL is http:\/\/127\.0\.0\.1:\d+\/api/);
    expect(reply.json).toEqual(
      family === 'generic'
        ? { error: { code: 404, message } }
        : {
            type: 'error',
            error: { type: 'not_found_error', code: 404, message, error_type: 'not_found' },
            request_id: null,
          },
    );
  });

  const MESSAGES_HELP = (base: string): string =>
    `The base URL is ${base}/api for clients that append /v1/messages, as Anthropic's do, and ${base}/api/v1 for those that append /messages.`;
  const OTHER_HELP = (base: string): string => `The base URL is ${base}/api/v1; ${base}/docs lists the routes.`;

  it.each<[method: string, path: string, meant: string, family: 'messages' | 'chat' | 'generic']>([
    ['POST', '/api/v1/v1/messages', 'POST /api/v1/messages', 'messages'],
    ['POST', '/messages', 'POST /api/v1/messages', 'messages'],
    ['POST', '/api/messages', 'POST /api/v1/messages', 'messages'],
    ['POST', '/v1/messages/v1/messages', 'POST /api/v1/messages', 'messages'],
    ['POST', '/messages/count_tokens', 'POST /api/v1/messages/count_tokens', 'messages'],
    ['POST', '/api/v1/message', 'POST /api/v1/messages', 'messages'],
    ['POST', '/chat/completions', 'POST /api/v1/chat/completions', 'chat'],
    ['POST', '/api/chat/completions', 'POST /api/v1/chat/completions', 'chat'],
    ['POST', '/v1/v1/chat/completions', 'POST /api/v1/chat/completions', 'chat'],
    ['POST', '/api/v1/chat/completion', 'POST /api/v1/chat/completions', 'chat'],
    ['POST', '/responses', 'POST /api/v1/responses', 'generic'],
    ['POST', '/api/v1/embedding', 'POST /api/v1/embeddings', 'generic'],
    ['GET', '/models', 'GET /api/v1/models', 'generic'],
    ['GET', '/api/models/acme%2Fant', 'GET /api/v1/models/{name}', 'generic'],
    ['GET', '/api/v1/health/live', 'GET /health/live', 'generic'],
    ['GET', `/api/keys/${HASH}`, 'GET /api/v1/keys/{hash}', 'generic'],
  ])('suggests the right address for %s %s', async (method, path, meant, family) => {
    const reply = await send(method, path, method === 'POST' ? '{}' : undefined);
    const base = `http://127.0.0.1:${gateway.port}`;
    const help = family === 'messages' ? MESSAGES_HELP(base) : OTHER_HELP(base);
    expect([reply.status, reply.json.error.message]).toEqual([
      404,
      `There is no such address; ${meant} was meant. ${help}`,
    ]);
    expect(reply.json.type).toBe(family === 'messages' ? 'error' : undefined);
    expect(reply.json.error.metadata?.error_type).toBe(family === 'chat' ? 'not_found' : undefined);
    expect(text(reply)).not.toContain(HASH);
  });

  it('answers a client of the Messages format in its form at every address', async () => {
    const reply = await send('GET', '/nowhere', undefined, [['anthropic-version', '2023-06-01']]);
    expect(reply.json).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
  });

  it('maps a path that cannot be decoded to no other', async () => {
    const reply = await send('GET', '/nowhere/keys/%zz');
    expect([reply.status, reply.json.error.message]).toEqual([
      404,
      expect.stringMatching(/^There is no such address\. /),
    ]);
  });

  it('prints no invalid host', async () => {
    const reply = await send('GET', '/nowhere', undefined, [['host', 'evil.test/<script>']]);
    expect(text(reply)).not.toContain('script');
  });

  it.each([
    ['GET', '/api/v1/messages', 'POST'],
    ['DELETE', '/v1/messages/', 'POST'],
    ['PUT', '/API/V1/Messages?x=y', 'POST'],
    ['POST', '/api/v1/key', 'GET'],
    ['POST', '/', 'GET'],
    ['PUT', '/api/v1/keys', 'GET, POST'],
    ['POST', '/health/live', 'GET'],
    ['DELETE', '/metrics', 'GET'],
  ])('does not take %s at %s, and names what it takes: %s', async (method, path, allow) => {
    const reply = await send(method, path);
    expect([reply.status, reply.headers['allow'], reply.json.error.code]).toEqual([405, allow, 405]);
    expect(reply.json.error.message).toBe(`${method} is not allowed here; use ${allow.replaceAll(', ', ' or ')}.`);
    expect(reply.json.type).toBe(/messages/i.test(path) ? 'error' : undefined);
  });

  it.each([
    ['OPTIONS', `/v1/keys/${HASH}`, ''],
    [
      'POST',
      '/api/v1/keys/regenerate',
      ', or POST at /api/v1/keys/{hash}/raise, or POST at /api/v1/keys/{hash}/rotate',
    ],
  ])('reports how a part of the address was read: %s %s', async (method, path, below) => {
    const reply = await send(method, path);
    expect([reply.status, reply.headers['allow']]).toEqual([405, 'DELETE, GET, PATCH']);
    expect(reply.json.error.message).toBe(
      `${method} is not allowed at /api/v1/keys/{hash}, which this address was read as; use DELETE, GET or PATCH${below}.`,
    );
  });

  it.each([
    '/api/v1/messages',
    '/v1/messages',
    '/api/v1/messages/',
    '/v1/messages/?beta=true',
    '/api/v1/messages?__proto__=x&a[b]=c&a=%zz',
    '/API/v1/Messages',
    'http://elsewhere.example/api/v1/messages',
  ])('answers at %s', async (path) => {
    const body = { model: 'sandbox/echo', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
    expect((await send('POST', path, body)).status).toBe(200);
    // The same address and the other family's error: an invalid body.
    expect((await send('POST', path, '[]')).json).toEqual({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        code: 400,
        message: 'body: must be an object',
        error_type: 'invalid_request',
      },
      request_id: null,
    });
  });

  it.each(['/api/v1/keys/%zz', '/api/v1/keys/%E0%A4%A', '/v1/keys/%'])(
    'refuses the broken address %s',
    async (path) => {
      const reply = await send('GET', path);
      expect([reply.status, text(reply)]).toEqual([
        400,
        '{"error":{"code":400,"message":"path: is not a valid URL path"}}',
      ]);
    },
  );

  it.each([
    ['bad-request', 400, 'invalid_request_error', 'invalid_request'],
    ['unauthorized', 502, 'api_error', 'provider_unavailable'],
    ['rate-limited', 429, 'rate_limit_error', 'rate_limit_exceeded'],
    ['server-error', 502, 'api_error', 'provider_unavailable'],
    ['malformed', 502, 'api_error', 'provider_unavailable'],
    ['unavailable', 503, 'overloaded_error', 'provider_overloaded'],
    ['overloaded', 529, 'overloaded_error', 'provider_overloaded'],
  ])('reports the failure of sandbox/%s: %d', async (model, status, type, errorType) => {
    for (const stream of [false, true]) {
      const body = { model: `sandbox/${model}`, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], stream };
      const reply = await send('POST', '/api/v1/messages', body);
      expect([reply.status, reply.json.type]).toEqual([status, 'error']);
      expect(reply.json.error).toMatchObject({ type, code: status, error_type: errorType });
      expect(reply.json.error.message).not.toBe('');
      expect(reply.json.request_id).toBe(reply.headers['x-generation-id']);
      expect(reply.json.request_id).toMatch(/^gen-/);
      if (status === 429) expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    }
  });
});

describeOnPostgres('a lost database', (database) => {
  const clock = new AheadClock();
  let proxy: TcpProxy;
  let gateway: TestGateway;

  beforeAll(async () => {
    proxy = new TcpProxy(database.settings.databaseUrl!.reveal());
    await proxy.start();
    gateway = await startGateway(
      { ...database, settings: { ...database.settings, databaseUrl: new Secret(proxy.url), databasePool: 2 } },
      { clock, variables: { FAIRLEAD_FLOOD: 'auth=100000/60s' } },
    );
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await proxy?.stop();
  }, 240_000);

  const MANAGEMENT: readonly (readonly [string, string, string?])[] = [
    ['GET', '/keys'],
    ['POST', '/keys', '{"name":"n"}'],
    ['GET', `/keys/${HASH}`],
    ['PATCH', `/keys/${HASH}`, '{"name":"n"}'],
    ['PATCH', `/keys/${HASH}`, '{"disabled":true}'],
    ['DELETE', `/keys/${HASH}`],
    ['GET', '/key'],
  ];

  async function statusOf(path: string, key: string, init: RequestInit = {}): Promise<unknown[]> {
    const headers = init.body ? { 'content-type': 'application/json' } : {};
    const response = await gateway.request(path, { ...init, key, headers });
    const body = (await response.json()) as { error?: { code: number; message: string } };
    return [response.status, body.error?.code, response.headers.get('retry-after')];
  }

  const UNAVAILABLE = [503, 503, '1'];
  const message = (model: string): RequestInit => ({
    method: 'POST',
    body: JSON.stringify({ model, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }),
  });

  async function errorOf(path: string, stream: boolean): Promise<unknown> {
    const response = await gateway.request(path, {
      method: 'POST',
      key: API_KEY,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'sandbox/echo',
        max_tokens: 9,
        messages: [{ role: 'user', content: 'hi' }],
        stream,
      }),
    });
    expect(response.status).toBe(503);
    return ((await response.json()) as { error: unknown }).error;
  }

  /** Polled every other second; each answer here is a turn of the gateway's event loop. */
  async function showsDatabase(up: 0 | 1): Promise<void> {
    const metrics = (): Promise<string> => gateway.metrics();
    while (!(await metrics()).includes(`\nfairlead_database_up ${up}\n`)) await setTimeout(50);
  }

  it('is 503 wherever it is needed, and all is well again by itself', async () => {
    expect((await statusOf('/key', MANAGEMENT_KEY))[0]).toBe(200);
    expect((await statusOf('/messages', API_KEY, message('sandbox/echo')))[0]).toBe(200);
    await proxy.stop();

    for (const [method, path, body] of MANAGEMENT) {
      const requested = `${method} ${path} ${body}`;
      expect([requested, await statusOf(path, MANAGEMENT_KEY, { method, ...(body && { body }) })]).toEqual([
        requested,
        UNAVAILABLE,
      ]);
    }
    expect(await statusOf('/key', 'nobody knows')).toEqual(UNAVAILABLE);
    // Nothing is sent upstream without a way to charge it.
    expect(await statusOf('/messages', API_KEY, message('sandbox/echo'))).toEqual(UNAVAILABLE);
    // The error is not a provider's fault, whole or streamed.
    for (const stream of [false, true]) {
      expect(await errorOf('/messages', stream)).toMatchObject({ type: 'overloaded_error', error_type: 'server' });
      expect(await errorOf('/chat/completions', stream)).toMatchObject({
        code: 503,
        metadata: { error_type: 'server' },
      });
    }

    // What was known of the keys is outdated from here on: no key may be accepted or rejected by it.
    clock.aheadMs += 5_000;
    for (const key of [API_KEY, MANAGEMENT_KEY]) expect(await statusOf('/key', key)).toEqual(UNAVAILABLE);
    expect(await statusOf('/messages', API_KEY, message('sandbox/echo'))).toEqual(UNAVAILABLE);
    expect((await fetch(`${gateway.origin}/health/live`)).status).toBe(200);
    await showsDatabase(0);
    const answered = gateway.log.filter(({ msg, status }) => msg === 'request' && status === 503);
    expect(new Set(answered.map(({ outcome }) => outcome))).toEqual(new Set(['service-unavailable']));

    await proxy.start();
    await showsDatabase(1);
    for (const until = Date.now() + 10_000; Date.now() < until;) {
      if ((await statusOf('/key', MANAGEMENT_KEY))[0] === 200) break;
    }
    expect((await statusOf('/keys', MANAGEMENT_KEY))[0]).toBe(200);
    expect((await statusOf('/key', 'nobody knows'))[0]).toBe(401);
    expect(gateway.log.filter(({ level }) => level === 'error')).toEqual([]);
  }, 240_000);

  it('does not keep unknown keys waiting when it stops responding', async () => {
    proxy.freeze();
    clock.aheadMs += 5_000;
    const before = performance.now();
    expect(await statusOf('/key', 'another nobody')).toEqual(UNAVAILABLE);
    // Two seconds by design; a busy machine is slower.
    expect(performance.now() - before).toBeLessThan(10_000);
  }, 240_000);
});
