import process from 'node:process';
import { Redis } from 'ioredis';
import pg from 'pg';

const PROBE_MS_MAX = 2_000;
const LOCAL_POSTGRES = 'postgres://postgres@127.0.0.1:5432/postgres';
const LOCAL_REDIS = 'redis://127.0.0.1:6379';

/**
 * Searches once per run for a PostgreSQL server that allows creating databases, and for a Redis. Test files read the
 * result as `__SERVICES__`. Only this decides whether a suite runs: a server that answers is used, so a suite is
 * skipped only where none does. A given address that does not answer fails the run.
 */
export async function findServices() {
  const [postgres, redis] = await Promise.all([
    find('DATABASE_URL', LOCAL_POSTGRES, probePostgres),
    find('REDIS_URL', LOCAL_REDIS, probeRedis),
  ]);
  return { postgres, redis };
}

async function find(variable, local, probe) {
  const given = process.env[variable];
  try {
    await probe(given || local);
    return given || local;
  } catch (error) {
    if (given) {
      throw new Error(`${variable} is set, but tests cannot use it: ${error.message || error.code}`, { cause: error });
    }
    return null;
  }
}

async function probePostgres(url) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PROBE_MS_MAX });
  // A connection that fails half-way may also raise its error here.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query(
      'select rolcreatedb or rolsuper as may_create from pg_roles where rolname = current_user',
    );
    if (rows[0]?.may_create !== true) throw new Error('its user may not create databases');
  } finally {
    await client.end();
  }
}

async function probeRedis(url) {
  const client = new Redis(url, { lazyConnect: true, connectTimeout: PROBE_MS_MAX, retryStrategy: null });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.ping();
  } finally {
    client.disconnect();
  }
}
