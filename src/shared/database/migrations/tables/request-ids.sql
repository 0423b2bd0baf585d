-- The request-id header of the reply; null in rows from before this column existed.
alter table generations add column request_id uuid null;
create index generations_by_request on generations (request_id) where request_id is not null;
