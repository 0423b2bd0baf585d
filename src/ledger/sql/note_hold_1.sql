-- What one open generation has come to, before its replica's next beat would say so.
-- said: a row of generations
-- on_disk: whether it is to be on the disk; else a server's own end may lose it, as it may lose holds
create function note_hold_1(id text, said jsonb, on_disk boolean) returns void
language plpgsql as $$
begin
  if not on_disk then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  update holds h set observed = said where h.generation_id = note_hold_1.id and h.cost is null;
end
$$;
