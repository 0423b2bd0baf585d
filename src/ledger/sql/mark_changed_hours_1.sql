-- Notes the hours of generations whose settlements are posted, where their figures may have been written already.
-- Every settlement, correction and recovery leaves a settled hold, which is deleted once, by its posting: so a change
-- is a settled hold or noted here, at any moment. The lock ends with the transaction. A job that has moved
-- marked_until waits for all transactions that may not have seen it, by taking the same lock alone.
create function mark_changed_hours_1() returns trigger
language plpgsql as $$
declare
  marked_until timestamptz;
begin
  perform pg_advisory_xact_lock_shared(4721012);
  select p.marked_until into marked_until from figure_progress p;
  if marked_until is null then return null; end if;
  insert into figure_changes as c (hour, changes)
    select date_trunc('hour', g.held_at, 'UTC'), count(*) from gone g
    where g.held_at < marked_until and g.cost is not null
    group by 1 order by 1
    on conflict (hour) do update set changes = c.changes + excluded.changes;
  return null;
end
$$;

create trigger holds_mark_changed_hours after delete on holds
  referencing old table as gone for each statement execute function mark_changed_hours_1();
