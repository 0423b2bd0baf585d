-- The hash is the key's id in the API. Deleted keys stay, because usage refers to them.
create table api_keys (
  hash char(64) primary key check (hash ~ '^[0-9a-f]{64}$'),
  account_id uuid not null references accounts (id),
  workspace_id uuid not null,
  kind text not null check (kind in ('inference', 'management')),
  name text not null,
  label text not null,
  disabled boolean not null default false,
  limit_usd numeric(38,12) null,
  limit_reset text null check (limit_reset in ('daily', 'weekly', 'monthly')),
  include_byok_in_limit boolean not null default false,
  creator_user_id text null,
  external_user text null,
  expires_at timestamptz(3) null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) null,
  deleted_at timestamptz(3) null,
  constraint api_keys_workspace foreign key (account_id, workspace_id) references workspaces (account_id, id)
);
-- Lists show the newest first; the hash makes the order total, so that pages neither repeat nor omit a key.
create index api_keys_newest on api_keys (account_id, created_at desc, hash);
