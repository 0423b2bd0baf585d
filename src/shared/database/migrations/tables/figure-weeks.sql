-- Sums of weeks, and sums by member. What rows can compute again is written again in the background; a replica of
-- another release that writes figures at this moment ends first.
lock table generation_figures in access exclusive mode;
delete from generation_figures where not is_kept;
delete from figure_changes;
update figure_progress set rolled_until = null;

alter table generation_figures add column detail text null;
update generation_figures set detail = case when by_key then 'key' else 'none' end;
alter table generation_figures alter column detail set not null;
alter table generation_figures add constraint generation_figures_detail_check check (detail in ('none', 'member', 'key'));
-- Its indexes go with it.
alter table generation_figures drop column by_key;
alter table generation_figures drop constraint generation_figures_span_check;
alter table generation_figures add constraint generation_figures_span_check check (span in ('hour', 'day', 'week'));
create index generation_figures_at on generation_figures (at, span, detail, account_id);
create index generation_figures_by_key on generation_figures (key_hash, at) where detail = 'key';
create index generation_figures_models on generation_figures (account_id, model) where span = 'day' and detail = 'none';
create index generation_figures_providers on generation_figures (account_id, provider) where span = 'day' and detail = 'none';
create index generation_figures_endpoints on generation_figures (account_id, endpoint) where span = 'day' and detail = 'none';

-- Of dropped months.
insert into generation_figures (id, span, at, detail, is_kept, account_id, workspace_id, key_hash, member, model, provider, endpoint, api, dialect, outcome, is_answered, provider_name,
  requests, cost, byok_cost, operator_cost, prompt_cost, completion_cost, tools_cost, prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, web_searches, web_fetches, latency_ms, latency_count, timed_ms, timed_tokens)
select gen_random_uuid(), span, at, 'member', true, account_id, workspace_id, null, member, model, provider, endpoint, api, dialect,
  outcome, is_answered, max(provider_name),
  sum(requests), sum(cost), sum(byok_cost), sum(operator_cost), sum(prompt_cost), sum(completion_cost), sum(tools_cost), sum(prompt_tokens), sum(cached_tokens), sum(cache_write_tokens), sum(completion_tokens), sum(reasoning_tokens), sum(web_searches), sum(web_fetches), sum(latency_ms), sum(latency_count), sum(timed_ms), sum(timed_tokens)
from generation_figures where detail = 'key'
group by span, at, account_id, workspace_id, member, model, provider, endpoint, api, dialect, outcome, is_answered;

insert into generation_figures (id, span, at, detail, account_id, workspace_id, key_hash, member, model, provider, endpoint, api, dialect, outcome, is_answered, provider_name,
  requests, cost, byok_cost, operator_cost, prompt_cost, completion_cost, tools_cost, prompt_tokens, cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, web_searches, web_fetches, latency_ms, latency_count, timed_ms, timed_tokens)
select gen_random_uuid(), 'week', date_trunc('week', at, 'UTC'), detail, account_id, workspace_id, key_hash, member, model, provider, endpoint, api, dialect, outcome, is_answered,
  max(provider_name),
  sum(requests), sum(cost), sum(byok_cost), sum(operator_cost), sum(prompt_cost), sum(completion_cost), sum(tools_cost), sum(prompt_tokens), sum(cached_tokens), sum(cache_write_tokens), sum(completion_tokens), sum(reasoning_tokens), sum(web_searches), sum(web_fetches), sum(latency_ms), sum(latency_count), sum(timed_ms), sum(timed_tokens)
from generation_figures where span = 'day'
group by date_trunc('week', at, 'UTC'), detail, account_id, workspace_id, key_hash, member, model, provider, endpoint, api, dialect, outcome, is_answered;
