import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The history of alarms shows deliveries to destinations that are deleted. */
export class KeptDeliveries1796100000000 implements MigrationInterface {
  readonly name = 'KeptDeliveries1796100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table outbox_deliveries drop constraint outbox_deliveries_destination_id_fkey');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('delete from outbox_deliveries where destination_id not in (select id from destinations)');
    await runner.query(
      `alter table outbox_deliveries add constraint outbox_deliveries_destination_id_fkey
       foreign key (destination_id) references destinations (id) on delete cascade`,
    );
  }
}
