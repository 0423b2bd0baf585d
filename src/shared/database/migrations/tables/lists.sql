-- Indexes of the lists of generations and of credits. Beside the time each begins with what a list is filtered by
-- alone; texts of callers, which may be longer than an index takes, by their hash.
create index generations_by_key on only generations (key_hash, held_at);
create index generations_by_workspace on only generations (workspace_id, held_at);
create index generations_by_session on only generations (account_id, hashtextextended(session_id, 0), held_at) where session_id is not null;
create index generations_by_user on only generations (account_id, hashtextextended(end_user, 0), held_at) where end_user is not null;
create index generations_failed on only generations (account_id, held_at) where outcome <> 'completed';
create index ledger_entries_newest on only ledger_entries (account_id, held_at);
create index ledger_entries_corrections on only ledger_entries (account_id, held_at) where kind = 'correction';
create index credit_grants_newest on credit_grants (account_id, created_at);

-- Months without rows get theirs here, the others in the background: building them would hold up the settlements of
-- running replicas.
do $$
declare
  lacking record;
  has_rows boolean;
begin
  for lacking in select * from missing_indexes_1() loop
    execute format('select exists (select from %I)', lacking.partition) into has_rows;
    if not has_rows then
      execute format('create index %I on %I %s', lacking.child, lacking.partition, lacking.definition);
      execute format('alter index %I attach partition %I', lacking.parent, lacking.child);
    end if;
  end loop;
end
$$;
