// A key that is rotated at one replica has its new secret everywhere at once, and its former one ends everywhere within
// 5 s of its time, however busy it is; the limits of the key per minute are shared by all replicas and secrets. Two
// gateways on one PostgreSQL and one Redis; the other replica gets requests without a pause until it refuses. Time is
// set to the middle of a minute if minutes are counted.
import { AheadClock, StandingClock } from '../support/ahead-clock.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { BytesInFlight } from '../../src/shared/queues/bytes-in-flight.js';
import { catalogOf, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnPostgres } from '../support/database.js';
import { RawClient } from '../support/raw-client.js';
import { describeOnRedis, redisAddress } from '../support/redis.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask } from '../http/messages-bench.js';

const EVERYWHERE_MS_MAX = 5_000;

async function rotate(gateway: TestGateway, hash: string, graceSeconds: number): Promise<string> {
  const response = await gateway.request(`/keys/${hash}/rotate`, {
    method: 'POST',
    key: MANAGEMENT_KEY,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ grace_seconds: graceSeconds }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { key: string }).key;
}

describeOnPostgres('rotation at two replicas', (database) => {
  const clock = new AheadClock();
  let here: TestGateway;
  let there: TestGateway;
  beforeAll(async () => {
    const options = { clock, variables: { FAIRLEAD_FLOOD: 'auth=1000000/60s' } };
    here = await startGateway(database, options);
    there = await startGateway(database, options);
  }, 240_000);
  afterAll(async () => {
    await here?.close();
    await there?.close();
  });

  /** An address that needs only the key from the store: 404 for a valid one. */
  const statusAt = async (replica: TestGateway, key: string): Promise<number> =>
    (await replica.messages(ask('no/such'), { key })).status;

  async function msUntilRefused(key: string): Promise<number> {
    const began = performance.now();
    while ((await statusAt(there, key)) !== 401 && performance.now() - began < 2 * EVERYWHERE_MS_MAX);
    return performance.now() - began;
  }

  it('ends the former secret everywhere within 5 s, and begins the new one at once', async () => {
    const { key, hash } = await here.newKey();
    expect([await statusAt(here, key), await statusAt(there, key)]).toEqual([404, 404]);
    const second = await rotate(here, hash, 0);
    expect([await statusAt(here, key), await statusAt(there, second)]).toEqual([401, 404]);
    expect(await msUntilRefused(key)).toBeLessThan(EVERYWHERE_MS_MAX);
    expect([await statusAt(here, second), await statusAt(there, second)]).toEqual([404, 404]);
  }, 240_000);

  it('accepts both everywhere while its grace lasts, whichever was used before, and ends it by the clock', async () => {
    const { key, hash } = await here.newKey();
    expect(await statusAt(there, key)).toBe(404);
    const second = await rotate(here, hash, 600);
    for (const replica of [here, there])
      expect([await statusAt(replica, key), await statusAt(replica, second)]).toEqual([404, 404]);
    clock.aheadMs = 600_000;
    for (const replica of [here, there])
      expect([await statusAt(replica, key), await statusAt(replica, second)]).toEqual([401, 404]);
    clock.aheadMs = 0;
  });

  it('ends open requests of the former secret elsewhere, and none of the new one', async () => {
    const sending = async (key: string): Promise<RawClient> => {
      const client = await RawClient.connect(there.origin);
      const head = `POST /api/v1/messages HTTP/1.1\r\nhost: g\r\nauthorization: Bearer ${key}\r\n`;
      client.write(`${head}content-type: application/json\r\ncontent-length: 1000000\r\n\r\n${' '.repeat(200_000)}`);
      return client;
    };
    const held = (): number => there.gateway.app.get(BytesInFlight).held;
    const until = async (bytes: number): Promise<void> => {
      while (held() !== bytes) await new Promise((on) => setTimeout(on, 2));
    };
    const { key, hash } = await here.newKey();
    const second = await rotate(here, hash, 600);
    const [former, latest] = [await sending(key), await sending(second)];
    await until(400_000);
    clock.aheadMs = 600_000;
    expect((await former.response()).status).toBe(401);
    clock.aheadMs = 0;
    await until(200_000);
    expect(latest.text).toBe('');
    for (const client of [former, latest]) client.destroy();
  }, 240_000);
});

describeOnRedis('rates of keys at two replicas', () => {
  describeOnPostgres('on one Redis', (database) => {
    const clock = new StandingClock();
    let upstream: Upstream;
    let replicas: TestGateway[] = [];
    beforeAll(async () => {
      upstream = await startUpstream('anthropic');
      upstream.script(anthropicText('Hi.'));
      const catalog = catalogOf({ id: 'test/one', at: [{ url: upstream.url, dialect: 'anthropic-messages' }] });
      const options = { clock, catalog, variables: { REDIS_URL: redisAddress! } };
      replicas = [await startGateway(database, options), await startGateway(database, options)];
    }, 240_000);
    afterAll(async () => {
      for (const replica of replicas) await replica.close();
      await upstream?.close();
    });
    beforeEach(() => void (clock.aheadMs += 60_000 - (clock.now() % 60_000) + 5_000));

    it('admit together as many requests as the limit, with any secret', async () => {
      const [here] = replicas as [TestGateway];
      const { key, hash } = await here.newKey({ rate_limits: { requests_per_minute: 7 } });
      const keys = [key, await rotate(here, hash, 600)];
      const statuses = await Promise.all(
        Array.from({ length: 24 }, async (_, request) => {
          const replica = replicas[request % 2]!;
          return (await replica.messages(ask('test/one'), { key: keys[(request >> 1) % 2]! })).status;
        }),
      );
      expect(statuses.filter((status) => status === 200)).toHaveLength(7);
      expect(statuses.filter((status) => status === 429)).toHaveLength(17);
    });

    it('count tokens together: what one has reserved the other cannot use', async () => {
      const [here, there] = replicas as [TestGateway, TestGateway];
      // Each call reserves 67 tokens for the prompt and 100 more; an answer uses 19.
      const { key } = await here.newKey({ rate_limits: { tokens_per_minute: 190 } });
      expect((await here.messages(ask('test/one'), { key })).status).toBe(200);
      expect((await here.messages(ask('test/one'), { key })).status).toBe(200);
      const tooMuch = ask('test/one', { max_tokens: 180 });
      // By the same connection as the used tokens, and after them.
      expect((await here.messages(tooMuch, { key })).status).toBe(429);
      const refused = await there.messages(tooMuch, { key });
      expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([429, String(190 - 38)]);
    });
  });
});
