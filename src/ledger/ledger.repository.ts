import { Injectable } from '@nestjs/common';
import type { Caller } from '../core/caller.js';
import { formatUsd, parseUsd, type PicoUsd } from '../core/money/credits.js';
import { Clock, type Interval } from '../core/time.js';
import { Statements } from '../shared/database/statements.js';
import { NOTHING_OBSERVED } from './generation-row.js';
import type { CounterName, HeldAmounts, HeldCounters, Hold, HoldRefusal, HoldRequest } from './hold.js';
import type { Note } from './note-files.js';
import type { Settlement } from './settlement.js';

/** A member of a batch of holds. */
export interface HoldMember {
  readonly request: HoldRequest;
  readonly amounts: HeldAmounts;
  /** Adds to a hold that stands. */
  readonly extends: boolean;
  /** Wanted beside that, where plenty stays free. Of one that extends. */
  readonly ahead?: HeldAmounts;
}

/** `undefined`: the hold to be extended is gone. */
export type TakenHold = GrantedHold | { readonly refused: readonly HoldRefusal[] } | undefined;

interface GrantedHold {
  readonly heldAt: Date;
  readonly counters: HeldCounters;
  /** What was wanted ahead was granted as well. */
  readonly isAhead: boolean;
}

interface RefusedRow {
  readonly scope: HoldRefusal['scope'];
  readonly scope_id: string;
  readonly window_interval: Interval;
  readonly includes_byok: boolean;
  readonly cap: string;
  readonly used: string;
  readonly held: string;
}

/**
 * A member that was granted, when in milliseconds of Unix time, from what, and whether with what it wanted ahead; or a
 * counter that refused one.
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
 * What PostgreSQL takes for no text: NUL, and halves of surrogate pairs. `JSON.stringify` writes both as
 * escapes, in small letters.
 */
const REFUSED_ESCAPE = /\\u(?:0000|d[89a-f])/;
const NULS = /\0/g;

/** Holds that one statement posts to counters. */
export const POSTED_MAX = 1_000;
/** Rows of one statement that nobody waits for. */
const SWEEP_MAX = 1_000;
/** Rows of open generations that one statement brings back. */
const NOTES_MAX = 200;
/** A replica whose heartbeat is older is dead: seven beats. */
export const DEAD_AFTER_MS = 15_000;
const DEAD_AFTER = `interval '${DEAD_AFTER_MS} milliseconds'`;
/**
 * The hold `h` was not taken within an interval before now. One of a time to come was taken at another server, before
 * the one that is asked.
 */
const notTakenWithin = (interval: string, now: string): string =>
  `h.held_at NOT BETWEEN ${now} - ${interval} AND ${now} + interval '1 second'`;
/**
 * A hold `h` of a dead replica `r`, or one of the asking replica's that has passed its deadline and is not open there.
 * $1: `aheadMs`, $2: the asking replica, $3: ids of what is open there.
 */
const IS_LEFT = `h.cost IS NULL AND NOT h.generation_id = ANY($3) AND CASE WHEN h.replica = $2
  THEN coalesce(h.deadline_at, 'epoch') < now() + $1 * interval '1 millisecond'
  ELSE coalesce(r.heartbeat_at, 'epoch') < now() - ${DEAD_AFTER}
    AND ${notTakenWithin(DEAD_AFTER, "(now() + $1 * interval '1 millisecond')")}
END`;
/** SQLSTATE of `take_holds_2`: the database has lost holds, and their replicas have not all written them back yet. */
export const HOLDS_INCOMPLETE = 'LR001';

/** The statements of the ledger. What is hot is a function of the database: see `sql`. */
@Injectable()
export class LedgerRepository {
  /** How often what open generations have come to was said. */
  private said = 0;

  constructor(
    private readonly statements: Statements,
    private readonly clock: Clock,
  ) {}

  /**
   * One answer for each member, in their order.
   * @param livesMs how long after it was taken a hold has ended at the latest
   * @throws with the code `HOLDS_INCOMPLETE` while holds that the database has lost are missing
   */
  async take(replica: string, members: readonly HoldMember[], livesMs: number): Promise<readonly TakenHold[]> {
    const wanted: object[] = [];
    const ahead: object[] = [];
    for (const member of members) {
      if (member.ahead) ahead.push({ place: wanted.length, id: member.request.id, ...printAmounts(member.ahead) });
      wanted.push(printMember(replica, member, wanted.length));
    }
    const asked = [JSON.stringify(wanted), String(this.clock.aheadMs), String(livesMs)];
    const answer =
      ahead.length === 0
        ? await this.statements.value('SELECT take_holds_2($1, $2, $3)', asked)
        : await this.statements.value('SELECT take_holds_3($1, $2, $3, $4)', [...asked, JSON.stringify(ahead)]);
    const entries = JSON.parse(answer ?? 'null') as readonly TakenEntry[] | null;
    const taken = new Array<TakenHold>(members.length).fill(undefined);
    for (const entry of entries ?? []) {
      if ('place' in entry) taken[entry.place] = { refused: [...refusalsOf(taken[entry.place]), readRefusal(entry)] };
      else {
        const [place, heldAtMs, keyInterval, budgets, isAhead = false] = entry;
        taken[place] = { heldAt: new Date(heldAtMs), counters: { keyInterval, budgets }, isAhead };
      }
    }
    return taken;
  }

  /**
   * The counters that a hold of this caller's would be taken from, those with a cap, as they stand now. Takes nothing.
   */
  async listCounters(
    { accountId, workspaceId, keyHash }: Caller,
    guardrails: readonly string[],
  ): Promise<readonly HoldRefusal[]> {
    const rows = await this.statements.run<RefusedRow>(
      `WITH claim AS (
         SELECT 'account' AS scope, $1::text AS scope_id, 'lifetime' AS interval, NULL::numeric AS cap, false AS includes_byok
         UNION ALL
         SELECT 'key', k.hash, coalesce(k.limit_reset, 'lifetime'), k.limit_usd, k.include_byok_in_limit FROM api_keys k WHERE k.hash = $3
         UNION ALL
         SELECT b.scope, b.scope_id, b.interval, b.limit_usd, b.include_byok FROM budgets b
         WHERE b.account_id = $1::uuid
           AND (b.scope = 'workspace' AND b.scope_id = $2 OR b.scope = 'guardrail' AND b.scope_id = ANY($5))
       )
       SELECT c.scope, c.scope_id, c.interval AS window_interval, c.includes_byok, coalesce(c.cap, w."limit") AS cap,
         coalesce(w.used, 0) + CASE WHEN c.includes_byok THEN coalesce(w.byok_used, 0) ELSE 0 END AS used,
         coalesce(w.held, 0) + CASE WHEN c.includes_byok THEN coalesce(w.byok_held, 0) ELSE 0 END AS held
       FROM claim c LEFT JOIN spending_windows w ON w.scope = c.scope AND w.scope_id = c.scope_id AND w.interval = c.interval
         AND w.window_start = window_start_of(c.interval, now() + $4 * interval '1 millisecond')
       WHERE coalesce(c.cap, w."limit") IS NOT NULL
       ORDER BY counter_rank_1(c.scope, c.interval)`,
      [accountId, workspaceId, keyHash, this.clock.aheadMs, guardrails],
    );
    return rows.map(readRefusal);
  }

  /**
   * @param rows printed settlements
   * @returns how many of them were charged less than they came to, for want of a hold and of room
   */
  async settle(rows: readonly string[]): Promise<number> {
    return Number(await this.statements.value('SELECT settle_generations_1($1)', [`[${rows.join(',')}]`]));
  }

  /** Moves the counters for those of these holds that are settled. */
  async post(ids: readonly string[]): Promise<void> {
    await this.statements.run('SELECT post_holds_2($1)', [ids]);
  }

  /**
   * Moves the counters for what is settled and counts in any of these, whichever replica settled it.
   * @returns how many holds it found, `POSTED_MAX` at most
   */
  async postCounters(counters: readonly CounterName[]): Promise<number> {
    const named = counters.map(({ scope, scopeId, interval }) => ({
      scope,
      scope_id: scopeId,
      window_interval: interval,
    }));
    const found = await this.statements.value('SELECT post_counters_3($1, $2)', [
      JSON.stringify(named),
      String(POSTED_MAX),
    ]);
    return Number(found);
  }

  /** Settles holds that nothing was sent for, at nothing: no generation comes of them. */
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
      // In the order in which holds lock them.
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
   * Says that a replica lives, and what its open generations have come to: printed rows by id.
   * @param observed read in the same turn: what was said later of one stays, by whichever statement
   * @returns the epoch of the holds: after another one than before, some may be lost
   */
  async beat(replica: string, observed: readonly (readonly [id: string, row: string])[]): Promise<string> {
    const [row] = await this.statements.run<{ epoch: string }>('SELECT beat_4($1, $2, $3) AS epoch', [
      replica,
      printObserved(observed),
      ++this.said,
    ]);
    return row!.epoch;
  }

  /**
   * Says what one open generation has come to, before the next beat would.
   * @param row printed; as of `beat`
   * @param sent as of `Statements.value`
   */
  async note(id: string, row: string, sent: () => void): Promise<void> {
    // A server's own end may lose it, as it may lose holds.
    await this.statements.value('SELECT note_hold_2($1, $2, $3, $4)', [id, row, String(++this.said), 'false'], sent);
  }

  /**
   * Says what open generations had come to when that was noted elsewhere, unless a beat has said more since. Holds that
   * the database has lost meanwhile are written back.
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
   * Writes back what the database has lost of these holds, which are open here.
   * @returns how many had lost something
   */
  async restore(replica: string, holds: readonly Hold[], livesMs: number): Promise<number> {
    return holds.length === 0 ? 0 : this.restoreHolds(holds.map((hold) => holdRow(replica, hold, livesMs)));
  }

  private async restoreHolds(known: readonly object[]): Promise<number> {
    const [row] = await this.statements.run<{ lost: number }>('SELECT restore_holds_1($1) AS lost', [
      JSON.stringify(known),
    ]);
    return row!.lost;
  }

  /**
   * All that a replica holds is there in this epoch.
   * @param isAlone no other replica can be on this store
   */
  async completeEpoch(epoch: string, replica: string, isAlone: boolean): Promise<void> {
    await this.statements.run('SELECT complete_epoch_1($1, $2, $3)', [epoch, replica, isAlone]);
  }

  /** The replica ends, and owes nothing. */
  async leave(replica: string): Promise<void> {
    await this.statements.run('DELETE FROM replicas WHERE id = $1', [replica]);
  }

  /** Holds of this replica that have stood for ten seconds, unsettled; and what time it is for the database. */
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

  /** Settled holds whose counters nobody has moved yet. */
  async listUnposted(): Promise<readonly string[]> {
    const rows = await this.statements.run<{ generation_id: string }>(
      `SELECT generation_id FROM holds WHERE cost IS NOT NULL ORDER BY held_at LIMIT ${SWEEP_MAX}`,
    );
    return rows.map(({ generation_id }) => generation_id);
  }

  /** What `recover` would settle, oldest ids first. */
  async listLeft(replica: string, mine: readonly string[]): Promise<readonly string[]> {
    const rows = await this.statements.run<{ generation_id: string }>(
      `SELECT h.generation_id FROM holds h LEFT JOIN replicas r ON r.id = h.replica
       WHERE ${IS_LEFT} ORDER BY h.generation_id LIMIT ${SWEEP_MAX}`,
      [this.clock.aheadMs, replica, mine],
    );
    return rows.map(({ generation_id }) => generation_id);
  }

  /**
   * Settles what dead replicas held by what was observed of it, and what this one no longer has open past its deadline.
   * Nobody does so for a replica that beats. Replicas that do it at the same time share the work.
   * @param mine open generations of this replica, which are not recovered however old they are
   * @param only this one, and whether what was observed of it counts
   * @returns ids of what was recovered
   */
  async recover(
    replica: string,
    mine: readonly string[],
    only?: { readonly id: string; readonly asObserved: boolean },
  ): Promise<readonly string[]> {
    const rows = await this.statements.run<{ id: string }>(
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
         SELECT settle_generations_1((SELECT json_agg(row.value) FROM row)) WHERE EXISTS (SELECT 1 FROM row)
       )
       SELECT row.id FROM row, settled`,
      [this.clock.aheadMs, replica, mine, only?.id ?? null, only?.asObserved ?? true, JSON.stringify(NOTHING_OBSERVED)],
    );
    return rows.map(({ id }) => id);
  }

  /** Forgets replicas that have been dead for a day and hold nothing. */
  async forgetReplicas(): Promise<void> {
    await this.statements.run(
      `DELETE FROM replicas r WHERE r.heartbeat_at < now() - interval '1 day'
         AND NOT EXISTS (SELECT 1 FROM holds h WHERE h.replica = r.id)`,
    );
  }

  /** Enters lists of prices by the hash of their text; those that stand there stay. */
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

const printObserved = (observed: readonly (readonly [id: string, row: string])[]): string =>
  `[${observed.map(([id, row]) => `{"id":${JSON.stringify(id)},"row":${row}}`).join(',')}]`;

function printMember(replica: string, { request, amounts, extends: isExtension }: HoldMember, place: number): object {
  const { id, caller, model, isFree, isShared } = request;
  return {
    place,
    id,
    replica,
    account_id: caller.accountId,
    workspace_id: caller.workspaceId,
    key_hash: caller.keyHash,
    model,
    bound: formatUsd(amounts.credits),
    byok_bound: formatUsd(amounts.byok),
    free: isFree,
    shared: isShared === true,
    extends: isExtension,
    guardrails: request.guardrails,
  };
}

const printAmounts = ({ credits, byok }: HeldAmounts): object => ({
  bound: formatUsd(credits),
  byok_bound: formatUsd(byok),
});

const refusalsOf = (taken: TakenHold): readonly HoldRefusal[] => (taken && 'refused' in taken ? taken.refused : []);

/**
 * As a row of `holds`, see `restore_holds_1`.
 * @param replica null: nobody's, so that it is recovered once it is old enough
 */
export function holdRow(
  replica: string | null,
  { id, request, heldAt, bound, counters }: Hold,
  livesMs: number,
): object {
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
    deadline_at: new Date(Date.parse(heldAt) + livesMs).toISOString(),
  };
}

function readRefusal({ scope, scope_id, window_interval, includes_byok, cap, used, held }: RefusedRow): HoldRefusal {
  return {
    scope,
    scopeId: scope_id,
    interval: window_interval,
    includesByok: includes_byok,
    limit: readAmount(cap),
    used: readAmount(used),
    held: readAmount(held),
  };
}

/** A count has no decimals: as an amount it is as many whole units. */
function readAmount(stored: string): PicoUsd {
  const amount = parseUsd(stored);
  if (amount === undefined) throw new RangeError('A stored amount lies beyond 10¹⁵ USD.');
  return amount;
}

/**
 * A row as its statement takes it. Texts of callers and providers may hold anything: what the database
 * would refuse is replaced.
 */
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
