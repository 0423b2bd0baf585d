-- Settles generations: writes each with its charge, once, and marks its hold as settled. One that is there already
-- changes nothing, unless it was recovered from its observed usage: then the settlement takes its place and the
-- difference is entered as a correction, once. No hold need exist. Columns are taken by name and not listed here.
-- settlements: [a row of generations]
create function settle_generations_1(settlements json) returns void
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  made_count int;
begin
  with made as (
    insert into generations
    select g.* from json_populate_recordset(null::generations, settlements) as g order by g.id
    on conflict (held_at, id) do nothing
    returning id, held_at, settled_at, account_id, workspace_id, key_hash, cost, byok_cost
  ), closed as (
    insert into holds as h (generation_id, held_at, account_id, workspace_id, key_hash, key_interval, bound, byok_bound, cost, byok_cost)
    select m.id, m.held_at, m.account_id, m.workspace_id, m.key_hash, 'lifetime', 0, 0, m.cost, m.byok_cost from made m order by m.id
    on conflict (generation_id) do update
      set cost = coalesce(h.cost, 0) + excluded.cost, byok_cost = coalesce(h.byok_cost, 0) + excluded.byok_cost
    returning h.generation_id, h.budgets
  )
  insert into ledger_entries (held_at, generation_id, kind, account_id, workspace_id, key_hash, budgets, amount, byok_amount, entered_at)
  select m.held_at, m.id, 'charge', m.account_id, m.workspace_id, m.key_hash, c.budgets, m.cost, m.byok_cost, m.settled_at
  from made m join closed c on c.generation_id = m.id;
  get diagnostics made_count = row_count;
  if made_count = json_array_length(settlements) then return; end if;

  with said as (
    select distinct on (g.held_at, g.id) g.* from json_populate_recordset(null::generations, settlements) as g
    where not g.is_recovered
  ), recovered as materialized (
    select g.id, g.held_at from generations g join said s on s.held_at = g.held_at and s.id = g.id
    where g.is_recovered and not g.is_corrected
    order by g.id for update of g
  ), replaced as (
    delete from generations g using recovered r where g.held_at = r.held_at and g.id = r.id
    returning g.id, g.held_at, g.cost, g.byok_cost
  ), corrected as (
    insert into generations
    select g.* from said s
    join replaced r on r.held_at = s.held_at and r.id = s.id
    cross join lateral json_populate_record(s::generations, '{"is_recovered": true, "is_corrected": true}') as g
    returning id, held_at, settled_at, account_id, workspace_id, key_hash, cost, byok_cost
  ), charged as (
    select c.id, c.held_at, c.settled_at, c.account_id, c.workspace_id, c.key_hash, e.budgets,
      c.cost - r.cost as cost, c.byok_cost - r.byok_cost as byok_cost
    from corrected c
    join replaced r on r.held_at = c.held_at and r.id = c.id
    join ledger_entries e on e.held_at = c.held_at and e.generation_id = c.id and e.kind = 'charge'
  ), closed as (
    insert into holds as h (generation_id, held_at, account_id, workspace_id, key_hash, key_interval, budgets, bound, byok_bound, cost, byok_cost)
    select c.id, c.held_at, c.account_id, c.workspace_id, c.key_hash, 'lifetime', c.budgets, 0, 0, c.cost, c.byok_cost from charged c
    on conflict (generation_id) do update
      set cost = coalesce(h.cost, 0) + excluded.cost, byok_cost = coalesce(h.byok_cost, 0) + excluded.byok_cost
  )
  insert into ledger_entries (held_at, generation_id, kind, account_id, workspace_id, key_hash, budgets, amount, byok_amount, entered_at)
  select c.held_at, c.id, 'correction', c.account_id, c.workspace_id, c.key_hash, c.budgets, c.cost, c.byok_cost, c.settled_at
  from charged c;
end
$$;
