-- { requests_per_minute, tokens_per_minute }, numbers or null. Null: no limits.
alter table api_keys add column rate_limits jsonb;
-- Ids of models; * matches any characters. Null: all models.
alter table api_keys add column allowed_models jsonb;

-- The secrets of a key that was rotated: the first, whose hash is its id, and the later ones. A key that was never
-- rotated has no row here. Rows stay, so that an expired secret is never taken for a new key.
create table api_key_secrets (
  hash char(64) primary key constraint api_key_secrets_hash_check check (hash ~ '^[0-9a-f]{64}$'),
  account_id uuid not null references accounts (id),
  key_hash char(64) not null references api_keys (hash),
  created_at timestamptz(3) not null,
  ends_at timestamptz(3)
);
create index api_key_secrets_key on api_key_secrets (key_hash, ends_at);
create unique index api_key_secrets_latest on api_key_secrets (key_hash) where ends_at is null;
