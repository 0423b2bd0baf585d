-- Receivers of events. What a destination needs to be called, secrets included, is sealed with the named data key;
-- shown is what may be read of it.
create table destinations (
  id uuid primary key,
  account_id uuid not null,
  workspace_id uuid not null,
  name text not null,
  type text not null,
  enabled boolean not null,
  broadcast boolean not null,
  privacy_mode boolean not null,
  sampling_rate double precision not null,
  api_key_hashes jsonb null,
  filter_rules jsonb null,
  broadcast_generation_cost boolean not null,
  broadcast_generation_identity boolean not null,
  broadcast_generation_request_context boolean not null,
  shown jsonb not null,
  data_key uuid not null,
  sealed bytea not null,
  status text not null,
  status_reason text null,
  status_at timestamptz(3) null,
  failures integer not null default 0,
  failing_since timestamptz(3) null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint destinations_workspace foreign key (account_id, workspace_id) references workspaces (account_id, id)
);
create index destinations_newest on destinations (account_id, created_at desc, id);
create index destinations_broadcast on destinations (account_id, workspace_id) where broadcast and enabled;

-- Events that are or were to be sent. An event keeps its id, whatever is repeated. subject: the alarm that an event is of, which may be deleted since.
create table outbox_events (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  type text not null,
  subject uuid null,
  data jsonb not null,
  occurred_at timestamptz(3) not null
);
create index outbox_events_newest on outbox_events (account_id, occurred_at desc, id) where subject is not null;
create index outbox_events_oldest on outbox_events (occurred_at);

-- One row for each event and destination. While it waits, due_at is its next attempt; a process that sends it moves
-- due_at ahead, so that another one takes over where it dies.
create table outbox_deliveries (
  event_id uuid not null references outbox_events (id) on delete cascade,
  destination_id uuid not null references destinations (id) on delete cascade,
  status text not null,
  attempts integer not null default 0,
  due_at timestamptz(3) not null,
  last_status integer null,
  last_error text null,
  finished_at timestamptz(3) null,
  primary key (event_id, destination_id)
);
create index outbox_deliveries_due on outbox_deliveries (destination_id, due_at) where status = 'waiting';
