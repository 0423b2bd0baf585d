-- ledger/generation-columns.ts describes the columns.
alter table generations
  add column web_search_results integer null,
  add column web_search_engine text null;
