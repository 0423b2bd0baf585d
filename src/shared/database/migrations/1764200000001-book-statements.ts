import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns of a generation that only its settlement knows; a recovery could but guess them. */
const SETTLED_COLUMNS = [
  'settled_at',
  'model',
  'provider',
  'provider_name',
  'endpoint',
  'upstream_id',
  'service_tier',
  'credential',
  'is_byok',
  'outcome',
  'finish_reason',
  'native_finish_reason',
  'prompt_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cache_write_1h_tokens',
  'images',
  'web_searches',
  'web_fetches',
  'cost',
  'byok_cost',
  'prompt_cost',
  'completion_cost',
  'tools_cost',
  'operator_cost',
  'price_version',
  'is_estimated',
  'is_over_bound',
  'latency_ms',
  'generation_ms',
  'attempts',
];

/**
 * Planned once for a session, by index: the tables are small or empty when that happens, and later plans would be made for tables that
 * come and go within seconds.
 */
const PLANNED_ONCE = `set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off`;

/**
 * The statements of the books that many requests share. They are functions so that each is one round trip whose plan the server
 * keeps, without anything left in a session: they work behind transaction pooling. A changed statement is a new function, numbered on;
 * the older one stays for replicas of the release before.
 */
export class BookStatements1764200000001 implements MigrationInterface {
  readonly name = 'BookStatements1764200000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create type hold_claim as (
        place int, account_id uuid, scope text, scope_id text, window_interval text, window_start timestamptz,
        cap numeric, includes_byok boolean, amount numeric, byok_amount numeric, count numeric
      )`);

    await runner.query(`
      create type hold_member as (
        place int, id text, replica uuid, account_id uuid, workspace_id uuid, key_hash char(64), model text,
        bound numeric, byok_bound numeric, free boolean, extends boolean, guardrails json
      )`);

    // Takes holds: all of a member's counters together, or none of them. Members are granted in their order; one is refused also when
    // it would fit but for a refused one before it, and is to be tried again alone: the refusal tells the counter as this batch leaves it. Short row locks, in the order of the key.
    // members: [{place, id, replica, account_id, workspace_id, key_hash, model, bound, byok_bound, free, extends, guardrails: [id]}]
    await runner.query(`
      create function take_holds_1(members json, ahead_ms double precision)
      returns table (place int, held_at timestamptz, scope text, window_interval text, includes_byok boolean, cap numeric, used numeric, held numeric)
      language plpgsql ${PLANNED_ONCE} as $$
      declare
        at timestamptz(3) := clock_timestamp() + ahead_ms * interval '1 millisecond';
        batch hold_member[];
        claims hold_claim[];
      begin
        perform set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '250ms', true);

        select array_agg(m) into batch from json_populate_recordset(null::hold_member, members) as m;

        -- A hold that is made longer stays with the counters and the windows it was taken from.
        if (select bool_or(m.extends) from unnest(batch) as m) then
          perform 1 from holds h where h.generation_id in (select m.id from unnest(batch) as m where m.extends)
            order by h.generation_id for update;
        end if;

        select array_agg(c::hold_claim) into claims from (
          with member as (
            select m.*, k.limit_usd, k.include_byok_in_limit,
              coalesce(h.key_interval, k.limit_reset, 'lifetime') as key_interval, coalesce(h.held_at, at) as since, h.budgets as held_budgets
            from unnest(batch) as m
            left join api_keys k on k.hash = m.key_hash
            left join lateral (
              select * from holds o where m.extends and o.generation_id = m.id and o.cost is null
            ) as h on true
            where not m.extends or h.generation_id is not null
          )
          select m.place, m.account_id, 'account', m.account_id::text, 'lifetime', 'epoch'::timestamptz,
            null::numeric, false, m.bound, m.byok_bound, 0
          from member m
          union all
          select m.place, m.account_id, 'key', m.key_hash, m.key_interval, window_start_of(m.key_interval, m.since),
            m.limit_usd, coalesce(m.include_byok_in_limit, false), m.bound, m.byok_bound, 0
          from member m
          union all
          select m.place, m.account_id, b.scope, b.scope_id, b.interval, window_start_of(b.interval, m.since),
            b.limit_usd, b.include_byok, m.bound, m.byok_bound, 0
          from member m join budgets b on not m.extends and b.account_id = m.account_id
            and (b.scope = 'workspace' and b.scope_id = m.workspace_id::text
              or b.scope = 'guardrail' and b.scope_id in (select json_array_elements_text(m.guardrails)))
          union all
          select m.place, m.account_id, n.budget->>0, n.budget->>1, n.budget->>2, window_start_of(n.budget->>2, m.since),
            b.limit_usd, coalesce(b.include_byok, false), m.bound, m.byok_bound, 0
          from member m cross join jsonb_array_elements(m.held_budgets) as n (budget)
          left join budgets b on b.scope = n.budget->>0 and b.scope_id = n.budget->>1 and b.interval = n.budget->>2
          union all
          select m.place, m.account_id, 'free_requests', m.account_id::text, 'daily', window_start_of('daily', m.since),
            case when a.purchased_usd >= 9 then 1000 else 50 end, false, 0, 0, 1
          from member m join accounts a on a.id = m.account_id where m.free
        ) as c;

        -- The first use of a window makes its row; whoever comes at the same time finds it made.
        -- An account whose counter is missing has no credit.
        insert into spending_windows (account_id, scope, scope_id, interval, window_start, "limit")
          select c.account_id, c.scope, c.scope_id, c.window_interval, c.window_start, case c.scope when 'account' then 0 end
          from (select distinct u.account_id, u.scope, u.scope_id, u.window_interval, u.window_start from unnest(claims) as u) as c
          where not exists (select 1 from spending_windows w where w.scope = c.scope and w.scope_id = c.scope_id
            and w.interval = c.window_interval and w.window_start = c.window_start)
          order by 2, 3, 4, 5
          on conflict do nothing;

        return query
          with locked as materialized (
            select w.* from spending_windows w
            where (w.scope, w.scope_id, w.interval, w.window_start) in
              (select distinct c.scope, c.scope_id, c.window_interval, c.window_start from unnest(claims) as c)
            order by w.scope, w.scope_id, w.interval, w.window_start
            for update of w
          ), fit as (
            select c.place, c.scope, c.scope_id, c.window_interval, c.window_start, w."limit" as account_limit, c.cap, w.used, w.held,
              coalesce(c.cap, w."limit") is null
              or case when c.amount + c.count + case when c.includes_byok then c.byok_amount else 0 end = 0
                then w.used + case when c.includes_byok then w.byok_used else 0 end <= coalesce(c.cap, w."limit")
                else w.used + w.held + case when c.includes_byok then w.byok_used + w.byok_held else 0 end
                  + sum(c.amount + c.count + case when c.includes_byok then c.byok_amount else 0 end)
                    over (partition by c.scope, c.scope_id, c.window_interval, c.window_start order by c.place)
                  <= coalesce(c.cap, w."limit")
              end as fits,
              c.includes_byok, case when c.includes_byok then w.byok_used else 0 end as byok_used,
              case when c.includes_byok then w.byok_held else 0 end as byok_held
            from unnest(claims) as c
            join locked w on w.scope = c.scope and w.scope_id = c.scope_id and w.interval = c.window_interval and w.window_start = c.window_start
          ), granted as (
            select f.place, max(f.window_interval) filter (where f.scope = 'key') as key_interval,
              jsonb_agg(jsonb_build_array(f.scope, f.scope_id, f.window_interval))
                filter (where f.scope not in ('account', 'key', 'free_requests')) as budgets
            from fit f group by f.place having bool_and(f.fits)
          ), sums as (
            select c.scope, c.scope_id, c.window_interval, c.window_start,
              sum(c.amount) as amount, sum(c.byok_amount) as byok_amount, sum(c.count) as count
            from unnest(claims) as c join granted g on g.place = c.place
            group by 1, 2, 3, 4
          ), taken as (
            update spending_windows w
            set held = w.held + s.amount, byok_held = w.byok_held + s.byok_amount, used = w.used + s.count
            from sums s
            where w.scope = s.scope and w.scope_id = s.scope_id and w.interval = s.window_interval and w.window_start = s.window_start
              and (s.amount <> 0 or s.byok_amount <> 0 or s.count <> 0)
          ), kept as (
            insert into holds as h (generation_id, held_at, replica, account_id, workspace_id, key_hash, key_interval, budgets,
              bound, byok_bound, model)
            select m.id, at, m.replica, m.account_id, m.workspace_id, m.key_hash, g.key_interval, g.budgets,
              m.bound, m.byok_bound, m.model
            from unnest(batch) as m
            join granted g on g.place = m.place
            on conflict (generation_id) do update
              set bound = h.bound + excluded.bound, byok_bound = h.byok_bound + excluded.byok_bound
          )
          select g.place, at, null::text, null::text, null::boolean, null::numeric, null::numeric, null::numeric from granted g
          union all
          (select distinct on (f.place) f.place, null::timestamptz, f.scope, f.window_interval, f.includes_byok, coalesce(f.cap, f.account_limit),
            f.used + f.byok_used + coalesce(s.count, 0),
            f.held + f.byok_held + coalesce(s.amount + case when f.includes_byok then s.byok_amount else 0 end, 0)
          from fit f
          left join sums s on s.scope = f.scope and s.scope_id = f.scope_id and s.window_interval = f.window_interval
            and s.window_start = f.window_start
          where not f.fits
          order by f.place, array_position(array['account', 'key', 'workspace', 'guardrail', 'free_requests'], f.scope),
            array_position(array['lifetime', 'monthly', 'weekly', 'daily'], f.window_interval));
      end
      $$`);

    // Settles generations: writes each with its charge, once, and marks its hold as settled. One that is there already changes
    // nothing, unless it was recovered from its observed usage: then the difference is entered as a correction, once. No hold need exist.
    // settlements: rows of generations
    await runner.query(`
      create function settle_generations_1(settlements json) returns void
      language plpgsql ${PLANNED_ONCE} as $$
      declare
        made_count int;
      begin
        with made as (
          insert into generations
          select g.* from json_populate_recordset(null::generations, settlements) as g order by g.id
          on conflict (held_at, id) do nothing
          returning id, held_at, settled_at, account_id, workspace_id, key_hash, cost, byok_cost
        ), closed as (
          insert into holds as h (generation_id, held_at, account_id, workspace_id, key_hash, key_interval, bound, byok_bound, cost, byok_cost)
          select m.id, m.held_at, m.account_id, m.workspace_id, m.key_hash, 'lifetime', 0, 0, m.cost, m.byok_cost from made m order by m.id
          on conflict (generation_id) do update
            set cost = coalesce(h.cost, 0) + excluded.cost, byok_cost = coalesce(h.byok_cost, 0) + excluded.byok_cost
          returning h.generation_id, h.budgets
        )
        insert into ledger_entries (held_at, generation_id, kind, account_id, workspace_id, key_hash, budgets, amount, byok_amount, entered_at)
        select m.held_at, m.id, 'charge', m.account_id, m.workspace_id, m.key_hash, c.budgets, m.cost, m.byok_cost, m.settled_at
        from made m join closed c on c.generation_id = m.id;
        get diagnostics made_count = row_count;
        if made_count = json_array_length(settlements) then return; end if;

        with said as (
          select g.* from json_populate_recordset(null::generations, settlements) as g where not g.is_recovered
        ), recovered as materialized (
          select g.id, g.held_at, g.cost, g.byok_cost from generations g join said s on s.held_at = g.held_at and s.id = g.id
          where g.is_recovered and not g.is_corrected
          order by g.id for update of g
        ), corrected as (
          update generations g set ${SETTLED_COLUMNS.map((column) => `${column} = s.${column}`).join(', ')}, is_corrected = true
          from said s join recovered r on r.held_at = s.held_at and r.id = s.id
          where g.held_at = s.held_at and g.id = s.id
          returning g.id, g.held_at, g.settled_at, g.account_id, g.workspace_id, g.key_hash,
            s.cost - r.cost as cost, s.byok_cost - r.byok_cost as byok_cost
        ), charged as (
          select c.*, e.budgets from corrected c
          join ledger_entries e on e.held_at = c.held_at and e.generation_id = c.id and e.kind = 'charge'
        ), closed as (
          insert into holds as h (generation_id, held_at, account_id, workspace_id, key_hash, key_interval, budgets, bound, byok_bound, cost, byok_cost)
          select c.id, c.held_at, c.account_id, c.workspace_id, c.key_hash, 'lifetime', c.budgets, 0, 0, c.cost, c.byok_cost from charged c
          on conflict (generation_id) do update
            set cost = coalesce(h.cost, 0) + excluded.cost, byok_cost = coalesce(h.byok_cost, 0) + excluded.byok_cost
        )
        insert into ledger_entries (held_at, generation_id, kind, account_id, workspace_id, key_hash, budgets, amount, byok_amount, entered_at)
        select c.held_at, c.id, 'correction', c.account_id, c.workspace_id, c.key_hash, c.budgets, c.cost, c.byok_cost, c.settled_at
        from charged c;
      end
      $$`);

    // Moves the counters for settled holds and ends those: used by the cost, held by the bound, each hold once. What a key used is
    // counted in each of its windows, what it held only where it was held.
    await runner.query(`
      create function fold_holds_1(ids text[]) returns int
      language plpgsql ${PLANNED_ONCE} as $$
      declare
        folded int;
      begin
        perform set_config('synchronous_commit', 'off', true);
        with gone as (
          delete from holds h where h.generation_id = any(ids) and h.cost is not null returning h.*
        ), move as (
          select g.account_id, 'account' as scope, g.account_id::text as scope_id, 'lifetime' as interval, g.held_at,
            g.cost, g.bound, g.byok_cost, g.byok_bound
          from gone g
          union all
          select g.account_id, 'key', g.key_hash, i.name, g.held_at,
            g.cost, case when i.name = g.key_interval then g.bound else 0 end,
            g.byok_cost, case when i.name = g.key_interval then g.byok_bound else 0 end
          from gone g cross join (values ('daily'), ('weekly'), ('monthly'), ('lifetime')) as i (name)
          union all
          select g.account_id, b.value->>0, b.value->>1, b.value->>2, g.held_at, g.cost, g.bound, g.byok_cost, g.byok_bound
          from gone g cross join jsonb_array_elements(g.budgets) as b
        ), moved as (
          insert into spending_windows as w (account_id, scope, scope_id, interval, window_start, "limit", used, held, byok_used, byok_held)
          select m.account_id, m.scope, m.scope_id, m.interval, window_start_of(m.interval, m.held_at), case m.scope when 'account' then 0 end,
            sum(m.cost), -sum(m.bound), sum(m.byok_cost), -sum(m.byok_bound)
          from move m
          group by 1, 2, 3, 4, 5
          having sum(m.cost) <> 0 or sum(m.bound) <> 0 or sum(m.byok_cost) <> 0 or sum(m.byok_bound) <> 0
          order by 2, 3, 4, 5
          on conflict (scope, scope_id, interval, window_start) do update
            set used = w.used + excluded.used, held = w.held + excluded.held,
              byok_used = w.byok_used + excluded.byok_used, byok_held = w.byok_held + excluded.byok_held
        )
        select count(*) into folded from gone;
        return folded;
      end
      $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function fold_holds_1(text[])`);
    await runner.query(`drop function settle_generations_1(json)`);
    await runner.query(`drop function take_holds_1(json, double precision)`);
    await runner.query(`drop type hold_member`);
    await runner.query(`drop type hold_claim`);
  }
}
