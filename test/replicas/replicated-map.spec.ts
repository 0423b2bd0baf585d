// Maps in several processes agree through Redis within a second, continue without it, and heal by themselves. Two links
// on a real Redis where one answers, each by its own connection that can be cut or frozen.
import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { Secret } from '../../src/core/secret.js';
import { SystemClock } from '../../src/core/time.js';
import { RedisLink } from '../../src/shared/redis/redis-link.js';
import { laterDeadline } from '../../src/shared/redis/replicated-map-entry.js';
import { ReplicatedMap } from '../../src/shared/redis/replicated-map.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { describeOnRedis, redisAddress } from '../support/redis.js';

/** The limit while Redis answers, and after it has come back: a dead connection is noticed first. */
const SOON_MS_MAX = 1_000;
const HEALED_MS_MAX = 8_000;
const LIFE_MS = 60_000;

/** Waits until both are the same, and returns how long that took. */
async function msUntil(read: () => unknown, wanted: unknown, msMax: number): Promise<number> {
  const began = performance.now();
  while (JSON.stringify(read()) !== JSON.stringify(wanted) && performance.now() - began < msMax) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(read()).toEqual(wanted);
  return performance.now() - began;
}

describeOnRedis('a map shared through Redis', () => {
  const name = `test-${randomUUID()}`;
  const lines: string[] = [];
  const links: RedisLink[] = [];
  const ways: TcpProxy[] = [];
  let redis: Redis;
  let here: ReplicatedMap<string>;
  let there: ReplicatedMap<string>;

  function mapBy(url: string): ReplicatedMap<string> {
    const link = new RedisLink(new Secret(url));
    links.push(link);
    return new ReplicatedMap<string>(
      {
        name,
        entriesMax: 5_000,
        lifeMsMax: LIFE_MS,
        merge: laterDeadline,
        read: (value) => (typeof value === 'string' ? value : undefined),
      },
      link,
      new SystemClock(),
    );
  }

  const set = (map: ReplicatedMap<string>, key: string, value: string): void =>
    map.set(key, value, Date.now() + LIFE_MS - 1);

  /** Both have received each other's entries. */
  async function meet(msMax: number): Promise<void> {
    const [greeting, answer] = [randomUUID(), randomUUID()];
    set(here, greeting, 'hello');
    set(there, answer, 'hello');
    await msUntil(() => [there.get(greeting), here.get(answer)], ['hello', 'hello'], msMax);
  }

  beforeAll(async () => {
    const keep = (line: unknown): void => void lines.push(String(line));
    Logger.overrideLogger({ log: keep, warn: keep, error: keep });
    redis = new Redis(redisAddress!);
    for (let replica = 0; replica < 2; replica++) {
      const way = new TcpProxy(redisAddress!);
      await way.start();
      ways.push(way);
    }
    [here, there] = ways.map((way) => mapBy(way.url)) as [ReplicatedMap<string>, ReplicatedMap<string>];
    await meet(HEALED_MS_MAX);
  });
  afterAll(async () => {
    for (const link of links) link.onApplicationShutdown();
    for (const way of ways) await way.stop();
    const keys = await redis.keys(`fairlead:${name}:*`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
  });

  it('shows a write and its withdrawal at the other replica within a second', async () => {
    set(here, 'a', 'one');
    await msUntil(() => there.get('a'), 'one', SOON_MS_MAX);
    there.delete('a');
    await msUntil(() => here.get('a'), undefined, SOON_MS_MAX);
  });

  it('lets Redis forget an entry when it expires', async () => {
    here.set('brief', 'one', Date.now() + 300);
    await msUntil(() => there.get('brief'), 'one', SOON_MS_MAX);
    await msUntil(() => there.get('brief'), undefined, SOON_MS_MAX);
    // Redis counts from when it received it.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await redis.exists(`fairlead:${name}:brief`)).toBe(0);
  });

  it('gives a replica that joins all entries within a second', async () => {
    for (let key = 0; key < 3_000; key++) set(here, `many-${key}`, String(key));
    await msUntil(() => there.get('many-2999'), '2999', HEALED_MS_MAX);
    // Heartbeats repeat the entries that did not fit into the first burst.
    const held = async (): Promise<number> => (await redis.keys(`fairlead:${name}:many-*`)).length;
    while ((await held()) < 3_000) await new Promise((resolve) => setTimeout(resolve, 50));
    const added = mapBy(redisAddress!);
    await msUntil(() => [added.get('many-0'), added.get('many-2999')], ['0', '2999'], SOON_MS_MAX);
  }, 240_000);

  it('ignores foreign values under its keys and messages on its channel', async () => {
    await redis.set(`fairlead:${name}:strange`, 'nonsense');
    await redis.lpush(`fairlead:${name}:list`, 'one');
    for (const message of ['nonsense', '[]', '["a"]', '[1,2]', 'null', JSON.stringify(['a', 'nonsense'])]) {
      await redis.publish(`fairlead:${redis.options.db}:${name}`, message);
    }
    const added = mapBy(redisAddress!);
    set(here, 'sound', 'one');
    await msUntil(() => [there.get('sound'), added.get('sound')], ['one', 'one'], SOON_MS_MAX);
    expect([added.get('strange'), added.get('list')]).toEqual([undefined, undefined]);
  });

  it.each([
    ['gone', (way: TcpProxy) => way.stop(), (way: TcpProxy) => way.start()],
    ['silent', async (way: TcpProxy) => way.freeze(), async () => undefined],
  ])(
    'continues while Redis is %s, heals, and logs that once without the address',
    async (manner, breakIt, mendIt) => {
      set(here, `kept-${manner}`, 'one');
      set(here, `withdrawn-${manner}`, 'one');
      await msUntil(() => there.get(`withdrawn-${manner}`), 'one', SOON_MS_MAX);
      lines.length = 0;
      await breakIt(ways[0]!);

      set(here, `mine-${manner}`, 'mine');
      here.delete(`withdrawn-${manner}`);
      set(there, `theirs-${manner}`, 'theirs');
      const known = ['kept', 'mine', 'withdrawn'].map((word) => here.get(`${word}-${manner}`));
      expect(known).toEqual(['one', 'mine', undefined]);
      // Longer than a heartbeat, so that connecting fails more than once.
      await msUntil(() => lines.length > 0, true, HEALED_MS_MAX);
      if (manner === 'gone') await new Promise((resolve) => setTimeout(resolve, 1_200));

      await mendIt(ways[0]!);
      await msUntil(
        () => [there.get(`mine-${manner}`), there.get(`withdrawn-${manner}`), here.get(`theirs-${manner}`)],
        ['mine', undefined, 'theirs'],
        HEALED_MS_MAX,
      );
      expect(here.get(`kept-${manner}`)).toBe('one');
      await meet(SOON_MS_MAX);
      expect(lines).toEqual([
        'Redis does not answer; this process counts locally until it answers again.',
        'Redis answers again; counters and pins are shared between replicas.',
      ]);
    },
    30_000,
  );

  it('does not keep the process running', async () => {
    const held = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
    const before = held();
    const added = mapBy(redisAddress!);
    set(here, 'alive', 'one');
    await msUntil(() => added.get('alive'), 'one', SOON_MS_MAX);
    expect(held()).toBe(before);
  });
});
