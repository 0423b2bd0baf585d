/**
 * Goal: bodies of requests in flight are bounded together, and their room is given back however a request ends. Method:
 * a small bound, upstreams that answer when told, and a body that fits only when there is room.
 */
import { catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';

describeOnEmbedded('bodies in flight', (database) => {
  let upstream: Upstream;
  let gateway: TestGateway;
  const half = (stream = false) => ({
    model: 'test/native',
    max_tokens: 10,
    stream,
    messages: [{ role: 'user', content: 'x'.repeat(600 * 1024) }],
  });

  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    gateway = await startGateway(database, {
      catalog: catalogOf({
        id: 'test/native',
        at: [{ url: upstream.url, dialect: 'anthropic-messages', aborts: { whole: 'stops' } }],
      }),
      variables: { FAIRLEAD_BODY_MAX: '1MiB', FAIRLEAD_BODIES_IN_FLIGHT: '1MiB' },
    });
  }, 30_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });

  it('refuses a body there is no room for with 503 and Retry-After, and takes it when there is', async () => {
    let answer!: () => void;
    const released = new Promise<void>((resolve) => (answer = resolve));
    upstream.script(async (request, index) => {
      await released;
      return anthropicText('done')(request, index);
    });
    const arrival = upstream.request();
    const first = gateway.messages(half());
    await arrival;

    const refused = await gateway.messages(half());
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({ error: { type: 'overloaded_error', code: 503 } });

    answer();
    expect((await first).status).toBe(200);
    expect((await gateway.messages(half())).status).toBe(200);
  });

  it('gives the room back when a caller leaves', async () => {
    upstream.script(() => new Promise(() => undefined));
    for (let round = 0; round < 3; round++) {
      const arrival = upstream.request();
      const leaving = new AbortController();
      const left = gateway.messages(half(round === 1), { signal: leaving.signal });
      const request = await arrival;
      leaving.abort();
      await expect(left).rejects.toThrow();
      await request.closed;
    }
    upstream.script(anthropicText('still here'));
    expect((await gateway.messages(half())).status).toBe(200);
  });
});
