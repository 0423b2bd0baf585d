-- Budgets of end users, of members and of values of tags (scopes users, members, tags). Their scope_id is a hash, because
-- callers make the ids, which may be long; the budget of all who have none of their own has the account as its id.
alter table budgets add column subject text null;
-- Temporary raises: in force until that moment.
alter table budgets add column raised_usd numeric(38,12) null;
alter table budgets add column raised_until timestamptz(3) null;
alter table api_keys add column raised_usd numeric(38,12) null;
alter table api_keys add column raised_until timestamptz(3) null;
create index budgets_of_subjects on budgets (account_id, scope, updated_at) where scope in ('users', 'members', 'tags');
-- Counters of subjects, which are removed when they are idle, the oldest first.
create index spending_windows_of_subjects on spending_windows (window_start) where scope in ('users', 'members', 'tags');
