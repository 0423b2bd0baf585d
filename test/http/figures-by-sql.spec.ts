// `GET /activity` and `POST /analytics/query` state what the rows state: random queries over random generations, each
// compared with a statement of this file over `generations`, which shares nothing with the gateway's. First without
// figures, then with those of a part, with hours that changed since, and with those of whole weeks. On both databases.
import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { hashKey } from '../../src/core/ids.js';
import { DAY_MS, HOUR_MS } from '../../src/core/time.js';
import { RollUpRepository } from '../../src/ledger/figures/roll-up.repository.js';
import { RollUps } from '../../src/ledger/figures/roll-ups.js';
import type { GenerationRow } from '../../src/ledger/generations/generation-row.js';
import { AheadClock } from '../support/ahead-clock.js';
import { API_KEY, MANAGEMENT_KEY, startGateway, type TestGateway } from '../support/app.js';
import { describeOnEachDatabase } from '../support/database.js';
import type { JsonBody } from '../support/recorded-request.js';
import { addKey, addStrangers, generationRow, ownerOf, settle, type Owner } from './generation-rows.js';

/** A Monday, and the end of the generations. */
const FIRST = Date.UTC(2027, 0, 4);
const LAST = Date.UTC(2027, 1, 12);
const ROWS = 600;
const QUERIES = 40;

/** Random numbers that are the same in each run. */
class Dice {
  constructor(private seed: number) {}
  below(count: number): number {
    this.seed = (this.seed * 48_271) % 2_147_483_647;
    return this.seed % count;
  }
  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }
  some<T>(values: readonly T[], most: number): T[] {
    const left = [...values];
    return Array.from({ length: this.below(most + 1) }, () => left.splice(this.below(left.length), 1)[0]!);
  }
}

const OUTCOMES = {
  completed: [200, null],
  'provider-overloaded': [529, 'provider_overloaded'],
  'provider-timed-out': [504, 'timeout'],
  'provider-rejected-request': [400, 'invalid_request'],
  unprocessable: [422, 'unprocessable'],
  recovered: [null, null],
} as const;
type Recorded = keyof typeof OUTCOMES;
const literal = (value: string | number | null): string => (value === null ? 'null' : `'${value}'`);
const ANSWERED = Object.entries(OUTCOMES)
  .map(([outcome, [status, error]]) => `(${literal(outcome)}, ${status ?? 'null::int'}, ${literal(error)}::text)`)
  .join(', ');
/** The rows of an account, with every group as a text. */
const SOURCE = `
  select g.*, g.prompt_tokens + g.cache_read_tokens + g.cache_write_tokens + g.cache_write_1h_tokens as prompts,
    coalesce(g.model, g.requested_model) as by_model, g.provider as by_provider, g.endpoint as by_endpoint,
    g.key_hash::text as by_key, k.name as by_key_name, g.key_user as by_member, g.end_user as by_user, g.session_id as by_session,
    g.workspace_id::text as by_workspace, w.name as by_workspace_name, g.tags ->> 'team' as by_tag, g.api_type as by_api,
    g.dialect as by_dialect, a.outcome as by_outcome, a.error as by_error_type, a.status::text as by_status
  from generations g
  join (values ${ANSWERED}) as a (outcome, status, error) on a.outcome =
    case when g.outcome = 'provider-rejected-request' and (g.attempts -> (jsonb_array_length(g.attempts) - 1) ->> 'status') = '422'
      then 'unprocessable' else g.outcome end
  join api_keys k on k.hash = g.key_hash join workspaces w on w.id = g.workspace_id`;

const GROUPS = ['model', 'provider', 'endpoint', 'key', 'member', 'user', 'session', 'workspace', 'tag:team', 'api', 'dialect', 'outcome', 'error_type', 'status'] as const; // oxfmt-ignore
type Group = (typeof GROUPS)[number];
const columnOf = (group: Group): string => `s.by_${group === 'tag:team' ? 'tag' : group}`;
/** Groups that only single generations have. */
const OWN: readonly Group[] = ['user', 'session', 'tag:team'];

const IS_TIMED = 'where s.generation_ms > 0 and s.completion_tokens > 0';
const METRICS = {
  request_count: 'count(*)',
  error_count: 'count(s.by_error_type)',
  error_rate: 'count(s.by_error_type)::numeric / count(*)',
  total_usage: 'sum(s.cost)',
  usage_prompt: 'sum(s.prompt_cost)',
  usage_completion: 'sum(s.completion_cost)',
  usage_tools: 'sum(s.tools_cost)',
  usage_byok: 'sum(s.byok_cost)',
  operator_cost: 'sum(s.operator_cost)',
  tokens_total: 'sum(s.prompts + s.completion_tokens)',
  tokens_prompt: 'sum(s.prompts)',
  tokens_completion: 'sum(s.completion_tokens)',
  reasoning_tokens: 'sum(s.reasoning_tokens)',
  cached_tokens: 'sum(s.cache_read_tokens)',
  cache_write_tokens: 'sum(s.cache_write_tokens + s.cache_write_1h_tokens)',
  cache_hit_rate: 'sum(s.cache_read_tokens)::numeric / nullif(sum(s.prompts), 0)',
  web_searches: 'sum(s.web_searches)',
  web_fetches: 'sum(s.web_fetches)',
  avg_latency: 'avg(s.latency_ms)',
  p50_latency: 'percentile_cont(0.5) within group (order by s.latency_ms)',
  p90_latency: 'percentile_cont(0.9) within group (order by s.latency_ms)',
  avg_throughput: `1000.0 * sum(s.completion_tokens) filter (${IS_TIMED}) / nullif(sum(s.generation_ms) filter (${IS_TIMED}), 0)`,
} as const;
type Metric = keyof typeof METRICS;
const METRIC_NAMES = Object.keys(METRICS) as readonly Metric[];
const ACTIVITY = {
  usage: METRICS.total_usage,
  byok_usage_inference: METRICS.usage_byok,
  operator_cost: METRICS.operator_cost,
  requests: METRICS.request_count,
  errors: METRICS.error_count,
  prompt_tokens: METRICS.tokens_prompt,
  completion_tokens: METRICS.tokens_completion,
  reasoning_tokens: METRICS.reasoning_tokens,
  cached_tokens: METRICS.cached_tokens,
} as const;

const COMPARED = { eq: '=', neq: '<>', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** What one statement of this file reads. */
interface Expected {
  readonly since: number;
  readonly until: number;
  readonly granularity: string | undefined;
  /** Columns of the answer with their expressions. */
  readonly groups: Readonly<Record<string, string>>;
  readonly sums: Readonly<Record<string, string>>;
  readonly where: readonly string[];
  readonly having: readonly string[];
}

const time = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;
const quoted = (value: unknown): string => `'${String(value).replaceAll("'", "''")}'`;
const rounded = (value: unknown): unknown =>
  value === null || value === undefined ? null : Number(Number(value).toPrecision(12));

describeOnEachDatabase('figures beside SQL', (database) => {
  const clock = new AheadClock();
  const dice = new Dice(7);
  let gateway: TestGateway;
  let store: DataSource;
  let owners: Owner[];
  /** Names of keys and workspaces, by their ids. */
  const names = new Map<string, string>();

  const randomRow = (heldAt: number, owner: Owner): GenerationRow => {
    const provider = dice.of(['p0', 'p1', 'p2']);
    const outcome: Recorded = dice.below(4) > 0 ? 'completed' : dice.of(['provider-overloaded', 'provider-timed-out', 'provider-rejected-request', 'recovered']); // oxfmt-ignore
    const isAnswered = dice.below(9) > 0;
    const maybe = <T>(value: T): T | null => (dice.below(3) === 0 ? null : value);
    return generationRow(owner, {
      held_at: new Date(heldAt).toISOString(),
      requested_model: dice.of(['test/model', 'test/asked']),
      model: isAnswered ? dice.of(['test/model', 'test/other', 'test/third']) : null,
      provider: isAnswered ? provider : null,
      provider_name: isAnswered ? `Provider ${provider}` : null,
      endpoint: isAnswered ? dice.of([provider, `${provider}/turbo`]) : null,
      dialect: maybe(dice.of(['openai-chat', 'anthropic-messages'])),
      api_type: dice.of(['messages', 'chat', 'responses']),
      outcome,
      attempts: dice.below(2) === 0 ? [{ status: 200 }, { status: 422 }] : [{ status: 400 }],
      key_user: maybe(dice.of(['anna', 'ben', "o'neil"])),
      end_user: maybe(`user-${dice.below(5)}`),
      session_id: maybe(`session-${dice.below(9)}`),
      tags: maybe({ team: dice.of(['search', 'ads']), other: 'x' }),
      cost: `0.${1 + dice.below(999_999)}`,
      byok_cost: dice.of(['0', '1.5']),
      operator_cost: dice.of(['0', '0', '0.000000000001']),
      prompt_cost: `0.0${dice.below(99)}`,
      completion_cost: `0.00${dice.below(99)}`,
      tools_cost: dice.of(['0', '0.01']),
      prompt_tokens: dice.below(5_000),
      completion_tokens: dice.below(300),
      reasoning_tokens: dice.below(50),
      cache_read_tokens: dice.of([0, 0, 700]),
      cache_write_tokens: dice.of([0, 31]),
      cache_write_1h_tokens: dice.of([0, 7]),
      web_searches: dice.below(3),
      web_fetches: dice.below(2),
      latency_ms: maybe(dice.below(3_000)),
      generation_ms: maybe(dice.below(9_000)),
    });
  };
  const randomTime = (): number => FIRST + dice.below((LAST - FIRST) / 1_000) * 1_000;

  beforeAll(async () => {
    clock.aheadMs = LAST + 20 * DAY_MS - Date.now();
    gateway = await startGateway(database, { clock });
    store = gateway.gateway.app.get(DataSource, { strict: false });
    const owner = await ownerOf(store, hashKey(API_KEY));
    owners = [owner, await addKey(store, owner.account_id), await addKey(store, owner.account_id)];
    for (const [index, { key_hash: hash, workspace_id: id }] of owners.entries()) {
      await store.query('update api_keys set name = $2 where hash = $1', [hash, `key ${index}`]);
      await store.query('update workspaces set name = $2 where id = $1', [id, `workspace ${index}`]);
      names.set(hash, `key ${index}`).set(id, `workspace ${index}`);
    }
    const strangers = await addStrangers(store);
    const rows = Array.from({ length: ROWS }, () => randomRow(randomTime(), dice.of(owners)));
    await settle(store, ...rows, ...Array.from({ length: 20 }, () => randomRow(randomTime(), strangers)));
  }, 240_000);
  afterAll(() => gateway?.close());

  const roll = async (until: number): Promise<void> => {
    const at = new AheadClock();
    at.aheadMs = until - Date.now();
    const rolls = new RollUps(new RollUpRepository(store, at));
    // The gateway's own job may write figures at the same time.
    while ((await rolls.rollAll(0)) === 'busy') await pause(20);
  };

  async function read({ since, until, granularity, groups, sums, where, having }: Expected): Promise<string[]> {
    const date = granularity === undefined ? [] : [`date_trunc('${granularity}', s.held_at, 'UTC') as "date"`];
    const by = [...date, ...Object.entries(groups).map(([name, expression]) => `${expression} as "${name}"`)];
    const columns = [...by, ...Object.entries(sums).map(([name, expression]) => `${expression} as "${name}"`)];
    const numbers = by.map((_, index) => index + 1).join(', ');
    const rows = await store.query<Record<string, unknown>[]>(
      `select ${columns.join(', ')} from (${SOURCE}) as s
       where ${[`s.account_id = ${quoted(owners[0]!.account_id)}`, `s.held_at >= ${quoted(time(since))}`, `s.held_at < ${quoted(time(until))}`, ...where].join(' and ')}
       ${by.length > 0 ? `group by ${numbers}` : ''} having ${['count(*) > 0', ...having].join(' and ')}`,
    );
    const isFine = granularity === 'hour' || granularity === 'minute';
    return rows
      .map((row) => ({
        ...(row['date'] instanceof Date && { date: isFine ? time(row['date'].getTime()) : time(row['date'].getTime()).slice(0, 10) }), // oxfmt-ignore
        ...Object.fromEntries(Object.keys(groups).map((name) => [name, row[name] ?? null])),
        ...Object.fromEntries(Object.keys(sums).map((name) => [name, rounded(row[name])])),
      }))
      .map((row) => JSON.stringify(row))
      .toSorted();
  }

  /** Rows of an answer in the same form. */
  const shown = (rows: readonly JsonBody[], groups: readonly string[], sums: readonly string[]): string[] =>
    rows
      .map((row) => ({
        ...(row.date !== undefined && { date: row.date as string }),
        ...Object.fromEntries(groups.map((name) => [name, row[name] === null ? null : String(row[name])])),
        ...Object.fromEntries(sums.map((name) => [name, rounded(row[name])])),
      }))
      .map((row) => JSON.stringify(row))
      .toSorted();

  /** A range that begins or ends within hours, days or months. */
  const randomRange = (daysMost: number): { readonly since: number; readonly until: number } => {
    const unit = dice.of([1_000, HOUR_MS, DAY_MS, 7 * DAY_MS]);
    const since = Math.floor(randomTime() / unit) * unit + (unit === 7 * DAY_MS ? 4 * DAY_MS : 0);
    return { since, until: since + Math.max(1_000, Math.ceil((dice.below(daysMost) * DAY_MS) / unit) * unit || unit) };
  };

  /** A value that some row has, as it is recorded; undefined: the row that was drawn has none. */
  const valueOf = async (group: Group): Promise<string | undefined> => {
    const rows = await store.query<{ value: string | null }[]>(
      `select ${columnOf(group)} as value from (${SOURCE}) as s where s.account_id = $1 order by s.id`,
      [owners[0]!.account_id],
    );
    return dice.of(rows).value ?? undefined;
  };

  async function compareActivity(): Promise<void> {
    const groups = dice.some(GROUPS, 2);
    const granularity = dice.of(['day', 'day', 'hour'] as const);
    const parameters = new URLSearchParams();
    const where: string[] = [];
    const filtered = dice.some(GROUPS, 2);
    for (const group of filtered) {
      const value = await valueOf(group);
      if (value === undefined) continue;
      const name = { session: 'session_id', workspace: 'workspace_id', 'tag:team': 'tag' }[group as string] ?? group;
      parameters.append(name, group === 'tag:team' ? `team=${value}` : value);
      where.push(`${columnOf(group)} = ${quoted(value)}`);
    }
    const isFine = granularity === 'hour' || [...groups, ...filtered].some((group) => OWN.includes(group));
    const { since, until } = randomRange(isFine ? 24 : 45);
    for (const [name, value] of Object.entries({
      from: time(since),
      to: time(until),
      granularity,
      group_by: groups.join(','),
    }))
      // oxfmt-ignore
      if (value !== '') parameters.append(name, value);
    const response = await gateway.request(`/activity?${String(parameters)}`, { key: MANAGEMENT_KEY });
    const { data, error } = (await response.json()) as JsonBody;
    expect([String(parameters), response.status, error]).toEqual([String(parameters), 200, undefined]);
    const byName = Object.fromEntries(groups.map((group) => [group, columnOf(group)]));
    const expected = await read({ since, until, granularity, groups: byName, sums: ACTIVITY, where, having: [] });
    expect([String(parameters), ...shown(data, groups, Object.keys(ACTIVITY))]).toEqual([
      String(parameters),
      ...expected,
    ]);
  }

  /** A random filter of `/analytics` and the condition that it is. */
  async function randomFilter(
    group: Group,
  ): Promise<{ readonly filter: object; readonly condition: string } | undefined> {
    const value = await valueOf(group);
    if (value === undefined) return undefined;
    const column = columnOf(group);
    const isNamed = group === 'key' || group === 'workspace';
    const given = isNamed && dice.below(2) === 0 ? names.get(value)! : value;
    const unset = dice.below(3) === 0;
    const isOrdered = !isNamed && dice.below(3) === 0;
    const operator = isOrdered ? dice.of(['gt', 'gte', 'lt', 'lte'] as const) : dice.of(['eq', 'neq', 'in', 'not_in'] as const); // oxfmt-ignore
    const isList = operator === 'in' || operator === 'not_in';
    const field = group === 'key' ? 'api_key_id' : group;
    const filter = { field, operator, value: isList ? [given] : given, ...(unset && { include_unset: true }) };
    const sign = { in: '=', not_in: '<>', ...COMPARED }[operator];
    const isNumber = group === 'status';
    const fits = isNumber ? `${column}::int ${sign} ${value}` : `${column} ${sign} ${quoted(value)}`;
    return { filter, condition: unset ? `(${fits} or ${column} is null)` : `(${fits})` };
  }

  async function compareAnalytics(): Promise<void> {
    const groups = dice.some(GROUPS, 2);
    const drawn = dice.some(METRIC_NAMES, 6);
    const metrics = drawn.length > 0 ? drawn : ['request_count' as const];
    const granularity = dice.of([undefined, undefined, 'minute', 'hour', 'day', 'week', 'month'] as const);
    const filtered = dice.some(GROUPS, 3);
    const filters: object[] = [];
    const where: string[] = [];
    for (const group of filtered) {
      const found = await randomFilter(group);
      if (!found) continue;
      filters.push(found.filter);
      where.push(found.condition);
    }
    const having: string[] = [];
    if (groups.length > 0 && dice.below(3) === 0) {
      filters.push({ field: 'total_usage', operator: 'gte', value: 1 });
      having.push('sum(s.cost) >= 1');
    }
    const isFine =
      granularity === 'hour' || granularity === 'minute' || metrics.some((name) => name.startsWith('p')) || [...groups, ...filtered].some((group) => OWN.includes(group)); // oxfmt-ignore
    const { since, until } = randomRange(isFine ? 24 : 45);
    const dimensions = groups.map((group) => (group === 'key' ? 'api_key_id' : group));
    const body = {
      metrics, dimensions, filters, ...(granularity && { granularity }), time_range: { start: time(since), end: time(until) }, limit: 10_000,
    }; // oxfmt-ignore
    const response = await gateway.request('/analytics/query', {
      key: MANAGEMENT_KEY,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { data, error } = (await response.json()) as JsonBody;
    expect([body, response.status, error]).toEqual([body, 200, undefined]);
    const named = (group: Group): string =>
      group === 'key' || group === 'workspace' ? `${columnOf(group)}_name` : columnOf(group);
    const byName = Object.fromEntries(groups.map((group, index) => [dimensions[index]!, named(group)]));
    const sums = Object.fromEntries(metrics.map((name) => [name, METRICS[name]]));
    const expected = await read({ since, until, granularity, groups: byName, sums, where, having });
    const rows = shown(data.data, dimensions, metrics);
    // Without groups the whole range is one row, also where it has no generation.
    const isEmpty = expected.length === 0 && groups.length === 0 && granularity === undefined;
    expect([JSON.stringify(body), ...(isEmpty ? [] : rows)]).toEqual([JSON.stringify(body), ...expected]);
  }

  it.each([
    ['without figures', async () => undefined],
    ['with figures of a part', () => roll(Date.UTC(2027, 0, 23, 7, 30))],
    [
      'with hours that changed since',
      () =>
        settle(
          store,
          ...Array.from({ length: 12 }, () => randomRow(FIRST + dice.below(12 * 24) * HOUR_MS, owners[1]!)),
        ),
    ],
    ['with figures of everything', () => roll(LAST + 9 * DAY_MS)],
  ])(
    'are equal %s',
    async (_, prepare) => {
      await prepare();
      for (let round = 0; round < QUERIES; round++) {
        await compareActivity();
        await compareAnalytics();
      }
    },
    300_000,
  );
});
