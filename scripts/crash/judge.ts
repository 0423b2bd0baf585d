import { formatUsd, usdNumber, type PicoUsd } from '../../src/core/money/credits.js';
import type { Evidence, LostReply, SeenReply, StoredEntries, StoredGeneration, UpstreamCall } from './evidence.js';

/** The counts of each side, and how much of them the other side has. */
export interface JudgedCounts {
  readonly requests: number;
  /** Refused because a counter allowed no more. */
  readonly unpaid: number;
  readonly upstreamCalls: number;
  /** Requests that reached the upstream. */
  readonly called: number;
  readonly rows: number;
  /** Rows of calls that never reached the upstream. */
  readonly rowsWithoutCall: number;
  readonly recovered: number;
  /**
   * Recovered holds of requests that failed before they received the hold, released without a charge; and how many are
   * known by their id.
   */
  readonly unheard: number;
  readonly unheardReported: number;
  readonly completed: number;
  /** Completed replies whose charge equals the upstream's count. */
  readonly exact: number;
  /** Replies that were settled after their hold was gone, and for less: the operator bears the rest. */
  readonly late: number;
  readonly doubled: number;
  readonly missing: number;
  /** USD of the completed replies: by the upstream's count, and as entered. */
  readonly counted: PicoUsd;
  readonly charged: PicoUsd;
}

export interface Verdict {
  readonly counts: JudgedCounts;
  /** One sentence each, naming the generation or the marker. */
  readonly violations: readonly string[];
}

/** Compares the upstream's own count, and the clients' observations, with the ledger at rest. Pure. */
export function judge({ calls, replies, generations, entries, lost = [], mayBeLate = false }: Evidence): Verdict {
  const violations: string[] = [];
  const rowsByMarker = groupBy(generations, ({ marker }) => marker ?? '');
  const entriesById = new Map(entries.map((entered) => [entered.id, entered]));
  const requested = new Set(replies.map(({ marker }) => marker));
  const generationIds = new Set(generations.map(({ id }) => id));

  // Holds whose creation was never confirmed to the process that requested them: nothing was sent, and the request
  // failed, with the id of the hold where its client got a reply.
  const failed = replies.filter(
    (reply) => !reply.isComplete && !isRefusal(reply) && !calls.has(reply.marker) && !rowsByMarker.has(reply.marker),
  );
  const reported = new Set(failed.map(({ id }) => id));
  let unreported = failed.filter(({ id }) => id === undefined).length;
  let unheard = 0;
  let unheardReported = 0;
  for (const row of generations) {
    const isEmpty = mayBeLate && row.isRecovered && row.marker === undefined && row.cost + row.operatorCost === 0n;
    if (isEmpty && (reported.has(row.id) || unreported-- > 0)) {
      unheard++;
      if (reported.has(row.id)) unheardReported++;
      violations.push(...chargesOfUnheard(entriesById.get(row.id), row.id));
    } else violations.push(...faultsOfRow(row, calls, requested, entriesById.get(row.id)));
  }
  for (const { id } of entries) if (!generationIds.has(id)) violations.push(`${id}: has entries and no row`);

  let doubled = generations.length - generationIds.size;
  for (const { id, charges, corrections } of entries) {
    if (charges === 1 && corrections <= 1) continue;
    doubled++;
    violations.push(`${id}: has ${charges} charges and ${corrections} corrections`);
  }
  let missing = 0;
  const repeated = new Set(replies.filter(({ isRepeated }) => isRepeated).map(({ marker }) => marker));
  for (const marker of calls.keys()) {
    const rows = rowsByMarker.get(marker) ?? [];
    // A run that failed before anything was charged is not the answer to its idempotency key: the request runs again.
    const isOneAnswer = rows.length > 1 && repeated.has(marker) && rows.filter(isAnswer).length <= 1;
    if (rows.length === 1 || isOneAnswer) continue;
    if (rows.length === 0) missing++;
    else doubled++;
    violations.push(
      `${marker}: reached the upstream and has ${rows.length} rows ${rows.map(({ id }) => id).join(' ')}`,
    );
  }

  const rows = new Map(generations.map((row) => [row.id, row]));
  for (const reply of lost) violations.push(...faultsOfLost(reply, rows, entriesById));

  let exact = 0;
  let late = 0;
  let counted = 0n;
  let charged = 0n;
  for (const reply of replies) {
    if (isRefusal(reply) && calls.has(reply.marker)) {
      violations.push(`${reply.marker}: was refused with ${reply.status} and reached the upstream`);
    }
    if (!reply.isComplete) continue;
    const due = dueFor(calls.get(reply.marker));
    const rows = rowsByMarker.get(reply.marker);
    const row = rows?.find(({ id }) => id === reply.id) ?? rows?.[0];
    const paid = mayBeLate && row ? due - row.operatorCost : due;
    const fault = faultOfReply(reply, { due, paid }, row, entriesById);
    if (fault === undefined && paid === due) exact++;
    else if (fault === undefined) late++;
    else violations.push(`${reply.id ?? reply.marker}: ${fault}`);
    counted += due;
    charged += entriesById.get(reply.id ?? '')?.amount ?? 0n;
  }

  return {
    counts: {
      requests: replies.length,
      unpaid: replies.filter(({ status }) => status === 402).length,
      upstreamCalls: [...calls.values()].reduce((sum, { length }) => sum + length, 0),
      called: calls.size,
      rows: generations.length,
      rowsWithoutCall: generations.filter(({ marker }) => !calls.has(marker ?? '')).length,
      recovered: generations.filter(({ isRecovered }) => isRecovered).length,
      unheard,
      unheardReported,
      completed: replies.filter(({ isComplete }) => isComplete).length,
      exact,
      late,
      doubled,
      missing,
      counted,
      charged,
    },
    violations,
  };
}

/** Refused before anything was sent: by a counter or another limit of the gateway. */
const isRefusal = ({ status }: SeenReply): boolean => status !== undefined && [401, 402, 403, 429].includes(status);

const isAnswer = ({ outcome, cost, operatorCost }: StoredGeneration): boolean =>
  outcome === 'completed' || cost + operatorCost > 0n;

/** The amount due for a completed reply: of the call that answered, and only that one. */
function dueFor(calls: readonly UpstreamCall[] | undefined): PicoUsd {
  return (calls ?? []).reduce((sum, { isRefused, cost }) => (isRefused ? sum : sum + cost), 0n);
}

function faultOfReply(
  { id, reportedCost }: SeenReply,
  { due, paid }: { readonly due: PicoUsd; readonly paid: PicoUsd },
  row: StoredGeneration | undefined,
  entries: ReadonlyMap<string, StoredEntries>,
): string | undefined {
  if (!row) return 'its last byte went out and it has no row';
  if (row.id !== id) return `its row bears another id, ${row.id}`;
  if (row.outcome !== 'completed') return `its last byte went out and it counts as ${row.outcome}`;
  if (row.cost !== paid) return `the upstream counted ${formatUsd(due)} USD, its row has ${formatUsd(row.cost)}`;
  const amount = entries.get(id)?.amount;
  if (amount !== paid) return `the upstream counted ${formatUsd(due)} USD, entered is ${formatUsd(amount ?? 0n)}`;
  if (reportedCost !== usdNumber(due))
    return `the upstream counted ${formatUsd(due)} USD, its client received ${reportedCost}`;
  return undefined;
}

function faultsOfLost(
  { marker, generationId, charged }: LostReply,
  rows: ReadonlyMap<string, StoredGeneration>,
  entries: ReadonlyMap<string, StoredEntries>,
): readonly string[] {
  const row = rows.get(generationId ?? '');
  if (row?.marker !== undefined && row.marker !== marker) return [`${generationId}: is named for ${marker}`];
  const entered = row && entries.get(row.id);
  const amount = entered && usdNumber(entered.amount);
  return amount === charged ? [] : [`${marker}: its reply was lost, charged ${charged} USD, entered is ${amount}`];
}

function faultsOfRow(
  { id, marker, cost, bound, isEstimated }: StoredGeneration,
  calls: Evidence['calls'],
  requested: ReadonlySet<string>,
  entered: StoredEntries | undefined,
): readonly string[] {
  const faults: string[] = [];
  if (marker === undefined || !requested.has(marker)) faults.push(`${id}: is a row of no request`);
  if (!entered) faults.push(`${id}: has a row and no entry`);
  else if (entered.amount !== cost) {
    faults.push(`${id}: its row has ${formatUsd(cost)} USD, entered is ${formatUsd(entered.amount)}`);
  }
  // However it ended: a bound is a bound, and what the provider never counted is not charged, except for calls that
  // were abandoned before it reported its count.
  if (cost > bound) faults.push(`${id}: is charged ${formatUsd(cost)} USD, above its bound of ${formatUsd(bound)}`);
  const due = dueFor(calls.get(marker ?? ''));
  if (cost > due && !isEstimated)
    faults.push(`${id}: is charged ${formatUsd(cost)} USD, the upstream counted ${formatUsd(due)}`);
  return faults;
}

/** Checks that such a hold is entered like any other, at 0 USD. */
function chargesOfUnheard(entered: StoredEntries | undefined, id: string): readonly string[] {
  if (!entered) return [`${id}: has a row and no entry`];
  return entered.amount === 0n ? [] : [`${id}: costs nothing, entered is ${formatUsd(entered.amount)}`];
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
