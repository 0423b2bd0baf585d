-- The API format of the endpoint that answered, for figures.
alter table generations add column dialect text null;

-- Sums of generations by UTC hours and days, once with keys and once without. Written by a job, never by a request.
-- Rows of a dropped month are kept: nothing can recompute them.
create table generation_figures (
  id uuid primary key,
  span text not null check (span in ('hour', 'day')),
  at timestamptz(3) not null,
  by_key boolean not null,
  is_kept boolean not null default false,
  account_id uuid not null,
  workspace_id uuid not null,
  key_hash text null,
  member text null,
  model text not null,
  provider text null,
  endpoint text null,
  api text not null,
  dialect text null,
  outcome text not null,
  is_answered boolean not null,
  provider_name text null,
  requests bigint not null,
  cost numeric(38,12) not null,
  byok_cost numeric(38,12) not null,
  operator_cost numeric(38,12) not null,
  prompt_cost numeric(38,12) not null,
  completion_cost numeric(38,12) not null,
  tools_cost numeric(38,12) not null,
  prompt_tokens bigint not null,
  cached_tokens bigint not null,
  cache_write_tokens bigint not null,
  completion_tokens bigint not null,
  reasoning_tokens bigint not null,
  web_searches bigint not null,
  web_fetches bigint not null,
  latency_ms bigint not null,
  latency_count bigint not null,
  timed_ms bigint not null,
  timed_tokens bigint not null
);
create index generation_figures_at on generation_figures (at, span, by_key, account_id);
-- What the rows of a dropped month were is read beside rows that came late.
create index generation_figures_kept on generation_figures (at) where is_kept;

-- One row: hours before rolled_until have figures; changes of hours before marked_until are noted in figure_changes.
create table figure_progress (
  id boolean primary key default true check (id),
  rolled_until timestamptz(3) null,
  marked_until timestamptz(3) not null
);

-- Hours whose generations have changed since their figures were written, with the number of changes.
create table figure_changes (
  hour timestamptz(3) primary key,
  changes bigint not null
);
