-- The number of requests to free variants that an account may make in a UTC day, by the USD of credits that it ever
-- bought.
create function free_requests_a_day_1(purchased numeric) returns numeric
language sql immutable parallel safe as $$
  select case when purchased >= 9 then 1000 else 50 end::numeric
$$;
