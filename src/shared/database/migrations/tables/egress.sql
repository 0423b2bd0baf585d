-- { allowed_domains, blocked_domains }, lists of domains or null. Null: no rules.
alter table accounts add column egress jsonb;
alter table api_keys add column egress jsonb;
