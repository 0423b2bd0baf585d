-- As people may see the secret. Null of one that was replaced before this column existed.
alter table api_key_secrets add column label text null;
update api_key_secrets s set label = k.label from api_keys k where k.hash = s.key_hash and s.ends_at is null;

-- When the last generation that is counted was held; of the lifetime counter of keys alone.
alter table spending_windows add column last_used_at timestamptz(3) null;
-- Of the time before, the day is known.
update spending_windows w set last_used_at = (
    select max(d.window_start) from spending_windows d where d.scope = 'key' and d.scope_id = w.scope_id and d.interval = 'daily'
  )
  where w.scope = 'key' and w.interval = 'lifetime';
