-- Whether a record has a model, a provider or an endpoint that the catalog does not have.
create index generation_figures_models on generation_figures (account_id, model) where span = 'day' and not by_key;
create index generation_figures_providers on generation_figures (account_id, provider) where span = 'day' and not by_key;
create index generation_figures_endpoints on generation_figures (account_id, endpoint) where span = 'day' and not by_key;
