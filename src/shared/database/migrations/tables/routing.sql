-- The decision of each request: a JSON text of at most 1 KB that is read back unchanged. It contains no content.
create table route_decisions (
  generation_id text primary key,
  held_at timestamptz(3) not null,
  account_id uuid not null,
  workspace_id uuid not null,
  decision text not null check (octet_length(decision) <= 1024)
);
create index route_decisions_oldest on route_decisions (held_at);
