-- The gateway's own keys, each for one purpose, wrapped like those of provider credentials: key_id names the wrapping
-- key. The key with the highest number is in use; older ones stay for the data made with them.
create table data_keys (
  id uuid primary key,
  purpose text not null,
  number integer not null,
  key_id text not null,
  wrapped_key bytea not null,
  created_at timestamptz(3) not null,
  constraint data_keys_number unique (purpose, number)
);

-- An HMAC of the entry's hash with a data key. Null in entries from before seals existed.
alter table audit_entries
  add column seal char(64) null,
  add column seal_key uuid null references data_keys (id),
  add constraint audit_entries_sealed check ((seal is null) = (seal_key is null));

-- A seal of the anchor itself; was_sealed is whether the entry that it replaces had one.
alter table audit_anchors
  add column was_sealed boolean not null default false,
  add column seal char(64) null,
  add column seal_key uuid null references data_keys (id),
  add constraint audit_anchors_sealed check ((seal is null) = (seal_key is null));
