-- Posts settled holds of any of these counters, whichever replica settled them, up to a maximum. Each hold is looked up
-- once, by its key or account alone: its counters in all intervals are then known.
-- counters: [{scope, scope_id, window_interval}]
-- returns: the number of holds found; at the maximum there may be more
create function post_counters_3(counters json, most int) returns int
language plpgsql set plan_cache_mode = force_generic_plan set jit = off as $$
declare
  asked record;
  ids text[];
begin
  select array_agg(c.scope_id::uuid) filter (where c.scope = 'account') as accounts,
    array_agg(c.scope_id) filter (where c.scope = 'key') as keys,
    array_agg(jsonb_build_array(jsonb_build_array(c.scope, c.scope_id, c.window_interval)))
      filter (where c.scope in ('workspace', 'guardrail')) as budgets
    into asked from json_to_recordset(counters) as c (scope text, scope_id text, window_interval text);
  ids := array(
    select h.generation_id from holds h
    where h.cost is not null
      and (h.account_id = any(asked.accounts) or h.key_hash in (select unnest(asked.keys)) or h.budgets @> any(asked.budgets))
    limit most
  );
  perform post_holds_2(ids);
  return cardinality(ids);
end
$$;
