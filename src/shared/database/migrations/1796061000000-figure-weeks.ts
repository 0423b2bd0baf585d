import type { MigrationInterface, QueryRunner } from 'typeorm';
import { readSql } from '../sql-file.js';

/** Figures of weeks, and by member without keys. */
export class FigureWeeks1796061000000 implements MigrationInterface {
  readonly name = 'FigureWeeks1796061000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(readSql('shared/database/migrations/tables/figure-weeks.sql'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      delete from generation_figures where not is_kept or detail = 'member';
      delete from figure_changes;
      update figure_progress set rolled_until = null;
      alter table generation_figures add column by_key boolean not null default false;
      update generation_figures set by_key = (detail = 'key');
      alter table generation_figures alter column by_key drop default;
      alter table generation_figures drop column detail;
      alter table generation_figures drop constraint generation_figures_span_check;
      alter table generation_figures add constraint generation_figures_span_check check (span in ('hour', 'day'));
      create index generation_figures_at on generation_figures (at, span, by_key, account_id);
      create index generation_figures_models on generation_figures (account_id, model) where span = 'day' and not by_key;
      create index generation_figures_providers on generation_figures (account_id, provider) where span = 'day' and not by_key;
      create index generation_figures_endpoints on generation_figures (account_id, endpoint) where span = 'day' and not by_key`);
  }
}
