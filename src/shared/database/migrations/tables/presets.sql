-- Settings of inference under a name. Requests use the designated version.
create table presets (
  id uuid primary key,
  account_id uuid not null,
  workspace_id uuid not null,
  slug text not null,
  name text not null,
  description text null,
  status text not null constraint presets_status_check check (status in ('active', 'disabled', 'archived')),
  status_updated_at timestamptz(3) null,
  designated_version_id uuid not null,
  creator_user_id text null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint presets_slug unique (account_id, workspace_id, slug),
  constraint presets_workspace foreign key (account_id, workspace_id) references workspaces (account_id, id)
);
create index presets_newest on presets (account_id, workspace_id, created_at, id);

-- config: printed JSON, whose order of keys models see.
create table preset_versions (
  id uuid primary key,
  preset_id uuid not null references presets (id) on delete cascade,
  version integer not null,
  api text not null constraint preset_versions_api_check check (api in ('messages', 'chat', 'responses')),
  config text not null,
  system_prompt text null,
  creator_id text null,
  created_at timestamptz(3) not null,
  constraint preset_versions_number unique (preset_id, version)
);

-- The preset that completed the request; it may have been deleted since.
alter table generations add column preset_id uuid null;
