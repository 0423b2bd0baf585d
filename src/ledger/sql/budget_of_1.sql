-- The budget that limits a counter: its own, else that of all who have none of their own, which has the account as its
-- id. Workspaces and guardrails have only their own.
create function budget_of_1(account uuid, counter_scope text, counter_id text, window_interval text, at timestamptz)
returns table (cap numeric, include_byok boolean, is_default boolean)
language sql stable parallel safe as $$
  select raised_1(b.limit_usd, b.raised_usd, b.raised_until, at), b.include_byok, b.scope_id <> counter_id
  from budgets b
  where b.account_id = account and b.scope = counter_scope and b.interval = window_interval
    and b.scope_id = any(array[counter_id, account::text])
  order by b.scope_id <> counter_id
  limit 1
$$;
