import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why each request went where it went. */
export class RouteDecisions1764100000000 implements MigrationInterface {
  readonly name = 'RouteDecisions1764100000000';

  async up(runner: QueryRunner): Promise<void> {
    // A decision is a JSON text of at most 1 KB that is read back as it was written, hence text. It holds no content.
    await runner.query(`
      create table route_decisions (
        generation_id text primary key,
        held_at timestamptz(3) not null,
        account_id uuid not null,
        workspace_id uuid not null,
        decision text not null check (octet_length(decision) <= 1024)
      )`);
    await runner.query(`create index route_decisions_oldest on route_decisions (held_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table route_decisions`);
  }
}
