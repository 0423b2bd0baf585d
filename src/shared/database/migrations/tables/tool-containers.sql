-- What a tool keeps between two requests of one API key, until its time is over. Its bytes are the pieces of the state
-- that the row names: a state is written once, whole, and never changed; another takes its place at once.
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

-- Sealed one by one, each under the data key that is named, for its place in its state. Random bytes: compressing them
-- would only take time.
create table tool_container_pieces (
  state uuid not null,
  number integer not null,
  data_key uuid not null,
  sealed bytea not null,
  written_at timestamptz(3) not null,
  primary key (state, number)
);
alter table tool_container_pieces alter column sealed set storage external;
