-- The result of the last verification of the ledger of the whole store: one row, or none before the first.
create table ledger_verifications (
  verified_at timestamptz(3) primary key,
  differences integer not null,
  warnings integer not null
);
