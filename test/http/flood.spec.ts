/**
 * Goal: an account that asks far too often is refused before its bodies are read, with what it needs to know, and
 * nothing is said before (docs/wire/errors.md#rate-limits, docs/wire/limits.md#flood). Method: a limit of three
 * requests in ten seconds, a clock moved by hand, both kinds of key, a body that is none.
 */
import { ThrottlerGuard, ThrottlerStorage } from '@nestjs/throttler';
import { FloodGuard } from '../../src/limits/flood.guard.js';
import { LocalThrottlerStorage } from '../../src/limits/local-throttler.storage.js';
import { MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { AheadClock } from '../support/ahead-clock.js';
import { describeOnEmbedded } from '../support/database.js';

const ASK = { model: 'sandbox/echo', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] };
const NAMES = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

describeOnEmbedded('a flood of requests', (database) => {
  const clock = new AheadClock();
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database, { clock, variables: { FAIRLEAD_FLOOD: 'account=3/10s,auth=1000/10s' } });
  }, 60_000);
  afterAll(() => gateway?.close());

  it("is met by the library's guard over a storage of ours", () => {
    const { app } = gateway.gateway;
    expect(app.get(FloodGuard, { strict: false })).toBeInstanceOf(ThrottlerGuard);
    expect(app.get(ThrottlerStorage, { strict: false })).toBeInstanceOf(LocalThrottlerStorage);
  });

  it('is let through in silence up to the limit, then refused on every route, whatever the key, and let through again', async () => {
    for (let times = 0; times < 3; times++) {
      const response = await gateway.messages(ASK);
      expect([response.status, NAMES.map((name) => response.headers.get(name))]).toEqual([200, [null, null, null]]);
    }
    const before = clock.now();
    const refused = await gateway.messages('this is no JSON, and is not read');
    expect([refused.status, await refused.json()]).toEqual([
      429,
      {
        type: 'error',
        error: {
          type: 'rate_limit_error',
          code: 429,
          message: expect.stringContaining('Too many requests'),
          error_type: 'rate_limit_exceeded',
          metadata: { error_type: 'rate_limit_exceeded' },
        },
        request_id: null,
      },
    ]);
    expect(refused.headers.get('retry-after')).toBe('10');
    expect(NAMES.slice(0, 2).map((name) => refused.headers.get(name))).toEqual(['3', '0']);
    expect(Number(refused.headers.get('x-ratelimit-reset'))).toBeGreaterThanOrEqual(before + 9_000);

    const managed = await gateway.request('/keys', { key: MANAGEMENT_KEY });
    expect([managed.status, await managed.json()]).toMatchObject([429, { error: { code: 429 } }]);
    // Strangers and open routes are no part of the account.
    expect((await gateway.request('/keys', { key: 'no-such-key-0123456789' })).status).toBe(401);
    expect((await fetch(`${gateway.origin}/health/live`)).status).toBe(200);

    clock.aheadMs += 10_000;
    expect((await gateway.messages(ASK)).status).toBe(200);
  });
});
