import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** State that service-side tools keep between two requests. */
export class ToolContainers1795460000000 implements MigrationInterface {
  readonly name = 'ToolContainers1795460000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/tool-containers.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table tool_container_pieces, tool_containers');
  }
}
