import process from 'node:process';
import { runOnPostgres } from './run-on-postgres.mjs';
import { closeDatabase } from './worker-database.mjs';

/** Once per run: removes the databases that `global-setup.mjs` made on the server. */
export default async function tearDown() {
  const { postgres, template } = JSON.parse(process.env['FAIRLEAD_TEST_SERVICES']);
  if (template !== null) await runOnPostgres(postgres, `drop database if exists ${template}`);
  // A single file runs in this very process.
  await closeDatabase();
}
