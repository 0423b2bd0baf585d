-- Lists of slugs, ids or hashes are jsonb arrays of strings in every table; null is "no restriction". Times are stored
-- in milliseconds, so that a printed time equals the stored and compared one.

create table accounts (
  id uuid primary key,
  name text not null,
  free_tier boolean not null default true,
  purchased_usd numeric(38,12) not null default 0,
  allowed_providers jsonb null,
  ignored_providers jsonb null,
  deny_data_collection boolean not null default false,
  enforce_zdr boolean not null default false,
  created_at timestamptz(3) not null default now()
);

-- (account_id, id) is unique so that other rows can refer to both at once, and never to a workspace of another account.
-- Deleted workspaces stay, because usage refers to their keys. Their slugs are free again.
create table workspaces (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  name text not null,
  slug text not null,
  is_default boolean not null default false,
  description text null,
  created_by text null,
  default_text_model text null,
  default_image_model text null,
  default_provider_sort text null,
  default_guardrail_id uuid null,
  is_data_discount_logging_enabled boolean not null default false,
  is_observability_broadcast_enabled boolean not null default false,
  is_observability_io_logging_enabled boolean not null default false,
  io_logging_sampling_rate double precision not null default 1,
  io_logging_api_key_ids jsonb null,
  include_byok_in_budgets boolean not null default false,
  allowed_providers jsonb null,
  ignored_providers jsonb null,
  deny_data_collection boolean not null default false,
  enforce_zdr boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) null,
  deleted_at timestamptz(3) null,
  constraint workspaces_within_account unique (account_id, id)
);
create unique index workspaces_slug on workspaces (account_id, slug) where deleted_at is null;
-- Prevents two starting replicas from both making the default workspace.
create unique index workspaces_one_default on workspaces (account_id) where is_default;
create index workspaces_newest on workspaces (account_id, created_at desc, id);
