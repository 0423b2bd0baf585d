/**
 * A fusion can be tried without an account: its name alone uses a panel of the sandbox, whose models may have tools.
 * The shipped catalog without credentials, whole and streamed, on both faces.
 */
import { startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { TWO_ROUTES } from '../tools/faults-bench.js';

const FACES = TWO_ROUTES.flatMap((route) => [false, true].map((stream) => ({ route, stream })));

describeOnEmbedded('a fusion of the sandbox', (database) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database);
  }, 240_000);
  afterAll(() => gateway?.close());

  async function ask(route: string, fields: object): Promise<{ readonly status: number; readonly text: string }> {
    const response = await gateway.request(route, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-router-metadata': 'enabled' },
      body: JSON.stringify({ max_tokens: 2_000, messages: [{ role: 'user', content: 'Hello, Fairlead' }], ...fields }),
    });
    return { status: response.status, text: await response.text() };
  }

  it.each(FACES)('is requested by name on $route, stream $stream', async ({ route, stream }) => {
    const { status, text } = await ask(route, { model: 'openrouter/fusion', stream });
    expect({ status, text }).toMatchObject({ status: 200 });
    expect(text).toContain('"summary":"2 of 2 answered","data":{"preset":"sandbox"');
    expect(text).toMatch(/"judge":\{"model":"sandbox\/json","outcome":"judged"/);
    expect(text).toContain('sandbox/thinking');
  });

  it('has models that call their tools', async () => {
    const plugins = [{ id: 'fusion', analysis_models: ['sandbox/tools'], tools: [{ type: 'web_search' }] }];
    const messages = [{ role: 'user', content: 'Please:\ncall web_search {"query":"boats"}' }];
    const { status, text } = await ask('/messages', { model: 'sandbox/echo', plugins, messages });
    expect({ status, text }).toMatchObject({ status: 200 });
    expect(text).toContain('"web_search_requests":1');
    expect(text).toContain('The tool answered');
    expect(text).toMatch(
      /"name":"openrouter:web_search","summary":"completed","data":\{"model":"sandbox\/tools","step":1/,
    );
  });

  it('has no panel of other models where none of them may be called', async () => {
    const { status, text } = await ask('/messages', {
      model: 'openrouter/fusion',
      plugins: [{ id: 'fusion', preset: 'general-fast' }],
    });
    expect({ status, text }).toMatchObject({ status: 404 });
  });
});
