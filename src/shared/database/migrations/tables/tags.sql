-- Tags by name: of generations null where there are none, of keys and workspaces defaults of their requests.
alter table generations add column tags jsonb null;
alter table api_keys add column tags jsonb null;
alter table workspaces add column tags jsonb not null default '{}';
-- Names of tags that each request of the workspace must have.
alter table workspaces add column required_tags jsonb not null default '[]';
