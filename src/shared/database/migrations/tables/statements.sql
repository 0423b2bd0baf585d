-- Closed months of accounts, without gaps. A row without a hash is being closed: what belongs to it is decided.
create table statements (
  account_id uuid not null,
  month timestamptz(3) not null,
  closed_at timestamptz(3) not null,
  closed_by text not null,
  opening_balance numeric(38,12) null,
  credits numeric(38,12) null,
  charges numeric(38,12) null,
  corrections numeric(38,12) null,
  closing_balance numeric(38,12) null,
  hash text null,
  primary key (account_id, month)
);

-- What a statement consists of, in the order in which it is printed. Kept when the entries are dropped.
create table statement_lines (
  account_id uuid not null,
  month timestamptz(3) not null,
  place integer not null,
  kind text not null,
  workspace_id text null,
  workspace text null,
  key_hash text null,
  key_name text null,
  member text null,
  model text null,
  count bigint not null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  cached_tokens bigint not null,
  reasoning_tokens bigint not null,
  amount numeric(38,12) not null,
  byok_amount numeric(38,12) not null,
  operator_cost numeric(38,12) not null,
  primary key (account_id, month, place)
);

-- Entries that were posted after their month was closed, as copies; and charges of recovered generations that a
-- statement has, because a correction may follow. month: the statement that has it; null: none yet.
create table late_entries (
  generation_id text not null,
  held_at timestamptz(3) not null,
  kind text not null,
  account_id uuid not null,
  month timestamptz(3) null,
  entered_at timestamptz(3) not null,
  workspace_id uuid not null,
  key_hash text not null,
  member text null,
  model text null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  cached_tokens bigint not null,
  reasoning_tokens bigint not null,
  amount numeric(38,12) not null,
  byok_amount numeric(38,12) not null,
  operator_cost numeric(38,12) not null,
  primary key (generation_id, held_at, kind)
);
create index late_entries_by_month on late_entries (account_id, month);

-- Entries of generations that began before it are noted in late_entries.
alter table figure_progress add column closed_until timestamptz(3) null;
