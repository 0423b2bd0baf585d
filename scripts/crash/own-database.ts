import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A database of this run's own on the server. `drop` removes it, whoever is connected. */
export async function createOwnDatabase(server: string): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const name = `fairlead_crash_${randomBytes(6).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await runOn(server, `create database ${name}`);
  return { url: url.href, drop: () => runOn(server, `drop database if exists ${name} with (force)`) };
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
