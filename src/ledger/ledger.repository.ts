import { Injectable } from '@nestjs/common';
import type { BudgetSubject } from '../accounts/budget-subjects.js';
import type { Caller } from '../core/caller.js';
import { formatUsd, parseUsd, type PicoUsd } from '../core/money/credits.js';
import { Clock, INTERVALS, type Interval } from '../core/time.js';
import { Statements } from '../shared/database/statements.js';
import { NOTHING_OBSERVED } from './generations/generation-row.js';
import type { CounterName, HeldAmounts, HeldCounters, Hold, HoldRefusal, HoldRequest } from './hold.js';
import type { Note } from './note-files.js';
import type { Settlement } from './settlement.js';

/** A member of a batch of holds. */
export interface HoldMember {
  readonly request: HoldRequest;
  readonly amounts: HeldAmounts;
  /** Extends an existing hold. */
  readonly extends: boolean;
  /** Requested in addition, where plenty stays free. Of an extension only. */
  readonly extra?: HeldAmounts;
}

/** `undefined`: the hold to be extended no longer exists. */
export type TakenHold = GrantedHold | { readonly refused: readonly HoldRefusal[] } | undefined;

interface GrantedHold {
  readonly heldAt: Date;
  readonly counters: HeldCounters;
  /** The additional amount was granted as well. */
  readonly isAhead: boolean;
}

interface RefusedRow {
  readonly scope: HoldRefusal['scope'];
  readonly scope_id: string;
  readonly window_interval: Interval;
  readonly includes_byok: boolean;
  readonly is_default: boolean;
  readonly cap: string;
  readonly used: string;
  readonly held: string;
}

/**
 * A granted member: when in milliseconds of Unix time, from which counters, and whether with the additional amount; or
 * a counter that refused one.
 */
type TakenEntry =
  | readonly [
      place: number,
      heldAtMs: number,
      keyInterval: HeldCounters['keyInterval'],
      budgets: HeldCounters['budgets'],
      isAhead?: true,
    ]
  | (RefusedRow & { readonly place: number });

/**
 * Characters that PostgreSQL accepts in no text: NUL, and halves of surrogate pairs. `JSON.stringify` writes both as
 * lower-case escapes.
 */
const REFUSED_ESCAPE = /\\u(?:0000|d[89a-f])/;
const NULS = /\0/g;

/** Holds that one statement posts to counters. */
export const POSTED_MAX = 1_000;
/** Rows of one background statement. */
const SWEEP_MAX = 1_000;
/** Counters that one statement forgets: it compares all of them. */
const FORGOTTEN_MAX = 10_000;
/** Notes of open generations that one statement restores. */
const NOTES_MAX = 200;
/** A replica whose heartbeat is older is dead: seven beats. */
export const DEAD_AFTER_MS = 15_000;
const DEAD_AFTER = `interval '${DEAD_AFTER_MS} milliseconds'`;
/**
 * SQL: the hold `h` was not taken within an interval before now. One from the future was taken at another server,
 * before the current one.
 */
const notTakenWithin = (interval: string, now: string): string =>
  `h.held_at NOT BETWEEN ${now} - ${interval} AND ${now} + interval '1 second'`;
/**
 * A hold `h` of a dead replica `r`, or one of this replica that has passed its deadline and is not open there.
 * $1: `aheadMs`, $2: this replica, $3: ids of its open holds.
 */
const IS_LEFT = `h.cost IS NULL AND NOT h.generation_id = ANY($3) AND CASE WHEN h.replica = $2
  THEN coalesce(h.deadline_at, 'epoch') < now() + $1 * interval '1 millisecond'
  ELSE coalesce(r.heartbeat_at, 'epoch') < now() - ${DEAD_AFTER}
    AND ${notTakenWithin(DEAD_AFTER, "(now() + $1 * interval '1 millisecond')")}
END`;
/** SQLSTATE of `take_holds_4`: the database has lost holds that their replicas have not all written back yet. */
export const HOLDS_INCOMPLETE = 'LR001';

/** The statements of the ledger. Hot ones are functions of the database: see `sql`. */
@Injectable()
export class LedgerRepository {
  /** Number of the last write of open generations' state. */
  private noteNumber = 0;

  constructor(
    private readonly statements: Statements,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes holds. The results have the order of the members.
   * @param ttlMs latest end of a hold, counted from when it is taken
   * @throws with the code `HOLDS_INCOMPLETE` while holds that the database has lost are missing
   */
  async take(replica: string, members: readonly HoldMember[], ttlMs: number): Promise<readonly TakenHold[]> {
    const wanted: object[] = [];
    const extra: object[] = [];
    for (const member of members) {
      if (member.extra) extra.push({ place: wanted.length, id: member.request.id, ...printAmounts(member.extra) });
      wanted.push(printMember(replica, member, wanted.length));
    }
    const parameters = [JSON.stringify(wanted), String(this.clock.aheadMs), String(ttlMs)];
    const answer =
      extra.length === 0
        ? await this.statements.value('SELECT take_holds_4($1, $2, $3)', parameters)
        : await this.statements.value('SELECT take_holds_5($1, $2, $3, $4)', [...parameters, JSON.stringify(extra)]);
    const entries = JSON.parse(answer ?? 'null') as readonly TakenEntry[] | null;
    const taken = new Array<TakenHold>(members.length).fill(undefined);
    for (const entry of entries ?? []) {
      if ('place' in entry) {
        const refusal = readRefusal(entry, members[entry.place]!.request.subjects);
        taken[entry.place] = { refused: [...refusalsOf(taken[entry.place]), refusal] };
      } else {
        const [index, heldAtMs, keyInterval, budgets, isAhead = false] = entry;
        taken[index] = { heldAt: new Date(heldAtMs), counters: { keyInterval, budgets }, isAhead };
      }
    }
    return taken;
  }

  /** The current state of the counters with a cap that a hold of this caller would be taken from. Takes nothing. */
  async listCounters(
    { accountId, workspaceId, keyHash }: Caller,
    guardrails: readonly string[],
    subjects: readonly BudgetSubject[],
  ): Promise<readonly HoldRefusal[]> {
    const rows = await this.statements.run<RefusedRow>(
      `WITH claim AS (
         SELECT 'account' AS scope, $1::text AS scope_id, 'lifetime' AS interval, NULL::numeric AS cap, false AS includes_byok, false AS is_default
         UNION ALL
         SELECT 'key', k.hash, coalesce(k.limit_reset, 'lifetime'), raised_1(k.limit_usd, k.raised_usd, k.raised_until, now() + $4 * interval '1 millisecond'),
           k.include_byok_in_limit, false
         FROM api_keys k WHERE k.hash = $3
         UNION ALL
         SELECT b.scope, b.scope_id, b.interval, b.limit_usd, b.include_byok, false FROM budgets b
         WHERE b.account_id = $1::uuid
           AND (b.scope = 'workspace' AND b.scope_id = $2 OR b.scope = 'guardrail' AND b.scope_id = ANY($5))
         UNION ALL
         SELECT s.scope, s.id, i.interval, b.cap, b.include_byok, b.is_default
         FROM unnest($6::text[], $7::text[]) AS s (scope, id)
         CROSS JOIN unnest($8::text[]) AS i (interval)
         CROSS JOIN LATERAL budget_of_1($1::uuid, s.scope, s.id, i.interval, now() + $4 * interval '1 millisecond') AS b
       )
       SELECT c.scope, c.scope_id, c.interval AS window_interval, c.includes_byok, c.is_default, coalesce(c.cap, w."limit") AS cap,
         coalesce(w.used, 0) + CASE WHEN c.includes_byok THEN coalesce(w.byok_used, 0) ELSE 0 END AS used,
         coalesce(w.held, 0) + CASE WHEN c.includes_byok THEN coalesce(w.byok_held, 0) ELSE 0 END AS held
       FROM claim c LEFT JOIN spending_windows w ON w.scope = c.scope AND w.scope_id = c.scope_id AND w.interval = c.interval
         AND w.window_start = window_start_of(c.interval, now() + $4 * interval '1 millisecond')
       WHERE coalesce(c.cap, w."limit") IS NOT NULL
       ORDER BY counter_rank_2(c.scope, c.interval)`,
      [
        accountId,
        workspaceId,
        keyHash,
        this.clock.aheadMs,
        guardrails,
        subjects.map(({ scope }) => scope),
        subjects.map(({ scopeId }) => scopeId),
        INTERVALS,
      ],
    );
    return rows.map((row) => readRefusal(row, subjects));
  }

  /**
   * @param rows printed settlements
   * @returns how many of them were charged less than their full amount, because hold and balance were missing
   */
  async settle(rows: readonly string[]): Promise<number> {
    return Number(await this.statements.value('SELECT settle_generations_2($1)', [`[${rows.join(',')}]`]));
  }

  /** Posts to the counters those of these holds that are settled. */
  async post(ids: readonly string[]): Promise<void> {
    await this.statements.run('SELECT post_holds_2($1)', [ids]);
  }

  /**
   * Posts what is settled and counts in any of these counters, whichever replica settled it.
   * @returns how many holds it posted, `POSTED_MAX` at most
   */
  async postCounters(counters: readonly CounterName[]): Promise<number> {
    const named = counters.map(({ scope, scopeId, interval }) => ({
      scope,
      scope_id: scopeId,
      window_interval: interval,
    }));
    const found = await this.statements.value('SELECT post_counters_4($1, $2)', [
      JSON.stringify(named),
      String(POSTED_MAX),
    ]);
    return Number(found);
  }

  /** Settles holds that nothing was sent for at zero: they make no generation. */
  async release(ids: readonly string[]): Promise<void> {
    await this.statements.run(
      `UPDATE holds SET cost = 0, byok_cost = 0 WHERE generation_id = ANY(array(
         SELECT h.generation_id FROM holds h WHERE h.generation_id = ANY($1) AND h.cost IS NULL ORDER BY h.generation_id FOR UPDATE
       ))`,
      [ids],
    );
  }

  /** Gives a free request of that day back to its account and its key. */
  async uncountFree({ accountId, keyHash }: Caller, heldAt: string): Promise<void> {
    await this.statements.run(
      // Locked in the order in which holds lock them.
      `WITH counted AS (
         SELECT * FROM spending_windows
         WHERE scope = 'free_requests' AND scope_id IN ($1, $2) AND interval = 'daily'
           AND window_start = window_start_of('daily', $3::timestamptz) AND used > 0
         ORDER BY scope_id FOR UPDATE
       )
       UPDATE spending_windows w SET used = w.used - 1 FROM counted c
       WHERE (w.scope, w.scope_id, w.interval, w.window_start) = (c.scope, c.scope_id, c.interval, c.window_start)`,
      [accountId, keyHash, heldAt],
    );
  }

  /**
   * Records that a replica is alive, and the state of its open generations: printed rows by id.
   * @param observed read in the same turn: a later state of a generation stays, whichever statement wrote it
   * @returns the epoch of the holds: if it differs from the last one, some may be lost
   */
  async writeHeartbeat(replica: string, observed: readonly (readonly [id: string, row: string])[]): Promise<string> {
    const [row] = await this.statements.run<{ epoch: string }>('SELECT beat_4($1, $2, $3) AS epoch', [
      replica,
      printObserved(observed),
      ++this.noteNumber,
    ]);
    return row!.epoch;
  }

  /**
   * Writes the state of one open generation before the next heartbeat does.
   * @param row printed, as for `writeHeartbeat`
   * @param sent as of `Statements.value`
   */
  async note(id: string, row: string, sent: () => void): Promise<void> {
    // A crash of the server may lose it, as it may lose holds.
    await this.statements.value(
      'SELECT note_hold_2($1, $2, $3, $4)',
      [id, row, String(++this.noteNumber), 'false'],
      sent,
    );
  }

  /**
   * Restores the state of open generations that was noted elsewhere, unless a heartbeat has written a later one. Holds
   * that the database has lost meanwhile are written back.
   */
  async restoreNotes(notes: readonly Note[]): Promise<void> {
    for (let start = 0; start < notes.length; start += NOTES_MAX) {
      const batch = notes.slice(start, start + NOTES_MAX);
      await this.restoreHolds(batch.map(({ hold }) => hold));
      await this.statements.run(
        `UPDATE holds h SET observed = o.row FROM json_to_recordset($1) AS o (id text, row jsonb)
         WHERE h.generation_id = o.id AND h.cost IS NULL
           AND coalesce((h.observed->>'settled_at')::timestamptz, '-infinity') <= (o.row->>'settled_at')::timestamptz`,
        [printObserved(batch.map(({ row }) => [row.id, printGeneration(row)]))],
      );
    }
  }

  /**
   * Writes back what the database has lost of these open holds.
   * @returns how many had lost something
   */
  async restore(replica: string, holds: readonly Hold[], ttlMs: number): Promise<number> {
    return holds.length === 0 ? 0 : this.restoreHolds(holds.map((hold) => holdRow(replica, hold, ttlMs)));
  }

  private async restoreHolds(known: readonly object[]): Promise<number> {
    const [row] = await this.statements.run<{ lost: number }>('SELECT restore_holds_2($1) AS lost', [
      JSON.stringify(known),
    ]);
    return row!.lost;
  }

  /**
   * Marks that all holds of a replica are in the database in this epoch.
   * @param isAlone no other replica can use this store
   */
  async completeEpoch(epoch: string, replica: string, isAlone: boolean): Promise<void> {
    await this.statements.run('SELECT complete_epoch_1($1, $2, $3)', [epoch, replica, isAlone]);
  }

  /** The replica ends without open holds. */
  async leave(replica: string): Promise<void> {
    await this.statements.run('DELETE FROM replicas WHERE id = $1', [replica]);
  }

  /** Holds of this replica that have been unsettled for ten seconds; and the database's time. */
  async listOpen(replica: string): Promise<{ readonly ids: readonly string[]; readonly at: Date }> {
    const [row] = await this.statements.run<{ ids: readonly string[]; at: Date }>(
      `SELECT t.at, array(
         SELECT h.generation_id FROM holds h
         WHERE h.replica = $1 AND h.cost IS NULL AND ${notTakenWithin("interval '10 seconds'", 't.at')}
       ) AS ids
       FROM (SELECT now() + $2 * interval '1 millisecond' AS at) AS t`,
      [replica, this.clock.aheadMs],
    );
    return row!;
  }

  /** Settled holds that are not posted yet. */
  async listUnposted(): Promise<readonly string[]> {
    const rows = await this.statements.run<{ generation_id: string }>(
      `SELECT generation_id FROM holds WHERE cost IS NOT NULL ORDER BY held_at LIMIT ${SWEEP_MAX}`,
    );
    return rows.map(({ generation_id }) => generation_id);
  }

  /** The holds that `recover` would settle, oldest ids first. */
  async listLeft(replica: string, mine: readonly string[]): Promise<readonly string[]> {
    const rows = await this.statements.run<{ generation_id: string }>(
      `SELECT h.generation_id FROM holds h LEFT JOIN replicas r ON r.id = h.replica
       WHERE ${IS_LEFT} ORDER BY h.generation_id LIMIT ${SWEEP_MAX}`,
      [this.clock.aheadMs, replica, mine],
    );
    return rows.map(({ generation_id }) => generation_id);
  }

  /**
   * Settles the holds of dead replicas with their last observed state, and those that this replica no longer has open
   * past their deadline. A replica with a heartbeat is left alone. Concurrent calls share the work.
   * @param mine open generations of this replica, which are not recovered however old they are
   * @param only restricts it to one hold, and decides whether its observed state counts
   */
  async recover(
    replica: string,
    mine: readonly string[],
    only?: { readonly id: string; readonly asObserved: boolean },
  ): Promise<readonly RecoveredGeneration[]> {
    return this.statements.run<RecoveredGeneration>(
      `WITH dead AS (
         SELECT h.* FROM holds h LEFT JOIN replicas r ON r.id = h.replica
         WHERE ${IS_LEFT} AND ($4::text IS NULL OR h.generation_id = $4)
         ORDER BY h.generation_id LIMIT ${SWEEP_MAX}
         FOR UPDATE OF h SKIP LOCKED
       ), row AS (
         SELECT d.generation_id AS id, $6::jsonb || jsonb_build_object(
           'id', d.generation_id, 'held_at', d.held_at, 'account_id', d.account_id, 'workspace_id', d.workspace_id,
           'key_hash', d.key_hash, 'requested_model', coalesce(d.model, '')
         ) || CASE WHEN $5 THEN coalesce(d.observed, '{}') ELSE '{}' END || jsonb_build_object(
           'bound', d.bound, 'settled_at', now() + $1 * interval '1 millisecond', 'outcome', 'recovered', 'is_recovered', true
         ) AS value
         FROM dead d
       ), settled AS (
         SELECT settle_generations_2((SELECT json_agg(row.value) FROM row)) WHERE EXISTS (SELECT 1 FROM row)
       )
       SELECT row.value->>'provider' AS provider, row.value->>'model' AS model, row.value->>'cost' AS cost,
         row.value->>'operator_cost' AS operator_cost, row.value->'engine_costs' AS engine_costs
       FROM row, settled`,
      [this.clock.aheadMs, replica, mine, only?.id ?? null, only?.asObserved ?? true, JSON.stringify(NOTHING_OBSERVED)],
    );
  }

  /** Removes counters of users, members and tags that nothing counts in any more. @returns how many */
  async removeIdleCounters(): Promise<number> {
    const removed = await this.statements.value('SELECT remove_idle_counters_1($1, $2)', [
      String(this.clock.aheadMs),
      String(SWEEP_MAX),
    ]);
    return Number(removed);
  }

  /** Removes counters of users, members and tags beyond a number. @returns how many */
  async forgetCounters(kept: number): Promise<number> {
    const removed = await this.statements.value('SELECT forget_counters_1($1, $2)', [
      String(kept),
      String(FORGOTTEN_MAX),
    ]);
    return Number(removed);
  }

  /** Deletes replicas that have been dead for a day and have no holds. */
  async forgetReplicas(): Promise<void> {
    await this.statements.run(
      `DELETE FROM replicas r WHERE r.heartbeat_at < now() - interval '1 day'
         AND NOT EXISTS (SELECT 1 FROM holds h WHERE h.replica = r.id)`,
    );
  }

  /** Inserts lists of prices by the hash of their text; existing ones stay. */
  async keepPrices(versions: readonly { readonly id: string; readonly pricing: string }[]): Promise<void> {
    await this.statements.run(
      `INSERT INTO price_versions (id, pricing, effective_from)
       SELECT v.id, v.pricing::jsonb, now() + $2 * interval '1 millisecond'
       FROM json_to_recordset($1) AS v (id text, pricing text)
       ON CONFLICT DO NOTHING`,
      [JSON.stringify(versions), this.clock.aheadMs],
    );
  }
}

/** The holds that a stopped replica has left. Amounts are decimal USD; null: no provider was called. */
export interface RecoveredGeneration {
  readonly provider: string | null;
  readonly model: string | null;
  readonly cost: string;
  readonly operator_cost: string;
  /** The part of it by engines of tools and plugins, by name; null: none. */
  readonly engine_costs: Readonly<Record<string, string>> | null;
}

const printObserved = (observed: readonly (readonly [id: string, row: string])[]): string =>
  `[${observed.map(([id, row]) => `{"id":${JSON.stringify(id)},"row":${row}}`).join(',')}]`;

function printMember(replica: string, { request, amounts, extends: isExtension }: HoldMember, index: number): object {
  const { id, caller, model, isFree, hasContention, subjects } = request;
  return {
    place: index,
    id,
    replica,
    account_id: caller.accountId,
    workspace_id: caller.workspaceId,
    key_hash: caller.keyHash,
    model,
    bound: formatUsd(amounts.credits),
    byok_bound: formatUsd(amounts.byok),
    free: isFree,
    shared: hasContention === true,
    extends: isExtension,
    guardrails: request.guardrails,
    ...(subjects && subjects.length > 0 && { subjects: subjects.map(({ scope, scopeId }) => [scope, scopeId]) }),
  };
}

const printAmounts = ({ credits, byok }: HeldAmounts): object => ({
  bound: formatUsd(credits),
  byok_bound: formatUsd(byok),
});

const refusalsOf = (taken: TakenHold): readonly HoldRefusal[] => (taken && 'refused' in taken ? taken.refused : []);

/**
 * A row of `holds` for `restore_holds_2`.
 * @param replica null: none, so that it is recovered once it is old enough
 */
export function holdRow(replica: string | null, { id, request, heldAt, bound, counters }: Hold, ttlMs: number): object {
  const { caller, model } = request;
  return {
    generation_id: id,
    held_at: heldAt,
    replica,
    account_id: caller.accountId,
    workspace_id: caller.workspaceId,
    key_hash: caller.keyHash,
    key_interval: counters.keyInterval,
    budgets: counters.budgets,
    bound: formatUsd(bound.credits),
    byok_bound: formatUsd(bound.byok),
    model,
    deadline_at: new Date(Date.parse(heldAt) + ttlMs).toISOString(),
  };
}

function readRefusal(row: RefusedRow, subjects: readonly BudgetSubject[] = []): HoldRefusal {
  const { scope, scope_id, window_interval, includes_byok, is_default, cap, used, held } = row;
  const subject = subjects.find((candidate) => candidate.scope === scope && candidate.scopeId === scope_id);
  return {
    scope,
    scopeId: scope_id,
    interval: window_interval,
    includesByok: includes_byok,
    ...(subject && { subject }),
    ...(is_default && { isDefault: true }),
    limit: readAmount(cap),
    used: readAmount(used),
    held: readAmount(held),
  };
}

/** A count is stored without decimals: as an amount it is as many whole units. */
function readAmount(stored: string): PicoUsd {
  const amount = parseUsd(stored);
  if (amount === undefined) throw new RangeError('A stored amount lies beyond 10¹⁵ USD.');
  return amount;
}

/** A row as its statement takes it. Callers and providers may send any text: what the database refuses is replaced. */
export function printGeneration(row: Settlement): string {
  const json = JSON.stringify(row);
  return REFUSED_ESCAPE.test(json) ? JSON.stringify(storable(row)) : json;
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replace(NULS, '\ufffd');
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [storable(key), storable(member)]));
}
