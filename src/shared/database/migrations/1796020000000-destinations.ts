import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Destinations of events, and the outbox that sends to them. */
export class Destinations1796020000000 implements MigrationInterface {
  readonly name = 'Destinations1796020000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/destinations.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table outbox_deliveries');
    await runner.query('drop table outbox_events');
    await runner.query('drop table destinations');
  }
}
