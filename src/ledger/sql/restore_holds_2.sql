-- Writes back what the database has lost of the holds of active calls: missing holds, and missing extensions. They are
-- restored as far as their counters permit, which is in full while no new hold is granted. Settled holds stay settled.
-- known: [a row of holds, with the bound that its process knows]
-- returns: the number of holds that had lost something
create function restore_holds_2(known json) returns int
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  lost record;
begin
  insert into holds (generation_id, held_at, replica, account_id, workspace_id, key_hash, key_interval, budgets, bound, byok_bound,
    model, deadline_at)
  select k.generation_id, k.held_at, k.replica, k.account_id, k.workspace_id, k.key_hash, k.key_interval, k.budgets, 0, 0, k.model, k.deadline_at
  from json_populate_recordset(null::holds, known) as k
  where not exists (select from holds h where h.generation_id = k.generation_id)
    and not exists (select from generations g where g.id = k.generation_id and g.held_at = k.held_at)
  order by k.generation_id
  on conflict do nothing;

  perform 1 from holds h where h.generation_id in (select k.generation_id from json_populate_recordset(null::holds, known) as k)
    order by h.generation_id for update;
  select array_agg(h.generation_id order by h.generation_id) as ids,
    array_agg(greatest(k.bound - h.bound, 0) order by h.generation_id) as amounts,
    array_agg(greatest(k.byok_bound - h.byok_bound, 0) order by h.generation_id) as byok_amounts
    into lost
    from json_populate_recordset(null::holds, known) as k join holds h on h.generation_id = k.generation_id
    where h.cost is null and (k.bound > h.bound or k.byok_bound > h.byok_bound);
  perform hold_further_2(lost.ids, lost.amounts, lost.byok_amounts);
  return coalesce(array_length(lost.ids, 1), 0);
end
$$;
