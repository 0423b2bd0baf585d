import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** The number of web search results and the engine of a generation. Unknown for earlier ones. */
export class WebSearches1795475000000 implements MigrationInterface {
  readonly name = 'WebSearches1795475000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/web-searches.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table generations drop column web_search_results, drop column web_search_engine');
  }
}
