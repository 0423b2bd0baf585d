-- Entries of `plugins` as in requests; each may also have `prevent_overrides`.
alter table accounts add column plugins jsonb not null default '[]';
alter table workspaces add column plugins jsonb not null default '[]';
