-- As people may see the secret. Null of one that was replaced before this column existed.
alter table api_key_secrets add column label text null;
update api_key_secrets s set label = k.label from api_keys k where k.hash = s.key_hash and s.ends_at is null;

-- When the last generation that is counted was held; of the lifetime counter of keys alone. Null before it is used again.
alter table spending_windows add column last_used_at timestamptz(3) null;
