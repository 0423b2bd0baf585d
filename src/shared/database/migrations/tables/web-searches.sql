-- What the columns mean: ledger/generation-columns.ts.
alter table generations
  add column web_search_results integer null,
  add column web_search_engine text null;
