/**
 * Checks that a caller's structured credential works from `POST /byok` on, on the platform of its provider, and leads
 * only where the operator allows it. A loopback upstream plays the cloud and its token service; one gateway lists it
 * for callers' addresses, one does not.
 */
import { anthropicText } from '../support/anthropic-upstream.js';
import { MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { assertionFault, oauthToken, serviceAccount } from '../support/cloud-upstream.js';
import { describeOnEmbedded } from '../support/database.js';
import { openaiText } from '../support/openai-upstream.js';
import type { JsonBody, RecordedRequest } from '../support/recorded-request.js';
import { json } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

const TOKEN = 'ya29.CANARY-token-of-24-characters';
const AZURE_KEY = 'CANARY-azure-key-0123456789';

describeOnEmbedded("callers' credentials of platforms", (database) => {
  let upstream: Upstream;
  let gateway: TestGateway;
  beforeEach(async () => {
    upstream = await startUpstream('anthropic');
    upstream.strict = false;
    upstream.script((request, index) => {
      if (request.path === '/token') {
        const fault = assertionFault(request, `${upstream.origin}/token`, Date.now());
        return fault === undefined ? oauthToken(TOKEN) : json({ error: fault }, 400);
      }
      return request.path.includes('/chat/completions')
        ? openaiText('Hi')(request, index)
        : anthropicText('Hi')(request, index);
    });
  });
  afterEach(async () => {
    await gateway?.close();
    await upstream.close();
  });

  async function start(egressAllow: string): Promise<void> {
    const model = (id: string, provider: string): object => ({
      id,
      name: id,
      context_length: 10_000,
      endpoints: [{ provider, model: `upstream-${provider}`, free: true }],
    });
    gateway = await startGateway(database, {
      coolsDown: false,
      variables: { FAIRLEAD_EGRESS_ALLOW: egressAllow },
      catalog: {
        version: 1,
        providers: [
          { slug: 'google-vertex', name: 'Vertex', dialect: 'anthropic-messages', platform: 'vertex', base_url: `${upstream.origin}/{region}` },
          { slug: 'azure', name: 'Azure', dialect: 'openai-chat', platform: 'azure', api_version: '2024-10-21', base_url: `${upstream.origin}/{resource}` },
        ],
        models: [model('test/vertex', 'google-vertex'), model('test/azure', 'azure'), model('test/azure-2', 'azure')],
      },
    }); // oxfmt-ignore
  }

  async function send(
    path: string,
    key: string | undefined,
    body: object,
  ): Promise<{ status: number; body: JsonBody }> {
    const response = await gateway.request(path, {
      method: 'POST',
      ...(key && { key }),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect(text).not.toMatch(/CANARY|PRIVATE KEY|BEGIN/);
    return { status: response.status, body: JSON.parse(text) };
  }

  const own = async (provider: string, key: string): Promise<string> =>
    (await send('/byok', MANAGEMENT_KEY, { provider, key })).body.data.id as string;
  const test = async (id: string): Promise<JsonBody> => (await send(`/byok/${id}/test`, MANAGEMENT_KEY, {})).body.data;
  const ask = (model: string): Promise<{ status: number; body: JsonBody }> =>
    send('/messages', undefined, { model, max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] });
  const calls = (): RecordedRequest[] => upstream.requests.filter(({ path }) => path !== '/token');

  it('work, in the test and in use, where their addresses are listed', async () => {
    await start(`127.0.0.1:${upstream.port}`);
    const id = await own('google-vertex', serviceAccount(`${upstream.origin}/token`, { region: 'europe-west1' }));
    expect(await test(id)).toMatchObject({ works: true, status: 200, model: 'test/vertex' });
    const { status, body } = await ask('test/vertex');
    expect([status, body.content[0].text, body.usage.is_byok]).toEqual([200, 'Hi', true]);
    expect(calls().map(({ path, headers }) => [path, headers.authorization])).toEqual(
      Array(2).fill([
        '/europe-west1/v1/projects/project-1/locations/europe-west1/publishers/anthropic/models/upstream-google-vertex:rawPredict',
        `Bearer ${TOKEN}`,
      ]),
    );
    expect(upstream.requests.length - calls().length).toBe(1);
  });

  it('are tried on a model that they are for', async () => {
    await start(`127.0.0.1:${upstream.port}`);
    const at = (model_slug: string): string =>
      JSON.stringify([{ model_slug, endpoint_url: `https://127.0.0.1:${upstream.port}/`, api_key: AZURE_KEY, model_id: 'm' }]); // oxfmt-ignore
    // The upstream does not speak TLS: the test can only observe that it is called.
    expect(await test(await own('azure', at('test/azure-2')))).toMatchObject({ works: null, model: 'test/azure-2' });
    expect(await test(await own('azure', at('test/none')))).toMatchObject({
      works: false,
      model: 'test/azure',
      message: expect.stringContaining('has no entry for the model test/azure'),
    });
  });

  it('reach no private address if they are not', async () => {
    await start('');
    const id = await own('google-vertex', serviceAccount(`${upstream.origin}/token`));
    expect(await test(id)).toMatchObject({
      works: false,
      status: null,
      message: expect.stringContaining('names an address that may not be called'),
    });
    expect((await ask('test/vertex')).status).toBe(502);
    const at = { model_slug: 'test/azure', endpoint_url: `https://127.0.0.1:${upstream.port}/`, api_key: AZURE_KEY, model_id: 'm' }; // oxfmt-ignore
    expect(await test(await own('azure', JSON.stringify([at])))).toMatchObject({ works: false, status: null });
    expect(upstream.connectionsAccepted).toBe(0);
    expect(JSON.stringify(gateway.log)).not.toMatch(/CANARY|BEGIN/);
  });

  it('of Azure call the resource that they name', async () => {
    await start('');
    const key = [{ api_key: AZURE_KEY, resource_name: 'mine', resource_type: 'openai' }];
    const id = await own('azure', JSON.stringify(key));
    expect(await test(id)).toMatchObject({ works: true });
    expect((await ask('test/azure')).status).toBe(200);
    expect(calls().map(({ path, headers }) => [path, headers['api-key']])).toEqual(
      Array(2).fill(['/mine/openai/deployments/upstream-azure/chat/completions?api-version=2024-10-21', AZURE_KEY]),
    );
  });
});
