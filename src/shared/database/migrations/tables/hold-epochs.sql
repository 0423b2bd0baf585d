-- When a hold is nobody's any more by the word of who took it. Null: taken by the release before.
alter table holds add column deadline_at timestamptz(3) null;

-- The epoch in which all that the replica holds is there.
alter table replicas add column epoch uuid null;

-- Since when holds are complete. Commits of holds do not wait for the disk, so a crash may lose some: then this row is
-- gone as well, for a table that is not logged is emptied by every recovery and promotion; and a row that another run of
-- the server wrote does not count. No row, no new hold.
create unlogged table hold_epochs (
  server_started_at timestamptz primary key,
  id uuid not null,
  opens_at timestamptz not null,
  awaited_since timestamptz null
);
