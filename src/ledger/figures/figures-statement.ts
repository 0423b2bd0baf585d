import { Parameters } from '../newest-first.js';
import type { Coverage, WidestSpan } from './coverage.js';
import type { Dimension, NamedDimension } from './dimensions.js';
import { OF_FIGURES, OF_GENERATION } from './figure-columns.js';
import type { FigureFilter, FiguresQuery, Operator } from './figures-query.js';
import { METRICS } from './metrics.js';

/*
 * One statement for all figures: what the coverage names is put together as rows `f`, filtered, grouped and ordered.
 */

/** The widest span of figures that can answer a query. */
export function widestSpan({ dimensions, metrics, filters, granularity }: FiguresQuery): WidestSpan {
  const used = [...dimensions, ...filters.flatMap(({ field }) => (typeof field === 'string' ? [] : field))];
  const named = [...metrics, ...filters.flatMap(({ field }) => (typeof field === 'string' ? field : []))];
  if (granularity === 'minute' || used.some(({ dimension }) => dimension.ofFigures === undefined)) return 'none';
  if (named.some((name) => METRICS[name].needsRows)) return 'none';
  return granularity === 'hour' ? 'hour' : 'day';
}

interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

/** Makes one statement: values become parameters in the order in which the text names them. */
class FiguresStatement {
  private readonly parameters = new Parameters();
  private readonly account: string;
  /** Columns of generations that figures do not have, by the name of the dimension. */
  private readonly ownColumns = new Map<string, string>();

  constructor(
    private readonly query: FiguresQuery,
    private readonly coverage: Coverage,
  ) {
    this.account = this.parameters.add(query.accountId);
  }

  print(): Statement {
    const { query } = this;
    const groups = query.dimensions.map((one, index) => `${this.valueOf(one)} AS dimension_${index}`);
    const date = query.granularity === undefined ? [] : [`date_trunc('${query.granularity}', f.at, 'UTC') AS date`];
    const metrics = query.metrics.map((name) => `${METRICS[name].expression} AS ${name}`);
    const by = [...date, ...groups].map((_, index) => String(index + 1));
    const { conditions, having } = this.conditions();
    const top = this.topGroups(conditions);
    const source = this.source();
    const grouped = `SELECT ${[...date, ...groups, ...metrics, 'max(f.provider_name) AS provider_name'].join(', ')}
      FROM f ${top.join}
      WHERE ${conditions.join(' AND ')}
      ${by.length > 0 ? `GROUP BY ${by.join(', ')}` : ''} ${having.length > 0 ? `HAVING ${having.join(' AND ')}` : ''}`;
    const text = `WITH f AS (${source})${top.cte}
      SELECT counted.*${this.names('counted')} FROM (${grouped}) AS counted
      ORDER BY ${this.order()} LIMIT ${query.limit}`;
    return { text, values: this.parameters.values };
  }

  /** The value of a row `f`. What figures do not have is read of the generation, under a name of its own. */
  private valueOf({ name, dimension, argument }: NamedDimension): string {
    if (dimension.ofFigures !== undefined) return dimension.ofFigures;
    if (!this.ownColumns.has(name)) {
      const expression = dimension.ofGeneration!(this.parameters, argument);
      this.ownColumns.set(name, `${expression} AS own_${this.ownColumns.size}`);
    }
    return `f.own_${[...this.ownColumns.keys()].indexOf(name)}`;
  }

  private conditions(): { readonly conditions: string[]; readonly having: string[] } {
    const conditions = [`f.account_id = ${this.account}`];
    const having: string[] = [];
    if (this.query.isAnsweredOnly) conditions.push('f.is_answered');
    for (const filter of this.query.filters) {
      if (typeof filter.field === 'string')
        having.push(this.holds(METRICS[filter.field].expression, filter, 'numeric'));
      else conditions.push(this.fits(filter.field, filter));
    }
    return { conditions, having };
  }

  private fits(field: NamedDimension, filter: FigureFilter): string {
    const value = this.valueOf(field);
    const { readableBy } = field.dimension;
    const fits =
      readableBy && filter.takesNames
        ? this.isNamed(value, readableBy, filter)
        : this.holds(value, filter, field.dimension.isNumber ? 'numeric' : 'text');
    return filter.includesUnset ? `(${fits} OR ${value} IS NULL)` : fits;
  }

  /** By its id or by its name. */
  private isNamed(value: string, { table, id }: NonNullable<Dimension['readableBy']>, filter: FigureFilter): string {
    const values = `${this.parameters.add(filter.values.map(String))}::text[]`;
    const isNegated = filter.operator === 'neq' || filter.operator === 'not_in';
    return `${value} IS NOT NULL AND ${isNegated ? 'NOT ' : ''}(${value} = ANY(${values}) OR ${value} IN (
      SELECT named.${id}::text FROM ${table} named WHERE named.account_id = ${this.account} AND named.name = ANY(${values})))`;
  }

  private holds(value: string, { operator, values }: FigureFilter, type: 'text' | 'numeric'): string {
    const given = `${this.parameters.add(values.map(String))}::text[]::${type}[]`;
    return `coalesce(${COMPARISONS[operator](`(${value})`, given)}, false)`;
  }

  /** Everything that the coverage names, with the columns of figures. */
  private source(): string {
    const { days, hours, rows } = this.coverage;
    const byKey = this.usesKeys();
    const times = (list: readonly number[]): string =>
      `${this.parameters.add(list.map((time) => new Date(time).toISOString()))}::timestamptz[]`;
    const figures = (span: 'day' | 'hour', list: readonly number[]): string =>
      `SELECT f.at, ${OF_FIGURES} FROM generation_figures f
       WHERE f.span = '${span}' AND f.by_key = ${byKey} AND f.at = ANY(${times(list)})`;
    const parts: string[] = [];
    if (days.length > 0) parts.push(figures('day', days));
    if (hours.length > 0) parts.push(figures('hour', hours));
    if (rows.length > 0 || parts.length === 0) {
      const ranges = `unnest(${times(rows.map(({ since }) => since))}, ${times(rows.map(({ until }) => until))}) AS r (since, until)`;
      parts.push(this.ofGenerations(ranges));
      // Of dropped months, for which the generations that are left do not suffice.
      if (this.ownColumns.size === 0)
        parts.push(`SELECT f.at, ${OF_FIGURES} FROM ${ranges} JOIN generation_figures f
          ON f.is_kept AND f.span = 'hour' AND f.by_key = ${byKey} AND f.at >= r.since AND f.at < r.until`);
    }
    return parts.join('\nUNION ALL\n');
  }

  private ofGenerations(ranges: string): string {
    const own = Array.from(this.ownColumns.values(), (column) => `, ${column}`).join('');
    const indexed = this.query.filters.flatMap((filter) => this.indexOf(filter));
    // Kept apart, so that each range is found by an index.
    return `SELECT g.* FROM ${ranges} CROSS JOIN LATERAL (
        SELECT g.held_at AS at, ${OF_GENERATION}${own} FROM generations g
        WHERE ${[`g.account_id = ${this.account}`, 'g.held_at >= r.since AND g.held_at < r.until', ...indexed].join(' AND ')}
        OFFSET 0
      ) AS g`;
  }

  private indexOf({ field, operator, values, includesUnset, takesNames }: FigureFilter): readonly string[] {
    if (typeof field === 'string' || operator !== 'eq' || includesUnset || !field.dimension.index) return [];
    if (takesNames && field.dimension.readableBy) return [];
    return [field.dimension.index(this.parameters.add(String(values[0])))];
  }

  private usesKeys(): boolean {
    const { dimensions, filters } = this.query;
    const used = [...dimensions, ...filters.flatMap(({ field }) => (typeof field === 'string' ? [] : field))];
    return used.some(({ dimension }) => dimension.isOfKey === true);
  }

  /** The groups that come first by the first metric, where their number is limited. */
  private topGroups(conditions: readonly string[]): { readonly cte: string; readonly join: string } {
    const { groupLimit, dimensions, metrics } = this.query;
    if (groupLimit === undefined || dimensions.length === 0) return { cte: '', join: '' };
    const groups = dimensions.map((one, index) => `${this.valueOf(one)} AS dimension_${index}`).join(', ');
    const by = dimensions.map((_, index) => String(index + 1)).join(', ');
    const same = dimensions.map((one, index) => `top.dimension_${index} IS NOT DISTINCT FROM ${this.valueOf(one)}`);
    return {
      cte: `, top AS (SELECT ${groups} FROM f WHERE ${conditions.join(' AND ')} GROUP BY ${by}
        ORDER BY ${METRICS[metrics[0]!].expression} DESC NULLS LAST, ${by} LIMIT ${groupLimit})`,
      join: `JOIN top ON ${same.join(' AND ')}`,
    };
  }

  /** What readers call the values, as `name_<n>`: also of deleted keys and workspaces. */
  private names(rows: string): string {
    return this.query.dimensions
      .map(({ dimension: { readableBy } }, index) =>
        readableBy === undefined
          ? ''
          : `, (SELECT named.name FROM ${readableBy.table} named
              WHERE named.${readableBy.id}::text = ${rows}.dimension_${index} AND named.account_id = ${this.account}) AS name_${index}`,
      )
      .join('');
  }

  private order(): string {
    const { order, dimensions, granularity } = this.query;
    const columnOf = (field: string): string => {
      const index = dimensions.findIndex(({ name }) => name === field);
      return index < 0 ? field : `dimension_${index}`;
    };
    const named = order.map(
      ({ field, isDescending }) => `${columnOf(field)} ${isDescending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST'}`,
    );
    // Then by everything else, so that the order is the same each time.
    const rest = [
      ...(granularity === undefined ? [] : ['date']),
      ...dimensions.map((_, index) => `dimension_${index}`),
    ];
    return [...named, ...rest, 'provider_name'].join(', ');
  }
}

const COMPARISONS: Readonly<Record<Operator, (value: string, given: string) => string>> = {
  eq: (value, given) => `${value} = ANY(${given})`,
  neq: (value, given) => `${value} <> ALL(${given})`,
  in: (value, given) => `${value} = ANY(${given})`,
  not_in: (value, given) => `${value} <> ALL(${given})`,
  gt: (value, given) => `${value} > ALL(${given})`,
  gte: (value, given) => `${value} >= ALL(${given})`,
  lt: (value, given) => `${value} < ALL(${given})`,
  lte: (value, given) => `${value} <= ALL(${given})`,
};

/** The statement that answers a query from what covers its range. */
export const figuresStatement = (query: FiguresQuery, coverage: Coverage): Statement =>
  new FiguresStatement(query, coverage).print();
