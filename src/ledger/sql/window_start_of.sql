-- Start of the UTC window that contains a time. Weeks begin on Monday. `windowStart` (core/time.ts) is the same for the
-- gateway.
create function window_start_of(window_interval text, at timestamptz) returns timestamptz
language sql stable parallel safe as $$
  select case window_interval
    when 'daily' then date_trunc('day', at, 'UTC')
    when 'weekly' then date_trunc('week', at, 'UTC')
    when 'monthly' then date_trunc('month', at, 'UTC')
    else 'epoch'::timestamptz
  end
$$;
