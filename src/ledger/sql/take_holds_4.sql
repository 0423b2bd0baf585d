create type hold_member_4 as (
  place int, id text, replica uuid, account_id uuid, workspace_id uuid, key_hash char(64), model text,
  bound numeric, byok_bound numeric, free boolean, shared boolean, extends boolean, guardrails json,
  subjects json
);

create type hold_claim_4 as (
  place int, account_id uuid, scope text, scope_id text, window_interval text, window_start timestamptz,
  cap numeric, includes_byok boolean, amount numeric, byok_amount numeric, count numeric, is_default boolean
);

-- Takes holds: all of a member's counters together, or none of them. Members are granted in order. One is also refused
-- if it only fails to fit because of a refused one before it; then it is tried again alone. The refusal lists every
-- counter that refuses, with its values after this batch. Row locks are short and in the order of the key. No hold is
-- taken while holds that the database has lost may be missing from the counters (hold_epochs): SQLSTATE LR001.
-- members: [{place, id, replica, account_id, workspace_id, key_hash, model, bound, byok_bound, free, shared, extends,
-- guardrails: [id], subjects: [[scope, scope_id]], null for none}], free: counts as a free request of its account and of its key, shared: the key has half of them;
-- lives_ms: longest lifetime of a hold
-- returns: [[place, held at, in milliseconds of Unix time, interval of the key, budgets], or {place, scope, scope_id,
-- window_interval, includes_byok, is_default, cap, used, held} for each counter that refuses one, grouped by member, in the order
-- in which errors name them]; null for none.
create function take_holds_4(members json, ahead_ms double precision, lives_ms double precision) returns json
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  at timestamptz(3) := clock_timestamp() + ahead_ms * interval '1 millisecond';
  asked record;
  claimed record;
  taken json;
begin
  select array_agg(m) as batch, bool_or(m.extends) as extends,
    exists (
      select from hold_epochs e where e.server_started_at = pg_postmaster_start_time() and e.opens_at <= clock_timestamp()
    ) as is_open,
    set_config('synchronous_commit', 'off', true), set_config('lock_timeout', '250ms', true)
    into asked from json_populate_recordset(null::hold_member_4, members) as m;
  if not asked.is_open then
    raise exception 'holds are being written back' using errcode = 'LR001';
  end if;

  -- A hold that is made longer stays with the counters and the windows it was taken from.
  if asked.extends then
    perform 1 from holds h where h.generation_id in (select m.id from unnest(asked.batch) as m where m.extends)
      order by h.generation_id for update;
  end if;

  -- Budgets and counters are looked up in subqueries with an offset, which no plan turns into a join that reads them
  -- all.
  select array_agg(c::hold_claim_4) as claims, bool_or(w.scope is null) as misses_windows into claimed from (
    with member as (
      select m.*, raised_1(k.limit_usd, k.raised_usd, k.raised_until, at) as limit_usd, k.include_byok_in_limit,
        coalesce(h.key_interval, k.limit_reset, 'lifetime') as key_interval, coalesce(h.held_at, at) as since, h.budgets as held_budgets
      from unnest(asked.batch) as m
      left join api_keys k on k.hash = m.key_hash
      left join lateral (
        select * from holds o where m.extends and o.generation_id = m.id and o.cost is null
      ) as h on true
      where not m.extends or h.generation_id is not null
    )
    select m.place, m.account_id, 'account' as scope, m.account_id::text as scope_id, 'lifetime' as window_interval,
      'epoch'::timestamptz as window_start, null::numeric as cap, false as includes_byok, m.bound as amount, m.byok_bound as byok_amount,
      0::numeric as count, false as is_default
    from member m
    union all
    select m.place, m.account_id, 'key', m.key_hash, m.key_interval, window_start_of(m.key_interval, m.since),
      m.limit_usd, coalesce(m.include_byok_in_limit, false), m.bound, m.byok_bound, 0, false
    from member m
    union all
    select m.place, m.account_id, b.scope, b.scope_id, b.interval, window_start_of(b.interval, m.since),
      raised_1(b.limit_usd, b.raised_usd, b.raised_until, at), b.include_byok, m.bound, m.byok_bound, 0, false
    from member m
    cross join lateral (
      select 'workspace' as scope, m.workspace_id::text as id
      union all
      select distinct 'guardrail', g.id from json_array_elements_text(m.guardrails) as g (id)
    ) as o
    cross join lateral (
      select * from budgets b where b.scope = o.scope and b.scope_id = o.id and b.account_id = m.account_id offset 0
    ) as b
    where not m.extends
    union all
    select m.place, m.account_id, s.scope, s.id, b.interval, window_start_of(b.interval, m.since),
      b.cap, b.include_byok, m.bound, m.byok_bound, 0, b.is_default
    from member m
    cross join lateral (select distinct e->>0 as scope, e->>1 as id from json_array_elements(m.subjects) as e) as s
    cross join lateral (
      select distinct on (o.interval) o.interval, raised_1(o.limit_usd, o.raised_usd, o.raised_until, at) as cap,
        o.include_byok, o.scope_id <> s.id as is_default
      from budgets o
      where o.account_id = m.account_id and o.scope = s.scope and o.scope_id = any(array[s.id, m.account_id::text])
      order by o.interval, o.scope_id <> s.id
      offset 0
    ) as b
    where not m.extends
    union all
    select m.place, m.account_id, n.budget->>0, n.budget->>1, n.budget->>2, window_start_of(n.budget->>2, m.since),
      b.cap, coalesce(b.include_byok, false), m.bound, m.byok_bound, 0, coalesce(b.is_default, false)
    from member m cross join jsonb_array_elements(m.held_budgets) as n (budget)
    left join lateral budget_of_1(m.account_id, n.budget->>0, n.budget->>1, n.budget->>2, at) as b on true
    union all
    select m.place, m.account_id, 'free_requests', m.account_id::text, 'daily', window_start_of('daily', m.since),
      free_requests_a_day_1(a.purchased_usd), false, 0, 0, 1, false
    from member m join accounts a on a.id = m.account_id where m.free
    union all
    select m.place, m.account_id, 'free_requests', m.key_hash, 'daily', window_start_of('daily', m.since),
      case when m.shared then greatest(1, floor(free_requests_a_day_1(a.purchased_usd) / 2)) end, false, 0, 0, 1, false
    from member m join accounts a on a.id = m.account_id where m.free
  ) as c
  left join lateral (
    select w.scope from spending_windows w where w.scope = c.scope and w.scope_id = c.scope_id
      and w.interval = c.window_interval and w.window_start = c.window_start offset 0
  ) as w on true;

  -- The first use of a window makes its row; whoever comes at the same time finds it made. An account whose counter is
  -- missing has no credit.
  if claimed.misses_windows then
    insert into spending_windows (account_id, scope, scope_id, interval, window_start, "limit")
      select c.account_id, c.scope, c.scope_id, c.window_interval, c.window_start, case c.scope when 'account' then 0 end
      from (select distinct u.account_id, u.scope, u.scope_id, u.window_interval, u.window_start from unnest(claimed.claims) as u) as c
      order by 2, 3, 4, 5
      on conflict do nothing;
  end if;

  with locked as materialized (
    select w.* from spending_windows w
    where (w.scope, w.scope_id, w.interval, w.window_start) in
      (select distinct c.scope, c.scope_id, c.window_interval, c.window_start from unnest(claimed.claims) as c)
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
      c.is_default, c.includes_byok, case when c.includes_byok then w.byok_used else 0 end as byok_used,
      case when c.includes_byok then w.byok_held else 0 end as byok_held
    from unnest(claimed.claims) as c
    join locked w on w.scope = c.scope and w.scope_id = c.scope_id and w.interval = c.window_interval and w.window_start = c.window_start
  ), granted as (
    select f.place, max(f.window_interval) filter (where f.scope = 'key') as key_interval,
      jsonb_agg(jsonb_build_array(f.scope, f.scope_id, f.window_interval))
        filter (where f.scope not in ('account', 'key', 'free_requests')) as budgets
    from fit f group by f.place
    -- A counter that was removed as idle a moment ago grants nothing.
    having bool_and(f.fits) and count(*) = (select count(*) from unnest(claimed.claims) as c where c.place = f.place)
  ), sums as (
    select c.scope, c.scope_id, c.window_interval, c.window_start,
      sum(c.amount) as amount, sum(c.byok_amount) as byok_amount, sum(c.count) as count
    from unnest(claimed.claims) as c join granted g on g.place = c.place
    group by 1, 2, 3, 4
  ), moved as (
    update spending_windows w
    set held = w.held + s.amount, byok_held = w.byok_held + s.byok_amount, used = w.used + s.count
    from sums s
    where w.scope = s.scope and w.scope_id = s.scope_id and w.interval = s.window_interval and w.window_start = s.window_start
      and (s.amount <> 0 or s.byok_amount <> 0 or s.count <> 0)
  ), kept as (
    insert into holds as h (generation_id, held_at, replica, account_id, workspace_id, key_hash, key_interval, budgets,
      bound, byok_bound, model, deadline_at)
    select m.id, at, m.replica, m.account_id, m.workspace_id, m.key_hash, g.key_interval, g.budgets,
      m.bound, m.byok_bound, m.model, at + lives_ms * interval '1 millisecond'
    from unnest(asked.batch) as m
    join granted g on g.place = m.place
    on conflict (generation_id) do update
      set bound = h.bound + excluded.bound, byok_bound = h.byok_bound + excluded.byok_bound
  ), refused as (
    select f.place, f.scope, f.scope_id, f.window_interval, f.includes_byok, f.is_default, coalesce(f.cap, f.account_limit)::text as cap,
      (f.used + f.byok_used + coalesce(s.count, 0))::text as used,
      (f.held + f.byok_held + coalesce(s.amount + case when f.includes_byok then s.byok_amount else 0 end, 0))::text as held
    from fit f
    left join sums s on s.scope = f.scope and s.scope_id = f.scope_id and s.window_interval = f.window_interval
      and s.window_start = f.window_start
    where not f.fits
    order by f.place, counter_rank_2(f.scope, f.window_interval), coalesce(f.cap, f.account_limit) desc
  )
  select json_agg(a.answer) into taken from (
    select json_build_array(g.place, trunc(extract(epoch from at) * 1000)::bigint, g.key_interval, g.budgets) as answer from granted g
    union all
    select to_json(r) from refused r
  ) as a;
  return taken;
end
$$;
