-- Posts settled holds to the counters and ends them: used grows by the cost, held shrinks by the bound, once for each
-- hold. They are locked in the order of their ids, so that replicas may post the same ones concurrently. A key's
-- lifetime counter also gets the time of its last hold, even of one without cost.
-- returns: the number of holds posted
create function post_holds_2(ids text[]) returns int
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  posted int;
begin
  perform set_config('synchronous_commit', 'off', true);
  with gone as (
    delete from holds h where h.generation_id = any(array(
      select o.generation_id from holds o where o.generation_id = any(ids) and o.cost is not null
      order by o.generation_id for update
    )) returning h.*
  ), move as (
    select g.account_id, c.scope, c.scope_id, c.window_interval as interval, g.held_at, g.cost, g.byok_cost,
      case when c.is_held then g.bound else 0 end as bound, case when c.is_held then g.byok_bound else 0 end as byok_bound
    from gone g cross join lateral counters_of_1(g.account_id, g.key_hash, g.key_interval, g.budgets) as c
  ), moved as (
    insert into spending_windows as w (account_id, scope, scope_id, interval, window_start, "limit", used, held, byok_used, byok_held, last_used_at)
    select m.account_id, m.scope, m.scope_id, m.interval, window_start_of(m.interval, m.held_at), case m.scope when 'account' then 0 end,
      sum(m.cost), -sum(m.bound), sum(m.byok_cost), -sum(m.byok_bound),
      case when m.scope = 'key' and m.interval = 'lifetime' then max(m.held_at) end
    from move m
    group by 1, 2, 3, 4, 5
    having sum(m.cost) <> 0 or sum(m.bound) <> 0 or sum(m.byok_cost) <> 0 or sum(m.byok_bound) <> 0
      or (m.scope = 'key' and m.interval = 'lifetime')
    order by 2, 3, 4, 5
    on conflict (scope, scope_id, interval, window_start) do update
      set used = w.used + excluded.used, held = w.held + excluded.held,
        byok_used = w.byok_used + excluded.byok_used, byok_held = w.byok_held + excluded.byok_held,
        last_used_at = greatest(w.last_used_at, excluded.last_used_at)
  )
  select count(*) into posted from gone;
  return posted;
end
$$;
