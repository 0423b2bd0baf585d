-- The default is for replicas of the version before, which do not write the column.
alter table outbox_events add column expires_at timestamptz(3) not null default now() + interval '30 days';
update outbox_events set expires_at = occurred_at + case when subject is null then interval '25 hours' else interval '30 days' end;
create index outbox_events_expired on outbox_events (expires_at);

create index kept_replies_contents on kept_replies (key_hash, kind, created_at) where state <> 'dropped';
