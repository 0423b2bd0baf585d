-- The decision for each model that was consulted for a request (a panel, a judge, a guard, an adviser, …), like
-- route_decisions for the request itself.
create table consulted_decisions (
  generation_id text not null,
  -- From 1 on, in the order in which they were consulted.
  place smallint not null,
  held_at timestamptz(3) not null,
  account_id uuid not null,
  workspace_id uuid not null,
  purpose text not null,
  decision text not null check (octet_length(decision) <= 1024),
  primary key (generation_id, place)
);
create index consulted_decisions_oldest on consulted_decisions (held_at);
