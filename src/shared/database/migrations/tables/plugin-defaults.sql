-- Entries of `plugins` as requests have them, each of which may have `prevent_overrides`.
alter table accounts add column plugins jsonb not null default '[]';
alter table workspaces add column plugins jsonb not null default '[]';
