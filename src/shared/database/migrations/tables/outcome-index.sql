-- Failures by their outcome, so that a list of rare ones reads those alone. In months with rows it is built in the
-- background: until then their lists are slower.
drop index generations_failed;
create index generations_by_outcome on only generations (account_id, outcome, held_at) where outcome <> 'completed';
do $$
declare
  lacking record;
  has_rows boolean;
begin
  for lacking in select * from missing_indexes_1() where parent = 'generations_by_outcome' loop
    execute format('select exists (select from %I)', lacking.partition) into has_rows;
    if not has_rows then
      execute format('create index %I on %I %s', lacking.child, lacking.partition, lacking.definition);
      execute format('alter index %I attach partition %I', lacking.parent, lacking.child);
    end if;
  end loop;
end
$$;
