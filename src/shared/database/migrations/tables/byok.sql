-- A credential's text is sealed with a data key of its own, which is wrapped by the key that key_id names. All three
-- are null once it is deleted.
create table provider_credentials (
  id uuid primary key,
  account_id uuid not null,
  workspace_id uuid not null,
  provider text not null,
  name text null,
  label text not null,
  disabled boolean not null,
  is_fallback boolean not null,
  is_required boolean not null,
  is_byok_only boolean not null,
  declared_zdr boolean null,
  allowed_models jsonb null,
  allowed_user_ids jsonb null,
  allowed_api_key_hashes jsonb null,
  sort_order integer not null,
  key_id text null,
  wrapped_key bytea null,
  sealed bytea null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) null,
  deleted_at timestamptz(3) null,
  constraint provider_credentials_workspace foreign key (account_id, workspace_id) references workspaces (account_id, id),
  constraint provider_credentials_wiped check ((deleted_at is null) = (sealed is not null)
    and (sealed is null) = (wrapped_key is null) and (sealed is null) = (key_id is null))
);
create index provider_credentials_newest on provider_credentials (account_id, created_at desc, id);
-- For rotation, which reads the rows that the newest key does not wrap yet.
create index provider_credentials_by_key on provider_credentials (key_id, id) where deleted_at is null;
