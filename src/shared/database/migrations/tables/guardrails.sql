create table guardrails (
  id uuid primary key,
  account_id uuid not null,
  workspace_id uuid not null,
  name text not null,
  description text null,
  limit_usd numeric(38,12) null,
  reset_interval text null check (reset_interval in ('daily', 'weekly', 'monthly')),
  include_byok_in_budgets boolean not null,
  allowed_models jsonb null,
  ignored_models jsonb null,
  allowed_providers jsonb null,
  ignored_providers jsonb null,
  enforce_zdr boolean null,
  enforce_zdr_anthropic boolean null,
  enforce_zdr_openai boolean null,
  enforce_zdr_google boolean null,
  enforce_zdr_xai boolean null,
  enforce_zdr_other boolean null,
  content_filters jsonb null,
  content_filter_builtins jsonb null,
  enable_free_model_publication boolean null,
  enable_free_model_training boolean null,
  enable_paid_model_training boolean null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) null,
  constraint guardrails_workspace foreign key (account_id, workspace_id) references workspaces (account_id, id),
  constraint guardrails_within_account unique (account_id, id)
);
create index guardrails_newest on guardrails (account_id, created_at desc, id);

-- A key or a member has at most one guardrail.
create table guardrail_assignments (
  id uuid not null unique,
  account_id uuid not null,
  guardrail_id uuid not null,
  kind text not null check (kind in ('key', 'member')),
  subject text not null,
  assigned_by text null,
  created_at timestamptz(3) not null,
  primary key (account_id, kind, subject),
  constraint guardrail_assignments_guardrail foreign key (account_id, guardrail_id) references guardrails (account_id, id)
    on delete cascade
);
create index guardrail_assignments_of on guardrail_assignments (guardrail_id);
