-- Settled generations that are to be sent to destinations. A row is removed in the transaction that writes the events.
create table broadcast_queue (
  generation_id text not null,
  held_at timestamptz(3) not null,
  account_id uuid not null,
  workspace_id uuid not null,
  primary key (generation_id, held_at)
);
create trigger holds_queue_broadcasts after delete on holds
  referencing old table as gone for each statement execute function queue_broadcasts_1();
