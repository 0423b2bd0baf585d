-- Covers the cost of settled holds beyond their bounds, as far as their counters permit. The rest is removed from the
-- new charge, and becomes the operator's cost. A hold that did not exist, recognised by its empty interval, first gets
-- the counters that its settlement names.
-- settlements: see settle_generations_2
-- returns: the number of reduced charges
create function cover_charges_2(ids text[], entered text, settlements json) returns int
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  wanted record;
  granted numeric[];
  cut_count int;
begin
  with named as (
    select distinct on (s.id) s.id, s.key_interval, s.budgets
    from json_to_recordset(settlements) as s (id text, key_interval text, budgets jsonb) where s.id = any(ids)
  )
  update holds h
    set budgets = coalesce(h.budgets, n.budgets),
      key_interval = coalesce(n.key_interval, (select k.limit_reset from api_keys k where k.hash = h.key_hash), 'lifetime')
    from named n where h.generation_id = n.id and h.key_interval = '';
  update ledger_entries e set budgets = h.budgets from holds h
    where h.generation_id = any(ids) and e.generation_id = h.generation_id and e.held_at = h.held_at and e.kind = entered
      and e.budgets is distinct from h.budgets;

  select array_agg(h.generation_id order by h.generation_id) as ids,
    array_agg(greatest(h.cost - h.bound, 0) order by h.generation_id) as amounts,
    array_agg(greatest(h.byok_cost - h.byok_bound, 0) order by h.generation_id) as byok_amounts
    into wanted from holds h where h.generation_id = any(ids);
  granted := hold_further_2(wanted.ids, wanted.amounts, wanted.byok_amounts);

  with unpaid as (
    select h.generation_id as id, h.held_at, w.amount - w.granted as amount
    from unnest(wanted.ids, wanted.amounts, granted) as w (id, amount, granted)
    join holds h on h.generation_id = w.id where w.amount > w.granted
  ), less_held as (
    update holds h set cost = h.cost - u.amount from unpaid u where h.generation_id = u.id
  ), less_told as (
    update generations g set cost = g.cost - u.amount, operator_cost = g.operator_cost + u.amount
    from unpaid u where g.id = u.id and g.held_at = u.held_at
  ), less_entered as (
    update ledger_entries e set amount = e.amount - u.amount
    from unpaid u where e.generation_id = u.id and e.held_at = u.held_at and e.kind = entered
  )
  select count(*) into cut_count from unpaid;
  return cut_count;
end
$$;
