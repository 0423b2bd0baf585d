-- The name of the model at the provider that answered, as it was sent.
alter table generations add column upstream_model text null;
