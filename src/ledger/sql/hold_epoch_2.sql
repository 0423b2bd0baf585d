-- The epoch of this run of the server (hold_epochs). If there is none, it begins one: then new holds wait for every
-- replica with a heartbeat in the fifteen seconds before the last one of all, for five seconds at most. Those
-- heartbeats may have the time of another server's clock, with any offset. They are moved, so that the last one is now,
-- and the others keep their distance to it.
create function hold_epoch_2() returns uuid
language plpgsql as $$
declare
  known uuid;
begin
  select e.id into known from hold_epochs e where e.server_started_at = pg_postmaster_start_time();
  if found then return known; end if;
  delete from hold_epochs e where e.server_started_at <> pg_postmaster_start_time();
  insert into hold_epochs (server_started_at, id, opens_at, awaited_since)
    values (pg_postmaster_start_time(), gen_random_uuid(), clock_timestamp() + interval '5 seconds', now() - interval '15 seconds')
    on conflict do nothing;
  if found then
    update replicas r set heartbeat_at = r.heartbeat_at + (now() - told.last_at)
      from (select max(heartbeat_at) as last_at from replicas) as told;
  end if;
  select e.id into known from hold_epochs e where e.server_started_at = pg_postmaster_start_time();
  return known;
end
$$;
