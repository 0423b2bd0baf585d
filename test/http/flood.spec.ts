/**
 * Checks that an account with far too many requests is refused before its bodies are read, with the details it needs,
 * and that normal replies carry none of them (docs/use/errors.md#rate-limits, docs/use/limits.md#flood); the same
 * holds for a key over its share of the account, and for a key whose calls are wasted. The limits are small, the
 * clock is moved by hand, both kinds of key are used, and the body is invalid; wasted calls come from the sandbox,
 * which fails by name, and from clients that leave.
 */
import { ThrottlerGuard, ThrottlerStorage } from '@nestjs/throttler';
import { FloodGuard } from '../../src/rate-limits/flood.guard.js';
import { LocalThrottlerStorage } from '../../src/rate-limits/local-throttler.storage.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { AheadClock } from '../support/ahead-clock.js';
import { describeOnEmbedded } from '../support/database.js';

const ASK = { model: 'sandbox/echo', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] };
const NAMES = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

describeOnEmbedded('a flood of requests', (database) => {
  const clock = new AheadClock();
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(database, { clock, variables: { FAIRLEAD_FLOOD: 'account=3/10s,auth=1000/10s' } });
  }, 240_000);
  afterAll(() => gateway?.close());

  it("is met by the library's guard over a storage of ours", () => {
    const { app } = gateway.gateway;
    expect(app.get(FloodGuard, { strict: false })).toBeInstanceOf(ThrottlerGuard);
    expect(app.get(ThrottlerStorage, { strict: false })).toBeInstanceOf(LocalThrottlerStorage);
  });

  it('passes without rate headers up to the limit, is then refused on every route with any key, and passes again', async () => {
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
          metadata: expect.objectContaining({
            error_type: 'rate_limit_exceeded',
            limit_source: 'account_requests',
          }),
        },
        request_id: null,
      },
    ]);
    expect(refused.headers.get('retry-after')).toBe('10');
    expect(NAMES.slice(0, 2).map((name) => refused.headers.get(name))).toEqual(['3', '0']);
    expect(Number(refused.headers.get('x-ratelimit-reset'))).toBeGreaterThanOrEqual(before + 9_000);

    // Also where either kind of key may ask.
    const shown = await gateway.request('/key');
    expect([shown.status, await shown.json()]).toMatchObject([429, { error: { code: 429 } }]);
    // Administrators have a separate window.
    for (let times = 0; times < 3; times++) {
      expect((await gateway.request('/keys', { key: MANAGEMENT_KEY })).status).toBe(200);
    }
    expect((await gateway.request('/keys', { key: MANAGEMENT_KEY })).status).toBe(429);
    // Strangers and open routes are no part of the account.
    expect((await gateway.request('/keys', { key: 'no-such-key-0123456789' })).status).toBe(401);
    expect((await fetch(`${gateway.origin}/health/live`)).status).toBe(200);

    clock.aheadMs += 10_000;
    expect((await gateway.messages(ASK)).status).toBe(200);
  });
});

describeOnEmbedded('keys of one account', (database) => {
  const clock = new AheadClock();
  let gateway: TestGateway;
  let other: string;
  beforeAll(async () => {
    const variables = { FAIRLEAD_FLOOD: 'account=8/10s,wasted=3/60s' };
    gateway = await startGateway(database, { clock, variables });
    other = (await gateway.newKey()).key;
  }, 240_000);
  afterAll(() => gateway?.close());
  // Whatever was called before is no company any more.
  beforeEach(() => void (clock.aheadMs += 700_000));

  const statuses = async (times: number, key?: string, model = 'sandbox/echo'): Promise<number[]> => {
    const received: number[] = [];
    for (let time = 0; time < times; time++) {
      const response = await gateway.messages({ ...ASK, model }, key === undefined ? {} : { key });
      received.push(response.status);
      await response.arrayBuffer();
    }
    return received;
  };

  it('have half of its requests each while another one calls, and all when it has been silent for ten minutes', async () => {
    expect(await statuses(1, other)).toEqual([200]);
    expect(await statuses(6)).toEqual([200, 200, 200, 200, 429, 429]);
    const refused = await gateway.messages(ASK);
    expect(refused.headers.get('x-ratelimit-limit')).toBe('4');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({
      error: { message: expect.stringContaining('half'), metadata: { limit_source: 'account_requests_share' } },
    });
    expect(await statuses(4, other)).toEqual([200, 200, 200, 429]);
    clock.aheadMs += 599_000;
    expect(await statuses(5)).toEqual([200, 200, 200, 200, 429]);
    clock.aheadMs += 10_001;
    expect(await statuses(9)).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 429]);
  });

  it('may waste so many calls each, failed ones', async () => {
    expect(await statuses(3, API_KEY, 'sandbox/server-error')).toEqual([502, 502, 502]);
    const refused = await gateway.messages(ASK);
    expect([refused.status, refused.headers.get('x-ratelimit-limit'), refused.headers.get('retry-after')]).toEqual([
      429,
      '3',
      '60',
    ]);
    expect(await refused.json()).toMatchObject({
      error: { message: expect.stringContaining('abandoned or failed'), metadata: { limit_source: 'wasted_calls' } },
    });
    expect(await statuses(1, other)).toEqual([200]);
    clock.aheadMs += 60_001;
    expect(await statuses(1)).toEqual([200]);
  });

  it.each(['/messages', '/chat/completions'])('and abandoned ones: %s', async (path) => {
    for (let time = 0; time < 3; time++) {
      const leave = new AbortController();
      const response = await gateway.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...ASK, model: 'sandbox/slow', stream: true }),
        signal: leave.signal,
      });
      expect(response.status).toBe(200);
      const id = response.headers.get('x-generation-id');
      leave.abort();
      const ended = (): boolean => gateway.log.some((line) => line['generationId'] === id && line['msg'] === 'request');
      while (!ended()) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(await statuses(1)).toEqual([429]);
    clock.aheadMs += 60_001;
    expect(await statuses(1)).toEqual([200]);
  });

  it.each([
    ['is turned away at the provider', 'sandbox/overloaded', 529],
    ['is turned away for a while', 'sandbox/unavailable', 503],
    ['has no such model', 'sandbox/none', 404],
    ['is answered', 'sandbox/echo', 200],
  ])('waste nothing where a call %s', async (_, model, status) => {
    expect(await statuses(4, API_KEY, model)).toEqual([status, status, status, status]);
    expect(await statuses(1)).toEqual([200]);
  });
});
