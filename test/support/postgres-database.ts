import { randomBytes } from 'node:crypto';
import pg from 'pg';

/**
 * Creates a database on the server, for tests and scripts. `drop` removes it even while clients are connected.
 * @param template name of the database to copy; null: empty
 */
export async function createPostgresDatabase(
  server: string,
  template: string | null = null,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `fairlead_test_${randomBytes(6).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await runOn(server, template === null ? `create database ${name}` : `create database ${name} template ${template}`);
  const drop = `drop database if exists ${name}`;
  return {
    url: url.href,
    // The server itself waits some seconds for closing sessions: terminating them would be logged as errors.
    drop: () => runOn(server, drop).catch(() => runOn(server, `${drop} with (force)`)),
  };
}

async function runOn(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
