-- The indexes of partitioned tables of the ledger that partitions lack, newest month first. A partition that is made
-- later has all of them; one that existed before an index gets it from a migration while it is empty, else in the
-- background.
-- state: `missing`; `building`, by some process; `broken`: its building was cut off; `built`, to be attached.
create function missing_indexes_1() returns table (partition text, parent text, child text, definition text, state text)
language sql stable as $$
  select lacking.partition, lacking.parent, lacking.child, lacking.definition,
    case
      when built.indexrelid is null then 'missing'
      when built.indisvalid then 'built'
      when exists (select from pg_stat_progress_create_index p where p.index_relid = built.indexrelid) then 'building'
      else 'broken'
    end
  from (
    select month.relname::text as partition, of_parent.relname::text as parent,
      -- generations_2026_11_by_key: names of all parents begin with their table.
      month.relname || substr(of_parent.relname, length(parent.relname) + 1) as child,
      substring(pg_get_indexdef(of_parent.oid) from ' USING .*$') as definition
    from pg_inherits
    join pg_class parent on parent.oid = inhparent
    join pg_class month on month.oid = inhrelid
    join pg_index on pg_index.indrelid = parent.oid
    join pg_class of_parent on of_parent.oid = pg_index.indexrelid
    where parent.oid in ('generations'::regclass, 'ledger_entries'::regclass)
      and not exists (
        select from pg_inherits attached join pg_index own on own.indexrelid = attached.inhrelid
        where attached.inhparent = of_parent.oid and own.indrelid = month.oid
      )
  ) as lacking
  left join pg_index built on built.indexrelid = to_regclass(lacking.child)
  order by 1 desc, 2
$$;
