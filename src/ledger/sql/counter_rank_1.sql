-- Which of several counters without room a caller is told of: the lowest.
create function counter_rank_1(scope text, window_interval text) returns int
language sql immutable parallel safe as $$
  select 10 * array_position(array['account', 'key', 'workspace', 'guardrail', 'free_requests'], scope)
    + array_position(array['lifetime', 'monthly', 'weekly', 'daily'], window_interval)
$$;
