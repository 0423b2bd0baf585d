-- The request-id header of the reply; null in rows from before this column existed.
alter table generations add column request_id uuid null;
-- Of partitions to come alone: rows of those that exist have no request id but for the rest of the month, and building
-- an index of them would hold up the settlements of running replicas.
create index generations_by_request on only generations (request_id) where request_id is not null;
