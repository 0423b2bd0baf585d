-- Notes settled generations that a destination of their workspace is to get, when their holds are posted: so each is
-- noted once it is committed, however late, in the same transaction that ends its hold. Posting is in the background.
create function queue_broadcasts_1() returns trigger
language plpgsql set plan_cache_mode = force_generic_plan set jit = off as $$
begin
  insert into broadcast_queue (generation_id, held_at, account_id, workspace_id)
  select g.generation_id, g.held_at, g.account_id, g.workspace_id from gone g
  where g.cost is not null and exists (
    select from destinations d
    where d.account_id = g.account_id and d.workspace_id = g.workspace_id and d.broadcast and d.enabled
  )
  on conflict do nothing;
  return null;
end
$$;
