/**
 * An outage of the database affects new calls only, which are refused at once; running ones are finished, and charged
 * exactly once when the database is back, without any help; nothing stays held
 * (docs/contribute/ledger.md#from-a-request-to-its-charge, docs/contribute/ledger.md#the-database-does-not-answer).
 * Gateways on PostgreSQL by a connection that is cut, falls silent, or delays the answers; the store is read by another
 * connection, and the ledger is recomputed after each test. The model costs 3 USD a million tokens in and 15 out.
 */
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { Secret } from '../../src/core/secret.js';
import { LedgerJobs } from '../../src/ledger/ledger-jobs.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import { NO_SPOOL, Spool } from '../../src/ledger/spool/spool.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { DatabaseHealth } from '../../src/shared/database/database-health.js';
import { AheadClock } from '../support/ahead-clock.js';
import { anthropicError, anthropicReply, anthropicText } from '../support/anthropic-upstream.js';
import { API_KEY, catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnPostgres, type TestDatabase } from '../support/database.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { RawClient } from '../support/raw-client.js';
import { turningTime } from '../support/cpu-time.js';
import type { JsonBody } from '../support/recorded-request.js';
import { describeOnRedis, redisAddress } from '../support/redis.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { HANG, json, sse, type Script } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask, askStream, delta, END, gate, OPEN } from '../http/messages-bench.js';

/** Two seconds by design, with a margin for a busy machine. One batch that waits for another takes twice as long. */
const LAST_BYTE_MS_MAX = 3_900;
/** Limit for a refusal of many concurrent calls: their third batch would take six seconds. */
const REFUSED_MS_MAX = 5_500;
const CALLERS = 80;
const HEALED_MS_MAX = 15_000;
/** Holds whose answers came too late are released after ten seconds, by a sweep that runs every five. */
const ORPHAN_MS = 11_000;
/** Over the age of every cached key. */
const OUTAGE_MS = 5_000;
const MODEL = 'test/native';
const CREDITS = 100;
/** USD of a stream of the test's frames: three tokens in and five out. */
const STREAM_USD = (3 * 3 + 5 * 15) / 1e6;
/** USD of a whole reply: twelve in and seven out. */
const WHOLE_USD = (12 * 3 + 7 * 15) / 1e6;

async function until(what: string, holds: () => Promise<boolean> | boolean, msMax = HEALED_MS_MAX): Promise<void> {
  const deadline = performance.now() + msMax;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Not within ${msMax} ms: ${what}.`);
    await sleep(20);
  }
}

interface OutageKind {
  readonly begin: (proxy: TcpProxy) => Promise<void> | void;
  readonly end: (proxy: TcpProxy) => Promise<void> | void;
}
const CUT: OutageKind = { begin: (proxy) => proxy.stop(), end: (proxy) => proxy.start() };
const SILENT: OutageKind = { begin: (proxy) => proxy.silence(), end: (proxy) => proxy.resume() };
const REPLACED: OutageKind = { begin: (proxy) => proxy.silence(), end: (proxy) => proxy.replace() };

/** A gateway before an upstream, on a database whose connections can be cut. */
class Scene {
  readonly clock = new AheadClock();
  private readonly clients: RawClient[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly proxy: TcpProxy,
    readonly upstream: Upstream,
    readonly store: DataSource,
    private readonly databasePool: number,
  ) {}

  gateway!: TestGateway;

  static async start(database: TestDatabase, databasePool = 10): Promise<Scene> {
    const proxy = new TcpProxy(database.settings.databaseUrl!.reveal());
    await proxy.start();
    const upstream = await startUpstream('anthropic');
    const scene = new Scene(database, proxy, upstream, await database.connect(), databasePool);
    const databaseUrl = new Secret(proxy.url);
    const settings = { ...database.settings, databaseUrl, databasePool };
    scene.gateway = await startGateway(
      { ...database, kind: database.kind, opener: database.opener, settings },
      {
        clock: scene.clock,
        coolsDown: false,
        catalog: catalogOf({ id: MODEL, at: [{ url: upstream.url, dialect: 'anthropic-messages' }] }),
        variables: { FAIRLEAD_INITIAL_CREDITS: String(CREDITS) },
      },
    );
    return scene;
  }

  /** However a test ended, the next one has a database, and nothing is under way. */
  async reset(): Promise<void> {
    for (const client of this.clients.splice(0)) client.destroy();
    this.upstream.dropConnections();
    await this.proxy.stop();
    await this.proxy.start();
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.destroy();
    await this.gateway.close();
    await this.store.destroy();
    await this.proxy.stop();
    await this.upstream.close();
  }

  get ledger(): LedgerService {
    return this.gateway.gateway.app.get(LedgerService);
  }

  /** Opens every connection that the gateway may have. */
  async fillPool(): Promise<void> {
    const source = this.gateway.gateway.app.get(DataSource);
    await Promise.all(Array.from({ length: this.databasePool }, () => source.query('select pg_sleep(0.2)')));
  }

  /** A round of the jobs, as it runs by itself every five seconds. */
  attend(): Promise<void> {
    return this.gateway.gateway.app.get(LedgerJobs).runAll();
  }

  query(text: string, values: unknown[] = []): Promise<JsonBody[]> {
    return this.store.query(text, values);
  }

  /** Begins a call on a separate socket. */
  async open(body: object): Promise<{ readonly client: RawClient; readonly id: () => Promise<string> }> {
    const client = await RawClient.connect(this.gateway.origin);
    this.clients.push(client);
    const headers = [
      ['authorization', `Bearer ${API_KEY}`],
      ['content-type', 'application/json'],
    ] as const;
    client.send({ path: '/api/v1/messages', headers, body: JSON.stringify(body) });
    return { client, id: async () => (await client.head()).headers['x-generation-id']! };
  }

  async newKey(fields: object = {}): Promise<string> {
    return (await this.gateway.newKey(fields)).key;
  }

  /** A new call gets a retryable refusal, and neither that its key is wrong nor that it cannot pay. */
  async expectRefused(key = API_KEY): Promise<void> {
    const waited = turningTime();
    const response = await this.gateway.messages(ask(MODEL), { key });
    const { error } = (await response.json()) as JsonBody;
    expect(waited()).toBeLessThan(REFUSED_MS_MAX);
    expect([response.status, error.code, error.type]).toEqual([503, 503, 'overloaded_error']);
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]$/);
  }

  /** Calls until one passes; the others get a retryable refusal. */
  comesBack(): Promise<void> {
    return until('a call passes', async () => {
      const response = await this.gateway.messages(ask(MODEL));
      await response.text();
      expect([200, 503]).toContain(response.status);
      return response.status === 200;
    });
  }

  /** Ids of generations in the files of the spool. */
  async spooled(): Promise<string[]> {
    const folder = join(this.database.settings.dataDir, 'spool');
    const names = (await readdir(folder)).filter((name) => name.endsWith('.rows'));
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')));
    return texts.flatMap((text) => [...text.matchAll(/"row":\{"id":"([^"]+)"/g)].map(([, id]) => id!)).sort();
  }

  generations(ids: readonly string[]): Promise<JsonBody[]> {
    return this.query('select * from generations where id = any($1) order by id', [ids]);
  }

  async used(): Promise<number> {
    const [row] = await this.query(`select used from spending_windows where scope = 'account'`);
    return Number(row.used);
  }

  async isAtRest(): Promise<boolean> {
    const [row] = await this.query(
      `select not exists (select 1 from holds)
         and not exists (select 1 from spending_windows where held <> 0 or byok_held <> 0) as rests`,
    );
    return row.rests;
  }

  /** Nothing is held, and every sum equals its entries. Orphans need not be waited for. */
  async expectWhole(): Promise<void> {
    this.clock.aheadMs += ORPHAN_MS;
    await until('nothing is held', () => this.isAtRest());
    const { differences, unlisted, warnings } = await verifyLedger(this.store);
    expect({ differences, unlisted, warnings }).toEqual({ differences: [], unlisted: 0, warnings: [] });
  }

  /** Settled as if nothing had happened: one row and one charge each. */
  async expectCharged(ids: readonly string[], costs: readonly number[]): Promise<void> {
    const rows = await this.generations(ids);
    expect(rows).toHaveLength(ids.length);
    for (const row of rows)
      expect(row).toMatchObject({ outcome: 'completed', is_recovered: false, is_corrected: false });
    expect(rows.map(({ cost }) => Number(cost)).sort()).toEqual([...costs].sort());
    const entries = await this.query('select kind from ledger_entries where generation_id = any($1)', [ids]);
    expect(entries.map(({ kind }) => kind)).toEqual(ids.map(() => 'charge'));
  }
}

/** Running calls are finished, new ones refused; then everything heals by itself. */
async function passThrough(scene: Scene, kind: OutageKind): Promise<void> {
  const { gateway, upstream, proxy } = scene;
  upstream.script(anthropicText('Hi.'));
  // The previous test left connections that are cut.
  await scene.comesBack();
  const unseen = await scene.newKey();
  await scene.expectWhole();
  const usedBefore = await scene.used();
  const before = upstream.requests.length;

  // Three streams and a whole reply are under way.
  const { opened, open: goOn } = gate();
  upstream.script(async (request, index) => {
    if (index < before + 4) {
      if (request.json.stream === true) return sse([OPEN + delta('begun'), opened, delta('ended'), END]);
      await opened;
    }
    return anthropicText('Hi.')(request, index);
  });
  const streams = await Promise.all([1, 2, 3].map(() => scene.open(askStream(MODEL))));
  const whole = await scene.open(ask(MODEL));
  await Promise.all(streams.map(({ client }) => client.until('begun')));
  await until('all are upstream', () => upstream.requests.length === before + 4);

  await scene.fillPool();
  await kind.begin(proxy);
  const began = performance.now();
  while (performance.now() - began < OUTAGE_MS) {
    await Promise.all([...Array.from({ length: CALLERS }, () => scene.expectRefused()), scene.expectRefused(unseen)]);
    expect((await fetch(`${gateway.origin}/health/live`)).status).toBe(200);
  }
  expect(upstream.requests).toHaveLength(before + 4);

  const waited = turningTime();
  goOn();
  const replies = await Promise.all([...streams, whole].map(({ client }) => client.response()));
  expect(waited()).toBeLessThan(LAST_BYTE_MS_MAX);
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  for (const { body } of replies.slice(0, 3)) expect(body.toString()).toMatch(/message_stop[^]*\[DONE\]\n\n$/);
  const ids = (await Promise.all([...streams, whole].map(({ id }) => id()))).sort();
  expect(await scene.spooled()).toEqual(ids);
  expect(await scene.generations(ids)).toEqual([]);

  await kind.end(proxy);
  const backAt = performance.now();
  const [{ now }] = await scene.query('select now()');
  await scene.comesBack();
  await until('all are settled', async () => (await scene.generations(ids)).length === ids.length);
  await until('the spool is empty', async () => (await scene.spooled()).length === 0);
  // Without heartbeats other replicas take it for dead, and a balancer if it is not ready.
  await until('the heart beats', async () => {
    const [{ beats }] = await scene.query('select bool_or(heartbeat_at > $1) as beats from replicas', [now]);
    return beats;
  });
  await until('it knows', () => gateway.gateway.app.get(DatabaseHealth).unreachableSince === undefined);
  expect(performance.now() - backAt).toBeLessThan(HEALED_MS_MAX);

  await scene.expectWhole();
  await scene.expectCharged(ids, [STREAM_USD, STREAM_USD, STREAM_USD, WHOLE_USD]);
  const later = upstream.requests.length - before - 4;
  expect((await scene.used()) - usedBefore).toBeCloseTo(3 * STREAM_USD + (1 + later) * WHOLE_USD, 9);
}

describeOnPostgres('an outage of the database', (database) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.start(database);
  }, 240_000);
  afterAll(() => scene?.close(), 30_000);
  afterEach(async () => {
    jest.restoreAllMocks();
    await scene.reset();
  });

  it('that cuts it off finishes running calls, refuses new ones, and heals', () => passThrough(scene, CUT), 90_000);

  it(
    'in which it is silent finishes what runs, refuses what is new, and heals',
    () => passThrough(scene, SILENT),
    90_000,
  );

  it.each<[string, (proxy: TcpProxy) => Promise<void>]>([
    [
      'is cut off',
      async (proxy) => {
        await proxy.stop();
        await proxy.start();
      },
    ],
    ['comes too late', async (proxy) => proxy.resume()],
  ])(
    'lets go of a hold that was taken but whose answer %s',
    async (_, end) => {
      scene.upstream.script(anthropicText('Hi.'));
      await scene.comesBack();
      await scene.expectWhole();
      const usedBefore = await scene.used();
      const before = scene.upstream.requests.length;
      const rowsBefore = await scene.query('select id from generations');
      // The time was moved: the key is looked up once more, while that is possible.
      await scene.comesBack();
      await scene.attend();
      scene.proxy.mute();
      await scene.expectRefused();
      const holds = await scene.query('select generation_id, cost from holds');
      expect(holds).toEqual([{ generation_id: expect.stringMatching(/^gen-/), cost: null }]);
      await end(scene.proxy);
      await scene.comesBack();
      await scene.expectWhole();
      const passed = scene.upstream.requests.length - before;
      expect((await scene.query('select id from generations')).length - rowsBefore.length).toBe(passed);
      expect(await scene.generations([holds[0].generation_id])).toEqual([]);
      expect((await scene.used()) - usedBefore).toBeCloseTo(passed * WHOLE_USD, 9);
    },
    60_000,
  );

  it('keeps the hold of what waits in the spool, with all of its counters, until that is settled', async () => {
    await scene.query(
      // Dated by the gateway's time, which is ahead: earlier charges do not count.
      `insert into budgets select account_id, 'workspace', workspace_id::text, 'monthly', 50, false,
         now() + interval '1 millisecond' * ${scene.clock.aheadMs}
       from api_keys limit 1 on conflict do nothing`,
    );
    const { opened, open: goOn } = gate();
    scene.upstream.script((request, index) =>
      request.json.stream === true ? sse([OPEN + delta('begun'), opened, END]) : anthropicText('Hi.')(request, index),
    );
    await scene.expectWhole();
    const { client, id } = await scene.open(askStream(MODEL));
    await client.until('begun');
    await scene.proxy.stop();
    goOn();
    await client.response();
    const ids = [await id()];
    expect(await scene.spooled()).toEqual(ids);

    // The sweep runs before the spool does, and finds a hold that is old and no longer open.
    scene.clock.aheadMs += ORPHAN_MS;
    jest.spyOn(scene.ledger, 'replay').mockResolvedValue();
    await scene.proxy.start();
    await scene.comesBack();
    await scene.attend();
    await scene.attend();
    const hold = `select count(*)::int as count from holds where generation_id = $1 and cost is null`;
    expect(await scene.query(hold, ids)).toEqual([{ count: 1 }]);
    jest.restoreAllMocks();
    await scene.attend();
    await scene.expectWhole();
    await scene.expectCharged(ids, [STREAM_USD]);
    const [entry] = await scene.query('select budgets from ledger_entries where generation_id = $1', ids);
    expect(entry.budgets).toEqual([['workspace', expect.any(String), 'monthly']]);
    await scene.query('delete from budgets');
  }, 240_000);

  it('opens no more calls than the spool has free rows', async () => {
    scene.upstream.script(anthropicText('Hi.'));
    await scene.comesBack();
    await scene.expectWhole();
    jest.spyOn(scene.ledger.spool, 'freeRows', 'get').mockReturnValue(3);
    const { opened, open: goOn } = gate();
    scene.upstream.script(async (request, index) => {
      await opened;
      return anthropicText('Hi.')(request, index);
    });
    const before = scene.upstream.requests.length;
    const replies = Array.from({ length: 20 }, () => scene.gateway.messages(ask(MODEL)));
    const first = await Promise.race(replies);
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '1']);
    await until('three are upstream', () => scene.upstream.requests.length >= before + 3);
    goOn();
    const statuses = (await Promise.all(replies)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(statuses.filter((status) => status === 503)).toHaveLength(17);
    expect(scene.upstream.requests).toHaveLength(before + 3);
    await scene.expectWhole();
  });

  it.each(['that lives adopt', 'that ends keep its end for'])(
    'lets a replica %s what waits in a spool',
    async (how) => {
      const { upstream, proxy } = scene;
      const ends = how.startsWith('that ends');
      // Where no other process would find it, so that its own end writes it.
      const dataDir = join(database.settings.dataDir, ends ? 'ending' : '');
      await scene.expectWhole();
      const variables = { DATABASE_URL: proxy.url, FAIRLEAD_CATALOG: scene.gateway.catalogPath };
      const first = await GatewayProcess.start(dataDir, variables);
      const alive = setInterval(() => void scene.query('update replicas set heartbeat_at = now()'), 1_000);
      try {
        const { opened, open: goOn } = gate();
        upstream.script(sse([OPEN + delta('begun'), opened, END]));
        const reply = await first.messages(askStream(MODEL));
        const id = reply.headers.get('x-generation-id')!;
        await proxy.stop();
        goOn();
        expect(await reply.text()).toContain('message_stop');
        expect(await scene.spooled()).toEqual(ends ? [] : [id]);
        expect(await scene.generations([id])).toEqual([]);
        const ended = ends ? first.stop() : first.kill();
        await until('it stops or is gone', () => sleep(500).then(() => true));
        await proxy.start();
        await ended;
        await until('it is settled', async () => (await scene.generations([id])).length === 1);
        await scene.expectCharged([id], [STREAM_USD]);
        await until('the spool is empty', async () => (await scene.spooled()).length === 0);
      } finally {
        clearInterval(alive);
        await first.kill();
      }
      await scene.expectWhole();
    },
    60_000,
  );

  it('lets the next process on a folder settle, once, the spool of one that was killed', async () => {
    const { upstream, proxy } = scene;
    const dataDir = join(database.settings.dataDir, 'process');
    const variables = { DATABASE_URL: proxy.url, FAIRLEAD_CATALOG: scene.gateway.catalogPath };
    await scene.expectWhole();
    const usedBefore = await scene.used();
    const first = await GatewayProcess.start(dataDir, variables);
    let second: GatewayProcess | undefined;
    // However slow this machine is, no replica takes the first for dead, and recovers its holds, before the second has
    // come.
    const alive = setInterval(() => void scene.query('update replicas set heartbeat_at = now()'), 1_000);
    try {
      const { opened, open: goOn } = gate();
      upstream.script(sse([OPEN + delta('begun'), opened, END]));
      const replies = await Promise.all([1, 2, 3].map(() => first.messages(askStream(MODEL))));
      const ids = replies.map((reply) => reply.headers.get('x-generation-id')!).sort();
      await proxy.stop();
      goOn();
      for (const reply of replies) expect(await reply.text()).toContain('message_stop');
      await first.kill();
      await proxy.start();
      expect(await scene.generations(ids)).toEqual([]);

      second = await GatewayProcess.start(dataDir, variables);
      await until('all are settled', async () => (await scene.generations(ids)).length === 3);
      await scene.expectCharged(ids, [STREAM_USD, STREAM_USD, STREAM_USD]);
      // Nothing is left of it: a third process finds nothing to do. The segment is removed only after its rows are
      // written.
      const pieces = async (): Promise<string[]> =>
        (await readdir(join(dataDir, 'spool'))).filter((name) => name.endsWith('.rows'));
      await until('its piece of the spool is gone', async () => (await pieces()).length === 0);
      await second.kill();
      await scene.expectWhole();
      await scene.expectCharged(ids, [STREAM_USD, STREAM_USD, STREAM_USD]);
      expect((await scene.used()) - usedBefore).toBeCloseTo(3 * STREAM_USD, 9);
    } finally {
      clearInterval(alive);
      await first.kill();
      await second?.kill();
    }
  }, 240_000);

  it('leaves a hold whose answer never came to others when it dies: a row at zero, by the id its caller has', async () => {
    const { upstream, proxy } = scene;
    await scene.expectWhole();
    const usedBefore = await scene.used();
    const variables = { DATABASE_URL: proxy.url, FAIRLEAD_CATALOG: scene.gateway.catalogPath };
    const first = await GatewayProcess.start(join(database.settings.dataDir, 'unheard'), variables);
    try {
      upstream.script(anthropicText('Hi.'));
      const passed = await first.messages(ask(MODEL));
      await passed.text();
      // Connections that still wait for the answer to its settlement could not be used for more.
      await until('it is settled', async () => (await scene.query('select from holds')).length === 0);
      const before = upstream.requests.length;
      // The statement is executed, and its answer is lost.
      proxy.mute();
      const failed = await first.messages(ask(MODEL));
      const { error } = (await failed.json()) as JsonBody;
      const id = failed.headers.get('x-generation-id')!;
      expect([failed.status, error.type, typeof id]).toEqual([503, 'overloaded_error', 'string']);
      const [hold] = await scene.query('select * from holds where generation_id = $1', [id]);
      expect(hold).toMatchObject({ cost: null, observed: null });
      // Before the ten seconds after which it would have released it.
      await first.kill();
      expect(upstream.requests).toHaveLength(before);

      await proxy.stop();
      await proxy.start();
      await scene.comesBack();
      const after = upstream.requests.length;
      await scene.query(`update replicas set heartbeat_at = now() - interval '16 seconds' where id = $1`, [
        hold.replica,
      ]);
      scene.clock.aheadMs += 16_000;
      await scene.attend();
      expect(await scene.generations([id])).toMatchObject([
        {
          outcome: 'recovered',
          is_recovered: true,
          end_user: null,
          requested_model: MODEL,
          cost: '0.000000000000',
          operator_cost: '0.000000000000',
        },
      ]);
      const entries = await scene.query('select kind, amount from ledger_entries where generation_id = $1', [id]);
      expect(entries).toEqual([{ kind: 'charge', amount: '0.000000000000' }]);
      await scene.expectWhole();
      expect((await scene.used()) - usedBefore).toBeCloseTo((1 + after - before) * WHOLE_USD, 9);
    } finally {
      await first.kill();
    }
  }, 240_000);

  it('ends no reply as whole whose charge neither the database nor the disk accepts, and charges no caller for it', async () => {
    const { upstream, proxy, gateway } = scene;
    upstream.script(anthropicText('Hi.'));
    await scene.comesBack();
    await scene.expectWhole();
    const usedBefore = await scene.used();
    const before = upstream.requests.length;
    const { opened, open: goOn } = gate();
    upstream.script(async (request, index) => {
      if (index >= before + 2) return anthropicText('Hi.')(request, index);
      if (request.json.stream === true) return sse([OPEN + delta('begun'), opened, delta('ended'), END]);
      await opened;
      return anthropicText('Hi.')(request, index);
    });
    const stream = await scene.open(askStream(MODEL));
    const whole = await scene.open(ask(MODEL));
    await stream.client.until('begun');
    await until('all are upstream', () => upstream.requests.length === before + 2);
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    jest.spyOn(scene.ledger.spool, 'append').mockRejectedValue(full);
    await proxy.stop();
    goOn();
    const [streamed, reply] = await Promise.all([stream.client.response(), whole.client.response()]);
    expect([streamed.status, reply.status]).toEqual([200, 503]);
    const words = streamed.body.toString();
    expect(words).toContain('The charge of this reply cannot be recorded at the moment');
    expect(words).not.toContain('message_stop');
    expect(JSON.parse(reply.body.toString()).error.metadata?.cost).toBeUndefined();
    expect([scene.ledger.waiting, await scene.spooled()]).toEqual([2, []]);

    await proxy.start();
    await scene.comesBack();
    const ids = [await stream.id(), await whole.id()];
    await until('both are settled', async () => (await scene.generations(ids)).length === 2);
    await scene.expectWhole();
    const rows = await scene.generations(ids);
    expect(rows.map(({ cost, outcome }) => [Number(cost), outcome])).toEqual([
      [0, 'service-unavailable'],
      [0, 'service-unavailable'],
    ]);
    expect(rows.map(({ operator_cost: cost }) => Number(cost)).sort()).toEqual([STREAM_USD, WHOLE_USD].sort());
    const later = upstream.requests.length - before - 2;
    expect((await scene.used()) - usedBefore).toBeCloseTo(later * WHOLE_USD, 9);
    expect(gateway.gateway.app.get(LedgerService).waiting).toBe(0);
  }, 240_000);
});

describeOnPostgres('a full disk of DATA_DIR', (database) => {
  afterEach(() => jest.restoreAllMocks());

  it('keeps no gateway from its start: its spool is off until the disk has space', async () => {
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    const opening = jest.spyOn(Spool, 'open').mockRejectedValue(full);
    const scene = await Scene.start(database);
    try {
      scene.upstream.script(anthropicText('Hi.'));
      expect((await scene.gateway.messages(ask(MODEL))).status).toBe(200);
      expect(scene.ledger.spool).toBe(NO_SPOOL);
      expect(scene.gateway.log.filter(({ msg }) => String(msg).includes('the spool is off'))).toHaveLength(1);
      // New calls are refused without a database, as always.
      await scene.fillPool();
      await scene.proxy.stop();
      await scene.expectRefused();
      await scene.proxy.start();
      await scene.comesBack();
      await scene.attend();
      expect(scene.ledger.spool).toBe(NO_SPOOL);
      opening.mockRestore();
      await scene.attend();
      expect(scene.ledger.spool).toBeInstanceOf(Spool);
      await scene.expectWhole();
    } finally {
      await scene.close();
    }
  }, 240_000);
});

describeOnPostgres('a database that is replaced by another', (database) => {
  let scene: Scene;
  beforeAll(async () => {
    // Each connection that is kept although it is dead would be noticed.
    scene = await Scene.start(database, 2);
  }, 240_000);
  afterAll(() => scene?.close(), 30_000);

  it(
    'without a word on the connections of before finishes what runs, refuses what is new, and heals',
    () => passThrough(scene, REPLACED),
    90_000,
  );
});

describeOnPostgres('five hundred calls, some of which fail and some of whose callers leave', (database) => {
  const CALLS = 500;
  const CONCURRENCY = 50;
  /** Microdollars of one that passes: three tokens in and 66 out. */
  const COST = 999;
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.start(database);
  }, 240_000);
  afterAll(() => scene?.close(), 30_000);

  it('leave nothing held: within five seconds the key’s remaining limit is exact', async () => {
    const { gateway, upstream } = scene;
    const key = await scene.newKey({ limit: 1 });
    const passes = anthropicReply([{ type: 'text', text: 'Hi.' }], { usage: { input_tokens: 3, output_tokens: 66 } });
    upstream.script((request, index) => {
      const [{ content }] = request.json.messages;
      if (content === 'fails') return json(anthropicError('overloaded_error', 'x'), 529);
      return content === 'leaves' ? sse([OPEN + delta('begun'), HANG]) : passes(request, index);
    });
    const body = (content: string, stream: boolean): object =>
      ask(MODEL, { stream, messages: [{ role: 'user', content }] });

    async function call(position: number): Promise<number> {
      if (position % 5 === 1) return statusOf(await gateway.messages(body('fails', position % 2 === 0), { key }));
      if (position % 5 !== 2) return statusOf(await gateway.messages(body('passes', position % 2 === 0), { key }));
      const leaving = new AbortController();
      const response = await gateway.messages(body('leaves', true), { key, signal: leaving.signal });
      await response.body!.getReader().read();
      leaving.abort();
      return 0;
    }
    let next = 0;
    const statuses: number[] = [];
    const worker = async (): Promise<void> => {
      while (next < CALLS) statuses.push(await call(next++));
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    const count = (status: number): number => statuses.filter((one) => one === status).length;
    expect([count(200), count(0), count(529) + count(503)]).toEqual([300, 100, 100]);

    let data: JsonBody;
    await until(
      'nothing is held',
      async () => {
        ({ data } = (await (await gateway.request('/key', { key })).json()) as JsonBody);
        return data.limit_held === 0;
      },
      5_000,
    );
    expect(data.limit_remaining).toBeCloseTo(1 - data.usage, 6);
    expect(data.usage).toBeGreaterThanOrEqual((300 * COST) / 1e6);
    expect(data.usage).toBeLessThan((300 * COST + 100 * 100) / 1e6);

    const more = await Promise.all(
      Array.from({ length: 50 }, async () => statusOf(await gateway.messages(body('passes', false), { key }))),
    );
    expect(more).toEqual(more.map(() => 200));
    await scene.expectWhole();
  }, 240_000);
});

describeOnPostgres('a lost Redis', (database) => {
  describeOnRedis('at two replicas', () => {
    const run = `r${randomBytes(4).toString('hex')}`;
    const model = `${run}/paid`;
    /** Charge of one call, which costs all of its bound: 67 tokens in and 100 out. */
    const CALL_USD = (67 * 3 + 100 * 15) / 1e6;
    const ROOM = 60;
    let proxy: TcpProxy;
    let upstream: Upstream;
    let account: string;
    const replicas: TestGateway[] = [];
    beforeAll(async () => {
      proxy = new TcpProxy(redisAddress!);
      await proxy.start();
      upstream = await startUpstream('anthropic');
      const wholeBound: Script = (request, index) =>
        anthropicReply([{ type: 'text', text: 'x' }], { usage: { input_tokens: 67, output_tokens: 100 } })(
          request,
          index,
        );
      upstream.script(wholeBound);
      for (let replica = 0; replica < 2; replica++) {
        replicas.push(
          await startGateway(database, {
            coolsDown: false,
            catalog: catalogOf({ id: model, at: [{ url: upstream.url, dialect: 'anthropic-messages' }] }),
            variables: { REDIS_URL: proxy.url, FAIRLEAD_INITIAL_CREDITS: String(CREDITS) },
          }),
        );
      }
      const [{ id }] = await replicas[0]!.gateway.app.get(DataSource).query<JsonBody[]>('select id from accounts');
      account = id;
    }, 240_000);
    afterAll(async () => {
      for (const replica of replicas) await replica.close();
      await proxy?.stop();
      await upstream?.close();
      const redis = new Redis(redisAddress!);
      const keys = (await Promise.all([run, account].map((name) => redis.keys(`fairlead:*${name}*`)))).flat();
      if (keys.length > 0) await redis.del(keys);
      redis.disconnect();
    });

    it('lets no caller spend more than the limit of the key, and replicas agree on what was spent', async () => {
      const limit = Number((ROOM * CALL_USD).toFixed(12));
      const { key } = await replicas[0]!.newKey({ limit });
      let passed = 0;
      const burst = async (calls: number): Promise<void> => {
        const answers = Array.from({ length: calls }, async (_, call) => {
          const response = await replicas[call % 2]!.messages(ask(model), { key });
          await response.text();
          expect([200, 402, 503]).toContain(response.status);
          if (response.status === 200) passed++;
        });
        await Promise.all(answers);
      };
      await burst(20);
      await proxy.stop();
      for (let round = 0; round < 4; round++) await burst(20);
      await proxy.start();
      for (let round = 0; passed < ROOM && round < 50; round++) await burst(20);
      await burst(20);
      expect(passed).toBe(ROOM);
      const look = (): Promise<JsonBody[]> =>
        Promise.all(
          replicas.map(async (replica) => ((await (await replica.request('/key', { key })).json()) as JsonBody).data),
        );
      // A replica posts its settlements within a tenth of a second; until then the other sees them as held.
      let views = await look();
      for (let turn = 0; turn < 20 && views.some((view) => view.limit_held !== 0); turn++) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        views = await look();
      }
      for (const view of views) {
        expect(view).toMatchObject({ usage: limit, limit_remaining: 0, limit_held: 0 });
      }
    }, 240_000);
  });
});

async function statusOf(response: Response): Promise<number> {
  await response.text();
  return response.status;
}
