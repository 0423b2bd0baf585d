/**
 * Checks that calls with a caller's own credential cost an account nothing where no fee is taken: an empty account
 * may make them, and one with a negative balance may not (docs/operate/byok.md#what-it-costs,
 * docs/contribute/ledger.md#what-each-ending-costs). The application runs without a fee; the balance moves from
 * zero to below zero.
 */
import { anthropicText } from '../support/anthropic-upstream.js';
import { catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEmbedded } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask } from './messages-bench.js';

describeOnEmbedded('own credentials without a fee', (database) => {
  let upstream: Upstream;
  let gateway: TestGateway;
  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    upstream.script(anthropicText('Hi.'));
    gateway = await startGateway(database, {
      variables: { FAIRLEAD_INITIAL_CREDITS: '0' },
      catalog: catalogOf({ id: 'test/one', at: [{ url: upstream.url, dialect: 'anthropic-messages' }] }),
    });
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });

  async function call(): Promise<JsonBody> {
    const response = await gateway.messages(ask('test/one'));
    return { status: response.status, body: await response.json() };
  }

  it('pass at a balance of zero, at no cost, and are refused below zero', async () => {
    expect((await call()).status).toBe(402);
    expect(upstream.requests).toHaveLength(0);

    await gateway.manage('POST', '/byok', { key: 'an-own-credential', provider: 'p0' });
    const { status, body } = await call();
    expect([status, body.usage.is_byok, body.usage.cost]).toEqual([200, true, 0]);
    expect(body.usage.cost_details.upstream_inference_cost).toBeGreaterThan(0);
    const key = (await (await gateway.request('/key')).json()) as JsonBody;
    expect([key.data.usage, key.data.byok_usage]).toEqual([0, body.usage.cost_details.upstream_inference_cost]);

    await gateway.manage('POST', '/credits', { amount: -0.000001, kind: 'adjustment' });
    expect((await call()).status).toBe(402);
    expect(upstream.requests).toHaveLength(1);
  });
});
