import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { newGenerationId, newUuid } from '../../src/core/ids.js';
import type { Interval } from '../../src/core/time.js';
import type { GenerationRow } from '../../src/ledger/generations/generation-row.js';

/** An account of a test with one workspace, and the given keys and budgets. */
export interface LedgerAccount {
  readonly id: string;
  readonly workspaceId: string;
  /** Hashes, in the order of the caps. */
  readonly keys: readonly string[];
}

export interface KeyCap {
  readonly limitUsd: string | null;
  readonly reset: Exclude<Interval, 'lifetime'> | null;
  readonly includesByok: boolean;
}

export interface Budget {
  readonly interval: Interval;
  readonly limitUsd: string;
  readonly includesByok: boolean;
}

/** A member of `take_holds_4`, without its index. */
export interface Claim {
  readonly id: string;
  readonly account: LedgerAccount;
  readonly key: string;
  readonly bound: string;
  readonly byokBound?: string;
  readonly free?: boolean;
  /** Whether the key gets only half of the free requests. */
  readonly shared?: boolean;
  readonly extends?: boolean;
  /** Users, members and tags that it counts for: scope and id of the counter. */
  readonly subjects?: readonly (readonly [scope: string, scopeId: string])[];
}

/** A result of `take_holds_4`. */
export interface Taken {
  readonly place: number;
  /** Null: refused. */
  readonly held_at: Date | null;
  /** Scope of the first counter that refused the hold. */
  readonly scope: string | null;
  /** Every counter that refused it: its scope and interval, in the order in which callers are shown them. */
  readonly refusedBy: readonly string[];
}

interface RefusedAnswer {
  readonly place: number;
  readonly scope: string;
  readonly window_interval: string;
}

export interface Settlement {
  readonly id: string;
  readonly heldAt: Date;
  readonly account: LedgerAccount;
  readonly key: string;
  readonly cost: string;
  readonly byokCost?: string;
  readonly recovered?: boolean;
  /** What its hold was taken from; if absent, the settlement does not contain it. */
  readonly counters?: BenchCounters;
}

export interface BenchCounters {
  readonly keyInterval: Interval;
  readonly budgets: readonly (readonly [scope: string, id: string, interval: Interval])[];
}

/** A hold as the process that took it knows it. */
export interface KnownHold {
  readonly id: string;
  readonly heldAt: Date;
  readonly account: LedgerAccount;
  readonly key: string;
  readonly bound: string;
  readonly byokBound?: string;
  readonly counters: BenchCounters;
}

/** Ten minutes. */
const LIVES_MS = 600_000;

const UNCAPPED: KeyCap = { limitUsd: null, reset: null, includesByok: false };

/** The ledger of a database, changed by the gateway's statements. Its time is the database's plus `aheadMs`. */
export class LedgerBench {
  aheadMs = 0;
  private isOpen = false;

  constructor(readonly database: DataSource) {}

  async addAccount(
    credits: string,
    {
      keys = [UNCAPPED],
      budgets = [],
    }: { readonly keys?: readonly KeyCap[]; readonly budgets?: readonly Budget[] } = {},
  ): Promise<LedgerAccount> {
    const id = newUuid(Date.now());
    const workspaceId = newUuid(Date.now());
    const hashes = keys.map(() => randomBytes(32).toString('hex'));
    await this.database.query(`insert into accounts (id, name) values ($1, 'one')`, [id]);
    await this.database.query(`insert into workspaces (id, account_id, name, slug) values ($1, $2, 'one', 'one')`, [
      workspaceId,
      id,
    ]);
    for (const [index, { limitUsd, reset, includesByok }] of keys.entries()) {
      await this.database.query(
        `insert into api_keys
           (hash, account_id, workspace_id, kind, name, label, created_at, limit_usd, limit_reset, include_byok_in_limit)
         values ($1, $2, $3, 'inference', 'one', 'sk-…', now(), $4, $5, $6)`,
        [hashes[index], id, workspaceId, limitUsd, reset, includesByok],
      );
    }
    for (const { interval, limitUsd, includesByok } of budgets) {
      await this.database.query(`insert into budgets values ($1, 'workspace', $2, $3, $4, $5)`, [
        id,
        workspaceId,
        interval,
        limitUsd,
        includesByok,
      ]);
    }
    await this.database.query(
      `insert into spending_windows (account_id, scope, scope_id, interval, window_start, "limit")
       values ($1, 'account', $2, 'lifetime', 'epoch', 0)`,
      [id, id],
    );
    const account = { id, workspaceId, keys: hashes };
    await this.grant(account, credits, 'grant');
    return account;
  }

  async grant(
    account: LedgerAccount,
    amount: string,
    kind: 'grant' | 'purchase' | 'adjustment' | 'refund',
  ): Promise<void> {
    await this.database.query(
      `with granted as (
         insert into credit_grants (id, account_id, kind, amount, created_at) values ($1, $2, $3, $4, now())
       ), bought as (
         update accounts set purchased_usd = purchased_usd + $4 where id = $2 and $3 in ('purchase', 'refund')
       )
       update spending_windows set "limit" = "limit" + $4 where scope = 'account' and scope_id = $5`,
      [newUuid(Date.now()), account.id, kind, amount, account.id],
    );
  }

  /** One result for each claim that had one, by index. */
  async take(...claims: readonly Claim[]): Promise<readonly Taken[]> {
    await this.openEpoch();
    const members = claims.map(
      ({ id, account, key, bound, byokBound = '0', free = false, shared = false, ...rest }, place) => ({
        place,
        id,
        replica: null,
        account_id: account.id,
        workspace_id: account.workspaceId,
        key_hash: key,
        model: 'test/one',
        bound,
        byok_bound: byokBound,
        free,
        shared,
        extends: rest.extends ?? false,
        guardrails: [],
        subjects: rest.subjects ?? null,
      }),
    );
    const [row] = await this.database.query<{ taken: (RefusedAnswer | [place: number, heldAtMs: number])[] | null }[]>(
      'select take_holds_4($1, $2, $3) as taken',
      [JSON.stringify(members), this.aheadMs, LIVES_MS],
    );
    const answers = new Map<number, Taken>();
    for (const answer of row!.taken ?? []) {
      if (Array.isArray(answer)) {
        const [place, heldAtMs] = answer;
        answers.set(place, { place, held_at: new Date(heldAtMs), scope: null, refusedBy: [] });
      } else {
        const { place, scope, window_interval: interval } = answer;
        const before = answers.get(place) ?? { place, held_at: null, scope, refusedBy: [] };
        answers.set(place, { ...before, refusedBy: [...before.refusedBy, `${scope} ${interval}`] });
      }
    }
    return [...answers.values()].toSorted((first, second) => first.place - second.place);
  }

  /** Marks that nothing was lost: new holds are granted. */
  async openEpoch(): Promise<void> {
    if (this.isOpen) return;
    await this.database.query('select complete_epoch_1(hold_epoch_2(), gen_random_uuid(), true)');
    this.isOpen = true;
  }

  /** Simulates a crash that loses an existing hold and its part of the counters. @returns whether there was one */
  async lose(id: string): Promise<boolean> {
    const rows = await this.database.query<unknown[]>(
      `with gone as (
         delete from holds where generation_id = $1 and cost is null returning *
       ), moved as (
         update spending_windows w set held = w.held - g.bound, byok_held = w.byok_held - g.byok_bound
         from gone g cross join lateral counters_of_1(g.account_id, g.key_hash, g.key_interval, g.budgets) as c
         where c.is_held and w.scope = c.scope and w.scope_id = c.scope_id and w.interval = c.window_interval
           and w.window_start = window_start_of(c.window_interval, g.held_at)
       )
       select generation_id from gone`,
      [id],
    );
    return rows.length > 0;
  }

  /** As a replica does in a new epoch. @returns how many had lost something */
  async restore(...holds: readonly KnownHold[]): Promise<number> {
    const [row] = await this.database.query<{ lost: number }[]>('select restore_holds_2($1) as lost', [
      JSON.stringify(holds.map(rowOfHold)),
    ]);
    return row!.lost;
  }

  /** A hold that must be granted. @returns its id and when it was taken */
  async hold(
    account: LedgerAccount,
    key: string,
    bound: string,
    byokBound = '0',
  ): Promise<{ id: string; heldAt: Date }> {
    const id = newGenerationId(Date.now() + this.aheadMs);
    const [taken] = await this.take({ id, account, key, bound, byokBound });
    if (!taken?.held_at) throw new Error(`The hold was refused by ${taken?.scope}.`);
    return { id, heldAt: taken.held_at };
  }

  /** @returns how many were charged less than their amount */
  async settle(...settlements: readonly Settlement[]): Promise<number> {
    const [row] = await this.database.query<{ cut: number }[]>('select settle_generations_2($1) as cut', [
      this.print(...settlements),
    ]);
    return row!.cut;
  }

  /** As `settle_generations_2` takes them. */
  print(...settlements: readonly Settlement[]): string {
    const printed = settlements.map((settlement) => ({
      ...generationOf(settlement),
      ...(settlement.counters && {
        key_interval: settlement.counters.keyInterval,
        budgets: settlement.counters.budgets,
      }),
    }));
    return JSON.stringify(printed);
  }

  /** As the gateway ends a hold for which nothing was sent; to be posted. */
  async release(id: string): Promise<void> {
    await this.database.query('update holds set cost = 0, byok_cost = 0 where generation_id = $1 and cost is null', [
      id,
    ]);
  }

  /** Posts those of these holds that are settled; all of them when none is given. @returns how many */
  async post(...ids: readonly string[]): Promise<number> {
    const all = `(select coalesce(array_agg(generation_id), '{}') from holds)`;
    const rows = await this.database.query<{ posted: number }[]>(
      `select post_holds_2(${ids.length === 0 ? all : '$1'}) as posted`,
      ids.length === 0 ? [] : [ids],
    );
    return rows[0]!.posted;
  }

  /** As the gateway does before a refusal. @returns how many holds it found */
  async postCounters(
    ...counters: readonly { readonly scope: string; readonly id: string; readonly interval: Interval }[]
  ): Promise<number> {
    const named = counters.map(({ scope, id, interval }) => ({ scope, scope_id: id, window_interval: interval }));
    const [row] = await this.database.query<{ found: number }[]>('select post_counters_4($1, 1000) as found', [
      JSON.stringify(named),
    ]);
    return row!.found;
  }

  /** From hold to posting. @returns the generation's id */
  async spend(account: LedgerAccount, key: string, cost: string, byokCost = '0'): Promise<string> {
    const { id, heldAt } = await this.hold(account, key, cost, byokCost);
    await this.ensureMonth(heldAt);
    await this.settle({ id, heldAt, account, key, cost, byokCost });
    await this.post(id);
    return id;
  }

  async ensureMonth(at: Date): Promise<void> {
    await this.database.query('select ensure_month_1($1)', [at.toISOString()]);
  }
}

/** As `restore_holds_2` takes it. */
export const rowOfHold = ({ id, heldAt, account, key, bound, byokBound = '0', counters }: KnownHold): object => ({
  generation_id: id,
  held_at: heldAt.toISOString(),
  replica: null,
  account_id: account.id,
  workspace_id: account.workspaceId,
  key_hash: key,
  key_interval: counters.keyInterval,
  budgets: counters.budgets,
  bound,
  byok_bound: byokBound,
  model: 'test/one',
  deadline_at: new Date(heldAt.getTime() + LIVES_MS).toISOString(),
});

function generationOf(settlement: Settlement): GenerationRow {
  const { id, heldAt, account, key, cost, byokCost = '0', recovered = false } = settlement;
  return {
    id,
    held_at: heldAt.toISOString(),
    settled_at: new Date().toISOString(),
    account_id: account.id,
    workspace_id: account.workspaceId,
    key_hash: key,
    key_user: null,
    api_type: 'messages',
    requested_model: 'test/one',
    model: recovered ? null : 'test/one',
    upstream_model: null,
    preset_id: null,
    response_cache_source_id: null,
    provider: null,
    provider_name: null,
    endpoint: null,
    upstream_id: null,
    service_tier: null,
    credential: null,
    is_byok: byokCost !== '0',
    streamed: false,
    outcome: recovered ? 'recovered' : 'completed',
    finish_reason: null,
    native_finish_reason: null,
    prompt_tokens: 1,
    completion_tokens: 1,
    reasoning_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    cache_write_1h_tokens: 0,
    images: 0,
    web_searches: 0,
    web_fetches: 0,
    web_search_results: null,
    web_search_engine: null,
    bound: cost,
    cost,
    byok_cost: byokCost,
    prompt_cost: cost,
    completion_cost: '0',
    tools_cost: '0',
    operator_cost: '0',
    price_version: null,
    is_estimated: recovered,
    is_over_bound: false,
    is_recovered: recovered,
    is_corrected: false,
    latency_ms: null,
    generation_ms: null,
    session_id: null,
    end_user: null,
    trace: null,
    attempts: [],
    dialect: null,
    request_id: null,
    tags: null,
  };
}
