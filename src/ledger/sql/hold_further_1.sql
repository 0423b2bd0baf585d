-- Extends holds, one after the other: by an amount of credits as far as all of their counters permit, and in full by
-- the usage of the caller's own credentials, which is already spent. Missing windows are made.
-- returns: the granted part of each amount
create function hold_further_1(ids text[], amounts numeric[], byok_amounts numeric[]) returns numeric[]
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  granted numeric[] := '{}';
  room numeric;
  amount numeric;
begin
  insert into spending_windows (account_id, scope, scope_id, interval, window_start, "limit")
    select distinct h.account_id, c.scope, c.scope_id, c.window_interval, window_start_of(c.window_interval, h.held_at),
      case c.scope when 'account' then 0 end
    from holds h cross join lateral counters_of_1(h.account_id, h.key_hash, h.key_interval, h.budgets) as c
    where h.generation_id = any(ids) and c.is_held
    order by 2, 3, 4, 5
    on conflict do nothing;

  -- All of them at once, in the order in which holds are taken: nobody waits in a circle.
  perform 1 from spending_windows w
    where (w.scope, w.scope_id, w.interval, w.window_start) in (
      select c.scope, c.scope_id, c.window_interval, window_start_of(c.window_interval, h.held_at)
      from holds h cross join lateral counters_of_1(h.account_id, h.key_hash, h.key_interval, h.budgets) as c
      where h.generation_id = any(ids) and c.is_held
    )
    order by w.scope, w.scope_id, w.interval, w.window_start for update of w;

  for place in 1 .. coalesce(array_length(ids, 1), 0) loop
    select min(coalesce(k.limit_usd, b.limit_usd, w."limit") - w.used - w.held
      - case when coalesce(k.include_byok_in_limit, b.include_byok, false)
          then w.byok_used + w.byok_held + byok_amounts[place] else 0 end)
      into room
      from holds h
      cross join lateral counters_of_1(h.account_id, h.key_hash, h.key_interval, h.budgets) as c
      join spending_windows w on w.scope = c.scope and w.scope_id = c.scope_id and w.interval = c.window_interval
        and w.window_start = window_start_of(c.window_interval, h.held_at)
      left join api_keys k on c.scope = 'key' and k.hash = c.scope_id
      left join budgets b on b.scope = c.scope and b.scope_id = c.scope_id and b.interval = c.window_interval
      where h.generation_id = ids[place] and c.is_held;
    amount := greatest(least(amounts[place], coalesce(room, amounts[place])), 0);
    granted := granted || amount;
    if amount <> 0 or byok_amounts[place] <> 0 then
      update spending_windows w set held = w.held + amount, byok_held = w.byok_held + byok_amounts[place]
        from holds h cross join lateral counters_of_1(h.account_id, h.key_hash, h.key_interval, h.budgets) as c
        where h.generation_id = ids[place] and c.is_held and w.scope = c.scope and w.scope_id = c.scope_id
          and w.interval = c.window_interval and w.window_start = window_start_of(c.window_interval, h.held_at);
      update holds h set bound = h.bound + amount, byok_bound = h.byok_bound + byok_amounts[place]
        where h.generation_id = ids[place];
    end if;
  end loop;
  return granted;
end
$$;
