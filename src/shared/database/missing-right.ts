import type { DataSource } from 'typeorm';
import { StoreRefused } from './store-refused.js';
import { systemCode } from './system-code.js';

/** SQLSTATE: insufficient privilege. */
const NO_RIGHT = '42501';
/** SQLSTATE: the role may use none of the schemas of its search path. */
const NO_SCHEMA = '3F000';
/** SQLSTATE: a standby, or a role whose transactions are read-only by default. */
const READ_ONLY = '25006';

/** The object of a refusal in PostgreSQL's messages: `permission denied for table keys`. */
const DENIED = /permission denied for (schema|database) "?([^"]+)"?$/;
/** The schema of a database that names no other. */
const SCHEMA_DEFAULT = 'public';

/** All names are quoted where SQL needs it. */
interface MigratingRole {
  readonly role: string;
  readonly schema: string;
  /** The owner of the store's tables, where that is a role that this one is not a member of. */
  readonly owner: string | null;
  /** Whether the schema lets the owner, or without one the role, make tables in it; null: there is no such schema. */
  readonly isOpen: boolean | null;
}

/** Where the role may use no schema, the first one of its search path is reported as missing. */
const FIND_ROLE = `
  select quote_ident(current_user) as role, quote_ident(place.name) as schema, quote_ident(owner.name) as owner, (
    select has_schema_privilege(coalesce(owner.name, current_user), schemas.oid, 'USAGE')
      and has_schema_privilege(coalesce(owner.name, current_user), schemas.oid, 'CREATE')
    from pg_namespace schemas where schemas.nspname = place.name
  ) as "isOpen"
  from (
    select coalesce(
      current_schema(),
      trim('" ' from split_part(replace(current_setting('search_path'), '"$user", ', ''), ',', 1))
    ) as name
  ) place left join lateral (
    select pg_get_userbyid(tables.relowner) as name
    from pg_class tables join pg_namespace schemas on schemas.oid = tables.relnamespace
    where tables.relname = 'migrations' and tables.relkind = 'r' and schemas.nspname = place.name
      and not pg_has_role(current_user, tables.relowner, 'USAGE')
  ) owner on true`;

/**
 * Error to report for a migration that failed: where the role lacks rights, one line with all statements that give
 * them.
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
  const { role, schema, owner, isOpen } = found;
  const statements = [
    ...(isOpen === null ? [`CREATE SCHEMA ${schema} AUTHORIZATION ${role}`] : []),
    ...(isOpen === false || (isOpen && owner === null) ? [`GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}`] : []),
    ...(owner === null ? [] : [`GRANT ${owner} TO ${role}`]),
  ];
  return new StoreRefused(
    `The role ${role} of DATABASE_URL may not migrate the database (${messageOf(error)}). Run as an administrator of it: ${printed(statements)}`,
  );
}

/**
 * Message for another statement that the database refused for lack of a right. It lists all rights that the gateway
 * needs, because the error names only one: the next start then reports no other.
 * @param url `DATABASE_URL`; undefined: the database is embedded
 * @returns undefined where rights are not the cause
 */
export function missingRightMessage(error: unknown, url: string | undefined): string | undefined {
  if (url === undefined || systemCode(error) !== NO_RIGHT) return undefined;
  const role = `"${decodeURIComponent(new URL(url).username) || 'its role'}"`;
  const [, kind, name] = DENIED.exec(messageOf(error)) ?? [];
  const schema = kind === 'schema' ? name! : SCHEMA_DEFAULT;
  const statements = [
    ...(kind === 'database' ? [`GRANT CONNECT ON DATABASE ${name} TO ${role}`] : []),
    `GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
    `GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`,
    `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${role}`,
  ];
  return `The role of DATABASE_URL lacks a right (${messageOf(error)}). Run as an administrator of the database: ${printed(statements)}`;
}

const printed = (statements: readonly string[]): string => `${statements.join('; ')};`;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
