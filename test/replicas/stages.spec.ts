/**
 * At whatever stage of a request its process dies, the database crashes or the disk refuses, the call has one row and
 * one charge, what the caller got completely is charged exactly, and nothing stays held
 * (docs/contribute/reliability.md#what-is-guaranteed). Separate processes are brought to a stage and stopped there: by
 * their upstream, by a locked row, by delayed answers of the database. The model costs 3 USD a million tokens in and 15
 * out.
 */
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { OwnCluster } from '../../scripts/crash/own-cluster.js';
import { Secret } from '../../src/core/secret.js';
import { LedgerJobs } from '../../src/ledger/ledger-jobs.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { databaseOptions } from '../../src/shared/database/options.js';
import { AheadClock } from '../support/ahead-clock.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { describeOnPostgres } from '../support/database.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { HANG, neverAnswers, sse } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask, askStream, delta, END, gate, OPEN } from '../http/messages-bench.js';

const MODEL = 'test/native';
/** Past fifteen seconds without a heartbeat. */
const DEAD_MS = 16_000;
/** USD of a stream of the test's frames: three tokens in and five out. */
const STREAM_USD = (3 * 3 + 5 * 15) / 1e6;
/** USD of three tokens in and ten that were seen. */
const SEEN_USD = (3 * 3 + 10 * 15) / 1e6;
const BEGUN = OPEN + delta('forty characters are ten tokens or so...');

const catalogAt = (upstream: Upstream): object =>
  catalogOf({ id: MODEL, at: [{ url: upstream.url, dialect: 'anthropic-messages' }] });

async function until(what: string, holds: () => Promise<boolean> | boolean, msMax = 30_000): Promise<void> {
  const deadline = performance.now() + msMax;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Not within ${msMax} ms: ${what}.`);
    await sleep(20);
  }
}

/** A statement of this function waits for a lock. */
async function isWaiting(client: pg.Pool, statement: string): Promise<boolean> {
  const { rows } = await client.query(
    `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like $1 and datname = current_database()`,
    [`%${statement}(%`],
  );
  return rows.length > 0;
}

describeOnPostgres('a process that dies', (database) => {
  const clock = new AheadClock();
  let upstream: Upstream;
  let proxy: TcpProxy;
  let other: TestGateway;
  let ledger: LedgerReader;
  let pool: pg.Pool;
  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    const url = database.settings.databaseUrl!.reveal();
    proxy = new TcpProxy(url);
    await proxy.start();
    pool = new pg.Pool({ connectionString: url, max: 3 });
    other = await startGateway(database, {
      clock,
      coolsDown: false,
      catalog: catalogAt(upstream),
      variables: { FAIRLEAD_INITIAL_CREDITS: '100' },
    });
    ledger = new LedgerReader(other);
  }, 240_000);
  afterAll(async () => {
    await other?.close();
    await pool?.end();
    await proxy?.stop();
    await upstream?.close();
  });

  interface Call {
    readonly gateway: GatewayProcess;
    /** The reply's text as it came, to its end or to that of the process. */
    readonly text: Promise<string>;
    readonly id: string;
  }
  interface Stage {
    /** Brings a process to it. @returns the call, and what to release when the process is dead */
    readonly reach: (gateway: GatewayProcess) => Promise<Call & { readonly giveWay?: () => Promise<unknown> }>;
    readonly isRecovered: boolean;
    readonly cost: number;
    readonly operatorCost?: number;
  }

  const holdsOf = async (gateway: GatewayProcess): Promise<JsonBody[]> => {
    const { rows } = await pool.query('select * from holds where cost is null');
    expect(gateway.origin).not.toBe('');
    return rows;
  };
  async function onlyHold(gateway: GatewayProcess, has: (hold: JsonBody) => boolean = () => true): Promise<string> {
    let holds: JsonBody[] = [];
    await until('its hold is there', async () => {
      holds = await holdsOf(gateway);
      return holds.length === 1 && has(holds[0]);
    });
    return holds[0].generation_id;
  }
  const read = (reply: Promise<Response>): Promise<string> =>
    reply.then(async (response) => {
      let text = '';
      const decoder = new TextDecoder();
      // What came before its end counts as well.
      for await (const piece of response.body!) text += decoder.decode(piece as Uint8Array, { stream: true });
      return text;
    }).catch(() => ''); // oxfmt-ignore
  /** A stream that has begun, and continues on request. */
  async function stream(gateway: GatewayProcess): Promise<Call & { readonly goOn: () => void }> {
    const { opened, open } = gate();
    upstream.script(sse([BEGUN, opened, END]));
    const reply = await gateway.messages(askStream(MODEL));
    const id = reply.headers.get('x-generation-id')!;
    return { gateway, id, text: read(Promise.resolve(reply)), goOn: open };
  }
  /** Locks a row from outside. @returns releases it */
  async function lock(text: string, values: readonly unknown[]): Promise<() => Promise<void>> {
    const client = await pool.connect();
    await client.query('begin');
    expect((await client.query(`${text} for update`, [...values])).rowCount).toBe(1);
    return async () => {
      await client.query('rollback');
      client.release();
    };
  }

  const STAGES: Record<string, Stage> = {
    'its hold is taken, and it has not heard of it': {
      reach: async (gateway) => {
        upstream.script(anthropicText('Hi.'));
        proxy.mute();
        const text = read(gateway.messages(ask(MODEL)));
        return { gateway, text, id: await onlyHold(gateway) };
      },
      isRecovered: true,
      cost: 0,
    },
    'the provider has its request': {
      reach: async (gateway) => {
        upstream.script(neverAnswers);
        const text = read(gateway.messages(ask(MODEL)));
        return { gateway, text, id: await onlyHold(gateway, ({ observed }) => observed !== null) };
      },
      isRecovered: true,
      cost: 0,
      operatorCost: 0.000021,
    },
    'words have come': {
      reach: async (gateway) => {
        upstream.script(sse([BEGUN, HANG]));
        const text = read(gateway.messages(askStream(MODEL)));
        return { gateway, text, id: await onlyHold(gateway, ({ observed }) => observed?.completion_tokens === 10) };
      },
      isRecovered: true,
      cost: SEEN_USD,
    },
    'its settlement is in the midst of being written': {
      reach: async (gateway) => {
        const { goOn, ...call } = await stream(gateway);
        const giveWay = await lock('select 1 from holds where generation_id = $1', [call.id]);
        goOn();
        await until('it is being written', () => isWaiting(pool, 'settle_generations_2'));
        return { ...call, giveWay };
      },
      isRecovered: false,
      cost: STREAM_USD,
    },
    'its settlement is written, and it has not heard of it': {
      reach: async (gateway) => {
        const { goOn, ...call } = await stream(gateway);
        proxy.mute();
        goOn();
        await until('it is written', async () => (await ledger.generation(call.id)) !== undefined);
        return call;
      },
      isRecovered: false,
      cost: STREAM_USD,
    },
    'the last byte is out, and the counters have not moved': {
      reach: async (gateway) => {
        const { goOn, ...call } = await stream(gateway);
        const giveWay = await lock(`select 1 from spending_windows where scope = 'account'`, []);
        goOn();
        expect(await call.text).toContain('message_stop');
        return { ...call, giveWay };
      },
      isRecovered: false,
      cost: STREAM_USD,
    },
  };

  it.each(Object.entries(STAGES))(
    'where %s: one row, one charge, nothing held',
    async (name, { reach, isRecovered, cost, operatorCost = 0 }) => {
      const before = await ledger.account();
      expect(before.held).toBe(0);
      const gateway = await GatewayProcess.start(join(database.settings.dataDir, name.replaceAll(' ', '-')), {
        DATABASE_URL: proxy.url,
        FAIRLEAD_CATALOG: other.catalogPath,
      });
      let warm = 0;
      let call: Awaited<ReturnType<Stage['reach']>>;
      try {
        // The key is cached, and the connections are open.
        upstream.script(anthropicText('Hi.'));
        const first = await gateway.messages(ask(MODEL));
        warm = ((await first.json()) as JsonBody).usage.cost;
        await until('nothing is held', async () => (await ledger.openHolds()) === 0);
        call = await reach(gateway);
      } finally {
        await gateway.kill();
      }
      await call.giveWay?.();
      const text = await call.text;
      await proxy.stop();
      await proxy.start();

      const mine = other.gateway.app.get(LedgerService).replica;
      await pool.query(
        `update replicas set heartbeat_at = now() - $2 * interval '1 millisecond' where id <> $1`,
        [mine, DEAD_MS],
      ); // oxfmt-ignore
      clock.aheadMs += DEAD_MS;
      await until('nothing is held any more', async () => {
        await other.gateway.app.get(LedgerJobs).runAll();
        return (await ledger.openHolds()) === 0;
      });
      const { rows } = await pool.query('select * from generations where id = $1', [call.id]);
      expect(rows).toMatchObject([{ is_recovered: isRecovered, is_corrected: false }]);
      expect([Number(rows[0].cost), Number(rows[0].operator_cost)]).toEqual([cost, operatorCost]);
      if (text.includes('message_stop')) expect(isRecovered).toBe(false);
      expect((await ledger.entriesOf(call.id)).map(({ kind, amount }) => [kind, Number(amount)])).toEqual([
        ['charge', cost],
      ]);
      const after = await ledger.account();
      expect(after.held).toBe(0);
      expect(after.used - before.used).toBeCloseTo(warm + cost, 9);
      const { differences, unlisted, warnings } = await verifyLedger(other.gateway.app.get(DataSource));
      expect({ differences, unlisted, warnings }).toEqual({ differences: [], unlisted: 0, warnings: [] });
    },
    90_000,
  );

  it.each([
    ['lives on', true],
    ['dies before the database is back', false],
  ])(
    'whose disk refuses the spool, and which %s: no reply ends as whole, and one charge each is recorded',
    async (name, livesOn) => {
      const before = await ledger.account();
      const dataDir = join(database.settings.dataDir, name.replaceAll(' ', '-'));
      const variables = { DATABASE_URL: proxy.url, FAIRLEAD_CATALOG: other.catalogPath };
      const gateway = await GatewayProcess.start(dataDir, variables);
      const ids: string[] = [];
      try {
        const { opened, open } = gate();
        upstream.script(sse([BEGUN, opened, END]));
        const replies = await Promise.all([1, 2, 3].map(() => gateway.messages(askStream(MODEL))));
        for (const reply of replies) ids.push(reply.headers.get('x-generation-id')!);
        await until('all are observed', async () => {
          const holds = await holdsOf(gateway);
          return holds.filter(({ observed }) => observed?.completion_tokens === 10).length === ids.length;
        });
        // Also for root: a file cannot contain a file.
        await rename(join(dataDir, 'spool'), join(dataDir, 'away'));
        await writeFile(join(dataDir, 'spool'), '');
        await proxy.stop();
        open();
        for (const reply of replies)
          expect(await reply.text()).toContain('The charge of this reply cannot be recorded');
        // The log lines come later.
        const refusals = (): number => gateway.written.split('The spool does not take the generation').length - 1;
        await until('all were refused by the disk', () => refusals() === ids.length);
        if (!livesOn) await gateway.kill();
        await proxy.start();
        if (livesOn) await until('all are settled', async () => (await ledger.openHolds()) === 0);
      } finally {
        await gateway.kill();
        await proxy.stop();
        await proxy.start();
      }
      const mine = other.gateway.app.get(LedgerService).replica;
      await pool.query(`update replicas set heartbeat_at = now() - $2 * interval '1 millisecond' where id <> $1`, [
        mine,
        DEAD_MS,
      ]);
      clock.aheadMs += DEAD_MS;
      await until('nothing is held any more', async () => {
        await other.gateway.app.get(LedgerJobs).runAll();
        return (await ledger.openHolds()) === 0;
      });
      // As in docs/contribute/ledger.md: paid by the operator, or charged by their observed state.
      const cost = livesOn ? 0 : SEEN_USD;
      const { rows } = await pool.query('select * from generations where id = any($1)', [ids]);
      expect(rows.map((row) => [Number(row.cost), row.is_recovered])).toEqual(ids.map(() => [cost, !livesOn]));
      if (livesOn) expect(rows.map((row) => Number(row.operator_cost))).toEqual(ids.map(() => STREAM_USD));
      for (const id of ids)
        expect((await ledger.entriesOf(id)).map(({ kind, amount }) => [kind, Number(amount)])).toEqual([
          ['charge', cost],
        ]);
      const after = await ledger.account();
      expect(after.held).toBe(0);
      expect(after.used - before.used).toBeCloseTo(ids.length * cost, 9);
    },
    90_000,
  );

  it('does not begin where its disk refuses the spool', async () => {
    const dataDir = join(database.settings.dataDir, 'no-folder');
    await writeFile(dataDir, '');
    const variables = { DATABASE_URL: proxy.url, FAIRLEAD_CATALOG: other.catalogPath };
    await expect(GatewayProcess.start(dataDir, variables)).rejects.toThrow(/ended before it listened[^]*DATA_DIR/);
  }, 240_000);
});

describe('a database that crashes in the middle of a batch of settlements', () => {
  const CALLS = 24;

  it('has each of them once when it is back, unnoticed by their callers', async () => {
    const binaries = await OwnCluster.findBinaries();
    // Without the programs of PostgreSQL on this machine nothing is tested, and nothing claimed.
    if (binaries === undefined) return expect(globalThis.__SERVICES__.postgres).toBeNull();
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-batch-'));
    const upstream = await startUpstream('anthropic');
    const cluster = await OwnCluster.start(binaries);
    const pool = new pg.Pool({ connectionString: cluster.url, max: 3 });
    // The pool's idle connections break with the server.
    pool.on('error', () => undefined);
    let gateway: GatewayProcess | undefined;
    try {
      const catalog = join(folder, 'catalog.json');
      await writeFile(catalog, JSON.stringify(catalogAt(upstream)));
      gateway = await GatewayProcess.start(join(folder, 'data'), {
        DATABASE_URL: cluster.url,
        FAIRLEAD_CATALOG: catalog,
        FAIRLEAD_INITIAL_CREDITS: '100',
      });
      const { opened, open } = gate();
      upstream.script(sse([BEGUN, opened, END]));
      const calls = await Promise.all(Array.from({ length: CALLS }, () => gateway!.messages(askStream(MODEL))));
      const ids = calls.map((reply) => reply.headers.get('x-generation-id')!).sort();
      // Half of them are written when the statement reaches this one.
      const client = await pool.connect();
      client.on('error', () => undefined);
      await client.query('begin');
      await client.query('select 1 from holds where generation_id = $1 for update', [ids[CALLS / 2]]);
      open();
      await until('the batch has come to it', () => isWaiting(pool, 'settle_generations_2'));
      await cluster.crash();
      client.release(true);
      await cluster.resume();
      for (const reply of calls) expect(await reply.text()).toContain('message_stop');
      await until('all are settled', async () => {
        const { rows } = await pool.query(
          `select (select count(*)::int from generations where id = any($1)) as settled, (select count(*)::int from holds) as held`,
          [ids],
        );
        return rows[0].settled === CALLS && rows[0].held === 0;
      });
      const { rows } = await pool.query(
        `select g.cost, g.operator_cost, g.is_recovered, array_agg(e.kind) as kinds, sum(e.amount) as amount
         from generations g join ledger_entries e on e.generation_id = g.id where g.id = any($1) group by g.id, g.held_at`,
        [ids],
      );
      expect(rows.map((row) => [Number(row.cost), Number(row.amount), Number(row.operator_cost), row.kinds])).toEqual(
        ids.map(() => [STREAM_USD, STREAM_USD, 0, ['charge']]),
      );
      const settings = { databaseUrl: new Secret(cluster.url), databasePool: 1 };
      const store = await new DataSource(databaseOptions(settings)).initialize();
      const { differences, warnings } = await verifyLedger(store);
      await store.destroy();
      expect({ differences, warnings }).toEqual({ differences: [], warnings: [] });
    } finally {
      await gateway?.kill();
      await pool.end();
      await cluster.remove();
      await upstream.close();
      await rm(folder, { recursive: true, force: true });
    }
  }, 240_000);
});
