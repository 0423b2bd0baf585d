/**
 * The holds of a dead replica are settled once, with their last observed state, whichever replica does it and however
 * often; if it is alive after all, its own settlement becomes one correction, within the caps; no calls are taken from
 * a living one (docs/contribute/ledger.md#a-process). Holds of replicas that stopped their heartbeats,
 * taken by the gateway's statements; replicas that sleep; real processes that are killed. The ledger is recomputed
 * after each test. The model costs 3 USD a million tokens in and 15 out.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { hashKey } from '../../src/core/ids.js';
import { LedgerRepository } from '../../src/ledger/ledger.repository.js';
import { LedgerJobs } from '../../src/ledger/ledger-jobs.js';
import type { Hold } from '../../src/ledger/hold.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import { Metrics } from '../../src/shared/telemetry/metrics.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { AheadClock } from '../support/ahead-clock.js';
import { API_KEY, catalogOf, startGateway, type TestGateway } from '../support/app.js';
import { anthropicReply, anthropicText } from '../support/anthropic-upstream.js';
import { LedgerReader } from '../support/ledger-reader.js';
import { describeOnEachDatabase, describeOnPostgres } from '../support/database.js';
import { GatewayProcess } from '../support/gateway-process.js';
import type { JsonBody } from '../support/recorded-request.js';
import { HANG, neverAnswers, sse } from '../support/upstream-answers.js';
import { startUpstream, type Upstream } from '../support/upstreams.js';
import { ask, askStream, delta, END, gate, OPEN } from '../http/messages-bench.js';
import { OtherReplica } from './other-replica.js';

const MODEL = 'test/native';
/** A replica without a heartbeat for so long is dead. */
const DEAD_MS = 15_000;
/** The maximum age of a request, and a minute. */
const TOTAL_MS = 30_000;
const NOBODYS_MS = TOTAL_MS + 60_000;

const variables = { FAIRLEAD_TIMEOUTS: `total=${TOTAL_MS}ms`, FAIRLEAD_INITIAL_CREDITS: '100' };
const catalogAt = (upstream: Upstream): object =>
  catalogOf({ id: MODEL, at: [{ url: upstream.url, dialect: 'anthropic-messages' }] });

async function until(what: string, holds: () => Promise<boolean> | boolean, msMax = 20_000): Promise<void> {
  const deadline = performance.now() + msMax;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Not within ${msMax} ms: ${what}.`);
    await sleep(20);
  }
}

const attend = ({ gateway }: TestGateway): Promise<void> => gateway.app.get(LedgerJobs).runAll();

describeOnEachDatabase('recovery', (database) => {
  const clock = new AheadClock();
  let upstream: Upstream;
  let gateway: TestGateway;
  let ledger: LedgerReader;
  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    gateway = await startGateway(database, { clock, coolsDown: false, catalog: catalogAt(upstream), variables });
    ledger = new LedgerReader(gateway);
    await addBudget();
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });
  afterEach(async () => {
    upstream.script(anthropicText('Hi.'));
    await attend(gateway);
    const { differences, unlisted, warnings } = await verifyLedger(gateway.gateway.app.get(DataSource));
    expect({ differences, unlisted, warnings }).toEqual({ differences: [], unlisted: 0, warnings: [] });
  });

  /** Adds a budget of the workspace, to see that the counters of budgets are moved as well. */
  async function addBudget(): Promise<void> {
    await ledger.query(
      `insert into budgets select account_id, 'workspace', workspace_id::text, 'weekly', 50, false
       from api_keys where hash = $1`,
      [hashKey(API_KEY)],
    );
  }

  /** What the account, the key and the workspace have used and hold. */
  async function counters(): Promise<Record<string, { used: number; held: number }>> {
    const rows = (await ledger.query(
      `select scope, used, held from spending_windows
       where scope = 'account' or (scope = 'key' and interval = 'lifetime') or scope = 'workspace'`,
    )) as JsonBody[];
    return Object.fromEntries(rows.map(({ scope, used, held }) => [scope, { used: Number(used), held: Number(held) }]));
  }

  async function expectUsed(before: Awaited<ReturnType<typeof counters>>, amount: number): Promise<void> {
    const now = await counters();
    for (const scope of ['account', 'key', 'workspace']) {
      expect({ scope, held: now[scope]!.held }).toEqual({ scope, held: 0 });
      expect(now[scope]!.used - (before[scope]?.used ?? 0)).toBeCloseTo(amount, 9);
    }
    expect(await ledger.openHolds()).toBe(0);
  }

  const recoveredCount = async (): Promise<number> => {
    const text = await (await fetch(`${gateway.origin}/metrics`)).text();
    return Number(/^fairlead_ledger_events_total\{event="recovered"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };

  /** USD of a counter of the metrics, all of its series together. */
  const counted = (text: string, name: string): number =>
    [...text.matchAll(new RegExp(`^${name}\\{.*\\} (.*)$`, 'gm'))].reduce((sum, [, usd]) => sum + Number(usd), 0);

  const money = async (): Promise<{ readonly spend: number; readonly operator: number }> => {
    // As the process has it at this moment: the route answers for a while with what it had.
    const text = await gateway.gateway.app.get(Metrics, { strict: false }).text();
    return {
      spend: counted(text, 'fairlead_spend_usd_total'),
      operator: counted(text, 'fairlead_operator_cost_usd_total'),
    };
  };

  it.each([
    ['a provider', { provider: 'p0', model: MODEL }],
    ['an engine alone', { provider: null, model: null }],
  ])('reports what a dead replica has left to the metrics, of %s', async (_, called) => {
    const before = await money();
    const dead = await OtherReplica.start(gateway, clock);
    const id = await dead.hold();
    await dead.beat(await dead.row(id, '0.004', { ...called, operator_cost: '0.002' }));
    await dead.fallSilent(DEAD_MS + 1_000);
    clock.aheadMs += DEAD_MS + 1_000;
    await attend(gateway);
    expect(await ledger.generation(id)).toMatchObject({ is_recovered: true, operator_cost: '0.002000000000' });
    const after = await money();
    expect(after.operator - before.operator).toBeCloseTo(0.002, 9);
    expect(after.spend - before.spend).toBeCloseTo(called.provider === null ? 0 : 0.004, 9);
  });

  it('settles the holds of a dead replica with their observed state, and at zero where there is none', async () => {
    const before = await counters();
    const countBefore = await recoveredCount();
    const dead = await OtherReplica.start(gateway, clock);
    const [seen, unseen] = [await dead.hold(), await dead.hold()];
    await dead.beat(
      await dead.row(seen, '0.004', {
        completion_tokens: 266,
        outcome: 'running',
        streamed: true,
        tags: { team: 'a' },
      }),
    );
    expect((await counters())['workspace']!.held).toBeCloseTo(0.02, 9);
    await dead.fallSilent(DEAD_MS + 1_000);
    clock.aheadMs += DEAD_MS + 1_000;
    await attend(gateway);

    expect(await ledger.generation(seen)).toMatchObject({
      outcome: 'recovered',
      is_recovered: true,
      is_corrected: false,
      cost: '0.004000000000',
      bound: '0.010000000000',
      completion_tokens: '266',
      streamed: true,
      tags: { team: 'a' },
    });
    expect(await ledger.generation(unseen)).toMatchObject({
      outcome: 'recovered',
      is_recovered: true,
      is_estimated: true,
      cost: '0.000000000000',
      requested_model: MODEL,
      model: null,
    });
    for (const [id, amount] of [
      [seen, '0.004000000000'],
      [unseen, '0.000000000000'],
    ] as const) {
      expect(await ledger.entriesOf(id)).toEqual([{ kind: 'charge', amount }]);
    }
    await expectUsed(before, 0.004);
    expect((await recoveredCount()) - countBefore).toBe(2);
    await attend(gateway);
    await expectUsed(before, 0.004);
  });

  it.each([
    ['has beaten within 15 seconds', DEAD_MS - 5_000, DEAD_MS + 1_000],
    ['took the hold within 15 seconds', DEAD_MS + 60_000, DEAD_MS - 5_000],
  ])('leaves a replica alone that %s', async (_, silentMs, heldMs) => {
    const before = await counters();
    const other = await OtherReplica.start(gateway, clock);
    const id = await other.hold();
    await other.fallSilent(silentMs);
    clock.aheadMs += heldMs;
    await attend(gateway);
    expect(await ledger.generation(id)).toBeUndefined();
    expect((await counters())['account']!.held).toBeCloseTo(0.01, 9);
    await other.settle(await other.row(id, '0.003'));
    await expectUsed(before, 0.003);
  });

  it.each([
    ['more', '0.004', '0.009', '0.005000000000'],
    ['less', '0.004', '0.001', '-0.003000000000'],
    ['the same', '0.004', '0.004', '0.000000000000'],
    ['something unseen', undefined, '0.002', '0.002000000000'],
  ])(
    'enters one correction when the dead one only slept and settles %s, however often it does',
    async (_, observed, cost, correction) => {
      const before = await counters();
      const sleeper = await OtherReplica.start(gateway, clock);
      const id = await sleeper.hold();
      if (observed !== undefined) await sleeper.beat(await sleeper.row(id, observed));
      await sleeper.fallSilent(DEAD_MS + 1_000);
      clock.aheadMs += DEAD_MS + 1_000;
      await attend(gateway);
      const own = await sleeper.row(id, cost, { completion_tokens: 7, provider: 'p0', outcome: 'completed' });
      for (let round = 0; round < 3; round++) await sleeper.settle(own);
      // Another price would not be accepted either: it is corrected once.
      await sleeper.settle({ ...own, cost: '0.01' });

      expect(await ledger.generation(id)).toMatchObject({
        is_recovered: true,
        is_corrected: true,
        outcome: 'completed',
        cost: expect.stringMatching(new RegExp(`^${cost}0*$`)),
        completion_tokens: '7',
        provider: 'p0',
      });
      expect(await ledger.entriesOf(id)).toEqual([
        { kind: 'charge', amount: expect.stringMatching(new RegExp(`^${observed ?? '0.0'}0*$`)) },
        { kind: 'correction', amount: correction },
      ]);
      await expectUsed(before, Number(cost));
      await attend(gateway);
      await expectUsed(before, Number(cost));
    },
  );

  it('releases a hold whose answer never came, after ten seconds, and writes no generation', async () => {
    const before = await counters();
    const own = await OtherReplica.start(gateway, clock);
    Object.assign(own, { id: gateway.gateway.app.get(LedgerService).replica });
    const id = await own.hold();
    clock.aheadMs += 8_000;
    await attend(gateway);
    expect(await ledger.openHolds()).toBe(1);
    clock.aheadMs += 3_000;
    await attend(gateway);
    await expectUsed(before, 0);
    expect(await ledger.generation(id)).toBeUndefined();
    expect(await ledger.entriesOf(id)).toEqual([]);
  });

  it('settles what can be settled although the database refuses the observed state of another', async () => {
    const before = await counters();
    const dead = await OtherReplica.start(gateway, clock);
    const [good, bad, unseen] = [await dead.hold(), await dead.hold(), await dead.hold()];
    await dead.beat(await dead.row(good, '0.004'), await dead.row(bad, 'no number'));
    await dead.fallSilent(DEAD_MS + 1_000);
    clock.aheadMs += DEAD_MS + 1_000;
    // A row that a refused statement still locks is skipped: the next sweep takes it.
    await until('all three are settled', async () => {
      await attend(gateway);
      return (await ledger.openHolds()) === 0;
    });
    expect((await ledger.generation(good)).cost).toBe('0.004000000000');
    for (const id of [bad, unseen]) {
      expect(await ledger.generation(id)).toMatchObject({ is_recovered: true, cost: '0.000000000000' });
    }
    expect(gateway.log.map(({ msg }) => msg)).toContain(
      `The generation ${bad} cannot be recovered as it was observed.`,
    );
    await expectUsed(before, 0.004);
  });

  it('leaves alone what runs here, and the holds of a replica with heartbeats, however old they are', async () => {
    const before = await counters();
    const { opened, open } = gate();
    upstream.script(sse([OPEN + delta('begun'), opened, END]));
    const reply = await gateway.messages(askStream(MODEL));
    const id = reply.headers.get('x-generation-id')!;
    const living = await OtherReplica.start(gateway, clock);
    const theirs = await living.hold();
    await living.beat(await living.row(theirs, '0.006'));
    clock.aheadMs += NOBODYS_MS + 1_000;
    await living.beat();
    await attend(gateway);
    expect(await ledger.generation(theirs)).toBeUndefined();
    expect(await ledger.generation(id)).toBeUndefined();
    await living.settle(await living.row(theirs, '0.006'));
    open();
    expect(await reply.text()).toContain('message_stop');
    await ledger.rest();
    expect(await ledger.generation(id)).toMatchObject({
      is_recovered: false,
      outcome: 'completed',
      cost: '0.000084000000',
    });
    await expectUsed(before, 0.006 + 0.000084);
  });

  it('writes the state of open streams every two seconds', async () => {
    const { opened, open } = gate();
    upstream.script(sse([OPEN + delta('forty characters are ten tokens or so...'), opened, END]));
    const reply = await gateway.messages(askStream(MODEL));
    const id = reply.headers.get('x-generation-id')!;
    let observed: JsonBody;
    await until('it is written', async () => {
      [{ observed }] = (await ledger.query('select observed from holds where generation_id = $1', [id])) as JsonBody[];
      return observed !== null && observed.completion_tokens === 10;
    });
    expect(observed).toMatchObject({ id, cost: '0.000159', prompt_tokens: 3, is_estimated: true, model: MODEL });
    open();
    await reply.text();
    await ledger.rest();
    expect((await ledger.generation(id)).cost).toBe('0.000084000000');
  });

  describe('sends heartbeats', () => {
    let ids: string[];
    let finish: () => Promise<void>;
    beforeEach(async () => {
      const { opened, open } = gate();
      upstream.script(sse([OPEN + delta('begun'), opened, END]));
      const replies = await Promise.all([1, 2].map(() => gateway.messages(askStream(MODEL))));
      ids = replies.map((reply) => reply.headers.get('x-generation-id')!);
      finish = async () => {
        open();
        await Promise.all(replies.map((reply) => reply.text()));
        await ledger.rest();
      };
      await ledger.query(`update holds set observed = null`);
      await ledger.query(`update replicas set heartbeat_at = now() - interval '10 seconds'`);
    });
    afterEach(() => finish());

    const openHold = (id: string): Hold =>
      [...gateway.gateway.app.get(LedgerService).openHolds].find((one) => one.id === id)!;

    const beatsAgain = async (): Promise<boolean> => {
      const { replica } = gateway.gateway.app.get(LedgerService);
      const [row] = (await ledger.query(
        `select heartbeat_at > now() - interval '5 seconds' as beats from replicas where id = $1`,
        [replica],
      )) as JsonBody[];
      return row.beats;
    };

    it('although the state of one of its calls cannot be printed', async () => {
      const hold = openHold(ids[0]!);
      const { observe } = hold;
      hold.observe = () => {
        throw new Error('a bug');
      };
      try {
        await attend(gateway);
      } finally {
        hold.observe = observe;
      }
      expect(await beatsAgain()).toBe(true);
    });

    it('although a row of them is refused', async () => {
      const repository = gateway.gateway.app.get(LedgerRepository);
      const beat = repository.writeHeartbeat.bind(repository);
      const refused = Object.assign(new Error('unsupported Unicode escape sequence'), { code: '22P05' });
      const hold = openHold(ids[0]!);
      const { observe } = hold;
      hold.observe = () => ({ ...observe!()!, cost: '0.009' });
      const spy = jest
        .spyOn(repository, 'writeHeartbeat')
        .mockImplementation((replica, rows) => (rows.length > 0 ? Promise.reject(refused) : beat(replica, rows)));
      try {
        await attend(gateway);
      } finally {
        spy.mockRestore();
        hold.observe = observe;
      }
      expect(await beatsAgain()).toBe(true);
    });

    it('and writes a row again only when its figures have changed', async () => {
      await attend(gateway);
      await ledger.query(`update holds set observed = '{"as": "it was"}' where generation_id = $1`, [ids[0]]);
      await attend(gateway);
      const observed = async (): Promise<JsonBody> =>
        ((await ledger.query('select observed from holds where generation_id = $1', [ids[0]])) as JsonBody[])[0]
          .observed;
      expect(await observed()).toEqual({ as: 'it was' });
      const hold = openHold(ids[0]!);
      const { observe } = hold;
      hold.observe = () => ({ ...observe!()!, completion_tokens: 99 });
      await attend(gateway);
      hold.observe = observe;
      expect(await observed()).toMatchObject({ id: ids[0], completion_tokens: 99 });
    });
  });

  it.each([
    ['is deadlocked', '40P01'],
    ['is cancelled by a time limit of the role', '57014'],
    ['meets a server that can only be read, as after a failover', '25006'],
    ['finds the disk full', '53100'],
  ])('charges a call whose settlement %s, once, when that is over', async (_, code) => {
    const before = await counters();
    const repository = gateway.gateway.app.get(LedgerRepository);
    const spy = jest
      .spyOn(repository, 'settle')
      .mockRejectedValue(Object.assign(new Error('as the server reports'), { code }));
    const reply = await gateway.messages(ask(MODEL));
    expect(reply.status).toBe(200);
    const { id } = (await reply.json()) as JsonBody;
    // While it lasts, the sweep has run.
    clock.aheadMs += 11_000;
    await attend(gateway).catch(() => undefined);
    expect((await counters())['account']!.held).toBeGreaterThan(0);
    spy.mockRestore();
    await ledger.rest();
    expect(await ledger.generation(id)).toMatchObject({ outcome: 'completed', is_recovered: false });
    expect(await ledger.entriesOf(id)).toEqual([{ kind: 'charge', amount: '0.000141000000' }]);
    await expectUsed(before, 0.000141);
  });

  it.each(['40P01', '57014', '25006', '53100', '55P03'])(
    'refuses a new call as retryable, and keeps nothing of it, when the server answers %s to its hold',
    async (code) => {
      const before = await counters();
      const requests = upstream.requests.length;
      const spy = jest
        .spyOn(gateway.gateway.app.get(LedgerRepository), 'take')
        .mockRejectedValue(Object.assign(new Error('as the server reports'), { code }));
      const reply = await gateway.messages(ask(MODEL));
      spy.mockRestore();
      expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await reply.text()).not.toContain('as the server reports');
      expect(upstream.requests).toHaveLength(requests);
      await expectUsed(before, 0);
    },
  );

  it('releases a hold whose caller left while it was taken', async () => {
    const before = await counters();
    const requests = upstream.requests.length;
    const repository = gateway.gateway.app.get(LedgerRepository);
    const take = repository.take.bind(repository);
    const { opened, open } = gate();
    let [isTaking, isTaken] = [false, false];
    const spy = jest.spyOn(repository, 'take').mockImplementation(async (...parameters) => {
      isTaking = true;
      await opened;
      const taken = await take(...parameters);
      isTaken = true;
      return taken;
    });
    const leaving = new AbortController();
    const gone = gateway.messages(ask(MODEL), { signal: leaving.signal }).catch(() => undefined);
    await until('it is taken', () => isTaking);
    leaving.abort();
    await gone;
    // The gateway has noticed it as soon as it answers another request.
    await (await fetch(`${gateway.origin}/health/live`)).text();
    open();
    await until('nothing is held', async () => {
      await ledger.rest();
      return isTaken && (await ledger.openHolds()) === 0;
    });
    spy.mockRestore();
    expect(upstream.requests).toHaveLength(requests);
    await expectUsed(before, 0);
  });

  it('settles a reply at the held amount when the ledger fails to extend the hold', async () => {
    const before = await counters();
    upstream.script(anthropicReply([{ type: 'text', text: 'x' }], { usage: { output_tokens: 5_000 } }));
    const repository = gateway.gateway.app.get(LedgerRepository);
    const take = repository.take.bind(repository);
    const failure = Object.assign(new Error('as the server reports'), { code: 'XX000' });
    const spy = jest
      .spyOn(repository, 'take')
      .mockImplementation((replica, members, livesMs) =>
        members.some((member) => member.extends) ? Promise.reject(failure) : take(replica, members, livesMs),
      );
    const reply = await gateway.messages(ask(MODEL));
    const { id } = (await reply.json()) as JsonBody;
    spy.mockRestore();
    expect(reply.status).toBe(200);
    await ledger.rest();
    const row = await ledger.generation(id);
    expect(row).toMatchObject({ is_over_bound: true, outcome: 'completed', cost: row.bound });
    await expectUsed(before, Number(row.bound));
  });

  it('keeps no hold for ever when a settlement fails because of a bug', async () => {
    const before = await counters();
    const service = gateway.gateway.app.get(LedgerService);
    const spy = jest.spyOn(service, 'settle').mockRejectedValueOnce(new Error('a bug'));
    const reply = await gateway.messages(ask(MODEL));
    expect(reply.status).toBe(200);
    await reply.text();
    spy.mockRestore();
    expect(service.openHolds.size).toBe(0);
    clock.aheadMs += NOBODYS_MS + 1_000;
    await attend(gateway);
    await expectUsed(before, 0);
    expect(await ledger.latest()).toMatchObject({ is_recovered: true });
  });

  it('settles a call with its observed state where the database always refuses its own settlement', async () => {
    const before = await counters();
    const { opened, open } = gate();
    upstream.script(sse([OPEN + delta('forty characters are ten tokens or so...'), opened, END]));
    const reply = await gateway.messages(askStream(MODEL));
    const id = reply.headers.get('x-generation-id')!;
    await attend(gateway);
    const spy = jest
      .spyOn(gateway.gateway.app.get(LedgerRepository), 'settle')
      .mockRejectedValue(Object.assign(new Error('value out of range'), { code: '22003' }));
    open();
    expect(await reply.text()).toContain('message_stop');
    spy.mockRestore();
    clock.aheadMs += 11_000;
    await attend(gateway);
    expect(await ledger.openHolds()).toBe(1);
    clock.aheadMs += NOBODYS_MS;
    await attend(gateway);
    expect(await ledger.generation(id)).toMatchObject({ is_recovered: true, cost: '0.000159000000' });
    await expectUsed(before, 0.000159);
  });
});

describeOnEachDatabase('relaxed durability', (database) => {
  let upstream: Upstream;
  let gateway: TestGateway;
  let ledger: LedgerReader;
  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    const relaxed = { ...variables, LEDGER_DURABILITY: 'relaxed' };
    gateway = await startGateway(database, { coolsDown: false, catalog: catalogAt(upstream), variables: relaxed });
    ledger = new LedgerReader(gateway);
  }, 240_000);
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });

  it('has the row soon after the last byte', async () => {
    upstream.script(sse([OPEN + delta('x'), END]));
    for (let round = 0; round < 5; round++) {
      const reply = await gateway.messages(askStream(MODEL));
      await reply.text();
      // Fifty milliseconds by design, on an idle machine.
      await until(
        'its row is there',
        async () => (await ledger.generation(reply.headers.get('x-generation-id')!)) !== undefined,
        500,
      );
    }
  });

  it('sends the last byte before the row is there, and loses nothing', async () => {
    const repository = gateway.gateway.app.get(LedgerRepository);
    const settle = repository.settle.bind(repository);
    const { opened, open } = gate();
    const spy = jest.spyOn(repository, 'settle').mockImplementation(async (rows) => {
      await opened;
      return settle(rows);
    });
    const reply = await gateway.messages(askStream(MODEL));
    expect(await reply.text()).toContain('message_stop');
    const id = reply.headers.get('x-generation-id')!;
    expect(await ledger.generation(id)).toBeUndefined();
    open();
    await ledger.rest();
    spy.mockRestore();
    expect(await ledger.generation(id)).toMatchObject({ outcome: 'completed' });
  });
});

describeOnPostgres('recovery by several replicas', (database) => {
  const clock = new AheadClock();
  let upstream: Upstream;
  let one: TestGateway;
  let other: TestGateway;
  let ledger: LedgerReader;
  beforeAll(async () => {
    upstream = await startUpstream('anthropic');
    const options = { clock, coolsDown: false, catalog: catalogAt(upstream), variables };
    one = await startGateway(database, options);
    other = await startGateway(database, options);
    ledger = new LedgerReader(one);
  }, 240_000);
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await upstream?.close();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await attend(one);
    await attend(other);
    const { differences, unlisted, warnings } = await verifyLedger(one.gateway.app.get(DataSource));
    expect({ differences, unlisted, warnings }).toEqual({ differences: [], unlisted: 0, warnings: [] });
  });

  const replicaOf = ({ gateway }: TestGateway): string => gateway.app.get(LedgerService).replica;
  const age = (replica: string, ms: number): Promise<JsonBody> =>
    ledger.query(`update replicas set heartbeat_at = now() - $2 * interval '1 millisecond' where id = $1`, [
      replica,
      ms,
    ]);
  /** A stream of `one` that has emitted forty characters, and a function that continues it to its end. */
  async function openStream(): Promise<{ readonly id: string; readonly end: () => Promise<string> }> {
    const { opened, open } = gate();
    upstream.script(sse([OPEN + delta('forty characters are ten tokens or so...'), opened, END]));
    const reply = await one.messages(askStream(MODEL));
    const id = reply.headers.get('x-generation-id')!;
    await until('it is observed', async () => {
      await attend(one);
      const [row] = (await ledger.query('select observed from holds where generation_id = $1', [id])) as JsonBody[];
      return row.observed?.completion_tokens === 10;
    });
    return {
      id,
      end: async () => {
        open();
        return reply.text();
      },
    };
  }

  it('settles each hold once when all do it at the same time', async () => {
    const before = await ledger.account();
    const dead = await OtherReplica.start(one, clock);
    const ids = await Promise.all(Array.from({ length: 60 }, () => dead.hold()));
    await dead.beat(...(await Promise.all(ids.slice(0, 30).map((id) => dead.row(id, '0.002')))));
    await dead.fallSilent(DEAD_MS + 1_000);
    clock.aheadMs += DEAD_MS + 1_000;
    await Promise.all([attend(one), attend(other), attend(one), attend(other)]);
    const [{ rows, charges, corrections }] = (await ledger.query(
      `select (select count(*)::int from generations where id = any($1) and is_recovered) as rows,
         (select count(*)::int from ledger_entries where generation_id = any($1) and kind = 'charge') as charges,
         (select count(*)::int from ledger_entries where generation_id = any($1) and kind <> 'charge') as corrections`,
      [ids],
    )) as JsonBody[];
    expect({ rows, charges, corrections }).toEqual({ rows: 60, charges: 60, corrections: 0 });
    await Promise.all([attend(one), attend(other)]);
    const after = await ledger.account();
    expect(after.held).toBe(0);
    expect(after.used - before.used).toBeCloseTo(30 * 0.002, 9);
    expect(await ledger.openHolds()).toBe(0);
  });

  it('corrects itself when a replica that was taken for dead ends its stream', async () => {
    const before = await ledger.account();
    const { id, end } = await openStream();
    const [{ epoch }] = (await ledger.query('select id as epoch from hold_epochs')) as JsonBody[];
    jest.spyOn(one.gateway.app.get(LedgerRepository), 'writeHeartbeat').mockResolvedValue(epoch);
    await age(replicaOf(one), DEAD_MS + 1_000);
    clock.aheadMs += DEAD_MS + 1_000;
    await attend(other);
    expect(await ledger.generation(id)).toMatchObject({
      is_recovered: true,
      is_corrected: false,
      cost: '0.000159000000',
    });
    expect((await ledger.account()).used - before.used).toBeCloseTo(0.000159, 9);
    expect(await end()).toContain('message_stop');
    await ledger.rest();
    expect(await ledger.generation(id)).toMatchObject({
      is_corrected: true,
      outcome: 'completed',
      cost: '0.000084000000',
    });
    expect(await ledger.entriesOf(id)).toEqual([
      { kind: 'charge', amount: '0.000159000000' },
      { kind: 'correction', amount: '-0.000075000000' },
    ]);
    const after = await ledger.account();
    expect(after.held).toBe(0);
    expect(after.used - before.used).toBeCloseTo(0.000084, 9);
  });

  it('loses nothing that a killed process has answered, and charges its open calls by their outcome', async () => {
    const before = await ledger.account();
    const process = await GatewayProcess.start(join(database.settings.dataDir, 'process'), {
      DATABASE_URL: database.settings.databaseUrl!.reveal(),
      FAIRLEAD_CATALOG: one.catalogPath,
    });
    try {
      upstream.script(anthropicText('Hi.'));
      const ids: string[] = [];
      for (let round = 0; round < 10; round++) {
        const replies = await Promise.all(Array.from({ length: 10 }, () => process.messages(ask(MODEL))));
        for (const reply of replies) {
          expect(reply.status).toBe(200);
          ids.push(((await reply.json()) as JsonBody).id);
        }
      }
      // Two streams with text, and one call without an answer yet.
      upstream.script(({ json: body }) =>
        body.stream === true ? sse([OPEN + delta('forty characters are ten tokens or so...'), HANG]) : neverAnswers(),
      );
      const streams = await Promise.all([1, 2].map(() => process.messages(askStream(MODEL))));
      const unanswered = process.messages(ask(MODEL)).catch(() => undefined);
      const open = (): Promise<JsonBody[]> =>
        ledger.query('select * from holds where cost is null') as Promise<JsonBody[]>;
      await until('all are held and observed', async () => {
        const holds = await open();
        return (
          holds.filter(({ observed }) => observed?.completion_tokens === 10).length === 2 &&
          holds.filter(({ observed }) => observed?.operator_cost === '0.000021').length === 1
        );
      });
      const holds = await open();
      await process.kill();
      await unanswered;
      await Promise.all(streams.map((stream) => stream.text().catch(() => undefined)));

      await age(holds[0].replica, DEAD_MS + 1_000);
      clock.aheadMs += DEAD_MS + 1_000;
      await attend(other);
      const [{ charged }] = (await ledger.query(
        `select count(*)::int as charged from generations g join ledger_entries e on e.generation_id = g.id
         where g.id = any($1) and g.cost = 0.000141 and e.amount = g.cost and not g.is_recovered`,
        [ids],
      )) as JsonBody[];
      expect(charged).toBe(100);
      const recovered = (await ledger.query(
        'select cost, operator_cost from generations where id = any($1) and is_recovered order by cost',
        [holds.map(({ generation_id }) => generation_id)],
      )) as JsonBody[];
      // A dead replica owes what was sent, like one that stops: its caller got nothing.
      expect(recovered.map((row) => [Number(row.cost), Number(row.operator_cost)])).toEqual([
        [0, 0.000021],
        [0.000159, 0],
        [0.000159, 0],
      ]);
      const after = await ledger.account();
      expect(after.held).toBe(0);
      expect(after.used - before.used).toBeCloseTo(100 * 0.000141 + 2 * 0.000159, 9);
      const { data } = (await (await other.request('/key')).json()) as JsonBody;
      expect(data.usage).toBeCloseTo(after.used, 9);
    } finally {
      await process.kill();
    }
  }, 240_000);

  // Last: for these gateways the time is ahead, and stands still for a while.
  it('takes no replica for dead after an outage in which none could send heartbeats', async () => {
    const { id, end } = await openStream();
    const dead = await OtherReplica.start(one, clock);
    const lost = await dead.hold();
    const now = performance.now.bind(performance);
    let aheadMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
    const pass = (ms: number): void => {
      aheadMs += ms;
      clock.aheadMs += ms;
    };
    // Both replicas are kept from it by the outage.
    pass(DEAD_MS + 5_000);
    for (const replica of [replicaOf(one), replicaOf(other), dead.id]) await age(replica, DEAD_MS + 5_000);
    await attend(other);
    expect(await ledger.generation(id)).toBeUndefined();
    await attend(one);
    // By then every living one has sent a heartbeat again.
    for (let step = 0; step < 3; step++) {
      pass(DEAD_MS / 3 + 100);
      await attend(other);
      await attend(one);
    }
    expect(await ledger.generation(id)).toBeUndefined();
    expect(await ledger.generation(lost)).toMatchObject({ is_recovered: true, cost: '0.000000000000' });
    await end();
    await ledger.rest();
    expect(await ledger.generation(id)).toMatchObject({ is_recovered: false, outcome: 'completed' });
  });
});
