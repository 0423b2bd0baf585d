-- As mark_changed_hours_1; and copies the entries of closed months, where they are posted after the closing, to
-- late_entries. Who closes a month moves closed_until, and then waits for the same lock alone: so every posting is
-- either visible to it, or copies its entries. An entry that was copied before stays as it is: it may be in a statement.
create function mark_changed_hours_2() returns trigger
language plpgsql as $$
declare
  progress record;
begin
  perform pg_advisory_xact_lock_shared(4721012);
  select p.marked_until, p.closed_until into progress from figure_progress p;
  if progress.marked_until is null then return null; end if;
  insert into figure_changes as c (hour, changes)
    select date_trunc('hour', g.held_at, 'UTC'), count(*) from gone g
    where g.held_at < progress.marked_until and g.cost is not null
    group by 1 order by 1
    on conflict (hour) do update set changes = c.changes + excluded.changes;
  if progress.closed_until is null
    or not exists (select from gone g where g.held_at < progress.closed_until and g.cost is not null) then return null; end if;
  insert into late_entries (generation_id, held_at, kind, account_id, entered_at, workspace_id, key_hash, member, model,
      prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, amount, byok_amount, operator_cost)
    select e.generation_id, e.held_at, e.kind, e.account_id, e.entered_at, e.workspace_id, e.key_hash, n.key_user, n.model,
      case when e.kind = 'charge' and n.id is not null
        then n.prompt_tokens + n.cache_read_tokens + n.cache_write_tokens + n.cache_write_1h_tokens else 0 end,
      case when e.kind = 'charge' and n.id is not null then n.completion_tokens else 0 end,
      case when e.kind = 'charge' and n.id is not null then n.cache_read_tokens else 0 end,
      case when e.kind = 'charge' and n.id is not null then n.reasoning_tokens else 0 end,
      e.amount, e.byok_amount, case when e.kind = 'charge' and n.id is not null then n.operator_cost else 0 end
    from gone g
    -- Each by its key, whatever the planner expects of the deleted rows.
    cross join lateral (
      select * from ledger_entries e where e.held_at = g.held_at and e.generation_id = g.generation_id offset 0
    ) as e
    left join lateral (select * from generations n where n.held_at = g.held_at and n.id = g.generation_id offset 0) as n on true
    where g.held_at < progress.closed_until and g.cost is not null
    order by 1, 2, 3
    on conflict do nothing;
  return null;
end
$$;

create or replace trigger holds_mark_changed_hours after delete on holds
  referencing old table as gone for each statement execute function mark_changed_hours_2();
