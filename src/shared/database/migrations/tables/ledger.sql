-- One counter of something that can run out, during one UTC window; a reset is a new row. Scopes are unchecked, because
-- a later release may add one while this one still runs. What goes through the caller's own credentials stands in the
-- same row (byok_*), as a cap may count both and asks for both at once. Half of each page stays free: counters change
-- all the time and so never move to another page.
create table spending_windows (
  account_id uuid not null references accounts (id),
  scope text not null,
  scope_id text not null,
  interval text not null check (interval in ('daily', 'weekly', 'monthly', 'lifetime')),
  window_start timestamptz(3) not null,
  "limit" numeric(38,12) null,
  used numeric(38,12) not null default 0,
  held numeric(38,12) not null default 0,
  byok_used numeric(38,12) not null default 0,
  byok_held numeric(38,12) not null default 0,
  primary key (scope, scope_id, interval, window_start)
) with (fillfactor = 50);

-- Caps of workspaces and guardrails. Keys have theirs in api_keys, the account in its counter.
create table budgets (
  account_id uuid not null references accounts (id),
  scope text not null,
  scope_id text not null,
  interval text not null check (interval in ('daily', 'weekly', 'monthly', 'lifetime')),
  limit_usd numeric(38,12) not null,
  include_byok boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (scope, scope_id, interval)
);

-- Credits that came in. Their sum is the limit of the account's counter.
create table credit_grants (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  kind text not null check (kind in ('grant', 'purchase', 'adjustment', 'refund')),
  amount numeric(38,12) not null,
  note text null,
  idempotency_key text null,
  created_at timestamptz(3) not null,
  constraint credit_grants_once unique (account_id, idempotency_key)
);

-- Processes that write to the ledger. One whose heartbeat has stopped is dead: others finish what it held. In its epoch
-- all that it holds is there.
create table replicas (
  id uuid primary key,
  heartbeat_at timestamptz(3) not null,
  epoch uuid null
);

-- Since when holds are complete. Commits of holds do not wait for the disk, so a crash may lose some: then this row is
-- gone as well, for a table that is not logged is emptied by every recovery and promotion; and a row that another run of
-- the server wrote does not count. No row, no new hold.
create unlogged table hold_epochs (
  server_started_at timestamptz primary key,
  id uuid not null,
  opens_at timestamptz not null,
  awaited_since timestamptz null
);

-- What is reserved for calls under way. Taken with the bound; settled when cost is set; gone when it was posted to the
-- counters. Small, and rewritten all the time. No index beside the key, so that settling stays on the row's own page.
-- Past its deadline a hold is nobody's any more by the word of who took it; what is settled without a hold has none.
create table holds (
  generation_id text primary key,
  held_at timestamptz(3) not null,
  replica uuid null,
  account_id uuid not null,
  workspace_id uuid not null,
  key_hash text not null,
  key_interval text not null,
  budgets jsonb null,
  bound numeric(38,12) not null,
  byok_bound numeric(38,12) not null,
  model text null,
  deadline_at timestamptz(3) null,
  observed jsonb null,
  cost numeric(38,12) null,
  byok_cost numeric(38,12) null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- One row for each request that was let through to a provider. Never content. What the columns mean:
-- ledger/generation-columns.ts.
create table generations (
  id text not null,
  held_at timestamptz(3) not null,
  settled_at timestamptz(3) not null,
  account_id uuid not null,
  workspace_id uuid not null,
  key_hash text not null,
  key_user text null,
  api_type text not null,
  requested_model text not null,
  model text null,
  provider text null,
  provider_name text null,
  endpoint text null,
  upstream_id text null,
  service_tier text null,
  credential text null,
  is_byok boolean not null,
  streamed boolean not null,
  outcome text not null,
  finish_reason text null,
  native_finish_reason text null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  cache_write_1h_tokens bigint not null,
  images integer not null,
  web_searches integer not null,
  web_fetches integer not null,
  bound numeric(38,12) not null,
  cost numeric(38,12) not null,
  byok_cost numeric(38,12) not null,
  prompt_cost numeric(38,12) not null,
  completion_cost numeric(38,12) not null,
  tools_cost numeric(38,12) not null,
  operator_cost numeric(38,12) not null,
  price_version text null,
  is_estimated boolean not null,
  is_over_bound boolean not null,
  is_recovered boolean not null,
  is_corrected boolean not null,
  latency_ms integer null,
  generation_ms integer null,
  session_id text null,
  end_user text null,
  trace jsonb null,
  attempts jsonb not null,
  primary key (id, held_at)
) partition by range (held_at);
create index generations_newest on generations (account_id, held_at desc);

-- What was charged. A generation has one charge, and one correction where a settlement met a recovery.
create table ledger_entries (
  held_at timestamptz(3) not null,
  generation_id text not null,
  kind text not null check (kind in ('charge', 'correction')),
  account_id uuid not null,
  workspace_id uuid not null,
  key_hash text not null,
  budgets jsonb null,
  amount numeric(38,12) not null,
  byok_amount numeric(38,12) not null,
  entered_at timestamptz(3) not null,
  primary key (generation_id, held_at, kind)
) partition by range (held_at);

-- What a dropped month of entries came to, one row for each lifetime counter.
create table ledger_closings (
  month timestamptz(3) not null,
  account_id uuid not null,
  scope text not null,
  scope_id text not null,
  amount numeric(38,12) not null,
  byok_amount numeric(38,12) not null,
  entries bigint not null,
  primary key (month, scope, scope_id)
);

-- A list of prices is kept from its first use on and never changed.
create table price_versions (
  id text primary key,
  pricing jsonb not null,
  effective_from timestamptz(3) not null
);
