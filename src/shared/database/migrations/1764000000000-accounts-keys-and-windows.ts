import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who may call, and the counters that can run out. */
export class AccountsKeysAndWindows1764000000000 implements MigrationInterface {
  readonly name = 'AccountsKeysAndWindows1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    // Times keep milliseconds: what is printed in an answer is exactly what is stored and compared.
    await runner.query(`
      create table accounts (
        id uuid primary key,
        name text not null,
        free_tier boolean not null default true,
        created_at timestamptz(3) not null default now()
      )`);

    // (account_id, id) is unique so that rows below can refer to both at once: a workspace of another account cannot be named.
    await runner.query(`
      create table workspaces (
        id uuid primary key,
        account_id uuid not null references accounts (id),
        name text not null,
        slug text not null,
        is_default boolean not null default false,
        created_at timestamptz(3) not null default now(),
        constraint workspaces_slug unique (account_id, slug),
        constraint workspaces_within_account unique (account_id, id)
      )`);
    // Two starting replicas cannot both make the default workspace.
    await runner.query(`create unique index workspaces_one_default on workspaces (account_id) where is_default`);

    // The hash is the key's id in the API. Deleted keys stay: their usage is still someone's usage.
    await runner.query(`
      create table api_keys (
        hash char(64) primary key check (hash ~ '^[0-9a-f]{64}$'),
        account_id uuid not null references accounts (id),
        workspace_id uuid not null,
        kind text not null check (kind in ('inference', 'management')),
        name text not null,
        label text not null,
        disabled boolean not null default false,
        limit_usd numeric(38,12) null,
        limit_reset text null check (limit_reset in ('daily', 'weekly', 'monthly')),
        include_byok_in_limit boolean not null default false,
        creator_user_id text null,
        external_user text null,
        expires_at timestamptz(3) null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) null,
        deleted_at timestamptz(3) null,
        constraint api_keys_workspace foreign key (account_id, workspace_id) references workspaces (account_id, id)
      )`);
    // Lists show the newest first; the hash makes the order total, so that pages neither repeat nor lose a key.
    await runner.query(`create index api_keys_newest on api_keys (account_id, created_at desc, hash)`);

    // Scopes so far: account, key, key_byok, workspace, guardrail. Unchecked, because later releases add more while this one
    // still runs. Half of each page stays free: the counters change all the time and so never move to another page.
    await runner.query(`
      create table spending_windows (
        account_id uuid not null references accounts (id),
        scope text not null,
        scope_id text not null,
        interval text not null check (interval in ('daily', 'weekly', 'monthly', 'lifetime')),
        window_start timestamptz(3) not null,
        "limit" numeric(38,12) null,
        used numeric(38,12) not null default 0,
        held numeric(38,12) not null default 0,
        primary key (scope, scope_id, interval, window_start)
      ) with (fillfactor = 50)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table spending_windows`);
    await runner.query(`drop table api_keys`);
    await runner.query(`drop table workspaces`);
    await runner.query(`drop table accounts`);
  }
}
