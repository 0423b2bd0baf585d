-- When use of users, members or tags was last forgotten, because there were too many of them.
alter table accounts add column counters_forgotten_at timestamptz(3) null;
