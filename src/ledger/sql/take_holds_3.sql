-- Takes holds as take_holds_2 does. Granted members that extend a hold are extended further by the amount that they
-- want ahead, where each of their limited counters keeps as much again free. Otherwise they get nothing ahead, and no
-- member is refused for it.
-- ahead: [{place, id, bound, byok_bound}], for members that extend
-- returns: as take_holds_2; the answer of a member that got its amount ahead has `true` as its last entry
create function take_holds_3(members json, ahead_ms double precision, lives_ms double precision, ahead json) returns json
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
  taken jsonb := take_holds_2(members, ahead_ms, lives_ms);
  answer record;
  has_plenty boolean;
begin
  -- Who was granted has its hold and its counters locked: what is read here stays.
  for answer in
    select t.place as index, a.id, a.bound, a.byok_bound
    from jsonb_array_elements(coalesce(taken, '[]')) with ordinality as t (entry, place)
    join json_to_recordset(ahead) as a (place int, id text, bound numeric, byok_bound numeric) on a.place::text = t.entry->>0
    where jsonb_typeof(t.entry) = 'array'
    order by a.place
  loop
    select bool_and(coalesce(
        coalesce(k.limit_usd, b.limit_usd, w."limit") - w.used - w.held
          - case when coalesce(k.include_byok_in_limit, b.include_byok, false)
              then w.byok_used + w.byok_held + 2 * answer.byok_bound else 0 end
          >= 2 * answer.bound, true))
      into has_plenty
      from holds h
      cross join lateral counters_of_1(h.account_id, h.key_hash, h.key_interval, h.budgets) as c
      join spending_windows w on w.scope = c.scope and w.scope_id = c.scope_id and w.interval = c.window_interval
        and w.window_start = window_start_of(c.window_interval, h.held_at)
      left join api_keys k on c.scope = 'key' and k.hash = c.scope_id
      left join lateral (
        select * from budgets o where o.scope = c.scope and o.scope_id = c.scope_id and o.interval = c.window_interval offset 0
      ) as b on true
      where h.generation_id = answer.id and c.is_held;
    continue when not has_plenty;
    update spending_windows w set held = w.held + answer.bound, byok_held = w.byok_held + answer.byok_bound
      from holds h cross join lateral counters_of_1(h.account_id, h.key_hash, h.key_interval, h.budgets) as c
      where h.generation_id = answer.id and c.is_held and w.scope = c.scope and w.scope_id = c.scope_id
        and w.interval = c.window_interval and w.window_start = window_start_of(c.window_interval, h.held_at);
    update holds h set bound = h.bound + answer.bound, byok_bound = h.byok_bound + answer.byok_bound
      where h.generation_id = answer.id;
    taken := jsonb_set(taken, array[(answer.index - 1)::text], taken->(answer.index - 1)::int || 'true');
  end loop;
  return taken;
end
$$;
