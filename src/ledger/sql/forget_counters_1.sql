-- Removes counters of users, members and tags beyond a number, as callers make the ids: those that have used the least,
-- of those that nothing is held from and that have no budget of their own. What they have used is forgotten; the
-- account notes that, for the verification.
-- kept: counters of an account that stay; most: counters that one call removes from an account
-- returns: the number of counters that were removed
create function forget_counters_1(kept int, most int) returns int
language plpgsql set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  crowded record;
  gone record;
  removed int := 0;
begin
  perform set_config('synchronous_commit', 'off', true);
  for crowded in
    select w.account_id, count(*) - kept as excess from spending_windows w
    where w.scope in ('users', 'members', 'tags') group by 1 having count(*) > kept
  loop
    with least_used as (
      select w.scope, w.scope_id, w.interval, w.window_start from spending_windows w
      where w.account_id = crowded.account_id and w.scope in ('users', 'members', 'tags') and w.held = 0 and w.byok_held = 0
        and not exists (
          select from budgets b where b.scope = w.scope and b.scope_id = w.scope_id and b.interval = w.interval
        )
      order by w.used + w.byok_used, w.window_start limit least(crowded.excess, most) for update skip locked
    ), deleted as (
      delete from spending_windows w using least_used l
      where w.scope = l.scope and w.scope_id = l.scope_id and w.interval = l.interval and w.window_start = l.window_start
      returning w.used > 0 or w.byok_used > 0 as was_used
    )
    select count(*) as counters, bool_or(d.was_used) as were_used into gone from deleted d;
    if gone.were_used then
      update accounts a set counters_forgotten_at = now() where a.id = crowded.account_id;
    end if;
    removed := removed + gone.counters;
  end loop;
  return removed;
end
$$;
