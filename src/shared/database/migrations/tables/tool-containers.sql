-- The state that a tool keeps between requests of one API key, until it expires. The row names the state whose pieces
-- are its bytes: a state is written once, as a whole, and never changed; another replaces it atomically.
create table tool_containers (
  key_hash char(64) not null,
  id text not null,
  account_id uuid not null references accounts (id),
  state uuid not null,
  size integer not null,
  expires_at timestamptz(3) not null,
  primary key (key_hash, id),
  constraint tool_containers_state unique (state)
);
create index tool_containers_oldest on tool_containers (expires_at);

-- Each piece is sealed with the named data key, for its place in its state. The bytes are random, so compression would
-- only take time.
create table tool_container_pieces (
  state uuid not null,
  number integer not null,
  data_key uuid not null,
  sealed bytea not null,
  written_at timestamptz(3) not null,
  primary key (state, number)
);
alter table tool_container_pieces alter column sealed set storage external;
