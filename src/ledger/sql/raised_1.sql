-- A limit with its temporary raise, which ends at that moment. Null: there is no limit.
create function raised_1(limit_usd numeric, raised_usd numeric, raised_until timestamptz, at timestamptz) returns numeric
language sql immutable parallel safe as $$
  select limit_usd + case when raised_until > at then raised_usd else 0 end
$$;
