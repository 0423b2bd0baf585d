-- The result for the credential of its last call, in a test or a request.
alter table provider_credentials
  add column status text not null default 'untested',
  add column status_reason text null,
  add column status_at timestamptz(3) null,
  add constraint provider_credentials_status_check check (status in ('untested', 'ok', 'failing'));
