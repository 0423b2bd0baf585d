-- Records that a replica has written back its holds. With the last awaited replica new holds are granted again; at once
-- where the store has no other replica by its nature (is_alone).
create function complete_epoch_1(epoch_id uuid, replica_id uuid, is_alone boolean) returns void
language plpgsql as $$
begin
  -- One replica at a time: each sees who has done so before.
  perform 1 from hold_epochs e where e.id = epoch_id for update;
  update replicas r set epoch = epoch_id where r.id = replica_id;
  update hold_epochs e set opens_at = clock_timestamp()
    where e.id = epoch_id and e.opens_at > clock_timestamp()
      and (is_alone or not exists (
        select from replicas r where r.heartbeat_at >= e.awaited_since and r.epoch is distinct from e.id
      ));
end
$$;
