-- The rank of a counter: of several counters that refuse, the caller's error names the lowest.
create function counter_rank_2(scope text, window_interval text) returns int
language sql immutable parallel safe as $$
  select 10 * array_position(array['account', 'key', 'workspace', 'guardrail', 'members', 'users', 'tags', 'free_requests'], scope)
    + array_position(array['lifetime', 'monthly', 'weekly', 'daily'], window_interval)
$$;
