-- Sessions of the console. id: SHA-256 of the cookie's token, so that a row is no credential; secret_hash: the secret
-- of the key that signed in; last_seen_at is written once a minute at most.
create table console_sessions (
  id char(64) primary key constraint console_sessions_id_check check (id ~ '^[0-9a-f]{64}$'),
  account_id uuid not null references accounts (id),
  key_hash char(64) not null references api_keys (hash),
  secret_hash char(64) not null,
  label text not null,
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3) null
);
create index console_sessions_newest on console_sessions (account_id, created_at, id);

-- Links that sign in once: a row is removed by its use.
create table console_links (
  id char(64) primary key constraint console_links_id_check check (id ~ '^[0-9a-f]{64}$'),
  key_hash char(64) not null references api_keys (hash),
  expires_at timestamptz(3) not null
);
