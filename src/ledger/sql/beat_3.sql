-- A replica lives, and this is what its open generations have come to. Holds are locked in the order of their ids, as
-- those that are made longer and those that are settled: nobody waits in a circle.
-- said: [{id, row: a row of generations}]
-- returns: the epoch of the holds (hold_epoch_2)
create function beat_3(replica_id uuid, said json) returns uuid
language plpgsql as $$
declare
  -- Before the beat: whom an epoch waits for is told by the beats before it.
  epoch_id uuid := hold_epoch_2();
begin
  insert into replicas (id, heartbeat_at) values (replica_id, now())
    on conflict (id) do update set heartbeat_at = excluded.heartbeat_at;
  perform 1 from holds h where h.generation_id in (select o.id from json_to_recordset(said) as o (id text)) and h.cost is null
    order by h.generation_id for update;
  update holds h set observed = o.row from json_to_recordset(said) as o (id text, row jsonb)
    where h.generation_id = o.id and h.cost is null;
  return epoch_id;
end
$$;
