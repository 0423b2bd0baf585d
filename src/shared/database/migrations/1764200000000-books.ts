import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The books: holds, generations, ledger entries, credits, budgets, price versions, and the replicas that write them. */
export class Books1764200000000 implements MigrationInterface {
  readonly name = 'Books1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    // Spending through the caller's own credentials stands in the same row as spending of credits: a cap may count both, and is
    // asked for both at once.
    await runner.query(`delete from spending_windows where scope = 'key_byok'`);
    await runner.query(`
      alter table spending_windows
        add column byok_used numeric(38,12) not null default 0,
        add column byok_held numeric(38,12) not null default 0`);
    await runner.query(`alter table accounts add column purchased_usd numeric(38,12) not null default 0`);

    // Start of the UTC window that holds a time. Weeks begin on Monday, as date_trunc has it.
    await runner.query(`
      create function window_start_of(window_interval text, at timestamptz) returns timestamptz
      language sql stable parallel safe as $$
        select case window_interval
          when 'daily' then date_trunc('day', at, 'UTC')
          when 'weekly' then date_trunc('week', at, 'UTC')
          when 'monthly' then date_trunc('month', at, 'UTC')
          else 'epoch'::timestamptz
        end
      $$`);

    // Caps of workspaces and guardrails. Keys have theirs in api_keys, the account in its counter.
    await runner.query(`
      create table budgets (
        account_id uuid not null references accounts (id),
        scope text not null,
        scope_id text not null,
        interval text not null check (interval in ('daily', 'weekly', 'monthly', 'lifetime')),
        limit_usd numeric(38,12) not null,
        include_byok boolean not null default false,
        primary key (scope, scope_id, interval)
      )`);

    // Credits that came in. Their sum is the limit of the account's counter.
    await runner.query(`
      create table credit_grants (
        id uuid primary key,
        account_id uuid not null references accounts (id),
        kind text not null check (kind in ('grant', 'purchase', 'adjustment')),
        amount numeric(38,12) not null,
        note text null,
        idempotency_key text null,
        created_at timestamptz(3) not null,
        constraint credit_grants_once unique (account_id, idempotency_key)
      )`);
    await runner.query(`
      insert into credit_grants (id, account_id, kind, amount, note, created_at)
      select gen_random_uuid(), w.account_id, 'grant', w."limit", 'Credits from before the books', a.created_at
      from spending_windows w join accounts a on a.id = w.account_id
      where w.scope = 'account' and w."limit" <> 0`);

    // Processes that write the books. One whose heartbeat has stopped is dead: others finish what it held.
    await runner.query(`
      create table replicas (
        id uuid primary key,
        heartbeat_at timestamptz(3) not null
      )`);

    // What is reserved for calls under way. Taken with the bound; settled when cost is set; gone when the counters were moved. Small,
    // and rewritten all the time. No index beside the key, so that settling stays on the row's own page.
    await runner.query(`
      create table holds (
        generation_id text primary key,
        held_at timestamptz(3) not null,
        replica uuid null,
        account_id uuid not null,
        workspace_id uuid not null,
        key_hash text not null,
        key_interval text not null,
        budgets jsonb null,
        bound numeric(38,12) not null,
        byok_bound numeric(38,12) not null,
        model text null,
        observed jsonb null,
        cost numeric(38,12) null,
        byok_cost numeric(38,12) null
      ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`);

    // One row for each request that was let through to a provider. Never content.
    await runner.query(`
      create table generations (
        id text not null,
        held_at timestamptz(3) not null,
        settled_at timestamptz(3) not null,
        account_id uuid not null,
        workspace_id uuid not null,
        key_hash text not null,
        key_user text null,
        api_type text not null,
        requested_model text not null,
        model text null,
        provider text null,
        provider_name text null,
        endpoint text null,
        upstream_id text null,
        service_tier text null,
        credential text null,
        is_byok boolean not null,
        streamed boolean not null,
        outcome text not null,
        finish_reason text null,
        native_finish_reason text null,
        prompt_tokens bigint not null,
        completion_tokens bigint not null,
        reasoning_tokens bigint not null,
        cache_read_tokens bigint not null,
        cache_write_tokens bigint not null,
        cache_write_1h_tokens bigint not null,
        images integer not null,
        web_searches integer not null,
        web_fetches integer not null,
        bound numeric(38,12) not null,
        cost numeric(38,12) not null,
        byok_cost numeric(38,12) not null,
        prompt_cost numeric(38,12) not null,
        completion_cost numeric(38,12) not null,
        tools_cost numeric(38,12) not null,
        operator_cost numeric(38,12) not null,
        price_version text null,
        is_estimated boolean not null,
        is_over_bound boolean not null,
        is_recovered boolean not null,
        is_corrected boolean not null,
        latency_ms integer null,
        generation_ms integer null,
        session_id text null,
        end_user text null,
        trace jsonb null,
        attempts jsonb not null,
        primary key (id, held_at)
      ) partition by range (held_at)`);
    await runner.query(`create index generations_newest on generations (account_id, held_at desc)`);

    // What was charged. A generation has one charge, and one correction where a settlement met a recovery.
    await runner.query(`
      create table ledger_entries (
        held_at timestamptz(3) not null,
        generation_id text not null,
        kind text not null check (kind in ('charge', 'correction')),
        account_id uuid not null,
        workspace_id uuid not null,
        key_hash text not null,
        budgets jsonb null,
        amount numeric(38,12) not null,
        byok_amount numeric(38,12) not null,
        entered_at timestamptz(3) not null,
        primary key (generation_id, held_at, kind)
      ) partition by range (held_at)`);

    // What a dropped month of entries came to, one row for each lifetime counter.
    await runner.query(`
      create table ledger_closings (
        month timestamptz(3) not null,
        account_id uuid not null,
        scope text not null,
        scope_id text not null,
        amount numeric(38,12) not null,
        byok_amount numeric(38,12) not null,
        entries bigint not null,
        primary key (month, scope, scope_id)
      )`);

    // The price book: a list of prices is kept from its first use on and never changed.
    await runner.query(`
      create table price_versions (
        id text primary key,
        pricing jsonb not null,
        effective_from timestamptz(3) not null
      )`);

    // Makes the partitions of a time's month. Safe to call at once from anywhere: attaching locks out no reader or writer.
    await runner.query(`
      create function ensure_month_1(at timestamptz) returns void
      language plpgsql as $$
      declare
        first timestamptz := date_trunc('month', at, 'UTC');
        next timestamptz := date_trunc('month', first + interval '32 days', 'UTC');
        suffix text := to_char(first at time zone 'UTC', '_YYYY_MM');
        parent text;
      begin
        perform pg_advisory_xact_lock(4721003);
        foreach parent in array array['generations', 'ledger_entries'] loop
          if to_regclass(parent || suffix) is null then
            execute format('create table %I (like %I including all)', parent || suffix, parent);
            execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, parent || suffix, first, next);
          end if;
        end loop;
      end
      $$`);
    await runner.query(`select ensure_month_1(now() + month * interval '1 month') from generate_series(0, 2) as month`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function ensure_month_1(timestamptz)`);
    for (const table of [
      'price_versions',
      'ledger_closings',
      'ledger_entries',
      'generations',
      'holds',
      'replicas',
      'credit_grants',
      'budgets',
    ]) {
      await runner.query(`drop table ${table}`);
    }
    await runner.query(`drop function window_start_of(text, timestamptz)`);
    await runner.query(`alter table accounts drop column purchased_usd`);
    await runner.query(`alter table spending_windows drop column byok_used, drop column byok_held`);
  }
}
