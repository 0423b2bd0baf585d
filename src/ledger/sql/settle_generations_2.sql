-- Settles generations: writes each one with its charge, once, and marks its hold as settled. A generation that already
-- exists is not changed, unless it was recovered from its observed usage: then the settlement replaces it, and the
-- difference is entered as a correction, once. Columns are matched by name and not listed here. Cost without a hold
-- (which was given back, or lost by the database) is charged as far as its counters permit; the rest is the operator's
-- cost. The settlement names the counters of a hold that does not exist.
-- settlements: [a row of generations, key_interval, budgets]
-- returns: the number of generations that were charged less than their cost
create function settle_generations_2(settlements json) returns int
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  charged record;
  corrected record;
begin
  with made as (
    insert into generations
    select g.* from json_populate_recordset(null::generations, settlements) as g order by g.id
    on conflict (held_at, id) do nothing
    returning id, held_at, settled_at, account_id, workspace_id, key_hash, cost, byok_cost
  ), closed as (
    insert into holds as h (generation_id, held_at, account_id, workspace_id, key_hash, key_interval, bound, byok_bound, cost, byok_cost)
    select m.id, m.held_at, m.account_id, m.workspace_id, m.key_hash, '', 0, 0, m.cost, m.byok_cost from made m order by m.id
    on conflict (generation_id) do update
      set cost = coalesce(h.cost, 0) + excluded.cost, byok_cost = coalesce(h.byok_cost, 0) + excluded.byok_cost
    returning h.generation_id, h.budgets, h.key_interval = '' or h.bound < h.cost or h.byok_bound < h.byok_cost as is_uncovered
  ), entered as (
    insert into ledger_entries (held_at, generation_id, kind, account_id, workspace_id, key_hash, budgets, amount, byok_amount, entered_at)
    select m.held_at, m.id, 'charge', m.account_id, m.workspace_id, m.key_hash, c.budgets, m.cost, m.byok_cost, m.settled_at
    from made m join closed c on c.generation_id = m.id
  )
  select count(*) as count, array_agg(c.generation_id) filter (where c.is_uncovered) as uncovered, 0 as cut into charged from closed c;
  if charged.uncovered is not null then
    charged.cut := cover_charges_2(charged.uncovered, 'charge', settlements);
  end if;
  if charged.count = json_array_length(settlements) then return charged.cut; end if;

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
  ), rewritten as (
    insert into generations
    select g.* from said s
    join replaced r on r.held_at = s.held_at and r.id = s.id
    cross join lateral json_populate_record(s::generations, '{"is_recovered": true, "is_corrected": true}') as g
    returning id, held_at, settled_at, account_id, workspace_id, key_hash, cost, byok_cost
  ), due as (
    select c.id, c.held_at, c.settled_at, c.account_id, c.workspace_id, c.key_hash, e.budgets,
      c.cost - r.cost as cost, c.byok_cost - r.byok_cost as byok_cost
    from rewritten c
    join replaced r on r.held_at = c.held_at and r.id = c.id
    join ledger_entries e on e.held_at = c.held_at and e.generation_id = c.id and e.kind = 'charge'
  ), closed as (
    insert into holds as h (generation_id, held_at, account_id, workspace_id, key_hash, key_interval, budgets, bound, byok_bound, cost, byok_cost)
    select c.id, c.held_at, c.account_id, c.workspace_id, c.key_hash, '', c.budgets, 0, 0, c.cost, c.byok_cost from due c
    on conflict (generation_id) do update
      set cost = coalesce(h.cost, 0) + excluded.cost, byok_cost = coalesce(h.byok_cost, 0) + excluded.byok_cost
    returning h.generation_id, h.key_interval = '' or h.bound < h.cost or h.byok_bound < h.byok_cost as is_uncovered
  ), entered as (
    insert into ledger_entries (held_at, generation_id, kind, account_id, workspace_id, key_hash, budgets, amount, byok_amount, entered_at)
    select c.held_at, c.id, 'correction', c.account_id, c.workspace_id, c.key_hash, c.budgets, c.cost, c.byok_cost, c.settled_at
    from due c
  )
  select array_agg(c.generation_id) filter (where c.is_uncovered) as uncovered, 0 as cut into corrected from closed c;
  if corrected.uncovered is not null then
    corrected.cut := cover_charges_2(corrected.uncovered, 'correction', settlements);
  end if;
  return charged.cut + corrected.cut;
end
$$;
