-- The visible part of the secret. Null for one that was replaced before this column existed.
alter table api_key_secrets add column label text null;
update api_key_secrets s set label = k.label from api_keys k where k.hash = s.key_hash and s.ends_at is null;

-- When the last counted generation was held; only in the lifetime counter of keys. Null before the key's next use.
alter table spending_windows add column last_used_at timestamptz(3) null;
