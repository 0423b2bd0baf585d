import type { NamedDimension } from './dimensions.js';
import type { MetricName } from './metrics.js';

export const GRANULARITIES = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

export const OPERATORS = ['eq', 'neq', 'in', 'not_in', 'gt', 'gte', 'lt', 'lte'] as const;
export type Operator = (typeof OPERATORS)[number];

/** A condition for groups, or for the generations in them. */
export interface FigureFilter {
  readonly field: NamedDimension | MetricName;
  readonly operator: Operator;
  /** One value, except for `in` and `not_in`. */
  readonly values: readonly (string | number)[];
  /** Generations without a value fit as well. */
  readonly includesUnset: boolean;
  /** Values may be what readers call keys and workspaces, not their ids alone. */
  readonly takesNames: boolean;
}

export interface FigureOrder {
  /** A metric, a dimension of the query, or `date`. */
  readonly field: string;
  readonly isDescending: boolean;
}

/** A sum of figures. Requests of `/activity` and `/analytics` are read into it. */
export interface FiguresQuery {
  readonly accountId: string;
  /** Epoch milliseconds; `until` is exclusive. */
  readonly since: number;
  readonly until: number;
  /** Absent: the whole range as one. */
  readonly granularity?: Granularity | undefined;
  readonly dimensions: readonly NamedDimension[];
  readonly metrics: readonly MetricName[];
  readonly filters: readonly FigureFilter[];
  /** Leaves out generations that no provider answered and that cost nothing. */
  readonly isAnsweredOnly?: boolean;
  readonly order: readonly FigureOrder[];
  /** Rows at most. */
  readonly limit: number;
  /** Groups at most: those that come first by the first metric over the whole range. */
  readonly groupLimit?: number | undefined;
}

/** A row of figures: `date` where there is a granularity, metrics by name, `dimension_<n>` and `name_<n>`. */
export interface FiguresRow {
  readonly date?: Date;
  readonly provider_name: string | null;
  readonly [column: string]: unknown;
}
