-- What one open generation has come to, before its replica's next beat would say so.
-- said: a row of generations; number: as of beat_4, with which it counts together
-- on_disk: whether it is to be on the disk; else a server's own end may lose it, as it may lose holds
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
