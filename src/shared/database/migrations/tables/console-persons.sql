-- Who signed in to the console by an issuer has no key: such a session names the person in its place. person_id: SHA-256
-- of issuer and subject; person: issuer, subject, name and the group that gives the rights; sign_in: SHA-256 of the
-- state of the sign-in, so that an answer of the issuer is taken once.
alter table console_sessions
  alter column key_hash drop not null,
  alter column secret_hash drop not null,
  add column person_id char(64) null,
  add column person jsonb null,
  add column sign_in char(64) null;
alter table console_sessions
  add constraint console_sessions_owner_check
    check ((key_hash is null) = (secret_hash is null) and (key_hash is null) <> (person_id is null)
      and (person_id is null) = (person is null) and (person_id is null) = (sign_in is null));
create unique index console_sessions_sign_in on console_sessions (sign_in);
