create table workspace_members (
  account_id uuid not null,
  workspace_id uuid not null,
  user_id text not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, user_id),
  constraint workspace_members_workspace foreign key (account_id, workspace_id) references workspaces (account_id, id)
    on delete cascade
);
