create index workspace_members_newest on workspace_members (account_id, workspace_id, created_at desc, user_id);
create index guardrail_assignments_newest on guardrail_assignments (account_id, kind, created_at, id);
create index budgets_newest on budgets (account_id, updated_at desc, scope, scope_id, interval)
  where scope in ('users', 'members', 'tags');
