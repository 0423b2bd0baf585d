-- One counter of a limited amount, during one UTC window; a reset is a new row. Scopes are unchecked, because a later
-- release may add one while this one still runs. Usage of the caller's own credentials is in the same row (byok_*), as
-- a cap may count both and locks one row for both. Half of each page stays free, so that the frequent updates of a
-- counter never move it to another page.
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

-- Credits that were added. Their sum is the limit of the account's counter.
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

-- Processes that write to the ledger. One whose heartbeat has stopped is dead: others settle its holds. Within its
-- epoch none of its holds is missing.
create table replicas (
  id uuid primary key,
  heartbeat_at timestamptz(3) not null,
  epoch uuid null
);

-- The time since which holds are complete. Commits of holds do not wait for the disk, so a crash may lose some. Then
-- this row is lost too, because recovery and promotion empty an unlogged table. A row from another run of the server
-- does not count. Without a row no new hold is granted.
create unlogged table hold_epochs (
  server_started_at timestamptz primary key,
  id uuid not null,
  opens_at timestamptz not null,
  awaited_since timestamptz null
);

-- Amounts reserved for active calls. A hold is taken with the bound, is settled when cost is set, and is deleted when
-- it was posted to the counters. The table is small and often updated. It has no index besides the key, so that
-- settling stays on the row's own page. Past its deadline a hold no longer belongs to its process. Settlements without
-- a hold have no row here.
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

-- One row for each request that was sent to a provider. Never content. ledger/generation-columns.ts describes the
-- columns.
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

-- Charges. A generation has one charge, and one correction where a settlement followed a recovery.
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

-- The sums of a dropped month of entries, one row for each lifetime counter.
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

-- A list of prices is stored when it is first used, and never changed.
create table price_versions (
  id text primary key,
  pricing jsonb not null,
  effective_from timestamptz(3) not null
);
