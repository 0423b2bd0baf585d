import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

/** The engine's modules, in the form of `EmbeddedEngine`. */
export async function loadEngine() {
  const [{ PGlite }, { createPgConfig }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('@electric-sql/pglite/node-postgres'),
  ]);
  return { PGlite, createPgConfig };
}

/** One per worker process, created at its first use. */
let database;
/** The shape of the fresh schema. */
let freshShape;

/** The worker's database without tables. */
export async function emptyDatabase() {
  const pglite = await openTidy();
  await pglite.exec('drop schema if exists public cascade; create schema public');
  return pglite;
}

/** The worker's migrated database: the same schema with its tables emptied, unless a test has changed the schema. */
export async function migratedDatabase() {
  const pglite = await openTidy();
  if (freshShape !== undefined && (await isMigrated(pglite)) && (await shapeOf(pglite)) === freshShape) {
    const tables = await listTables(pglite);
    await pglite.exec(`truncate ${tables.join(', ')} restart identity cascade`);
    return pglite;
  }
  await pglite.exec('drop schema if exists public cascade; create schema public');
  await migrate(pglite);
  for (const table of await listTables(pglite)) {
    const { rows } = await pglite.query(`select from ${table} limit 1`);
    // Emptying would lose the rows for every file but the first.
    if (rows.length > 0) throw new Error(`A migration writes rows into ${table}: emptying must put them back.`);
  }
  freshShape = await shapeOf(pglite);
  return pglite;
}

/** Closes the database, whose timers would keep the process alive for ten seconds. */
export async function closeDatabase() {
  const unused = database;
  database = undefined;
  freshShape = undefined;
  await (await unused)?.close();
}

async function openTidy() {
  database ??= create();
  const pglite = await database;
  // The previous file may have left a transaction open, or changed settings.
  await pglite.exec('rollback');
  await pglite.exec('discard all');
  return pglite;
}

async function create() {
  const [{ PGlite }, cluster] = await Promise.all([loadEngine(), readFile(process.env['FAIRLEAD_TEST_CLUSTER'])]);
  const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'];
  return PGlite.create({ startParams, loadDataDir: new Blob([cluster]) });
}

async function migrate(pglite) {
  const compiled = (path) =>
    pathToFileURL(join(process.env['FAIRLEAD_TEST_SOURCES'], 'src/shared/database', path)).href;
  const [{ openMigrated }, { databaseOptions }, { createPgConfig }] = await Promise.all([
    import(compiled('database.module.js')),
    import(compiled('options.js')),
    loadEngine(),
  ]);
  const handedOver = { connect: () => createPgConfig(pglite).connection, close: async () => undefined };
  const dataSource = await openMigrated(databaseOptions({ databasePool: 1 }, handedOver));
  await dataSource.destroy();
}

async function isMigrated(pglite) {
  const { rows } = await pglite.query(`select to_regclass('public.migrations') is not null as yes`);
  return rows[0].yes;
}

/** All except the list of migrations. */
async function listTables(pglite) {
  const { rows } = await pglite.query(
    `select format('%I', relname) as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'migrations'`,
  );
  return rows.map(({ name }) => name);
}

/** Changes with any migration, table, partition, index, sequence, column, constraint, trigger or function. */
async function shapeOf(pglite) {
  const { rows } = await pglite.query(`
    with relations as (select oid from pg_class where relnamespace = 'public'::regnamespace)
    select md5(string_agg(part, ' ' order by part)) as shape from (
      select format('relation %s', oid) as part from relations
      union all select format('column %s %s %s %s %s', attrelid, attname, atttypid, attnotnull, atthasdef)
        from pg_attribute where attrelid in (select oid from relations)
      union all select format('constraint %s', oid) from pg_constraint where connamespace = 'public'::regnamespace
      union all select format('trigger %s', oid) from pg_trigger where tgrelid in (select oid from relations)
      union all select format('migration %s', name) from public.migrations
      union all select format('function %s %s', oid, xmin) from pg_proc where pronamespace = 'public'::regnamespace
    ) as parts`);
  return rows[0].shape;
}
