import type { EntityManager, EntityTarget, FindOptionsWhere, ObjectLiteral } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';

/** Inserts a row. @returns it as it is stored */
export async function insertReturning<Row extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Row>,
  row: NoInfer<Row>,
): Promise<Row> {
  const values = row as QueryDeepPartialEntity<Row>;
  const insert = manager.createQueryBuilder().insert().into(entity).values(values).returning('*');
  // Else it writes into the row that it was given.
  const inserted = await insert.updateEntity(false).execute();
  return hydrate(manager, entity, (inserted.raw as readonly StoredRow[])[0]!);
}

/** Changes rows. @returns them as they are stored since; none where none were found */
export async function updateReturning<Row extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Row>,
  where: FindOptionsWhere<NoInfer<Row>>,
  values: Partial<NoInfer<Row>>,
): Promise<Row[]> {
  const changes = values as QueryDeepPartialEntity<Row>;
  const update = manager.createQueryBuilder().update(entity).set(changes).where(where).returning('*');
  const updated = await update.execute();
  return (updated.raw as readonly StoredRow[]).map((row) => hydrate(manager, entity, row));
}

type StoredRow = Readonly<Record<string, unknown>>;

/**
 * TypeORM reads back whole entities only of what it saved by itself: columns become properties here as they do there.
 */
function hydrate<Row extends ObjectLiteral>(manager: EntityManager, entity: EntityTarget<Row>, row: StoredRow): Row {
  const { metadata } = manager.getRepository(entity);
  const { driver } = manager.connection;
  const hydrated = metadata.create() as Row;
  for (const column of metadata.columns)
    column.setEntityValue(hydrated, driver.prepareHydratedValue(row[column.databaseName], column));
  return hydrated;
}
