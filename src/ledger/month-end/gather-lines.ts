import type { EntityManager } from 'typeorm';
import { formatUsd, type PicoUsd } from '../../core/money/credits.js';
import { HOUR_MS, MINUTE_MS } from '../../core/time.js';
import { ALL_PROMPT_TOKENS } from '../generations/generation-columns.js';
import { monthAfter } from './months.js';
import { readUsd, type StoredLine } from './statement-line.js';

/*
 * The lines of a month, computed from its entries. Each statement reads a few keys and a part of the month, so that
 * neither its memory nor its time grows with the month. The embedded database runs in this process and needs that most.
 */

/** The store, or a transaction of it, in which statements run. */
export type StatementRunner = Pick<EntityManager, 'query'>;

/** Keys whose lines are in memory at the same time. Chosen. */
const KEYS_AT_ONCE = 50;
/**
 * Entries that a statement should read at most: after more, the next statement reads a shorter part of the month; after
 * less than half, a longer one. The number of entries decides, because on a busy machine the time would always be too
 * long. Chosen: the embedded database reads them in ten milliseconds.
 */
const STEP_ENTRIES = 200;
/** The first part, and the bounds of those that follow. Chosen. */
const FIRST_SPAN_MS = 24 * HOUR_MS;
const SHORTEST_SPAN_MS = MINUTE_MS;
const LONGEST_SPAN_MS = 8 * FIRST_SPAN_MS;

/** A month, and what belongs to it. */
export interface GatheredMonth {
  readonly accountId: string;
  readonly month: Date;
  /**
   * A closed month has the entries that were posted before its closing, and the late ones that the closing took over.
   * An open one has all entries of its time, and the late ones that wait for an open month.
   */
  readonly isClosed: boolean;
  /** The first open month: late entries belong to none before it. */
  readonly openSince: Date;
}

/** Sums of the entries of one key that have the same model, user and kind. */
interface SummedRow extends Omit<StoredLine, 'workspace' | 'key_name' | 'key_hash' | 'workspace_id'> {
  readonly workspace_id: string;
  readonly key_hash: string;
}

/** The part of a month that a statement reads: `from` inclusive, `until` exclusive. */
interface Span {
  readonly from: Date;
  readonly until: Date;
}

const GROUPS = `workspace_id, key_hash, member, model, kind`;
const COUNTS = ['prompt_tokens', 'completion_tokens', 'cached_tokens', 'reasoning_tokens'] as const;
/** Sums of rows `e`: amounts as the balance changes. */
const SUMS = `count(*) AS count, ${COUNTS.map((name) => `sum(e.${name}) AS ${name}`).join(', ')},
  -sum(e.amount) AS amount, sum(e.byok_amount) AS byok_amount, sum(e.operator_cost) AS operator_cost`;
/** Tokens and operator's cost of a generation count for its charge alone: a correction changes only the amount. */
const ofCharge = (expression: string): string => `CASE e.kind WHEN 'charge' THEN coalesce(${expression}, 0) ELSE 0 END`;
const ENTRY = `e.workspace_id, e.key_hash, g.key_user AS member, g.model, e.kind, e.amount, e.byok_amount,
  ${ofCharge('g.operator_cost')} AS operator_cost, ${ofCharge(ALL_PROMPT_TOKENS)} AS prompt_tokens,
  ${ofCharge('g.completion_tokens')} AS completion_tokens, ${ofCharge('g.cache_read_tokens')} AS cached_tokens,
  ${ofCharge('g.reasoning_tokens')} AS reasoning_tokens`;

/**
 * Entries `e` that were posted before their month was closed, except for charges of recovered generations: these are
 * read from their copies, because a correction replaces the generation.
 */
export const IN_TIME = `NOT EXISTS (
    SELECT FROM late_entries l WHERE l.generation_id = e.generation_id AND l.held_at = e.held_at AND l.kind = e.kind
  ) AND NOT EXISTS (SELECT FROM holds h WHERE h.generation_id = e.generation_id AND h.cost IS NOT NULL)`;

/** All lines, those of credits first, then by key, user, model and kind. Each batch is of a few keys. */
export async function* gatherLines(
  store: StatementRunner,
  gathered: GatheredMonth,
): AsyncGenerator<readonly StoredLine[]> {
  const { accountId, month } = gathered;
  yield await readCredits(store, accountId, { from: month, until: monthAfter(month) });
  const late = await readLate(store, gathered);
  const hasGenerations = await isKept(store, month);
  const pace = { spanMs: FIRST_SPAN_MS };
  if (!hasGenerations) {
    // An earlier release dropped the generations of the month: the entries of all keys are read at once.
    yield await named(store, await sumEntries(store, gathered, undefined, late, pace));
    return;
  }
  let keys = await listKeys(store, accountId, '');
  while (keys.length > 0) {
    const ofKeys = late.filter(({ key_hash }) => keys.includes(key_hash));
    yield await named(store, await sumEntries(store, gathered, keys, ofKeys, pace));
    keys = await listKeys(store, accountId, keys.at(-1)!);
  }
}

async function readCredits(store: StatementRunner, accountId: string, { from, until }: Span): Promise<StoredLine[]> {
  const rows = await store.query<{ kind: StoredLine['kind']; count: string; amount: string }[]>(
    `SELECT kind, count(*) AS count, sum(amount) AS amount FROM credit_grants
     WHERE account_id = $1 AND created_at >= $2 AND created_at < $3 GROUP BY kind ORDER BY kind COLLATE "C"`,
    [accountId, from.toISOString(), until.toISOString()],
  );
  const ofAccount = { workspace_id: null, workspace: null, key_hash: null, key_name: null, member: null, model: null };
  const nothing = { prompt_tokens: '0', completion_tokens: '0', cached_tokens: '0', reasoning_tokens: '0' };
  return rows.map((row) => ({ ...ofAccount, ...nothing, ...row, byok_amount: '0', operator_cost: '0' }));
}

/** Entries of earlier months that were posted after their closing, and copies of charges that may be corrected. */
function readLate(
  store: StatementRunner,
  { accountId, month, isClosed, openSince }: GatheredMonth,
): Promise<SummedRow[]> {
  const belongs = isClosed
    ? 'e.month = $2'
    : `e.month IS NULL AND e.held_at < $3::timestamptz AND greatest(date_trunc('month', e.entered_at, 'UTC'), $3::timestamptz) = $2`;
  const parameters = [accountId, month.toISOString(), ...(isClosed ? [] : [openSince.toISOString()])];
  return store.query<SummedRow[]>(
    `SELECT ${GROUPS}, ${SUMS} FROM late_entries e WHERE e.account_id = $1 AND ${belongs} GROUP BY ${GROUPS}`,
    parameters,
  );
}

async function isKept(store: StatementRunner, month: Date): Promise<boolean> {
  const name = `generations_${month.toISOString().slice(0, 7).replace('-', '_')}`;
  const [row] = await store.query<{ kept: boolean }[]>('SELECT to_regclass($1) IS NOT NULL AS kept', [name]);
  return row?.kept === true;
}

/** Keys in the order of their hashes, deleted ones included: they are never removed. */
async function listKeys(store: StatementRunner, accountId: string, after: string): Promise<string[]> {
  const rows = await store.query<{ hash: string }[]>(
    `SELECT hash FROM api_keys WHERE account_id = $1 AND hash > $2 ORDER BY hash LIMIT ${KEYS_AT_ONCE}`,
    [accountId, after],
  );
  return rows.map(({ hash }) => hash);
}

/** @param keys whose entries are summed up; undefined: those of all keys, without data of generations */
async function sumEntries(
  store: StatementRunner,
  { accountId, month, isClosed }: GatheredMonth,
  keys: readonly string[] | undefined,
  late: readonly SummedRow[],
  pace: { spanMs: number },
): Promise<SummedRow[]> {
  const source =
    keys === undefined
      ? 'ledger_entries e LEFT JOIN generations g ON g.held_at = e.held_at AND g.id = e.generation_id'
      : 'generations g JOIN ledger_entries e ON e.held_at = g.held_at AND e.generation_id = g.id';
  const read = keys === undefined ? 'e' : 'g';
  const text = `SELECT ${GROUPS}, ${SUMS} FROM (
      SELECT ${ENTRY} FROM ${source}
      WHERE ${read}.account_id = $1 AND ${read}.held_at >= $2 AND ${read}.held_at < $3
        ${keys === undefined ? '' : 'AND g.key_hash = ANY($4)'} ${isClosed ? `AND ${IN_TIME}` : ''}
    ) AS e GROUP BY ${GROUPS}`;
  const groups = new Map<string, GroupSums>();
  addAll(groups, late);
  const next = monthAfter(month).getTime();
  for (let from = month.getTime(); from < next;) {
    const until = Math.min(next, from + pace.spanMs);
    const parameters = [accountId, new Date(from).toISOString(), new Date(until).toISOString()];
    const rows = await store.query<SummedRow[]>(text, keys === undefined ? parameters : [...parameters, keys]);
    addAll(groups, rows);
    const entries = rows.reduce((sum, { count }) => sum + Number(count), 0);
    if (entries > STEP_ENTRIES) pace.spanMs = Math.max(SHORTEST_SPAN_MS, pace.spanMs / 2);
    else if (entries < STEP_ENTRIES / 2) pace.spanMs = Math.min(LONGEST_SPAN_MS, pace.spanMs * 2);
    from = until;
  }
  return Array.from(groups.values(), (group) => group.row()).toSorted(bySortKey);
}

/** Sums of one group over several statements. */
class GroupSums {
  private count = 0n;
  private readonly tokens = COUNTS.map(() => 0n);
  private amount: PicoUsd = 0n;
  private byok: PicoUsd = 0n;
  private operator: PicoUsd = 0n;

  constructor(private readonly of: SummedRow) {}

  add(row: SummedRow): void {
    this.count += BigInt(row.count);
    for (const [index, name] of COUNTS.entries()) this.tokens[index]! += BigInt(row[name]);
    this.amount += readUsd(row.amount);
    this.byok += readUsd(row.byok_amount);
    this.operator += readUsd(row.operator_cost);
  }

  row(): SummedRow {
    const [prompt, completion, cached, reasoning] = this.tokens.map(String) as [string, string, string, string];
    return {
      ...this.of,
      count: String(this.count),
      prompt_tokens: prompt,
      completion_tokens: completion,
      cached_tokens: cached,
      reasoning_tokens: reasoning,
      amount: formatUsd(this.amount),
      byok_amount: formatUsd(this.byok),
      operator_cost: formatUsd(this.operator),
    };
  }
}

function addAll(groups: Map<string, GroupSums>, rows: readonly SummedRow[]): void {
  for (const row of rows) {
    const name = JSON.stringify(sortKeyOf(row));
    let group = groups.get(name);
    if (!group) groups.set(name, (group = new GroupSums(row)));
    group.add(row);
  }
}

const sortKeyOf = ({ key_hash, member, model, kind, workspace_id }: SummedRow): readonly (string | null)[] => [
  key_hash,
  member,
  model,
  kind,
  workspace_id,
];

/** Sorts by code units, unset values first: the order is the same in every database. */
function bySortKey(one: SummedRow, other: SummedRow): number {
  const [first, second] = [sortKeyOf(one), sortKeyOf(other)];
  for (const [index, left] of first.entries()) {
    const right = second[index]!;
    if (left === right) continue;
    return left === null || (right !== null && left < right) ? -1 : 1;
  }
  return 0;
}

/** Adds the names of keys and workspaces as they are now, also of deleted ones. */
async function named(store: StatementRunner, rows: readonly SummedRow[]): Promise<StoredLine[]> {
  if (rows.length === 0) return [];
  const names = async (table: string, id: string, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> => {
    const found = await store.query<{ id: string; name: string }[]>(
      `SELECT ${id} AS id, name FROM ${table} WHERE ${id} = ANY($1)`,
      [[...ids]],
    );
    return new Map(found.map((row) => [row.id, row.name]));
  };
  const keys = await names('api_keys', 'hash', new Set(rows.map(({ key_hash }) => key_hash)));
  const workspaces = await names('workspaces', 'id', new Set(rows.map(({ workspace_id }) => workspace_id)));
  return rows.map((row) => ({
    ...row,
    workspace: workspaces.get(row.workspace_id) ?? null,
    key_name: keys.get(row.key_hash) ?? null,
  }));
}
