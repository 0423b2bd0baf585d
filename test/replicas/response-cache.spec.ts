/**
 * The response cache and presets over two replicas with a Redis: replies are read from Redis where it has them and from
 * the database where it has not, are sealed there, bound to their name, and replaced everywhere; Redis ended, started
 * empty, and filled with foreign bytes. Fifty equal requests at both share one call and one charge. A preset that is
 * changed at one replica is used so at the other. Gateways as separate processes on one PostgreSQL.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import { anthropicText } from '../support/anthropic-upstream.js';
import { MANAGEMENT_KEY } from '../support/app.js';
import { describeOnPostgres } from '../support/database.js';
import type { GatewayProcess } from '../support/gateway-process.js';
import { describeOnOwnRedis, OwnRedis } from '../support/own-redis.js';
import type { JsonBody } from '../support/recorded-request.js';
import { HANG, sse } from '../support/upstream-answers.js';
import type { Upstream } from '../support/upstreams.js';
import { after, ask, askStream, delta, END, gate, OPEN } from '../http/messages-bench.js';
import { CachedReplicas, MODEL, RACES, SHARED, until } from './cached-replicas.js';

const TEST_MS_MAX = 240_000;

describeOnOwnRedis('with Redis', () => {
  describeOnPostgres('replies and presets of two replicas', (database) => {
    let replicas: CachedReplicas;
    let upstream: Upstream;
    let server: OwnRedis;
    let redis: Redis;
    let rows: DataSource;
    let one: GatewayProcess;
    let two: GatewayProcess;

    beforeAll(async () => {
      server = await OwnRedis.start();
      redis = new Redis(server.url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
      redis.on('error', () => undefined);
      replicas = await CachedReplicas.start(database, { REDIS_URL: server.url });
      ({ upstream, rows, one, two } = replicas);
    }, TEST_MS_MAX);
    afterAll(async () => {
      await replicas?.close();
      redis?.disconnect();
      await server?.remove();
    }, TEST_MS_MAX);

    const replyKeys = async (): Promise<string[]> => (await redis.keys('fairlead:value:*')).toSorted();

    it.each([
      ['whole', ask],
      ['streamed', askStream],
    ])(
      'answers %s from Redis at the other replica, without the database, sealed',
      async (_, ofBody) => {
        const body = replicas.fresh('Kept in Redis.', ofBody);
        const before = upstream.requests.length;
        const known = await replyKeys();
        expect((await replicas.cached(one, body)).status).toBe('MISS');
        const [key] = (await replyKeys()).filter((name) => !known.includes(name));
        expect(await redis.pttl(key!)).toBeGreaterThan(200_000);
        const value = await redis.getBuffer(key!);
        expect(value!.includes('Kept in Redis.')).toBe(false);
        await rows.query(`DELETE FROM kept_replies WHERE kind = 'cache'`);
        const hit = await replicas.cached(two, body);
        expect(hit).toEqual({ status: 'HIT', text: expect.stringMatching(/Kept .*in Re.*dis\./s) });
        expect(upstream.requests.length).toBe(before + 1);
      },
      TEST_MS_MAX,
    );

    it(
      'replaces a reply everywhere',
      async () => {
        const body = replicas.fresh('Old.');
        expect((await replicas.cached(one, body)).status).toBe('MISS');
        expect((await replicas.cached(two, body)).text).toContain('Old.');
        upstream.script(anthropicText('New.'));
        expect((await replicas.cached(two, body, { 'x-fairlead-cache-clear': 'true' })).status).toBe('MISS');
        for (const gateway of [one, two])
          expect(await replicas.cached(gateway, body)).toEqual({
            status: 'HIT',
            text: expect.stringContaining('New.'),
          });
      },
      TEST_MS_MAX,
    );

    it(
      'opens no value that is foreign, cut, or stored under the name of another request',
      async () => {
        const known = await replyKeys();
        const first = replicas.fresh('First.');
        expect((await replicas.cached(one, first)).status).toBe('MISS');
        const [key] = (await replyKeys()).filter((name) => !known.includes(name));
        const second = replicas.fresh('Second.');
        expect((await replicas.cached(one, second)).status).toBe('MISS');
        const [other] = (await replyKeys()).filter((name) => !known.includes(name) && name !== key);
        const value = (await redis.getBuffer(key!))!;
        for (const bytes of [value, Buffer.alloc(0), Buffer.from('x'), Buffer.alloc(200, 7), value.subarray(0, 60)]) {
          await redis.set(other!, bytes);
          expect(await replicas.cached(two, second)).toEqual({
            status: 'HIT',
            text: expect.stringContaining('Second.'),
          });
        }
      },
      TEST_MS_MAX,
    );

    it(
      'reads the database while Redis is away, fills it again, and removes what was replaced meanwhile',
      async () => {
        const body = replicas.fresh('Outlasts.');
        const replaced = replicas.fresh('Replaced.');
        upstream.script(anthropicText('Outlasts.'));
        expect((await replicas.cached(one, body)).status).toBe('MISS');
        upstream.script(anthropicText('Replaced.'));
        expect((await replicas.cached(one, replaced)).status).toBe('MISS');
        await server.stopWithItsData();
        expect(await replicas.cached(two, body)).toEqual({ status: 'HIT', text: expect.stringContaining('Outlasts.') });
        upstream.script(anthropicText('By its successor.'));
        const anew = await replicas.cached(two, replaced, { 'x-fairlead-cache-clear': 'true' });
        expect(anew).toEqual({ status: 'MISS', text: expect.stringContaining('successor') });
        await server.begin();
        await redis.ping();
        // The value of before is not read by the replica that replaced it, and is gone when both have Redis again.
        await until(async () => {
          expect((await replicas.cached(two, replaced)).text).toContain('successor');
          return (await replicas.cached(one, replaced)).text.includes('successor');
        });
        await redis.flushall();
        await until(async () => {
          expect((await replicas.cached(two, body)).status).toBe('HIT');
          return (await replyKeys()).length > 0;
        });
      },
      TEST_MS_MAX,
    );

    it(
      'lets an equal request at the other replica share a stream while it runs',
      async () => {
        const held = gate();
        const body = replicas.fresh('', askStream);
        upstream.script(() => sse([OPEN, delta('one '), held.opened, delta('two'), END]));
        const before = upstream.requests.length;
        const first = await replicas.send(one, '/messages', body, SHARED);
        const joined = await replicas.send(two, '/messages', body, SHARED);
        expect([first, joined].map(({ headers }) => headers.get('x-fairlead-cache-status'))).toEqual([
          'MISS',
          'SHARED',
        ]);
        let text = '';
        for await (const piece of joined.body!.pipeThrough(new TextDecoderStream())) {
          text += piece;
          if (text.includes('one ')) held.open();
        }
        expect(text).toContain('two');
        expect(await first.text()).toContain('two');
        expect(upstream.requests.length).toBe(before + 1);
      },
      TEST_MS_MAX,
    );

    it(
      'ends a shared stream with an error where the client of its call has left at the other one',
      async () => {
        const body = replicas.fresh('', askStream);
        upstream.script(() => sse([OPEN, delta('one '), HANG]));
        const first = await replicas.send(one, '/messages', body, SHARED);
        const joined = await replicas.send(two, '/messages', body, SHARED);
        expect(joined.headers.get('x-fairlead-cache-status')).toBe('SHARED');
        const read = joined.text();
        await first.body!.cancel();
        const text = await read;
        expect(text).toContain('one ');
        expect(text).toMatch(/event: error\ndata: .*has ended without a reply/);
        expect(text).not.toContain('message_stop');
        const id = joined.headers.get('x-generation-id');
        const records = (): Promise<JsonBody[]> =>
          rows.query('SELECT outcome, cost::float8 AS cost FROM generations WHERE id = $1', [id]);
        await until(async () => (await records()).length > 0);
        const [{ outcome, cost }] = (await records()) as [JsonBody];
        expect([outcome === 'completed', cost]).toEqual([false, 0]);
      },
      TEST_MS_MAX,
    );

    it.each(RACES)(
      'answers fifty equal requests of %s at both, streamed %s, by one call for one charge, and marks each',
      (path, stream) => replicas.raceShared(path, stream),
      TEST_MS_MAX,
    );

    it(
      'gives a whole reply that took long to the requests at both that share it',
      async () => {
        const held = gate();
        const body = replicas.fresh('');
        upstream.script(after(held.opened, anthropicText('Late for all.')));
        const before = upstream.requests.length;
        const share = { 'x-fairlead-cache-share': 'true' };
        const first = replicas.cached(one, body, share);
        await upstream.request(before);
        const joined = [one, two, two].map((gateway) => replicas.cached(gateway, body, share));
        // Longer than an unread reply of another replica is followed.
        await sleep(7_000);
        held.open();
        expect((await first).status).toBe('MISS');
        for (const reply of await Promise.all(joined)) expect(reply.text).toContain('Late for all.');
        expect(upstream.requests.length).toBe(before + 1);
      },
      TEST_MS_MAX,
    );

    it(
      'uses a preset at one replica as it was saved and changed at the other',
      async () => {
        const manage = async (gateway: GatewayProcess, method: string, path: string, body?: object) => {
          const response = await fetch(`${gateway.origin}/api/v1${path}`, {
            method,
            headers: { authorization: `Bearer ${MANAGEMENT_KEY}`, 'content-type': 'application/json' },
            ...(body && { body: JSON.stringify(body) }),
          });
          return [response.status, await response.json()] as [number, JsonBody];
        };
        const uses = async (gateway: GatewayProcess): Promise<unknown> => {
          upstream.script(anthropicText('By a preset.'));
          const before = upstream.requests.length;
          const body = { preset: 'of-replicas', messages: [{ role: 'user', content: 'Hi' }] };
          const { status } = await replicas.send(gateway, '/messages', body);
          return status === 200 ? (await upstream.request(before)).json.max_tokens : status;
        };
        for (const max_tokens of [11, 12])
          await manage(one, 'POST', '/presets/of-replicas/messages', { model: MODEL, max_tokens });
        await until(async () => (await uses(two)) === 12);
        await manage(two, 'PATCH', '/presets/of-replicas', { designated_version: 1 });
        expect(await uses(two)).toBe(11);
        await until(async () => (await uses(one)) === 11);
        await manage(one, 'DELETE', '/presets/of-replicas');
        expect(await uses(one)).toBe(404);
        await until(async () => (await uses(two)) === 404);
      },
      TEST_MS_MAX,
    );
  });
});
