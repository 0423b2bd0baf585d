/**
 * Lists of generations and of credits read by indexes alone, whatever the filters, and their pages add up to the whole
 * while others write. 10⁵ generations of five months on both databases, written by SQL; the plans are those of the very
 * statements that the routes send.
 */
import type { DataSource } from 'typeorm';
import { newUuid } from '../../src/core/ids.js';
import { entriesStatements, CreditEntriesRepository } from '../../src/ledger/credits/credit-entries.repository.js';
import {
  GenerationListRepository,
  generationsStatement,
  type GenerationFilter,
} from '../../src/ledger/generations/generation-list.repository.js';
import { GenerationPartitionsRepository } from '../../src/ledger/generations/generation-partitions.repository.js';
import { readAll, readPage, SCANNED_ROWS_MAX, type ReadBatch, type ScannedRow } from '../../src/ledger/keyset-lists.js';
import { Statements } from '../../src/shared/database/statements.js';
import type { ListPosition } from '../../src/shared/http/page-cursor.js';
import { AheadClock } from '../support/ahead-clock.js';
import { describeOnEachDatabase } from '../support/database.js';
import { LedgerBench, type LedgerAccount } from './ledger-bench.js';

const ROWS = 100_000;
const MONTHS = ['2026-07', '2026-08', '2026-09', '2026-10', '2026-11'];
const FIRST = new Date('2026-07-01T00:00:00Z');
/** Every second minute or so: the last one is of 2026-11. */
const STEP_MS = 130_000;
/** A range over parts of two months. */
const SHORT = { from: new Date('2026-08-28T00:00:00Z'), to: new Date('2026-09-03T00:00:00Z') };
/** As they are named by a migration, and in months that are made later. */
const INDEXES = {
  newest: /_account_id_held_at_idx$/,
  key: /_by_key$|_key_hash_held_at_idx$/,
  workspace: /_by_workspace$|_workspace_id_held_at_idx$/,
  session: /_by_session$|_hashtextextended_held_at_idx$/,
  user: /_by_user$|_hashtextextended_held_at_idx1$/,
  failed: /_by_outcome$|_account_id_outcome_held_at_idx$/,
};
const MONTHS_WITH_ROWS = /_(2026_07|2026_08|2026_09|2026_10|2026_11)$/;

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Plan Rows': number;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** Generations with what lists are filtered by: each hundredth failed, each thousandth is of a session. */
const FILL = `
  INSERT INTO generations (id, held_at, settled_at, account_id, workspace_id, key_hash, api_type, requested_model, model,
    provider, is_byok, streamed, outcome, prompt_tokens, completion_tokens, reasoning_tokens, cache_read_tokens,
    cache_write_tokens, cache_write_1h_tokens, images, web_searches, web_fetches, bound, cost, byok_cost, prompt_cost,
    completion_cost, tools_cost, operator_cost, is_estimated, is_over_bound, is_recovered, is_corrected, attempts,
    session_id, end_user)
  SELECT 'gen-' || n || '-' || lpad(n::text, 20, '0'), at, at, $1, ($2::uuid[])[1 + n % 2], ($3::text[])[1 + n % 20],
    'chat', 'a/m' || n % 7, 'a/m' || n % 7, 'p' || n % 5, false, false,
    CASE WHEN n % 100 = 0 THEN 'provider-overloaded' ELSE 'completed' END, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0,
    n % 1000 / 1000.0, 0, 0, 0, 0, 0, false, false, false, false, '[]',
    CASE WHEN n % 1000 = 0 THEN 'session-' || n % 3000 END, CASE WHEN n % 10 = 0 THEN 'user-' || n % 500 END
  FROM generate_series($4::int, $5::int - 1) AS n
  CROSS JOIN LATERAL (SELECT $6::timestamptz + n / 3 * $7::bigint * interval '1 millisecond' AS at) AS moment`;

describeOnEachDatabase('lists', (database) => {
  let dataSource: DataSource;
  let account: LedgerAccount;
  const workspaces = [newUuid(1), newUuid(2)];
  let generations: GenerationListRepository;
  let entries: CreditEntriesRepository;

  const fill = (from: number, to: number): Promise<unknown> =>
    dataSource.query(FILL, [account.id, workspaces, account.keys, from, to, FIRST.toISOString(), 3 * STEP_MS]);

  beforeAll(async () => {
    dataSource = await database.connect();
    const bench = new LedgerBench(dataSource);
    const unlimited = { limitUsd: null, reset: null, includesByok: false };
    account = await bench.addAccount('1000', { keys: Array.from({ length: 20 }, () => unlimited) });
    for (const month of MONTHS) await dataSource.query('SELECT ensure_month_1($1)', [`${month}-02T00:00:00Z`]);
    for (let from = 0; from < ROWS; from += 20_000) await fill(from, from + 20_000);
    await dataSource.query(
      `INSERT INTO ledger_entries (held_at, generation_id, kind, account_id, workspace_id, key_hash, amount, byok_amount, entered_at)
       SELECT held_at, id, kind, account_id, workspace_id, key_hash, cost, 0, settled_at FROM generations
       CROSS JOIN (VALUES ('charge'), ('correction')) AS kinds (kind) WHERE kind = 'charge' OR outcome <> 'completed'`,
    );
    for (let count = 0; count < 20; count++) await bench.grant(account, '5', 'purchase');
    await dataSource.query('ANALYZE generations');
    await dataSource.query('ANALYZE ledger_entries');
    generations = new GenerationListRepository(dataSource);
    entries = new CreditEntriesRepository(dataSource);
  }, 240_000);
  afterAll(() => dataSource?.destroy());

  async function nodesOf(text: string, values: unknown[]): Promise<PlanNode[]> {
    const [row] = await dataSource.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }[]>(
      `EXPLAIN (FORMAT JSON) ${text}`,
      values,
    );
    const plan = row!['QUERY PLAN'];
    const list: PlanNode[] = [];
    const walk = (node: PlanNode): void => {
      list.push(node);
      node.Plans?.forEach(walk);
    };
    walk((typeof plan === 'string' ? (JSON.parse(plan) as typeof plan) : plan)[0]!.Plan);
    return list;
  }

  const after: ListPosition = { at: new Date('2026-10-01T00:00:00Z'), id: 'gen-1-a' };
  const range = { from: new Date('2026-08-10T00:00:00Z'), to: new Date('2026-11-01T00:00:00Z') };
  const filters: [string, keyof typeof INDEXES, Partial<GenerationFilter> | (() => Partial<GenerationFilter>)][] = [
    ['all', 'newest', {}],
    ['a range', 'newest', range],
    ['a key', 'key', () => ({ keyHash: account.keys[3]! })],
    ['a key and a model', 'key', () => ({ keyHash: account.keys[3]!, model: 'a/m1' })],
    ['a user', 'user', { user: 'user-10' }],
    ['a session', 'session', { sessionId: 'session-1000' }],
    ['an unknown session', 'session', { sessionId: 'none' }],
    ['failures', 'failed', { outcomes: ['provider-overloaded'] }],
    ['a workspace', 'workspace', { workspaceId: workspaces[1]! }],
    ['a rare model', 'newest', { ...range, model: 'none' }],
    ['a provider', 'newest', { ...range, provider: 'p1' }],
    ['a cost', 'newest', { ...range, minCost: 999_000_000_000n }],
  ];

  it.each(filters)('read %s by an index of each partition', async (_, index, given) => {
    const filter = { accountId: account.id, ...(typeof given === 'function' ? given() : given) };
    for (const position of [undefined, after]) {
      const { text, values } = generationsStatement(filter, position, 51);
      const nodes = await nodesOf(text, values);
      // Months without rows are scanned in any way.
      const scans = nodes.filter((node) => MONTHS_WITH_ROWS.test(node['Relation Name'] ?? ''));
      expect(scans.length).toBeGreaterThan(1);
      for (const { 'Node Type': type, 'Index Name': name = type, Plans: [under] = [] } of scans) {
        const used = type === 'Bitmap Heap Scan' ? under!['Index Name']! : name;
        expect([used, INDEXES[index].test(used) || INDEXES.newest.test(used)]).toEqual([used, true]);
      }
      // Nothing is sorted as a whole, unless there are few.
      const sorts = nodes.filter((node) => node['Node Type'] === 'Sort');
      expect(sorts.filter(({ 'Plan Rows': rows }) => rows > 4 * SCANNED_ROWS_MAX)).toEqual([]);
    }
  });

  it.each([{}, { kind: 'correction' as const }, { kind: 'generation' as const }, { kind: 'purchase' as const }, { ...range, workspaceId: workspaces[0]! }])(
    'read entries %j by an index', async (filter) => {
      for (const { text, values } of entriesStatements({ accountId: account.id, ...filter }, after, 51)) {
        const types = (await nodesOf(text, values)).map((node) => node['Node Type']);
        if (!text.includes('credit_grants')) expect(types.filter((type) => type === 'Seq Scan' || type === 'Sort')).toEqual([]);
      }
    },
  ); // oxfmt-ignore

  /** The ids of all pages. @param between what happens after each */
  async function pagesOf<Row extends ScannedRow>(
    read: ReadBatch<Row>,
    limit: number,
    between: () => Promise<unknown> = async () => undefined,
  ): Promise<string[]> {
    const ids: string[] = [];
    let position: ListPosition | undefined;
    do {
      const page = await readPage(read, position, limit);
      expect(page.rows.length).toBeLessThanOrEqual(limit);
      ids.push(...page.rows.map(({ list_id: id }) => id));
      position = page.next;
      await between();
    } while (position);
    return ids;
  }

  async function expected(where: string): Promise<string[]> {
    const rows = await dataSource.query<{ id: string }[]>(
      `SELECT id FROM generations WHERE account_id = $1 AND ${where} ORDER BY held_at DESC, id DESC`,
      [account.id],
    );
    return rows.map(({ id }) => id);
  }

  it('add up to the whole while generations are entered, each once', async () => {
    const filter = { accountId: account.id, outcomes: ['provider-overloaded' as const] };
    const before = await expected(`outcome <> 'completed'`);
    let next = ROWS;
    const ids = await pagesOf(
      (position, limit) => generations.read(filter, position, limit),
      37,
      () => fill(next, (next += 200)),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(before);
    // What was entered meanwhile is newer than the first page, and is there for the next reader.
    expect((await pagesOf((position, limit) => generations.read(filter, position, limit), 100)).length).toBeGreaterThan(
      ids.length,
    );
    await dataSource.query('DELETE FROM generations WHERE held_at >= $1', [
      new Date(FIRST.getTime() + ROWS * STEP_MS).toISOString(),
    ]);
  }, 240_000);

  it.each([
    [{ model: 'a/m3', minCost: 990_000_000_000n, from: FIRST }, `model = 'a/m3' AND cost >= 0.99`],
    [{ model: 'none', from: FIRST }, 'false'],
    [{ user: 'user-20' }, `end_user = 'user-20'`],
    [{ sessionId: 'session-2000' }, `session_id = 'session-2000'`],
    [SHORT, `held_at >= '2026-08-28T00:00:00Z' AND held_at < '2026-09-03T00:00:00Z'`],
  ])(
    'find all that fit %j, however few',
    async (given, where) => {
      const filter = { accountId: account.id, ...given };
      const read = (position: ListPosition | undefined, limit: number) => generations.read(filter, position, limit);
      const whole: string[] = [];
      for await (const batch of readAll(read, undefined)) whole.push(...batch.map(({ id }) => id));
      const fits = given === range ? whole.filter((id) => id.endsWith('7')) : whole;
      expect(fits).toEqual(await expected(where));
      if (whole.length < 2_000) expect(await pagesOf(read, 50)).toEqual(whole);
    },
    60_000,
  );

  it('has all entries of credits, each once, newest first', async () => {
    const filter = { accountId: account.id, from: new Date('2026-11-01T00:00:00Z') };
    const ids = await pagesOf((position, limit) => entries.read(filter, position, limit), 100);
    const [count] = await dataSource.query<{ entries: number }[]>(
      `SELECT (SELECT count(*) FROM ledger_entries WHERE held_at >= $1)::int + (SELECT count(*) FROM credit_grants)::int AS entries`,
      [filter.from.toISOString()],
    );
    expect(ids.length).toBe(count!.entries);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => id.endsWith('-correction')).length).toBeGreaterThan(100);
  }, 240_000);

  it('builds the indexes that months lack, also where a building was cut off or not finished', async () => {
    const repository = new GenerationPartitionsRepository(dataSource, new Statements(dataSource), new AheadClock());
    expect(await repository.listMissingIndexes()).toEqual([]);
    // As a migration leaves it where there are rows.
    await dataSource.query('DROP INDEX generations_by_key');
    await dataSource.query('CREATE INDEX generations_by_key ON ONLY generations (key_hash, held_at)');
    for (const month of ['2026_09', '2026_10'])
      await dataSource.query(`CREATE INDEX generations_${month}_by_key ON generations_${month} (key_hash, held_at)`);
    await dataSource.query(
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'generations_2026_10_by_key'::regclass`,
    );
    const missing = await repository.listMissingIndexes();
    const states = Object.fromEntries(missing.map(({ child, state }) => [child, state]));
    expect(states).toMatchObject({
      generations_2026_07_by_key: 'missing',
      generations_2026_09_by_key: 'built',
      generations_2026_10_by_key: 'broken',
    });
    const [first, ...others] = missing;
    expect(await repository.buildIndex({ ...first!, state: 'building' })).toBe(false);
    for (const one of others) expect([one.child, await repository.buildIndex(one)]).toEqual([one.child, true]);
    // Another replica is faster.
    expect(await repository.buildIndex(first!)).toBe(true);
    expect(await repository.buildIndex(first!)).toBe(false);
    expect(await repository.listMissingIndexes()).toEqual([]);
    const [parent] = await dataSource.query<{ valid: boolean }[]>(
      `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'generations_by_key'::regclass`,
    );
    expect(parent!.valid).toBe(true);
  }, 240_000);
});
