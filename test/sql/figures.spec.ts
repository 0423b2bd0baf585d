// Figures equal the generations that they sum up, whatever was written when: every kind of change is made before, while
// and after the hours get their figures, and each query is answered from figures and, by another way, from rows. On
// both databases; on PostgreSQL also beside concurrent writers, two replicas and one that dies.
import { EntityManager, type DataSource } from 'typeorm';
import { DAY_MS, HOUR_MS } from '../../src/core/time.js';
import { findDimension } from '../../src/ledger/figures/dimensions.js';
import type { FiguresQuery, FiguresRow } from '../../src/ledger/figures/figures-query.js';
import { FiguresRepository } from '../../src/ledger/figures/figures.repository.js';
import { METRIC_NAMES, METRICS } from '../../src/ledger/figures/metrics.js';
import { runFiguresRebuild } from '../../src/ledger/figures/rebuild-figures-command.js';
import { RollUpRepository } from '../../src/ledger/figures/roll-up.repository.js';
import { RollUps } from '../../src/ledger/figures/roll-ups.js';
import { GenerationPartitionsRepository } from '../../src/ledger/generations/generation-partitions.repository.js';
import type { GenerationRow } from '../../src/ledger/generations/generation-row.js';
import { verifyLedger } from '../../src/ledger/verify/verify-ledger.js';
import { Statements } from '../../src/shared/database/statements.js';
import { expectUsage, outputOf } from '../support/command-output.js';
import { AheadClock } from '../support/ahead-clock.js';
import { describeOnEachDatabase, describeOnPostgres } from '../support/database.js';
import { addKey, addStrangers, generationRow, settle, type Owner } from '../http/generation-rows.js';

const DAY = Date.UTC(2027, 0, 12);
const at = (hours: number): string => new Date(DAY + hours * HOUR_MS).toISOString();
const CLEAN = { differences: [], unlisted: 0 };
const SUMS = METRIC_NAMES.filter((name) => !METRICS[name].needsRows);

/** The method itself, for the time in which a test stands before it. */
const original = Object.getOwnPropertyDescriptor(EntityManager.prototype, 'query')!.value as (
  this: EntityManager,
  text: string,
  values?: unknown,
) => Promise<unknown>;

/** An account whose credits suffice for everything, so that each settlement is charged in full. */
async function addOwner(store: DataSource): Promise<Owner> {
  const owner = await addStrangers(store);
  await store.query(
    `insert into spending_windows (account_id, scope, scope_id, interval, window_start, "limit")
     values ($1::uuid, 'account', $1::text, 'lifetime', window_start_of('lifetime', now()), 1000000)`,
    [owner.account_id],
  );
  await store.query(
    `insert into credit_grants (id, account_id, kind, amount, created_at) values (gen_random_uuid(), $1, 'grant', 1000000, now())`,
    [owner.account_id],
  );
  return owner;
}

const rollUpsOf = (database: DataSource, clock: AheadClock): RollUps =>
  new RollUps(new RollUpRepository(database, clock));

describeOnEachDatabase('figures', (database) => {
  const clock = new AheadClock();
  let store: DataSource;
  let figures: FiguresRepository;
  let rolls: RollUps;
  let owner: Owner;
  let neighbour: Owner;

  const moveTo = (time: string): void => {
    clock.aheadMs = Date.parse(time) - Date.now();
  };
  const dimensions = (...names: string[]): FiguresQuery['dimensions'] =>
    names.map((name) => findDimension(name, 'activity')!);
  const query = (changes: Partial<FiguresQuery> = {}): FiguresQuery => ({
    accountId: owner.account_id,
    since: DAY - DAY_MS,
    until: DAY + 3 * DAY_MS,
    dimensions: [],
    metrics: SUMS,
    filters: [],
    order: [],
    limit: 10_000,
    ...changes,
  });
  const filterOf = (name: string, value: string): FiguresQuery['filters'][number] => ({
    field: dimensions(name)[0]!,
    operator: 'eq',
    values: [value],
    includesUnset: false,
    takesNames: false,
  });
  /** What the rows state: `session` makes the whole range come from them, and is null in all. */
  const fromRows = async (changes: Partial<FiguresQuery>): Promise<FiguresRow[]> => {
    const rows = await figures.read(
      query({
        ...changes,
        filters: [
          ...(changes.filters ?? []),
          {
            field: dimensions('session')[0]!,
            operator: 'neq',
            values: ['none'],
            includesUnset: true,
            takesNames: false,
          },
        ],
      }),
    );
    return [...rows];
  };
  const expectEqual = async (): Promise<void> => {
    for (const changes of [
      {},
      { granularity: 'hour', dimensions: dimensions('model', 'endpoint') },
      { granularity: 'day', dimensions: dimensions('key', 'api') },
      { granularity: 'day', dimensions: dimensions('workspace', 'error_type') },
      { granularity: 'month', dimensions: dimensions('member', 'provider') },
      { granularity: 'week', dimensions: dimensions('dialect', 'status') },
      { dimensions: dimensions('outcome'), since: DAY + HOUR_MS / 3, until: DAY + 2 * DAY_MS + HOUR_MS / 7 },
      { granularity: 'hour', dimensions: dimensions('key', 'model'), filters: [filterOf('model', 'test/other')] },
    ] satisfies Partial<FiguresQuery>[]) {
      const rows = await figures.read(query(changes));
      expect(rows).toEqual(await fromRows(changes));
      if (Object.keys(changes).length > 0) expect(await figures.count(query(changes))).toBe(rows.length);
    }
    expect(await figures.count(query({ granularity: 'hour', limit: 1 }))).toBe(1);
    expect(await verifyLedger(store)).toMatchObject(CLEAN);
  };
  const count = async (where: string): Promise<number> => {
    const [row] = await store.query<{ count: string }[]>(`select count(*) from ${where}`);
    return Number(row!.count);
  };

  beforeAll(async () => {
    store = await database.connect();
    figures = new FiguresRepository(store);
    rolls = rollUpsOf(store, clock);
    owner = await addOwner(store);
    neighbour = await addKey(store, owner.account_id);
    const strangers = await addOwner(store);
    const kinds: Partial<GenerationRow>[] = [
      {
        model: 'test/other',
        endpoint: 'p1/turbo',
        provider: 'p1',
        provider_name: 'Provider p1',
        dialect: 'openai-chat',
      },
      { outcome: 'provider-overloaded', model: null, provider: null, provider_name: null, endpoint: null, cost: '0' },
      {
        api_type: 'chat',
        key_user: 'anna',
        latency_ms: 120,
        generation_ms: 900,
        reasoning_tokens: 4,
        cache_read_tokens: 9,
      },
      { cost: '0.000000000001', byok_cost: '1.5', is_byok: true, operator_cost: '0.25' },
      {
        outcome: 'provider-rejected-request',
        attempts: [{ status: 422 }],
        cache_write_tokens: 3,
        cache_write_1h_tokens: 2,
      },
      {},
    ];
    const rows: GenerationRow[] = [];
    for (let index = 0; index < 240; index++)
      rows.push(
        generationRow(index % 5 === 0 ? neighbour : owner, {
          held_at: new Date(DAY - DAY_MS + index * 0.3 * HOUR_MS).toISOString(),
          cost: `0.${index + 1}`,
          prompt_tokens: index,
          completion_tokens: 7,
          ...kinds[index % kinds.length],
        }),
      );
    rows.push(generationRow(strangers, { held_at: at(5), cost: '500' }));
    await settle(store, ...rows);
  }, 240_000);
  afterAll(() => store?.destroy());

  it('are those of rows before any were written', expectEqual);

  it('are the same once they were written, and read from them', async () => {
    moveTo(at(30.5));
    await rolls.rollAll(0);
    await expectEqual();
    expect(await count(`generation_figures where span = 'day' and at >= '${at(0)}'`)).toBeGreaterThan(0);
    expect(await count(`generation_figures where at >= '${at(30)}'`)).toBe(0);
    // A row that was not noted shows that figures are read, and is found by the verification.
    const unnoted = generationRow(owner, { held_at: at(2), cost: '9' });
    await store.query('insert into generations select (json_populate_record(null::generations, $1)).*', [
      JSON.stringify(unnoted),
    ]);
    expect(await figures.read(query())).not.toEqual(await fromRows({}));
    const { differences } = await verifyLedger(store);
    expect(differences.filter(({ what }) => what.startsWith('figures'))).toEqual([
      {
        what: 'figures of the hour 2027-01-12T02:00Z',
        expected: expect.stringMatching(/9 USD|requests/),
        found: expect.any(String),
      },
      {
        what: 'figures of the hour 2027-01-12T02:00Z, by key',
        expected: expect.any(String),
        found: expect.any(String),
      },
      {
        what: 'figures of the hour 2027-01-12T02:00Z, by member',
        expected: expect.any(String),
        found: expect.any(String),
      },
    ]);
    await store.query('delete from generations where id = $1', [unnoted.id]);
    await expectEqual();
  });

  it('take up settlements of written hours, recovered and corrected ones too', async () => {
    const late = generationRow(owner, { held_at: at(3), cost: '3' });
    const recovered = generationRow(owner, { held_at: at(-20), cost: '2', is_recovered: true, outcome: 'recovered' });
    for (const row of [late, recovered]) {
      await store.query('select settle_generations_2($1)', [JSON.stringify([row])]);
      await expectEqual();
      await store.query('select post_holds_2($1)', [[row.id]]);
      await expectEqual();
    }
    expect(await count('figure_changes')).toBe(2);
    await rolls.rollAll(0);
    expect(await count('figure_changes')).toBe(0);
    await expectEqual();
    await settle(store, {
      ...recovered,
      cost: '2.5',
      outcome: 'completed',
      model: 'test/corrected',
      is_recovered: false,
    });
    await expectEqual();
    await rolls.rollAll(0);
    await expectEqual();
    expect(await figures.read(query({ dimensions: dimensions('model'), metrics: ['total_usage'] }))).toContainEqual(
      expect.objectContaining({ dimension_0: 'test/corrected', total_usage: expect.stringMatching(/^2\.50*$/) }),
    );
  });

  it('keep a change that is posted while its hour is written again', async () => {
    const row = (): GenerationRow => generationRow(owner, { held_at: at(4), cost: '1' });
    await settle(store, row());
    const later = row();
    const before = await store.query('select * from figure_changes');
    expect(before).toHaveLength(1);
    const passed = jest.spyOn(EntityManager.prototype, 'query');
    passed.mockImplementation(async function (this: EntityManager, text: string, values?: unknown) {
      // The change is posted between the reading of the hour and the deletion of what was noted: on the embedded
      // database, which has one session, by the same transaction.
      if (text.startsWith('DELETE FROM figure_changes')) {
        passed.mockRestore();
        await settle(database.kind === 'postgres' ? store : (this as unknown as DataSource), later);
      }
      return original.call(this, text, values);
    });
    await rolls.rollAll(0);
    expect(await count('figure_changes')).toBe(1);
    await expectEqual();
    await rolls.rollAll(0);
    expect(await count('figure_changes')).toBe(0);
    await expectEqual();
  });

  it('of weeks are those of rows, also while an hour of the week has changed', async () => {
    const monday = DAY - DAY_MS;
    const long = { since: monday - 2 * DAY_MS, until: monday + 9 * DAY_MS };
    const expectLong = async (): Promise<void> => {
      for (const changes of [
        { dimensions: dimensions('key', 'model') },
        { dimensions: dimensions('member', 'error_type'), granularity: 'week' },
        { dimensions: dimensions('provider'), granularity: 'month' },
        { dimensions: dimensions('status'), filters: [filterOf('key', neighbour.key_hash)] },
        { dimensions: dimensions('key'), filters: [filterOf('member', 'anna')] },
      ] satisfies Partial<FiguresQuery>[])
        expect(await figures.read(query({ ...long, ...changes }))).toEqual(await fromRows({ ...long, ...changes }));
      expect(await verifyLedger(store)).toMatchObject(CLEAN);
    };
    await expectLong();
    moveTo(new Date(monday + 8 * DAY_MS).toISOString());
    await rolls.rollAll(0);
    const isWeek = `generation_figures where span = 'week' and at = '${new Date(monday).toISOString()}'`;
    expect(await count(`${isWeek} and detail = 'key'`)).toBeGreaterThan(0);
    await expectLong();
    await settle(store, generationRow(neighbour, { held_at: at(6), cost: '8', key_user: 'anna' }));
    await expectLong();
    await rolls.rollAll(0);
    expect(await count('figure_changes')).toBe(0);
    await expectLong();
    // Weekly figures are read, and verified.
    await store.query(`update ${isWeek.replace(' where', ' set requests = requests + 1 where')} and detail = 'member'`);
    expect(await figures.read(query({ ...long, dimensions: dimensions('member') }))).not.toEqual(
      await fromRows({ ...long, dimensions: dimensions('member') }),
    );
    const { differences } = await verifyLedger(store);
    expect(differences.map(({ what }) => what)).toEqual(['figures of the week 2027-01-11T00:00Z, by member']);
    await store.query(`update ${isWeek.replace(' where', ' set requests = requests - 1 where')} and detail = 'member'`);
  });

  it('are written again from nothing', async () => {
    const before = await figures.read(query({ granularity: 'hour', dimensions: dimensions('key', 'model') }));
    await new RollUpRepository(store, clock).forget();
    expect(await count('generation_figures')).toBe(0);
    await expectEqual();
    await rolls.rollAll(0);
    expect(await figures.read(query({ granularity: 'hour', dimensions: dimensions('key', 'model') }))).toEqual(before);
    await expectEqual();
  });
});

describeOnEachDatabase('figures of a dropped month', (database) => {
  let store: DataSource;
  beforeAll(async () => {
    store = await database.connect();
  });
  afterAll(() => store?.destroy());

  it('stay, whether they were written before or not, and late rows are added to them', async () => {
    const clock = new AheadClock();
    const owner = await addOwner(store);
    const figures = new FiguresRepository(store);
    const months = new GenerationPartitionsRepository(store, new Statements(store), clock);
    const heldAt = ['2020-01-03T04:05:06Z', '2020-01-31T23:59:59Z', '2020-02-01T00:00:00Z', '2020-02-20T00:00:00Z'];
    await settle(store, ...heldAt.map((held_at) => generationRow(owner, { held_at, cost: '1.5' })));
    const read = async (granularity: 'hour' | 'day' | 'week' | 'month'): Promise<readonly unknown[]> => {
      const rows = await figures.read({
        accountId: owner.account_id, since: Date.UTC(2020, 0), until: Date.UTC(2020, 2), granularity,
        dimensions: [findDimension('key', 'activity')!], metrics: ['request_count', 'total_usage'], filters: [], order: [], limit: 100,
      }); // oxfmt-ignore
      return rows.map(({ date, request_count, total_usage }) => [
        date?.toISOString(),
        request_count,
        Number(total_usage),
      ]);
    };
    const all = async () => [await read('hour'), await read('day'), await read('week'), await read('month')];
    const before = await all();
    const drop = async (month: number): Promise<void> => {
      const [first, next] = [new Date(Date.UTC(2020, month)), new Date(Date.UTC(2020, month + 1))];
      expect(await months.drop({ table: 'generations', first })).toBe('dropped');
      expect(
        await store.query('select 1 from generations where held_at >= $1 and held_at < $2', [first, next]),
      ).toEqual([]);
    };
    // The first one while nothing has figures, the second one with a changed hour.
    await drop(0);
    expect(await all()).toEqual(before);
    await rollUpsOf(store, clock).rollAll(0);
    expect(await all()).toEqual(before);
    await settle(store, generationRow(owner, { held_at: '2020-02-20T00:30:00Z', cost: '0.25' }));
    const changed = await all();
    expect(changed).not.toEqual(before);
    await drop(1);
    expect(await all()).toEqual(changed);
    await settle(store, generationRow(owner, { held_at: '2020-01-03T04:00:00Z', cost: '7' }));
    expect((await read('day'))[0]).toEqual(['2020-01-03T00:00:00.000Z', '2', 8.5]);
    await rollUpsOf(store, clock).rollAll(0);
    expect((await read('day'))[0]).toEqual(['2020-01-03T00:00:00.000Z', '2', 8.5]);
    expect((await read('hour'))[0]).toEqual(['2020-01-03T04:00:00.000Z', '2', 8.5]);
    // A week with the end of one month and the beginning of the next.
    expect(await read('week')).toContainEqual(['2020-01-27T00:00:00.000Z', '2', 3]);
    await new RollUpRepository(store, clock).forget();
    expect((await read('month'))[0]).toEqual(['2020-01-01T00:00:00.000Z', '3', 10]);
    const weeks = await read('week');
    await rollUpsOf(store, clock).rollAll(0);
    expect((await read('month'))[0]).toEqual(['2020-01-01T00:00:00.000Z', '3', 10]);
    expect(await read('week')).toEqual(weeks);
    const { differences } = await verifyLedger(store);
    expect(differences.filter(({ what }) => what.startsWith('figures'))).toEqual([]);
  });
});

describeOnPostgres('figures beside writers', (database) => {
  it('stay exact while hours end, calls settle late, two replicas write figures and a third one dies again and again', async () => {
    const clock = new AheadClock();
    const stores: DataSource[] = [];
    const open = async (): Promise<DataSource> => {
      stores.push(await database.connect());
      return stores.at(-1)!;
    };
    try {
      const store = await open();
      const owner = await addOwner(store);
      const figures = new FiguresRepository(await open());
      const whole = { accountId: owner.account_id, since: 0, until: Date.UTC(2100, 0), dimensions: [], metrics: ['request_count', 'total_usage'], filters: [], order: [], limit: 1 } as const; // oxfmt-ignore
      const settled = async (): Promise<number> => {
        const [row] = await store.query<{ count: string }[]>('select count(*) from generations');
        return Number(row!.count);
      };
      await store.query(
        "select ensure_month_1(now() + number * interval '20 days') from generate_series(0, 20) as number",
      );
      let isOver = false;
      let posted: string[] = [];
      const writer = async (worker: number): Promise<void> => {
        const own = await open();
        for (let round = 0; round < 150; round++) {
          const rows = Array.from({ length: 3 }, (_, index) =>
            generationRow(owner, {
              held_at: new Date(clock.now() - ((round * 7 + index + worker) % 240) * 60_000).toISOString(),
              cost: `0.00${worker}${round}`,
              is_recovered: index === 0,
              model: `test/model-${(round + index) % 4}`,
            }),
          );
          await own.query('select settle_generations_2($1)', [JSON.stringify(rows)]);
          // Corrected before or after it was posted.
          if (round % 2 === 0) await own.query('select post_holds_2($1)', [rows.map(({ id }) => id)]);
          const corrected = { ...rows[0]!, cost: '0.5', is_recovered: false, model: 'test/corrected' };
          await own.query('select settle_generations_2($1)', [JSON.stringify([corrected])]);
          posted.push(...rows.map(({ id }) => id));
        }
      };
      const poster = async (): Promise<void> => {
        const own = await open();
        while (!isOver || posted.length > 0) {
          const ids = posted;
          posted = [];
          await own.query('select post_holds_2($1)', [ids]);
          clock.aheadMs += 20 * 60_000;
        }
      };
      const replica = async (): Promise<void> => {
        const rolls = rollUpsOf(await open(), clock);
        while (!isOver) await rolls.rollAll(0);
      };
      const dying = async (): Promise<void> => {
        const own = await open();
        const rolls = rollUpsOf(own, clock);
        while (!isOver) {
          const round = rolls.rollAll(0).catch(() => undefined);
          await store.query(
            `select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and query like '%generation_figures%' and state <> 'idle' and pid <> pg_backend_pid()`,
          );
          await round;
        }
      };
      const reader = async (): Promise<void> => {
        while (!isOver) {
          const before = await settled();
          const [row] = await figures.read(whole).catch(() => []);
          const after = await settled();
          if (row === undefined) continue;
          expect(Number(row['request_count'])).toBeGreaterThanOrEqual(before);
          expect(Number(row['request_count'])).toBeLessThanOrEqual(after);
        }
      };
      const writers = Promise.all([1, 2, 3].map(writer)).finally(() => (isOver = true));
      await Promise.all([
        writers,
        poster(),
        replica().catch(() => undefined),
        replica().catch(() => undefined),
        dying(),
        reader(),
      ]);
      expect(await verifyLedger(store)).toMatchObject({ differences: [] });
      clock.aheadMs += 5 * HOUR_MS;
      await rollUpsOf(store, clock).rollAll(0);
      const [{ count, cost }] = await store.query('select count(*), sum(cost) as cost from generations');
      const [row] = await figures.read(whole);
      expect([row!['request_count'], Number(row!['total_usage'])]).toEqual([count, Number(cost)]);
      expect(await store.query('select * from figure_changes')).toEqual([]);
      expect(await verifyLedger(store)).toMatchObject({ differences: [] });
    } finally {
      await Promise.all(stores.map((store) => store.destroy()));
    }
  }, 240_000);
});

describeOnPostgres('rebuild figures', (database) => {
  it('explains itself', () => expectUsage(runFiguresRebuild, 'rebuild figures'));

  it('writes all figures again', async () => {
    const store = await database.connect();
    try {
      const owner = await addOwner(store);
      const heldAt = ['2020-01-03T04:05:06Z', '2020-01-03T04:59:00Z', '2020-02-01T00:00:00Z'];
      await settle(store, ...heldAt.map((held_at) => generationRow(owner, { held_at, cost: '1.5' })));
      const clock = new AheadClock();
      await rollUpsOf(store, clock).rollAll(0);
      await store.query('update generation_figures set cost = 7');
      const differences = async (): Promise<number> => (await verifyLedger(store)).differences.length;
      // Two hours, each without callers, by member and by key. Days and weeks are the sums of what was written.
      expect(await differences()).toBe(6);
      const variables = { DATABASE_URL: database.settings.databaseUrl!.reveal() };
      expect(await outputOf(runFiguresRebuild, { words: [], variables })).toEqual({
        code: 0,
        out: 'Wrote the figures of 2 hours.\n',
        error: '',
      });
      expect(await differences()).toBe(0);
    } finally {
      await store.destroy();
    }
  });
});
