-- Posts what is settled and counts in any of these counters, whichever replica settled it; the oldest first, so many at
-- most.
-- counters: [{scope, scope_id, window_interval}]
-- returns: how many it found; as many as it may are perhaps not all
create function post_counters_1(counters json, most int) returns int
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  ids text[] := array(
    select h.generation_id from holds h
    where h.cost is not null and exists (
      select from counters_of_1(h.account_id, h.key_hash, h.key_interval, h.budgets) as c
      join json_to_recordset(counters) as asked (scope text, scope_id text, window_interval text)
        on asked.scope = c.scope and asked.scope_id = c.scope_id and asked.window_interval = c.window_interval
    )
    order by h.held_at limit most
  );
begin
  perform post_holds_1(ids);
  return cardinality(ids);
end
$$;
