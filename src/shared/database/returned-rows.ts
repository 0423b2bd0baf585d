import type {
  EntityManager,
  EntityTarget,
  FindOptionsWhere,
  InsertQueryBuilder,
  ObjectLiteral,
  UpdateQueryBuilder,
} from 'typeorm';

/** Values of a row that an insert and an update accept. */
type Inserted<Row extends ObjectLiteral> = Parameters<InsertQueryBuilder<Row>['values']>[0];
type Updated<Row extends ObjectLiteral> = Parameters<UpdateQueryBuilder<Row>['set']>[0];

/** Inserts a row. @returns it as stored */
export async function insertReturning<Row extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Row>,
  row: NoInfer<Row>,
): Promise<Row> {
  const values = row as Inserted<Row>;
  const insert = manager.createQueryBuilder().insert().into(entity).values(values).returning('*');
  // Otherwise it writes into the given row.
  const inserted = await insert.updateEntity(false).execute();
  return hydrate(manager, entity, (inserted.raw as readonly StoredRow[])[0]!);
}

/** Changes rows. @returns them as they are stored now; none where none were found */
export async function updateReturning<Row extends ObjectLiteral>(
  manager: EntityManager,
  entity: EntityTarget<Row>,
  where: FindOptionsWhere<NoInfer<Row>>,
  values: Partial<NoInfer<Row>>,
): Promise<Row[]> {
  const changes = values as Updated<Row>;
  const update = manager.createQueryBuilder().update(entity).set(changes).where(where).returning('*');
  const updated = await update.execute();
  return (updated.raw as readonly StoredRow[]).map((row) => hydrate(manager, entity, row));
}

type StoredRow = Readonly<Record<string, unknown>>;

/** TypeORM reads back whole entities only for its own `save`: this converts columns to properties in the same way. */
function hydrate<Row extends ObjectLiteral>(manager: EntityManager, entity: EntityTarget<Row>, row: StoredRow): Row {
  const { metadata } = manager.getRepository(entity);
  const { driver } = manager.connection;
  const hydrated = metadata.create() as Row;
  for (const column of metadata.columns)
    column.setEntityValue(hydrated, driver.prepareHydratedValue(row[column.databaseName], column));
  return hydrated;
}
