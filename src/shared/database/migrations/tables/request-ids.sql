-- The request-id header of the reply; null in rows from before this column existed.
alter table generations add column request_id uuid null;
-- Only for future partitions: rows of existing ones get a request id for the rest of the month only, and building an
-- index of them would delay the settlements of running replicas.
create index generations_by_request on only generations (request_id) where request_id is not null;
