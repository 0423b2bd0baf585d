/**
 * A crash of the database that loses holds weakens no cap: nothing new is granted until the replicas have written back
 * their holds, with budgets and bound, five seconds at most; a later one is charged as far as the limits allow
 * (docs/contribute/decisions/0038). Two gateways on one database, from which open holds and the mark of the epoch are
 * deleted as by a crash; a replica that never answers.
 */
import { DataSource } from 'typeorm';
import { hashKey, newUuid } from '../../src/core/ids.js';
import { LedgerJobs } from '../../src/ledger/ledger-jobs.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { AheadClock } from '../support/ahead-clock.js';
import { API_KEY, catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { anthropicText } from '../support/anthropic-upstream.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { describeOnPostgres } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { sse } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { LedgerBench } from '../sql/ledger-bench.js';
import { ask, askStream, delta, END, gate, OPEN } from '../http/messages-bench.js';

const MODEL = 'test/native';
const variables = { FAIRLEAD_INITIAL_CREDITS: '100' };
/** Longest wait of new holds, with a margin for a busy machine. */
const CLOSED_MS_MAX = 5_000;
/** After so long a missing hold was lost, and is not on its way. */
const LOST_FOR_SURE_MS = 16_000;

describeOnPostgres('holds that the database has lost', (database) => {
  const clock = new AheadClock();
  let upstream: Upstream;
  let one: TestGateway;
  let other: TestGateway;
  let ledger: LedgerReader;
  let bench: LedgerBench;
  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    const catalog = catalogOf({ id: MODEL, at: [{ url: upstream.url, dialect: 'anthropic-messages' }] });
    one = await startGateway(database, { clock, coolsDown: false, catalog, variables });
    other = await startGateway(database, { clock, coolsDown: false, catalog, variables });
    ledger = new LedgerReader(one);
    bench = new LedgerBench(one.gateway.app.get(DataSource));
    await ledger.query(
      `insert into budgets select account_id, 'workspace', workspace_id::text, 'weekly', 50, false from api_keys where hash = $1`,
      [hashKey(API_KEY)],
    );
  }, 240_000);
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await upstream?.close();
  });
  afterEach(async () => {
    upstream.script(anthropicText('Hi.'));
    for (const gateway of [one, other]) await gateway.gateway.app.get(LedgerJobs).runAll();
    const report = await verifyLedger(one.gateway.app.get(DataSource));
    expect(report).toMatchObject({ differences: [], unlisted: 0, warnings: [] });
    expect(await ledger.account()).toMatchObject({ held: 0 });
  });

  const holdOf = async (id: string): Promise<JsonBody> =>
    ((await ledger.query('select * from holds where generation_id = $1', [id])) as JsonBody[])[0];
  const lose = async (...ids: string[]): Promise<void> => {
    for (const id of ids) expect(await bench.lose(id)).toBe(true);
    await ledger.query('delete from hold_epochs');
  };
  async function openStreams(at: TestGateway, count: number): Promise<{ ids: string[]; end: () => Promise<string[]> }> {
    const { opened, open } = gate();
    upstream.script(sse([OPEN + delta('begun'), opened, END]));
    const replies = await Promise.all(Array.from({ length: count }, () => at.messages(askStream(MODEL))));
    return {
      ids: replies.map((reply) => reply.headers.get('x-generation-id')!),
      end: () => {
        open();
        return Promise.all(replies.map((reply) => reply.text()));
      },
    };
  }
  /** Calls until one passes; the others get 503 with a retry in a second. @returns milliseconds, and refusals */
  async function comesBack(at: TestGateway): Promise<{ readonly ms: number; readonly refused: number }> {
    upstream.script(anthropicText('Hi.'));
    const began = performance.now();
    for (let refused = 0; ; refused++) {
      const reply = await at.messages(ask(MODEL));
      await reply.text();
      if (reply.status === 200) return { ms: performance.now() - began, refused };
      expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
      expect(performance.now() - began).toBeLessThan(2 * CLOSED_MS_MAX);
    }
  }

  it('are written back, with budgets and bound, before a new one is granted', async () => {
    const mine = await openStreams(one, 3);
    const theirs = await openStreams(other, 2);
    const ids = [...mine.ids, ...theirs.ids];
    const before = await Promise.all(ids.map(holdOf));
    const account = await ledger.account();
    await lose(...ids);
    expect(await ledger.account()).toMatchObject({ held: 0 });

    const { ms, refused } = await comesBack(one);
    expect(refused).toBeGreaterThan(0);
    expect(ms).toBeLessThan(CLOSED_MS_MAX);
    const after = await Promise.all(ids.map(holdOf));
    for (const [index, hold] of after.entries()) {
      const { observed: _, ...rest } = hold;
      expect(before[index]).toMatchObject(rest);
      expect(hold.budgets).toEqual([['workspace', expect.any(String), 'weekly']]);
      expect(hold.deadline_at.getTime()).toBeGreaterThan(hold.held_at.getTime());
    }
    expect((await ledger.account()).held).toBeGreaterThanOrEqual(account.held);

    for (const text of [...(await mine.end()), ...(await theirs.end())]) expect(text).toContain('message_stop');
    for (const gateway of [one, other]) await new LedgerReader(gateway).rest();
    const rows = (await ledger.query('select * from generations where id = any($1)', [ids])) as JsonBody[];
    expect(rows).toHaveLength(ids.length);
    for (const row of rows)
      expect(row).toMatchObject({ outcome: 'completed', operator_cost: '0.000000000000', cost: '0.000084000000' });
  }, 240_000);

  it('are waited for five seconds at most, where a replica does not write its own back', async () => {
    await comesBack(one);
    await ledger.query('insert into replicas (id, heartbeat_at) values ($1, now())', [newUuid(Date.now())]);
    await ledger.query('delete from hold_epochs');
    const { ms } = await comesBack(one);
    expect(ms).toBeGreaterThan(CLOSED_MS_MAX - 500);
  }, 240_000);

  it('count in their budgets although their settlement comes first', async () => {
    await comesBack(one);
    const { ids, end } = await openStreams(one, 1);
    for (const id of ids) expect(await bench.lose(id)).toBe(true);
    await end();
    await ledger.rest();
    expect(await ledger.entriesOf(ids[0]!)).toEqual([{ kind: 'charge', amount: '0.000084000000' }]);
    const [entry] = (await ledger.query(
      'select budgets from ledger_entries where generation_id = $1',
      ids,
    )) as JsonBody[];
    expect(entry.budgets).toEqual([['workspace', expect.any(String), 'weekly']]);
  });

  it('are charged as far as the limits allow where they come too late', async () => {
    const { ids, end } = await openStreams(one, 1);
    for (const id of ids) expect(await bench.lose(id)).toBe(true);
    const { used } = await ledger.account();
    await ledger.query(`update api_keys set limit_usd = $1 where hash = $2`, [
      (used + 0.00003).toFixed(12),
      hashKey(API_KEY),
    ]);
    await end();
    await ledger.rest();
    await ledger.query('update api_keys set limit_usd = null where hash = $1', [hashKey(API_KEY)]);
    expect(await ledger.generation(ids[0]!)).toMatchObject({
      cost: '0.000030000000',
      operator_cost: '0.000054000000',
      outcome: 'completed',
    });
    expect(await (await fetch(`${one.origin}/metrics`)).text()).toMatch(
      /fairlead_ledger_events_total\{event="late"\} [1-9]/,
    );
  });

  it('count as lost when another run of the server has the mark', async () => {
    await comesBack(one);
    await ledger.query(`update hold_epochs set server_started_at = server_started_at - interval '1 minute'`);
    expect((await comesBack(one)).refused).toBeGreaterThan(0);
    expect(await ledger.query('select count(*)::int as count from hold_epochs')).toEqual([{ count: 1 }]);
  });

  it('are detected by their replica where the loss went unnoticed', async () => {
    const { ids, end } = await openStreams(one, 1);
    for (const id of ids) expect(await bench.lose(id)).toBe(true);
    clock.aheadMs += LOST_FOR_SURE_MS;
    await one.gateway.app.get(LedgerJobs).runAll();
    expect(await holdOf(ids[0]!)).toMatchObject({ cost: null, bound: expect.stringMatching(/[1-9]/) });
    await end();
    await ledger.rest();
  });

  it.each([
    ['behind', -600_000],
    ['ahead', 600_000],
  ])(
    'are noticed as soon by a replica whose clock is ten minutes %s, which leaves young ones alone',
    async (_, skewMs) => {
      const { ids, end } = await openStreams(one, 1);
      for (const id of ids) expect(await bench.lose(id)).toBe(true);
      const now = Date.now.bind(Date);
      jest.spyOn(Date, 'now').mockImplementation(() => now() + skewMs);
      const jobs = one.gateway.app.get(LedgerJobs);
      await jobs.runAll();
      expect(await holdOf(ids[0]!)).toBeUndefined();
      clock.aheadMs += LOST_FOR_SURE_MS;
      await jobs.runAll();
      jest.restoreAllMocks();
      expect(await holdOf(ids[0]!)).toMatchObject({ cost: null, bound: expect.stringMatching(/[1-9]/) });
      await end();
      await ledger.rest();
    },
  );

  it('are not taken by the first replica with a heartbeat at a server whose clock is ahead', async () => {
    const { ids, end } = await openStreams(other, 1);
    const { replica } = other.gateway.app.get(LedgerService);
    clock.aheadMs += LOST_FOR_SURE_MS;
    await ledger.query('delete from hold_epochs');
    await ledger.query(`update replicas set heartbeat_at = now() - interval '10 minutes' where id = $1`, [replica]);
    const jobs = one.gateway.app.get(LedgerJobs);
    await Promise.all([jobs.runAll(), jobs.runAll()]);
    expect(await ledger.generation(ids[0]!)).toBeUndefined();
    await end();
    await ledger.rest();
    expect(await ledger.generation(ids[0]!)).toMatchObject({ outcome: 'completed', is_recovered: false });
  });
});
