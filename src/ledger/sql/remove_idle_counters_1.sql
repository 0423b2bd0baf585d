-- Removes counters of users, members and tags that nothing counts in any more, the oldest first: those of windows that
-- have ended a day ago, and those of a window that began a day ago in which nothing was spent. Holds lock their
-- counters, and grant nothing where one of them is gone.
-- returns: the number of counters that were removed
create function remove_idle_counters_1(ahead_ms double precision, most int) returns int
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  day_ago timestamptz := clock_timestamp() + ahead_ms * interval '1 millisecond' - interval '1 day';
  removed int;
begin
  perform set_config('synchronous_commit', 'off', true);
  with idle as (
    select w.scope, w.scope_id, w.interval, w.window_start from spending_windows w
    where w.scope in ('users', 'members', 'tags') and w.window_start < day_ago and w.held = 0 and w.byok_held = 0
      and (w.window_start < window_start_of(w.interval, day_ago) or (w.used = 0 and w.byok_used = 0))
    order by w.window_start limit most for update skip locked
  )
  delete from spending_windows w using idle i
    where w.scope = i.scope and w.scope_id = i.scope_id and w.interval = i.interval and w.window_start = i.window_start;
  get diagnostics removed = row_count;
  return removed;
end
$$;
