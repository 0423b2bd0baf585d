/**
 * Checks that a caller refused for a missing credential learns the remedy: the variable that is not set, and `POST
 * /byok`. The providers of the catalog name variables that are not set; both faces, whole and streamed. Rules:
 * docs/use/errors.md#availability.
 */
import { MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';

const HELP =
  'No endpoint of test/one is left: north has no credential (NORTH_KEY is not set), south has no credential. Set the ' +
  'variable of one of them where the gateway runs, or store a credential of your own by POST /byok.';

describeOnEmbedded('a missing credential', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const provider = { dialect: 'anthropic-messages', base_url: 'http://127.0.0.1:9' };
    // A separate tier is a candidate that was not requested, and no reason.
    const pricing = { prompt: '1', completion: '2', priority: { prompt: '2', completion: '4' } };
    gateway = await startGateway(database, {
      catalog: {
        version: 1,
        providers: [
          { slug: 'north', name: 'North', ...provider, credential: { env: 'NORTH_KEY' } },
          { slug: 'south', name: 'South', ...provider },
        ],
        models: [
          {
            id: 'test/one',
            name: 'One',
            context_length: 1_000,
            endpoints: ['north', 'south'].map((slug) => ({ provider: slug, model: 'one', pricing })),
          },
        ],
      },
    });
  }, 240_000);
  afterAll(() => gateway?.close());

  const post = async (path: string, body: object, key?: string): Promise<{ status: number; body: JsonBody }> => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body), ...(key !== undefined && { key }) };
    const response = await gateway.request(path, init);
    return { status: response.status, body: await response.json() };
  };

  it.each([
    ['/messages', false],
    ['/messages', true],
    ['/chat/completions', false],
    ['/chat/completions', true],
  ])('is a 404 of %s that names the variable and the route (streamed: %s)', async (path, stream) => {
    const messages = [{ role: 'user', content: 'Hello' }];
    const { status, body } = await post(path, { model: 'test/one', max_tokens: 10, stream, messages });
    expect([status, body.error.message]).toEqual([404, HELP]);
    expect(body.error.metadata.excluded).toEqual([
      { model: 'test/one', provider: 'North', tag: 'north', reason: 'no-credential', detail: 'NORTH_KEY is not set' },
      { model: 'test/one', provider: 'South', tag: 'south', reason: 'no-credential' },
    ]);
    expect(body.error.availability).toEqual({
      retryable: false,
      code: 'no_endpoints',
      requested_models: ['test/one'],
      docs_url: `${gateway.origin}/docs`,
      affected_providers: ['North', 'South'],
    });
  });

  it('is no longer reported where one is stored', async () => {
    expect((await post('/byok', { provider: 'south', key: 'a-key-of-mine' }, MANAGEMENT_KEY)).status).toBe(201);
    const messages = [{ role: 'user', content: 'Hello' }];
    const { status } = await post('/messages', { model: 'test/one', max_tokens: 10, messages });
    expect(status).toBe(502);
  });
});
