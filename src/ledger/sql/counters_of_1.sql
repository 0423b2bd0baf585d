-- The counters of a charge, each in the window of its hold's time, and whether the hold was also taken from it: a key
-- counts in every interval, but holds only in that of its limit. budgets: [[scope, id, interval]] as stored in the
-- hold; null is none.
create function counters_of_1(account_id uuid, key_hash text, key_interval text, budgets jsonb)
returns table (scope text, scope_id text, window_interval text, is_held boolean)
language sql immutable parallel safe as $$
  select 'account', account_id::text, 'lifetime', true
  union all
  select 'key', key_hash, every.interval, every.interval = key_interval
  from (values ('daily'), ('weekly'), ('monthly'), ('lifetime')) as every (interval)
  union all
  select budget->>0, budget->>1, budget->>2, true
  from jsonb_array_elements(budgets) as budget
$$;
