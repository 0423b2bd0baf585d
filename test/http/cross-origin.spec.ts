/**
 * Checks that pages of the origins that the operator names may call the gateway and read its replies, errors
 * included, and no others may; without the setting nothing changes. The test sends what browsers send to started
 * gateways.
 */
import { API_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';

const ORIGIN = 'https://app.example.com';
const LOCAL = 'http://localhost:3000';

describeOnEmbedded('a page of another origin', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database, { variables: { FAIRLEAD_CORS_ORIGINS: `${ORIGIN}, ${LOCAL}` } });
  });
  afterAll(() => gateway.close());

  const ask = (init: RequestInit, origin = ORIGIN, path = '/api/v1/messages') =>
    fetch(gateway.origin + path, { ...init, headers: { origin, ...(init.headers as Record<string, string>) } });
  const preflight = (origin: string, method = 'POST') =>
    ask(
      {
        method: 'OPTIONS',
        headers: {
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization,content-type,x-router-metadata',
        },
      },
      origin,
    );

  it.each([ORIGIN, LOCAL])('may call, with a key and any header: %s', async (origin) => {
    const response = await preflight(origin);
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET,HEAD,POST,PUT,PATCH,DELETE',
      'access-control-allow-headers': 'authorization,content-type,x-router-metadata',
      'access-control-max-age': '7200',
      vary: expect.stringContaining('Origin'),
    });
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
  });

  it('reads replies, streams and errors, with the headers that describe them', async () => {
    const body = { model: 'sandbox/echo', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] };
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` };
    for (const [sent, status] of [
      [body, 200],
      [{ ...body, stream: true }, 200],
      [{ ...body, model: 'nobody/knows' }, 404],
    ] as const) {
      const response = await ask({ method: 'POST', headers, body: JSON.stringify(sent) });
      await response.text();
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([status, ORIGIN]);
      const exposed = response.headers.get('access-control-expose-headers')!.toLowerCase().split(',');
      expect(exposed).toEqual(expect.arrayContaining(['request-id', 'x-generation-id', 'retry-after']));
    }
    const refused = await ask({ method: 'POST', headers: { ...headers, authorization: 'Bearer wrong' }, body: '{}' });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, ORIGIN]);
  });

  it.each(['https://evil.example.com', 'https://app.example.com.evil.test', 'http://app.example.com', 'null'])(
    'that is not named receives no permission: %s',
    async (origin) => {
      const preflighted = await preflight(origin);
      const read = await ask({}, origin, '/api/v1/models');
      await read.text();
      for (const response of [preflighted, read])
        expect(response.headers.has('access-control-allow-origin')).toBe(false);
      expect(read.headers.get('vary')).toContain('Origin');
    },
  );
});

describeOnEmbedded('without the setting', (database) => {
  it('no page of another origin may call', async () => {
    const gateway = await startGateway(database);
    try {
      const headers = { origin: ORIGIN, 'access-control-request-method': 'POST' };
      const response = await fetch(`${gateway.origin}/api/v1/messages`, { method: 'OPTIONS', headers });
      await response.text();
      expect([response.status, response.headers.has('access-control-allow-origin')]).toEqual([405, false]);
    } finally {
      await gateway.close();
    }
  });
});
