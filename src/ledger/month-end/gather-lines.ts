import { setImmediate as turn } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { formatUsd, type PicoUsd } from '../../core/money/credits.js';
import { HOUR_MS, MINUTE_MS } from '../../core/time.js';
import { ALL_PROMPT_TOKENS } from '../generation-columns.js';
import { monthAfter } from './months.js';
import { readUsd, type StoredLine } from './statement-line.js';

/*
 * The lines of a month, from its entries: a few keys at a time, and of these a part of the month at a time. So neither
 * memory nor the time of a statement grows with the month, also where the database runs in this process.
 */

/** Where statements run: the store, or a transaction of it. */
export type Querying = Pick<EntityManager, 'query'>;

/** Keys whose lines are in memory at the same time. Chosen. */
const KEYS_AT_ONCE = 50;
/** A statement reads a shorter part of the month than the one before where that took longer, in milliseconds. */
const STEP_MS = 10;
/** The first part, and the shortest. Chosen. */
const FIRST_SPAN_MS = 24 * HOUR_MS;
const SHORTEST_SPAN_MS = MINUTE_MS;

/** A month, and what belongs to it. */
export interface GatheredMonth {
  readonly accountId: string;
  readonly month: Date;
  /**
   * Whether it is closed: then it has the entries that were posted before, and those that its closing took over. Else
   * it has all of its time, and those that wait for an open month.
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
/** A correction changes an amount: tokens and operator's cost of the generation `g` are those of its charge `e`. */
const ofCharge = (expression: string): string => `CASE e.kind WHEN 'charge' THEN coalesce(${expression}, 0) ELSE 0 END`;
const ENTRY = `e.workspace_id, e.key_hash, g.key_user AS member, g.model, e.kind, e.amount, e.byok_amount,
  ${ofCharge('g.operator_cost')} AS operator_cost, ${ofCharge(ALL_PROMPT_TOKENS)} AS prompt_tokens,
  ${ofCharge('g.completion_tokens')} AS completion_tokens, ${ofCharge('g.cache_read_tokens')} AS cached_tokens,
  ${ofCharge('g.reasoning_tokens')} AS reasoning_tokens`;

/**
 * Entries `e` that were posted before their month was closed, the charges of recovered generations aside: these are
 * read from their copies, because a correction replaces the generation.
 */
export const IN_TIME = `NOT EXISTS (
    SELECT FROM late_entries l WHERE l.generation_id = e.generation_id AND l.held_at = e.held_at AND l.kind = e.kind
  ) AND NOT EXISTS (SELECT FROM holds h WHERE h.generation_id = e.generation_id AND h.cost IS NOT NULL)`;

/** All lines, those of credits first, then by key, user, model and kind. Each batch is of a few keys. */
export async function* gatherLines(store: Querying, gathered: GatheredMonth): AsyncGenerator<readonly StoredLine[]> {
  const { accountId, month } = gathered;
  yield await readCredits(store, accountId, { from: month, until: monthAfter(month) });
  const late = await readLate(store, gathered);
  const hasGenerations = await isKept(store, month);
  const pace = { spanMs: FIRST_SPAN_MS };
  if (!hasGenerations) {
    // Dropped by an earlier release: entries name keys, and are read at once for all of them.
    yield await named(store, await sumEntries(store, gathered, undefined, late, pace));
    return;
  }
  let keys = await listKeys(store, accountId, '');
  while (keys.length > 0) {
    const ofKeys = late.filter(({ key_hash }) => keys.includes(key_hash));
    yield await named(store, await sumEntries(store, gathered, keys, ofKeys, pace));
    await turn();
    keys = await listKeys(store, accountId, keys.at(-1)!);
  }
}

async function readCredits(store: Querying, accountId: string, { from, until }: Span): Promise<StoredLine[]> {
  const rows = await store.query<{ kind: StoredLine['kind']; count: string; amount: string }[]>(
    `SELECT kind, count(*) AS count, sum(amount) AS amount FROM credit_grants
     WHERE account_id = $1 AND created_at >= $2 AND created_at < $3 GROUP BY kind ORDER BY kind COLLATE "C"`,
    [accountId, from.toISOString(), until.toISOString()],
  );
  const ofAccount = { workspace_id: null, workspace: null, key_hash: null, key_name: null, member: null, model: null };
  const nothing = { prompt_tokens: '0', completion_tokens: '0', cached_tokens: '0', reasoning_tokens: '0' };
  return rows.map((row) => ({ ...ofAccount, ...nothing, ...row, byok_amount: '0', operator_cost: '0' }));
}

/** What was entered into earlier months after they were closed, and copies of what may be corrected. */
function readLate(store: Querying, { accountId, month, isClosed, openSince }: GatheredMonth): Promise<SummedRow[]> {
  const belongs = isClosed
    ? 'e.month = $2'
    : `e.month IS NULL AND e.held_at < $3::timestamptz AND greatest(date_trunc('month', e.entered_at, 'UTC'), $3::timestamptz) = $2`;
  const parameters = [accountId, month.toISOString(), ...(isClosed ? [] : [openSince.toISOString()])];
  return store.query<SummedRow[]>(
    `SELECT ${GROUPS}, ${SUMS} FROM late_entries e WHERE e.account_id = $1 AND ${belongs} GROUP BY ${GROUPS}`,
    parameters,
  );
}

async function isKept(store: Querying, month: Date): Promise<boolean> {
  const name = `generations_${month.toISOString().slice(0, 7).replace('-', '_')}`;
  const [row] = await store.query<{ kept: boolean }[]>('SELECT to_regclass($1) IS NOT NULL AS kept', [name]);
  return row?.kept === true;
}

/** Keys in the order of their hashes, deleted ones included: they are never removed. */
async function listKeys(store: Querying, accountId: string, after: string): Promise<string[]> {
  const rows = await store.query<{ hash: string }[]>(
    `SELECT hash FROM api_keys WHERE account_id = $1 AND hash > $2 ORDER BY hash LIMIT ${KEYS_AT_ONCE}`,
    [accountId, after],
  );
  return rows.map(({ hash }) => hash);
}

/** @param keys whose entries; undefined: of all, without their generations */
async function sumEntries(
  store: Querying,
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
    const startedAt = performance.now();
    const parameters = [accountId, new Date(from).toISOString(), new Date(until).toISOString()];
    addAll(groups, await store.query<SummedRow[]>(text, keys === undefined ? parameters : [...parameters, keys]));
    const took = performance.now() - startedAt;
    pace.spanMs = took > STEP_MS ? Math.max(SHORTEST_SPAN_MS, pace.spanMs / 2) : pace.spanMs * 2;
    from = until;
  }
  return Array.from(groups.values(), (group) => group.row()).toSorted(byPlace);
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
    const name = JSON.stringify(placeOf(row));
    let group = groups.get(name);
    if (!group) groups.set(name, (group = new GroupSums(row)));
    group.add(row);
  }
}

const placeOf = ({ key_hash, member, model, kind, workspace_id }: SummedRow): readonly (string | null)[] => [
  key_hash,
  member,
  model,
  kind,
  workspace_id,
];

/** By code units, what is unset first: the same order in every database. */
function byPlace(one: SummedRow, other: SummedRow): number {
  const [first, second] = [placeOf(one), placeOf(other)];
  for (const [index, left] of first.entries()) {
    const right = second[index]!;
    if (left === right) continue;
    return left === null || (right !== null && left < right) ? -1 : 1;
  }
  return 0;
}

/** Adds the names of keys and workspaces as they are now, also of deleted ones. */
async function named(store: Querying, rows: readonly SummedRow[]): Promise<StoredLine[]> {
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
