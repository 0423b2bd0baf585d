-- { requests_per_minute, tokens_per_minute }, numbers or null. Null: nothing is said.
alter table api_keys add column rate_limits jsonb;
-- Ids of models, * standing for any characters. Null: all of them.
alter table api_keys add column allowed_models jsonb;

-- By what a key that was rotated is used, or was: its first secret, whose hash is its id, and those that followed. A key
-- that never was has no row here. Rows stay, so that a secret that has ended is never taken for a new key.
create table api_key_secrets (
  hash char(64) primary key constraint api_key_secrets_hash_check check (hash ~ '^[0-9a-f]{64}$'),
  account_id uuid not null references accounts (id),
  key_hash char(64) not null references api_keys (hash),
  created_at timestamptz(3) not null,
  ends_at timestamptz(3)
);
create index api_key_secrets_key on api_key_secrets (key_hash, ends_at);
create unique index api_key_secrets_latest on api_key_secrets (key_hash) where ends_at is null;
