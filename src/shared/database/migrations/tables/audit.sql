-- Each entry's hash covers the entry and the previous hash. before and after are stored as printed, because the hash
-- covers the printed text.
create table audit_entries (
  account_id uuid not null references accounts (id),
  seq bigint not null,
  at timestamptz(3) not null,
  actor text not null,
  actor_user text null,
  action text not null,
  target text not null,
  workspace_id uuid null,
  before text null,
  after text null,
  previous_hash char(64) not null,
  hash char(64) not null,
  primary key (account_id, seq)
);

-- The end of what retention removed: verification of the chain begins there.
create table audit_anchors (
  account_id uuid primary key references accounts (id),
  seq bigint not null,
  hash char(64) not null
);

create function refuse_audit_change_1() returns trigger
language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('fairlead.audit_retention', true) = 'on' then return old; end if;
  raise exception 'The audit log only grows.' using errcode = '55000';
end
$$;
create trigger audit_entries_append_only before update or delete on audit_entries
  for each row execute function refuse_audit_change_1();
