// Databases for measurements, each made for one run and dropped after it.
import { createRequire } from 'node:module';

// The gateway's own driver: the bench has none.
const pg = createRequire(new URL('../package.json', import.meta.url))('pg');

const LOCAL_SERVER = 'postgres://postgres@127.0.0.1:5432/postgres';
const CONNECT_MS_MAX = 2_000;

async function runOn(url, statement) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS_MAX });
  // A connection that fails half-way may also emit its error here.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The server at `DATABASE_URL`, else the local one where it answers. With `BENCH_EMBEDDED` there is none. */
export async function findServer() {
  if (process.env.BENCH_EMBEDDED) return undefined;
  if (process.env.DATABASE_URL) return process.env.DATABASE_URL;
  try {
    await runOn(LOCAL_SERVER, 'select 1');
    return LOCAL_SERVER;
  } catch {
    return undefined;
  }
}

/**
 * A separate database on that server.
 * @returns its address, and a function that drops it with all of its connections. Without a server there is no address,
 * and the gateway uses its embedded database
 */
export async function makeDatabase(server, name) {
  if (server === undefined) return { url: undefined, drop: async () => undefined };
  await runOn(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => runOn(server, `drop database if exists ${name} with (force)`) };
}
