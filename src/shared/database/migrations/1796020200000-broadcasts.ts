import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Settled generations for destinations. */
export class Broadcasts1796020200000 implements MigrationInterface {
  readonly name = 'Broadcasts1796020200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('ledger/sql/queue_broadcasts_1.sql'));
    await runner.query(readSql('shared/database/migrations/tables/broadcasts.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger holds_queue_broadcasts on holds');
    await runner.query('drop function queue_broadcasts_1');
    await runner.query('drop table broadcast_queue');
  }
}
