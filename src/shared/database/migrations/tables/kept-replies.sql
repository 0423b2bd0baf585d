-- Replies that are given again: to who repeats a request with its Idempotency-Key, who goes on reading a stream, and
-- from the response cache. A row is the claim of one request; its contents are sealed.
create table kept_replies (
  id uuid primary key,
  account_id uuid not null,
  key_hash text not null,
  kind text not null constraint kept_replies_kind_check check (kind in ('idempotency', 'stream', 'cache')),
  -- SHA-256, hex, of the caller's own name of it, or of a random one; in the response cache a keyed hash.
  name text not null,
  -- Of route and body, hashed under a key of the vault, which it begins with.
  fingerprint text not null,
  generation_id text null,
  state text not null constraint kept_replies_state_check check (state in ('running', 'kept', 'dropped', 'lost')),
  resumable boolean not null,
  -- The process that runs the request, which renews its lease.
  owner uuid not null,
  leased_until timestamptz(3) not null,
  -- What its replies begin with, sealed.
  data_key uuid null,
  head bytea null,
  parts integer not null,
  created_at timestamptz(3) not null,
  ended_at timestamptz(3) null,
  expires_at timestamptz(3) not null,
  constraint kept_replies_name unique (key_hash, kind, name)
);
create index kept_replies_generation on kept_replies (generation_id) where resumable;
create index kept_replies_expired on kept_replies (expires_at);

create table kept_reply_parts (
  reply_id uuid not null references kept_replies (id) on delete cascade,
  number integer not null,
  data_key uuid not null,
  sealed bytea not null,
  primary key (reply_id, number)
);

-- The generation whose reply the response cache gave again.
alter table generations add column response_cache_source_id text null;
