// A credential that is disabled at one replica is no longer used anywhere after 5 s, however busy the others are
// (docs/contribute/threat-model.md#strangers). Two gateways on one PostgreSQL; the other one gets requests
// without a pause, and the upstream reports which credential it was called with.
import { anthropicText } from '../support/anthropic-upstream.js';
import { catalogOf, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnPostgres } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const EVERYWHERE_MS_MAX = 5_000;
const OWN = 'a-credential-of-their-own';
const SHARED = 'credential-of-p0';

describeOnPostgres('a credential at two replicas', (database) => {
  let upstream: Upstream;
  let here: TestGateway;
  let there: TestGateway;
  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    upstream.script(anthropicText('Hi.'));
    const catalog = catalogOf({ id: 'test/one', at: [{ url: upstream.url, dialect: 'anthropic-messages' }] });
    here = await startGateway(database, { catalog });
    there = await startGateway(database, { catalog });
  }, 240_000);
  afterAll(async () => {
    await here?.close();
    await there?.close();
    await upstream?.close();
  });

  async function manage(method: string, path: string, body?: object): Promise<JsonBody> {
    const response = await here.request(path, {
      method,
      key: MANAGEMENT_KEY,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    expect(response.ok).toBe(true);
    return (await response.json()) as JsonBody;
  }

  /** The credential that the upstream was called with. */
  async function usedAt(replica: TestGateway): Promise<unknown> {
    const response = await replica.messages({ model: 'test/one', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] }); // oxfmt-ignore
    expect(response.status).toBe(200);
    await response.text();
    return upstream.requests.at(-1)!.headers['x-api-key'];
  }

  /** How long the other replica took, under steady use, to call with it. */
  async function msUntil(credential: string): Promise<number> {
    const began = performance.now();
    while ((await usedAt(there)) !== credential && performance.now() - began < 2 * EVERYWHERE_MS_MAX);
    return performance.now() - began;
  }

  it.each([
    ['disabled', (id: string) => manage('PATCH', `/byok/${id}`, { disabled: true })],
    ['deleted', (id: string) => manage('DELETE', `/byok/${id}`)],
  ])(
    'is used no more once it is %s',
    async (_, retire) => {
      const { data } = await manage('POST', '/byok', { key: OWN, provider: 'p0' });
      expect(await usedAt(here)).toBe(OWN);
      expect(await msUntil(OWN)).toBeLessThan(EVERYWHERE_MS_MAX);
      await retire(data.id);
      expect(await usedAt(here)).toBe(SHARED);
      expect(await msUntil(SHARED)).toBeLessThan(EVERYWHERE_MS_MAX);
    },
    30_000,
  );
});
