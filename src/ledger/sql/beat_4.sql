-- Records the heartbeat of a replica and the usage of its open generations. Holds are locked in the order of their ids,
-- like those that are extended or settled, which excludes deadlocks. If a newer report arrived while this one waited
-- for a lock (note_hold_2), the newer one stays.
-- said: [{id, row: a row of generations}]; number: higher for a later report of the replica
-- returns: the epoch of the holds (hold_epoch_2)
create function beat_4(replica_id uuid, said json, number bigint) returns uuid
language plpgsql as $$
declare
  -- Before the beat: whom an epoch waits for is told by the beats before it.
  epoch_id uuid := hold_epoch_2();
begin
  insert into replicas (id, heartbeat_at) values (replica_id, now())
    on conflict (id) do update set heartbeat_at = excluded.heartbeat_at;
  perform 1 from holds h where h.generation_id in (select o.id from json_to_recordset(said) as o (id text)) and h.cost is null
    order by h.generation_id for update;
  update holds h set observed = o.row || jsonb_build_object('number', number)
    from json_to_recordset(said) as o (id text, row jsonb)
    where h.generation_id = o.id and h.cost is null and coalesce((h.observed->>'number')::bigint, 0) < number;
  return epoch_id;
end
$$;
