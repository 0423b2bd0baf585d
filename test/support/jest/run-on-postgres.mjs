import pg from 'pg';

/** Runs one statement on a separate connection. */
export async function runOnPostgres(server, statement) {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
