import type { QueryRunner } from 'typeorm';

/** A table of the store, as named in statements. */
export interface StoreTable {
  readonly name: string;
  /** Quoted where necessary. */
  readonly quoted: string;
  /** The stored columns of each row, quoted; without computed ones. */
  readonly columns: readonly string[];
}

interface CatalogRow extends StoreTable {
  /** Names of the tables that its rows refer to. */
  readonly needs: readonly string[];
}

/**
 * Every table of the store except the list of its migrations and unlogged tables, in an order in which each refers only
 * to those before it.
 */
export async function listTables(runner: QueryRunner): Promise<readonly StoreTable[]> {
  let rest = (await runner.query(`
    select c.relname as name, quote_ident(c.relname) as quoted,
      (select json_agg(quote_ident(a.attname) order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      (select coalesce(json_agg(distinct target.relname), '[]') from pg_constraint f
        join pg_class target on target.oid = f.confrelid
        where f.conrelid = c.oid and f.contype = 'f') as needs
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relpersistence = 'p' and c.relname <> 'migrations'
    order by c.relname`)) as CatalogRow[];

  const ordered: StoreTable[] = [];
  const done = new Set<string>();
  while (rest.length > 0) {
    const ready = rest.filter(({ needs }) => needs.every((name) => done.has(name)));
    if (ready.length === 0) throw new Error(`Tables refer to one another in a circle: ${rest.map(nameOf).join(', ')}`);
    for (const { name, quoted, columns } of ready) {
      ordered.push({ name, quoted, columns });
      done.add(name);
    }
    rest = rest.filter(({ name }) => !done.has(name));
  }
  return ordered;
}

/** Starts of the months that have partitions, ISO 8601. */
export async function listMonths(runner: QueryRunner): Promise<readonly string[]> {
  // A bound has the form FOR VALUES FROM ('2026-01-01 00:00:00+00') TO ('…').
  const rows = (await runner.query(`
    select distinct to_char(bound::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as month
    from pg_class c, nullif(split_part(pg_get_expr(c.relpartbound, c.oid), '''', 2), '') as bound
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relispartition and bound is not null
    order by 1`)) as { readonly month: string }[];
  return rows.map(({ month }) => month);
}

/** The number of rows of each, in their order. */
export async function countRows(runner: QueryRunner, tables: readonly StoreTable[]): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const { quoted } of tables) {
    const [row] = (await runner.query(`select count(*) as rows from ${quoted}`)) as { readonly rows: string }[];
    counts.push(Number(row?.rows));
  }
  return counts;
}

const nameOf = ({ name }: StoreTable): string => name;
