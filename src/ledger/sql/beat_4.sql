-- A replica lives, and this is what its open generations have come to. Holds are locked in the order of their ids, as
-- those that are made longer and those that are settled: nobody waits in a circle. Who waited for a lock may find that
-- more has been said meanwhile (note_hold_2): the later stays.
-- said: [{id, row: a row of generations}]; number: the higher, the later its replica has read what it says
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
