-- Rules that events follow from. judged_at: when one was last compared with the store; one replica at a time does so.
create table alarms (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  name text not null,
  enabled boolean not null,
  rule jsonb not null,
  percents jsonb not null,
  forecast boolean not null,
  judged_at timestamptz(3) null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index alarms_newest on alarms (account_id, created_at desc, id);
create index alarms_judged on alarms (judged_at nulls first) where enabled;

create table alarm_destinations (
  alarm_id uuid not null references alarms (id) on delete cascade,
  destination_id uuid not null references destinations (id) on delete cascade,
  primary key (alarm_id, destination_id)
);
create index alarm_destinations_of on alarm_destinations (destination_id);

-- What an alarm has reported, once for each mark: a window with its percent, or an episode until it is over.
create table alarm_firings (
  alarm_id uuid not null references alarms (id) on delete cascade,
  subject text not null,
  mark text not null,
  fired_at timestamptz(3) not null,
  primary key (alarm_id, subject, mark)
);
create index alarm_firings_oldest on alarm_firings (fired_at);

-- What replicas see in their own memory, and alarms judge: an outage of a provider, a refusal of the operator's
-- credential.
create table alarm_sightings (
  kind text not null,
  subject text not null,
  detail jsonb not null,
  seen_at timestamptz(3) not null,
  primary key (kind, subject)
);

-- The index of the costs that no caller is charged for. Months with rows get it in the background, as those of lists.
create index generations_operator_cost on only generations (account_id, held_at) where operator_cost <> 0;
do $$
declare
  lacking record;
  has_rows boolean;
begin
  for lacking in select * from missing_indexes_1() loop
    execute format('select exists (select from %I)', lacking.partition) into has_rows;
    if not has_rows then
      execute format('create index %I on %I %s', lacking.child, lacking.partition, lacking.definition);
      execute format('alter index %I attach partition %I', lacking.parent, lacking.child);
    end if;
  end loop;
end
$$;
