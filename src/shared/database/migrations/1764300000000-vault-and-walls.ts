import type { MigrationInterface, QueryRunner } from 'typeorm';

const POLICY_COLUMNS = `
  allowed_providers jsonb null,
  ignored_providers jsonb null,
  deny_data_collection boolean not null default false,
  enforce_zdr boolean not null default false`;

const addEach = (columns: string): string => columns.replaceAll(/^\s*(?=\S)/gm, ' add column ');

/** Provider credentials, what a workspace is made of, guardrails, and the log of every management change. */
export class VaultAndWalls1764300000000 implements MigrationInterface {
  readonly name = 'VaultAndWalls1764300000000';

  async up(runner: QueryRunner): Promise<void> {
    // Lists of slugs, ids or hashes are jsonb arrays of strings; null is "no restriction".
    await runner.query(`alter table accounts ${addEach(POLICY_COLUMNS)}`);
    await runner.query(`
      alter table workspaces
        add column description text null,
        add column created_by text null,
        add column updated_at timestamptz(3) null,
        add column default_text_model text null,
        add column default_image_model text null,
        add column default_provider_sort text null,
        add column is_data_discount_logging_enabled boolean not null default false,
        add column is_observability_broadcast_enabled boolean not null default false,
        add column is_observability_io_logging_enabled boolean not null default false,
        add column io_logging_sampling_rate double precision not null default 1,
        add column io_logging_api_key_ids jsonb null,
        add column include_byok_in_budgets boolean not null default false,
        add column default_guardrail_id uuid null,
        add column deleted_at timestamptz(3) null,
        ${addEach(POLICY_COLUMNS)}`);
    // Deleted workspaces stay: their keys' usage is still someone's usage. Their slugs are free again.
    await runner.query(`alter table workspaces drop constraint workspaces_slug`);
    await runner.query(`create unique index workspaces_slug on workspaces (account_id, slug) where deleted_at is null`);
    await runner.query(`create index workspaces_newest on workspaces (account_id, created_at desc, id)`);
    await runner.query(`
      create table workspace_members (
        account_id uuid not null,
        workspace_id uuid not null,
        user_id text not null,
        created_at timestamptz(3) not null,
        primary key (workspace_id, user_id),
        constraint workspace_members_workspace foreign key (account_id, workspace_id) references workspaces (account_id, id)
          on delete cascade
      )`);

    await runner.query(`
      alter table budgets
        add column created_at timestamptz(3) not null default now(),
        add column updated_at timestamptz(3) not null default now()`);

    // A credential's text is sealed under a data key of its own, which is wrapped by the key that key_id names. The three are null
    // together, once it is deleted.
    await runner.query(`
      create table provider_credentials (
        id uuid primary key,
        account_id uuid not null,
        workspace_id uuid not null,
        provider text not null,
        name text null,
        label text not null,
        disabled boolean not null,
        is_fallback boolean not null,
        is_required boolean not null,
        is_byok_only boolean not null,
        declared_zdr boolean null,
        allowed_models jsonb null,
        allowed_user_ids jsonb null,
        allowed_api_key_hashes jsonb null,
        sort_order integer not null,
        key_id text null,
        wrapped_key bytea null,
        sealed bytea null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) null,
        deleted_at timestamptz(3) null,
        constraint provider_credentials_workspace foreign key (account_id, workspace_id) references workspaces (account_id, id),
        constraint provider_credentials_wiped check ((deleted_at is null) = (sealed is not null)
          and (sealed is null) = (wrapped_key is null) and (sealed is null) = (key_id is null))
      )`);
    await runner.query(
      `create index provider_credentials_newest on provider_credentials (account_id, created_at desc, id)`,
    );
    // Rotation asks for what is not yet under the newest key.
    await runner.query(
      `create index provider_credentials_by_key on provider_credentials (key_id, id) where deleted_at is null`,
    );

    await runner.query(`
      create table guardrails (
        id uuid primary key,
        account_id uuid not null,
        workspace_id uuid not null,
        name text not null,
        description text null,
        limit_usd numeric(38,12) null,
        reset_interval text null check (reset_interval in ('daily', 'weekly', 'monthly')),
        include_byok_in_budgets boolean not null,
        allowed_models jsonb null,
        ignored_models jsonb null,
        allowed_providers jsonb null,
        ignored_providers jsonb null,
        enforce_zdr boolean null,
        enforce_zdr_anthropic boolean null,
        enforce_zdr_openai boolean null,
        enforce_zdr_google boolean null,
        enforce_zdr_xai boolean null,
        enforce_zdr_other boolean null,
        content_filters jsonb null,
        content_filter_builtins jsonb null,
        enable_free_model_publication boolean null,
        enable_free_model_training boolean null,
        enable_paid_model_training boolean null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) null,
        constraint guardrails_workspace foreign key (account_id, workspace_id) references workspaces (account_id, id),
        constraint guardrails_within_account unique (account_id, id)
      )`);
    await runner.query(`create index guardrails_newest on guardrails (account_id, created_at desc, id)`);
    // A key or a member holds at most one (WIRE 1.22).
    await runner.query(`
      create table guardrail_assignments (
        id uuid not null unique,
        account_id uuid not null,
        guardrail_id uuid not null,
        kind text not null check (kind in ('key', 'member')),
        subject text not null,
        assigned_by text null,
        created_at timestamptz(3) not null,
        primary key (account_id, kind, subject),
        constraint guardrail_assignments_guardrail foreign key (account_id, guardrail_id) references guardrails (account_id, id)
          on delete cascade
      )`);
    await runner.query(`create index guardrail_assignments_of on guardrail_assignments (guardrail_id)`);
    // Each entry's hash covers it and the hash before it. before and after are kept as they were printed: they are what was hashed.
    await runner.query(`
      create table audit_entries (
        account_id uuid not null references accounts (id),
        seq bigint not null,
        at timestamptz(3) not null,
        actor text not null,
        actor_user text null,
        action text not null,
        target text not null,
        workspace_id uuid null,
        before text null,
        after text null,
        previous_hash char(64) not null,
        hash char(64) not null,
        primary key (account_id, seq)
      )`);
    // What retention removed: the chain is verified from there on.
    await runner.query(`
      create table audit_anchors (
        account_id uuid primary key references accounts (id),
        seq bigint not null,
        hash char(64) not null
      )`);
    await runner.query(`
      create function refuse_audit_change_1() returns trigger
      language plpgsql as $$
      begin
        if tg_op = 'DELETE' and current_setting('fairlead.audit_retention', true) = 'on' then return old; end if;
        raise exception 'The audit log only grows.' using errcode = '55000';
      end
      $$`);
    await runner.query(`
      create trigger audit_entries_append_only before update or delete on audit_entries
        for each row execute function refuse_audit_change_1()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'audit_anchors',
      'audit_entries',
      'guardrail_assignments',
      'guardrails',
      'provider_credentials',
      'workspace_members',
    ]) {
      await runner.query(`drop table ${table}`);
    }
    await runner.query(`drop function refuse_audit_change_1()`);
    await runner.query(`alter table budgets drop column created_at, drop column updated_at`);
    await runner.query(`drop index workspaces_newest`);
    await runner.query(`drop index workspaces_slug`);
    await runner.query(`alter table workspaces add constraint workspaces_slug unique (account_id, slug)`);
    await runner.query(`
      alter table workspaces drop column description, drop column created_by, drop column updated_at,
        drop column default_text_model, drop column default_image_model, drop column default_provider_sort,
        drop column is_data_discount_logging_enabled, drop column is_observability_broadcast_enabled,
        drop column is_observability_io_logging_enabled, drop column io_logging_sampling_rate,
        drop column io_logging_api_key_ids, drop column include_byok_in_budgets, drop column default_guardrail_id, drop column deleted_at,
        drop column allowed_providers, drop column ignored_providers, drop column deny_data_collection, drop column enforce_zdr`);
    await runner.query(`
      alter table accounts drop column allowed_providers, drop column ignored_providers, drop column deny_data_collection,
        drop column enforce_zdr`);
  }
}
