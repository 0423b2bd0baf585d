import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Alarms, and what they have reported. */
export class Alarms1796020100000 implements MigrationInterface {
  readonly name = 'Alarms1796020100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/alarms.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index generations_operator_cost');
    await runner.query('drop table alarm_sightings');
    await runner.query('drop table alarm_firings');
    await runner.query('drop table alarm_destinations');
    await runner.query('drop table alarms');
  }
}
