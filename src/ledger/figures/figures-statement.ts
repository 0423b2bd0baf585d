import { Parameters } from '../keyset-lists.js';
import type { Coverage, WidestSpan } from './coverage.js';
import type { Dimension, NamedDimension } from './dimensions.js';
import { DETAILS, OF_FIGURES, OF_GENERATION, type Detail } from './figure-columns.js';
import type { FigureFilter, FiguresQuery, Granularity, Operator } from './figures-query.js';
import { METRICS } from './metrics.js';

/*
 * One statement for all figures: the sources that the coverage names are joined as rows `f`, filtered, grouped and
 * ordered.
 */

/** The widest span of figures that can answer a query. */
export function widestSpan({ dimensions, metrics, filters, granularity }: FiguresQuery): WidestSpan {
  const used = [...dimensions, ...filters.flatMap(({ field }) => (typeof field === 'string' ? [] : field))];
  const named = [...metrics, ...filters.flatMap(({ field }) => (typeof field === 'string' ? field : []))];
  if (granularity === 'minute' || used.some(({ dimension }) => dimension.ofFigures === undefined)) return 'none';
  if (named.some((name) => METRICS[name].needsRows)) return 'none';
  if (granularity === undefined || granularity === 'week') return 'week';
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
    const { date, groups } = this.groups();
    const metrics = query.metrics.map((name) => `${METRICS[name].expression} AS ${name}`);
    const by = [...date, ...groups].map((_, index) => String(index + 1));
    const { conditions, having } = this.conditions();
    const top = this.topGroups(conditions);
    const source = this.source();
    const names = this.names();
    const grouped = `SELECT ${[...date, ...groups, ...metrics, 'max(f.provider_name) AS provider_name'].join(', ')}
      FROM f ${top.join}
      WHERE ${conditions.join(' AND ')}
      ${by.length > 0 ? `GROUP BY ${by.join(', ')}` : ''} ${having.length > 0 ? `HAVING ${having.join(' AND ')}` : ''}`;
    const text = `WITH f AS (${source})${top.cte}
      SELECT counted.*${names.columns} FROM (${grouped}) AS counted${names.joins}
      ORDER BY ${this.order()} LIMIT ${query.limit}`;
    return { text, values: this.parameters.values };
  }

  printCount(): Statement {
    const { date, groups } = this.groups();
    const { conditions, having } = this.conditions();
    const source = this.source();
    const text = `WITH f AS (${source})
      SELECT count(*)::int AS rows FROM (
        SELECT ${[...date, ...groups].join(', ')} FROM f WHERE ${conditions.join(' AND ')}
        GROUP BY ${[...date, ...groups].map((_, index) => String(index + 1)).join(', ')}
        ${having.length > 0 ? `HAVING ${having.join(' AND ')}` : ''} LIMIT ${this.query.limit}
      ) AS counted`;
    return { text, values: this.parameters.values };
  }

  private groups(): { readonly date: readonly string[]; readonly groups: readonly string[] } {
    const { dimensions, granularity } = this.query;
    return {
      date: granularity === undefined ? [] : ['f.date'],
      groups: dimensions.map((dimension, index) => `${this.valueOf(dimension)} AS dimension_${index}`),
    };
  }

  /** The value of a row `f`. A column that figures lack is read from the generation under a separate name. */
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

  /** Whether the value is one of the filter's, given as ids or names. */
  private isNamed(value: string, { table, id }: NonNullable<Dimension['readableBy']>, filter: FigureFilter): string {
    const values = `${this.parameters.add(filter.values.map(String))}::text[]`;
    const isNegated = filter.operator === 'neq' || filter.operator === 'not_in';
    return `${value} IS NOT NULL AND ${isNegated ? 'NOT ' : ''}(${value} = ANY(${values}) OR ${value} IN (
      SELECT named.${id}::text FROM ${table} named WHERE named.account_id = ${this.account} AND named.name = ANY(${values})))`;
  }

  private holds(value: string, { operator, values }: FigureFilter, type: 'text' | 'numeric'): string {
    const compared = `${this.parameters.add(values.map(String))}::text[]::${type}[]`;
    return `coalesce(${COMPARISONS[operator](`(${value})`, compared)}, false)`;
  }

  /** Everything that the coverage names, with the columns of figures. */
  private source(): string {
    const { weeks, days, hours, rows } = this.coverage;
    const detail = this.detail();
    const times = (list: readonly number[]): string =>
      `${this.parameters.add(list.map((time) => new Date(time).toISOString()))}::timestamptz[]`;
    const figures = (span: 'week' | 'day' | 'hour', list: readonly number[]): string => {
      const indexed = this.query.filters.flatMap((filter) => this.indexOf(filter, 'f'));
      const conditions = [`f.span = '${span}'`, `f.detail = '${detail}'`, `f.at = ANY(${times(list)})`, ...indexed];
      return `SELECT ${this.dateOf('f.at', span)}${OF_FIGURES} FROM generation_figures f WHERE ${conditions.join(' AND ')}`;
    };
    const parts: string[] = [];
    if (weeks.length > 0) parts.push(figures('week', weeks));
    if (days.length > 0) parts.push(figures('day', days));
    if (hours.length > 0) parts.push(figures('hour', hours));
    if (rows.length > 0 || parts.length === 0) {
      const ranges = `unnest(${times(rows.map(({ since }) => since))}, ${times(rows.map(({ until }) => until))}) AS r (since, until)`;
      parts.push(this.ofGenerations(ranges));
      // Figures of dropped months, whose generations no longer exist.
      if (this.ownColumns.size === 0)
        parts.push(`SELECT ${this.dateOf('f.at', 'hour')}${OF_FIGURES} FROM ${ranges} JOIN generation_figures f
          ON f.is_kept AND f.span = 'hour' AND f.detail = '${detail}' AND f.at >= r.since AND f.at < r.until`);
    }
    return parts.join('\nUNION ALL\n');
  }

  /** The first column, where rows are by dates. @param span the span that begins at this time */
  private dateOf(at: string, span?: Granularity): string {
    const { granularity } = this.query;
    if (granularity === undefined) return '';
    // Truncating costs more than reading the row.
    return `${granularity === span ? at : `date_trunc('${granularity}', ${at}, 'UTC')`} AS date, `;
  }

  private ofGenerations(ranges: string): string {
    const own = Array.from(this.ownColumns.values(), (column) => `, ${column}`).join('');
    const indexed = this.query.filters.flatMap((filter) => this.indexOf(filter, 'g'));
    // `OFFSET 0` keeps the subquery separate, so that each range is read by an index.
    return `SELECT g.* FROM ${ranges} CROSS JOIN LATERAL (
        SELECT ${this.dateOf('g.held_at')}${OF_GENERATION}${own} FROM generations g
        WHERE ${[`g.account_id = ${this.account}`, 'g.held_at >= r.since AND g.held_at < r.until', ...indexed].join(' AND ')}
        OFFSET 0
      ) AS g`;
  }

  private indexOf(
    { field, operator, values, includesUnset, takesNames }: FigureFilter,
    row: 'g' | 'f',
  ): readonly string[] {
    if (typeof field === 'string' || operator !== 'eq' || includesUnset || !field.dimension.index) return [];
    if (takesNames && field.dimension.readableBy) return [];
    return [field.dimension.index(this.parameters.add(String(values[0])), row)];
  }

  /** The least detail that has everything that the query names. */
  private detail(): Detail {
    const { dimensions, filters } = this.query;
    const used = [...dimensions, ...filters.flatMap(({ field }) => (typeof field === 'string' ? [] : field))];
    const needed = used.map(({ dimension }) => DETAILS.indexOf(dimension.detail ?? 'none'));
    return DETAILS[Math.max(0, ...needed)]!;
  }

  /** The groups that come first by the first metric, where their number is limited. */
  private topGroups(conditions: readonly string[]): { readonly cte: string; readonly join: string } {
    const { groupLimit, dimensions, metrics } = this.query;
    if (groupLimit === undefined || dimensions.length === 0) return { cte: '', join: '' };
    const groups = dimensions.map((dimension, index) => `${this.valueOf(dimension)} AS dimension_${index}`).join(', ');
    const by = dimensions.map((_, index) => String(index + 1)).join(', ');
    const same = dimensions.map(
      (dimension, index) => `top.dimension_${index} IS NOT DISTINCT FROM ${this.valueOf(dimension)}`,
    );
    return {
      cte: `, top AS (SELECT ${groups} FROM f WHERE ${conditions.join(' AND ')} GROUP BY ${by}
        ORDER BY ${METRICS[metrics[0]!].expression} DESC NULLS LAST, ${by} LIMIT ${groupLimit})`,
      join: `JOIN top ON ${same.join(' AND ')}`,
    };
  }

  /** The names of the values as `name_<n>`, also of deleted keys and workspaces. */
  private names(): { readonly columns: string; readonly joins: string } {
    const named = this.query.dimensions.flatMap(({ dimension: { readableBy } }, index) =>
      readableBy === undefined ? [] : [{ ...readableBy, index }],
    );
    return {
      columns: named.map(({ index }) => `, named_${index}.name AS name_${index}`).join(''),
      joins: named
        .map(
          ({ table, id, type, index }) => `
        LEFT JOIN ${table} named_${index}
          ON named_${index}.${id} = counted.dimension_${index}::${type} AND named_${index}.account_id = ${this.account}`,
        )
        .join(''),
    };
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
    // Rows that the query does not order are ordered by everything else, so that each repetition has the same order.
    const rest = [
      ...(granularity === undefined ? [] : ['date']),
      ...dimensions.map((_, index) => `dimension_${index}`),
    ];
    return [...named, ...rest, 'provider_name'].join(', ');
  }
}

const COMPARISONS: Readonly<Record<Operator, (value: string, compared: string) => string>> = {
  eq: (value, compared) => `${value} = ANY(${compared})`,
  neq: (value, compared) => `${value} <> ALL(${compared})`,
  in: (value, compared) => `${value} = ANY(${compared})`,
  not_in: (value, compared) => `${value} <> ALL(${compared})`,
  gt: (value, compared) => `${value} > ALL(${compared})`,
  gte: (value, compared) => `${value} >= ALL(${compared})`,
  lt: (value, compared) => `${value} < ALL(${compared})`,
  lte: (value, compared) => `${value} <= ALL(${compared})`,
};

/** The statement that answers a query from what covers its range. */
export const figuresStatement = (query: FiguresQuery, coverage: Coverage): Statement =>
  new FiguresStatement(query, coverage).print();

/** The statement of how many rows answer a query by dates or dimensions, up to its limit. */
export const countStatement = (query: FiguresQuery, coverage: Coverage): Statement =>
  new FiguresStatement(query, coverage).printCount();
