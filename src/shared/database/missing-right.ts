import type { DataSource } from 'typeorm';
import { StoreRefused } from './store-refused.js';
import { systemCode } from './system-code.js';

/** Of SQLSTATE: insufficient privilege. */
const NO_RIGHT = '42501';
/** Of SQLSTATE: the role may use none of the schemas of its search path. */
const NO_SCHEMA = '3F000';
/** Of SQLSTATE: a standby, or a role whose transactions are read-only by default. */
const READ_ONLY = '25006';

/** How PostgreSQL names the object of a refusal: `permission denied for table keys`. */
const DENIED = /permission denied for (table|sequence|function|schema|database) "?([^"]+)"?$/;
const RIGHTS: Readonly<Record<string, string>> = {
  table: 'SELECT, INSERT, UPDATE, DELETE',
  sequence: 'USAGE, SELECT',
  function: 'EXECUTE',
  schema: 'USAGE, CREATE',
  database: 'CONNECT',
};

/** All names are quoted where SQL needs it. */
interface MigratingRole {
  readonly role: string;
  readonly schema: string;
  /** Who owns the tables of the store, where that is a role that this one has no part in. */
  readonly owner: string | null;
}

/** Where the role may use no schema, the first that its search path names is the one that it lacks. */
const FIND_ROLE = `
  select quote_ident(current_user) as role, quote_ident(place.name) as schema, (
    select quote_ident(pg_get_userbyid(tables.relowner))
    from pg_class tables join pg_namespace schemas on schemas.oid = tables.relnamespace
    where tables.relname = 'migrations' and tables.relkind = 'r' and schemas.nspname = place.name
      and not pg_has_role(current_user, tables.relowner, 'USAGE')
  ) as owner
  from (
    select coalesce(
      current_schema(),
      trim('" ' from split_part(replace(current_setting('search_path'), '"$user", ', ''), ',', 1))
    ) as name
  ) place`;

/**
 * What to report of a migration that failed: where the role lacks a right, one line with the GRANT that gives it.
 * @param dataSource knows the role; it must still be open
 * @returns the error itself where rights are not its cause
 */
export async function asRefusedMigration(error: unknown, dataSource: DataSource): Promise<unknown> {
  const code = systemCode(error);
  if (code === READ_ONLY) {
    return new StoreRefused(
      `DATABASE_URL names a server or role that is read-only (${messageOf(error)}): name the primary server, and a role that may write.`,
    );
  }
  if (code !== NO_RIGHT && code !== NO_SCHEMA) return error;
  const [found] = await dataSource.query<MigratingRole[]>(FIND_ROLE).catch(() => []);
  if (!found) return error;
  const { role, schema, owner } = found;
  const grant = owner === null ? `GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}` : `GRANT ${owner} TO ${role}`;
  return new StoreRefused(
    `The role ${role} of DATABASE_URL may not migrate the database (${messageOf(error)}). Run as an administrator of it: ${grant};`,
  );
}

/**
 * What to report of another statement that was refused for want of a right.
 * @param url as `DATABASE_URL` has it; undefined: the database is embedded
 * @returns undefined where rights are not the cause
 */
export function missingRightMessage(error: unknown, url: string | undefined): string | undefined {
  if (url === undefined || systemCode(error) !== NO_RIGHT) return undefined;
  const role = decodeURIComponent(new URL(url).username) || 'its role';
  const [, kind = '', name = ''] = DENIED.exec(messageOf(error)) ?? [];
  const rights = RIGHTS[kind];
  const grant =
    rights === undefined
      ? `GRANT ALL ON ALL TABLES IN SCHEMA public TO "${role}"`
      : `GRANT ${rights} ON ${kind.toUpperCase()} ${name} TO "${role}"`;
  return `The role of DATABASE_URL lacks a right (${messageOf(error)}). Run as an administrator of the database: ${grant};`;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
