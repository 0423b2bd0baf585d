-- Makes the partitions for the month of a time. Safe to call concurrently: attaching a partition blocks no reader or
-- writer.
create function ensure_month_1(at timestamptz) returns void
language plpgsql as $$
declare
  first timestamptz := date_trunc('month', at, 'UTC');
  next timestamptz := date_trunc('month', first + interval '32 days', 'UTC');
  suffix text := to_char(first at time zone 'UTC', '_YYYY_MM');
  parent text;
begin
  perform pg_advisory_xact_lock(4721003);
  foreach parent in array array['generations', 'ledger_entries'] loop
    if to_regclass(parent || suffix) is null then
      execute format('create table %I (like %I including all)', parent || suffix, parent);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, parent || suffix, first, next);
    end if;
  end loop;
end
$$;
