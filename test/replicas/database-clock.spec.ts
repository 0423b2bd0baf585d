/**
 * A failover to a database server whose clock is far behind or ahead takes no hold from a living replica, leaves none
 * of a dead one, and grants nothing new before all is written back
 * (docs/contribute/decisions/0038-a-refusal-is-true.md). Gateways on one database whose heartbeats and holds were dated
 * by the clock of the former server; simulated replicas beside them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { hashKey, newUuid } from '../../src/core/ids.js';
import { LedgerJobs } from '../../src/ledger/ledger-jobs.js';
import { LedgerRepository } from '../../src/ledger/ledger.repository.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { AheadClock } from '../support/ahead-clock.js';
import { API_KEY, catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { describeOnPostgres } from '../support/database.js';
import { LedgerReader } from '../support/ledger-reader.js';
import type { JsonBody } from '../support/recorded-request.js';
import { sse } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { askStream, delta, END, gate, OPEN } from '../http/messages-bench.js';
import { LedgerBench } from '../sql/ledger-bench.js';
import { OtherReplica } from './other-replica.js';

const MODEL = 'test/native';
const HOUR_MS = 3_600_000;
/** A replica without a heartbeat for so long is dead. */
const DEAD_MS = 15_000;
const UNTIL_MS_MAX = 30_000;
const CLOCKS: readonly (readonly [string, number])[] = [
  ['an hour behind', -HOUR_MS],
  ['twenty seconds behind', -20_000],
  ['an hour ahead', HOUR_MS],
];

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + UNTIL_MS_MAX;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Not within ${UNTIL_MS_MAX} ms: ${what}.`);
    await sleep(20);
  }
}

describeOnPostgres('a server with another clock', (database) => {
  const clock = new AheadClock();
  let upstream: Upstream;
  let one: TestGateway;
  let other: TestGateway;
  let ledger: LedgerReader;
  let bench: LedgerBench;
  const start = (): Promise<TestGateway> => {
    const catalog = catalogOf({ id: MODEL, at: [{ url: upstream.url, dialect: 'anthropic-messages' }] });
    return startGateway(database, { clock, coolsDown: false, catalog, variables: { FAIRLEAD_INITIAL_CREDITS: '100' } });
  };
  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    one = await start();
    other = await start();
    ledger = new LedgerReader(one);
    bench = new LedgerBench(one.gateway.app.get(DataSource));
  }, 240_000);
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await upstream?.close();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    clock.aheadMs = 0;
    upstream.script(anthropicText('Hi.'));
    await ledger.query('update api_keys set limit_usd = null where hash = $1', [hashKey(API_KEY)]);
    for (const gateway of [one, other]) await attend(gateway);
    const { differences, unlisted, warnings } = await verifyLedger(one.gateway.app.get(DataSource));
    expect({ differences, unlisted, warnings }).toEqual({ differences: [], unlisted: 0, warnings: [] });
    expect(await ledger.account()).toMatchObject({ held: 0 });
    await until('new holds are granted', async () => {
      const open = (await ledger.query('select 1 from hold_epochs where opens_at <= clock_timestamp()')) as JsonBody[];
      return open.length === 1;
    });
  });

  const attend = ({ gateway }: TestGateway): Promise<void> => gateway.app.get(LedgerJobs).runAll();
  const repositoryOf = ({ gateway }: TestGateway): LedgerRepository => gateway.app.get(LedgerRepository);
  const replicaOf = ({ gateway }: TestGateway): string => gateway.app.get(LedgerService).replica;
  const holdOf = async (id: string): Promise<JsonBody> =>
    ((await ledger.query('select * from holds where generation_id = $1', [id])) as JsonBody[])[0];
  /** The state after a failover: the clock is off by so much from the one that dated the heartbeats. */
  const fail = (offMs: number): Promise<unknown> =>
    ledger.query(
      `with moved as (update replicas set heartbeat_at = heartbeat_at - $1 * interval '1 millisecond') delete from hold_epochs`,
      [offMs],
    );
  /** A stream that was begun when the clock was off by so much from the present one. */
  async function openStream(at: TestGateway, offMs: number): Promise<{ id: string; end: () => Promise<string> }> {
    const { opened, open } = gate();
    upstream.script(sse([OPEN + delta('begun'), opened, END]));
    clock.aheadMs = -offMs;
    const reply = await at.messages(askStream(MODEL));
    clock.aheadMs = 0;
    return {
      id: reply.headers.get('x-generation-id')!,
      end: () => {
        open();
        return reply.text();
      },
    };
  }
  const opensAt = async (): Promise<string> =>
    ((await ledger.query('select id, opens_at::text from hold_epochs')) as JsonBody[])[0].opens_at;

  it.each(CLOCKS)('%s: nothing new is granted until each replica has written back its holds', async (_, offMs) => {
    const theirs = await openStream(other, offMs);
    const { opened, open } = gate();
    const repository = repositoryOf(other);
    const restore = repository.restore.bind(repository);
    jest.spyOn(repository, 'restore').mockImplementation(async (...holds) => {
      await opened;
      return restore(...holds);
    });
    expect(await bench.lose(theirs.id)).toBe(true);
    await fail(offMs);
    const attended = attend(other);
    await until('it has beaten at this server', async () => {
      const [{ beats }] = (await ledger.query(
        `select exists (select 1 from hold_epochs)
           and heartbeat_at between now() - interval '10 seconds' and now() + interval '1 second' as beats
         from replicas where id = $1`,
        [replicaOf(other)],
      )) as JsonBody[];
      return beats;
    });
    const waited = await opensAt();
    await attend(one);
    const after = await opensAt();
    open();
    await attended;
    expect(after).toBe(waited);
    expect(await holdOf(theirs.id)).toMatchObject({ cost: null, bound: expect.stringMatching(/[1-9]/) });
    expect(await theirs.end()).toContain('message_stop');
    await new LedgerReader(other).rest();
    expect(await ledger.generation(theirs.id)).toMatchObject({ outcome: 'completed', operator_cost: '0.000000000000' });
  });

  it.each(CLOCKS)(
    '%s: a living replica keeps its holds, also from one that has just been started',
    async (_, offMs) => {
      const theirs = await openStream(other, offMs);
      // It has not found the new server yet.
      const beat = jest.spyOn(repositoryOf(other), 'writeHeartbeat').mockRejectedValue(new Error('not yet'));
      await fail(offMs);
      // Like the first heartbeat and the first sweep of another replica.
      const young = newUuid(Date.now());
      await repositoryOf(one).writeHeartbeat(young, []);
      const taken = await repositoryOf(one).recover(young, []);
      beat.mockRestore();
      await repositoryOf(one).leave(young);
      expect(taken).toEqual([]);
      expect(await theirs.end()).toContain('message_stop');
      await new LedgerReader(other).rest();
      expect(await ledger.generation(theirs.id)).toMatchObject({ outcome: 'completed', is_recovered: false });
    },
  );

  it.each(CLOCKS)('%s: the holds of a dead replica are given back as soon as possible', async (_, offMs) => {
    clock.aheadMs = -offMs;
    const dead = await OtherReplica.start(one, clock);
    const id = await dead.hold();
    await dead.beat(await dead.row(id, '0.004'));
    clock.aheadMs = 0;
    await fail(offMs);
    await attend(one);
    expect(await ledger.generation(id)).toBeUndefined();
    // So much of its time has passed at this server.
    await ledger.query(
      `update replicas set heartbeat_at = heartbeat_at - $2 * interval '1 millisecond' where id = $1`,
      [dead.id, DEAD_MS + 1_000],
    );
    clock.aheadMs = DEAD_MS + 1_000;
    await repositoryOf(one).recover(replicaOf(one), []);
    // By whichever replica came first.
    await until('it is recovered', async () => (await ledger.generation(id)) !== undefined);
    expect(await ledger.generation(id)).toMatchObject({ is_recovered: true, cost: '0.004000000000' });
    await repositoryOf(one).post([id]);
    // It only slept: its settlement is charged as far as the limits allow.
    const { used } = await ledger.account();
    await ledger.query(`update api_keys set limit_usd = $1 where hash = $2`, [
      (used + 0.005).toFixed(12),
      hashKey(API_KEY),
    ]);
    await dead.settle(await dead.row(id, '0.01'));
    await repositoryOf(one).leave(dead.id);
    const row = await ledger.generation(id);
    expect(row).toMatchObject({ is_recovered: true, is_corrected: true });
    expect(Number(row.cost)).toBeLessThanOrEqual(0.009);
    expect(Number(row.cost) + Number(row.operator_cost)).toBeCloseTo(0.01, 9);
  });

  it.each(CLOCKS)('%s: a hold whose answer was lost on the way is released', async (_, offMs) => {
    clock.aheadMs = -offMs;
    const own = await OtherReplica.start(one, clock);
    await repositoryOf(one).leave(own.id);
    Object.assign(own, { id: replicaOf(one) });
    const id = await own.hold();
    clock.aheadMs = 0;
    await attend(one);
    expect(await holdOf(id)).toBeUndefined();
    expect(await ledger.generation(id)).toBeUndefined();
  });

  it.each(CLOCKS)('%s: its replica detects a loss that went unnoticed', async (_, offMs) => {
    const { id, end } = await openStream(one, offMs);
    expect(await bench.lose(id)).toBe(true);
    await attend(one);
    expect(await holdOf(id)).toMatchObject({ cost: null, bound: expect.stringMatching(/[1-9]/) });
    await end();
    await ledger.rest();
  });
});
