-- The last use of a credential, and its last refusal, which a later success does not remove.
alter table provider_credentials
  add column last_used_at timestamptz(3) null,
  add column last_refusal text null,
  add column last_refused_at timestamptz(3) null;
update provider_credentials set last_refusal = status_reason, last_refused_at = status_at where status = 'failing';
