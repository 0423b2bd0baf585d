-- Records the usage of one open generation before its replica's next heartbeat reports it.
-- said: a row of generations; number: as of beat_4, in one sequence with it
-- on_disk: whether to wait for the disk; otherwise a crash of the server may lose it, as it may lose holds
create function note_hold_2(id text, said jsonb, number bigint, on_disk boolean) returns void
language plpgsql as $$
begin
  if not on_disk then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  update holds h set observed = said || jsonb_build_object('number', number)
    where h.generation_id = note_hold_2.id and h.cost is null and coalesce((h.observed->>'number')::bigint, 0) < number;
end
$$;
