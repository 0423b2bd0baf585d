/**
 * The response cache while its stores do not answer: the database cut or silent, Redis silent, both, and a table that
 * is locked. A stored reply is given where either store has it; any other request runs as without the cache, or is
 * refused as without it. One gateway on PostgreSQL and Redis, by connections that are cut; the model is called by the
 * requests that are marked so, and by no other.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { Secret } from '../../src/core/secret.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnPostgres } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { describeOnRedis, redisAddress } from '../support/redis.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask } from '../http/messages-bench.js';

/** Far above the two seconds that each of three statements may take: no request hangs. */
const TEST_MS_MAX = 60_000;
const MODEL = 'test/native';
const ON = { 'x-fairlead-cache': 'true' };

type Answer = readonly [status: number, cache: string | null, calls: number];

describeOnRedis('with Redis', () => {
  describeOnPostgres('the response cache without its stores', (database) => {
    let upstream: Upstream;
    let gateway: TestGateway;
    let postgres: TcpProxy;
    let redis: TcpProxy;
    let store: DataSource;
    let texts = 0;
    beforeAll(async () => {
      upstream = await startUpstream('anthropic');
      upstream.script(anthropicText('Kept.'));
      postgres = new TcpProxy(database.settings.databaseUrl!.reveal());
      redis = new TcpProxy(redisAddress!);
      await Promise.all([postgres.start(), redis.start()]);
      store = await database.connect();
      const settings = { ...database.settings, databaseUrl: new Secret(postgres.url) };
      gateway = await startGateway(
        { ...database, kind: database.kind, opener: database.opener, settings },
        {
          coolsDown: false,
          catalog: catalogOf({ id: MODEL, at: [{ url: upstream.url, dialect: 'anthropic-messages' }] }),
          variables: { REDIS_URL: redis.url },
        },
      );
    }, 240_000);
    afterAll(async () => {
      await gateway?.close();
      await store?.destroy();
      await Promise.all([postgres?.stop(), redis?.stop(), upstream?.close()]);
    }, TEST_MS_MAX);

    const fresh = (): object => ask(MODEL, { messages: [{ role: 'user', content: `Text ${++texts}` }] });
    async function send(body: object, headers: object = {}): Promise<Answer> {
      const before = upstream.requests.length;
      const reply = await gateway.messages(body, { headers: { ...ON, ...headers } });
      await reply.text();
      return [reply.status, reply.headers.get('x-fairlead-cache-status'), upstream.requests.length - before];
    }
    const until = async (isTrue: () => Promise<boolean>): Promise<void> => {
      while (!(await isTrue())) await sleep(50);
    };
    /** A body whose reply both stores have; the key is known to the gateway. */
    async function stored(): Promise<object> {
      const body = fresh();
      await until(async () => (await send(fresh()))[0] === 200);
      expect(await send(body)).toEqual([200, 'MISS', 1]);
      return body;
    }

    it.each([
      ['cut', () => postgres.stop(), () => postgres.start()],
      ['silent', () => postgres.silence(), () => postgres.resume()],
    ] as const)(
      'gives a hit from Redis while the database is %s, and refuses others as without the cache',
      async (_, begin, end) => {
        const body = await stored();
        const other = fresh();
        await begin();
        try {
          for (let time = 0; time < 2; time++) expect(await send(body)).toEqual([200, 'HIT', 0]);
          const plain = await gateway.messages(other);
          expect([plain.status, ((await plain.json()) as JsonBody).error.error_type]).toEqual([
            503,
            expect.any(String),
          ]);
          for (const headers of [{}, { 'x-fairlead-cache-share': 'true' }, { 'x-fairlead-cache-clear': 'true' }])
            expect(await send(other, headers)).toEqual([503, null, 0]);
        } finally {
          await end();
        }
        await until(async () => (await send(fresh()))[0] === 200);
        expect((await send(body))[0]).toBe(200);
        await until(async () => (await send(other))[1] === 'HIT');
      },
      TEST_MS_MAX,
    );

    it(
      'gives a hit from the database while Redis is silent, and stores there what is new',
      async () => {
        const body = await stored();
        redis.silence();
        try {
          for (let time = 0; time < 2; time++) expect(await send(body)).toEqual([200, 'HIT', 0]);
          const other = fresh();
          expect(await send(other)).toEqual([200, 'MISS', 1]);
          expect(await send(other)).toEqual([200, 'HIT', 0]);
          expect(await send(other, { 'x-fairlead-cache-clear': 'true' })).toEqual([200, 'MISS', 1]);
          expect(await send(other)).toEqual([200, 'HIT', 0]);
        } finally {
          redis.resume();
        }
        expect(await send(body)).toEqual([200, 'HIT', 0]);
      },
      TEST_MS_MAX,
    );

    it(
      'refuses without both, and goes on when they are back',
      async () => {
        const body = await stored();
        await Promise.all([postgres.stop(), redis.stop()]);
        try {
          expect(await send(body)).toEqual([503, null, 0]);
        } finally {
          await Promise.all([postgres.start(), redis.start()]);
        }
        await until(async () => (await send(fresh()))[0] === 200);
        expect(await send(body)).toEqual([200, 'HIT', 0]);
      },
      TEST_MS_MAX,
    );

    it(
      'runs a request by itself while the table of replies is locked, and leaves no claim behind',
      async () => {
        await stored();
        const body = fresh();
        const lock = store.createQueryRunner();
        await lock.startTransaction();
        await lock.query('LOCK TABLE kept_replies IN ACCESS EXCLUSIVE MODE');
        try {
          const share = { 'x-fairlead-cache-share': 'true' };
          const both = await Promise.all([send(body), send(body, share)]);
          expect(both.map(([status, cache]) => [status, cache])).toEqual([[200, null], [200, null]]); // oxfmt-ignore
        } finally {
          await lock.rollbackTransaction();
          await lock.release();
        }
        await new LedgerReader(gateway).rest();
        const open = async (): Promise<number> =>
          (await store.query(`SELECT count(*)::int AS open FROM kept_replies WHERE state = 'running'`))[0].open;
        await until(async () => (await open()) === 0);
        expect(await send(body)).toEqual([200, 'MISS', 1]);
        expect(await send(body)).toEqual([200, 'HIT', 0]);
      },
      TEST_MS_MAX,
    );
  });
});
