-- The epoch of this run of the server (hold_epochs). Begins one where there is none: then new holds wait for whoever beat
-- within the last fifteen seconds in which anybody did, five seconds at most.
create function hold_epoch_1() returns uuid
language plpgsql as $$
declare
  known uuid;
begin
  select e.id into known from hold_epochs e where e.server_started_at = pg_postmaster_start_time();
  if found then return known; end if;
  delete from hold_epochs e where e.server_started_at <> pg_postmaster_start_time();
  insert into hold_epochs (server_started_at, id, opens_at, awaited_since)
    values (pg_postmaster_start_time(), gen_random_uuid(), clock_timestamp() + interval '5 seconds',
      (select max(r.heartbeat_at) from replicas r) - interval '15 seconds')
    on conflict do nothing;
  select e.id into known from hold_epochs e where e.server_started_at = pg_postmaster_start_time();
  return known;
end
$$;
